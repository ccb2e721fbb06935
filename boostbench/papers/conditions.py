"""The conditions of claims: comparisons of figures, with what their intervals leave open.

A condition has a :class:`Truth`: whether it holds for the measured values, for all values in their
intervals, and for some of them. It is parsed by :mod:`ast` and checked against the allowed syntax;
nothing is evaluated by Python.
"""

import ast
import math
import operator
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boostbench.papers.language import (
    DRAWS,
    TAIL,
    Array,
    ExpressionError,
    Mask,
    Unknown,
    Values,
    known_word,
    name_of,
    parse,
)

_TINY = 1e-9


class Truth(NamedTuple):
    """Whether a condition holds for the values as measured, surely, and possibly."""

    point: bool
    sure: bool
    maybe: bool


_ORDER = {
    ast.Lt: (operator.lt, 0.0),
    ast.Gt: (operator.gt, 0.0),
    ast.LtE: (operator.le, _TINY),
    ast.GtE: (operator.ge, -_TINY),
}
"""How each comparison compares, and what is added to its right side."""
_SUMS: Mapping[type, Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_QUANTIFIERS = {
    "all": (np.all, -2),
    "any": (np.any, -2),
    "every_depth": (np.all, -3),
    "some_depth": (np.any, -3),
}
"""How each quantifier reduces an axis of truths: data sets, or depths."""
_COUNTS = ("count", "share", "pairs", "unlike")
_WORDS = (*_QUANTIFIERS, "most", "at_least", "at_depth")
_TURNED = [0, 2, 1]
NamedValues = Mapping[str, Values]


@dataclass(frozen=True)
class Scope:
    """The scope of conditions: the data sets and depths of a row's figures, in their order.

    ``known`` are all data sets of the paper, which ``unlike`` may name. ``bounded`` says that the
    values may be at any ends of their intervals, all at once. Arrays inside are (depths, data sets,
    3): the last axis of truths is that of :class:`Truth`, that of numbers that of :class:`Values`.
    Draws have one more axis in front.
    """

    datasets: Sequence[str]
    depths: Sequence[int | None]
    known: Collection[str] = ()
    bounded: bool = False

    def condition(self, text: str, named: NamedValues, any_depth: bool = False) -> Truth:
        """Return the truth of one value: at all depths, or at any."""
        truth = self._truth(parse(text), named)
        if truth.shape[-2] > 1:
            raise ExpressionError(
                "this is by data set: say all(...), any(...), most(...), or over=mean in the figure"
            )
        return Truth(*map(bool, (np.any if any_depth else np.all)(truth, axis=(0, 1))))

    def holds(self, text: str, named: NamedValues, any_depth: bool = False) -> Mask:
        """Return whether a condition holds for each of many values, along their first axis.

        The scope must be ``bounded``: intervals do not count.
        """
        held = self._truth(parse(text), named)[..., 0]
        return np.asarray((np.any if any_depth else np.all)(held, axis=(-2, -1)))

    def _truth(self, node: ast.expr, named: NamedValues) -> Mask:
        match node:
            case ast.BoolOp(op=op, values=parts):
                joined = operator.and_ if isinstance(op, ast.And) else operator.or_
                return reduce(joined, [self._truth(part, named) for part in parts])
            case ast.UnaryOp(op=ast.Not(), operand=part):
                return ~self._truth(part, named)[..., _TURNED]
            case ast.Compare(left=left, ops=ops, comparators=right):
                sides = [self._number(each, named) for each in (left, *right)]
                pairs = zip(ops, sides, sides[1:], strict=False)
                return reduce(operator.and_, [_compared(op, a, b, node) for op, a, b in pairs])
            case ast.Call(func=ast.Name(id=word), args=args, keywords=[]) if word not in _COUNTS:
                return self._word(known_word(word, _WORDS, node, "word"), args, node, named)
        raise ExpressionError("here must be a comparison, such as lead > 0", node.col_offset)

    def _word(
        self, word: str, args: Sequence[ast.expr], node: ast.expr, named: NamedValues
    ) -> Mask:
        match word, args:
            case "most", [part]:
                share = self._counted("share", part, (), named)
                return _compared(ast.Gt(), share, np.full(3, 0.5), node)
            case "at_least", [least, _, *_]:
                held = np.asarray(sum(1.0 * self._truth(part, named) for part in args[1:]))
                return _compared(ast.GtE(), held, self._number(least, named), node)
            case "at_depth", [wanted, part]:
                if (depth := _constant(wanted)) not in self.depths:
                    raise Unknown(f"needs trees of depth {depth:g}")
                by_depth = self._by_depth(self._truth(part, named))
                return by_depth[..., [self.depths.index(int(depth))], :, :]
            case _, [part] if word in _QUANTIFIERS:
                over, axis = _QUANTIFIERS[word]
                return np.asarray(over(self._truth(part, named), axis=axis, keepdims=True))
        why = f"{word}() needs one condition, or a number before it (at_least, at_depth)"
        raise ExpressionError(why, node.col_offset)

    def _by_depth(self, held: Mask) -> Mask:
        return np.broadcast_to(held, (*held.shape[:-3], len(self.depths), *held.shape[-2:]))

    def _counted(
        self, word: str, part: ast.expr, others: Sequence[ast.expr], named: NamedValues
    ) -> Array:
        """Return the number of data sets on which a condition holds, each set independently.

        For ``unlike`` it counts those on which the condition differs from the ``others``. Draws
        from an interval do not tell how often a value is equal to another, or a rank: then each
        set counts by the ends of its interval.
        """
        listed = [name_of(each, self.known or None, "data set") for each in others]
        if self.bounded:
            return self._counted_exactly(word, self._truth(part, named), listed)
        if any(value.point.ndim > 2 for value in named.values()):
            raise ExpressionError(f"{word}() cannot be inside another count", part.col_offset)
        truth = self._by_depth(self._truth(part, named))
        held = self._unlike(truth, listed)
        drawn = {name: value.draws() for name, value in named.items()}
        draws = self._unlike(self._by_depth(self._truth(part, drawn)), listed)[..., 0]
        draws = np.broadcast_to(draws, (DRAWS, *held.shape[:-1]))
        is_missing = _missing(part, named, held.shape[1])
        unknown, held = held[:, is_missing], held[:, ~is_missing]
        draws = draws[..., ~is_missing]
        if word == "pairs":
            unknown, held = (each.reshape(1, -1, 3) for each in (unknown, held))
            draws = draws.sum(axis=-2, keepdims=True)
        number = held.sum(axis=1)
        if not _is_in_steps(part, named):
            ends = np.array([_interval(draws[:, row]) for row in range(len(held))])
            number[:, 1] = np.minimum(ends[:, 0], number[:, 0])
            number[:, 2] = np.maximum(ends[:, 1], number[:, 0])
        number += unknown.sum(axis=1)
        of = 1 if word in ("count", "unlike") else held.shape[1] + unknown.shape[1]
        return np.broadcast_to(number[:, None] / of, (len(self.depths), 1, 3))

    def _unlike(self, held: Mask, listed: Sequence[str]) -> Mask:
        """Return where a condition holds, and on the ``listed`` data sets where it does not."""
        if not listed:
            return held
        is_listed = np.array([name in listed for name in self.datasets])
        return np.where(is_listed[..., None], ~held[..., _TURNED], held)

    def _counted_exactly(self, word: str, truth: Mask, listed: Sequence[str]) -> Array:
        """Return the number of data sets on which a condition holds, all ends at once."""
        held = self._unlike(self._by_depth(truth), listed)
        if word == "pairs":
            held = held.reshape(*held.shape[:-3], 1, -1, 3)
        of = 1 if word in ("count", "unlike") else held.shape[-2]
        number = held.sum(axis=-2, keepdims=True) / of
        return np.broadcast_to(number, (*held.shape[:-3], len(self.depths), 1, 3))

    def _number(self, node: ast.expr, named: NamedValues) -> Array:
        match node:
            case ast.Name():
                return np.stack(named[name_of(node, named, "figure named")][:3], axis=-1)
            case ast.Call(func=ast.Name(id=word), args=[part, *others], keywords=[]) if (
                known_word(word, _COUNTS, node, "number") == "unlike" or not others
            ):
                return self._counted(word, part, others, named)
        return np.full((1, 1, 3), _constant(node))


def _constant(node: ast.expr) -> float:
    """Return a literal number, such as -0.5 or 12/15, or a sum of such."""
    number = math.nan
    with suppress(ArithmeticError):
        match node:
            case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
                number = float(value)
            case ast.UnaryOp(op=ast.USub(), operand=part):
                number = -_constant(part)
            case ast.BinOp(op=op, left=left, right=right) if type(op) in _SUMS:
                number = _SUMS[type(op)](_constant(left), _constant(right))
    if not math.isfinite(number):
        why = "here must be a number, as in 12/15, or a figure's name; figures are not calculated"
        raise ExpressionError(why, node.col_offset)
    return number


def numbers_in(text: str) -> list[float]:
    """Return the numbers with which a condition compares figures, each once."""
    numbers: dict[float, None] = {}
    for node in ast.walk(parse(text)):
        if isinstance(node, ast.Constant | ast.UnaryOp | ast.BinOp):
            with suppress(ExpressionError):
                numbers[_constant(node)] = None
    return list(numbers)


def _compared(op: ast.cmpop, a: Array, b: Array, node: ast.expr) -> Mask:
    if isinstance(op, ast.Eq):
        return _compared(ast.LtE(), a, b, node) & _compared(ast.GtE(), a, b, node)
    if type(op) not in _ORDER:
        raise ExpressionError("only <, <=, >, >= and == compare", node.col_offset)
    test, slack = _ORDER[type(op)]
    # It surely holds if it holds for the least favourable ends.
    a, b = (a, b[..., _TURNED]) if isinstance(op, ast.Gt | ast.GtE) else (a[..., _TURNED], b)
    return np.asarray(test(a, b + slack))


def _used(part: ast.expr, named: NamedValues) -> list[Values]:
    """Return the figures in an expression."""
    names = [each.id for each in ast.walk(part) if isinstance(each, ast.Name)]
    return [named[name] for name in names if name in named]


def _is_in_steps(part: ast.expr, named: NamedValues) -> bool:
    """Return whether an expression is of ranks, or asks whether values are equal."""
    equal = any(isinstance(each, ast.Eq) for each in ast.walk(part))
    return equal or any(values.in_steps for values in _used(part, named))


def _missing(part: ast.expr, named: NamedValues, width: int) -> Mask:
    """Return on which data sets a figure in an expression was not measured."""
    gaps = [np.isnan(values.point).any(axis=-2) for values in _used(part, named)]
    is_missing = reduce(operator.or_, gaps, np.zeros(1, dtype=bool))
    # In one truth over all data sets, such as that of all(...), one of them leaves it open.
    return is_missing if len(is_missing) == width else np.full(width, is_missing.any())


def _interval(held: NDArray[np.int64] | Mask) -> tuple[float, float]:
    """Return the 95 % interval of a sum over data sets, from draws (draws, sets) of each."""
    law = np.ones(1)
    for own in held.T:
        law = np.convolve(law, np.bincount(own.astype(np.int64)) / len(own))
    low, high = np.searchsorted(np.cumsum(law), [TAIL + _TINY, 1 - TAIL - _TINY])
    return float(low), float(min(high, len(law) - 1))
