"""Values of Python as an experiment file."""

import math
import os
import re
from collections.abc import Mapping, Sequence, Set

import numpy as np
import yaml

from boostbench.errors import ConfigError

# A text that is one in every version of YAML without quotes.
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_.+-]*")
_NO_TEXTS = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n"})


class _Dumper(yaml.SafeDumper):
    """Writes texts in quotes unless they are words, so that each reader takes them for texts."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def _text_node(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    is_word = _WORD.fullmatch(text) and text.lower() not in _NO_TEXTS
    node: yaml.ScalarNode = dumper.represent_scalar(
        "tag:yaml.org,2002:str", text, style=None if is_word else '"'
    )
    return node


_Dumper.add_representer(str, _text_node)


def yaml_text(values: Mapping[str, object]) -> str:
    """Return plain values as YAML that :func:`boostbench.yamltree.read_yaml` reads as the same."""
    text: str = yaml.dump(
        dict(values),
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        width=100,
        default_flow_style=None,
    )
    return text


def plain(value: object, where: str) -> object:
    """Return a value as an experiment file can hold it; ConfigError, which says ``where``, else.

    Numbers of NumPy become those of Python, and every sequence a list.
    """
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if isinstance(value, float) and not math.isfinite(value):
        raise ConfigError(f"{where} is {value!r}: an experiment file has finite numbers only")
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Mapping):
        return {str(key): plain(item, f"{where}.{key}") for key, item in value.items()}
    return [plain(item, f"{where}[{i}]") for i, item in enumerate(_items(value, where))]


def _items(value: object, where: str) -> Sequence[object]:
    """Return the items of a sequence or a set; ConfigError where it is neither."""
    if isinstance(value, Set):
        return sorted(value, key=repr)
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return value
    raise ConfigError(
        f"{where} is of type {type(value).__name__}, which an experiment file cannot hold: give a "
        "number, a text, a list or a mapping"
    )
