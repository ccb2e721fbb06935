"""The figures of claims: how they are written, and their values with intervals.

A figure is written ``name = figure(method, method, option=value)``. It is parsed by :mod:`ast` and
checked against the allowed syntax; nothing is evaluated by Python.
"""

import ast
import inspect
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, Self

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from boostbench.suggest import listing, nearest

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
LONGEST = 2_000
"""The most characters of an expression."""
TAIL = 0.025
"""The share of draws beyond each end of an interval."""
DRAWS = 400
SELECTING = ("on", "without", "table")
"""The options of every figure: its data sets, and the printed table on which it is tried."""
_Z = scipy.special.ndtri((np.arange(DRAWS) + 0.5) / DRAWS) / scipy.special.ndtri(1 - TAIL)


class Unknown(Exception):
    """A value in an expression is not measured."""


class ExpressionError(Exception):
    """A mistake in an expression, with its column, counted from 1."""

    def __init__(self, text: str, offset: int = 0) -> None:
        super().__init__(f"column {offset + 1}: {text}")


class Role(NamedTuple):
    """A method, or several of which the ``best`` or the ``worst`` counts on each data set.

    Of several methods those count that the paper has run on the data set.
    """

    members: tuple[str, ...]
    choice: str = ""

    def read_as(self, roles: Mapping[str, str]) -> Self:
        """Return the methods replaced by others."""
        return self._replace(members=tuple(roles.get(each, each) for each in self.members))

    def __str__(self) -> str:
        return f"the {self.choice} of {', '.join(self.members)}" if self.choice else self.members[0]


@dataclass(frozen=True)
class FigureCall:
    """A figure as a row asks for it; ``name`` is its name in conditions, or ""."""

    name: str
    figure: str
    methods: Sequence[Role]
    options: Mapping[str, str | Sequence[str]]
    text: str

    @property
    def roles(self) -> list[str]:
        """Its methods, in order."""
        return [method for role in self.methods for method in role.members]

    def read_as(self, roles: Mapping[str, str]) -> Self:
        """Return the figure with methods replaced by others."""
        renamed = [role.read_as(roles) for role in self.methods]
        return replace(self, methods=renamed)

    def arguments_for(self, parameters: Collection[str]) -> Mapping[str, object]:
        """Return the options that are ``parameters`` of its function.

        The others select its data sets, and the printed table on which it is tried.
        """
        return {key: own for key, own in self.options.items() if key in parameters}

    def kept(self, datasets: Sequence[str]) -> list[str]:
        """Return the data sets that the figure covers."""
        on, without = self.options.get("on", datasets), self.options.get("without", ())
        return [name for name in datasets if name in on and name not in without]


def methods_of(calls: Sequence[FigureCall]) -> list[str]:
    """Return the methods in figures, each once."""
    return list(dict.fromkeys(method for call in calls for method in call.roles))


def parse(text: str) -> ast.expr:
    """Return the tree of an expression; ExpressionError if it is none."""
    tree = _tree(text, "eval")
    assert isinstance(tree, ast.Expression)
    return tree.body


def parse_statements(text: str) -> list[ast.stmt]:
    """Return the trees of statements; ExpressionError if they are none."""
    tree = _tree(text, "exec")
    assert isinstance(tree, ast.Module)
    return tree.body


def _tree(text: str, mode: Literal["eval", "exec"]) -> ast.AST:
    if len(text) > LONGEST:
        raise ExpressionError(f"it is longer than {LONGEST:,} characters", LONGEST)
    try:
        return ast.parse(text.strip(), mode=mode)
    except SyntaxError as error:
        hint = "; write at(lead > 0, depth=3)" if "follows keyword argument" in error.msg else ""
        raise ExpressionError(error.msg + hint, (error.offset or len(text) + 1) - 1) from None
    except (ValueError, RecursionError, MemoryError):
        raise ExpressionError("this cannot be read") from None


def known_word(word: str, known: Collection[str] | None, node: ast.expr, what: str) -> str:
    """Return a word, which must be one of the known ones, if any."""
    if known is None or word in known:
        return word
    guess = nearest(word, known)
    hint = f"did you mean '{guess}'?" if guess else f"choose one of {listing(sorted(known))}"
    raise ExpressionError(f"there is no {what} '{word}': {hint}", node.col_offset)


def name_of(node: ast.expr, known: Collection[str] | None, what: str) -> str:
    """Return a known name that is written bare or in quotes."""
    match node:
        case ast.Name(id=value) | ast.Constant(value=str() as value):
            return known_word(value, known, node, what)
    why = "here must be a name; with other characters than letters, digits and _ it needs quotes"
    raise ExpressionError(f"{why}, as in 'MC dropout'", node.col_offset)


