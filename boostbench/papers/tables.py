"""The printed cells of a paper's ``tables.csv``, and the data sets of its ``datasets.csv``."""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import Annotated

from pydantic import Field, FiniteFloat, NonNegativeInt, PositiveInt

from boostbench.data.cards import Card, Catalog
from boostbench.data.splits import SplitRule
from boostbench.errors import ConfigError, DataError
from boostbench.papers.design import Design
from boostbench.papers.reading import (
    DID_NOT_FINISH,
    MEAN_RANK,
    MEANS,
    Listed,
    columns_of,
    half_a_unit,
    lines,
    read_rows,
    typed,
)
from boostbench.papers.settings import Setting, Value, setting_in, value_of
from boostbench.suggest import did_you_mean, listing
from boostbench.values import Record

Size = Annotated[FiniteFloat, Field(ge=0)]


@dataclass(frozen=True)
class Published:
    """One printed cell: the mean score over runs, its sd, seconds of training, exploded runs.

    ``dataset`` is a data set or one of :data:`MEANS`; ``setting`` has the values of the paper's
    conditions, ``None`` for one that has no meaning (the depth of a random forest). ``mean`` and
    ``sd`` are in the paper's metric, shares where that is printed in percent; in the row
    :data:`MEAN_RANK` they are mean ranks. ``exploded_runs`` counts runs with R2 < 0. ``printed`` is
    the mean with its printed digits, ``scale`` what a unit of it is in the metric (0.01 for
    percent), ``rounding`` half a unit of its last digit. ``se`` is the standard error of ``runs``,
    if the paper prints that: then the sd is the error times the root of the number of runs. Missing
    values are ``None``. A row with ``gain_percent`` or ``saving_percent`` and no mean says by how
    many percent its method is better or faster. ``place`` is its file and line, "" if it is from no
    file.
    """

    table: str
    dataset: str
    method: str
    mean: FiniteFloat = math.nan
    setting: Setting = ()
    sd: Size | None = None
    time_s: Size | None = None
    exploded_runs: Annotated[Size | None, Field(validation_alias="negative_r2_runs")] = None
    printed: str = ""
    scale: float = 1.0
    rounding: float = 0.0
    se: Size | None = None
    runs: PositiveInt | None = None
    gain_percent: FiniteFloat | None = None
    saving_percent: FiniteFloat | None = None
    place: str = field(default="", compare=False)


@dataclass(frozen=True)
class Column:
    """A table's values of one method in one setting, by data set (or one of :data:`MEANS`)."""

    table: str
    method: str
    setting: Setting
    cells: Mapping[str, Published]

    @property
    def datasets(self) -> Sequence[str]:
        """The data sets with a value."""
        return [name for name in self.cells if name not in MEANS]


PERCENTS = ("gain_percent", "saving_percent")
_SCORE = ("mean", "sd", "se")
_KEYS = ("table", "dataset", "method")
COLUMNS = (*_KEYS, "time_s", "runs", "negative_r2_runs")
_SOURCES = ("row", "column", "at")
"""The columns that say where a cell stands in the paper's source, for readers."""


RunsOf = Callable[[str, str], int | None]
"""Returns the number of runs behind a mean on a data set in a table."""


def read_tables(
    path: Path,
    metric: str,
    metrics: Sequence[str],
    runs_of: RunsOf,
    conditions: Collection[str] = (),
) -> list[Published]:
    """Return the printed cells of a CSV file in one metric, and the rows of percentages.

    Its columns are ``table``, ``dataset``, ``method``, ``METRIC_mean`` or ``METRIC_percent_mean``
    and, where printed, the ``_sd`` or ``_se`` beside it, ``time_s``, ``runs``,
    ``negative_r2_runs`` and the names of the paper's ``conditions``; ``row``, ``column`` and ``at``
    are for readers alone. An sd is the standard error times the root of ``runs``, or of
    ``runs_of`` the data set and table. A row with
    ``gain_percent`` or ``saving_percent`` and no mean says by how much its method is better or
    faster than the other one of that table. Each of several ``metrics`` may have its columns,
    and rows without this one are skipped. With ``dnf`` for a mean, a method that did not finish,
    a row is no cell. Raises ConfigError, with file and line, if a column is missing or unknown, or
    a value is no number.
    """
    known = [*COLUMNS, *conditions, *_SOURCES, *_score_columns([metric, *metrics]), *PERCENTS]
    rows = lines(path, known, not_a_condition(conditions))
    header = rows[0][1] if rows else {}
    _check_header(path, [metric, *metrics], header)
    stem = stem_of(metric, header)
    if stem is None:
        raise ConfigError(
            f"{path}:1: there must be a column '{metric}_mean' or '{metric}_percent_mean', and rows"
        )
    if len(metrics) > 1:
        asked = (f"{stem}_mean", *PERCENTS)
        rows = [(place, row) for place, row in rows if any(map(row.get, asked))]
    read = partial(_cell, stem, stem != metric, runs_of, conditions)
    names = {what: f"{stem}_{what}" for what in _SCORE}
    keys = [*_KEYS, *conditions]
    return [cell for cell in read_rows(rows, keys, read, names) if cell is not None]


