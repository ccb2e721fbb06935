"""What a paper is here: its printed tables, the names of methods in them, its claims and notes."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from boostbench.data.splits import SplitRule
from boostbench.errors import ConfigError
from boostbench.papers.consistency import impossible_sds
from boostbench.papers.design import Design
from boostbench.papers.improvement import Improvements
from boostbench.papers.metrics import Metric, metric_from
from boostbench.papers.reading import MEAN_RANK, MEANS, half_a_unit, lines, number, words
from boostbench.papers.results import Method, Results
from boostbench.papers.sentence import Sentence

if TYPE_CHECKING:
    from boostbench.papers.claim import Claim

ProtocolRow = tuple[str, Sequence[float] | str, Sequence[float] | str]


@dataclass(frozen=True)
class Reading:
    """A way to read a paper's methods: ``roles`` says which role stands in for another one."""

    title: str
    roles: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Published:
    """One printed cell: the mean score over runs, its sd, seconds of training, exploded runs.

    ``dataset`` is a data set or one of :data:`MEANS`; ``depth`` is ``None`` where it has no
    meaning (random forest). ``mean`` and ``sd`` are in the paper's metric, shares where that is
    printed in percent; in the row :data:`MEAN_RANK` they are mean ranks. ``exploded_runs`` counts
    runs with R2 < 0. ``printed`` is the mean with the digits that are printed, ``rounding`` half a
    unit of the last of them. ``se`` is the standard error, where the paper prints that: then the sd
    is the error times the root of the number of runs. What the paper leaves out is ``None``.
    """

    table: str
    dataset: str
    depth: int | None
    method: str
    mean: float
    sd: float | None = None
    time_s: float | None = None
    exploded_runs: float | None = None
    printed: str = ""
    rounding: float = 0.0
    se: float | None = None


@dataclass(frozen=True)
class PublishedDataset:
    """A data set of the paper: its printed name, rows and features if stated, and its identity.

    ``design`` is how the means on it were measured, where that is not as on the others.

    The data that a paper published on are those with one of the ``fingerprints``, in a file of one
    of the names ``files``, or those of one of the ``cards`` (``NAME`` or
    ``NAME:VARIANT``), all rows of it or ``per_class`` of each class, with one of the ``targets``,
    which are those that the cards have without being asked. With ``splits: given`` the card says
    how many rows of each class are used.
    """

    name: str
    title: str
    n_samples: int | None = None
    n_features: int | None = None
    cards: Sequence[str] = ()
    targets: Sequence[str] = ()
    per_class: int | None = None
    fingerprints: Sequence[str] = ()
    files: Sequence[str] = ()
    design: Design | None = None

    def is_asked_for(self, entry: Mapping[str, Any], fingerprint: str = "") -> bool:
        """Return whether an experiment's data set, as JSON values, is this one."""
        if fingerprint in self.fingerprints:
            return True
        if entry.get("file"):
            named = PurePath(entry["file"]).name in self.files
            return named and (not self.targets or str(entry.get("target")) in self.targets)
        return (
            entry.get("card") in (self.cards or (self.name,))
            and entry.get("target") in (None, *self.targets)
            and not entry.get("drop")
            and (
                entry.get("per_class") == self.per_class
                or bool((entry.get("splits") or {}).get("given"))
            )
        )


def _no_notes(results: Results) -> list[str]:
    return []


def _no_protocol(results: Results) -> list[ProtocolRow]:
    return []


