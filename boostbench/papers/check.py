"""Whether a paper's folder is right: all its mistakes at once, with file and line.

Also where its tables contradict its text: the conditions in the column ``literally``, tried on the
printed values, each of which may be any number that rounds to it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from boostbench.data.cards import card_names
from boostbench.errors import ConfigError
from boostbench.methods import method_names
from boostbench.papers.claims import Claim, read_claims
from boostbench.papers.evidence import Evidence, Sets
from boostbench.papers.figures import estimate, slopes_of
from boostbench.papers.language import Array, FigureCall, Scope, Unknown, Values
from boostbench.papers.metrics import METRICS, asked_metrics
from boostbench.papers.paper import Paper, read_paper
from boostbench.papers.reading import MEANS, half_a_unit, lines
from boostbench.suggest import did_you_mean
from boostbench.yamltree import read_yaml

_PRINTED = {"score": "mean", "sd": "sd", "time": "time_s", "failures": "exploded_runs"}


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
    """Return every mistake in a paper's folder, or only those that keep it from being read."""
    try:
        paper = read_paper(folder)
        paper.cells, paper.datasets, asked_metrics({}, paper)
    except ConfigError as error:
        return str(error).splitlines()
    wrong = [*_names(paper, folder), *_datasets(paper, folder), *_notes(paper, folder)]
    try:
        read_claims(paper)
    except ConfigError as error:
        return [*str(error).splitlines(), *wrong]
    return wrong


Named = tuple[Sequence[str | int], bool, str, Collection[str], str]
"""A name in paper.yaml: its path, whether it is a key, the names that are known, and of what."""


def _names(paper: Paper, folder: Path) -> Iterator[str]:
    """Yield names in paper.yaml that mean nothing, and keys that nothing looks at."""
    document = read_yaml(folder / "paper.yaml")
    for path, is_key, name, known, what in _named(paper):
        if name not in known:
            hint = did_you_mean(name, known)
            yield f"{document.where(path, key=is_key)}: there is no {what} '{name}'{hint}"
    with_depth = any(cell.depth is not None for cell in paper.cells)
    for key, effect in (("default_depth", with_depth), ("design", bool(paper.cells))):
        if getattr(paper, key) is not None and not effect:
            yield f"{document.where([key], key=True)}: no table prints what '{key}' is about"


def _named(paper: Paper) -> Iterator[Named]:
    columns = list(dict.fromkeys(cell.method for cell in paper.cells))
    registered = [*method_names(), *(r for r, own in paper.roles.items() if "estimator" in own)]
    methods = [*registered, *paper.roles, *columns]
    yield ("metric",), False, paper.metric, METRICS, "metric"
    for name, column in paper.names.items():
        yield ("columns", name), True, name, methods, "method"
        yield ("columns", name), False, column, columns or [column], "printed column"
    for key, known, what in (
        ("printed_names", methods, "method"), ("meant", methods, "method"),
        ("captions", paper.printed_tables, "table"),
    ):  # fmt: skip
        yield from (((key, name), True, name, known, what) for name in getattr(paper, key))
    for key in ("meant", "implementations"):
        for group, names in getattr(paper, key).items():
            yield from (((key, group, i), False, n, methods, "method") for i, n in enumerate(names))
    for reading, roles in paper.readings.items():
        for name, other in roles.items():
            yield ("readings", reading, name), True, name, methods, "method"
            yield ("readings", reading, name), False, other, methods, "method"
    for role, own in paper.roles.items():
        if "estimator" not in own:
            yield ("roles", role, "method"), False, own.get("method", role), registered, "method"


def _datasets(paper: Paper, folder: Path) -> Iterator[str]:
    """Yield data sets of tables that are not listed, and those that no data can be."""
    path, tables = folder / "datasets.csv", paper.file("tables.csv")
    if not path.exists():
        return
    seen = {*paper.datasets, *MEANS}
    for line, row in lines(tables) if tables else ():
        if (name := row["dataset"]) not in seen:
            seen.add(name)
            hint = did_you_mean(name, paper.datasets)
            yield f"{tables}:{line}: the data set '{name}' is not in {path.name}{hint}"
    for line, row in lines(path):
        data = paper.datasets[row["dataset"]]
        for card in data.cards or [data.name]:
            if card.partition(":")[0] not in card_names():
                hint = f"{did_you_mean(card, card_names())}, so no data are '{data.name}'"
                yield f"{path}:{line}: there is no card '{card}'{hint}"


def _notes(paper: Paper, folder: Path) -> Iterator[str]:
    path = paper.file("notes.md")
    known = {*method_names(), *paper.method_names, *card_names()}
    for line, text in enumerate(path.read_text(encoding="utf-8").splitlines() if path else (), 1):
        for name in text[3:].split(",") if text.startswith("## ") else ():
            if (bare := name.strip(" `")) not in known:
                hint = did_you_mean(bare, known)
                yield f"{path}:{line}: there is no method or card '{bare}'{hint}"


class PrintedSets(Sets):
    """The paper's own tables, as figures look at them; failures as a share of the runs."""

    def statistic(self, method: str, of: str, name: str) -> float:
        """Return the printed value, NaN where there is none."""
        return self.printed_cell(method, of, name)[0]

    def printed_cell(self, method: str, of: str, name: str) -> tuple[float, float]:
        """Return a printed value, and half a unit of its last printed decimal."""
        paper = self.evidence.paper
        plain = "score" if of == paper.metric else of
        column = paper.column(method, self.depth)
        cell = column.cells.get(name) if column else None
        found = getattr(cell, _PRINTED.get(plain, ""), None)
        if cell is None or found is None:
            return np.nan, 0.0
        if plain == "failures":
            return found / (paper.runs or 1), 0.0
        return found, cell.rounding if plain == "score" else half_a_unit(f"{found:.12g}")


def _rounding(call: FigureCall, sets: PrintedSets, point: Array) -> Array:
    """Return how far the rounding of what is printed may move a figure's values."""
    halves = [
        np.abs(slope) * [[sets.printed_cell(*key, name)[1]] for name in sets.names]
        for key, slope in slopes_of(call, sets, point).items()
    ]
    # An end that is 0 but for the rounding of sums is beyond it.
    return np.asarray(np.sum(halves, axis=(0, 1)) * (1 + 1e-9))


def on_printed_tables(paper: Paper, claim: Claim) -> tuple[Scope, Mapping[str, Values]]:
    """Return a claim's figures of the paper's own tables; Unknown where they are not printed.

    Without data sets of its own it is on those that are printed of all its methods.
    """
    names = list(claim.datasets or paper.datasets)
    printed = sorted({cell.depth for cell in paper.cells if cell.depth is not None})
    depths: list[Any] = [*claim.depths] or [*printed] or [None]
    if not claim.datasets:
        columns = [paper.column(role, depth) for role in claim.roles for depth in depths]
        names = [name for name in names if all(c and name in c.cells for c in columns)]
    sign = METRICS[paper.metric].sign
    evidence = Evidence(paper, {}, depths, {"score": sign, paper.metric: sign})
    every = [PrintedSets(evidence, names, depth, {}) for depth in depths]
    named = {
        call.name: estimate(call, [sets.only(call.kept(names)) for sets in every], _rounding)
        for call in claim.figures
        if call.name
    }
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
        maybe = any(truth.point for truth in truths)
        sure = all(truth.point for truth in truths)
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
