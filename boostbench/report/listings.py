"""The lists of a report: what is missing and why, verdicts, data sets and methods."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from boostbench import numbers
from boostbench.papers.metrics import Verdict
from boostbench.papers.results import Method
from boostbench.report.cells import Cell
from boostbench.report.marks import MARKS, SIGNS, WORDS
from boostbench.report.page import Column, Item, Table
from boostbench.report.summary import Summary
from boostbench.stats import Verdict as Statistical

_VERDICTS = (Verdict.WITHIN, Verdict.ABOVE, Verdict.BELOW)
_EVIDENCE = (Statistical.EQUIVALENT, Statistical.DIFFERENT, Statistical.INCONCLUSIVE)

_VERDICT_LEGEND = (
    "≈, ≠ and ?: by the 90 % interval of measured − published and a margin; ✓, ▲ and ▼: by the "
    "tolerance, which looks at no uncertainty. A method that is another reading of a column is not "
    "counted in the headline; nor is a data set that is published as one before it, here or there."
)


def gaps(summary: Summary) -> Table:
    """Return the unfinished runs: one row per method, state and reason, with its cells."""
    found: dict[tuple[str, str, str], list[tuple[Cell, int]]] = {}
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


def _where(summary: Summary, touched: Sequence[tuple[Cell, int]]) -> str:
    if len(touched) == len(summary.datasets) > 1 and not any(cell.finished for cell, _ in touched):
        return f"all {len(touched)}, none finished"
    return ", ".join(
        f"{cell.dataset} ({numbers.of(cell.finished, cell.planned)})" for cell, _ in touched
    )


def verdict_counts(summary: Summary) -> Table:
    """Return, for each method, how many of its cells have each of the two verdicts."""
    rows = []
    for method in summary.methods:
        cells = summary.column(method)
        counts, evidence = count_verdicts(cells), count_evidence(cells)
        printed = sum(cell.counts for cell in cells)
        rows.append(
            [
                Item(method.label),
                Item(_against(summary, method, cells)),
                *(Item(numbers.count(evidence[v]) if printed else "") for v in _EVIDENCE),
                *(Item(numbers.count(counts[v]) if printed else "") for v in _VERDICTS),
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
            *(f"{SIGNS[v]} {v.value}" for v in _EVIDENCE),
            *(f"{MARKS[v]} {WORDS[v]}" for v in _VERDICTS),
            "Open",
            "Finished runs",
        ),
        rows=rows,
        left=frozenset({0, 1}),
        legend=_VERDICT_LEGEND,
    )


def _against(summary: Summary, method: Method, cells: Sequence[Cell]) -> str:
    printed = next((cell.published for cell in cells if cell.published), None)
    if printed is None:
        return "nothing published" if summary.paper else ""
    depth = "" if printed.depth is None else f", D = {printed.depth}"
    against = f"{printed.method}, Table {printed.table}{depth}"
    reasons = {cell.not_comparable for cell in cells if cell.published}
    if len(reasons) == 1 and (reason := reasons.pop()):
        return f"{against}, not comparable: {reason}"
    return against if method_counts(cells) else f"{against}, another reading of it"


def method_counts(cells: Sequence[Cell]) -> bool:
    """Return whether a method's cells are the ones that count in the headline."""
    return any(cell.meant for cell in cells)


def count_verdicts(cells: Sequence[Cell]) -> dict[Verdict, int]:
    """Return the number of cells of each place against the tolerance, of those that count."""
    found = Counter(cell.verdict for cell in cells if cell.counts)
    return {verdict: found[verdict] for verdict in _VERDICTS}


def count_evidence(cells: Sequence[Cell]) -> dict[Statistical, int]:
    """Return the number of cells of each statistical verdict, of those that count."""
    found = Counter(cell.evidence.verdict for cell in cells if cell.counts and cell.evidence)
    return {verdict: found[verdict] for verdict in _EVIDENCE}


def datasets(summary: Summary) -> Table:
    """Return the data sets: rows as measured and as the paper lists them, and a fingerprint."""
    paper = summary.paper
    printed = paper.datasets if paper else {}
    seen = summary.collected.rows
    rows = []
    for data in summary.datasets:
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
    header = ("Data set", "In the paper", "N", "N, paper", "p, paper", "Fingerprint", "As read")
    return _filled("datasets", "Data sets", header, rows, numeric=("N", "N, paper", "p, paper"))


def _filled(
    key: str,
    title: str,
    header: Sequence[str],
    rows: Sequence[Sequence[Item]],
    numeric: Sequence[str] = (),
) -> Table:
    """Return the table of the columns that any row fills."""
    columns = [
        Column(name, items, left=name not in numeric)
        for name, items in zip(header, zip(*rows, strict=True), strict=True)
    ]
    return Table.of_columns(key, title, [column for column in columns if column.filled])


def methods(summary: Summary) -> Table:
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
    return _filled(
        "methods", "Methods", ("Method", "Registered as", "Estimator", "Parameters"), rows
    )


def _settings(method: Method) -> str:
    parts = [_given(method.params)] if method.params else []
    for name, values in method.choose.items():
        known = [numbers.setting(v) if isinstance(v, float) else str(v) for v in values]
        parts.append(f"{name} chosen from {', '.join(known)}")
    if method.choose_with:
        parts[-1] += f", with {_given(method.choose_with)}"
    return "; ".join(parts)


def _given(params: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {_value(value)}" for name, value in sorted(params.items()))


def _value(value: object) -> str:
    # Large numbers are powers of ten, and are read more easily as such.
    return numbers.setting(value) if isinstance(value, float) and value >= 1000 else str(value)