@dataclass(frozen=True)
class Paper:
    """A paper and what it published.

    ``tables`` is the CSV file of its printed cells (see :func:`read_tables`), ``None`` where it
    prints none; ``data`` the CSV file of its data sets, ``None`` where their cards have the names
    in ``tables``. ``prints_zeros``: whether 0.980 is printed so; where it is 0.98, all means of a
    table have the digits of its longest. ``metric`` is what it prints, ``metrics`` are the others
    that some of its tables print, given as an experiment's ``metrics`` are. ``names`` maps a
    method, by its registered name, to the column it is measured against: two may share one, since a
    table may need one reading to be reproduced and another where good practice differs. ``meant``
    maps a column to the readings that are meant as the paper's, the first that is run counting in
    the headline; by default it is the method that has the column's own name, else the first.
    ``design`` is how the printed means were measured (``None``: not stated, and then nothing is
    found to differ from it, and no mean to be equivalent).
    ``captions`` say what a table is of, in the order of the paper; ``improvements`` are its tables
    of percentages. ``best_of_starts`` maps a column that is the best of all starts of each fold to
    the column that averages over these starts, ``searches`` a column to the one whose training its
    own includes. ``sentences`` are what the text says of the tables, to be checked against them.
    ``printed_names`` are the names of methods in its figures, in their order; ``display_name``
    overrides that for a method (``None``: leave it). ``figures`` are those that an experiment can
    be for.

    ``load_claims`` returns the claims, judged for methods by their role: ``roles`` returns these
    and by default goes by the registered names. Of the ``readings`` of a claim's methods the first
    is meant as the paper's. ``claim_legend`` explains the claims' words.
    ``notes`` returns paragraphs to the reader, ``protocol`` rows (what, in the paper,
    here), each in words or as numbers.
    """

    key: str
    title: str
    authors: str
    journal: str
    doi: str = ""
    arxiv: str = ""
    runs: int | None = None
    design: Design | None = None
    metric: str = "r2"
    metrics: Sequence[str | Metric | Mapping[str, Any]] = ()
    default_depth: int | None = None
    tables: Path | None = None
    prints_zeros: bool = True
    data: Path | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    printed_names: Mapping[str, str] = field(default_factory=dict)
    display_name: Callable[[Method], str | None] = lambda method: None
    figures: Sequence[str] = ()
    captions: Mapping[str, str] = field(default_factory=dict)
    improvements: Sequence[Improvements] = ()
    best_of_starts: Mapping[str, str] = field(default_factory=dict)
    searches: Mapping[str, str] = field(default_factory=dict)
    meant: Mapping[str, Sequence[str]] = field(default_factory=dict)
    sentences: Sequence[Sentence] = ()
    load_claims: Callable[[], Sequence[Claim]] = tuple
    readings: Sequence[Reading] = (Reading("as described"),)
    roles: Callable[[Sequence[Method]], Mapping[str, Method]] | None = None
    claim_legend: str = ""
    notes: Callable[[Results], Sequence[str]] = _no_notes
    protocol: Callable[[Results], Sequence[ProtocolRow]] = _no_protocol

    def prints(self, metric: str) -> bool:
        """Return whether some of its tables print a metric."""
        return metric in (self.metric, *(metric_from(m).name for m in self.metrics))

    def in_metric(self, metric: str) -> Paper:
        """Return what it prints in one of its metrics; its claims are in the first."""
        if metric == self.metric:
            return self
        others = [self.metric, *(m for m in self.metrics if metric_from(m).name != metric)]
        return replace(
            self, metric=metric, metrics=others, improvements=(), sentences=(), load_claims=tuple
        )

    @cached_property
    def cells(self) -> Sequence[Published]:
        """Every printed cell in the order of the tables; ``ConfigError`` if the file is wrong."""
        if self.tables is None:
            return []
        cells = read_tables(self.tables, self.metric, self._runs_of, bool(self.metrics))
        if self.prints_zeros:
            return cells
        most: dict[str, float] = {}
        for cell in cells:
            most[cell.table] = min(cell.rounding, most.get(cell.table, cell.rounding))
        return [replace(cell, printed="", rounding=most[cell.table]) for cell in cells]

    def _runs_of(self, dataset: str) -> int | None:
        design = self.design if self.data is None else self.design_of(dataset)
        return self.runs if design is None else design.runs

    def design_of(self, dataset: str) -> Design | None:
        """Return how the printed means of a data set were measured."""
        known = self.datasets.get(dataset)
        return known.design if known is not None and known.design is not None else self.design

    @cached_property
    def datasets(self) -> Mapping[str, PublishedDataset]:
        """The paper's data sets by name, in the order of its tables."""
        if self.data is not None:
            return read_datasets(self.data, self.design)
        names = dict.fromkeys(c.dataset for c in self.cells if c.dataset not in MEANS)
        return {name: PublishedDataset(name, name) for name in names}

    @cached_property
    def tables_and_figures(self) -> Sequence[str]:
        """The names of the tables and figures that an experiment can be for."""
        return [*self.printed_tables, *self.figures]

    @cached_property
    def printed_tables(self) -> Sequence[str]:
        """The names of its tables, in the order of the captions, then of the file."""
        named = [*(cell.table for cell in self.cells), *(each.table for each in self.improvements)]
        return sorted(dict.fromkeys(named), key=[*self.captions, *named].index)

    def averaged(self, table: str) -> list[str]:
        """Return the data sets over which a table's averages are: those that all its columns have.

        So the SRT paper's Table D.6 leaves out the one that its grid search did not finish.
        """
        columns = [column for column in self._columns if column.table == table]
        names = dict.fromkeys(name for column in columns for name in column.datasets)
        return [name for name in names if all(name in column.cells for column in columns)]

    @cached_property
    def claims(self) -> Sequence[Claim]:
        """The claims, in the order of the paper."""
        return list(self.load_claims())

    @cached_property
    def impossible_sds(self) -> Collection[Published]:
        """The printed cells whose sd no scores of their mean can have: no tolerance follows."""
        return impossible_sds(self)

    def exploded_runs(self, column: Column, dataset: str) -> float:
        """Return how many exploded runs of a column's method on a data set any table counts."""
        return max(
            (
                cell.exploded_runs or 0.0
                for other in self._columns
                if (other.method, other.depth) == (column.method, column.depth)
                and (cell := other.cells.get(dataset))
            ),
            default=0.0,
        )

    def meant_by(self, column: str) -> Sequence[str]:
        """Return the methods, by registered name, that are meant as the paper's column.

        The first of them that is run is the one that counts; see ``meant``.
        """
        if column in self.meant:
            return self.meant[column]
        found = [name for name, printed in self.names.items() if printed == column]
        return [column] if column in found else found[:1]

    def published_as(self, entry: Mapping[str, Any], fingerprint: str = "") -> str:
        """Return the paper's name for the data of an experiment's entry, "" for any other data.

        ``entry`` is the data set as the experiment states it, as JSON values: what decides are its
        fingerprint, its file, or its card and variant, target and rows, never its label.
        """
        datasets = self.datasets.values()
        return next((d.name for d in datasets if d.is_asked_for(entry, fingerprint)), "")

    def column(self, method: str, depth: int | None, table: str | None = None) -> Column | None:
        """Return the printed column that a registered method is measured against.

        Of the tables that print it at ``depth``, or without a depth, that is ``table`` or else
        the first; ``None`` where none does.
        """
        name = self.names.get(method)
        found = [c for c in self._columns if c.method == name and c.depth in (depth, None)]
        return next((c for c in found if c.table == table), found[0] if found else None)

    def has_depth(self, method: str) -> bool:
        """Return whether the printed values of a registered method depend on a depth of trees."""
        name = self.names.get(method)
        return all(column.depth is not None for column in self._columns if column.method == name)

    @cached_property
    def _columns(self) -> Sequence[Column]:
        grouped: dict[tuple[str, str, int | None], dict[str, Published]] = {}
        for cell in self.cells:
            rows = grouped.setdefault((cell.table, cell.method, cell.depth), {})
            rows[cell.dataset] = cell
        return [Column(*key, rows) for key, rows in grouped.items()]

    @property
    def columns(self) -> Sequence[Column]:
        """Every printed column, in the order of the tables."""
        return self._columns


