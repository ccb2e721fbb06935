"""Two formats with an ``@attribute`` header: ARFF, and KEEL's ``.dat``, which only looks like it.

ARFF: https://waikato.github.io/weka-wiki/formats_and_processing/arff_stable/. KEEL: J. Alcalá-Fdez
et al., "KEEL Data-Mining Software Tool: Data Set Repository", J. Mult.-Valued Log. S. 17 (2011).
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from boostbench.data.rows import Field, Separated, TextRow, table_of_rows
from boostbench.data.table import Table, in_one_form
from boostbench.data.text_format import EMPTY, PLAIN, TextFormat
from boostbench.errors import DataError

_ATTRIBUTE = re.compile(r"(?:'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"|([^\s{\[]+))\s*(.*)", re.S)
_WEIGHT = re.compile(r"(?!nominal\s*\{)(.*\S)\s*\{\s*([-+.\deE]+)\s*\}", re.S | re.I)
_NOMINAL = re.compile(r"(?:nominal\s*)?(?:\{(.*)\}|\[(.*)\])", re.S | re.I)
_ROW_WEIGHT = re.compile(r".*[,;\s]\s*(\{[^{}'\"]*\})")
_QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"((?:[^\"\\]|\\.)*)\"", re.S)

_LEVELS = Separated(",", "'", "\\")
_LISTS = {"@input": "inputs", "@inputs": "inputs", "@output": "outputs", "@outputs": "outputs"}


def parse_attributes(
    lines: Callable[[], Iterable[str]], where: str, texts: TextFormat = PLAIN, *, keel: bool = False
) -> Table:
    """Parse dense ARFF, also as WEKA reads it: blank separated rows, comments behind values.

    ``lines`` gives, each time it is called, the lines of the file. With ``keel`` it is a KEEL
    ``.dat`` file, whose ``@outputs`` (else its last attribute) are the outputs; attributes that are
    neither inputs nor outputs are left out. Raises DataError naming the line that is wrong.
    """
    fields, lists = _read_header(_with_text(lines()), where, keel=keel)
    nulls = EMPTY.union(["?", "<null>"] if keel else ["?"])
    texts = replace(texts, missing=texts.missing | nulls)

    def body() -> Iterator[tuple[int, str]]:
        remaining = _with_text(lines())
        _read_header(remaining, where, keel=keel)
        for number, line in remaining:
            if "{" in line:
                _check_row(line, f"{where}:{number}")
            yield number, _to_single_quotes(line if keel else _without_comment(line))

    first = next(body(), (0, ""))[1]
    separator = next((mark for mark in (",", ";", "\t") if mark in first), " ")
    how = replace(_LEVELS, separator=separator)

    def rows() -> Iterator[TextRow]:
        for number, line in body():
            text = " ".join(line.split()) if separator == " " else line
            yield TextRow(number, text, how.width(text))

    table = replace(table_of_rows(rows, where, fields, texts, how), nulls=nulls)
    if not keel:
        return table
    outputs = tuple(lists.get("outputs") or table.names[-1:])
    wanted = {*lists.get("inputs", table.names), *outputs}
    frame = table.frame[[name for name in table.names if name in wanted]]
    return replace(table, frame=frame, outputs=outputs)


def looks_like_attributes(text: str) -> bool:
    """Return whether the first line that is neither empty nor a comment starts with ``@``."""
    return next(_with_text(text.split("\n")), (0, ""))[1].startswith("@")


def _with_text(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield the number and the text of each line that is neither empty nor a comment."""
    stripped = ((number, line.strip()) for number, line in enumerate(lines, 1))
    return ((number, line) for number, line in stripped if line and not line.startswith("%"))


def _read_header(
    lines: Iterator[tuple[int, str]], where: str, *, keel: bool
) -> tuple[list[Field], dict[str, list[str]]]:
    """Return the attributes and KEEL's lists of names; leave ``lines`` at the first row.

    Raises DataError naming the line that is wrong.
    """
    fields: list[Field] = []
    lists: dict[str, list[str]] = {}
    for number, line in lines:
        here = f"{where}:{number}"
        keyword, _, rest = line.replace("\t", " ").partition(" ")
        match keyword.lower():
            case "@relation":
                pass
            case "@attribute":
                fields.append(_field(rest.strip(), here, keel=keel))
            case "@data":
                if not fields:
                    raise DataError(f"{where} declares no @attribute")
                return fields, lists
            case word if keel and word in _LISTS:
                lists[_LISTS[word]] = _names_listed(rest, fields, here)
            case word:
                raise DataError(
                    f"{here} starts with {word[:40]!r}; @relation, @attribute or @data is expected"
                )
    raise DataError(f"{where} has no @data line")


