"""Conditions on the figures of claims, with intervals.

A condition has a :class:`Truth`: what holds of the values as measured, what holds wherever in their
intervals the values lie, and what may hold. Values are (depths, data sets), or (depths, 1) for one
number over all data sets.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from boostbench.papers.language import ExpressionError, Unknown, name_in, parse, unknown

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
TAIL = 0.025
DRAWS = 400
_TINY = 1e-9
_QUANTILES = scipy.special.ndtri((np.arange(DRAWS) + 0.5) / DRAWS)
_Z = scipy.special.ndtri(1 - TAIL)


@dataclass(frozen=True)
class Values:
    """Values with the ends of their 95 % intervals; ``log``: these are on the log scale."""

    point: Array
    low: Array
    high: Array
    log: bool = field(default=False, kw_only=True)

    @classmethod
    def exact(cls, value: ArrayLike) -> Values:
        """Return values that are known as they are."""
        array = np.asarray(value, dtype=np.float64)
        return cls(array, array, array)

    @np.errstate(all="ignore")
    def _towards(self, end: Array, by: Any) -> Array:
        """Return the values moved by a share of the way to an end of their intervals."""
        point = self.point
        on_log = point * (end / point) ** by
        return np.where(self.log & (point > 0), on_log, point + (end - point) * by)

    def draws(self) -> Values:
        """Return equally likely values, along a new first axis."""
        z = _QUANTILES[:, None, None] / _Z
        return Values.exact(self._towards(np.where(z > 0, self.high, self.low), np.abs(z)))

    def narrowed(self, by: float) -> Values:
        """Return the values with intervals whose halves are ``by`` times as wide."""
        low, high = self._towards(self.low, by), self._towards(self.high, by)
        return replace(self, low=low, high=high)


class Truth(NamedTuple):
    """What holds of the values as they are, surely, and possibly."""

    point: bool
    sure: bool
    maybe: bool


_ORDER = {
    ast.Lt: (operator.lt, 0.0), ast.Gt: (operator.gt, 0.0),
    ast.LtE: (operator.le, _TINY), ast.GtE: (operator.ge, -_TINY),
}  # fmt: skip
_SUMS = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv
}  # fmt: skip
_OVER_SETS = ("count", "share", "pairs", "unlike")
# How each is said over an axis of truths: data sets, or depths.
_QUANTIFIERS = {
    "all": (np.all, -2), "any": (np.any, -2),
    "every_depth": (np.all, -3), "some_depth": (np.any, -3),
}  # fmt: skip
WORDS = (*_OVER_SETS, *_QUANTIFIERS, "most", "at_least", "at_depth")
Named = Mapping[str, Values]


@dataclass(frozen=True)
class Scope:
    """What conditions are about: the data sets and depths of a row's figures, in their order.

    ``known`` are all data sets of the paper, which ``unlike`` may name. Truths inside are arrays
    (depths, data sets, 3), the last axis being that of :class:`Truth`; of draws there is one more
    axis in front.
    """

    datasets: Sequence[str]
    depths: Sequence[int | None]
    known: Collection[str] = ()

    def condition(self, text: str, named: Named, any_depth: bool = False) -> Truth:
        """Return the truth of one value: at all depths, or at any."""
        found = self._truth(parse(text), named)
        if found.shape[-2] > 1:
            raise ExpressionError(
                "this is by data set: say all(...), any(...), most(...), or over=mean in the figure"
            )
        return Truth(*map(bool, (np.any if any_depth else np.all)(found, axis=(0, 1))))

    def _truth(self, node: ast.expr, named: Named) -> Mask:
        match node:
            case ast.BoolOp(op=op, values=parts):
                found, *rest = (self._truth(part, named) for part in parts)
                for each in rest:
                    found = found & each if isinstance(op, ast.And) else found | each
                return found
            case ast.UnaryOp(op=ast.Not(), operand=part):
                return ~self._truth(part, named)[..., [0, 2, 1]]
            case ast.Compare(left=left, ops=ops, comparators=right):
                sides = [self._number(each, named) for each in (left, *right)]
                found = _compared(ops[0], sides[0], sides[1], node)
                for each_op, a, b in zip(ops[1:], sides[1:], sides[2:], strict=False):
                    found = found & _compared(each_op, a, b, node)
                return found
            case ast.Call(func=ast.Name(id=word), args=args, keywords=[]):
                return self._word(word, args, node, named)
        raise ExpressionError("here must be a comparison, such as lead > 0", node)

    def _word(self, word: str, args: Sequence[ast.expr], node: ast.expr, named: Named) -> Mask:
        if word in _QUANTIFIERS:
            of, axis = _QUANTIFIERS[word]
            found = self._truth(_only(word, args, node), named)
            return np.asarray(of(found, axis=axis, keepdims=True))
        if word == "most":
            share = self._counted("share", args, node, named)
            return _compared(ast.Gt(), share, Values.exact([[0.5]]), node)
        if word in _OVER_SETS:
            raise ExpressionError(f"{word}() is a number: compare it, as in {word}(...) > 0", node)
        if word not in WORDS:
            raise unknown(word, WORDS, node, "word")
        if len(args) < 2 or (word == "at_depth" and len(args) > 2):
            raise ExpressionError(f"{word}() needs a number and a condition", node)
        number, *parts = args
        truths = [self._truth(part, named) for part in parts]
        if word == "at_depth":
            depth = _constant(number)
            if depth not in self.depths:
                raise Unknown(f"needs trees of depth {depth:g}")
            return self._by_depth(truths[0])[..., [self.depths.index(int(depth))], :, :]
        held = np.asarray(sum(truth.astype(np.float64) for truth in truths))
        parts_held = Values(held[..., 0], held[..., 1], held[..., 2])
        return _compared(ast.GtE(), parts_held, self._number(number, named), node)

    def _by_depth(self, found: Mask) -> Mask:
        return np.broadcast_to(found, (*found.shape[:-3], len(self.depths), *found.shape[-2:]))

    def _counted(self, word: str, args: Sequence[ast.expr], node: ast.expr, named: Named) -> Values:
        """Return the number of data sets on which a condition holds, each set independently."""
        condition = args[0] if word == "unlike" and args else _only(word, args, node)
        listed = [name_in(each, self.known or None, "data set") for each in args[1:]]
        if any(value.point.ndim > 2 for value in named.values()):
            raise ExpressionError(f"{word}() cannot be inside another count", node)
        expected = np.array([own in listed for own in self.datasets]) if listed else np.False_
        drawn = {name: value.draws() for name, value in named.items()}
        held, draws = (
            self._by_depth(self._truth(condition, own))[..., 0] != expected
            for own in (named, drawn)
        )
        draws = np.broadcast_to(draws, (DRAWS, *held.shape))
        if word == "pairs":
            held, draws = held.reshape(1, -1), draws.sum(axis=-2, keepdims=True)
        total = held.sum(axis=1, keepdims=True)
        low, high = np.transpose([_interval(draws[:, row]) for row in range(draws.shape[1])])
        ends = np.minimum(low[:, None], total), np.maximum(high[:, None], total)
        of = 1 if word in ("count", "unlike") else held.shape[-1]
        return Values(*(np.broadcast_to(x / of, (len(self.depths), 1)) for x in (total, *ends)))

    def _number(self, node: ast.expr, named: Named) -> Values:
        match node:
            case ast.Name(id=name):
                if name not in named:
                    raise unknown(name, named, node, "figure named")
                return named[name]
            case ast.Call(func=ast.Name(id=word), args=args, keywords=[]):
                if word not in _OVER_SETS:
                    raise unknown(word, _OVER_SETS, node, "number")
                return self._counted(word, args, node, named)
        return Values.exact([[_constant(node)]])


def _constant(node: ast.expr) -> float:
    """Return a number that is written out, or a sum of such."""
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=part):
            return -_constant(part)
        case ast.BinOp(op=op, left=left, right=right) if type(op) in _SUMS:
            sides = _constant(left), _constant(right)
            try:
                found = float(_SUMS[type(op)](*sides))
            except ArithmeticError:
                found = math.nan
            if not math.isfinite(found):
                raise ExpressionError("this is no number", node)
            return found
    raise ExpressionError("here must be a number or a figure's name, which is not calculated with",
                          node)  # fmt: skip


def _only(word: str, args: Sequence[ast.expr], node: ast.expr) -> ast.expr:
    if len(args) != 1:
        raise ExpressionError(f"{word}() needs one condition", node)
    return args[0]


def _compared(op: ast.cmpop, a: Values, b: Values, node: ast.expr) -> Mask:
    if isinstance(op, ast.Eq):
        return _compared(ast.LtE(), a, b, node) & _compared(ast.GtE(), a, b, node)
    if type(op) not in _ORDER:
        raise ExpressionError("only <, <=, >, >= and == compare", node)
    test, slack = _ORDER[type(op)]
    worst, best = (a.high, b.low), (a.low, b.high)
    if isinstance(op, ast.Gt | ast.GtE):
        worst, best = best, worst
    return np.stack([test(x, y + slack) for x, y in ((a.point, b.point), worst, best)], axis=-1)


def _interval(held: NDArray[np.int64] | Mask) -> tuple[float, float]:
    """Return the 95 % interval of a sum over data sets, from draws (draws, sets) of each."""
    law = np.ones(1)
    for own in held.T:
        law = np.convolve(law, np.bincount(own.astype(np.int64)) / len(own))
    below = np.cumsum(law)
    low, high = np.searchsorted(below, [TAIL + _TINY, 1 - TAIL - _TINY])
    return float(low), float(min(high, len(law) - 1))
