"""Checks of a paper's folder: all its mistakes at once, with file and line.

Also the contradictions between its tables and its text: the conditions in the column ``literally``
are tried on the printed values, each of which may be any number that rounds to it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from boostbench.data.catalog import Catalog
from boostbench.errors import ConfigError
from boostbench.methods import method_names
from boostbench.papers.claims import Claim, read_claims, tables_named
from boostbench.papers.conditions import Scope, Truth
from boostbench.papers.contents import wrong_contents
from boostbench.papers.evidence import (
    LEAST_RUNS,
    CellRuns,
    Depth,
    Evidence,
    Measurements,
    StatisticKey,
)
from boostbench.papers.figures import estimate, option, slopes_of
from boostbench.papers.idle import idle_conditions
from boostbench.papers.language import Array, FigureCall, Unknown, Values
from boostbench.papers.metrics import asked_metrics, scales_of, signs_of
from boostbench.papers.paper import Paper, read_paper
from boostbench.papers.plausible import impossible_values
from boostbench.papers.reading import MEANS, half_a_unit, lines
from boostbench.papers.roles import overlaps
from boostbench.papers.tables import PERCENTS, Column
from boostbench.suggest import did_you_mean, listing
from boostbench.yamltree import read_yaml

_PRINTED = {"score": "mean", "sd": "sd", "time": "time_s", "failures": "exploded_runs"}


class Literally(NamedTuple):
    """The verdict of the printed tables on a sentence, for all values that round to theirs."""

    claim: Claim
    truth: Truth
    shown: str


def check_paper(folder: Path) -> list[str]:
    """Return every mistake in a paper's folder, or only those that keep it from being read.

    The folder is beside the experiment file: cards beside that are known.
    """
    try:
        paper = read_paper(folder)
    except ConfigError as error:
        return str(error).splitlines()
    cards = Catalog(folder.parent).names
    if unread := _unread(paper):
        with suppress(ConfigError):  # the data sets are among what cannot be read
            unread += _unknown(_names_in_tables(paper, cards))
        return unread
    in_files = [*_names_in_tables(paper, cards), *_names_in_notes(paper, cards)]
    wrong = [*_unknown([*_names(paper, folder), *in_files]), *wrong_contents(paper, folder)]
    wrong += [*_overlapping_roles(paper, folder), *impossible_values(paper)]
    with_depth = any(cell.depth is not None for cell in paper.cells)
    for key, effect in (("default_depth", with_depth), ("design", bool(paper.cells))):
        if getattr(paper, key) is not None and not effect:
            place = read_yaml(folder / "paper.yaml").where([key], key=True)
            wrong.append(f"{place}: no table prints what '{key}' is about")
    if paper.default_depth is not None and with_depth and paper.default_depth not in paper.depths:
        place = read_yaml(folder / "paper.yaml").where(["default_depth"])
        wrong.append(f"{place}: no table prints trees of depth {paper.default_depth}")
    wrong += _too_many_failures(paper)
    try:
        claims = read_claims(paper)
    except ConfigError as error:
        return [*str(error).splitlines(), *wrong]
    return [*wrong, *_unnamed_roles(paper, folder, claims), *_idle_claims(paper, claims)]


def _unnamed_roles(paper: Paper, folder: Path, claims: Sequence[Claim]) -> Iterator[str]:
    """Yield the roles that nothing names, and that are nearly called as a method."""
    document = read_yaml(folder / "paper.yaml")
    methods = {*method_names(), *paper.printed_names, *paper.names}
    named = {*methods, *(role for claim in claims for role in claim.roles)}
    named |= {name for names in paper.implementations.values() for name in names}
    for role in paper.roles:
        if role not in named and (hint := did_you_mean(role, methods)):
            yield f"{document.where(['roles', role], key=True)}: nothing names '{role}'{hint}"


def _too_many_failures(paper: Paper) -> Iterator[str]:
    """Yield the cells of which more runs have failed than there are."""
    path = paper.file("tables.csv")
    for place, row in lines(path) if path else ():
        runs, failed = row.get("runs") or paper.runs, row.get("negative_r2_runs", "")
        with suppress(ValueError):  # it is empty, or did not finish
            if runs and float(failed) > float(runs):
                yield f"{place}, negative_r2_runs: {failed} of {runs} runs"


def _idle_claims(paper: Paper, claims: Sequence[Claim]) -> Iterator[str]:
    """Yield the conditions of claims that can decide nothing."""
    path = paper.file("claims.csv")
    rows = lines(path) if path else []
    for (place, _), claim in zip(rows, claims, strict=False):
        with suppress(Unknown):  # trees of a depth that no table prints
            for reason in idle_conditions(claim, paper.claimed_datasets, paper.depths or [2]):
                yield f"{place}, {reason}"


def _unknown(names: Iterable[Named]) -> list[str]:
    """Return a sentence for each name that is not known."""
    return [
        f"{place}: there is no {what} '{name}'{did_you_mean(name, known)}"
        for place, what, name, known in names
        if name not in known
    ]


def _unread(paper: Paper) -> list[str]:
    """Return the mistakes that keep metrics, tables or data sets from being read."""
    wrong: list[str] = []
    for read in (_read_metrics, _read_tables, _read_datasets):
        try:
            read(paper)
        except ConfigError as error:
            wrong += str(error).splitlines()
    return list(dict.fromkeys(wrong))


def _read_metrics(paper: Paper) -> None:
    asked_metrics({}, paper)


def _read_datasets(paper: Paper) -> None:
    _ = paper.datasets


def _read_tables(paper: Paper) -> None:
    """Read the printed cells in each metric; ConfigError for what is wrong in any of them."""
    wrong: list[str] = []
    path = paper.file("tables.csv")
    rows = lines(path) if path else []
    header = rows[0][1] if rows else {}
    for metric in paper.metric_names:
        if metric == paper.metric or {f"{metric}_mean", f"{metric}_percent_mean"} & {*header}:
            try:
                _ = paper.in_metric(metric).cells
            except ConfigError as error:
                wrong += str(error).splitlines()
    given = [key for key in header if key.endswith("_mean") or key in PERCENTS]
    wrong += [
        f"{place}: the row has no value in {listing(given)}"
        for place, row in rows
        if len(paper.metric_names) > 1 and not any(map(row.get, given))
    ]
    if wrong:
        raise ConfigError("\n".join(wrong))


Named = tuple[str, str, str, Collection[str]]
"""A name in a file: its place, its kind, the name, and the known names."""


def _names(paper: Paper, folder: Path) -> Iterator[Named]:
    where = read_yaml(folder / "paper.yaml").where
    columns = list(dict.fromkeys(cell.method for cell in paper.cells))
    registered = [*method_names(), *(r for r, own in paper.roles.items() if "estimator" in own)]
    methods = [*registered, *paper.roles, *columns]
    for name, column in paper.names.items():
        yield where(["columns", name], key=True), "method", name, methods
        yield where(["columns", name]), "printed column", column, columns or [column]
    for key, known, what in (
        ("printed_names", methods, "method"), ("meant", methods, "method"),
        ("captions", paper.printed_tables, "table"), ("curves_in", methods, "method"),
    ):  # fmt: skip
        yield from ((where([key, n], key=True), what, n, known) for n in getattr(paper, key))
    for method, figures in paper.curves_in.items():
        for i, figure in enumerate(figures):
            yield where(["curves_in", method, i]), "figure", figure, paper.figures
    for key in ("meant", "implementations"):
        for group, names in getattr(paper, key).items():
            yield from ((where([key, group, i]), "method", n, methods) for i, n in enumerate(names))
    for reading, roles in paper.readings.items():
        for name, other in roles.items():
            yield where(["readings", reading, name], key=True), "method", name, methods
            yield where(["readings", reading, name]), "method", other, methods
    for role, own in paper.roles.items():
        for i, part in enumerate(own.get("parts", ())):
            yield where(["roles", role, "parts", i]), "role", part, paper.roles
        if "estimator" not in own:
            yield where(["roles", role, "method"]), "method", own.get("method", role), registered


def _overlapping_roles(paper: Paper, folder: Path) -> list[str]:
    """Return a sentence for each two roles that one method could play."""
    where = read_yaml(folder / "paper.yaml").where
    return [
        f"{where(['roles', one], key=True)}: one method could play '{one}' and '{other}': give "
        "them parameters by which they differ, or name one of them in the `parts` of the other"
        for one, other in overlaps(paper)
    ]


def _names_in_tables(paper: Paper, cards: Collection[str]) -> Iterator[Named]:
    path, tables = paper.file("datasets.csv"), paper.file("tables.csv")
    if path is None:
        return
    first = {
        row.get("dataset", ""): place for place, row in reversed(lines(tables) if tables else [])
    }
    for name, place in reversed(first.items()):
        yield place, f"data set in {path.name}", name, [*paper.claimed_datasets, *MEANS]
    for (place, _), data in zip(lines(path), paper.datasets.values(), strict=True):
        for card in data.cards:
            yield place, "card", card.partition(":")[0], cards


def _names_in_notes(paper: Paper, cards: Collection[str]) -> Iterator[Named]:
    path = paper.file("notes.md")
    known = {*method_names(), *paper.method_names, *cards}
    for line, text in enumerate(path.read_text(encoding="utf-8").splitlines() if path else (), 1):
        for name in text[3:].split(",") if text.startswith("## ") else ():
            yield f"{path}:{line}", "method or card", name.strip(" `"), known


@dataclass(frozen=True)
class PrintedMeasurements(Measurements):
    """The paper's own tables as input of figures; failures as a share of the runs.

    A value is taken from the first of ``tables`` that prints it, by default of all. With
    ``in_these_only`` no other table counts. ``papers`` has the paper in each metric that was asked
    for, ``None`` for one that its tables do not print.
    """

    tables: Sequence[str] = ()
    in_these_only: bool = False
    papers: dict[str, Paper | None] = field(default_factory=dict)

    def statistic(self, method: str, of: str, name: str) -> float:
        """Return the printed value, NaN where there is none."""
        return self.printed_cell(method, of, name)[0]

    def printed_cell(self, method: str, of: str, name: str) -> tuple[float, float]:
        """Return a printed value, and half a unit of its last printed decimal."""
        paper = self.evidence.paper
        metric = of if of in paper.metric_names else paper.metric
        plain = "score" if of == metric else of
        column = self.column(method, metric)
        cell = column.cells.get(name) if column else None
        found = getattr(cell, _PRINTED.get(plain, ""), None)
        if cell is None or found is None:
            return np.nan, 0.0
        if plain == "failures":
            return found / (paper.runs or LEAST_RUNS), 0.0
        return found, cell.rounding if plain == "score" else half_a_unit(f"{found:.12g}")

    def column(self, method: str, metric: str) -> Column | None:
        """Return the printed column of a method in a metric, ``None`` if there is none."""
        if metric not in self.papers:
            self.papers[metric] = None
            with suppress(ConfigError):  # no column of the file has this metric
                printed = self.evidence.paper.in_metric(metric)
                self.papers[metric] = printed if printed.cells else None
        paper = self.papers[metric]
        if paper is None:
            return None
        for table in self.tables:
            column = paper.column(method, self.depth, table)
            if column is not None and column.table == table:
                return column
        return None if self.in_these_only else paper.column(method, self.depth)


def _rounding(call: FigureCall, sets: PrintedMeasurements, point: Array) -> Array:
    """Return how far the rounding of the printed values may move a figure's values."""
    half = np.zeros_like(point)
    for key, slope in slopes_of(call, sets, point).items():
        half += np.abs(slope).T @ [sets.printed_cell(*key, name)[1] for name in sets.names]
    # An end that is 0 except for rounding errors of sums does not count as inside.
    return half * (1 + 1e-9)


