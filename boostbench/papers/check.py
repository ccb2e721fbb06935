"""Whether a paper's folder is right: all its mistakes at once, with file and line.

Also where its tables contradict its text: the conditions in the column ``literally``, tried on the
printed values, each of which may be any number that rounds to it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from boostbench.data.cards import card_names
from boostbench.errors import ConfigError
from boostbench.methods import method_names
from boostbench.papers.claims import Claim, try_claims
from boostbench.papers.figures import FIGURES
from boostbench.papers.judge import Evidence, Sets, evaluated, slopes_of
from boostbench.papers.language import Array, FigureCall, Scope, Unknown, Values
from boostbench.papers.metrics import METRICS
from boostbench.papers.paper import MEANS, Paper, Published, read_paper
from boostbench.papers.reading import lines
from boostbench.suggest import did_you_mean
from boostbench.yamltree import read_yaml

_PRINTED = {"score": "mean", "sd": "sd", "time": "time_s", "failures": "exploded_runs"}
_PROTOCOL = ("test_size", "params", "choose")


@dataclass(frozen=True)
class Literally:
    """What the printed tables say of a sentence: it follows, or it does not.

    Where only rounding decides, neither is so.
    """

    claim: Claim
    holds: bool
    contradicted: bool
    shown: str


def check_paper(folder: Path) -> list[str]:
    """Return every mistake in a paper's folder; the first that keeps it from being read, alone."""
    try:
        paper = read_paper(folder)
        paper.cells, paper.datasets  # noqa: B018
    except ConfigError as error:
        return str(error).splitlines()
    _, wrong = try_claims(paper)
    return [*wrong, *_names(paper), *_without_effect(paper), *_datasets(paper), *_notes(paper)]


def _names(paper: Paper) -> Iterator[str]:
    """Yield names without a column, and roles without a method."""
    where = read_yaml(_path(paper, "paper.yaml")).where
    printed = {cell.method for cell in paper.cells}
    registered = set(method_names())
    for name, column in paper.names.items():
        if printed and column not in printed:
            hint = did_you_mean(column, printed)
            yield f"{where(['columns', name])}: no table has a column '{column}'{hint}"
    known = registered | set(paper.roles)
    for key, names in (
        ("columns", paper.names),
        ("printed_names", paper.printed_names),
        ("meant", paper.meant),
    ):
        for name in names:
            wanted = known | printed if key == "meant" else known
            if name not in wanted and name not in printed:
                yield f"{where([key, name], key=True)}: {_no_method(name, wanted)}"
    for key, groups in (("meant", paper.meant), ("implementations", paper.implementations)):
        for group, members in groups.items():
            for i, name in enumerate(members):
                if name not in known | printed:
                    yield f"{where([key, group, i])}: {_no_method(name, known | printed)}"
    for reading, roles in paper.readings.items():
        for name in {*roles, *roles.values()} - known - printed:
            yield f"{where(['readings', reading])}: {_no_method(name, known)}"
    for role, wanted_of in paper.roles.items():
        name = wanted_of.get("method", role)
        if "estimator" not in wanted_of and name not in registered:
            yield f"{where(['roles', role])}: {_no_method(str(name), registered)}"


def _no_method(name: str, known: Collection[str]) -> str:
    return f"there is no method '{name}'{did_you_mean(name, known)}"


def _without_effect(paper: Paper) -> Iterator[str]:
    """Yield keys of paper.yaml that nothing looks at."""
    document = read_yaml(_path(paper, "paper.yaml"))
    where = partial(document.where, key=True)
    columns = {cell.method for cell in paper.cells}
    if paper.metric not in METRICS:
        hint = did_you_mean(paper.metric, METRICS)
        yield f"{document.where(['metric'])}: no metric '{paper.metric}'{hint}"
    for key, known, what in (
        ("captions", paper.printed_tables, "table"),
        ("best_of_starts", columns, "column"),
        ("protocol", _PROTOCOL, "part of a protocol"),
    ):
        for name in getattr(paper, key):
            if name not in known:
                yield (
                    f"{where([key, name])}: there is no {what} '{name}'"
                    f"{did_you_mean(name, known)}, so it has no effect"
                )
    if paper.default_depth is not None and all(cell.depth is None for cell in paper.cells):
        yield f"{where(['default_depth'])}: no table prints depths, so it has no effect"
    if paper.design is not None and not paper.cells:
        yield f"{where(['design'])}: there are no printed means to compare, so it has no effect"


def _datasets(paper: Paper) -> Iterator[str]:
    """Yield data sets of tables that are not listed, and those that no data can be."""
    path, tables = _path(paper, "datasets.csv"), _path(paper, "tables.csv")
    if path.exists():
        seen: set[str] = set()
        for line, row in lines(tables) if tables.exists() else ():
            name = row["dataset"]
            if name not in (*paper.datasets, *MEANS, *seen):
                seen.add(name)
                hint = did_you_mean(name, paper.datasets)
                yield f"{tables}:{line}: the data set '{name}' is not in {path.name}{hint}"
        for line, row in lines(path):
            data = paper.datasets[row["dataset"]]
            yield from (
                f"{path}:{line}: there is no card '{card}'{did_you_mean(card, card_names())}, so "
                f"no data are '{data.name}'"
                for card in (data.cards or [data.name])
                if card.partition(":")[0] not in card_names()
            )


def _notes(paper: Paper) -> Iterator[str]:
    path = _path(paper, "notes.md")
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    known = {*method_names(), *paper.method_names, *card_names()}
    for line, heading in enumerate(text.splitlines(), start=1):
        for name in heading[3:].split(",") if heading.startswith("## ") else ():
            if (bare := name.strip(" `")) not in known:
                hint = did_you_mean(bare, known)
                yield f"{path}:{line}: there is no method or card '{bare}'{hint}"


