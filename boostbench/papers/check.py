"""Checks of a paper's folder: all its mistakes at once, with file and line.

Also the contradictions between its tables and its text: the conditions in the column ``literally``
are tried on the printed values, each of which may be any number that rounds to it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import product
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

import numpy as np

from boostbench.data.cards import Catalog
from boostbench.errors import ConfigError
from boostbench.grouping import first_of_each
from boostbench.methods import method_names
from boostbench.papers.claims import Claim, read_claims, tables_named
from boostbench.papers.conditions import Scope, Truth
from boostbench.papers.contents import wrong_contents, wrong_metrics
from boostbench.papers.estimates import estimate, slopes_of
from boostbench.papers.evidence import (
    LEAST_RUNS,
    CellRuns,
    Evidence,
    Measurements,
    MethodOnData,
)
from boostbench.papers.figures import option, roles_of
from boostbench.papers.idle import idle_conditions
from boostbench.papers.language import Array, FigureCall, Unknown, Values
from boostbench.papers.metrics import scales_of, signs_of
from boostbench.papers.paper import Paper, read_paper
from boostbench.papers.plausible import impossible_values
from boostbench.papers.reading import MEANS, half_a_unit, text_of
from boostbench.papers.roles import overlaps, parts_of
from boostbench.papers.settings import measured_at
from boostbench.papers.tables import PERCENTS, Column
from boostbench.suggest import did_you_mean, listing
from boostbench.yamltree import Document, read_yaml


class Literally(NamedTuple):
    """The verdict of the printed tables on a sentence, for all values that round to theirs."""

    claim: Claim
    truth: Truth
    shown: str


def check_paper(folder: Path) -> list[str]:
    """Return every mistake in a paper's folder, or only those that keep it from being read.

    The folder is beside the experiment file: cards beside that are known.
    """
    if unanswered := _questions_left(folder):
        return unanswered
    try:
        document = read_yaml(folder / "paper.yaml")
        paper = read_paper(folder, document)
    except ConfigError as error:
        return str(error).splitlines()
    cards = Catalog(folder.parent).names
    if unread := [*wrong_metrics(paper, document), *_unread(paper)]:
        with suppress(ConfigError):  # the data sets are among what cannot be read
            unread += _unknown(_names_in_tables(paper, cards))
        return unread
    in_files = [*_names_in_tables(paper, cards), *_names_in_notes(paper, cards)]
    wrong = [
        *_unknown([*_names(paper, document), *in_files]),
        *wrong_contents(paper, document, folder),
    ]
    wrong += [*_overlapping_roles(paper, document), *impossible_values(paper)]
    wrong += [*_keys_about_nothing(paper, document), *_too_many_failures(paper)]
    try:
        claims = read_claims(paper)
    except ConfigError as error:
        return [*str(error).splitlines(), *wrong]
    return [*wrong, *_unnamed_roles(paper, document, claims), *_idle_claims(paper, claims)]


def _questions_left(folder: Path) -> list[str]:
    """Return the questions of ``boostbench paper new`` that nobody has answered yet."""
    path = folder / "paper.yaml"
    lines = text_of(path).splitlines()
    return [
        f"{path}:{number}: {line.lstrip('# ')}; write the answer where it says TODO, and remove "
        "this line"
        for number, line in enumerate(lines, 1)
        if line.startswith("# TODO:")
    ]


def _keys_about_nothing(paper: Paper, document: Document) -> Iterator[str]:
    """Yield the keys on the paper's tables of which no table prints anything."""
    where = document.where
    for name, condition in paper.conditions.items():
        value, printed = condition.default, paper.printed_values[name]
        if value is not None and value not in printed:
            what = measured_at(paper.conditions, name, [value], "")
            known = f"; it prints {listing(map(str, printed))}" if printed else ""
            yield f"{where(['conditions', name, 'default'])}: no table prints {what}{known}"
    if paper.design is not None and not paper.cells:
        yield f"{where(['design'], key=True)}: no table prints what 'design' is about"


