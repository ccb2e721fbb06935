"""A LaTeX source: its lines with those that it inputs, the macros it defines, and its tables."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from boostbench.data.content import read_text
from boostbench.errors import ConfigError, DataError
from boostbench.papers.latex.commands import ARGUMENTS, ROW_ENDS, SYMBOLS, TABLES
from boostbench.papers.latex.text import name_of, nodes_of, printed

_COMMAND = re.compile(r"\\(?:([a-zA-Z@]+)\*?|(.))", re.S)
_INPUT = re.compile(r"\\(?:input|include|subfile)\s*\{([^{}]*)\}")
_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%.*")
_BEGIN = re.compile(rf"\\begin\{{({'|'.join(map(re.escape, TABLES))})\}}")
_NEW_COMMANDS = "newcommand|renewcommand|providecommand|DeclareRobustCommand|newrobustcmd"
_DEEPEST = 12
_KEPT = ("begin", "end", "input", "include", *ROW_ENDS)
"""Commands that a source may define anew, and that are read as LaTeX's all the same."""


@dataclass(frozen=True)
class Place:
    """A line of a source: its file, and its number from 1."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True)
class Macro:
    """A macro of the source: how many arguments, the default of an optional first one, its text."""

    arguments: int
    default: str | None
    body: str


@dataclass(frozen=True)
class TableSource:
    """The source of one table: the columns as specified, and its body with all macros replaced."""

    environment: str
    columns: str
    body: str
    places: Sequence[Place]  # of the lines of the body
    caption: str
    label: str


class Source:
    """The text of a LaTeX file and of what it inputs, without comments and disabled parts."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.remarks: list[str] = []
        lines = list(self._lines(path, path.name, 0))
        self.places = [place for place, _ in lines]
        self.text = _without_disabled("\n".join(text for _, text in lines))
        self.macros, self._definitions = _macros(self.text)
        self.column_types = _column_types(self.text)

    def _lines(self, path: Path, name: str, depth: int) -> Iterator[tuple[Place, str]]:
        """Yield the lines of a file; an ``input`` is replaced by the lines of that file."""
        try:
            text = read_text(path)
        except DataError as error:
            raise ConfigError(str(error)) from None
        for number, whole in enumerate(text.splitlines(), 1):
            place, line = Place(name, number), _COMMENT.sub(r"\1%", whole)
            while found := _INPUT.search(line):
                yield place, line[: found.start()] + "%"
                yield from self._input(found[1].strip(), place, depth)
                line = line[found.end() :]
            yield place, line

    def _input(self, name: str, place: Place, depth: int) -> Iterator[tuple[Place, str]]:
        folder = self.path.parent
        beside = next((n for n in (name, f"{name}.tex") if (folder / n).is_file()), None)
        if beside is None:
            self.remarks.append(
                f"{place}: there is no file {name}.tex; put it beside {self.path.name} if it has "
                "rows or macros of the tables"
            )
        elif depth >= _DEEPEST:
            raise ConfigError(f"{place}: {name} inputs itself; remove one of the inputs")
        else:
            yield from self._lines(folder / beside, beside, depth + 1)

    def tables(self) -> list[TableSource]:
        """Return the tables in the order of the source, without those inside of another's cell."""
        found: list[TableSource] = []
        end_of_last = 0
        for begin in _BEGIN.finditer(self.text):
            end = _end_of(begin[1], self.text, begin.start())
            is_inside = begin.start() < end_of_last or self._is_in_definition(begin.start())
            if is_inside or _holds_tables(self.text[begin.end() : end]):
                continue
            end_of_last = end
            found.append(self._table(begin[1], begin.start(), begin.end(), end))
        return found

    def _is_in_definition(self, at: int) -> bool:
        """Return whether a place is in the text of a macro."""
        return any(start <= at < end for start, end in self._definitions)

    def argument_of(self, command: str) -> str:
        """Return what the last argument of a command prints, "" if the source has no such one."""
        found = re.search(rf"\\{command}\s*(?:\[[^\]]*\])?\s*(?=\{{)", self.text)
        if found is None:
            return ""
        text = expanded(argument(self.text, found.end())[0], self.macros)
        return name_of(printed(nodes_of(re.sub(r"\\(and|And|AND)\b", ", ", text))))

    def _table(self, environment: str, start: int, at: int, end: int) -> TableSource:
        columns = ""
        for kind in TABLES[environment]:
            if kind == "[":
                _, at = optional_argument(self.text, at)
            else:
                at = self.text.find("{", at) if environment[-4:] == "tabu" else at
                columns, at = argument(self.text, at)
        if environment.startswith("NiceTabular"):
            _, at = optional_argument(self.text, at)
        columns = self._plain_columns(columns)
        body = expanded(self.text[at:end], self.macros)
        first = self.text.count("\n", 0, at)
        places = self.places[first : first + body.count("\n") + 1]
        caption, label = self._caption(start, end)
        return TableSource(environment, columns, body, places, caption, label)

    def _plain_columns(self, columns: str) -> str:
        """Return a specification of columns without the source's own macros and letters."""
        columns = expanded(columns, self.macros)
        named = re.search(r"colspec\s*=\s*(?=\{)", columns)
        if named:
            columns, _ = argument(columns, named.end())
        for letter, body in self.column_types.items():
            columns = columns.replace(letter, body)
        return columns

    def _caption(self, start: int, end: int) -> tuple[str, str]:
        """Return the caption and the label nearest to a table, within its own float."""
        float_edge = re.compile(
            r"\\(?:begin|end)\{(?:(?:sideways|wrap|sub)?table\*?|minipage|longtable|tabular[*xy]?)\}"
        )
        before = [edge.end() for edge in float_edge.finditer(self.text, 0, start)]
        after = float_edge.search(self.text, end + 5)
        near = self.text[before[-1] if before else 0 : after.start() if after else end + 1500]
        found = re.search(r"\\caption(?:of\{\w+\})?\*?\s*(?:\[[^\]]*\])?(?=\s*\{)", near)
        label = re.search(r"\\label\{([^}]*)\}", near)
        caption = expanded(argument(near, found.end())[0], self.macros) if found else ""
        return caption, label[1] if label else ""


