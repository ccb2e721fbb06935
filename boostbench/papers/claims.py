"""The claims of a paper: rows of ``claims.csv``, each tried out on made-up values when it is read.

Columns: ``id``, ``where``, ``text`` (a quotation), ``stated`` (the number in it, as printed);
``data_sets`` and ``depths``, with semicolons, empty for all; ``figures``, and the conditions
``reproduced_if``, ``weaker_if`` and ``not_reproduced_if``, of which the first that is true decides;
``own_tables`` and ``own_value``, what the paper's tables say of it, in words, and ``literally``, a
condition that is tried on these tables alone; ``reason``, why it is not judged; ``note``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from boostbench.errors import ConfigError
from boostbench.papers.figures import AVERAGES, FIGURES, QUANTITIES
from boostbench.papers.language import (
    ExpressionError,
    FigureCall,
    Names,
    Scope,
    Unknown,
    Values,
    read_figures,
)
from boostbench.papers.metrics import METRICS
from boostbench.papers.paper import Paper
from boostbench.papers.reading import lines, listed
from boostbench.suggest import did_you_mean

NEEDED = ("id", "where", "text")
CONDITIONS = ("reproduced_if", "weaker_if", "not_reproduced_if", "literally")
COLUMNS = (
    *NEEDED, "stated", "data_sets", "depths", "figures", *CONDITIONS, "own_tables", "own_value",
    "reason", "note",
)  # fmt: skip


@dataclass(frozen=True)
class Claim:
    """A sentence of a paper, and how it is judged; see this module for what the fields are."""

    id: str
    where: str
    text: str
    stated: str = ""
    datasets: Sequence[str] = ()
    depths: Sequence[int] = ()
    figures: Sequence[FigureCall] = ()
    reproduced_if: str = ""
    weaker_if: str = ""
    not_reproduced_if: str = ""
    literally: str = ""
    own_tables: str = ""
    own_value: str = ""
    reason: str = ""
    note: str = ""

    @property
    def roles(self) -> list[str]:
        """The methods that its figures look at."""
        return list(dict.fromkeys(role for call in self.figures for role in call.roles))


def read_claims(paper: Paper) -> list[Claim]:
    """Return a paper's claims; ConfigError with every mistake in their file."""
    claims, wrong = try_claims(paper)
    if wrong:
        raise ConfigError("\n".join(wrong))
    return claims


def try_claims(paper: Paper) -> tuple[list[Claim], list[str]]:
    """Return a paper's claims, and what is wrong in their file, with line and column."""
    path = paper.folder / "claims.csv" if paper.folder else None
    if path is None or not path.exists() or not paper.is_whole:  # they are in its first metric
        return [], []
    claims: dict[str, Claim] = {}
    wrong: list[str] = []
    try:
        rows = lines(path)
    except ConfigError as error:
        return [], [str(error)]
    unknown = [name for name in (rows[0][1] if rows else {}) if name not in COLUMNS]
    wrong += [
        f"{path}:1: there is no column '{name}'{did_you_mean(str(name), COLUMNS)}"
        for name in unknown
    ]
    wrong += [
        f"{path}:1: the column '{name}' is missing"
        for name in NEEDED
        if rows and name not in rows[0][1]
    ]
    if wrong:
        return [], wrong
    names = names_of(paper)
    for line, row in rows:
        place = f"{path}:{line}"
        try:
            claim = _claim(paper, place, {k: v or "" for k, v in row.items()}, names)
        except ConfigError as error:
            wrong.append(str(error))
            continue
        if claim.id in claims:
            wrong.append(f"{place}: the claim '{claim.id}' occurs twice")
        claims[claim.id] = claim
    return list(claims.values()), wrong


def names_of(paper: Paper) -> Names:
    """Return what the expressions of a paper's claims may name."""
    return Names(
        {name: figure.signature for name, figure in FIGURES.items()},
        paper.method_names,
        list(paper.datasets),
        {
            "over": list(AVERAGES),
            "of": [*QUANTITIES, *METRICS, *paper.metric_names],
            "by": ["rows", "classes"],
            "rounds": ["common", "all"],
            "table": paper.printed_tables,
        },
    )


def _claim(paper: Paper, place: str, row: dict[str, str], names: Names) -> Claim:
    for name in NEEDED:
        if not row[name]:
            raise ConfigError(f"{place}: '{name}' is empty; every claim needs one")
    datasets = listed(row.get("data_sets"))
    for name in datasets:
        if name not in paper.datasets:
            hint = did_you_mean(name, paper.datasets)
            raise ConfigError(f"{place}, data_sets: the paper has no data set '{name}'{hint}")
    depths = []
    for depth in listed(row.get("depths")):
        if not depth.isdecimal():
            raise ConfigError(f"{place}, depths: '{depth}' is not a whole number")
        depths.append(int(depth))
    texts = {name: row.get(name, "") for name in ("figures", *CONDITIONS)}
    if bool(texts["reproduced_if"]) == bool(row.get("reason")):
        raise ConfigError(f"{place}: a claim has either 'reproduced_if' or a 'reason'")
    column = "figures"
    try:
        figures = read_figures(texts["figures"], names) if texts["figures"] else []
        trial, scope = _made_up(figures, datasets, depths, names)
        for column in CONDITIONS:
            if texts[column]:
                scope.condition(texts[column], trial)
    except ExpressionError as error:
        raise ConfigError(f"{place}, {column}, column {error.column}: {error}") from None
    except Unknown as error:
        raise ConfigError(f"{place}, {column}: {error}, which are none of its depths") from None
    except ValueError:
        raise ConfigError(f"{place}, {column}: its figures are of different data sets") from None
    return Claim(
        id=row["id"],
        where=row["where"],
        text=row["text"],
        stated=row.get("stated", ""),
        datasets=datasets,
        depths=depths,
        figures=figures,
        reproduced_if=texts["reproduced_if"],
        weaker_if=texts["weaker_if"],
        not_reproduced_if=texts["not_reproduced_if"],
        literally=texts["literally"],
        own_tables=row.get("own_tables", ""),
        own_value=row.get("own_value", ""),
        reason=row.get("reason", ""),
        note=row.get("note", ""),
    )


def _made_up(
    figures: Sequence[FigureCall], datasets: Sequence[str], depths: Sequence[int], names: Names
) -> tuple[dict[str, Values], Scope]:
    """Return values of the right shapes for each named figure, and what they are about."""
    every = datasets or list(names.datasets) or ["a", "b"]
    scope = Scope(every, depths or [2, 3], names.datasets)
    named = {}
    for call in figures:
        wide = _width(call, every)
        values = np.arange(1.0, 1.0 + wide) * np.ones((len(scope.depths), 1))
        named[call.name] = Values(values, values / 2, values * 2)
    return {name: values for name, values in named.items() if name}, scope


def _width(call: FigureCall, every: Sequence[str]) -> int:
    """Return how many values a figure has at a depth."""
    if not by_data_set(call):
        return 1
    return len(
        [n for n in call.options.get("on", every) if n not in call.options.get("without", ())]
    )


def by_data_set(call: FigureCall) -> bool:
    """Return whether a figure has a value per data set."""
    if call.options.get("over", "each") != "each":
        return False
    fixed = ("power", "power_lead", "growth", "same_order")
    return call.figure not in fixed and not (
        call.figure in ("off", "rank_lead") and "over" not in call.options
    )
