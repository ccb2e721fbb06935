"""The language of claims: named figures, ``name = figure(method, method, option=value)``.

Figures and conditions (:mod:`boostbench.papers.conditions`) are parsed by :mod:`ast` and checked
against what is allowed; nothing is evaluated by Python.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from boostbench.suggest import listing, nearest

LONGEST = 2_000
_DEEPEST = 40


class Unknown(Exception):
    """What an expression needs is not measured."""


class ExpressionError(Exception):
    """A mistake in an expression; ``column`` says where, counted from 1."""

    def __init__(self, text: str, node: ast.AST | int = 0) -> None:
        super().__init__(text)
        self.column = (node if isinstance(node, int) else getattr(node, "col_offset", 0)) + 1


@dataclass(frozen=True)
class Group:
    """Several methods of which the ``best`` or the ``worst`` counts on each data set."""

    pick: str
    members: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.pick}({', '.join(self.members)})"


Role = str | Group


@dataclass(frozen=True)
class FigureCall:
    """A figure as a row asks for it: ``name`` is what conditions call it, or ""."""

    name: str
    figure: str
    methods: tuple[Role, ...]
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def roles(self) -> list[str]:
        """The methods that it looks at, in order."""
        return [role for each in self.methods for role in members(each)]

    def read_as(self, roles: Mapping[str, str]) -> FigureCall:
        """Return the figure with methods in place of others."""
        return replace(self, methods=tuple(_renamed(each, roles) for each in self.methods))

    @property
    def passed(self) -> Mapping[str, Any]:
        """The options that its function takes; the others say which data sets it is of."""
        return {key: own for key, own in self.options.items() if key not in ("on", "without")}

    def kept(self, datasets: Sequence[str]) -> list[str]:
        """Return those of the data sets that it is of."""
        on, without = self.options.get("on", datasets), self.options.get("without", ())
        return [name for name in datasets if name in on and name not in without]

    def __str__(self) -> str:
        options = [
            f"{key}=[{', '.join(value)}]" if isinstance(value, list) else f"{key}={value}"
            for key, value in self.options.items()
        ]
        return f"{self.figure}({', '.join([*map(str, self.methods), *options])})"


@dataclass(frozen=True)
class Names:
    """What expressions may name: figures, and the values of options and methods.

    A figure takes methods as positional arguments and options as keywords; ``choices`` has the
    values that an option may have, if not all.
    """

    figures: Mapping[str, inspect.Signature]
    methods: Collection[str]
    datasets: Collection[str]
    choices: Mapping[str, Collection[str]] = field(default_factory=dict)


def members(method: Role) -> tuple[str, ...]:
    """Return the methods of a group, or the one method."""
    return method.members if isinstance(method, Group) else (method,)


def _renamed(method: Role, roles: Mapping[str, str]) -> Role:
    if isinstance(method, Group):
        return replace(method, members=tuple(roles.get(m, m) for m in method.members))
    return roles.get(method, method)


def parse(text: str) -> ast.expr:
    """Return an expression's tree; ExpressionError where it is none."""
    _check_length(text)
    lead = len(text) - len(text.lstrip())
    try:
        node = ast.parse(text.strip(), mode="eval").body
    except SyntaxError as error:
        raise ExpressionError(error.msg, lead + (error.offset or len(text) + 1) - 1) from None
    except (ValueError, RecursionError, MemoryError):
        raise ExpressionError("this cannot be read") from None
    _shift(node, lead, 0)
    return node


def _check_length(text: str) -> None:
    if len(text) > LONGEST:
        raise ExpressionError(f"it is longer than {LONGEST:,} characters", LONGEST)


def _shift(node: ast.AST, by: int, depth: int) -> None:
    if depth > _DEEPEST:
        raise ExpressionError("it is nested too deeply", node)
    if hasattr(node, "col_offset"):
        node.col_offset += by
    for child in ast.iter_child_nodes(node):
        _shift(child, by, depth + 1)


def unknown(word: str, known: Collection[str], node: ast.AST, what: str) -> ExpressionError:
    """Return the mistake of a word that is none of those known."""
    guess = nearest(word, known)
    hint = f"did you mean '{guess}'?" if guess else f"choose one of {listing(sorted(known))}"
    return ExpressionError(f"there is no {what} '{word}': {hint}", node)


def read_figures(text: str, names: Names) -> list[FigureCall]:
    """Read ``name = figure(...); figure(...)``, in the order shown."""
    _check_length(text)
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
    for part in re.finditer(r"(?:^|;)\s*(?:([^\W\d]\w*)\s*=(?!=))?\s*([^;]*)", text):
        yield part[1] or "", part[2], part.start(2)


def _figure(name: str, node: ast.expr, names: Names) -> FigureCall:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        raise ExpressionError("here must be a figure, such as lead(a, b)", node)
    figure = node.func.id
    if figure not in names.figures:
        raise unknown(figure, names.figures, node, "figure")
    takes = names.figures[figure]
    keywords = [p.name for p in takes.parameters.values() if p.kind is p.KEYWORD_ONLY]
    known = ["on", "without", *keywords]
    methods = tuple(_method(each, names) for each in node.args)
    options: dict[str, Any] = {}
    for key in node.keywords:
        option = str(key.arg)
        if option not in known:
            raise unknown(option, known, key.value, f"option of {figure}()")
        options[option] = _option(option, key.value, names)
    call = FigureCall(name, figure, methods, options)
    try:
        takes.bind(None, *methods, **call.passed)
    except TypeError as error:
        raise ExpressionError(f"{figure}(): {error}", node) from None
    return call


def _option(key: str, node: ast.expr, names: Names) -> Any:
    if key in ("on", "without"):
        nodes = node.elts if isinstance(node, ast.List) else [node]
        return [name_in(each, names.datasets, "data set") for each in nodes]
    return name_in(node, names.choices.get(key), f"{key}=")


def _method(node: ast.expr, names: Names) -> Role:
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
        return name_in(node, names.methods, "method")
    if node.func.id not in ("best", "worst") or not node.args or node.keywords:
        raise unknown(node.func.id, ("best", "worst"), node, "choice of methods")
    every = [_method(arg, names) for arg in node.args]
    return Group(node.func.id, tuple(name for each in every for name in members(each)))


def name_in(node: ast.expr, known: Collection[str] | None, what: str) -> str:
    """Return a name that is written bare or in quotes, one of those known."""
    match node:
        case ast.Name(id=value) | ast.Constant(value=str() as value):
            if known is not None and value not in known:
                raise unknown(value, known, node, what)
            return value
    raise ExpressionError("here must be a name", node)
