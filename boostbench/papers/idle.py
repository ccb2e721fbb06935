"""Conditions of claims that can decide nothing, whatever the runs: found on many made-up values.

Such a condition has an empty range, ``15 <= x <= 5``, or another one that decides before it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np

from boostbench.papers.claims import CONDITIONS, Claim
from boostbench.papers.conditions import Scope, numbers_in
from boostbench.papers.figures import FIGURES, is_over_all
from boostbench.papers.language import Array, Values, parse
from boostbench.papers.paper import Paper
from boostbench.papers.settings import Condition, Setting

_TRIED = 1_000
"""How many values are made up."""
_LEAST = 20
"""How often a condition must be true for a verdict on it."""
_MOST_COMPARISONS = 3
_ENOUGH_SETS = 5
_LIMITS: Mapping[str, tuple[float, float]] = {
    "ratio": (1e-9, np.inf),
    "count": (0.0, np.inf),
    "datasets": (0.0, np.inf),
    "seconds": (1e-9, np.inf),
    "p-value": (0.0, 1.0),
    "rank": (1.0, np.inf),
    "truth": (0.0, 1.0),
}
"""The least and the largest value of figures in a unit, where they are not any number."""


class _Made(NamedTuple):
    """A figure of which values are made up: its name, its limits, and how many it has."""

    name: str
    least: float
    most: float
    wide: int


def idle_conditions(claim: Claim, paper: Paper) -> list[str]:
    """Return the conditions of a claim that can decide nothing, each with the reason."""
    names = tuple(claim.data_sets or paper.claimed_datasets or ("a", "b"))
    texts = tuple(getattr(claim, column) for column in CONDITIONS)
    settings = claim.settings_among(paper.printed_values, (2,))
    where = _Where(names, tuple(settings), tuple(paper.conditions))
    return list(_idle(texts, _made(claim, names), where))


def _made(claim: Claim, names: Sequence[str]) -> tuple[_Made, ...]:
    made = []
    for call in claim.figures:
        least, most = _LIMITS.get(FIGURES[call.figure].unit, (-np.inf, np.inf))
        most = min(most, 100.0) if call.figure == "saving" else most
        most = len(call.methods) if call.figure == "rank" else most
        wide = 1 if is_over_all(call) else len(call.kept(names))
        made.append(_Made(call.name, least, most, wide))
    return tuple(made)


class _Where(NamedTuple):
    """The data sets and settings of a claim, and the names of the paper's conditions."""

    datasets: tuple[str, ...]
    settings: tuple[Setting, ...]
    conditions: tuple[str, ...]

    def scope(self, more: Sequence[str] = ()) -> Scope:
        """Return the scope of conditions, with a few ``more`` data sets."""
        named = {name: Condition(param=name) for name in self.conditions}
        names = [*self.datasets, *more]
        return Scope(names, self.settings, self.datasets, bounded=True, conditions=named)


@cache
def _idle(texts: tuple[str, ...], made: tuple[_Made, ...], where: _Where) -> tuple[str, ...]:
    scope, values = where.scope(), _values(texts, made, len(where.settings))
    idle = []
    for column, text in zip(CONDITIONS, texts, strict=True):
        in_any = column == "not_reproduced_if"
        never = [each for each in _ranges(text) if not scope.holds(f"any({each})", values).any()]
        never = never or [
            part for part in _parts(text) if not scope.holds(part, values, in_any).any()
        ]
        idle += [f"{column}, no values of its figures fulfil {part}" for part in never]
    if idle or not texts[0]:
        return tuple(idle)
    return tuple(_decided_before(texts, made, where))


