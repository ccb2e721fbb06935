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
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from boostbench.data.splits import SplitRule
from boostbench.errors import ConfigError
from boostbench.papers.design import Design
from boostbench.papers.improvement import SCORE, TIME, Improvements
from boostbench.papers.reading import MEANS, lines, listed, number, words
from boostbench.suggest import did_you_mean
from boostbench.yamltree import Document, read_yaml


@dataclass(frozen=True)
class Published:
    """One printed cell: the mean score over runs, its sd, seconds of training, exploded runs.

    ``dataset`` is a data set or one of :data:`MEANS`; ``depth`` is ``None`` where it has no
    meaning (random forest). ``mean`` and ``sd`` are in the paper's metric, shares where that is
    printed in percent. ``exploded_runs`` counts runs with R2 < 0. What the paper leaves out is
    ``None``.
    """

    table: str
    dataset: str
    depth: int | None
    method: str
    mean: float
    sd: float | None = None
    time_s: float | None = None
    exploded_runs: float | None = None


@dataclass(frozen=True)
class PublishedDataset:
    """A data set of the paper: its printed name, rows, features and classes, and its identity.

    The data that a paper published on are those of one of the ``cards`` (``NAME`` or
    ``NAME:VARIANT``), all rows of it or ``per_class`` of each class, with one of the ``targets``,
    which are those that the cards have without being asked. With ``splits: given`` the card says
    how many rows of each class are used. ``division`` says how the paper divides the rows, where
    that is not the paper's usual way.
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

    def is_asked_for(self, entry: Mapping[str, Any]) -> bool:
        """Return whether an experiment's data set, as JSON values, is this one."""
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

    ``metric`` is what it prints, ``runs`` how many runs a mean is of, ``rounds`` how many it trains
    a boosting method. ``names`` maps a method, by its registered name, to the column it is
    measured against: two may share one (``columns`` in the file; by default each column is a
    method's). ``meant`` maps a column to the methods that are meant as
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
    metric: str = "r2"
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

    def _file(self, name: str) -> Path | None:
        path = self.folder / name if self.folder else None
        return path if path and path.is_file() else None

    @cached_property
    def cells(self) -> Sequence[Published]:
        """Every printed cell in the order of the tables; ``ConfigError`` if the file is wrong."""
        path = self._file("tables.csv")
        return read_tables(path, self.metric)[0] if path else []

    @cached_property
    def improvements(self) -> Sequence[Improvements]:
        """Its tables of percentages."""
        path = self._file("tables.csv")
        rows = read_tables(path, self.metric)[1] if path else {}
        order = list(dict.fromkeys([*self.names.values()]))
        return [Improvements.of(table, own, order) for table, own in rows.items()]

    @cached_property
    def datasets(self) -> Mapping[str, PublishedDataset]:
        """The paper's data sets by name, in the order of its tables."""
        path = self._file("datasets.csv")
        if path:
            return read_datasets(path)
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
        return [self.metric]

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

    def rounding(self, table: str) -> float:
        """Return half a unit of the last decimal of the means that a table prints."""
        return float(Decimal(5).scaleb(-1 - self._decimals.get(table, 0)))

    @cached_property
    def _decimals(self) -> Mapping[str, int]:
        found: dict[str, int] = {}
        for cell in self.cells:
            decimals = -int(Decimal(repr(cell.mean)).normalize().as_tuple().exponent)
            found[cell.table] = max(decimals, found.get(cell.table, 0))
        return found

    def meant_by(self, column: str) -> Sequence[str]:
        """Return the methods, by registered name, that are meant as the paper's column."""
        if column in self.meant:
            return self.meant[column]
        found = [name for name, printed in self.names.items() if printed == column]
        return [column] if column in found else found[:1]

    def published_as(self, entry: Mapping[str, Any]) -> str:
        """Return the paper's name for the data of an experiment's entry, "" for any other data.

        ``entry`` is the data set as the experiment states it, as JSON values: what decides are its
        card and variant, target and rows, never its label.
        """
        return next((d.name for d in self.datasets.values() if d.is_asked_for(entry)), "")

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


def _fits(wanted: Mapping[str, Any], has: Mapping[str, Any]) -> bool:
    return all(
        has.get(key) in (value if isinstance(value, list) else [value])
        for key, value in wanted.items()
        if key not in ("method", "estimator", "rounds")
    )


_TYPES: Mapping[str, tuple[type, str]] = {
    **dict.fromkeys(("title", "authors", "journal", "doi", "arxiv", "metric"), (str, "a text")),
    **dict.fromkeys(("runs", "rounds", "default_depth"), (int, "a whole number")),
    **dict.fromkeys(
        ("design", "columns", "meant", "readings", "implementations", "roles", "printed_names",
         "captions", "best_of_starts", "protocol"), (dict, "a mapping"),
    ),
    "figures": (list, "a list"),
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
        if not isinstance(value, kind) or isinstance(value, bool):
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
    own = {"seeds", "scale_features", "scale_target"}
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
_CELL = ("table", "dataset", "method", "depth", "time_s", "negative_r2_runs")
_PERCENT = {"gain_percent": SCORE, "saving_percent": TIME}


def read_tables(path: Path, metric: str) -> tuple[list[Published], Percentages]:
    """Return the printed cells of a CSV file, one row per cell, and its tables of percentages.

    Its columns are ``table``, ``dataset``, ``method``, ``METRIC_mean`` or ``METRIC_percent_mean``
    and, where printed, the ``_sd`` beside it, ``depth``, ``time_s`` and ``negative_r2_runs``. A row
    with ``gain_percent`` or ``saving_percent`` and no mean says by how much its method is better or
    faster than the other one of that table. Raises ConfigError, with file and line, where a column
    is lacking or unknown, or a value is not a number.
    """
    rows = lines(path)
    header = rows[0][1] if rows else {}
    scales = {metric: 1.0, f"{metric}_percent": 0.01}
    stem = next((name for name in scales if f"{name}_mean" in header), None)
    if stem is None:
        raise ConfigError(
            f"{path}:1: there must be a column '{metric}_mean' or '{metric}_percent_mean', and rows"
        )
    known = [*_CELL, f"{stem}_mean", f"{stem}_sd", *_PERCENT]
    for name in header:
        if name not in known:
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
        words(path, line, row, (f"{stem}_mean",))
        mean, sd = numbers[f"{stem}_mean"], numbers[f"{stem}_sd"]
        cells.append(
            Published(
                table=table,
                dataset=dataset,
                depth=depth,
                method=method,
                mean=_scaled(mean or 0.0, scales[stem]),
                sd=None if sd is None else _scaled(sd, scales[stem]),
                time_s=numbers["time_s"],
                exploded_runs=numbers["negative_r2_runs"],
            )
        )
    return cells, percentages


_COUNTS = ("n_samples", "n_features", "n_classes", "per_class")
_DATASET = ("dataset", "title", *_COUNTS, "cards", "targets", "division")


def read_datasets(path: Path) -> dict[str, PublishedDataset]:
    """Return the data sets of a CSV file by name.

    Its columns are ``dataset`` and, where known, ``title``, ``n_samples``, ``n_features``,
    ``n_classes``, ``cards`` and ``targets`` (with semicolons), ``per_class`` and ``division``.
    Raises ConfigError as :func:`read_tables` does.
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
            cards=listed(row.get("cards")),
            targets=listed(row.get("targets")),
            division=row.get("division") or "",
            **{key: None if value is None else int(value) for key, value in counts.items()},
        )
    return found


def _scaled(value: float, scale: float) -> float:
    # 91.3 % is the share that one would write, not 0.9129999999999999.
    return value if scale == 1.0 else float(f"{value * scale:.12g}")
