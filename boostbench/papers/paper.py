"""A paper as a folder of data: its printed tables, data sets, names, protocol, claims and notes.

- ``paper.yaml``: what is in :class:`Paper`, and ``design``: how the printed means were measured
- ``tables.csv``: the printed cells, one a row (:func:`read_tables`)
- ``datasets.csv``: its data sets (:func:`read_datasets`)
- ``claims.csv``: its sentences, as conditions (:mod:`boostbench.papers.claims`)
- ``notes.md``: paragraphs for the reader; those below a heading ``## a, b`` are shown where one of
  the methods or cards it names is used
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path, PurePath
from typing import Any

from boostbench.data.splits import SplitRule
from boostbench.errors import ConfigError
from boostbench.papers.design import Design
from boostbench.papers.improvement import SCORE, TIME, Improvements
from boostbench.papers.reading import (
    MEAN_RANK,
    MEANS,
    half_a_unit,
    lines,
    listed,
    number,
    words,
)
from boostbench.suggest import did_you_mean
from boostbench.yamltree import Document, read_yaml


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
    """A data set of the paper: its printed name, rows, features and classes, and its identity.

    The data that a paper published on are those with one of the ``fingerprints``, in a file of one
    of the names ``files``, or those of one of the ``cards`` (``NAME`` or ``NAME:VARIANT``), all
    rows of it or ``per_class`` of each class, with one of the ``targets``, which are those that the
    cards have without being asked. With ``splits: given`` the card says how many rows of each class
    are used. ``division`` says how the paper divides the rows, and
    ``design`` how the means on it were measured, where that is not the paper's usual way.
    """

    name: str
    title: str
    n_samples: int | None = None
    n_features: int | None = None
    cards: Sequence[str] = ()
    targets: Sequence[str] = ()
    per_class: int | None = None
    n_classes: int | None = None
    division: str = ""
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


@dataclass(frozen=True)
class Paper:
    """A paper and what it published.

    ``metric`` is what it prints, ``metrics`` are the others that some of its tables print, given
    as an experiment's are; ``prints_zeros``: whether 0.980 is printed so (where it is 0.98, all
    means of a table have the digits of its longest). ``runs`` is how many runs a mean is of,
    ``rounds`` how many it trains a boosting method. ``names`` maps a method, by its registered
    name, to the column it is measured against: two may share one (``columns`` in the file; by
    default each column is a method's). ``meant`` maps a column to the methods that are meant as
    the paper's, of which the first that is run counts in headlines and claims; by default it is the
    method that has the column's own name, else the first. ``readings`` are other ways to read its
    methods: which stands in for which. ``implementations`` say which methods share one: seconds
    are compared within one only. ``roles`` names methods by their parameters: ``method`` is the
    registered name, or ``estimator`` the import path of one that is not registered, ``chosen``
    whether parameters are chosen, ``rounds: any`` that fewer rounds will do; of a list of values
    any fits, and ``null`` is a parameter that is not given.

    ``design`` is how the printed means were measured (``None``: not stated). ``captions`` say what
    a table is of, in the order of the paper. ``best_of_starts`` maps a column that is the best of
    all starts of each fold to the column that averages over these starts. ``printed_names`` are
    the names of methods in its figures, in their order, and ``figures`` those that an experiment
    can be for. ``protocol`` is what its page sets beside an experiment's.
    """

    key: str = ""
    title: str = ""
    authors: str = ""
    journal: str = ""
    doi: str = ""
    arxiv: str = ""
    bibtex: str = ""
    metric: str = "r2"
    metrics: Sequence[str | Mapping[str, Any]] = ()
    prints_zeros: bool = True
    runs: int | None = None
    rounds: int = 0
    default_depth: int | None = None
    design: Design | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    meant: Mapping[str, Sequence[str]] = field(default_factory=dict)
    readings: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    implementations: Mapping[str, Sequence[str]] = field(default_factory=dict)
    roles: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    printed_names: Mapping[str, str] = field(default_factory=dict)
    figures: Sequence[str] = ()
    captions: Mapping[str, str] = field(default_factory=dict)
    best_of_starts: Mapping[str, str] = field(default_factory=dict)
    protocol: Mapping[str, Any] = field(default_factory=dict)
    folder: Path | None = None
    is_whole: bool = True

    def _file(self, name: str) -> Path | None:
        path = self.folder / name if self.folder else None
        return path if path and path.is_file() else None

    @cached_property
    def cells(self) -> Sequence[Published]:
        """Every printed cell in the order of the tables; ``ConfigError`` if the file is wrong."""
        cells = self._tables[0]
        if self.prints_zeros:
            return cells
        least: dict[str, float] = {}
        for cell in cells:
            least[cell.table] = min(cell.rounding, least.get(cell.table, cell.rounding))
        return [dataclasses.replace(cell, printed="", rounding=least[cell.table]) for cell in cells]

    @cached_property
    def _tables(self) -> tuple[list[Published], Percentages]:
        path = self._file("tables.csv")
        return (
            read_tables(path, self.metric, self._runs_of, self.metric_names) if path else ([], {})
        )

    def _runs_of(self, dataset: str) -> int | None:
        design = self.design_of(dataset) if self._file("datasets.csv") else self.design
        return self.runs if design is None else design.runs

    def design_of(self, dataset: str) -> Design | None:
        """Return how the printed means of a data set were measured."""
        known = self.datasets.get(dataset)
        return known.design if known is not None and known.design is not None else self.design

    def prints(self, metric: str) -> bool:
        """Return whether some of its tables print a metric."""
        return metric in self.metric_names

    def in_metric(self, metric: str) -> Paper:
        """Return what it prints in one of its metrics; its claims are in the first."""
        if metric == self.metric:
            return self
        others = [self.metric, *(each for each in self.metrics if _name(each) != metric)]
        return dataclasses.replace(self, metric=metric, metrics=others, is_whole=False)

    @cached_property
    def improvements(self) -> Sequence[Improvements]:
        """Its tables of percentages."""
        rows = self._tables[1] if self.is_whole else {}
        order = list(dict.fromkeys([*self.names.values()]))
        return [Improvements.of(table, own, order) for table, own in rows.items()]

    @cached_property
    def datasets(self) -> Mapping[str, PublishedDataset]:
        """The paper's data sets by name, in the order of its tables."""
        path = self._file("datasets.csv")
        if path:
            return read_datasets(path, self.design)
        names = dict.fromkeys(c.dataset for c in self.cells if c.dataset not in MEANS)
        return {name: PublishedDataset(name, name) for name in names}

    @cached_property
    def method_names(self) -> Sequence[str]:
        """Every method that its claims may name."""
        others = (*self.roles, *self.printed_names, *self.names.values())
        return list(dict.fromkeys([*self.names, *others]))

    @property
    def metric_names(self) -> Sequence[str]:
        """The metrics that it prints."""
        return [self.metric, *map(_name, self.metrics)]

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
        columns = [column for column in self.columns if column.table == table]
        names = dict.fromkeys(name for column in columns for name in column.datasets)
        return [name for name in names if all(name in column.cells for column in columns)]

    @cached_property
    def impossible_sds(self) -> Collection[Published]:
        """The printed cells whose sd no scores from 0 to 1 can have: no tolerance follows.

        It is at most sqrt(m (1 - m) n / (n - 1)).
        """
        runs = self.runs or 0
        if self.metric not in ("r2", "error", "accuracy") or runs < 2:
            return []
        return [
            cell
            for cell in self.cells
            if cell.dataset not in MEANS
            and 0 <= cell.mean <= 1
            and (cell.sd or 0) > math.sqrt(cell.mean * (1 - cell.mean) * runs / (runs - 1)) + 1e-3
        ]

    def exploded_runs(self, column: Column, dataset: str) -> float:
        """Return how many exploded runs of a column's method on a data set any table counts."""
        return max(
            (
                cell.exploded_runs or 0.0
                for other in self.columns
                if (other.method, other.depth) == (column.method, column.depth)
                and (cell := other.cells.get(dataset))
            ),
            default=0.0,
        )

    def meant_by(self, column: str) -> Sequence[str]:
        """Return the methods, by registered name, that are meant as the paper's column."""
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
        found = [c for c in self.columns if c.method == name and c.depth in (depth, None)]
        return next((c for c in found if c.table == table), found[0] if found else None)

    def has_depth(self, method: str) -> bool:
        """Return whether the printed values of a registered method depend on a depth of trees."""
        name = self.names.get(method)
        return all(column.depth is not None for column in self.columns if column.method == name)

    @cached_property
    def columns(self) -> Sequence[Column]:
        """Every printed column, in the order of the tables."""
        grouped: dict[tuple[str, str, int | None], dict[str, Published]] = {}
        for cell in self.cells:
            rows = grouped.setdefault((cell.table, cell.method, cell.depth), {})
            rows[cell.dataset] = cell
        return [Column(*key, rows) for key, rows in grouped.items()]

    def implementation(self, method: str) -> str:
        """Return which implementation a method's times are of, "" where all are of one."""
        if not self.implementations:
            return ""
        return next((key for key, own in self.implementations.items() if method in own), method)

    def roles_of(self, registered: str, params: Mapping[str, Any], chosen: bool) -> list[str]:
        """Return the roles that a method plays in claims: its own name, unless roles say otherwise.

        A method with fewer rounds than the paper's plays none, except where any will do.
        """
        whole = not self.rounds or int(params.get("max_iter", self.rounds)) >= self.rounds
        found = [
            role
            for role, wanted in self.roles.items()
            if wanted.get("method", role) == registered
            and (whole or wanted.get("rounds") == "any")
            and _fits(wanted, {**params, "chosen": chosen})
        ]
        own = registered and registered not in self.roles and whole
        return [*found, registered] if own else found

    def role_of_estimator(self, estimator: str, params: Mapping[str, Any]) -> str:
        """Return the role of a method that is no registered one, by its ``estimator``, or ""."""
        return next(
            (
                role
                for role, wanted in self.roles.items()
                if wanted.get("estimator") == estimator and _fits(wanted, params)
            ),
            "",
        )

    def notes(self, used: Collection[str]) -> list[str]:
        """Return the paragraphs for the reader of results with these methods and cards."""
        path = self._file("notes.md")
        found, shown = [], True
        for block in re.split(r"\n\s*\n", path.read_text(encoding="utf-8") if path else ""):
            text = " ".join(line.strip() for line in block.strip().splitlines())
            if text.startswith("## "):
                shown = bool({name.strip(" `") for name in text[3:].split(",")} & set(used))
            elif text and shown:
                found.append(text)
        return found


def _name(metric: str | Mapping[str, Any]) -> str:
    return metric if isinstance(metric, str) else str(metric["name"])


def _fits(wanted: Mapping[str, Any], has: Mapping[str, Any]) -> bool:
    return all(
        has.get(key) in (value if isinstance(value, list) else [value])
        for key, value in wanted.items()
        if key not in ("method", "estimator", "rounds")
    )


_TYPES: Mapping[str, tuple[type, str]] = {
    **dict.fromkeys(("title", "authors", "journal", "doi", "arxiv", "bibtex", "metric"), (str, "a text")),
    **dict.fromkeys(("runs", "rounds", "default_depth"), (int, "a whole number")),
    **dict.fromkeys(
        ("design", "columns", "meant", "readings", "implementations", "roles", "printed_names",
         "captions", "best_of_starts", "protocol"), (dict, "a mapping"),
    ),
    **dict.fromkeys(("figures", "metrics"), (list, "a list")),
    "prints_zeros": (bool, "true or false"),
}  # fmt: skip
_INSIDE: Mapping[str, tuple[type, str]] = {
    **dict.fromkeys(("meant", "implementations"), (list, "a list of names")),
    **dict.fromkeys(("readings", "roles"), (dict, "a mapping")),
}


@cache
def read_paper(folder: Path) -> Paper:
    """Return the paper in a folder; ConfigError, with file, line and column, where it is wrong."""
    path = folder / "paper.yaml"
    document = read_yaml(path)
    values = document.value if isinstance(document.value, dict) else {}
    wrong = [*_wrong_keys(document, values), *(
        f"{path}:1:1: '{name}' is missing" for name in ("title", "authors") if name not in values
    )]  # fmt: skip
    if wrong:
        raise ConfigError("\n".join(wrong))
    given = {name: value for name, value in values.items() if name not in ("columns", "design")}
    paper = Paper(
        key=folder.name,
        **given,
        names=values.get("columns", {}),
        design=_design(document, values["design"]) if "design" in values else None,
        folder=folder,
    )
    named = paper.names or {cell.method: cell.method for cell in paper.cells}
    return dataclasses.replace(paper, names=named)


def _wrong_keys(document: Document, values: Mapping[str, Any]) -> list[str]:
    wrong = []
    for key, value in values.items():
        if key not in _TYPES:
            hint = did_you_mean(key, _TYPES)
            wrong.append(f"{document.where([key], key=True)}: there is no key '{key}'{hint}")
            continue
        kind, what = _TYPES[key]
        inner, inside = _INSIDE.get(key, (str, "a text"))
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            wrong.append(f"{document.where([key])}: '{key}' must be {what}")
        elif isinstance(value, dict) and key not in ("design", "protocol"):
            wrong += [
                f"{document.where([key, name])}: '{key}.{name}' must be {inside}"
                for name, each in value.items()
                if not isinstance(each, inner)
            ]
    return wrong


def _design(document: Document, values: Mapping[str, Any]) -> Design:
    rule = {each.name for each in dataclasses.fields(SplitRule)}
    own = {"seeds", "partitions", "scale_features", "scale_target", "units"}
    for key in values:
        if key not in rule | own:
            hint = did_you_mean(key, rule | own)
            raise ConfigError(
                f"{document.where(['design', key], key=True)}: there is no key '{key}'{hint}"
            )
    split = {"split": "kfold", **{k: v for k, v in values.items() if k in rule}}
    return Design(
        SplitRule(**split), **{"seeds": 1, **{k: v for k, v in values.items() if k in own}}
    )


Percentages = Mapping[str, Sequence[tuple[str, int, str, str, float]]]
_CELL = ("table", "dataset", "method", "depth", "time_s", "negative_r2_runs", "runs")
_PERCENT = {"gain_percent": SCORE, "saving_percent": TIME}


def read_tables(
    path: Path,
    metric: str,
    runs_of: Callable[[str], int | None] = lambda dataset: None,
    metrics: Sequence[str] = (),
) -> tuple[list[Published], Percentages]:
    """Return the printed cells of a CSV file in one metric, and its tables of percentages.

    Its columns are ``table``, ``dataset``, ``method``, ``METRIC_mean`` or ``METRIC_percent_mean``
    and, where printed, the ``_sd`` or ``_se`` beside it, ``depth``, ``time_s``, ``runs`` and
    ``negative_r2_runs``. An sd is the standard error times the root of ``runs``, or of what
    ``runs_of`` says of the data set. A row with ``gain_percent`` or ``saving_percent`` and no mean
    says by how much its method is better or faster than the other one of that table. Of several
    ``metrics`` each may have its columns, and rows without this one are passed over. Raises
    ConfigError, with file and line, where a column is lacking or unknown, or a value is no number.
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
    known = [*_CELL, mean, sd, se, *_PERCENT]
    allowed = {f"{other}{scale}_{what}" for other in metrics for scale in ("", "_percent")
               for what in ("mean", "sd", "se")}  # fmt: skip
    for name in header:
        if name not in allowed | {*known}:
            raise ConfigError(f"{path}:1: there is no column '{name}'{did_you_mean(name, known)}")
    cells: list[Published] = []
    percentages: dict[str, list[tuple[str, int, str, str, float]]] = {}
    seen: dict[tuple[str, ...], int] = {}
    for line, row in rows:
        numbers = {name: number(path, line, row, name) for name in known if name not in _CELL[:3]}
        table, dataset, method = words(path, line, row, ("table", "dataset", "method"))
        depth = None if numbers["depth"] is None else int(numbers["depth"])
        percents = {q: p for c, q in _PERCENT.items() if (p := numbers[c]) is not None}
        kind = next(iter(percents), "")
        key = table, dataset, method, str(depth), kind
        if key in seen:
            raise ConfigError(f"{path}:{line}: this is the cell of line {seen[key]} again")
        seen[key] = line
        if percents:
            percentages.setdefault(table, []).extend(
                (dataset, depth or 0, quantity, method, percent)
                for quantity, percent in percents.items()
            )
            continue
        if len(metrics) > 1 and not row[mean]:
            continue
        (printed,) = words(path, line, row, (mean,))
        scale = 1.0 if dataset == MEAN_RANK else scales[stem]
        spread, error = numbers[sd], numbers[se]
        if error is not None:
            spread = error * math.sqrt(_runs(path, line, sd, se, numbers, runs_of(dataset)))
        cells.append(
            Published(
                table=table,
                dataset=dataset,
                depth=depth,
                method=method,
                mean=_scaled(numbers[mean] or 0.0, scale),
                sd=None if spread is None else _scaled(spread, scale),
                time_s=numbers["time_s"],
                exploded_runs=numbers["negative_r2_runs"],
                printed=printed.strip(),
                rounding=scale * half_a_unit(printed),
                se=None if error is None else _scaled(error, scale),
            )
        )
    return cells, percentages


def _runs(
    path: Path, line: int, sd: str, se: str, numbers: Mapping[str, float | None], usual: int | None
) -> float:
    """Return of how many runs a printed standard error is."""
    if numbers[sd] is not None:
        raise ConfigError(f"{path}:{line}: '{sd}' and '{se}' are both given; leave one out")
    if not (runs := numbers["runs"] or usual):
        raise ConfigError(f"{path}:{line}: '{se}' needs 'runs', how many runs it is of")
    return runs


_COUNTS = ("n_samples", "n_features", "n_classes", "per_class")
_DESIGN = ("folds", "splits", "partitions", "seeds", "test_size")
_LISTS = ("cards", "targets", "fingerprints", "files")
_DATASET = ("dataset", "title", *_COUNTS, *_LISTS, "division", *_DESIGN, "stratified")


def read_datasets(path: Path, design: Design | None = None) -> dict[str, PublishedDataset]:
    """Return the data sets of a CSV file by name.

    Its columns are ``dataset`` and, where known, ``title``, ``n_samples``, ``n_features``,
    ``n_classes``, ``cards``, ``targets``, ``fingerprints`` and ``files`` (with semicolons),
    ``per_class`` and ``division``. A design of its own has ``folds``, with ``stratified``, or
    ``splits`` and ``test_size``, and ``partitions`` and ``seeds``; scalings are those of the
    paper's ``design``. Raises ConfigError as :func:`read_tables` does.
    """
    found: dict[str, PublishedDataset] = {}
    for line, row in lines(path):
        for column in row:
            if column not in _DATASET:
                hint = did_you_mean(str(column), _DATASET)
                raise ConfigError(f"{path}:1: there is no column '{column}'{hint}")
        (name,) = words(path, line, row, ("dataset",))
        if name in found:
            raise ConfigError(f"{path}:{line}: the data set '{name}' occurs twice")
        counts = {key: number(path, line, row, key) for key in _COUNTS}
        found[name] = PublishedDataset(
            name=name,
            title=row.get("title") or name,
            division=row.get("division") or "",
            design=_own_design(path, line, row, design),
            cards=listed(row.get("cards")),
            targets=listed(row.get("targets")),
            fingerprints=listed(row.get("fingerprints")),
            files=listed(row.get("files")),
            **{key: None if value is None else int(value) for key, value in counts.items()},
        )
    return found


def _own_design(
    path: Path, line: int, row: Mapping[str, str], design: Design | None
) -> Design | None:
    """Return the design in a row of data sets, ``None`` where it has none."""
    given = {key: number(path, line, row, key) for key in _DESIGN}
    folds, splits, partitions, seeds = (int(given[key] or 0) for key in _DESIGN[:4])
    test_size = given["test_size"]
    if (folds and splits) or bool(splits) != (test_size is not None):
        raise ConfigError(f"{path}:{line}: give 'folds', or 'splits' and 'test_size'")
    if folds:
        split = SplitRule("stratified" if row.get("stratified") == "yes" else "kfold", folds)
    elif splits:
        split = SplitRule("shuffle", splits, test_size)
    elif design is not None and (partitions or seeds):
        split = design.split
    else:
        return None
    if design is None:
        return Design(split, seeds or 1, partitions=partitions or 1)
    return dataclasses.replace(design, split=split, seeds=seeds or 1, partitions=partitions or 1)


def _scaled(value: float, scale: float) -> float:
    # 91.3 % is the share that one would write, not 0.9129999999999999.
    return value if scale == 1.0 else float(f"{value * scale:.12g}")