class Names(NamedTuple):
    """The names allowed in figures; ``choices`` has the values of an option, if restricted.

    They take methods as positional arguments and options as keywords.
    """

    figures: Mapping[str, inspect.Signature]
    methods: Collection[str]
    datasets: Collection[str]
    choices: Mapping[str, Collection[str]]

    def read(self, text: str) -> list[FigureCall]:
        """Read ``name = figure(...); figure(...)``, in the order shown."""
        calls: list[FigureCall] = []
        try:
            lines = parse_statements(text)
        except ExpressionError:
            self._check_quotes(text)
            raise
        for line in lines:
            name = ""
            match line:
                case ast.Assign(
                    targets=[ast.Name(id=name)], value=ast.Call(func=ast.Name()) as call
                ):
                    if name in [each.name for each in calls]:
                        raise ExpressionError(f"two figures are named '{name}'", line.col_offset)
                case ast.Expr(value=ast.Call(func=ast.Name()) as call):
                    pass
                case _:
                    why = "here must be a figure, such as lead(a, b)"
                    raise ExpressionError(why, line.col_offset)
            calls.append(self._figure(name, call, ast.unparse(line)))
        return calls

    def _check_quotes(self, text: str) -> None:
        """Raise ExpressionError for a name that needs quotes and has none."""
        names = {*self.methods, *self.datasets, *self.choices.get("table", ())}
        unquoted = re.sub(r"'[^']*'|\"[^\"]*\"", lambda quoted: " " * len(quoted[0]), text)
        for name in sorted(names, key=len, reverse=True):
            place = -1 if name.isidentifier() else unquoted.find(name)
            if place >= 0 and not name.isdecimal():
                raise ExpressionError(f"write the name in quotes: '{name}'", place)

    def _figure(self, name: str, node: ast.Call, text: str) -> FigureCall:
        takes = self.figures[figure := name_of(node.func, self.figures, "figure")]
        own = [p.name for p in takes.parameters.values() if p.kind is p.KEYWORD_ONLY]
        options = {}
        for given in node.keywords:
            what = f"option of {figure}()"
            key = known_word(str(given.arg), [*SELECTING, *own], given.value, what)
            options[key] = self._option(key, given.value)
        call = FigureCall(name, figure, [self._role(each) for each in node.args], options, text)
        try:
            takes.bind(None, *call.methods, **call.arguments_for(own))
        except TypeError as error:
            raise ExpressionError(f"{figure}(): {error}", node.col_offset) from None
        return call

    def _option(self, key: str, node: ast.expr) -> str | list[str]:
        if key not in ("on", "without"):
            return name_of(node, self.choices.get(key), f"{key}=")
        nodes = node.elts if isinstance(node, ast.List) else [node]
        return [name_of(each, self.datasets, "data set") for each in nodes]

    def _role(self, node: ast.expr) -> Role:
        match node:
            case ast.Call(func=ast.Name(id=word), args=[_, *_] as parts, keywords=[]):
                choice = known_word(word, ("best", "worst"), node, "choice of methods")
                return Role(tuple(m for part in parts for m in self._role(part).members), choice)
        return Role((name_of(node, self.methods, "method"),))


class Values(NamedTuple):
    """Values with the ends of their 95 % intervals, on the log scale if ``log``.

    Ranks move ``in_steps``: between the ends they have only whole and half values. They are
    (settings, data sets), or (settings, 1) for one number over all data sets. On a data set that
    was not measured the point is NaN and the ends are infinite: the value may be any.
    """

    point: Array
    low: Array
    high: Array
    log: bool = False
    in_steps: bool = False

    @classmethod
    def exact(cls, value: ArrayLike) -> Self:
        """Return values that are known exactly."""
        array = np.asarray(value, dtype=np.float64)
        return cls(array, array, array)

    def among(self, measured: Sequence[bool]) -> Self:
        """Return these values at the places of measured data sets, unknown ones at the others."""

        def placed(known: Array, unknown: float) -> Array:
            array = np.full((len(known), len(measured)), unknown)
            array[:, np.flatnonzero(measured)] = known
            return array

        return self._replace(
            point=placed(self.point, np.nan),
            low=placed(self.low, -np.inf),
            high=placed(self.high, np.inf),
        )

    def without_intervals(self) -> Self:
        """Return the values as measured; those that were not measured may still be any."""
        known = ~np.isnan(self.point)
        low, high = (np.where(known, self.point, end) for end in (self.low, self.high))
        return self._replace(low=low, high=high)

    @np.errstate(all="ignore")
    def draws(self) -> Self:
        """Return equally likely values, along a new first axis."""
        z = _Z[:, None, None]
        end, by = np.where(z > 0, self.high, self.low), np.abs(z)
        on_log = self.point * (end / self.point) ** by
        linear = self.point + (end - self.point) * by
        return self.exact(np.where(self.log & (self.point > 0), on_log, linear))