def _unnamed_roles(paper: Paper, document: Document, claims: Sequence[Claim]) -> Iterator[str]:
    """Yield the roles that nothing names, and that are nearly called as a method."""
    methods = {*method_names(), *paper.printed_names, *paper.names}
    named = {*methods, *(role for claim in claims for role in claim.roles)}
    named |= {name for names in paper.implementations.values() for name in names}
    for role in paper.roles:
        if role not in named and (hint := did_you_mean(role, methods)):
            yield f"{document.where(['roles', role], key=True)}: nothing names '{role}'{hint}"


def _too_many_failures(paper: Paper) -> Iterator[str]:
    """Yield the cells of which more runs have failed than there are."""
    for place, row in paper.rows("tables.csv"):
        runs = row.get("runs") or paper.runs_of(row.get("dataset", ""), row.get("table", ""))
        failed = row.get("negative_r2_runs", "")
        with suppress(ValueError):  # it is empty, or did not finish
            if runs and float(failed) > float(runs):
                yield f"{place}, negative_r2_runs: {failed} of {runs} runs"


def _idle_claims(paper: Paper, claims: Sequence[Claim]) -> Iterator[str]:
    """Yield the conditions of claims that can decide nothing."""
    for (place, _), claim in zip(paper.rows("claims.csv"), claims, strict=False):
        with suppress(Unknown):  # a value of a condition that no table prints
            for reason in idle_conditions(claim, paper):
                yield f"{place}, {reason}"


class NameInFile(NamedTuple):
    """A name in a file of the folder: its place, what it names, and the known names."""

    place: str
    kind: str
    name: str
    known: Collection[str]


def _unknown(names: Iterable[NameInFile]) -> list[str]:
    """Return a sentence for each name that is not known."""
    return [
        f"{each.place}: there is no {each.kind} '{each.name}'{did_you_mean(each.name, each.known)}"
        for each in names
        if each.name not in each.known
    ]


def _unread(paper: Paper) -> list[str]:
    """Return the mistakes that keep tables or data sets from being read."""
    wrong = [*_mistakes(_read_tables, paper), *_mistakes(attrgetter("datasets"), paper)]
    return list(dict.fromkeys(wrong))


def _mistakes(read: Callable[[Paper], object], paper: Paper) -> list[str]:
    """Return the mistakes that keep a part of a paper from being read."""
    try:
        read(paper)
    except ConfigError as error:
        return str(error).splitlines()
    return []


def _read_tables(paper: Paper) -> None:
    """Read the printed cells in each metric; ConfigError for what is wrong in any of them."""
    wrong: list[str] = []
    for own in {paper.metric: paper, **paper.in_metrics}.values():
        wrong += _mistakes(attrgetter("cells"), own)
    if len(paper.metric_names) > 1:
        wrong += _rows_without_values(paper)
    if wrong:
        raise ConfigError("\n".join(wrong))


def _rows_without_values(paper: Paper) -> Iterator[str]:
    for place, row in paper.rows("tables.csv"):
        values = [key for key in row if key.endswith("_mean") or key in PERCENTS]
        if not any(map(row.get, values)):
            yield f"{place}: the row has no value in {listing(values)}"


def _names(paper: Paper, document: Document) -> Iterator[NameInFile]:
    """Yield the names in ``paper.yaml``."""
    where = document.where
    columns = list(dict.fromkeys(cell.method for cell in paper.cells))
    registered = [*method_names(), *(r for r, own in paper.roles.items() if "estimator" in own)]
    methods = [*registered, *paper.roles, *columns]
    for name, column in paper.names.items():
        yield NameInFile(where(["columns", name], key=True), "method", name, methods)
        yield NameInFile(where(["columns", name]), "printed column", column, columns or [column])
    yield from _names_that_are_keys(paper, where, methods)
    for key, lists, kind, known in (
        ("curves_in", paper.curves_in, "figure", paper.figures),
        ("meant", paper.meant, "method", methods),
        ("implementations", paper.implementations, "method", methods),
    ):
        for own, names in lists.items():
            for i, name in enumerate(names):
                yield NameInFile(where([key, own, i]), kind, name, known)
    for reading, roles in paper.readings.items():
        for name, other in roles.items():
            at = ["readings", reading, name]
            yield NameInFile(where(at, key=True), "method", name, methods)
            yield NameInFile(where(at), "method", other, methods)
    yield from _names_in_roles(paper, where, registered)


