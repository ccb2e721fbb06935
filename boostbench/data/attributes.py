"""Two formats with an ``@attribute`` header: ARFF, and KEEL's ``.dat``, which only looks like it.

ARFF: https://waikato.github.io/weka-wiki/formats_and_processing/arff_stable/. KEEL: J. Alcalá-Fdez
et al., "KEEL Data-Mining Software Tool: Data Set Repository", J. Mult.-Valued Log. S. 17 (2011).
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from boostbench.data.table import PLAIN, Field, Separated, Table, TextFormat, table_of_rows
from boostbench.errors import DataError

_ATTRIBUTE = re.compile(r"(?:'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"|([^\s{\[]+))\s*(.*)", re.S)
_QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"((?:[^\"\\]|\\.)*)\"", re.S)

_LEVELS = Separated(",", "'", "\\")
_LISTS = {"@input": "inputs", "@inputs": "inputs", "@output": "outputs", "@outputs": "outputs"}


def parse_attributes(
    lines: Callable[[], Iterable[str]], where: str, texts: TextFormat = PLAIN, *, keel: bool = False
) -> Table:
    """Parse dense ARFF, also as WEKA reads it: blank separated rows, blanks around values.

    ``lines`` gives, each time it is called, the lines of the file. With ``keel`` it is a KEEL
    ``.dat`` file, whose ``@outputs`` (else its last attribute) are the outputs; attributes that are
    neither inputs nor outputs are left out. Raises DataError naming the line that is wrong.
    """
    fields, lists = _read_header(_with_text(lines()), where, keel=keel)

    def body() -> Iterator[tuple[int, str]]:
        found = _with_text(lines())
        _read_header(found, where, keel=keel)
        for number, line in found:
            line = _to_single_quotes(line)
            yield number, " ".join(line.split()) if how.separator == " " else line

    how = _LEVELS
    first = next(body(), (0, ""))[1]
    if first.startswith("{"):
        raise DataError(f"{where} is sparse ARFF, which is not supported; save it as dense ARFF")
    mark = next((mark for mark in (",", ";", "\t") if mark in first), " ")
    how = replace(_LEVELS, separator=mark)
    table = table_of_rows(body, where, fields, texts, how)
    if not keel:
        return table
    outputs = tuple(lists.get("outputs") or table.names[-1:])
    wanted = {*lists.get("inputs", table.names), *outputs}
    frame = table.frame[[name for name in table.names if name in wanted]]
    return replace(table, frame=frame, outputs=outputs)


def looks_like_attributes(text: str) -> bool:
    """Return whether the first line that is neither empty nor a comment starts with ``@``."""
    return next(_with_text(text[:100_000].split("\n")), (0, ""))[1].startswith("@")


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
        keyword = keyword.lower()
        if keyword == "@attribute":
            fields.append(_field(rest.strip(), here, keel=keel))
        elif keyword in _LISTS and keel:
            names = [name.strip() for name in rest.split(",") if name.strip()]
            unknown = set(names) - {each.name for each in fields}
            if unknown:
                raise DataError(f"{here} names {min(unknown)[:60]!r}, which is not an attribute")
            lists[_LISTS[keyword]] = names
        elif keyword == "@data":
            if not fields:
                raise DataError(f"{where} declares no @attribute")
            return fields, lists
        elif keyword != "@relation":
            expected = "@relation, @attribute or @data is expected"
            raise DataError(f"{here} starts with {keyword[:40]!r}; {expected}")
    raise DataError(f"{where} has no @data line")


def _field(text: str, here: str, *, keel: bool) -> Field:
    """Return what follows ``@attribute``, a name and a type, as a field."""
    match = _ATTRIBUTE.fullmatch(text)
    if match is None:
        raise DataError(f"{here} is not an attribute: a name and a type are expected")
    single, double, bare, kind = match.groups()
    name = re.sub(r"\\(.)", r"\1", single or double or "") if bare is None else bare
    word = re.split(r"[\s\[{]", kind.strip(), maxsplit=1)[0].lower()
    if word in ("numeric", "real", "integer"):
        return Field(name, numeric=True)
    if word in ("string", "date"):
        return Field(name, numeric=False)
    levels = re.fullmatch(r"(?:nominal\s*)?(?:\{(.*)\}|\[(.*)\])", kind.strip(), re.S | re.I)
    if levels is None or (levels[1] is None and not keel):
        given = f"gives attribute {name[:60]!r} the type {kind.strip()[:40]!r}"
        expected = "numeric, real, integer, string or {levels} is expected"
        raise DataError(f"{here} {given}; {expected}")
    inside = _to_single_quotes(levels[1] if levels[1] is not None else levels[2])
    found = (level.strip() for level in _LEVELS.split(inside, here))
    return Field(name, False, tuple(dict.fromkeys(filter(None, found))))


def _to_single_quotes(text: str) -> str:
    """Return ``text`` with all double-quoted values in single quotes."""

    def single(match: re.Match[str]) -> str:
        return match[0] if match[1] is None else "'" + match[1].replace("'", r"\'") + "'"

    return _QUOTED.sub(single, text) if '"' in text else text
