"""The conditions under which a paper measured, such as depth, noise or rounds, and their values.

The value of a condition is a setting of a data set or a parameter of a method. All conditions of a
paper together have a :data:`Setting`, one value each, in the order of its ``conditions``.
"""

import hashlib
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from pydantic import ConfigDict

from boostbench.grouping import grouped

Value = int | float | str
Setting = tuple[Value | None, ...]
"""The value of each condition, ``None`` where one has no value."""


@dataclass(frozen=True)
class Condition:
    """A condition of a paper, and where its values come from.

    They are those of ``data``, a key of a data set or of its splits in an experiment, or a column
    of ``datasets.csv``; or those of ``param``, a parameter of methods: one name for all, or names
    by method, which is a role, a registered method or a printed column. Methods without a name
    there do not depend on the condition. ``default`` is the value where none is given. ``of`` says
    in words what has it, as in "trees" of depth 3.
    """

    __pydantic_config__ = ConfigDict(extra="forbid")

    data: str = ""
    param: str | dict[str, str] = ""
    default: Value | None = None
    of: str = ""

    def __post_init__(self) -> None:
        if bool(self.data) == bool(self.param):
            raise ValueError(
                "say where its values come from, either 'data: KEY', a setting of a data set, or "
                "'param: NAME', a parameter of methods"
            )

    def parameter(self, names: Iterable[str]) -> str:
        """Return the parameter of a method that has these ``names``, "" if it has none."""
        if isinstance(self.param, str):
            return self.param
        return next((self.param[name] for name in names if name in self.param), "")

    @property
    def parameters(self) -> Collection[str]:
        """Every parameter that has its values."""
        return [self.param] if isinstance(self.param, str) else self.param.values()


Conditions = Mapping[str, Condition]
"""The conditions of a paper by name."""
USUAL: Conditions = {"depth": Condition(param="depth", of="trees")}
"""The conditions of a paper that names none."""


def value_of(given: object) -> Value | None:
    """Return a cell, or the value of a parameter, as that of a condition; ``None`` for none."""
    if isinstance(given, bool) or not isinstance(given, int | float | str):
        return None
    text = str(given).strip()
    try:
        number = float(text)
    except ValueError:
        return text or None
    if not math.isfinite(number):
        return text
    return int(number) if number.is_integer() else number


def is_given(value: Value | None) -> bool:
    """Return whether a condition has a value."""
    return value is not None


def setting_in(row: Mapping[str, str], conditions: Iterable[str]) -> Setting:
    """Return the values of conditions in the columns of their names."""
    return tuple(value_of(row.get(name)) for name in conditions)


def matches(own: Setting, asked: Setting) -> bool:
    """Return whether what was measured in a setting counts in another: it has no other value."""
    return all(one is None or one == other for one, other in zip_longest(own, asked))


def kept(setting: Setting, are_kept: Iterable[object]) -> Setting:
    """Return a setting with the values of some of its conditions alone."""
    own = zip(setting, are_kept, strict=True)
    return tuple(value if is_kept else None for value, is_kept in own)


def in_order(settings: Iterable[Setting]) -> list[Setting]:
    """Return each setting once, by their values: numbers, then texts, then those without one."""
    return sorted(set(settings), key=lambda setting: [_place(value) for value in setting])


def _place(value: Value | None) -> tuple[bool, bool, Value]:
    return value is None, isinstance(value, str), 0 if value is None else value


def along(settings: Sequence[Setting], place: int) -> list[list[int]]:
    """Return the numbers of the settings that differ in one condition only, in groups."""
    others = [setting[:place] + setting[place + 1 :] for setting in settings]
    return list(grouped(zip(others, range(len(settings)), strict=True)).values())


def seeds_of(setting: Setting) -> list[int]:
    """Return a number for each value, from which random numbers are drawn."""
    return [_seed(value) for value in setting]


def _seed(value: Value | None) -> int:
    if value is None:
        return 0
    if isinstance(value, int) and value >= 0:
        return value
    return int.from_bytes(hashlib.sha256(repr(value).encode()).digest()[:4])


# -- in words --------------------------------------------------------------------------------------


def in_words(conditions: Iterable[str], setting: Setting) -> str:
    """Return a setting in words, such as "depth 3, noise 0.1"; "" for one without values."""
    pairs = zip(conditions, setting, strict=True)
    return ", ".join(f"{name} {value}" for name, value in pairs if value is not None)


def told_apart(conditions: Iterable[str], setting: Setting, every: Sequence[Setting]) -> str:
    """Return one of several settings in words, without the conditions that all have alike."""
    differs = [len(set(values)) > 1 for values in zip(*every, strict=True)]
    return in_words(conditions, kept(setting, differs))


def measured_at(conditions: Conditions, name: str, values: Iterable[Value], joint: str) -> str:
    """Return what has the values of a condition: "trees of depth 2 or 3", "runs at noise 0.1"."""
    return f"{_subject(conditions[name])} {name} {joint.join(map(str, values))}"


def others_of(conditions: Conditions, name: str) -> str:
    """Return what has other values of a condition in words, such as "trees of other depths"."""
    return _with_values(conditions, name, "other")


def several_of(conditions: Conditions, name: str) -> str:
    """Return what has several values of a condition in words: "trees of several depths"."""
    return _with_values(conditions, name, "several")


def _with_values(conditions: Conditions, name: str, which: str) -> str:
    condition = conditions[name]
    values = f"{name}s" if condition.of else f"values of {name}"
    return f"{_subject(condition)} {which} {values}"


def each_of(conditions: Conditions) -> list[str]:
    """Return what has some value of each condition in words, such as "trees of a depth"."""
    return [
        f"{_subject(condition)} a {name if condition.of else f'value of {name}'}"
        for name, condition in conditions.items()
    ]


def _subject(condition: Condition) -> str:
    return f"{condition.of} of" if condition.of else "runs at"
