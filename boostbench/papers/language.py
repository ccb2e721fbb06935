"""The language of claims: named figures, and conditions on them with intervals.

Both are parsed by :mod:`ast` and checked against what is allowed; nothing is evaluated by Python.
A condition has a :class:`Truth`: what holds of the values as measured, what holds wherever in their
intervals the values lie, and what may hold. Arrays are (depths, data sets), or (depths, 1) for one
number over all data sets.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from boostbench.suggest import listing, nearest

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
LONGEST = 2_000
_DEEPEST = 40
_TINY = 1e-9
_LEVEL = 0.95
_DRAWS = 400
_QUANTILES = scipy.special.ndtri((np.arange(_DRAWS) + 0.5) / _DRAWS)
_Z = scipy.special.ndtri((1 + _LEVEL) / 2)


class ExpressionError(Exception):
    """A mistake in an expression; ``column`` says where, counted from 1."""

    def __init__(self, text: str, node: ast.AST | int = 0) -> None:
        super().__init__(text)
        self.column = (node if isinstance(node, int) else getattr(node, "col_offset", 0)) + 1


@dataclass(frozen=True)
class Values:
    """Values with the ends of their 95 % intervals; ``log``: these are on the log scale."""

    point: Array
    low: Array
    high: Array
    log: bool = False

    @classmethod
    def exact(cls, value: Any) -> Values:
        """Return values that are known as they are."""
        array = np.asarray(value, dtype=np.float64)
        return cls(array, array, array)

    @np.errstate(all="ignore")
    def draws(self) -> Values:
        """Return equally likely values, along a new first axis."""
        z = _QUANTILES[:, None, None] / _Z
        end = np.where(z > 0, self.high, self.low)
        drawn = np.where(
            self.log & (self.point > 0),
            self.point * np.exp(np.abs(z) * np.log(end / self.point)),
            self.point + np.abs(z) * (end - self.point),
        )
        return Values.exact(np.where(end == self.point, self.point, drawn))

    @np.errstate(all="ignore")
    def narrowed(self, by: float) -> Values:
        """Return the values with intervals whose halves are ``by`` times as wide."""
        low, high = (
            np.where(
                self.log & (self.point > 0),
                self.point * (end / self.point) ** by,
                self.point + (end - self.point) * by,
            )
            for end in (self.low, self.high)
        )
        return replace(self, low=low, high=high)


@dataclass(frozen=True)
class Truth:
    """What holds of the values as they are, surely, and possibly."""

    point: Mask
    sure: Mask
    maybe: Mask

    def map(self, of: Callable[[Mask], Mask]) -> Truth:
        """Return the truth with a function applied to each of the three."""
        return Truth(of(self.point), of(self.sure), of(self.maybe))

    def __invert__(self) -> Truth:
        return Truth(~self.point, ~self.maybe, ~self.sure)

    def __and__(self, other: Truth) -> Truth:
        return Truth(self.point & other.point, self.sure & other.sure, self.maybe & other.maybe)

    def __or__(self, other: Truth) -> Truth:
        return Truth(self.point | other.point, self.sure | other.sure, self.maybe | other.maybe)


@dataclass(frozen=True)
class Group:
    """Several methods of which the ``best`` or the ``worst`` counts on each data set."""

    pick: str
    members: tuple[str, ...]


@dataclass(frozen=True)
class FigureCall:
    """A figure as a row asks for it: ``name`` is what conditions call it, or ""."""

    name: str
    figure: str
    methods: tuple[str | Group, ...]
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def roles(self) -> list[str]:
        """The methods that it looks at, in order."""
        every = [*self.methods, *([self.options["to"]] if "to" in self.options else [])]
        return [role for each in every for role in members(each)]

    def read_as(self, roles: Mapping[str, str]) -> FigureCall:
        """Return the figure with methods in place of others."""
        return replace(self, methods=tuple(_renamed(each, roles) for each in self.methods))

    def __str__(self) -> str:
        named = [_text(each) for each in self.methods]
        options = [f"{key}={_text(value)}" for key, value in self.options.items()]
        return f"{self.figure}({', '.join([*named, *options])})"


@dataclass(frozen=True)
class Signature:
    """How many methods a figure takes, and its options."""

    least: int
    most: int
    options: Collection[str]
    needed: Collection[str] = ()


@dataclass(frozen=True)
class Names:
    """What expressions may name: figures, and the values of options and methods.

    ``choices`` has the values that an option may have, if not all.
    """

    figures: Mapping[str, Signature]
    methods: Collection[str]
    datasets: Collection[str]
    choices: Mapping[str, Collection[str]] = field(default_factory=dict)


def members(method: str | Group) -> tuple[str, ...]:
    """Return the methods of a group, or the one method."""
    return method.members if isinstance(method, Group) else (method,)


def _renamed(method: str | Group, roles: Mapping[str, str]) -> str | Group:
    if isinstance(method, Group):
        return replace(method, members=tuple(roles.get(m, m) for m in method.members))
    return roles.get(method, method)


def _text(value: Any) -> str:
    if isinstance(value, Group):
        return f"{value.pick}({', '.join(value.members)})"
    return f"[{', '.join(value)}]" if isinstance(value, list) else str(value)


def parse(text: str) -> ast.expr:
    """Return an expression's tree; ExpressionError where it is none."""
    if len(text) > LONGEST:
        raise ExpressionError(f"it is longer than {LONGEST:,} characters", LONGEST)
    lead = len(text) - len(text.lstrip())
    try:
        node = ast.parse(text.strip(), mode="eval").body
    except SyntaxError as error:
        raise ExpressionError(error.msg, lead + (error.offset or len(text) + 1) - 1) from None
    except (ValueError, RecursionError, MemoryError):
        raise ExpressionError("this cannot be read") from None
    _shift(node, lead, 0)
    return node