def argument(text: str, at: int, brackets: str = "{}") -> tuple[str, int]:
    """Return the argument at or after ``at``, and where it ends: a group, or one token."""
    while at < len(text) and text[at].isspace():
        at += 1
    if text[at : at + 1] != brackets[0]:
        token = _COMMAND.match(text, at)
        end = token.end() if token else min(at + 1, len(text))
        return text[at:end], end
    depth, start = 0, at
    while at < len(text):
        if text[at] == "\\":
            at += 1
        elif text[at] in ("{", brackets[0]):
            depth += 1
        elif text[at] in ("}", brackets[1]):
            depth -= 1
        at += 1
        if depth == 0:
            return text[start + 1 : at - 1], at
    return text[start + 1 :], len(text)


def optional_argument(text: str, at: int) -> tuple[str | None, int]:
    """Return the argument in brackets at ``at``, and where it ends; ``None`` without one."""
    found = re.compile(r"[ \t]*\n?[ \t]*(?=\[)").match(text, at)
    return argument(text, found.end(), "[]") if found else (None, at)


def _end_of(environment: str, text: str, start: int) -> int:
    """Return where the environment that begins at ``start`` ends."""
    depth = 0
    edges = re.compile(rf"\\(begin|end)\{{{re.escape(environment)}\}}")
    for edge in edges.finditer(text, start):
        depth += 1 if edge[1] == "begin" else -1
        if depth == 0:
            return edge.start()
    return len(text)


def _without_disabled(text: str) -> str:
    """Return a source without what it does not print; the numbers of lines stay."""

    def blank(found: re.Match[str]) -> str:
        return "\n" * found[0].count("\n")

    text = text.partition("\\end{document}")[0]
    listings = r"\\begin\{(comment|verbatim|lstlisting|minted)\*?\}.*?\\end\{\1\*?\}"
    text = re.sub(listings, blank, text, flags=re.S)
    text = re.sub(r"\\if(?:false|0)\b.*?\\(?:fi|else)\b", blank, text, flags=re.S)
    return re.sub(r"\\iftrue\b|\\else\b.*?(?=\\fi\b)", blank, text, flags=re.S)