@dataclass(frozen=True)
class Column:
    """What a table prints of one method at one depth, by data set (or one of :data:`MEANS`)."""

    table: str
    method: str
    depth: int | None
    cells: Mapping[str, Published]

    @property
    def datasets(self) -> Sequence[str]:
        """The data sets that it has a value of."""
        return [name for name in self.cells if name not in MEANS]


def read_tables(
    path: Path,
    metric: str,
    runs_of: Callable[[str], int | None] = lambda dataset: None,
    several: bool = False,
) -> list[Published]:
    """Return the printed cells of a CSV file in one metric, one row per cell.

    Its columns are ``table``, ``dataset``, ``method``, ``METRIC_mean`` or ``METRIC_percent_mean``
    and, where printed, the ``_sd`` or ``_se`` beside it, ``depth``, ``time_s``, ``runs`` and
    ``negative_r2_runs``. An sd is the standard error times the root of ``runs``, or of what
    ``runs_of`` says of the data set. With ``several`` metrics, rows without this one are passed
    over. Raises ConfigError, with file, line and column, where one is lacking or is not a number.
    """
    rows = lines(path)
    header = rows[0][1] if rows else {}
    scales = {metric: 1.0, f"{metric}_percent": 0.01}
    stem = next((name for name in scales if f"{name}_mean" in header), None)
    if stem is None:
        raise ConfigError(
            f"{path}:1: there must be a column '{metric}_mean' or '{metric}_percent_mean', and rows"
        )
    mean, sd, se = (f"{stem}_{what}" for what in ("mean", "sd", "se"))
    cells = []
    for line, row in rows:
        if several and not row[mean]:
            continue
        names = ("depth", mean, sd, se, "time_s", "negative_r2_runs", "runs")
        known = {name: number(path, line, row, name) for name in names}
        texts = words(path, line, row, ("table", "dataset", "method", mean))
        table, dataset, method, printed = texts
        scale = 1.0 if dataset == MEAN_RANK else scales[stem]
        error, spread = known[se], known[sd]
        if error is not None:
            if spread is not None:
                raise ConfigError(f"{path}:{line}: '{sd}' and '{se}' are both given; leave one out")
            runs = known["runs"] or runs_of(dataset)
            if not runs:
                raise ConfigError(f"{path}:{line}: '{se}' needs 'runs', how many runs it is of")
            spread = error * math.sqrt(runs)
        cells.append(
            Published(
                table=table,
                dataset=dataset,
                depth=None if known["depth"] is None else int(known["depth"]),
                method=method,
                mean=_scaled(known[mean] or 0.0, scale),
                sd=None if spread is None else _scaled(spread, scale),
                time_s=known["time_s"],
                exploded_runs=known["negative_r2_runs"],
                printed=printed.strip(),
                rounding=scale * half_a_unit(printed),
                se=None if error is None else _scaled(error, scale),
            )
        )
    return cells