def on_printed_tables(
    paper: Paper, claim: Claim, partly: bool = False
) -> tuple[Scope, Mapping[str, Values]]:
    """Return a claim's figures from the paper's own tables; Unknown if they are not printed.

    A figure is tried on its ``table=``, else on the tables that the claim's place names, else on
    the first that prints it. A claim without data sets is on those that are printed for all its
    methods; if ``partly``, it suffices that a figure is known on some of them.
    """
    depths: list[Depth] = [*claim.depths] or [*paper.depths] or [None]
    evidence = Evidence(paper, {}, depths, signs_of(paper), scales=scales_of(paper))
    nothing: Mapping[StatisticKey, CellRuns] = defaultdict(lambda: CellRuns([], {}))
    named = tables_named(claim.where, paper.printed_tables)
    papers: dict[str, Paper | None] = {paper.metric: paper}

    def printed(call: FigureCall, names: Sequence[str]) -> list[PrintedMeasurements]:
        own = call.options.get("table")
        tables = named if own is None else [own]
        return [
            PrintedMeasurements(
                evidence, names, depth, nothing,
                tables=tables, in_these_only=own is not None, papers=papers,
            )
            for depth in depths
        ]  # fmt: skip

    names = list(claim.data_sets or paper.claimed_datasets)
    if not claim.data_sets:
        columns = [
            sets.column(role, _metric_of(call, paper))
            for call in claim.figures
            for sets in printed(call, names)
            for role in call.roles
        ]
        names = [name for name in names if all(c and name in c.cells for c in columns)]
    found = {
        call.name: estimate(call, printed(call, call.kept(names)), _rounding, partly)
        for call in claim.figures
        if call.name
    }
    return Scope(names, depths, bounded=True), found


def _metric_of(call: FigureCall, paper: Paper) -> str:
    """Return the metric of a figure's scores."""
    of = str(option(call, "of"))
    return of if of in paper.metric_names else paper.metric


def literally(paper: Paper, claims: Sequence[Claim]) -> list[Literally]:
    """Return the verdicts of the printed tables on the sentences with a literal condition."""
    found = []
    for claim in claims:
        if claim.literally:
            with suppress(Unknown):
                scope, named = on_printed_tables(paper, claim, partly=True)
                truth = scope.condition(claim.literally, named)
                shown = "; ".join(f"{name} {_range(values)}" for name, values in named.items())
                found.append(Literally(claim, truth, shown))
    return found


def _range(values: Values) -> str:
    ends = np.nanmin(values.point), np.nanmax(values.point)
    return " to ".join(dict.fromkeys(f"{end:.4g}" for end in ends))
