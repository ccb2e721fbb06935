"""The typed experiment: the contents of a file in ``configs/``, with their shape checked.

``keys.yaml`` describes the values that each key allows and the purpose of the key.
"""

import copy
import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Annotated, Literal, TypedDict

from pydantic import AfterValidator, Field, PrivateAttr, model_validator

from boostbench.config.entries import DatasetEntry, MethodEntry, MetricEntry
from boostbench.config.files import DatasetFiles, ExperimentFiles, ListedRows, ListedSplit
from boostbench.config.splits import (
    DatasetSplits,
    Part,
    Splits,
    check_rule,
    split_rule,
    with_columns,
)
from boostbench.data.cards import Card, Catalog
from boostbench.data.options import Name, NumberOrText, Text
from boostbench.data.request import DataRequest
from boostbench.data.splits import SplitRule
from boostbench.errors import BoostbenchError, ConfigError
from boostbench.papers.metrics import (
    METRICS,
    Metric,
    asked_metrics,
    contradiction,
    metric_from,
    metric_of,
)
from boostbench.suggest import counted
from boostbench.values import Record

_BYTES = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_MEMORY = re.compile(r"(?i)([0-9]+(?:\.[0-9]+)?) ?([KMGT]?)(?:i?B)?")
_MAX_SEED = 2**32 - 1


def parse_memory(text: str) -> int:
    """Return the bytes that ``"4 GiB"``, ``"512 MB"`` or ``"4G"`` means (units of 1024).

    Raises ValueError if the text is no such size or less than 64 MiB.
    """
    match = _MEMORY.fullmatch(text.strip())
    size = int(float(match[1]) * _BYTES[match[2].upper()]) if match else 0
    if size < 64 * 2**20:
        raise ValueError("give a size of at least '64 MiB'")
    return size


def _memory(text: str) -> str:
    return text if parse_memory(text) else ""


def _check_distinct(values: list[int]) -> list[int]:
    if len(set(values)) < len(values):
        raise ValueError
    return values


def _as_list(seeds: int | list[int]) -> list[int]:
    return list(range(seeds)) if isinstance(seeds, int) else list(seeds)


Seed = Annotated[int, Field(ge=0, le=_MAX_SEED)]
Seeds = Annotated[list[Seed], Field(min_length=1), AfterValidator(_check_distinct)]


class LimitValues(TypedDict):
    """The limits of a trial by the names of :class:`boostbench.engine.interface.TrialLimits`."""

    time_s: float | None
    memory_bytes: int | None


class Limits(Part):
    """What one trial may use before it is ended."""

    time: Annotated[float, Field(gt=0)] | None = None
    memory: Annotated[str, AfterValidator(_memory)] | None = None

    @property
    def of_a_trial(self) -> LimitValues:
        """The limits as ``TrialLimits`` of the engine has them, memory in bytes."""
        memory = None if self.memory is None else parse_memory(self.memory)
        return {"time_s": self.time, "memory_bytes": memory}


