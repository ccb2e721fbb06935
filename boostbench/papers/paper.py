"""A paper as a folder of data: its printed tables, data sets, names, claims and notes.

- ``paper.yaml``: the fields of :class:`Paper` (``keys.yaml`` describes them and all columns)
- ``tables.csv``: the printed cells, one per row (:mod:`boostbench.papers.tables`)
- ``datasets.csv``: its data sets (in the same module)
- ``claims.csv``: its sentences, as conditions (:mod:`boostbench.papers.claims`)
- ``notes.md``: paragraphs for the reader; those below a heading ``## a, b`` are shown if one of
  these methods or cards is used
"""

import math
import re
from collections import ChainMap, Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Self, TypeVar

import pydantic
from pydantic import ConfigDict, Field, NonNegativeInt, PositiveInt
from pydantic.dataclasses import dataclass
from pydantic_core import ErrorDetails

from boostbench.data.splits import SplitRule
from boostbench.errors import ConfigError
from boostbench.grouping import first_of_each, grouped
from boostbench.papers.design import RULE_KEYS, Design, DesignFor, nested, whole_designs
from boostbench.papers.reading import MEAN_RANK, MEANS, SCORE, TIME, Line, lines, text_of
from boostbench.papers.runs_beside import (
    RUN_COLUMNS,
    RUNS_FILE,
    CellKey,
    Run,
    read_runs,
    scores_by_run,
)
from boostbench.papers.settings import (
    USUAL,
    Condition,
    Setting,
    Value,
    in_order,
    is_given,
    kept,
    matches,
    value_of,
)
from boostbench.papers.tables import (
    COLUMNS,
    AskedData,
    Column,
    Published,
    PublishedDataset,
    read_datasets,
    read_tables,
    stem_of,
)
from boostbench.suggest import did_you_mean
from boostbench.values import Record, RunKey
from boostbench.yamltree import Document, read_yaml

T = TypeVar("T")
Percents = Mapping[tuple[str, Setting, str], Mapping[str, float]]


class MetricEntry(pydantic.BaseModel, extra="allow"):
    """A metric as the file gives it: its name, and settings if there are any."""

    name: str


def _as_list(given: object) -> object:
    """Return metrics that are given by their names, alone or with their settings, as mappings."""
    if isinstance(given, list):
        return [{"name": each} if isinstance(each, str) else each for each in given]
    if not isinstance(given, dict):
        return given
    own = {name: {"direction": one} if isinstance(one, str) else one for name, one in given.items()}
    return [{"name": name, **(one or {})} for name, one in own.items()]


_TAKEN = (*COLUMNS, *RUN_COLUMNS, "id", "where", "text", "stated", "figures", "reason", "note")
"""The columns of a paper's files that mean something else than a condition."""


def _named(conditions: dict[str, Condition]) -> dict[str, Condition]:
    """Return conditions whose names can be columns, and words in claims; else ValueError."""
    for name in conditions:
        if not name.isidentifier():
            raise ValueError(f"the name '{name}' needs to be of letters, digits and _ alone")
        if name in _TAKEN:
            raise ValueError(f"a column '{name}' means something else; choose another name")
    return conditions


