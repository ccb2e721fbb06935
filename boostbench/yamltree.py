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

_MAX_VALUES = 100_000
_CORE = "tag:yaml.org,2002:"
_SCALARS = {
    "null": r"~|null|Null|NULL|",
    "bool": r"true|True|TRUE|false|False|FALSE",
    "int": r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+",
    "float": r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
    r"|[-+]?\.(?:inf|Inf|INF)|\.nan|\.NaN|\.NAN",
}
"""The plain scalars of each kind."""


class _Loader(yaml.SafeLoader):
    """SafeLoader with the implicit resolvers of YAML 1.2's core schema."""


_Loader.yaml_implicit_resolvers = {}
for _tag, _pattern in _SCALARS.items():
    _Loader.add_implicit_resolver(f"{_CORE}{_tag}", re.compile(rf"^(?:{_pattern})$"), None)


@dataclass
class Document:
    """A parsed text: its ``value`` and where each part of it is.

    ``keys`` and ``values`` map a path such as ``("methods", 1, "params")`` to the place of the key,
    and of its value: ``file:line:column``, both counted from 1.
    """

    source: str
    value: Any = None
    keys: dict[Keys, str] = field(default_factory=dict)
    values: dict[Keys, str] = field(default_factory=dict)

    def where(self, path: Sequence[str | int], *, key: bool = False) -> str:
        """Return ``file:line:column`` of the value (or the key) at ``path``.

        A path that the text does not spell out has the place of the part that encloses it.
        """
        at = tuple(path)
        if (place := (self.keys if key else self.values).get(at)) is not None:
            return place
        while at and at not in self.values:
            at = at[:-1]
        return self.keys.get(at) or self.values.get(at, f"{self.source}:1:1")

    def override(self, path: Keys, source: str) -> None:
        """Have ``source`` named as the place of the part at ``path``, and of all in it."""
        n = len(path)
        made = {path[:i] for i in range(1, n) if path[:i] not in self.values}
        inside = {at for at in (*self.keys, *self.values) if at[:n] == path}
        for places in (self.keys, self.values):
            places.update(dict.fromkeys({*made, path, *inside}, source))


def read_yaml(path: Path) -> Document:
    """Parse a YAML file.

    Raises ConfigError, as :func:`parse_yaml` does, and if the file cannot be read.
    """
    try:
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
        node = loader.get_single_node()
        if node is not None:
            document.value = _Builder(document).value(node, ())
        return document
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark or loader.get_mark()
        line, column = mark.line, mark.column
        problem = ", ".join(filter(None, (error.context, error.problem)))
    except yaml.reader.ReaderError as error:
        line, column = text.count("\n", 0, error.position), 0
        problem = f"the character {error.character!r} is not allowed"
    except (ValueError, OverflowError):
        # PyYAML takes any eight hexadecimal digits for a character.
        line, column, problem = loader.line, loader.column, "an escape of no character"
    except RecursionError:
        line, column, problem = 0, 0, "lists or mappings are nested too deeply"
    why = " ".join(problem.split())
    raise ConfigError(f"{source}:{line + 1}:{column + 1}: not valid YAML: {why}")


class _Builder:
    """Walks a node tree, makes its value and fills the places of a document."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.open: set[int] = set()
        self.count = 0

    def _place(self, node: yaml.Node) -> str:
        mark = node.start_mark
        return f"{self.document.source}:{mark.line + 1}:{mark.column + 1}"

    def _fail(self, node: yaml.Node, message: str) -> ConfigError:
        return ConfigError(f"{self._place(node)}: {' '.join(message.split())}")

    def value(self, node: yaml.Node, path: Keys) -> Any:
        self.document.values[path] = self._place(node)
        self.count += 1
        if self.count > _MAX_VALUES:
            raise self._fail(node, f"more than {_MAX_VALUES} values, counting each use of an alias")
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node)
        is_list = isinstance(node, yaml.SequenceNode)
        if node.tag != f"{_CORE}{'seq' if is_list else 'map'}":
            raise self._fail(node, f"the tag {node.tag.replace(_CORE, '!!')} is not allowed")
        if id(node) in self.open:
            raise self._fail(node, "an alias is inside the value that it refers to")
        self.open.add(id(node))
        if is_list:
            found: Any = [self.value(child, (*path, i)) for i, child in enumerate(node.value)]
        else:
            found = self._mapping(node, path)
        self.open.discard(id(node))
        return found

    def _mapping(self, node: yaml.Node, path: Keys) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise self._fail(key_node, "a key must be a text, not a list or a mapping")
            # A number or a truth value as a key is meant as its text: only texts are keys here.
            key = self._text(key_node)
            if key in result:
                first = self.document.keys[(*path, key)].split(":")[-2]
                raise self._fail(
                    key_node, f"the key '{key}' is given twice (first on line {first})"
                )
            self.document.keys[(*path, key)] = self._place(key_node)
            result[key] = self.value(value_node, (*path, key))
        return result

    def _text(self, node: yaml.ScalarNode) -> str:
        if any("\ud800" <= character <= "\udfff" for character in node.value):
            raise self._fail(node, "a text with half a character (a lone surrogate)")
        return str(node.value)

    def _scalar(self, node: yaml.ScalarNode) -> Any:
        text, tag = node.value, node.tag.removeprefix(_CORE)
        if tag == "str":
            return self._text(node)
        if tag not in _SCALARS or not re.fullmatch(_SCALARS[tag], text):
            tag = node.tag.replace(_CORE, "!!")
            raise self._fail(node, f"the tag {tag} is not allowed for '{text}'")
        if tag == "null":
            return None
        if tag == "bool":
            return text.lower() == "true"
        if tag == "int" and len(text) < 400:
            return int(text, {"0o": 8, "0x": 16}.get(text[:2], 10))
        plain = text.replace(".", "") if text[-1].isalpha() else text
        number = math.inf if tag == "int" else float(plain)
        if not math.isfinite(number):
            raise self._fail(node, f"the number {text[:40]} is not finite")
        return number
