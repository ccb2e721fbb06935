"""The conditions of claims: comparisons of figures, with what their intervals leave open.

A condition has a :class:`Truth`: whether it holds for the measured values, for all values in their
intervals, and for some of them. It is parsed by :mod:`ast` and checked against the allowed syntax;
nothing is evaluated by Python.
"""

import ast
import math
import operator
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
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
from boostbench.papers.settings import (
    USUAL,
    Conditions,
    Setting,
    Value,
    along,
    in_words,
    measured_at,
    value_of,
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
_OVER_DATASETS = {"all": np.all, "any": np.any}
_OVER_VALUES = {"every": np.all, "some": np.any}
"""How each quantifier reduces truths over data sets, or over the values of a condition."""
_COUNTS = ("count", "share", "pairs", "unlike")
_WORDS = (*_OVER_DATASETS, *_OVER_VALUES, "at", "most", "at_least")
_TURNED = [0, 2, 1]
NamedValues = Mapping[str, Values]


@dataclass(frozen=True)
class Scope:
    """The scope of conditions: the data sets and settings of a row's figures, in their order.

    ``settings`` have the values of the paper's ``conditions``. ``known`` are all data sets of the
    paper, which ``unlike`` may name. ``bounded`` says that the values may be at any ends of their
    intervals, all at once. Arrays inside are (settings, data sets, 3): the last axis of truths is
    that of :class:`Truth`, that of numbers that of :class:`Values`. Draws have one more axis in
    front.
    """

    datasets: Sequence[str]
    settings: Sequence[Setting]
    known: Collection[str] = ()
    bounded: bool = False
    conditions: Conditions = field(default_factory=lambda: USUAL)

    def condition(self, text: str, named: NamedValues, in_any: bool = False) -> Truth:
        """Return the truth of one value: in all settings, or in any."""
        truth = self._truth(parse(text), named)
        if truth.shape[-2] > 1:
            raise ExpressionError(
                "this is by data set: say all(...), any(...), most(...), or over=mean in the figure"
            )
        return Truth(*map(bool, (np.any if in_any else np.all)(truth, axis=(0, 1))))

    def holds(self, text: str, named: NamedValues, in_any: bool = False) -> Mask:
        """Return whether a condition holds for each of many values, along their first axis.

        The scope must be ``bounded``: intervals do not count.
        """
        held = self._truth(parse(text), named)[..., 0]
        return np.asarray((np.any if in_any else np.all)(held, axis=(-2, -1)))

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
            case ast.Call(func=ast.Name(id=word)) if word not in _COUNTS:
                return self._word(_with_condition(node, self.conditions), named)
        raise ExpressionError("here must be a comparison, such as lead > 0", node.col_offset)

    def _word(self, node: ast.Call, named: NamedValues) -> Mask:
        word = name_of(node.func, _WORDS, "word")
        match word, node.args, node.keywords:
            case "most", [part], []:
                share = self._counted("share", part, (), named)
                return _compared(ast.Gt(), share, np.full(3, 0.5), node)
            case "at_least", [least, _, *_], []:
                held = np.asarray(sum(1.0 * self._truth(part, named) for part in node.args[1:]))
                return _compared(ast.GtE(), held, self._number(least, named), node)
            case "at", [part], [_, *_] as wanted:
                return self._at(self._truth(part, named), wanted)
            case (("every" | "some"), [over, part], []):
                name = name_of(over, self.conditions, "condition")
                return self._over_values(_OVER_VALUES[word], name, self._truth(part, named))
            case (("all" | "any"), [part], []):
                over_datasets = _OVER_DATASETS[word]
                return np.asarray(over_datasets(self._truth(part, named), axis=-2, keepdims=True))
        raise ExpressionError(f"write {_AS_IN[word]}", node.col_offset)

    def _over_values(self, over: Callable[..., Mask], name: str, held: Mask) -> Mask:
        """Return in each setting whether it holds at every, or some, value of a condition."""
        by_setting = self._by_setting(held)
        whole = np.empty_like(by_setting)
        for group in along(self.settings, list(self.conditions).index(name)):
            whole[..., group, :, :] = over(by_setting[..., group, :, :], axis=-3, keepdims=True)
        return whole

    def _at(self, held: Mask, wanted: Sequence[ast.keyword]) -> Mask:
        """Return whether it holds at the wanted values, Unknown where these were not measured."""
        names, settings = list(self.conditions), list(self.settings)
        for each in wanted:
            name = known_word(str(each.arg), names, each.value, "condition")
            place, value = names.index(name), _value(each.value)
            if value not in {setting[place] for setting in self.settings}:
                raise Unknown(f"needs {measured_at(self.conditions, name, [value], '')}")
            settings = [(*own[:place], value, *own[place + 1 :]) for own in settings]
        if lacking := [setting for setting in settings if setting not in self.settings]:
            raise Unknown(f"needs runs at {in_words(names, lacking[0])}")
        return self._by_setting(held)[..., [self.settings.index(own) for own in settings], :, :]

    def _by_setting(self, held: Mask) -> Mask:
        return np.broadcast_to(held, (*held.shape[:-3], len(self.settings), *held.shape[-2:]))

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
        truth = self._by_setting(self._truth(part, named))
        held = self._unlike(truth, listed)
        drawn = {name: value.draws() for name, value in named.items()}
        draws = self._unlike(self._by_setting(self._truth(part, drawn)), listed)[..., 0]
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
        return np.broadcast_to(number[:, None] / of, (len(self.settings), 1, 3))

    def _unlike(self, held: Mask, listed: Sequence[str]) -> Mask:
        """Return where a condition holds, and on the ``listed`` data sets where it does not."""
        if not listed:
            return held
        is_listed = np.array([name in listed for name in self.datasets])
        return np.where(is_listed[..., None], ~held[..., _TURNED], held)

    def _counted_exactly(self, word: str, truth: Mask, listed: Sequence[str]) -> Array:
        """Return the number of data sets on which a condition holds, all ends at once."""
        held = self._unlike(self._by_setting(truth), listed)
        if word == "pairs":
            held = held.reshape(*held.shape[:-3], 1, -1, 3)
        of = 1 if word in ("count", "unlike") else held.shape[-2]
        number = held.sum(axis=-2, keepdims=True) / of
        return np.broadcast_to(number, (*held.shape[:-3], len(self.settings), 1, 3))

    def _number(self, node: ast.expr, named: NamedValues) -> Array:
        match node:
            case ast.Name():
                return np.stack(named[name_of(node, named, "figure named")][:3], axis=-1)
            case ast.Call(func=ast.Name(id=word), args=[part, *others], keywords=[]) if (
                known_word(word, _COUNTS, node, "number") == "unlike" or not others
            ):
                return self._counted(word, part, others, named)
        return np.full((1, 1, 3), _constant(node))


_AS_IN = {
    "all": "all(lead > 0), with one condition",
    "any": "any(lead > 0), with one condition",
    "most": "most(lead > 0), with one condition",
    "at_least": "at_least(2, lead > 0, gain > 5), with a number and conditions",
    "every": "every(NAME, lead > 0), with the name of what varies and one condition",
    "some": "some(NAME, lead > 0), with the name of what varies and one condition",
    "at": "at(lead > 0, NAME=3), with one condition and then the value of what varies",
}


def _with_condition(node: ast.Call, conditions: Collection[str]) -> ast.Call:
    """Return a call with the condition's name apart: every_depth(x) is every(depth, x)."""
    word = node.func.id if isinstance(node.func, ast.Name) else ""
    first, _, name = word.partition("_")
    if name not in conditions or first not in (*_OVER_VALUES, "at"):
        return node
    function, (head, *rest) = ast.copy_location(ast.Name(first), node), node.args or [node]
    if first == "at":
        whole = ast.Call(function, rest, [ast.keyword(name, head)])
    else:
        whole = ast.Call(function, [ast.Name(name), head, *rest], node.keywords)
    return ast.copy_location(whole, node)


def quantified(texts: Iterable[str], conditions: Collection[str]) -> set[str]:
    """Return of which conditions expressions say that every, or some, value fulfils them."""
    names = set()
    for text in filter(None, texts):
        with suppress(ExpressionError):
            calls = [node for node in ast.walk(parse(text)) if isinstance(node, ast.Call)]
            for node in calls:
                match _with_condition(node, conditions):
                    case ast.Call(ast.Name("every" | "some"), [ast.Name(name), *_]):
                        names.add(name)
    return names


def _value(node: ast.expr) -> Value:
    """Return a value of a condition: a number, or a text, in quotes or not."""
    match node:
        case ast.Name(id=text) | ast.Constant(value=str() as text):
            return value_of(text) or text
    number = _constant(node)
    return int(number) if number.is_integer() else number


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
