"""YAML files as plain values, with the line and column of every key and value.

Scalars are resolved as in the core schema of YAML 1.2 (PyYAML's own resolver is YAML 1.1, in which
``1e-3`` is a text, ``on`` a truth value and ``10:30`` the number 630), and a key given twice, which
PyYAML lets pass, is an error.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from boostbench.errors import ConfigError

Keys = tuple[str | int, ...]

_MAX_BYTES = 4 * 2**20
_MAX_VALUES = 100_000
_CORE = "tag:yaml.org,2002:"
_SCALARS = {
    "null": (r"~|null|Null|NULL|", [*"~nN", ""]),
    "bool": (r"true|True|TRUE|false|False|FALSE", [*"tTfF"]),
    "int": (r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", [*"-+0123456789"]),
    "float": (
        r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
        r"|[-+]?\.(?:inf|Inf|INF)|\.nan|\.NaN|\.NAN",
        [*"-+.0123456789"],
    ),
}
"""The plain scalars of each kind, and the characters that begin them."""
_PROBLEMS = {
    r"'\t'": "a tab begins this value; indent with blanks",
    "mapping values are not allowed": "a second ': ' on this line, or a wrong indent; put texts "
    "that hold ': ' in quotes",
    "could not find expected ':'": "a key without ': ' after it",
    "but found another document": "a second document ('---'); a file holds one",
    "expected <block end>": "this line is not indented like the lines above it",
}


class _Loader(yaml.SafeLoader):
    """SafeLoader with the implicit resolvers of YAML 1.2's core schema."""


_Loader.yaml_implicit_resolvers = {}
for _tag, (_pattern, _first) in _SCALARS.items():
    _Loader.add_implicit_resolver(f"{_CORE}{_tag}", re.compile(rf"^(?:{_pattern})$"), _first)


@dataclass
class Document:
    """A parsed text: its ``value`` and where each part of it is.

    ``keys`` and ``values`` map a path such as ``("methods", 1, "params")`` to (line, column), both
    counted from 1: the place of the key, and the place of its value.
    """

    source: str
    value: Any = None
    keys: dict[Keys, tuple[int, int]] = field(default_factory=dict)
    values: dict[Keys, tuple[int, int]] = field(default_factory=dict)
    overridden: dict[Keys, str] = field(default_factory=dict)

    def where(self, path: Sequence[str | int], *, key: bool = False) -> str:
        """Return ``file:line:column`` of the value (or the key) at ``path``.

        A path that the text does not spell out has the place of the part that encloses it.
        """
        at = tuple(path)
        for n in range(len(at), -1, -1):
            if at[:n] in self.overridden:
                return self.overridden[at[:n]]
        places = self.keys if key else self.values
        if at in places:
            line, column = places[at]
            return f"{self.source}:{line}:{column}"
        # A part that only an override's longer key has made, as limits of --set limits.time=5.
        for longer, source in self.overridden.items():
            if at not in self.values and longer[: len(at)] == at:
                return source
        while at and at not in self.values:
            at = at[:-1]
        line, column = self.keys.get(at, self.values.get(at, (1, 1)))
        return f"{self.source}:{line}:{column}"


def read_yaml(path: Path) -> Document:
    """Parse a YAML file.

    Raises ConfigError, as :func:`parse_yaml` does, and if the file cannot be read.
    """
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise ConfigError(f"{path} is larger than 4 MiB, the most that a YAML file may have")
        return parse_yaml(path.read_text(encoding="utf-8-sig"), str(path))
    except UnicodeDecodeError as error:
        line = path.read_bytes().count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{path}:{line}:1: the file is not UTF-8 text") from None
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from None