@dataclass(frozen=True, config=ConfigDict(extra="forbid", validate_by_name=True))
class Paper:
    """A paper with its published values; ``keys.yaml`` describes the keys of its file.

    ``names`` are the ``columns`` of the file. ``key`` is the name of its folder, and ``is_whole``
    says whether its values are in its first metric, in which its claims are.
    """

    title: str
    authors: str
    key: str = ""
    journal: str = ""
    doi: str = ""
    arxiv: str = ""
    version_read: str = ""
    bibtex: str = ""
    metric: str = "r2"
    metrics: Annotated[list[MetricEntry], pydantic.BeforeValidator(_as_list)] = field(
        default_factory=list
    )
    prints_zeros: bool = True
    runs: PositiveInt | None = None
    rounds: NonNegativeInt = 0
    conditions: Annotated[dict[str, Condition], pydantic.AfterValidator(_named)] = field(
        default_factory=lambda: dict(USUAL)
    )
    design: Annotated[Design | None, pydantic.BeforeValidator(nested)] = None
    designs: list[DesignFor] = field(default_factory=list)
    names: dict[str, str] = Field(default_factory=dict, validation_alias="columns")
    meant: dict[str, Annotated[list[str], Field(min_length=1)]] = field(default_factory=dict)
    other_methods: dict[str, str] = field(default_factory=dict)
    readings: dict[str, dict[str, str]] = field(default_factory=dict)
    implementations: dict[str, list[str]] = field(default_factory=dict)
    roles: dict[str, dict[str, Any]] = field(default_factory=dict)
    printed_names: dict[str, str] = field(default_factory=dict)
    figures: list[str] = field(default_factory=list)
    curves_in: dict[str, list[str]] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)
    captions: dict[str, str] = field(default_factory=dict)
    choices: dict[str, str] = field(default_factory=dict)
    folder: Path | None = None
    is_whole: bool = True

    def file(self, name: str) -> Path | None:
        """Return the path of a file in its folder, ``None`` if there is none."""
        path = self.folder / name if self.folder else None
        return path if path and path.is_file() else None

    def rows(self, name: str) -> list[Line]:
        """Return the places and rows of a CSV file in its folder, none if there is no such file."""
        path = self.file(name)
        return lines(path) if path else []

    @cached_property
    def cells(self) -> Sequence[Published]:
        """Every printed cell in the order of the tables; ``ConfigError`` if the file is wrong."""
        cells = [row for row in self._tables if row.printed]
        if self.prints_zeros:
            return cells
        means = [cell for cell in cells if cell.dataset != MEAN_RANK]
        tables = {cell.table for cell in means}
        least = {t: min(cell.rounding for cell in means if cell.table == t) for t in tables}
        return [
            replace(cell, printed="", rounding=least[cell.table])
            if cell.dataset != MEAN_RANK
            else cell
            for cell in cells
        ]

    @cached_property
    def printed_runs(self) -> Mapping[CellKey, Mapping[RunKey, float]]:
        """The scores of the runs beside its tables, of cells whose splits are named as ours."""
        return scores_by_run(self.runs_beside)

    @cached_property
    def runs_beside(self) -> Sequence[Run]:
        """The runs beside its tables."""
        path = self.file(RUNS_FILE)
        return read_runs(path, conditions=[*self.conditions]) if path else []

    def of_cell(self, cell: Published, found: Mapping[CellKey, T]) -> T | None:
        """Return what is found of the runs of a printed cell.

        Runs whose setting is not given are those of a cell that is printed in one setting only.
        """
        place = cell.table, cell.dataset, cell.method
        if (*place, cell.setting) in found:
            return found[*place, cell.setting]
        is_only = self._settings_of[place] == 1
        return found.get((*place, (None,) * len(self.conditions))) if is_only else None

    @cached_property
    def _settings_of(self) -> Mapping[tuple[str, str, str], int]:
        return Counter((cell.table, cell.dataset, cell.method) for cell in self.cells)

    @cached_property
    def _tables(self) -> Sequence[Published]:
        path = self.file("tables.csv")
        is_elsewhere = not self.is_whole and stem_of(self.metric, self._header) is None
        if path is None or is_elsewhere:
            return []
        return read_tables(path, self.metric, self.metric_names, self.runs_of, [*self.conditions])

    def runs_of(self, dataset: str, table: str = "") -> int | None:
        """Return the number of runs of a mean: ``runs``, or that of its own design."""
        design = self.design_of(dataset, table)
        return self.runs if design is None or design == self.design else design.runs

    def runs_behind(self, cell: Published) -> int | None:
        """Return the number of runs of a printed mean: its row's, else that of its design."""
        return cell.runs or self.runs_of(cell.dataset, cell.table)

    def design_of(self, dataset: str, table: str = "") -> Design | None:
        """Return how the printed means of a data set were measured, in a table or usually."""
        own = [each.design for each in self.designs if each.is_for(table, dataset)]
        if own:
            return own[-1]
        known = self.datasets.get(dataset)
        return known.design(self.design) if known else self.design

    def design_difference(
        self, dataset: str, rule: SplitRule | None, experiment: Record, table: str = ""
    ) -> str:
        """Return how runs on a data set differ from the printed means in their design, or "".

        ``rule`` is their division of the rows. What is a condition of the paper is no difference.
        """
        design = self.design_of(dataset, table)
        if design is None:
            return ""
        free = [each.data for each in self.conditions.values() if each.data in RULE_KEYS]
        if rule is not None and free:
            rule = replace(rule, **{key: getattr(design.split, key) for key in free})
        return design.difference(rule, experiment)

    def conditions_of(
        self, dataset: str, asked: AskedData, rule: SplitRule | None
    ) -> dict[str, Value]:
        """Return the values of conditions that are settings of an experiment's data set.

        They are in its row of ``datasets.csv``, else in its entry or its division of the rows.
        """
        rows = [
            data for data in self.dataset_rows if data.name == dataset and data.is_asked_for(asked)
        ]
        values: dict[str, Value] = {}
        own = {name: each for name, each in self.conditions.items() if each.data}
        for name, condition in own.items():
            given = rows[0].conditions.get(name) if rows else None
            if given is None:
                of_rule = vars(rule) if rule is not None else {}
                given = value_of(asked.entry.get(condition.data, of_rule.get(condition.data)))
            if (known := condition.default if given is None else given) is not None:
                values[name] = known
        return values

    def in_metric(self, metric: str) -> Self:
        """Return the paper with the values of one of its metrics; its claims are in the first."""
        if metric == self.metric:
            return self
        others = [each for each in self.metrics if each.name != metric]
        metrics = [MetricEntry(name=self.metric), *others]
        return replace(self, metric=metric, metrics=metrics, is_whole=False)

    @cached_property
    def in_metrics(self) -> Mapping[str, Self]:
        """The paper in each metric of which its tables have columns."""
        printed = [metric for metric in self.metric_names if stem_of(metric, self._header)]
        return {metric: self.in_metric(metric) for metric in printed}

    @cached_property
    def _header(self) -> Collection[str]:
        return next((row for _, row in self.rows("tables.csv")), {})

    @cached_property
    def improvements(self) -> Mapping[str, Percents]:
        """The tables of improvements: by how many percent a method is better, and faster.

        By table, the percentage of each method by (data set, setting, quantity): score or time.
        """
        tables: dict[str, dict[tuple[str, Setting, str], dict[str, float]]] = {}
        for row in self._tables if self.is_whole else ():
            for quantity, percent in ((SCORE, row.gain_percent), (TIME, row.saving_percent)):
                if percent is not None:
                    percents = tables.setdefault(row.table, {})
                    key = (row.dataset, row.setting, quantity)
                    percents.setdefault(key, {})[row.method] = percent
        return tables

    @cached_property
    def printed_values(self) -> Mapping[str, list[Value]]:
        """The values of each condition in its tables."""
        printed: dict[str, list[Value]] = {}
        for place, name in enumerate(self.conditions):
            ordered = in_order((cell.setting[place],) for cell in self.cells)
            printed[name] = [value for (value,) in ordered if value is not None]
        return printed

    @cached_property
    def dataset_rows(self) -> Sequence[PublishedDataset]:
        """The paper's data sets, in each setting that its file tells apart."""
        if path := self.file("datasets.csv"):
            columns = {name: each.data for name, each in self.conditions.items() if each.data}
            return read_datasets(path, columns)
        names = dict.fromkeys(row.get("dataset", "") for _, row in self.rows("tables.csv"))
        return [PublishedDataset(name, name) for name in names if name not in MEANS]

    @cached_property
    def datasets(self) -> Mapping[str, PublishedDataset]:
        """The paper's data sets by name, in the order of its tables, each by its first row."""
        return first_of_each((data.name, data) for data in self.dataset_rows)

    @property
    def claimed_datasets(self) -> list[str]:
        """The data sets that its claims may name: its own ones, without their stand-ins."""
        return [name for name, data in self.datasets.items() if not data.stands_for]

    @cached_property
    def method_names(self) -> Sequence[str]:
        """Every method that its claims may name."""
        others = (*self.roles, *self.printed_names, *self.names.values())
        return list(dict.fromkeys([*self.names, *others]))

    @property
    def metric_names(self) -> Sequence[str]:
        """The metrics of its printed values."""
        return list(dict.fromkeys([self.metric, *(each.name for each in self.metrics)]))

    def scale_of(self, metric: str) -> float:
        """Return the factor by which its claims are in a metric: 100 for one in percent.

        It is the ``scale`` that the paper gives the metric, else that of its printed values.
        """
        own = next((each for each in self.metrics if each.name == metric), None)
        if given := getattr(own, "scale", None):
            return float(given)
        return 100.0 if stem_of(metric, self._header) == f"{metric}_percent" else 1.0

    @cached_property
    def tables_and_figures(self) -> Sequence[str]:
        """The names of the tables and figures that an experiment can be for."""
        return [*self.printed_tables, *self.figures]

    @cached_property
    def printed_tables(self) -> Sequence[str]:
        """The names of its tables, in the order of the captions, then of the file."""
        every = {self.metric: self, **self.in_metrics}.values()
        named = [cell.table for own in every for cell in own.cells]
        named += self.improvements
        return sorted(dict.fromkeys(named), key=[*self.captions, *named].index)

    def averaged(self, table: str) -> list[str]:
        """Return the data sets of a table's averages: those that all its columns have.

        The SRT paper's Table D.6 thus leaves out the one that its grid search did not finish.
        """
        columns = [column for column in self.columns if column.table == table]
        names = dict.fromkeys(name for column in columns for name in column.datasets)
        return [name for name in names if all(name in column.cells for column in columns)]

    def sd_of(self, cell: Published) -> float | None:
        """Return the printed sd, ``None`` if it is impossible for scores from 0 to 1.

        The largest possible sd is sqrt(m (1 - m) n / (n - 1)). R2 is from 0 to 1 in a paper that
        counts the runs in which it is negative.
        """
        runs, mean = self.runs_behind(cell) or 0, cell.mean
        counted = any(each.exploded_runs is not None for each in self.cells)
        bounded = self.metric in ("error", "accuracy", "r2" if counted else "")
        if not bounded or runs < 2 or not 0 <= mean <= 1:
            return cell.sd
        most = math.sqrt(mean * (1 - mean) * runs / (runs - 1))
        return None if (cell.sd or 0) > most + 1e-3 else cell.sd

    def exploded_runs(self, column: Column, dataset: str) -> float:
        """Return the number of exploded runs of a column's method on a data set in any table."""
        own = column.method, column.setting
        cells = [c for c in self.cells if (c.method, c.setting) == own and c.dataset == dataset]
        return max((cell.exploded_runs or 0.0 for cell in cells), default=0.0)

    def meant_by(self, column: str) -> Sequence[str]:
        """Return the methods, by registered name, that are main readings of a column."""
        if column in self.meant:
            return self.meant[column]
        compared = [name for name, printed in self.names.items() if printed == column]
        return [column] if column in compared else compared[:1]

    def published_as(self, asked: AskedData) -> str:
        """Return the paper's name for a data set of an experiment, "" for any other data."""
        return next((data.name for data in self.dataset_rows if data.is_asked_for(asked)), "")

    def is_added(self, method: str, figure: str) -> bool:
        """Return whether the paper's figure has no curve of a method, by its registered name."""
        return figure in self.figures and figure not in self.curves_in.get(method, [figure])

    def has_run(self, method: str, dataset: str, setting: Setting = ()) -> bool:
        """Return whether its tables, or else its figures, say that a method ran on a data set."""
        own = self._columns_of(method, setting)
        if own and any(dataset in column.cells for column in self.columns):
            return any(dataset in column.cells for column in own)
        figures = self.datasets[dataset].figures if dataset in self.datasets else []
        return not figures or any(not self.is_added(method, figure) for figure in figures)

    def _columns_of(self, method: str, setting: Setting) -> list[Column]:
        """Return the printed columns of a registered method that count in a setting."""
        name = self.names.get(method)
        own = [column for column in self.columns if column.method == name]
        return [column for column in own if matches(column.setting, setting)]

    def column(self, method: str, setting: Setting, table: str | None = None) -> Column | None:
        """Return the printed column with which a registered method is compared.

        It is in ``table``, or else in the first table that prints it in the ``setting``, or without
        values of its conditions; ``None`` if none does.
        """
        own = self._columns_of(method, setting)
        return min(own, key=lambda column: column.table != table, default=None)

    def setting_of(self, *known: Mapping[str, Value]) -> Setting:
        """Return the setting of the values that are known of a method and of a data set."""
        values = ChainMap(*map(dict, known))
        return tuple(values.get(name) for name in self.conditions)

    def with_defaults(self, setting: Setting) -> Setting:
        """Return a setting with the usual values of conditions that are not given."""
        own = zip(self.conditions.values(), setting, strict=True)
        return tuple(each.default if value is None else value for each, value in own)

    def of_methods(self, setting: Setting) -> Setting:
        """Return the values of a setting that are parameters of methods."""
        return kept(setting, [each.param for each in self.conditions.values()])

    def of_data(self, setting: Setting) -> Setting:
        """Return the values of a setting that are settings of data sets."""
        return kept(setting, [each.data for each in self.conditions.values()])

    def depends(self, method: str) -> tuple[bool, ...]:
        """Return on which conditions, as parameters, printed values of a method depend."""
        if method not in self._dependence:
            column = self.names.get(method)
            printed = [cell.setting for cell in self.cells if cell.method == column]
            own = zip(self.conditions.values(), self._with_values(printed), strict=True)
            self._dependence[method] = tuple(bool(each.param) and has for each, has in own)
        return self._dependence[method]

    def data_depends(self, dataset: str) -> tuple[bool, ...]:
        """Return on which conditions, as settings of the data, printed values on them depend."""
        printed = [cell.setting for cell in self.cells if cell.dataset == dataset]
        own = zip(self.conditions.values(), self._with_values(printed), strict=True)
        return tuple(bool(each.data) and has for each, has in own)

    @cached_property
    def _dependence(self) -> dict[str, tuple[bool, ...]]:
        return {}

    def _with_values(self, printed: Collection[Setting]) -> list[bool]:
        """Return which conditions have a value in one of these settings; without any, in all."""
        if not self.cells:
            return [True] * len(self.conditions)
        holds = any if printed else all
        settings = printed or {cell.setting for cell in self.cells}
        return [holds(map(is_given, values)) for values in zip(*settings, strict=True)]

    @cached_property
    def columns(self) -> Sequence[Column]:
        """Every printed column, in the order of the tables."""
        every = [((c.table, c.method, c.setting), (c.dataset, c)) for c in self.cells]
        return [Column(*key, dict(cells)) for key, cells in grouped(every).items()]

    def implementation(self, method: str) -> str:
        """Return the implementation of a method's times, "" if all methods share one."""
        if not self.implementations:
            return ""
        return next((key for key, own in self.implementations.items() if method in own), method)

    def notes(self, used: Collection[str]) -> list[str]:
        """Return the paragraphs for the reader of results with these methods and cards."""
        path = self.file("notes.md")
        paragraphs, is_shown = [], True
        for block in re.split(r"\n\s*\n", text_of(path) if path else ""):
            text = " ".join(line.strip() for line in block.strip().splitlines())
            if text.startswith("## "):
                is_shown = bool({name.strip(" `") for name in text[3:].split(",")} & set(used))
            elif text and is_shown:
                paragraphs.append(text)
        return paragraphs