def _path(paper: Paper, name: str) -> Path:
    return (paper.folder or Path()) / name


class PrintedSets(Sets):
    """The paper's own tables, as figures look at them."""

    def __init__(self, paper: Paper, names: Sequence[str], depth: int | None) -> None:
        sign = 1 if METRICS[paper.metric].greater_is_better else -1
        evidence = Evidence(paper, {}, [depth], {"score": sign, paper.metric: sign})
        super().__init__(evidence, names, depth, {})
        self.paper = paper

    def only(self, names: Sequence[str]) -> PrintedSets:
        """Return these sets with some of the data sets."""
        return PrintedSets(self.paper, names, self.depth)

    def value(self, method: str, of: str) -> Array:
        """Return what is printed; failures as a share of the runs."""
        key = method, of
        if key not in self.used:
            found = [self._printed(method, of, name) for name in self.names]
            scale = self.repeats if of == "failures" else 1
            self.used[key] = np.array([np.nan if v is None else v / scale for v in found])
        return self.used[key] + self.shifts.get(key, 0.0)

    def _printed(self, method: str, of: str, name: str) -> float | None:
        of = "score" if of == self.paper.metric else of
        column = self.paper.column(method, self.depth)
        cell: Published | None = column.cells.get(name) if column else None
        value: float | None = getattr(cell, _PRINTED[of]) if cell and of in _PRINTED else None
        return value

    def rounding(self, method: str, of: str) -> Array:
        """Return half a unit of the last printed decimal of each value."""
        if of == "failures":
            return np.zeros(len(self.names))
        found = [self._printed(method, of, name) for name in self.names]
        column = self.paper.column(method, self.depth)
        cells = column.cells if column and of in ("score", self.paper.metric) else {}
        own = {name: cell.rounding for name, cell in cells.items()}
        pairs = zip(self.names, found, strict=True)
        return np.array([0.0 if v is None else own.get(name) or _half_unit(v) for name, v in pairs])


def _half_unit(value: float) -> float:
    text = repr(value).partition(".")[2]
    return 0.5 * 10.0 ** -(len(text) if text != "0" else 0)


@np.errstate(all="ignore")
def printed_values(call: FigureCall, every: Sequence[PrintedSets]) -> Values:
    """Return a figure of the printed tables, and from where to where rounding lets it lie."""
    kind = FIGURES[call.figure]
    options = {k: v for k, v in call.options.items() if k not in ("on", "without")}
    rows = []
    for sets in every:
        names = [n for n in sets.names if n in call.options.get("on", sets.names)]
        own = sets.only([n for n in names if n not in call.options.get("without", ())])
        of: Callable[..., Array] = partial(evaluated, kind.of, own, call.methods, options)
        point = of({})
        if not point.size or np.isnan(point).any():
            raise Unknown(f"{call} is not printed")
        slopes = slopes_of(of, dict(own.used), point)
        half = np.sum(
            [np.abs(s) * own.rounding(*key)[:, None] for key, s in slopes.items()], axis=(0, 1)
        )
        rows.append((point, point - half, point + half))
    point, low, high = (np.stack(each) for each in zip(*rows, strict=True))
    if kind.across is not None:
        point, low, high = (
            np.broadcast_to(kind.across(each), (len(every), 1)) for each in (point, low, high)
        )
    return Values(point, low, high)


def on_printed_tables(paper: Paper, claim: Claim) -> tuple[Scope, Mapping[str, Values]]:
    """Return a claim's figures of the paper's own tables; Unknown where they are not printed.

    Without data sets of its own it is on those that are printed of all its methods.
    """
    names = list(claim.datasets or paper.datasets)
    depths: list[Any] = list(claim.depths)
    if not depths:
        depths = sorted({c.depth for c in paper.cells if c.depth is not None}) or [None]
    if not claim.datasets:
        columns = [paper.column(role, depth) for role in claim.roles for depth in depths]
        names = [name for name in names if all(c and name in c.cells for c in columns)]
    every = [PrintedSets(paper, names, depth) for depth in depths]
    named = {call.name: printed_values(call, every) for call in claim.figures if call.name}
    return Scope(names, depths, list(paper.datasets)), named


def literally(paper: Paper, claims: Sequence[Claim]) -> list[Literally]:
    """Return what the printed tables say of the sentences that have a literal condition."""
    found = []
    for claim in claims:
        if not claim.literally:
            continue
        try:
            scope, named = on_printed_tables(paper, claim)
        except Unknown:
            continue
        truths = [scope.condition(claim.literally, one) for one in _corners(named)]
        maybe = any(bool(truth.point) for truth in truths)
        sure = all(bool(truth.point) for truth in truths)
        shown = "; ".join(f"{name} {_range(values)}" for name, values in named.items())
        found.append(Literally(claim, sure, not maybe, shown))
    return found


def _corners(named: Mapping[str, Values]) -> Iterator[dict[str, Values]]:
    """Yield the figures as printed, all of them moved to an end, and one value of one moved."""
    exact = {name: Values.exact(values.point) for name, values in named.items()}
    yield exact
    yield {name: Values.exact(values.low) for name, values in named.items()}
    yield {name: Values.exact(values.high) for name, values in named.items()}
    for name, values in named.items():
        for end in (values.low, values.high):
            for place in range(end.shape[-1]):
                moved = values.point.copy()
                moved[..., place] = end[..., place]
                yield {**exact, name: Values.exact(moved)}


def _range(values: Values) -> str:
    ends = np.min(values.point), np.max(values.point)
    return " to ".join(dict.fromkeys(f"{end:.4g}" for end in ends))