def not_a_condition(conditions: Collection[str]) -> str:
    """Return what to do about a column that could be an unknown condition."""
    known = f"has {listing(conditions)}" if conditions else "has none"
    return f"; leave it out, or add it to the 'conditions' in paper.yaml, which {known}"


def stem_of(metric: str, header: Collection[str]) -> str | None:
    """Return the first part of the names of a metric's columns, ``None`` if it has none."""
    return next((stem for stem in _stems(metric) if f"{stem}_mean" in header), None)


def _stems(metric: str) -> Sequence[str]:
    return metric, f"{metric}_percent"


def _score_columns(metrics: Iterable[str]) -> list[str]:
    stems = [stem for metric in metrics for stem in _stems(metric)]
    return [f"{stem}_{what}" for stem in stems for what in _SCORE]


def _cell(
    stem: str,
    in_percent: bool,
    runs_of: RunsOf,
    conditions: Collection[str],
    place: str,
    row: Mapping[str, str],
) -> Published | None:
    """Return a printed cell, ``None`` where the method did not finish.

    ``stem`` is the first part of the names of its score's columns.
    """
    if row.get(f"{stem}_mean", "").casefold() == DID_NOT_FINISH:
        return None
    row = {key: "" if own.casefold() == DID_NOT_FINISH else own for key, own in row.items()}
    score = {what: row.get(f"{stem}_{what}", "") for what in _SCORE}
    setting = setting_in(row, conditions)
    known = {**row, **score, "printed": score["mean"], "setting": setting, "place": place}
    cell = typed(known, Published)
    if not cell.printed and not any(map(row.get, PERCENTS)):
        raise ConfigError(
            f"{place}, {stem}_mean: this is empty; write the printed mean, "
            f"{DID_NOT_FINISH} if the method did not finish, or leave the row out"
        )
    if not cell.printed:
        return cell
    if cell.se is not None:
        runs = cell.runs or runs_of(cell.dataset, cell.table)
        cell = _with_sd(cell, cell.se, runs, f"{place}, {stem}_se")
    return _scaled(cell, 0.01 if in_percent and cell.dataset != MEAN_RANK else 1.0)


def _with_sd(cell: Published, se: float, runs: int | None, place: str) -> Published:
    """Return a cell with the sd of its standard error."""
    if cell.sd is not None or not runs:
        raise ConfigError(f"{place}: this needs 'runs', how many it is of, and no sd beside it")
    return replace(cell, sd=se * math.sqrt(runs))


def _scaled(cell: Published, scale: float) -> Published:
    """Return a cell in the metric, where a unit of its printed values is ``scale``."""
    return replace(
        cell,
        scale=scale,
        rounding=scale * half_a_unit(cell.printed),
        mean=_product(scale, cell.mean),
        sd=None if cell.sd is None else _product(scale, cell.sd),
        se=None if cell.se is None else _product(scale, cell.se),
    )


def _product(scale: float, value: float) -> float:
    """Return a printed value in the metric: 91.3 % is 0.913, not 0.9129999999999999."""
    return float(f"{scale * value:.15g}") if value else value


def _check_header(path: Path, metrics: Sequence[str], header: Collection[str]) -> None:
    """Raise ConfigError for a metric with two columns of means, or a spread without its mean."""
    wrong = []
    for metric in dict.fromkeys(metrics):
        stems = _stems(metric)
        if all(f"{stem}_mean" in header for stem in stems):
            wrong.append(
                f"{path}:1: there are '{metric}_mean' and '{metric}_percent_mean'; one of them is "
                "enough"
            )
        wrong += [
            f"{path}:1: '{stem}_{what}' needs '{stem}_mean', in the same unit"
            for stem in stems
            for what in ("sd", "se")
            if f"{stem}_{what}" in header and f"{stem}_mean" not in header
        ]
    if wrong:
        raise ConfigError("\n".join(wrong))