_NO_KEYS = ("key", "folder", "is_whole")
"""The fields of a paper that its file cannot have."""
_FIELDS = [each.name for kind in (Paper, Design) for each in fields(kind)]
_KEYS = ["columns", *RULE_KEYS, *(name for name in _FIELDS if name not in _NO_KEYS)]


def _in_words(document: Document, error: ErrorDetails) -> str:
    """Return what is wrong with a key of ``paper.yaml``, with its place."""
    is_unknown = error["type"] == "unexpected_keyword_argument"
    hint = did_you_mean(str(error["loc"][-1]), _KEYS) if is_unknown else ""
    if error["type"] == "literal_error":
        hint = did_you_mean(str(error["input"]), re.findall("'(.*?)'", error["msg"]))
    place = document.where(error["loc"], key=is_unknown)
    name = ".".join(map(str, error["loc"]))
    return f"{place}: '{name}': {error['msg'].removeprefix('Value error, ')}{hint}"


def _unknown_key(name: str, value: object) -> ErrorDetails:
    """Return what pydantic says of a key that is no field."""
    return {
        "type": "unexpected_keyword_argument",
        "loc": (name,),
        "msg": "Unexpected keyword argument",
        "input": value,
    }


def read_paper(folder: Path, document: Document | None = None) -> Paper:
    """Return the paper in a folder; ConfigError, with file, line and column, where it is wrong.

    ``document`` is its ``paper.yaml``, if that has been read already.
    """
    document = document or read_yaml(folder / "paper.yaml")
    values = document.value if isinstance(document.value, dict) else {}
    wrong = [_unknown_key(name, values[name]) for name in _NO_KEYS if name in values]
    given = {name: value for name, value in values.items() if name not in _NO_KEYS}
    if "designs" in given:
        given["designs"] = whole_designs(given.get("design"), given["designs"])
    try:
        paper = pydantic.TypeAdapter(Paper).validate_python(
            {**given, "key": folder.name, "folder": folder}
        )
    except pydantic.ValidationError as error:
        wrong = [*error.errors(), *wrong]
    if wrong:
        raise ConfigError("\n".join(_in_words(document, each) for each in wrong))
    return _completed(paper)


def _completed(paper: Paper) -> Paper:
    """Return a paper with the number of runs of its design, and with the names of its columns."""
    # Its cells need the number of runs.
    paper = replace(paper, runs=paper.runs or (paper.design.runs if paper.design else None))
    return replace(paper, names=paper.names or {cell.method: cell.method for cell in paper.cells})