def _names_that_are_keys(
    paper: Paper, where: Callable[..., str], methods: Sequence[str]
) -> Iterator[NameInFile]:
    for key, names, kind, known in (
        ("printed_names", paper.printed_names, "method", methods),
        ("meant", paper.meant, "method", methods),
        ("other_methods", paper.other_methods, "method", list(paper.names)),
        ("captions", paper.captions, "table", paper.printed_tables),
        ("curves_in", paper.curves_in, "method", methods),
    ):
        for name in names:
            yield NameInFile(where([key, name], key=True), kind, name, known)


def _names_in_roles(
    paper: Paper, where: Callable[..., str], registered: Sequence[str]
) -> Iterator[NameInFile]:
    for role, own in paper.roles.items():
        for i, part in enumerate(parts_of(paper, role)):
            yield NameInFile(where(["roles", role, "parts", i]), "role", part, paper.roles)
        if "estimator" not in own:
            place, method = where(["roles", role, "method"]), own.get("method", role)
            yield NameInFile(place, "method", method, registered)


def _overlapping_roles(paper: Paper, document: Document) -> list[str]:
    """Return a sentence for each two roles that one method could play."""
    where = document.where
    return [
        f"{where(['roles', one], key=True)}: one method could play '{one}' and '{other}': give "
        "them parameters by which they differ, or name one of them in the `parts` of the other"
        for one, other in overlaps(paper)
    ]


def _names_in_tables(paper: Paper, cards: Collection[str]) -> Iterator[NameInFile]:
    """Yield the data sets of the tables, at their first row, and the cards of ``datasets.csv``."""
    path = paper.file("datasets.csv")
    if path is None:
        return
    rows = paper.rows("tables.csv")
    first = first_of_each((row.get("dataset", ""), place) for place, row in rows)
    for name, place in first.items():
        known = [*paper.claimed_datasets, *MEANS]
        yield NameInFile(place, f"data set in {path.name}", name, known)
    for (place, _), data in zip(paper.rows(path.name), paper.dataset_rows, strict=True):
        for card in data.cards:
            yield NameInFile(place, "card", card.partition(":")[0], cards)
        for figure in data.figures:
            yield NameInFile(place, "figure", figure, paper.figures)


def _names_in_notes(paper: Paper, cards: Collection[str]) -> Iterator[NameInFile]:
    """Yield the names in the headings of ``notes.md``."""
    path = paper.file("notes.md")
    if path is None:
        return
    known = {*method_names(), *paper.method_names, *cards}
    for line, text in enumerate(text_of(path).splitlines(), 1):
        if text.startswith("## "):
            for name in text[3:].split(","):
                yield NameInFile(f"{path}:{line}", "method or card", name.strip(" `"), known)


@dataclass(frozen=True)
class PrintedMeasurements(Measurements):
    """The paper's own tables as input of figures; failures as a share of the runs.

    A value is taken from the first of ``tables`` that prints it, by default of all. With
    ``in_these_only`` no other table counts.
    """

    tables: Sequence[str] = ()
    in_these_only: bool = False

    def statistic(self, method: str, of: str, name: str) -> float:
        """Return the printed value, NaN where there is none."""
        return self.printed_cell(method, of, name)[0]

    def printed_cell(self, method: str, of: str, name: str) -> tuple[float, float]:
        """Return a printed value, and half a unit of its last printed decimal."""
        paper = self.evidence.paper
        metric = of if of in paper.metric_names else paper.metric
        column = self.column(method, metric)
        cell = column.cells.get(name) if column else None
        if cell is None:
            return np.nan, 0.0
        if of in (metric, "score"):
            return cell.mean, cell.rounding
        if of == "failures" and cell.exploded_runs is not None:
            return cell.exploded_runs / (paper.runs_behind(cell) or LEAST_RUNS), 0.0
        printed = {"sd": cell.sd, "time": cell.time_s}.get(of)
        return (np.nan, 0.0) if printed is None else (printed, half_a_unit(f"{printed:.12g}"))

    def column(self, method: str, metric: str) -> Column | None:
        """Return the printed column of a method in a metric, ``None`` if there is none."""
        paper = self.evidence.paper.in_metrics.get(metric)
        if paper is None:
            return None
        for table in self.tables:
            column = paper.column(method, self.setting, table)
            if column is not None and column.table == table:
                return column
        return None if self.in_these_only else paper.column(method, self.setting)