def _shift(node: ast.AST, by: int, depth: int) -> None:
    if depth > _DEEPEST:
        raise ExpressionError("it is nested too deeply", node)
    if hasattr(node, "col_offset"):
        node.col_offset += by
    for child in ast.iter_child_nodes(node):
        _shift(child, by, depth + 1)


def _unknown(word: str, known: Collection[str], node: ast.AST, what: str) -> ExpressionError:
    guess = nearest(word, known)
    hint = f"did you mean '{guess}'?" if guess else f"choose one of {listing(sorted(known))}"
    return ExpressionError(f"there is no {what} '{word}': {hint}", node)


def read_figures(text: str, names: Names) -> list[FigureCall]:
    """Read ``name = figure(...); figure(...)``, in the order shown."""
    if len(text) > LONGEST:
        raise ExpressionError(f"it is longer than {LONGEST:,} characters", LONGEST)
    found: list[FigureCall] = []
    for name, body, start in _parts(text):
        try:
            call = _figure(name, parse(body), names)
        except ExpressionError as error:
            error.column += start
            raise
        if name and name in [each.name for each in found]:
            raise ExpressionError(f"two figures are named '{name}'", start)
        found.append(call)
    return found


def _parts(text: str) -> Iterator[tuple[str, str, int]]:
    """Yield (name or "", expression, where it starts)."""
    start = 0
    for part in text.split(";"):
        found = re.match(r"\s*(?:([^\W\d]\w*)\s*=(?!=))?\s*", part)
        begin = found.end() if found else 0
        yield (found[1] or "" if found else ""), part[begin:], start + begin
        start += len(part) + 1


def _figure(name: str, node: ast.expr, names: Names) -> FigureCall:
    match node:
        case ast.Call(func=ast.Name(id=figure), args=args, keywords=keywords):
            pass
        case _:
            raise ExpressionError("here must be a figure, such as lead(a, b)", node)
    if figure not in names.figures:
        raise _unknown(figure, names.figures, node, "figure")
    takes = names.figures[figure]
    methods = tuple(_method(each, names) for each in args)
    options: dict[str, Any] = {}
    for key in keywords:
        option = str(key.arg)
        if option not in takes.options:
            raise _unknown(option, takes.options, key.value, f"option of {figure}()")
        options[option] = _option(option, key.value, names)
    if not takes.least <= len(methods) <= takes.most:
        needed = f"{takes.least}" if takes.least == takes.most else f"{takes.least} or more"
        raise ExpressionError(f"{figure}() takes {needed} methods, not {len(methods)}", node)
    if lacking := [option for option in takes.needed if option not in options]:
        raise ExpressionError(f"{figure}() needs {lacking[0]}=", node)
    return FigureCall(name, figure, methods, options)


def _option(key: str, node: ast.expr, names: Names) -> Any:
    if key in ("on", "without"):
        found = [_literal(each) for each in node.elts] if isinstance(node, ast.List) else None
        listed = [_literal(node)] if found is None else found
        for each in listed:
            if each not in names.datasets:
                raise _unknown(each, names.datasets, node, "data set")
        return listed
    if key == "to":
        return _method(node, names)
    value = _literal(node)
    if key in names.choices and value not in names.choices[key]:
        raise _unknown(value, names.choices[key], node, f"{key}=")
    return value