def _names_listed(text: str, fields: Sequence[Field], here: str) -> list[str]:
    """Return the names of a line such as ``@inputs``; DataError for one that is no attribute."""
    names = [in_one_form(name.strip()) for name in text.split(",") if name.strip()]
    unknown = set(names) - {in_one_form(each.name) for each in fields}
    if unknown:
        raise DataError(f"{here} names {min(unknown)[:60]!r}, which is not an attribute")
    return names


def _without_comment(line: str) -> str:
    """Return a line without the comment behind its last value.

    That is a % behind a blank or a brace, which is neither in quotes nor in braces nor a value.
    """
    if "%" not in line:
        return line
    depth = 0
    for i, char, before in _outside_quotes(line):
        if char in "{}":
            depth += 1 if char == "{" else -1
        elif char == "%" and before in " \t}" and depth < 1:
            values = line[:i].rstrip()
            if not values.endswith((",", ";")):
                return values
    return line


def _outside_quotes(line: str) -> Iterator[tuple[int, str, str]]:
    """Yield the place of each character that is not in quotes, the character and that before."""
    quote = ""
    before = " "
    for i, char in enumerate(line):
        if quote:
            quote = "" if char == quote and before != "\\" else quote
        elif char in "'\"" and before in " \t,;{":
            quote = char
        else:
            yield i, char, before
        # A backslash that is itself escaped escapes nothing.
        before = " " if (before, char) == ("\\", "\\") else char


def _check_row(line: str, here: str) -> None:
    """Raise DataError for a sparse row, and for a row with a weight."""
    if line.startswith("{"):
        raise DataError(f"{here} is a row of sparse ARFF, which is not read; save it as dense ARFF")
    if weight := _ROW_WEIGHT.fullmatch(_without_comment(line)):
        raise DataError(
            f"{here} gives its row the weight {weight[1][:40]}; weights of rows are not read: "
            "take them out"
        )


def _field(text: str, here: str, *, keel: bool) -> Field:
    """Return what follows ``@attribute``, a name and a type, as a field."""
    match = _ATTRIBUTE.fullmatch(text)
    if match is None:
        raise DataError(f"{here} is not an attribute: a name and a type are expected")
    single, double, bare, rest = match.groups()
    name = re.sub(r"\\(.)", r"\1", single or double or "") if bare is None else bare
    # The name may be a % itself.
    kind = (rest if keel else _without_comment(rest)).strip()
    weight = None if keel else _WEIGHT.fullmatch(kind)
    if weight:
        raise DataError(
            f"{here} gives attribute {name[:60]!r} the weight {weight[2]}; weights of attributes "
            "are not read: take it out"
        )
    word = re.split(r"[\s\[{]", kind, maxsplit=1)[0].lower()
    if word in ("numeric", "real", "integer"):
        return Field(name, numeric=True)
    if word in ("string", "date"):
        return Field(name, numeric=False, date=word == "date")
    inside = _inside_braces(kind, keel=keel)
    if inside is None:
        raise DataError(
            f"{here} gives attribute {name[:60]!r} the type {kind[:40]!r}; "
            "numeric, real, integer, string or {levels} is expected"
        )
    levels = (level.strip() for level in _LEVELS.split(_to_single_quotes(inside), here))
    return Field(name, numeric=False, levels=tuple(dict.fromkeys(filter(None, levels))))


def _inside_braces(kind: str, *, keel: bool) -> str | None:
    """Return the text of the levels of a nominal type, None for another type."""
    match = _NOMINAL.fullmatch(kind)
    if match is None:
        return None
    in_braces, in_brackets = match.groups()
    return in_brackets if keel and in_braces is None else in_braces


def _to_single_quotes(text: str) -> str:
    """Return ``text`` with all double-quoted values in single quotes."""

    def single(match: re.Match[str]) -> str:
        return match[0] if match[1] is None else "'" + match[1].replace("'", r"\'") + "'"

    return _QUOTED.sub(single, text) if '"' in text else text