def _rounding(call: FigureCall, printed: PrintedMeasurements, point: Array) -> Array:
    """Return how far the rounding of the printed values may move a figure's values."""
    half = np.zeros_like(point)
    for key, slope in slopes_of(call, printed, point).items():
        half += np.abs(slope).T @ [printed.printed_cell(*key, name)[1] for name in printed.names]
    # An end that is 0 except for rounding errors of sums does not count as inside.
    return half * (1 + 1e-9)


def on_printed_tables(
    paper: Paper, claim: Claim, *, partly: bool = False
) -> tuple[Scope, Mapping[str, Values]]:
    """Return a claim's figures from the paper's own tables; Unknown if they are not printed.

    A figure is tried on its ``table=``, else on the tables that the claim's place names, else on
    the first that prints it. A claim without data sets is on those that are printed for all its
    methods; if ``partly``, it suffices that a figure is known on some of them.
    """
    settings = claim.settings_among(paper.printed_values)
    evidence = Evidence(paper, {}, settings, signs_of(paper), scales=scales_of(paper))
    printed = partial(_printed, evidence, tables_named(claim.where, paper.printed_tables))
    names = claim.data_sets or _printed_for_all(claim, paper, printed)
    if not names:
        raise Unknown("is of no data set that is printed for all its methods")
    values = {
        call.name: estimate(call, printed(call, call.kept(names)), _rounding, partly)
        for call in claim.figures
        if call.name
    }
    return Scope(names, settings, bounded=True, conditions=paper.conditions), values


def _printed(
    evidence: Evidence,
    named: Sequence[str],
    call: FigureCall,
    names: Sequence[str],
) -> list[PrintedMeasurements]:
    """Return what a figure is tried on in each setting; ``named`` are the tables of its claim."""
    own = call.options.get("table")
    nothing: Mapping[MethodOnData, CellRuns] = defaultdict(lambda: CellRuns([], {}))
    return [
        PrintedMeasurements(
            evidence,
            names,
            setting,
            nothing,
            tables=named if own is None else [str(own)],
            in_these_only=own is not None,
        )
        for setting in evidence.settings
    ]


def _printed_for_all(
    claim: Claim,
    paper: Paper,
    printed: Callable[[FigureCall, Sequence[str]], Sequence[PrintedMeasurements]],
) -> list[str]:
    """Return the data sets that are printed for each role of a claim's figures, in each setting."""
    names = paper.claimed_datasets
    for call in claim.figures:
        of = str(option(call, "of"))
        metric = of if of in paper.metric_names else paper.metric
        for measurements, role in product(printed(call, names), roles_of(call)):
            columns = [measurements.column(method, metric) for method in role.members]
            there = {name for column in columns if column for name in column.cells}
            names = [name for name in names if name in there]
    return names


def literally(paper: Paper, claims: Sequence[Claim]) -> list[Literally]:
    """Return the verdicts of the printed tables on the sentences with a literal condition."""
    tried = []
    for claim in claims:
        if claim.literally:
            with suppress(Unknown):
                scope, named = on_printed_tables(paper, claim, partly=True)
                truth = scope.condition(claim.literally, named)
                shown = "; ".join(f"{name} {_range(values)}" for name, values in named.items())
                tried.append(Literally(claim, truth, shown))
    return tried


def _range(values: Values) -> str:
    ends = np.nanmin(values.point), np.nanmax(values.point)
    return " to ".join(dict.fromkeys(f"{end:.4g}" for end in ends))