def read_datasets(path: Path, design: Design | None = None) -> dict[str, PublishedDataset]:
    """Return the data sets of a CSV file by name.

    Its columns are ``dataset``, ``title`` and, where known, ``n_samples``, ``n_features``,
    ``cards``, ``targets``, ``fingerprints`` and ``files`` (with semicolons) and ``per_class``. A
    design of its own has ``folds``, with ``stratified``, or ``splits`` and ``test_size``, and
    ``partitions`` and ``seeds``; scalings are those of the paper's ``design``. Raises ConfigError
    as :func:`read_tables` does.
    """
    found = {}
    for line, row in lines(path):
        numbers = {name: number(path, line, row, name) for name in (*_COUNTS, "test_size")}
        counts = {name: None if (n := numbers[name]) is None else int(n) for name in _COUNTS}
        found[row["dataset"]] = PublishedDataset(
            name=row["dataset"],
            title=row.get("title") or row["dataset"],
            n_samples=counts["n_samples"],
            n_features=counts["n_features"],
            per_class=counts["per_class"],
            cards=_listed(row, "cards"),
            targets=_listed(row, "targets"),
            fingerprints=_listed(row, "fingerprints"),
            files=_listed(row, "files"),
            design=_design(path, line, row, counts, numbers["test_size"], design),
        )
    return found


_COUNTS = (
    "n_samples", "n_features", "per_class", "folds", "splits", "partitions", "seeds",
)  # fmt: skip


def _design(
    path: Path,
    line: int,
    row: Mapping[str, str],
    counts: Mapping[str, int | None],
    test_size: float | None,
    design: Design | None,
) -> Design | None:
    """Return the design in a row of data sets, ``None`` where it has none."""
    folds, splits = counts["folds"], counts["splits"]
    if (folds and splits) or bool(splits) != (test_size is not None):
        raise ConfigError(f"{path}:{line}: give 'folds', or 'splits' and 'test_size'")
    if folds:
        split = SplitRule("stratified" if row.get("stratified") == "yes" else "kfold", folds)
    elif splits:
        split = SplitRule("shuffle", splits, test_size)
    elif design is not None and (counts["partitions"] or counts["seeds"]):
        split = design.split
    else:
        return None
    seeds, partitions = counts["seeds"] or 1, counts["partitions"] or 1
    if design is None:
        return Design(split, seeds, partitions=partitions)
    return replace(design, split=split, seeds=seeds, partitions=partitions)


def _listed(row: Mapping[str, str], name: str) -> list[str]:
    return [part.strip() for part in (row.get(name) or "").split(";") if part.strip()]


def _scaled(value: float, scale: float) -> float:
    # 91.3 % is the share that one would write, not 0.9129999999999999.
    return value if scale == 1.0 else float(f"{value * scale:.12g}")
