"""The typed experiment: what a file in ``configs/`` says, checked for shape, not yet for sense."""

import re
import shlex
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PrivateAttr,
    StringConstraints,
    model_validator,
)
from pydantic_core import PydanticCustomError

from boostbench.config.splits import DatasetSplits, Part, Splits, split_rule, splits_shorthand
from boostbench.data.cards import load_card
from boostbench.data.request import DataRequest, same_marks
from boostbench.data.splits import SplitRule, read_test_rows
from boostbench.errors import DataError
from boostbench.papers import get_paper
from boostbench.papers.metrics import Metric, asked_metrics
from boostbench.suggest import counted, did_you_mean
from boostbench.yamltree import Document

_BYTES = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_MEMORY = re.compile(r"(?i)([0-9]+(?:\.[0-9]+)?) ?([KMGT]?)(?:i?B)?")
_ENCODINGS = ("utf-8", "utf-16", "latin-1", "cp1252", "cp1250", "shift_jis", "gb18030")
MAX_SEED = 2**32 - 1


def parse_memory(text: str) -> int:
    """Return the bytes that ``"4 GiB"``, ``"512 MB"`` or ``"4G"`` means (units of 1024).

    Raises ValueError if the text is no such size or less than 64 MiB.
    """
    match = _MEMORY.fullmatch(text.strip())
    if match is None:
        raise ValueError("a size such as '4 GiB' or '512 MiB'")
    size = int(float(match[1]) * _BYTES[match[2].upper()])
    if size < 64 * 2**20:
        raise ValueError("at least '64 MiB'")
    return size


def _memory(text: str) -> str:
    try:
        parse_memory(text)
    except ValueError as error:
        raise PydanticCustomError("allowed", "{what}", {"what": str(error)}) from None
    return text


def _complaint(sentence: str) -> PydanticCustomError:
    return PydanticCustomError("sentence", "{text}", {"text": sentence})


def _known_encoding(name: str) -> str:
    try:
        # Refuses what Python calls an encoding but is none of text, such as base64.
        b"\xff\xff\xff\xff".decode(name, errors="replace")
    except (LookupError, ValueError):
        hint = did_you_mean(name, _ENCODINGS) or f" (such as {', '.join(_ENCODINGS)})"
        raise _complaint(f"no encoding of text '{name}'{hint}") from None
    return name


def _no_address(file: str) -> str:
    if "://" in file:
        raise _complaint(
            f"{file} is an address, and not a file on this machine: download it, such as by "
            f"curl -O {shlex.quote(file)}, and name the copy"
        )
    return file


def _distinct(values: list[int]) -> list[int]:
    seen: set[int] = set()
    for value in values:
        if value in seen:
            raise PydanticCustomError(
                "allowed", "{what}", {"what": f"a list without repeats ({value} is there twice)"}
            )
        seen.add(value)
    return values


def _label(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.+-]+", "_", text).lstrip("_.+-")[:100] or "unnamed"


def _dataset_shorthand(value: Any) -> Any:
    return {"name": _label(value), "card": value} if isinstance(value, str) else value


def _method_shorthand(value: Any) -> Any:
    return {"name": _label(value), "method": value} if isinstance(value, str) else value


def _numbers_in(path: Path) -> list[int | str]:
    """Return what sorts test_2.txt before test_10.txt."""
    parts = re.split(r"(\d+)", path.name)
    return [int(part) if part.isdigit() else part for part in parts]


def _metric_shorthand(value: Any) -> Any:
    return {"name": value} if isinstance(value, str) else value


def _number_as_text(value: Any) -> Any:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _value_as_text(value: Any) -> Any:
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.+-]{0,99}$")]
Text = Annotated[str, StringConstraints(min_length=1)]
Seed = Annotated[int, Field(ge=0, le=MAX_SEED)]