class Experiment(Part):
    """An experiment: data sets x methods x folds or random splits x seeds."""

    name: Name
    title: str = ""
    description: str = ""
    paper: Text | None = None
    table: NumberOrText | None = None
    decided_by: Name | None = None
    datasets: list[DatasetEntry] = Field(min_length=1)
    methods: list[MethodEntry] = Field(min_length=1)
    defaults: dict[str, object] = Field(default={})
    folds: int = Field(default=4, ge=2)
    splits: Splits | None = None
    seeds: Annotated[int, Field(ge=1, le=1_000_000)] | Seeds = 20
    split_seed: Seed = 0
    split_seeds: Annotated[int, Field(ge=1, le=1000)] | Seeds | None = None
    scale_features: Literal["minmax", "standard", "none"] = "minmax"
    scale_target: Literal["standard", "none"] = "standard"
    curves: bool = True
    units: Literal["scaled", "original"] = "scaled"
    metric: Text | None = None
    metrics: list[MetricEntry] = Field(default=[])
    keep: list[Literal["predictions"]] = Field(default=[])
    limits: Limits = Limits()
    results: Text | None = None

    _files: ExperimentFiles = PrivateAttr(default_factory=ExperimentFiles)

    @model_validator(mode="before")
    @classmethod
    def _set_units(cls, value: object) -> object:
        """Take the target's own unit where there are frames, whose methods get it unscaled."""
        if not isinstance(value, dict) or not isinstance(value.get("datasets"), list):
            return value
        entries = [entry for entry in value["datasets"] if isinstance(entry, dict)]
        if not any(entry.get("features") == "frame" for entry in entries):
            return value
        return {"units": "original", **value}

    @property
    def has_frames(self) -> bool:
        """Whether a data set has a frame."""
        return any(entry.features == "frame" for entry in self.datasets)

    @property
    def dataset_names(self) -> list[str]:
        """The names of its data sets, in their order."""
        return [entry.name for entry in self.datasets]

    @property
    def seed_list(self) -> list[int]:
        """The seeds themselves."""
        return _as_list(self.seeds)

    @property
    def split_seed_list(self) -> list[int]:
        """The seeds that shuffle rows into folds or splits, one for each partition."""
        return [self.split_seed] if self.split_seeds is None else _as_list(self.split_seeds)

    @property
    def n_parts(self) -> dict[str, int]:
        """How many folds or splits each data set is divided into, by its name."""
        return {name: rule.folds for name, rule in self._rules.items()}

    def grid_in_words(self, datasets: int, methods: int, rules: Mapping[str, SplitRule]) -> str:
        """Return so many data sets and methods with splits and seeds in words.

        ``rules`` are those of its data sets by name.
        """
        numbers = [counted(datasets, "data set"), counted(methods, "method")]
        return " x ".join(
            [*numbers, self._parts_in_words(rules), counted(len(self.seed_list), "seed")]
        )

    def _parts_in_words(self, rules: Mapping[str, SplitRule]) -> str:
        """Return the folds or splits in words, such as "4 folds" or "3 split seeds x 4 folds"."""
        numbers = sorted({rule.folds for rule in rules.values() if rule.folds})
        if not numbers:
            return "the splits of its splitter"
        is_folds = all(rule.makes_folds for rule in rules.values())
        parts = counted(numbers[-1], "fold" if is_folds else "split")
        parts = f"{numbers[0]} to {parts}" if numbers[1:] else parts
        several = max(len(self.split_seeds_of(rule)) for rule in rules.values())
        return parts if several == 1 else f"{several} split seeds x {parts}"

    @property
    def results_dir(self) -> Path:
        """The results folder, relative to the working folder unless absolute."""
        return Path(self.results or Path("results", self.name)).expanduser()

    @property
    def folder(self) -> Path | None:
        """The folder of the experiment file, against which data files are resolved."""
        return self._files.folder

    @property
    def values(self) -> Record:
        """The values of the experiment file as they were given, those of ``--set`` in them."""
        document = self._files.document
        return {} if document is None else copy.deepcopy(document.value)

    @property
    def catalog(self) -> Catalog:
        """The cards that it can name, those beside its file too."""
        return self._files.catalog

    @property
    def n_trials(self) -> int:
        """How many trials the experiment has."""
        return self.count_trials(self._rules)

    def count_trials(self, rules: Mapping[str, SplitRule]) -> int:
        """Return how many trials it has, ``rules`` being those of its data sets by name.

        Those of a splitter whose number of splits is not known do not count.
        """
        parts = sum(len(self.places_of(rule)) for rule in rules.values())
        return parts * len(self.methods) * len(self.seed_list)

    def requests(self) -> list[DataRequest]:
        """Return the requests for data, in the order of ``datasets``."""
        return [self.request(entry) for entry in self.datasets]

    def request(self, entry: DatasetEntry) -> DataRequest:
        """Return the request for the data of one entry; DataError if its card is wrong."""
        values = entry.model_dump(exclude={"splits", "weights_ignored_by"})
        if entry.file is not None:
            values["file"] = str((self.folder or Path()) / Path(entry.file).expanduser())
        if entry.task is None:
            card = self.card(entry.name)
            values["task"] = card.task if card else "regression"
        assumed = entry.task is None and entry.card is None
        return DataRequest(**values, assumed_task=assumed, catalog=self.catalog)

    def positive(self, name: str) -> str:
        """Return the positive class of the data set ``name``, "" where it names none."""
        return self.entry(name).positive or ""

    def entry(self, name: str) -> DatasetEntry:
        """Return the entry of the data set ``name``."""
        return next(entry for entry in self.datasets if entry.name == name)

    def card(self, name: str) -> Card | None:
        """Return the card of the data set ``name``, if any; DataError if it is wrong."""
        card = self._files_of(name).card
        if isinstance(card, BoostbenchError):
            raise card
        return card

    def _files_of(self, name: str) -> DatasetFiles:
        return self._files.datasets.get(name, DatasetFiles())

    def split_rule(self, name: str, task: str) -> SplitRule:
        """Return how the rows of the data set ``name``, of this task, are divided.

        Raises DataError as :func:`boostbench.config.splits.split_rule` and :func:`check_rule` do.
        """
        rule = self._rule(name)
        if rule.split == "kfold":
            return replace(rule, split="stratified") if task == "classification" else rule
        check_rule(rule, self.entry(name).per_class, task)
        return rule

    @property
    def split_rules(self) -> dict[str, SplitRule]:
        """How the rows of each data set are divided, by its name; see :meth:`split_rule`."""
        return {each.name: self.split_rule(each.name, each.task) for each in self.requests()}

    @property
    def _rules(self) -> dict[str, SplitRule]:
        """How the rows of each data set are divided, by its name."""
        return {entry.name: self._rule(entry.name) for entry in self.datasets}

    def _rule(self, name: str) -> SplitRule:
        """Return how rows are divided, but for whether folds have their share of each class."""
        entry, listed = self.entry(name), self._files_of(name).listed
        if isinstance(listed, BoostbenchError):
            raise listed
        if self.splits is None and entry.splits is None:
            rule = SplitRule("kfold", self.folds)
        else:
            usual = self.splits or Splits()
            rule = split_rule(usual, entry.splits, name, self.card(name), listed)
        return with_columns(
            rule, has_group=entry.group is not None, has_time=entry.time is not None
        )

    def splitter_of(self, name: str) -> DatasetSplits | Splits | None:
        """Return the splits with the splitter of a data set, None where it has none."""
        splits = self.entry(name).splits or self.splits
        return splits if splits is not None and splits.splitter is not None else None

    def split_seeds_of(self, rule: SplitRule) -> list[int]:
        """Return the split seeds with which rows are divided: one where no other changes them."""
        return self.split_seed_list if rule.uses_split_seed else self.split_seed_list[:1]

    def places_of(self, rule: SplitRule) -> list[tuple[int, int]]:
        """Return the split seed and the number of each fold or split."""
        return list(product(self.split_seeds_of(rule), range(rule.folds)))

    def listed_test_rows(self, name: str) -> tuple[ListedRows, ...]:
        """Return the test rows of each split of a data set, none where they are not listed.

        They are numbered as in the file.
        """
        return self._files_of(name).test_rows

    def listed_splits(self, name: str) -> tuple[ListedSplit, ...]:
        """Return the training and test rows of each split, as files list them, numbered so too."""
        return self._files_of(name).splits

    @property
    def asked_metrics(self) -> dict[str, Metric]:
        """The metrics that it and its paper ask for, by name."""
        paper = self._files.paper
        asked = self.model_dump(include={"metric", "metrics"})
        for place, entry in enumerate(asked["metrics"]):
            if wrong := contradiction(entry, paper):
                raise ConfigError(f"{self.where('metrics', place)}: {wrong}")
        return asked_metrics(asked, paper)

    def shown_metric(self, task: str) -> Metric:
        """Return the metric that the report shows for a task."""
        asked = self.model_dump(include={"metric", "metrics", "units", "scale_target"})
        return metric_of(task, self._files.paper, asked)

    def metric_named(self, name: str) -> Metric:
        """Return the metric of this name: one that it asks for, or of every trial, or a scorer."""
        return self.asked_metrics.get(name) or METRICS.get(name) or metric_from(name)

    def where(self, *path: str | int, key: bool = False) -> str:
        """Return ``file:line:column`` of a part, such as ``where("methods", 1, "params")``."""
        document = self._files.document
        return self.name if document is None else document.where(path, key=key)