@dataclass(frozen=True)
class AskedData:
    """A data set of an experiment: its ``entry`` as JSON values, and what is known of its data.

    Its fingerprint, its file, or its card and variant, target and rows say what it is, never its
    label. ``catalog`` has the cards, by default those without any beside an experiment, and
    ``rows`` is the number of rows that were loaded.
    """

    entry: Record
    fingerprint: str = ""
    catalog: Catalog = field(default_factory=Catalog)
    rows: int | None = None

    @property
    def card(self) -> Card:
        """Its card; DataError without one."""
        return self.catalog.card(str(self.entry.get("card")))

    @property
    def n_rows(self) -> int:
        """The number of its rows: the loaded ones, or those of its card; 0: unknown.

        With ``per_class`` only some of the rows are loaded.
        """
        if self.rows and not self.entry.get("per_class"):
            return self.rows
        with suppress(DataError):  # there may be no such card here
            return self.card.n_samples
        return 0


@dataclass(frozen=True)
class PublishedDataset:
    """A data set of the paper, in one setting; ``keys.yaml`` describes the columns of its file.

    With ``splits: given`` the card says how many rows of each class are used. Data that a paper
    published on are those with one of the ``fingerprints``, ``files`` or ``cards``.
    """

    name: Annotated[str, Field(validation_alias="dataset")]
    title: str = ""
    n_samples: PositiveInt | None = None
    n_features: PositiveInt | None = None
    cards: Listed[str] = field(default_factory=list)
    targets: Listed[str] = field(default_factory=list)
    per_class: PositiveInt | None = None
    n_classes: PositiveInt | None = None
    division: str = ""
    fingerprints: Listed[str] = field(default_factory=list)
    files: Listed[str] = field(default_factory=list)
    folds: NonNegativeInt = 0
    stratified: bool = False
    splits: NonNegativeInt = 0
    test_size: Annotated[float | None, Field(gt=0, lt=1)] = None
    partitions: PositiveInt | None = None
    seeds: PositiveInt | None = None
    stands_for: str = ""
    remark: str = ""
    figures: Listed[str] = field(default_factory=list)
    conditions: Mapping[str, Value] = field(default_factory=dict)

    @property
    def known_cards(self) -> Sequence[str]:
        """The cards with the same data: by default that of its name, if nothing else is known."""
        return self.cards or ([] if self.files or self.fingerprints else [self.name])

    def is_asked_for(self, asked: AskedData) -> bool:
        """Return whether a data set of an experiment is this one."""
        return self._is_named(asked) and self._has_its_rows(asked)

    def difference(self, asked: AskedData) -> str:
        """Return in words why a data set that seems to be this one is another, "" if it is not so.

        It seems to be this one by its identity, apart from the rows, or by its name alone.
        """
        if self._is_named(asked):
            if self._has_its_rows(asked):
                return ""
            return f"which has {self.n_samples:,} rows, not {asked.n_rows:,}"
        own_card = asked.entry.get("card")
        if self.name not in (asked.entry.get("name"), own_card) or own_card in self.known_cards:
            return ""
        if self.known_cards:
            return f"which is the card {' or '.join(self.known_cards)}"
        files = f" is the file {' or '.join(self.files)}" if self.files else ""
        return f"which{files or ' has other fingerprints'}"

    def _has_its_rows(self, asked: AskedData) -> bool:
        return self.n_samples in (None, asked.n_rows or self.n_samples)

    def _is_named(self, asked: AskedData) -> bool:
        """Return whether a data set is this one by its fingerprint, file or card."""
        entry = asked.entry
        if asked.fingerprint in self.fingerprints:
            return True
        if entry.get("file"):
            named = PurePath(entry["file"]).name in self.files
            return named and (not self.targets or str(entry.get("target")) in self.targets)
        if entry.get("drop") or entry.get("card") not in self.known_cards:
            return False
        return self._has_its_classes(entry) and self._has_its_target(asked)

    def _has_its_classes(self, entry: Record) -> bool:
        """Return whether as many rows of each class are used; given splits say that themselves."""
        is_given = bool((entry.get("splits") or {}).get("given"))
        return is_given or entry.get("per_class") == self.per_class

    def _has_its_target(self, asked: AskedData) -> bool:
        target = asked.entry.get("target")
        if target is None:
            return True
        if self.targets:
            return target in self.targets
        return bool(target == asked.card.target)

    def design(self, usual: Design | None) -> Design | None:
        """Return how the means on it were measured: as ``usual``, except for what its row says."""
        split = self._split()
        if usual is None:
            return (
                Design(split, self.seeds or 1, partitions=self.partitions or 1) if split else None
            )
        return replace(
            usual,
            split=split or usual.split,
            seeds=self.seeds or usual.seeds,
            partitions=self.partitions or usual.partitions,
        )

    def _split(self) -> SplitRule | None:
        """Return its own division of the rows, ``None`` if it states none."""
        if self.splits:
            return SplitRule("shuffle", self.splits, self.test_size)
        if self.folds:
            return SplitRule("stratified" if self.stratified else "kfold", self.folds)
        return None


