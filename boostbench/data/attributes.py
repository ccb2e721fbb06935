"""Two formats with an ``@attribute`` header: ARFF, and KEEL's ``.dat``, which only looks like it.

ARFF: https://waikato.github.io/weka-wiki/formats_and_processing/arff_stable/. KEEL: J. Alcalá-Fdez
et al., "KEEL Data-Mining Software Tool: Data Set Repository", J. Mult.-Valued Log. S. 17 (2011).
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from boostbench.data.declared import read_declared
from boostbench.data.table import MISSING_TOKENS, Field, Table, check_width, split_lines
from boostbench.errors import DataError

_ATTRIBUTE = re.compile(r"(?:'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"|([^\s{\[]+))\s*(.*)", re.S)
_LEVEL = re.compile(r"\s*(?:'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"|([^,]*))\s*(?:,|$)")
_NUMERIC = ("numeric", "real", "integer")
_TEXT = ("string", "date")


def parse_arff(text: str, where: str, missing: Collection[str] = MISSING_TOKENS) -> Table:
    """Parse dense ARFF, also as WEKA reads it: blank separated rows, blanks around values.

    :param missing: the texts that stand for a missing value
    :raises DataError: naming the line that is wrong
    """
    return _parse(text, where, missing, keel=False)


def parse_keel(text: str, where: str, missing: Collection[str] = MISSING_TOKENS) -> Table:
    """Parse a KEEL ``.dat`` file; its ``@outputs`` (else its last attribute) are the outputs.

    Attributes that are neither inputs nor outputs are left out.

    :param missing: the texts that stand for a missing value
    :raises DataError: naming the line that is wrong
    """
    return _parse(text, where, missing, keel=True)


def looks_like_attributes(text: str) -> bool:
    """Return whether the first line that is neither empty nor a comment starts with ``@``."""
    for line in text[:100_000].split("\n"):
        if line.strip() and not line.lstrip().startswith("%"):
            return line.lstrip().startswith("@")
    return False


def _parse(text: str, where: str, missing: Collection[str], *, keel: bool) -> Table:
    lines = split_lines(text, where)
    fields: list[Field] = []
    lists: dict[str, list[str]] = {}
    for number, line in enumerate(lines, 1):
        line = line.strip()
        if not line or line.startswith("%"):
            continue
        here = f"{where}:{number}"
        keyword, _, rest = line.replace("\t", " ").partition(" ")
        match keyword.lower():
            case "@relation":
                pass
            case "@attribute":
                fields.append(parse_field(rest.strip(), here, keel=keel))
                check_width(len(fields), where)
            case "@inputs" | "@input" | "@outputs" | "@output" if keel:
                key = "inputs" if keyword.lower().startswith("@input") else "outputs"
                lists[key] = [name.strip() for name in rest.split(",") if name.strip()]
                _check_listed(lists[key], fields, here)
            case "@data":
                return _body(lines[number:], number + 1, fields, lists, where, missing, keel=keel)
            case _:
                raise DataError(
                    f"{here} starts with {keyword[:40]!r}; "
                    "@relation, @attribute or @data is expected"
                )
    raise DataError(f"{where} has no @data line")


def _body(
    lines: Sequence[str],
    first_line: int,
    fields: list[Field],
    lists: dict[str, list[str]],
    where: str,
    missing: Collection[str],
    *,
    keel: bool,
) -> Table:
    if not fields:
        raise DataError(f"{where} declares no @attribute")
    first = next((x for x in lines if x.strip() and not x.lstrip().startswith("%")), "")
    if first.lstrip().startswith("{"):
        raise DataError(f"{where} is sparse ARFF, which is not supported; save it as dense ARFF")
    table = read_declared(lines, where, fields, first_line=first_line, missing=missing)
    if not keel:
        return table
    outputs = tuple(lists.get("outputs") or [fields[-1].name])
    if "inputs" in lists:
        wanted = {*lists["inputs"], *outputs}
        columns = tuple(column for column in table.columns if column.name in wanted)
        table = replace(table, columns=columns)
    return replace(table, outputs=outputs)


def parse_field(text: str, here: str, *, keel: bool) -> Field:
    """Return what follows ``@attribute``, a name and a type, as a field.

    :raises DataError: if it is none
    """
    match = _ATTRIBUTE.fullmatch(text)
    if match is None:
        raise DataError(f"{here} is not an attribute: a name and a type are expected")
    single, double, bare, kind = match.groups()
    name = _unescape(single or double or "") if bare is None else bare
    kind = kind.strip()
    word = re.split(r"[\s\[{]", kind, maxsplit=1)[0].lower()
    if word in _NUMERIC:
        return Field(name, "numeric")
    if word in _TEXT:
        return Field(name, "text")
    levels = re.fullmatch(r"(?:nominal\s*)?(?:\{(.*)\}|\[(.*)\])", kind, re.S | re.I)
    if levels is None or (levels[1] is None and not keel):
        raise DataError(
            f"{here} gives attribute {name[:60]!r} the type {kind[:40]!r}; "
            "numeric, real, integer, string or {levels} is expected"
        )
    inside = levels[1] if levels[1] is not None else levels[2]
    return Field(name, "nominal", _levels(inside))


def _levels(inside: str) -> tuple[str, ...]:
    found = []
    for match in _LEVEL.finditer(inside):
        single, double, bare = match.groups()
        level = bare.strip() if bare is not None else _unescape(single or double or "")
        if level or bare is None:
            found.append(level)
    return tuple(dict.fromkeys(found))


def _unescape(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)


def _check_listed(names: Sequence[str], fields: Sequence[Field], here: str) -> None:
    known = {field.name for field in fields}
    for name in names:
        if name not in known:
            raise DataError(f"{here} names {name[:60]!r}, which is not an attribute")
