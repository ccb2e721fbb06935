"""The data sets, methods and metrics that an experiment file lists."""

import re
from collections.abc import Iterator
from pathlib import PurePath
from typing import Annotated, ClassVar, Literal

from pydantic import Field, ValidationInfo, field_validator, model_validator
from pydantic_core import PydanticCustomError

from boostbench.config.splits import DatasetSplits, Part, Splits, text_error
from boostbench.data.options import DatasetOptions, Name, Text
from boostbench.values import Record

AtLeast0 = Annotated[float, Field(ge=0)]
ListOfValues = Annotated[list[object], Field(min_length=1)]


def _label(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.+-]+", "_", text).lstrip("_.+-")[:100] or "unnamed"


class _Entry(Part):
    """A part of one of several kinds, whose value is its name where none is given."""

    kinds: ClassVar[tuple[str, ...]]

    @model_validator(mode="before")
    @classmethod
    def _set_name(cls, value: object) -> object:
        if isinstance(value, str):
            return {"name": _label(value), cls.kinds[0]: value}
        if not isinstance(value, dict):
            return value
        given = [kind for kind in cls.kinds if value.get(kind) is not None]
        if not given and isinstance(value.get("name"), str):
            return {**value, cls.kinds[0]: value["name"]}
        if len(given) != 1:
            have = " and ".join(given) or "none of them"
            raise text_error(f"give exactly one of {', '.join(cls.kinds)} (there are {have})")
        source = value[given[0]]
        if "name" in value or not isinstance(source, str | int):
            return value
        return {**value, "name": _name_of(given[0], str(source))}


def _check_known(name: str | None, info: ValidationInfo) -> str | None:
    """Refuse the name of a card or a method that is not among those of the context, if any."""
    known = (info.context or {}).get(info.field_name)
    if name is not None and known is not None and name.partition(":")[0] not in known:
        raise PydanticCustomError("unknown_name", "no such name", {"known": known})
    return name


def _name_of(kind: str, source: str) -> str:
    """Return the name of an entry of this kind that is given none."""
    match kind:
        case "file":
            return _label(PurePath(source).stem)
        case "method" | "estimator":
            return _label(re.split(r"[.:]", source)[-1])
        case "openml":
            return f"openml_{_label(source)}"
    return _label(source)


class DatasetEntry(_Entry, DatasetOptions):
    """A data set of an experiment: exactly one of ``card``, ``openml`` and ``file``."""

    kinds: ClassVar[tuple[str, ...]] = ("card", "openml", "file")

    splits: DatasetSplits | None = None
    weights_ignored_by: list[Text] = Field(default=[])

    _known = field_validator("card")(_check_known)

    @model_validator(mode="after")
    def _check_keys(self) -> "DatasetEntry":
        if wrong := list(self._contradictions()):
            raise text_error("; ".join(wrong))
        return self

    def _contradictions(self) -> Iterator[str]:
        """Yield what is wrong with keys beside others."""
        if self.decimal == self.thousands:
            yield (
                f"'decimal' and 'thousands' are both {self.decimal!r} but must differ; "
                "set 'decimal: \",\"' beside 'thousands: \".\"'"
            )
        if self.encoding != "utf-8" and self.file is None:
            yield "the key 'encoding' is for a file"
        if self.header is not None and self.file is None:
            yield "the key 'header' is for a file"
        if self.positive is not None and self.task == "regression":
            yield "the key 'positive' is for classification"
        if self.missing == "keep" and self.features != "frame":
            yield "'missing: keep' is for frames: add 'features: frame'"
        if self.missing == "median" and self.features == "frame":
            yield (
                "a frame is not filled: set 'missing: keep', with which methods that take the "
                "matrix get medians, or 'missing: drop'"
            )


class MethodEntry(_Entry):
    """A method of an experiment: a registered ``method`` or an importable ``estimator``."""

    kinds: ClassVar[tuple[str, ...]] = ("method", "estimator")

    name: Name = ""
    method: Text | None = None
    estimator: Text | None = None
    params: dict[str, object] = Field(default={})
    choose: dict[str, ListOfValues | Text | int] = Field(default={})
    choose_with: dict[str, object] = Field(default={})
    input: Literal["frame", "matrix"] | None = None

    _known = field_validator("method")(_check_known)

    @field_validator("choose")
    @classmethod
    def _check_choose(cls, choose: Record) -> Record:
        settings = {key: given for key, given in choose.items() if not isinstance(given, list)}
        by, folds = settings.pop("by", ""), settings.pop("folds", 2)
        is_right = isinstance(by, str) and isinstance(folds, int) and folds >= 2 and not settings
        if not is_right or (choose and not any(isinstance(v, list) for v in choose.values())):
            raise ValueError
        return choose

    @property
    def values_to_choose(self) -> dict[str, list[object]]:
        """The values of each parameter that is chosen."""
        return {key: given for key, given in self.choose.items() if isinstance(given, list)}

    @property
    def choose_by(self) -> str:
        """The metric by which values are chosen, "" for the least error."""
        by = self.choose.get("by", "")
        return by if isinstance(by, str) else ""

    @property
    def choose_folds(self) -> int:
        """The number of inner folds on which values are compared, 0 for a quarter of the rows."""
        folds = self.choose.get("folds", 0)
        return folds if isinstance(folds, int) else 0


def upgraded(entry: Record, kind: type[Part]) -> dict[str, object]:
    """Return a recorded entry with today's keys.

    A key that did not exist when the entry was recorded takes its default, which has no effect.
    """
    now = {key: field.default for key, field in kind.model_fields.items()} | dict(entry)
    if kind is DatasetEntry and "header" not in entry and not now.get("na_values"):
        # Entries without the key header are of a time when an empty list was the default.
        now["na_values"] = None
    if now.get("splits"):
        now["splits"] = upgraded(now["splits"], DatasetSplits)
    return now


def upgraded_splits(splits: Record | None) -> Record | None:
    """Return the recorded splits of an experiment with today's keys; see :func:`upgraded`."""
    return None if splits is None else upgraded(splits, Splits)


class MetricEntry(Part):
    """A score that each trial records, by a function of its fitted estimator."""

    name: Text
    function: Text | None = None
    greater_is_better: bool | None = None
    digits: Annotated[int, Field(ge=0, le=15)] | None = None
    tolerance: AtLeast0 | None = None
    relative_tolerance: AtLeast0 | None = None
    spread_tolerance: AtLeast0 | None = None
    scale: Annotated[float, Field(gt=0)] | None = None
    averages: list[Literal["arithmetic", "geometric"]] | None = None

    @model_validator(mode="before")
    @classmethod
    def _by_name(cls, value: object) -> object:
        return {"name": value} if isinstance(value, str) else value