def read_datasets(
    path: Path, conditions: Mapping[str, str] = MappingProxyType({})
) -> list[PublishedDataset]:
    """Return the data sets of a CSV file, in each setting that it tells apart.

    Its columns are the fields of :class:`PublishedDataset`, the name being ``dataset``, and those
    that have the values of ``conditions``; cards, targets, fingerprints and files have semicolons.
    Raises ConfigError, with file and line, if a column is unknown, a data set occurs twice in one
    setting, or a value is wrong; also if a stand-in lacks its remark, or stands for a data set that
    is not the paper's or has another stand-in.
    """

    def read(place: str, row: Mapping[str, str]) -> PublishedDataset:
        given = {name: value_of(row.get(column)) for name, column in conditions.items()}
        values = {name: value for name, value in given.items() if value is not None}
        data = typed({**row, "conditions": values}, PublishedDataset)
        if (data.folds and data.splits) or bool(data.splits) != (data.test_size is not None):
            raise ConfigError(f"{place}: give 'folds', or 'splits' and 'test_size'")
        if data.folds == 1 or (data.stratified and not data.folds):
            why = "1 must be at least 2" if data.folds else "stratified folds need their number"
            raise ConfigError(f"{place}, folds: {why}")
        return replace(data, title=data.title or data.name)

    known = [name for name in columns_of(PublishedDataset) if name != "conditions"]
    rows = lines(path, [*known, *conditions.values()], not_a_condition(conditions))
    datasets = read_rows(rows, ["dataset", *conditions.values()], read)
    places = [place for place, _ in rows]
    _check_stand_ins(places, datasets)
    _check_designs(places, datasets)
    return datasets


def _check_designs(places: Sequence[str], datasets: Sequence[PublishedDataset]) -> None:
    """Raise ConfigError for a row with another design than the first one of its data set."""
    first: dict[str, tuple[str, PublishedDataset]] = {}
    for place, data in zip(places, datasets, strict=True):
        known_at, known = first.setdefault(data.name, (place, data))
        for key in ("folds", "stratified", "splits", "test_size", "partitions", "seeds"):
            given = getattr(data, key)
            if given and given != getattr(known, key):
                raise ConfigError(
                    f"{place}, {key}: '{data.name}' has one design in all its rows, and line "
                    f"{known_at.rpartition(':')[2]} does not state {given}; write it in both rows, "
                    "or leave it out here"
                )


def _check_stand_ins(places: Sequence[str], datasets: Sequence[PublishedDataset]) -> None:
    """Raise ConfigError for a stand-in without a remark, or for nothing, or the second of one."""
    own = [data.name for data in datasets if not data.stands_for]
    first: dict[str, str] = {}
    for place, data in zip(places, datasets, strict=True):
        original = data.stands_for
        if bool(original) != bool(data.remark):
            raise ConfigError(f"{place}: 'stands_for' and 'remark' go together; give both")
        if original and original not in own:
            hint = did_you_mean(original, own)
            raise ConfigError(f"{place}, stands_for: the paper has no data set '{original}'{hint}")
        if original and first.setdefault(original, data.name) != data.name:
            both = f"'{first[original]}' stands for '{original}' already"
            raise ConfigError(f"{place}, stands_for: {both}; a data set has one stand-in")