def _column_types(text: str) -> dict[str, str]:
    """Return the letters that stand for other columns, such as M for r@{±}l."""
    found = {}
    for each in re.finditer(r"\\newcolumntype\s*\{?\s*([a-zA-Z])\s*\}?\s*(?=\{)", text):
        body, _ = argument(text, each.end())
        if "@" in body or "!" in body:
            found[each[1]] = body
    return found


def _holds_tables(body: str) -> bool:
    """Return whether a table only places other tables, which have rows of several cells."""
    inner = list(_BEGIN.finditer(body))
    ends = [_end_of(begin[1], body, begin.start()) for begin in inner]
    texts = [body[begin.end() : end] for begin, end in zip(inner, ends, strict=True)]
    return any(min(text.count("&"), text.count("\\\\")) > 1 for text in texts)


def _macros(text: str) -> tuple[dict[str, Macro], list[tuple[int, int]]]:
    """Return the macros that a source defines, and where the text of each begins and ends.

    Those that commands.py knows better are left out.
    """
    found: dict[str, Macro] = {}
    places: list[tuple[int, int]] = []

    def define(name: str, arguments: int, default: str | None, at: int) -> None:
        body, end = argument(text, at)
        places.append((at, end))
        found[name] = Macro(arguments, default, body)

    name = r"\{?\s*\\([a-zA-Z@]+|\d)\s*\}?\s*"
    for each in re.finditer(rf"\\(?:{_NEW_COMMANDS})\*?\s*{name}", text):
        count, at = optional_argument(text, each.end())
        default, at = optional_argument(text, at)
        define(each[1], int(count) if count and count.strip().isdigit() else 0, default, at)
    for each in re.finditer(r"\\[gex]?def\s*\\([a-zA-Z@]+|\d)\s*((?:#\d)*)\s*(?=\{)", text):
        define(each[1], each[2].count("#"), None, each.end())
    for each in re.finditer(rf"\\DeclareMathOperator\*?\s*{name}", text):
        define(each[1], 0, None, each.end())
    new = r"(?:New|Renew|Provide)DocumentCommand"
    for each in re.finditer(rf"\\{new}\s*{name}\{{([\sm]*)\}}", text):
        define(each[1], each[2].count("m"), None, each.end())
    for each in re.finditer(r"\\let\s*\\([a-zA-Z@]+)\s*=?\s*(?=\\[a-zA-Z@]+)", text):
        define(each[1], 0, None, each.end())
    return {name: each for name, each in found.items() if not _is_known(name, each)}, places


def _is_known(name: str, macro: Macro) -> bool:
    """Return whether a macro only redefines a command, with the arguments that this has."""
    if name in _KEPT or macro.body.strip() == f"\\{name}":
        return True
    if name in SYMBOLS:
        return macro.arguments == 0
    return name in ARGUMENTS and ARGUMENTS[name].count("{") == macro.arguments


def expanded(text: str, macros: Mapping[str, Macro], depth: int = 0) -> str:
    """Return a text with its macros replaced, on the same lines; one that calls itself stays."""
    parts: list[str] = []
    end = 0
    for found in _COMMAND.finditer(text):
        macro = macros.get(found[1] or found[2])
        if found.start() >= end and macro is not None:
            parts.append(text[end : found.start()])
            at = found.end() - (found[0][-1] == "*" and macro.arguments == 0)
            printed, end = _replaced(macro, text, at)
            parts.append(printed)
    if not parts or depth > _DEEPEST:
        return text
    return expanded("".join([*parts, text[end:]]), macros, depth + 1)


def _replaced(macro: Macro, text: str, at: int) -> tuple[str, int]:
    """Return what a macro stands for whose arguments begin at ``at``, and where they end."""
    start, values = at, []
    if macro.default is not None:
        given, at = optional_argument(text, at)
        values.append(macro.default if given is None else given)
    while len(values) < macro.arguments:
        value, at = argument(text, at)
        values.append(value)
    if macro.arguments == 0:
        at += 2 if text[at : at + 2] == "{}" else 0
    printed = _COMMENT.sub(r"\1", macro.body).replace("\n", " ")
    for number, value in enumerate(values, 1):
        printed = printed.replace(f"#{number}", value)
    lost_lines = text.count("\n", start, at) - printed.count("\n")
    if re.search(r"\\[a-zA-Z]+$", printed):
        printed += " "
    return printed + "\n" * max(lost_lines, 0), at
