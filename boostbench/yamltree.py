"""YAML files as plain values, with the line and column of every key and value.

Scalars are resolved as in the core schema of YAML 1.2 (PyYAML's own resolver is YAML 1.1, in which
``1e-3`` is a text, ``on`` a truth value and ``10:30`` the number 630), and a key given twice, which
PyYAML lets pass, is an error. A merge key (``<<: *base``) adds the keys of another mapping, or of
each in a list, as in YAML 1.1: a key that is given beside it, or in an earlier mapping, counts.
"""

import contextlib
import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from boostbench.data.content import encoding_of, without_dos_end
from boostbench.errors import ConfigError

Keys = tuple[str | int, ...]
_Pairs = dict[str, tuple[yaml.ScalarNode, yaml.Node]]

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
    """SafeLoader with the implicit resolvers of YAML 1.2's core schema, and without tags."""

    def fetch_tag(self) -> None:
        raise yaml.scanner.ScannerError(None, None, "a tag is not allowed", self.get_mark())


_Loader.yaml_implicit_resolvers = {}
for _tag, _pattern in _SCALARS.items():
    _Loader.add_implicit_resolver(f"{_CORE}{_tag}", re.compile(rf"^(?:{_pattern})$"), None)


class Document:
    """A parsed text: its ``value`` and where each part of it is.

    ``places`` maps a path such as ``("methods", 1, "params")`` to the places of the key, where it
    has one, and of its value: ``file:line:column``, both counted from 1.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.value: Any = None
        self.places: dict[Keys, tuple[str, str]] = {(): (f"{source}:1:1", f"{source}:1:1")}
        self._known_pairs: dict[int, _Pairs] = {}

    def where(self, path: Sequence[str | int], *, key: bool = False) -> str:
        """Return ``file:line:column`` of the value (or the key) at ``path``.

        A path that is not in the text has the place of the part that encloses it.
        """
        at = tuple(path)
        while at not in self.places:
            at, key = at[:-1], True
        return self.places[at][0 if key else 1]

    def override(self, path: Keys, source: str) -> None:
        """Set ``source`` as the place of the part at ``path`` and of everything in it."""
        made = [path[:n] for n in range(len(path) + 1) if path[:n] not in self.places]
        inside = [at for at in self.places if at[: len(path)] == path]
        self.places.update(dict.fromkeys([*made, *inside], (source, source)))

    def build(self, node: yaml.Node, path: Keys = (), key: yaml.Node | None = None) -> object:
        """Return the value of a node and keep the places of its parts."""
        self.places[path] = self.at((key or node).start_mark), self.at(node.start_mark)
        # Each use of an alias counts, and has a value of its own.
        if len(self.places) > _MAX_VALUES:
            raise _wrong(node, f"more than {_MAX_VALUES} values, counting each use of an alias")
        if isinstance(node, yaml.ScalarNode):
            return _scalar(node)
        if isinstance(node, yaml.SequenceNode):
            return [self.build(child, (*path, i)) for i, child in enumerate(node.value)]
        pairs = self._pairs(node)
        return {name: self.build(child, (*path, name), key) for name, (key, child) in pairs.items()}

    def _pairs(self, node: yaml.Node) -> _Pairs:
        """Return the nodes of the keys and values of a mapping by key, merged ones first."""
        if id(node) in self._known_pairs:
            return self._known_pairs[id(node)]
        merged: _Pairs = {}
        own: _Pairs = {}
        for key, child in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise _wrong(key, "a key must be a text, not a list or a mapping")
            # A number or a truth value as a key is meant as its text: only texts are keys here.
            name = _text(key)
            if name in own:
                first = self.at(own[name][0].start_mark)
                raise _wrong(key, f"the key '{name}' is given twice (first at {first})")
            own[name] = key, child
            if _is_merge(key):
                for mapping in _mappings(child):
                    merged = {**self._pairs(mapping), **merged}
        if "<<" in own and _is_merge(own["<<"][0]):
            del own["<<"]
        self._known_pairs[id(node)] = merged | own
        return merged | own

    def at(self, mark: yaml.Mark | yaml.SafeLoader) -> str:
        """Return ``file:line:column`` of a mark, or of where a loader is."""
        return f"{self.source}:{mark.line + 1}:{mark.column + 1}"


def read_yaml(path: Path) -> Document:
    """Parse a YAML file.

    Raises ConfigError, as :func:`parse_yaml` does, and if the file cannot be read.
    """
    try:
        content = path.read_bytes()
        # Invalid UTF-8 becomes a character that YAML does not allow.
        text = content.decode(encoding_of(content), errors="surrogateescape")
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}:1:1: not a text in {error.encoding}; save it as UTF-8") from None
    return parse_yaml(without_dos_end(text), str(path))


def parse_yaml(text: str, source: str) -> Document:
    """Parse one YAML document of plain values.

    Raises ConfigError, with ``source:line:column``, on bad YAML, a key given twice, a key that is
    not a text, a tag, a value that contains itself, or a number that is not finite.
    """
    document = Document(source)
    try:
        loader = _Loader(text)
        node = loader.get_single_node()
        document.value = None if node is None else document.build(node)
        return document
    except yaml.MarkedYAMLError as error:
        place = document.at(error.problem_mark or error.context_mark or loader.get_mark())
        problem = ", ".join(filter(None, (error.context, error.problem)))
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        place = f"{source}:{line}:1"
        problem = "a character that YAML does not allow, or that is not UTF-8"
    except (ValueError, OverflowError):
        # PyYAML takes any eight hexadecimal digits for a character.
        place, problem = document.at(loader), "an escape of no character"
    except RecursionError:
        place = [*document.places.values()][-1][1]
        problem = "values are nested too deeply, or in themselves by an alias"
    raise ConfigError(f"{place}: not valid YAML: {' '.join(problem.split())}")


def _wrong(node: yaml.Node, message: str) -> yaml.MarkedYAMLError:
    return yaml.constructor.ConstructorError(None, None, message, node.start_mark)


def _is_merge(key: yaml.ScalarNode) -> bool:
    """Return whether a key is a merge key, and not a text in quotes."""
    return bool(key.value == "<<" and key.style is None)


def _mappings(node: yaml.Node) -> list[yaml.Node]:
    """Return the mappings that the value of a merge key names."""
    nodes = node.value if isinstance(node, yaml.SequenceNode) else [node]
    for each in nodes:
        if not isinstance(each, yaml.MappingNode):
            raise _wrong(each, "a merge key (<<) takes a mapping, or a list of mappings")
    return list(nodes)


def _text(node: yaml.ScalarNode) -> str:
    if any("\ud800" <= character <= "\udfff" for character in node.value):
        raise _wrong(node, "a text with half a character (a lone surrogate)")
    return str(node.value)


def _scalar(node: yaml.ScalarNode) -> str | float | bool | None:
    text, kind = _text(node), node.tag.removeprefix(_CORE)
    if kind in ("null", "str"):
        return text if kind == "str" else None
    if kind == "bool":
        return text.lower() == "true"
    base = {"0o": 8, "0x": 16}.get(text[:2], 10)
    with contextlib.suppress(ValueError, OverflowError):
        number = float(text) if kind == "float" else int(text, base)
        if math.isfinite(number):
            return number
    raise _wrong(node, f"the number {text[:40]} is not finite")