def _decided_before(texts: Sequence[str], made: Sequence[_Made], where: _Where) -> list[str]:
    """Return the conditions that the ones before them make superfluous.

    On one or two data sets ``most`` is ``all``, which is no mistake: there are a few more here.
    """
    reproduced, weaker, against, _ = texts
    idle = []
    n_sets = len(where.datasets)
    more = [f"another {i}" for i in range(_ENOUGH_SETS - n_sets)]
    wider = [each._replace(wide=each.wide + len(more) * (each.wide == n_sets)) for each in made]
    scope, values = where.scope(more), _values(texts, wider, len(where.settings))
    holds = scope.holds(reproduced, values)
    before = "reproduced_if"
    for column, text in (("weaker_if", weaker), ("not_reproduced_if", against)):
        if text:
            own = scope.holds(text, values, in_any=column == "not_reproduced_if")
            if own.sum() >= _LEAST and not (own & ~holds).any():
                idle.append(f"{column}, it decides nothing: {before} is true wherever it is")
            holds, before = holds | own, "reproduced_if or weaker_if"
    return idle


def _values(texts: Sequence[str], made: Sequence[_Made], settings: int) -> dict[str, Values]:
    """Return made-up values of each figure, (tries, settings, data sets).

    They lie at, between and beyond the numbers in the conditions.
    """
    numbers = sorted({0.0, *(each for text in texts if text for each in numbers_in(text))})
    near = [each + side * max(abs(each), 1.0) * 1e-5 for each in numbers for side in (-1, 1)]
    between = [(one + two) / 2 for one, two in pairwise(numbers)]
    every = np.array([*numbers, *near, *between, numbers[0] - 1, 2 * numbers[-1] + 1])
    random = np.random.default_rng(0)
    values_of = {}
    for figure in made:
        ends = [end for end in (figure.least, figure.most) if np.isfinite(end)]
        own = np.unique([*np.clip(every, figure.least, figure.most), *ends])
        one, two = (_drawn(own, settings, random) for _ in range(2))
        share = random.random((_TRIED, 1, 1))
        first = random.random((_TRIED, 1, figure.wide)) < share
        values_of[figure.name] = Values.exact(np.where(first, one, two))
    return values_of


def _drawn(values: Array, settings: int, random: np.random.Generator) -> Array:
    """Return one of the values for each try, in half of them the same in all settings."""
    drawn = random.choice(values, (_TRIED, settings, 1))
    return np.where(random.random((_TRIED, 1, 1)) < 0.5, drawn[:, :1], drawn)


def _parts(text: str) -> Iterator[str]:
    """Yield the parts of a condition that must all be true, those on the same figures together.

    Parts of more than a few comparisons are left out: that no made-up value fulfils one of them may
    be chance, as it may for ``unlike``.
    """
    for parts in _on_the_same_figures(_joined(parse(text)) if text else []):
        if not _may_be_chance(parts):
            yield " and ".join(map(ast.unparse, parts))


def _on_the_same_figures(parts: Sequence[ast.expr]) -> list[list[ast.expr]]:
    """Return the parts of a condition, those that share a figure together."""
    groups: list[list[ast.expr]] = []
    for part in parts:
        figures = _figures_in([part])
        sharing = [group for group in groups if _figures_in(group) & figures]
        others = [group for group in groups if group not in sharing]
        groups = [*others, [*chain(*sharing), part]]
    return groups


def _figures_in(parts: Sequence[ast.expr]) -> set[str]:
    """Return the names in parts of a condition except those of functions."""
    nodes = _nodes_of(parts)
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    calls = [node.func for node in nodes if isinstance(node, ast.Call)]
    return names - {function.id for function in calls if isinstance(function, ast.Name)}


def _nodes_of(parts: Sequence[ast.expr]) -> list[ast.AST]:
    return [node for part in parts for node in ast.walk(part)]


def _may_be_chance(parts: Sequence[ast.expr]) -> bool:
    nodes = _nodes_of(parts)
    comparisons = sum(isinstance(node, ast.Compare) for node in nodes)
    unlike = any(isinstance(node, ast.Name) and node.id == "unlike" for node in nodes)
    return unlike or comparisons > _MOST_COMPARISONS


def _ranges(text: str) -> list[str]:
    """Return the ranges in a condition, such as ``low <= x <= high``."""
    nodes = ast.walk(parse(text)) if text else ()
    chains = [node for node in nodes if isinstance(node, ast.Compare) and len(node.ops) > 1]
    return list(dict.fromkeys(map(ast.unparse, chains)))


def _joined(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
        return [each for part in node.values for each in _joined(part)]
    return [node]