def _method(node: ast.expr, names: Names) -> str | Group:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        if node.func.id not in ("best", "worst") or not node.args:
            raise _unknown(node.func.id, ("best", "worst"), node, "choice of methods")
        each = [_method(arg, names) for arg in node.args]
        return Group(node.func.id, tuple(name for one in each for name in members(one)))
    name = _literal(node)
    if name not in names.methods:
        raise _unknown(name, names.methods, node, "method")
    return name


def _literal(node: ast.expr) -> str:
    match node:
        case ast.Name(id=value) | ast.Constant(value=str() as value):
            return value
    raise ExpressionError("here must be a name", node)


_ORDER = {
    ast.Lt: (operator.lt, 0.0), ast.Gt: (operator.gt, 0.0),
    ast.LtE: (operator.le, _TINY), ast.GtE: (operator.ge, -_TINY),
}  # fmt: skip
_SUMS = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv
}  # fmt: skip
_OVER_SETS = ("count", "share", "pairs", "unlike")
WORDS = (
    *_OVER_SETS, "all", "any", "most", "at_least", "at_depth", "every_depth", "some_depth",
)  # fmt: skip
Named = Mapping[str, Values]


@dataclass(frozen=True)
class Scope:
    """What conditions are about: the data sets and depths of a row's figures, in their order.

    ``known`` are all data sets of the paper, which ``unlike`` may name.
    """

    datasets: Sequence[str]
    depths: Sequence[int | None]
    known: Collection[str] = ()

    def condition(self, text: str, named: Named, any_depth: bool = False) -> Truth:
        """Return the truth of one value: at all depths, or at any."""
        found = self._truth(parse(text), named)
        if np.ndim(found.point) > 1 and found.point.shape[-1] > 1:
            raise ExpressionError(
                "this is by data set: say all(...), any(...), most(...), or over=mean in the figure"
            )
        return found.map(np.any if any_depth else np.all)

    def _truth(self, node: ast.expr, named: Named) -> Truth:
        match node:
            case ast.BoolOp(op=op, values=parts):
                first, *rest = (self._truth(part, named) for part in parts)
                for each in rest:
                    first = first & each if isinstance(op, ast.And) else first | each
                return first
            case ast.UnaryOp(op=ast.Not(), operand=part):
                return ~self._truth(part, named)
            case ast.Compare(left=left, ops=ops, comparators=right):
                sides = [self._number(each, named) for each in (left, *right)]
                pairs = zip(ops, sides, sides[1:], strict=False)
                first, *rest = (_compared(op, a, b, node) for op, a, b in pairs)
                for each in rest:
                    first = first & each
                return first
            case ast.Call(func=ast.Name(id=word), args=args, keywords=[]):
                return self._word(word, args, node, named)
        raise ExpressionError("here must be a comparison, such as lead > 0", node)

    def _word(self, word: str, args: Sequence[ast.expr], node: ast.expr, named: Named) -> Truth:
        if word not in WORDS:
            raise _unknown(word, WORDS, node, "word")
        if word in _OVER_SETS:
            raise ExpressionError(f"{word}() is a number: compare it, as in {word}(...) > 0", node)
        if word in ("at_least", "at_depth"):
            if len(args) < 2 or (word == "at_depth" and len(args) > 2):
                raise ExpressionError(f"{word}() needs a number and a condition", node)
            return (
                self._at_least(args, node, named)
                if word == "at_least"
                else self._at_depth(args, node, named)
            )
        inner = self._truth(_only(word, args, node), named)
        match word:
            case "all":
                return inner.map(lambda x: np.asarray(x.all(axis=-1, keepdims=True)))
            case "any":
                return inner.map(lambda x: np.asarray(x.any(axis=-1, keepdims=True)))
            case "most":
                half = Values.exact(0.5)
                return _compared(ast.Gt(), self._counted("share", args, node, named), half, node)
        every = word == "every_depth"
        return inner.map(
            lambda x: self._spread((np.all if every else np.any)(x, -2, keepdims=True))
        )

    def _at_least(self, args: Sequence[ast.expr], node: ast.expr, named: Named) -> Truth:
        parts = [self._truth(part, named) for part in args[1:]]
        held = Values(
            np.sum([part.point.astype(np.float64) for part in parts], axis=0),
            np.sum([part.sure.astype(np.float64) for part in parts], axis=0),
            np.sum([part.maybe.astype(np.float64) for part in parts], axis=0),
        )
        return _compared(ast.GtE(), held, self._number(args[0], named), node)

    def _at_depth(self, args: Sequence[ast.expr], node: ast.expr, named: Named) -> Truth:
        depth = int(self._number(args[0], named).point)
        if depth not in self.depths:
            raise Unknown(f"needs trees of depth {depth}")
        row = self.depths.index(depth)
        return self._truth(args[1], named).map(lambda x: self._spread(x[..., row : row + 1, :]))

    def _spread(self, row: Mask) -> Mask:
        return np.repeat(row, len(self.depths), axis=-2)

    def _counted(self, word: str, args: Sequence[ast.expr], node: ast.expr, named: Named) -> Values:
        """Return on how many data sets a condition holds, each data set by itself."""
        condition = args[0] if word == "unlike" and args else _only(word, args, node)
        named_sets = [_literal(each) for each in args[1:]]
        for name, each in zip(named_sets, args[1:], strict=True):
            if name not in (self.known or [name]):
                raise _unknown(name, self.known, each, "data set")
        listed = np.array([own in named_sets for own in self.datasets] if named_sets else False)
        if any(value.point.ndim > 2 for value in named.values()):
            raise ExpressionError(f"{word}() cannot stand inside another count", node)
        point = self._truth(condition, named).point != listed
        drawn = {name: value.draws() for name, value in named.items()}
        draws = self._truth(condition, drawn).point != listed
        if word == "pairs":
            point, draws = point.reshape(1, -1), draws.sum(axis=-2, keepdims=True)
        total = point.sum(axis=-1, keepdims=True).astype(np.float64)
        ends = np.array([_interval(draws[:, row]) for row in range(draws.shape[1])])
        low = np.minimum(ends[:, :1], total)
        high = np.maximum(ends[:, 1:], total)
        of = 1 if word in ("count", "unlike") else point.shape[-1]
        return Values(self._rows(total / of), self._rows(low / of), self._rows(high / of))

    def _rows(self, numbers: Array) -> Array:
        return np.broadcast_to(numbers, (len(self.depths), 1))

    def _number(self, node: ast.expr, named: Named) -> Values:
        match node:
            case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
                return Values.exact(value)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant() as part):
                return Values.exact(-self._number(part, named).point)
            case ast.BinOp(op=op, left=left, right=right) if type(op) in _SUMS:
                sides = [self._number(each, named).point for each in (left, right)]
                if any(np.ndim(side) for side in sides):
                    raise ExpressionError("only constants are calculated with: name a figure", node)
                with np.errstate(all="ignore"):
                    value = _SUMS[type(op)](*sides)
                if not np.isfinite(value):
                    raise ExpressionError("this is no number", node)
                return Values.exact(value)
            case ast.Name(id=name):
                if name not in named:
                    raise _unknown(name, named, node, "figure named")
                return named[name]
            case ast.Call(func=ast.Name(id=word), args=args, keywords=[]) if word in _OVER_SETS:
                return self._counted(word, args, node, named)
            case ast.Call(func=ast.Name(id=word)):
                raise _unknown(word, _OVER_SETS, node, "number")
        raise ExpressionError("here must be a number or a figure's name", node)