class DatasetEntry(Part):
    """A data set of an experiment: exactly one of ``card``, ``openml`` and ``file``."""

    name: Name = Field(default="", description="The label in plans and tables.")
    card: Text | None = Field(default=None, description="The name of a data set card.")
    openml: Annotated[int, Field(ge=1)] | None = Field(default=None, description="An OpenML id.")
    file: Annotated[Text, AfterValidator(_no_address)] | None = Field(
        default=None,
        description="A .csv, .arff, .dat (KEEL), .xlsx, Parquet or Feather file, relative to the "
        "experiment file's folder.",
    )
    encoding: Annotated[Text, AfterValidator(_known_encoding)] = Field(
        default="utf-8", description="The encoding of a text file, such as latin-1 or utf-16."
    )
    target: Text | int | None = Field(
        default=None,
        description="The column to predict, by name or by its number (from 1; -1 is the last).",
    )
    drop: list[Text] = Field(default=[], description="Columns to leave out.")
    task: Literal["regression", "classification"] | None = Field(
        default=None, description="Default: what the card says, else regression."
    )
    categorical: list[Text] | Literal["auto"] = Field(
        default=[],
        description="Columns to encode as categories, one-hot, or auto: every column of text, "
        "except for names (more than 20 different texts, and fewer than two rows for each), which "
        "are left out.",
    )
    decimal: Literal[".", ","] = Field(
        default=".", description="The decimal mark of the numbers in a text file."
    )
    thousands: Literal[",", ".", " ", "'"] | None = Field(
        default=None,
        description="The mark between groups of three digits, as in 1,234,567. It must differ from "
        "the decimal mark, and separates thousands only: 1,5 is no number then.",
    )
    na_values: list[
        Annotated[Text, BeforeValidator(_value_as_text, json_schema_input_type=str | float)]
    ] = Field(
        default=[],
        description="Texts and numbers that mean a missing value, such as '-' or -999, beside "
        "the usual ones (an empty cell, ?, NA, N/A, NaN, null, None and their like).",
    )
    missing: Literal["error", "drop", "median"] = Field(
        default="error",
        description="What to do about missing values: refuse them, drop their rows, or fill them "
        "by the median of the training rows (a category that is missing gets none of the levels). "
        "A row without a target is dropped.",
    )
    per_class: Annotated[int, Field(ge=1)] | None = Field(
        default=None,
        description="Take this many rows of each class, drawn once and for all (classification).",
    )
    splits: Annotated[
        DatasetSplits | None,
        BeforeValidator(
            splits_shorthand, json_schema_input_type=Literal["given"] | DatasetSplits | None
        ),
    ] = Field(
        default=None,
        description="How to divide its rows, in an experiment with splits: given, as its card "
        "says, or a mapping.",
    )

    @model_validator(mode="before")
    @classmethod
    def _name_it(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        given = [kind for kind in ("card", "openml", "file") if value.get(kind) is not None]
        if not given and isinstance(value.get("name"), str):
            return {**value, "card": value["name"]}
        if len(given) != 1:
            have = " and ".join(given) if given else "none of them"
            raise _complaint(f"give exactly one of card, openml, file, not {have}")
        source = value[given[0]]
        if "name" not in value and isinstance(source, str | int):
            label = _label(PurePath(str(source)).stem if given == ["file"] else str(source))
            return {**value, "name": f"openml_{label}" if given == ["openml"] else label}
        return value

    @model_validator(mode="after")
    def _fitting_keys(self) -> "DatasetEntry":
        if self.decimal == self.thousands:
            raise _complaint(same_marks(self.decimal))
        if self.encoding != "utf-8" and self.file is None:
            raise _complaint("the key 'encoding' is for a file")
        return self


class MethodEntry(Part):
    """A method of an experiment: a registered ``method`` or an importable ``estimator``."""

    name: Name = Field(default="", description="The label in plans and tables.")
    method: Text | None = Field(default=None, description="The name of a registered method.")
    estimator: Text | None = Field(
        default=None, description="The import path of a scikit-learn estimator class."
    )
    params: dict[str, Any] = Field(default={}, description="The estimator's parameters.")
    choose: dict[str, Annotated[list[Any], Field(min_length=1)]] = Field(
        default={},
        description="Parameters, each with a list of values: those of least error on a random "
        "quarter of the training rows are used to fit on all of them.",
    )
    choose_with: dict[str, Any] = Field(
        default={},
        description="Parameters for the fits that are compared to choose, in place of those of the "
        "same names: a faster solver, say.",
    )

    @model_validator(mode="before")
    @classmethod
    def _name_it(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        given = [kind for kind in ("method", "estimator") if value.get(kind) is not None]
        if not given and isinstance(value.get("name"), str):
            return {**value, "method": value["name"]}
        if len(given) != 1:
            have = "both" if given else "none of them"
            raise _complaint(f"give exactly one of method, estimator, not {have}")
        if "name" not in value and isinstance(value[given[0]], str):
            return {**value, "name": _label(re.split(r"[.:]", value[given[0]])[-1])}
        return value


def as_now(entry: Mapping[str, Any], kind: type[Part]) -> dict[str, Any]:
    """Return a recorded entry with today's keys.

    A key that did not exist when it was recorded had no effect then, as by its default now.
    """
    now = {key: field.default for key, field in kind.model_fields.items()} | dict(entry)
    if now.get("splits"):
        now["splits"] = as_now(now["splits"], DatasetSplits)
    return now


class MetricEntry(Part):
    """A score that each trial records, by a function of its fitted estimator."""

    name: Text = Field(description="Its name in trials.csv.")
    function: Text | None = Field(
        default=None,
        description="A scorer of scikit-learn or module:function; default: what the name says.",
    )
    greater_is_better: bool | None = Field(default=None, description="Default: true.")
    digits: Annotated[int, Field(ge=0, le=15)] | None = Field(
        default=None, description="The decimals with which it is written; default: 3."
    )
    tolerance: Annotated[float, Field(ge=0)] | None = Field(
        default=None, description="The least difference that counts; default: 0.01."
    )
    relative_tolerance: Annotated[float, Field(ge=0)] | None = Field(
        default=None, description="The same as a share of a published mean; default: 0."
    )
    spread_tolerance: Annotated[float, Field(ge=0)] | None = Field(
        default=None,
        description="The margin of equivalence as a share of a published sd; default: 0.25.",
    )
    scale: Annotated[float, Field(gt=0)] | None = Field(
        default=None, description="It is written times this: 100 for percent; default: 1."
    )
    averages: list[Literal["arithmetic", "geometric"]] | None = Field(
        default=None, description="The means over data sets that are shown; default: arithmetic."
    )


class Limits(Part):
    """What one trial may use before it is ended."""

    time: Annotated[float, Field(gt=0)] | None = Field(
        default=None, description="Wall-clock seconds a trial, or null for no limit."
    )
    memory: Annotated[str, AfterValidator(_memory)] | None = Field(
        default=None, description="Memory a trial, such as '4 GiB', or null for no limit."
    )

    @property
    def memory_bytes(self) -> int | None:
        """``memory`` in bytes."""
        return None if self.memory is None else parse_memory(self.memory)


class Experiment(Part):
    """An experiment: data sets x methods x folds or random splits x seeds."""

    name: Name = Field(description="The experiment's name, also that of its results folder.")
    title: str = Field(default="", description="The heading of the report.")
    description: str = Field(default="", description="What the experiment is for.")
    paper: Text | None = Field(default=None, description="The paper to compare with, e.g. srt.")
    table: Annotated[
        Text | None, BeforeValidator(_number_as_text, json_schema_input_type=str | int | None)
    ] = Field(default=None, description="The paper's table or figure that the experiment is for.")
    datasets: list[
        Annotated[
            DatasetEntry,
            BeforeValidator(_dataset_shorthand, json_schema_input_type=str | DatasetEntry),
        ]
    ] = Field(min_length=1, description="Names of cards, or mappings.")
    methods: list[
        Annotated[
            MethodEntry,
            BeforeValidator(_method_shorthand, json_schema_input_type=str | MethodEntry),
        ]
    ] = Field(min_length=1, description="Names of registered methods, or mappings.")
    defaults: dict[str, Any] = Field(
        default={}, description="Parameters for every registered method that has them."
    )
    folds: int = Field(default=4, ge=2, description="The folds of the cross-validation.")
    splits: Annotated[
        Splits | None,
        BeforeValidator(splits_shorthand, json_schema_input_type=Literal["given"] | Splits | None),
    ] = Field(
        default=None,
        description="Random splits instead of folds, for classification with each class split "
        "alike; or given: each data set is divided as its card says.",
    )
    seeds: (
        Annotated[int, Field(ge=1, le=1_000_000)]
        | Annotated[list[Seed], Field(min_length=1), AfterValidator(_distinct)]
    ) = Field(default=20, description="How many seeds (0 to n - 1), or the list of them.")
    split_seed: Seed = Field(
        default=0, description="The seed that shuffles rows into folds or splits."
    )
    split_seeds: (
        Annotated[int, Field(ge=1, le=1000)]
        | Annotated[list[Seed], Field(min_length=1), AfterValidator(_distinct)]
        | None
    ) = Field(
        default=None,
        description="Several of these seeds in place of split_seed, how many (0 to n - 1) or the "
        "list of them: all folds or splits are run for each.",
    )
    scale_features: Literal["minmax", "standard", "none"] = Field(
        default="minmax", description="How features are scaled, on the training fold."
    )
    scale_target: Literal["standard", "none"] = Field(
        default="standard", description="How the target is scaled, on the training fold."
    )
    curves: bool = Field(
        default=True,
        description="Whether to record the errors of classifiers after each of their iterations, "
        "where they can predict then (staged_predict).",
    )
    units: Literal["scaled", "original"] = Field(
        default="scaled",
        description="In what rmse, mse, mae and the metrics below are measured: the scaled target "
        "of each split, or the target's own unit (regression).",
    )
    metric: Text | None = Field(
        default=None,
        description="The score that the report shows: one that each trial records, or is asked for "
        "as in metrics. Default: what the paper prints, else r2, or error for classification. With "
        "another one than the paper's nothing is compared with it.",
    )
    metrics: list[
        Annotated[
            MetricEntry,
            BeforeValidator(_metric_shorthand, json_schema_input_type=str | MetricEntry),
        ]
    ] = Field(
        default=[],
        description="Further scores for each trial to record: names of scikit-learn's scorers, "
        "module:function, a function of (fitted estimator, X_test, y_test), or mappings.",
    )
    limits: Limits = Field(default=Limits(), description="What one trial may use.")
    results: Text | None = Field(
        default=None, description="The results folder; default: results/NAME."
    )

    _document: Document | None = PrivateAttr(default=None)
    _folder: Path | None = PrivateAttr(default=None)

    @property
    def seed_list(self) -> list[int]:
        """The seeds themselves."""
        return list(range(self.seeds)) if isinstance(self.seeds, int) else list(self.seeds)

    @property
    def split_seed_list(self) -> list[int]:
        """The seeds that shuffle rows into folds or splits, one for each partition."""
        if self.split_seeds is None:
            return [self.split_seed]
        several = self.split_seeds
        return list(range(several)) if isinstance(several, int) else list(several)

    @property
    def n_parts(self) -> dict[str, int]:
        """How many folds or splits each data set is divided into, by its name."""
        if self.splits is None:
            return {entry.name: self.folds for entry in self.datasets}
        numbers = {}
        for entry in self.datasets:
            own = entry.splits
            listed = len(self.test_rows(entry.name)) if own and own.test_rows else 0
            numbers[entry.name] = (own and own.n) or listed or self.splits.n
        return numbers

    @property
    def parts_text(self) -> str:
        """The folds or splits in words, such as "4 folds" or "3 split seeds x 4 folds"."""
        numbers = sorted(set(self.n_parts.values()))
        parts = counted(numbers[-1], "fold" if self.splits is None else "split")
        parts = f"{numbers[0]} to {parts}" if numbers[1:] else parts
        several = len(self.split_seed_list)
        return parts if several == 1 else f"{several} split seeds x {parts}"

    @property
    def results_dir(self) -> Path:
        """The results folder, relative to the working folder unless absolute."""
        return Path(self.results) if self.results else Path("results") / self.name

    @property
    def folder(self) -> Path | None:
        """The folder of the experiment file, against which data files are resolved."""
        return self._folder

    @property
    def n_trials(self) -> int:
        """How many trials the experiment has."""
        runs = len(self.split_seed_list) * len(self.seed_list)
        return sum(self.n_parts.values()) * len(self.methods) * runs

    def requests(self) -> list[DataRequest]:
        """Return the requests for data, in the order of ``datasets``."""
        return [self.request(entry) for entry in self.datasets]

    def request(self, entry: DatasetEntry) -> DataRequest:
        """Return the request for the data of one entry; DataError if its card is wrong."""
        file = entry.file
        if file is not None and self._folder is not None:
            file = str(self._folder / file)
        return DataRequest(
            name=entry.name,
            card=entry.card,
            openml=entry.openml,
            file=file,
            target=entry.target,
            drop=tuple(entry.drop),
            task=entry.task or _card_task(entry.card),
            categorical="auto" if entry.categorical == "auto" else tuple(entry.categorical),
            decimal=entry.decimal,
            thousands=entry.thousands,
            na_values=tuple(entry.na_values),
            missing=entry.missing,
            per_class=entry.per_class,
            assumed_task=entry.task is None and entry.card is None,
            encoding=entry.encoding,
        )

    def split_rule(self, name: str, task: str) -> SplitRule:
        """Return how the rows of the data set ``name`` are divided; DataError as in :mod:`splits`.

        :param task: its task
        """
        if self.splits is None:
            return SplitRule("stratified" if task == "classification" else "kfold", self.folds)
        entry = next((entry for entry in self.datasets if entry.name == name), None)
        own, card = (None, None) if entry is None else (entry.splits, entry.card)
        return split_rule(self.splits, own, name, card, self.test_rows(name))

    def test_rows(self, name: str) -> "list[NDArray[np.int64]]":
        """Return the listed test rows of each split of a data set, none where they are not.

        Raises DataError where a file that should list them does not.
        """
        own = next((entry.splits for entry in self.datasets if entry.name == name), None)
        paths: list[Path] = []
        for pattern in (own and own.test_rows) or ():
            found = sorted((self._folder or Path()).glob(pattern), key=_numbers_in)
            if not found:
                raise DataError(f"data set '{name}': there is no file {pattern} of test rows")
            paths += found
        if own is not None and own.n is not None and paths and len(paths) < own.n:
            raise DataError(f"data set '{name}': {own.n} splits, but {len(paths)} test_rows files")
        return read_test_rows(paths)

    @property
    def asked_metrics(self) -> dict[str, Metric]:
        """The metrics that it and its paper ask for, by name."""
        paper = get_paper(self.paper) if self.paper else None
        return asked_metrics(self.model_dump(include={"metric", "metrics"}), paper)

    def where(self, *path: str | int, key: bool = False) -> str:
        """Return ``file:line:column`` of a part, such as ``where("methods", 1, "params")``."""
        if self._document is None:
            return self.name
        return self._document.where(path, key=key)


def _card_task(card: str | None) -> Literal["regression", "classification"]:
    if card is None:
        return "regression"
    task: Literal["regression", "classification"] = (
        "classification" if load_card(card).task == "classification" else "regression"
    )
    return task