def parse_yaml(text: str, source: str) -> Document:
    """Parse one YAML document of plain values.

    Raises ConfigError, with ``source:line:column``, on bad YAML, a key given twice, a key that is
    not a text, a tag, a value that contains itself, or a number that is not finite.
    """
    document = Document(source)
    try:
        loader = _Loader(text)
        try:
            node = loader.get_single_node()
        except (ValueError, OverflowError):
            # PyYAML takes any eight hexadecimal digits for a character.
            place = f"{source}:{loader.line + 1}:{loader.column + 1}"
            raise ConfigError(f"{place}: not valid YAML: an escape of no character") from None
        finally:
            loader.dispose()
        if node is not None:
            document.value = _Builder(document).value(node, ())
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f":{mark.line + 1}:{mark.column + 1}" if mark else ""
        raise ConfigError(
            f"{source}{place}: not valid YAML: {' '.join(_problem(error).split())}"
        ) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise ConfigError(
            f"{source}:{line}:1: not valid YAML: the character {error.character!r} is not allowed"
        ) from None
    except RecursionError:
        raise ConfigError(f"{source}:1:1: lists or mappings are nested too deeply") from None
    return document


def _problem(error: yaml.MarkedYAMLError) -> str:
    problem = error.problem or "cannot be read"
    return next((words for part, words in _PROBLEMS.items() if part in problem), problem)


class _Builder:
    """Walks a node tree, makes its value and fills the places of a document."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.count = 0
        self.open: set[int] = set()

    def _fail(self, node: yaml.Node, message: str) -> ConfigError:
        mark = node.start_mark
        place = f"{self.document.source}:{mark.line + 1}:{mark.column + 1}"
        return ConfigError(f"{place}: {' '.join(message.split())}")

    def value(self, node: yaml.Node, path: Keys) -> Any:
        self.document.values[path] = (node.start_mark.line + 1, node.start_mark.column + 1)
        self.count += 1
        if self.count > _MAX_VALUES:
            raise self._fail(node, f"more than {_MAX_VALUES} values, counting each use of an alias")
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node)
        if id(node) in self.open:
            raise self._fail(node, "an alias is inside the value that it refers to")
        self.open.add(id(node))
        try:
            return self._collection(node, path)
        finally:
            self.open.discard(id(node))

    def _collection(self, node: yaml.Node, path: Keys) -> Any:
        kind = "seq" if isinstance(node, yaml.SequenceNode) else "map"
        if node.tag != f"{_CORE}{kind}":
            tag = node.tag.replace(_CORE, "!!")
            raise self._fail(node, f"the tag {tag} is not allowed")
        if isinstance(node, yaml.SequenceNode):
            return [self.value(child, (*path, i)) for i, child in enumerate(node.value)]
        result: dict[str, Any] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise self._fail(key_node, "a key must be a text, not a list or a mapping")
            # A number or a truth value as a key is meant as its text: only texts are keys here.
            key = key_node.value
            self._check_characters(key_node, "key")
            place = (key_node.start_mark.line + 1, key_node.start_mark.column + 1)
            if key in result:
                first = self.document.keys[(*path, key)][0]
                raise self._fail(
                    key_node, f"the key '{key}' is given twice (first on line {first})"
                )
            self.document.keys[(*path, key)] = place
            result[key] = self.value(value_node, (*path, key))
        return result

    def _scalar(self, node: yaml.ScalarNode) -> Any:
        text: str = node.value
        tag = node.tag.removeprefix(_CORE)
        if tag == "str":
            self._check_characters(node, "text")
            return text
        if tag not in _SCALARS or not re.fullmatch(_SCALARS[tag][0], text):
            tag = node.tag.replace(_CORE, "!!")
            raise self._fail(node, f"the tag {tag} is not allowed for '{text}'")
        if tag == "null":
            return None
        if tag == "bool":
            return text.lower() == "true"
        if tag == "int":
            if len(text) > 400:
                raise self._fail(node, "a whole number of more than 400 digits")
            return int(text, {"0o": 8, "0x": 16}.get(text[:2], 10))
        number = float(text.replace(".", "") if text[-1].isalpha() else text)
        if not math.isfinite(number):
            raise self._fail(node, f"the number {text} is not finite")
        return number

    def _check_characters(self, node: yaml.ScalarNode, what: str) -> None:
        if any("\ud800" <= character <= "\udfff" for character in node.value):
            raise self._fail(node, f"a {what} with half a character (a lone surrogate)")