class Unknown(Exception):
    """What an expression needs is not measured."""


def _only(word: str, args: Sequence[ast.expr], node: ast.expr) -> ast.expr:
    if len(args) != 1:
        raise ExpressionError(f"{word}() needs one condition", node)
    return args[0]


def _compared(op: ast.cmpop, a: Values, b: Values, node: ast.expr) -> Truth:
    if isinstance(op, ast.Eq):
        return _compared(ast.LtE(), a, b, node) & _compared(ast.GtE(), a, b, node)
    if type(op) not in _ORDER:
        raise ExpressionError("only <, <=, >, >= and == compare", node)
    test, slack = _ORDER[type(op)]
    worst, best = (a.high, b.low), (a.low, b.high)
    if isinstance(op, ast.Gt | ast.GtE):
        worst, best = best, worst
    return Truth(*(np.asarray(test(x, y + slack)) for x, y in ((a.point, b.point), worst, best)))


def _interval(held: NDArray[np.int64] | Mask) -> tuple[float, float]:
    """Return the 95 % interval of a sum over data sets, from draws (draws, sets) of each."""
    law = np.ones(1)
    for own in held.T:
        law = np.convolve(law, np.bincount(own.astype(np.int64)) / len(own))
    below = np.cumsum(law)
    tail = (1 - _LEVEL) / 2
    low = int(np.searchsorted(below, tail + _TINY))
    high = int(np.searchsorted(below, 1 - tail - _TINY))
    return float(low), float(min(high, len(law) - 1))
