"""The lists of a report: what is missing and why, verdicts, data sets and methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from boostbench.papers import published_datasets
from boostbench.report import numbers
from boostbench.report.page import Item, Table
from boostbench.report.stats import Cell, Summary, Verdict

if TYPE_CHECKING:
    from boostbench.papers import Paper
    from boostbench.report.frame import DatasetInfo, MethodInfo


class CountedCell(Protocol):
    """A cell as far as its runs are counted."""

    @property
    def dataset(self) -> str: ...

    @property
    def method(self) -> str: ...

    @property
    def planned(self) -> int: ...

    @property
    def finished(self) -> int: ...

    @property
    def reasons(self) -> Sequence[tuple[str, str, int]]: ...


class Counted(Protocol):
    """The cells of a summary of any task."""

    @property
    def cells(self) -> Mapping[tuple[str, str], CountedCell]: ...

    @property
    def datasets(self) -> Sequence[DatasetInfo]: ...

    @property
    def methods(self) -> Sequence[MethodInfo]: ...


def gaps(summary: Counted) -> Table:
    """Return what has not finished, a row a method, state and reason, with the cells it touches."""
    found: dict[tuple[str, str, str], list[tuple[CountedCell, int]]] = {}
    for cell in summary.cells.values():
        for status, reason, runs in cell.reasons:
            found.setdefault((cell.method, status, reason), []).append((cell, runs))
    order = [method.label for method in summary.methods]
    rows = [
        [
            Item(method),
            Item(status, tone="empty"),
            Item(reason or ("not run yet" if status == "pending" else "")),
            Item(numbers.count(sum(runs for _, runs in touched))),
            Item(_where(summary, touched)),
        ]
        for (method, status, reason), touched in sorted(
            found.items(), key=lambda entry: order.index(entry[0][0])
        )
    ]
    return Table(
        key="gaps",
        title="Cells that are empty or incomplete",
        header=("Method", "State", "Reason", "Runs", "Data sets (finished of planned runs)"),
        rows=rows,
        left=frozenset({0, 1, 2, 4}),
    )


def _where(summary: Counted, touched: Sequence[tuple[CountedCell, int]]) -> str:
    if len(touched) == len(summary.datasets) > 1 and not any(cell.finished for cell, _ in touched):
        return f"all {len(touched)}, none finished"
    return ", ".join(
        f"{cell.dataset} ({numbers.of(cell.finished, cell.planned)})" for cell, _ in touched
    )


def verdict_counts(summary: Summary) -> Table:
    """Return, for each method, how many of its cells are reproduced, above and below."""
    rows = []
    for method in summary.methods:
        cells = [summary.cell(data.label, method.label) for data in summary.datasets]
        counts = count_verdicts(cells)
        printed = sum(cell.published is not None for cell in cells)
        rows.append(
            [
                Item(method.label),
                Item(_against(summary, method, cells)),
                *(Item(numbers.count(counts[v]) if printed else "") for v in tuple(Verdict)[:3]),
                Item(numbers.count(printed - sum(counts.values())) if printed else ""),
                Item(numbers.of(sum(c.finished for c in cells), sum(c.planned for c in cells))),
            ]
        )
    return Table(
        key="verdicts",
        title="Verdicts by method",
        header=(
            "Method",
            "Measured against",
            *(f"{numbers.MARKS[v]} {v.value}" for v in tuple(Verdict)[:3]),
            "Open",
            "Finished runs",
        ),
        rows=rows,
        left=frozenset({0, 1}),
    )


def _against(summary: Summary, method: MethodInfo, cells: Sequence[Cell]) -> str:
    printed = next((cell.published for cell in cells if cell.published), None)
    if printed is None:
        return "nothing published" if summary.paper else ""
    depth = "" if printed.depth is None else f", D = {printed.depth}"
    return f"{printed.method}, Table {printed.table}{depth}"


def count_verdicts(cells: Sequence[Cell]) -> dict[Verdict, int]:
    """Return the number of cells of each verdict but the empty one."""
    counts = dict.fromkeys(tuple(Verdict)[:3], 0)
    for cell in cells:
        if cell.verdict is not Verdict.NONE:
            counts[cell.verdict] += 1
    return counts


def datasets(summary: Summary) -> Table:
    """Return the data sets: rows as measured and as the paper lists them, and a fingerprint."""
    runs = summary.results.runs
    seen = {}
    for data in summary.datasets:
        known = runs.loc[runs["dataset"] == data.label, "n_rows"].dropna()
        seen[data.label] = float(known.iloc[0]) if len(known) else None
    return dataset_table(summary.datasets, seen, summary.paper)


def dataset_table(
    infos: Sequence[DatasetInfo], seen: Mapping[str, float | None], paper: Paper | None
) -> Table:
    """Return the list of data sets; ``seen`` holds the rows that each was measured on."""
    printed = published_datasets(paper.key) if paper else {}
    rows = []
    for data in infos:
        listed = printed.get(data.published_as)
        rows.append(
            [
                Item(data.label),
                Item(listed.title if listed else ""),
                Item(numbers.count(seen.get(data.label))),
                Item(numbers.count(listed.n_samples) if listed else ""),
                Item(numbers.count(listed.n_features) if listed else ""),
                Item(data.fingerprint[:12]),
                Item("; ".join(data.remarks)),
            ]
        )
    return Table(
        key="datasets",
        title="Data sets",
        header=("Data set", "In the paper", "N", "N, paper", "p, paper", "Fingerprint", "As read"),
        rows=rows,
        left=frozenset({0, 1, 5, 6}),
    ).without_blanks()


def methods(summary: Counted) -> Table:
    """Return the methods: what was run, with which parameters."""
    rows = [
        [
            Item(method.label),
            Item(method.registered if method.registered != method.label else ""),
            Item(f"{method.estimator}, version {method.version}"),
            Item(_settings(method)),
        ]
        for method in summary.methods
    ]
    return Table(
        key="methods",
        title="Methods",
        header=("Method", "Registered as", "Estimator", "Parameters"),
        rows=rows,
        left=frozenset({0, 1, 2, 3}),
    ).without_blanks()


def _settings(method: MethodInfo) -> str:
    parts = [_given(method.params)] if method.params else []
    for name, values in method.choose.items():
        told = [numbers.setting(v) if isinstance(v, float) else str(v) for v in values]
        parts.append(f"{name} chosen from {', '.join(told)}")
    if method.choose_with:
        parts[-1] += f", with {_given(method.choose_with)}"
    return "; ".join(parts)


def _given(params: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {_value(value)}" for name, value in sorted(params.items()))


def _value(value: object) -> str:
    # Large numbers are powers of ten, and are read more easily as such.
    return numbers.setting(value) if isinstance(value, float) and value >= 1000 else str(value)
