"""The runs behind printed means: ``runs.csv`` beside a paper's tables."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from types import MappingProxyType

from boostbench.errors import ConfigError
from boostbench.grouping import grouped
from boostbench.papers.reading import Line, delimited_lines, half_a_unit
from boostbench.papers.settings import Setting, value_of
from boostbench.suggest import did_you_mean
from boostbench.values import RunKey

RUNS_FILE = "runs.csv"
RUN_COLUMNS = ("table", "dataset", "method", "split", "seed", "score")
_NEEDED = ("dataset", "method", "score")
_OUR_SPLIT = re.compile(r"(\d+)/(\d+)")
_DECIMAL_COMMA = re.compile(r"[-+]?\d*,\d+(?:[eE][-+]?\d+)?")

CellKey = tuple[str, str, str, Setting]
"""A table, a data set, a method and the values of the paper's conditions."""


@dataclass(frozen=True)
class Run:
    """One run: of which table, data set, method and setting, its split and seed, and its score.

    ``place`` is its file and line, "" if it is from no file, ``row`` its other cells by column.
    """

    table: str
    dataset: str
    method: str
    split: str
    seed: str
    score: float
    setting: Setting = ()
    place: str = field(default="", compare=False)
    row: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)

    @property
    def cells(self) -> list[str]:
        """Its values in the order of :data:`RUN_COLUMNS`."""
        return [str(getattr(self, name)) for name in RUN_COLUMNS]

    @property
    def cell(self) -> CellKey:
        """The cell that the run is of."""
        return self.table, self.dataset, self.method, self.setting


def read_runs(
    path: Path,
    columns: Mapping[str, str] = MappingProxyType({}),
    conditions: Sequence[str] = (),
) -> list[Run]:
    """Return the runs of a CSV file; ConfigError, with file and line, where it is wrong.

    ``columns`` has the names in the file of columns that are called otherwise, and ``conditions``
    those of columns with the values of a paper's conditions, as far as there are any.
    """
    header, rows = delimited_lines(path)
    for name in _NEEDED:
        own = columns.get(name, name)
        if own.casefold() not in header:
            raise ConfigError(
                f"{path}:1: there is no column '{own}'{did_you_mean(own, header)}; "
                f"write --columns {name}=NAME if it is called otherwise"
            )
    runs = runs_in(rows, columns, conditions)
    for sentence in repeated(((run.cell, run.split, run.seed), run.place) for run in runs):
        raise ConfigError(sentence)
    return runs


def runs_in(
    rows: Iterable[Line],
    columns: Mapping[str, str] = MappingProxyType({}),
    conditions: Sequence[str] = (),
) -> list[Run]:
    """Return the runs in rows with their places; ConfigError for a score that is no number."""
    names = {name: columns.get(name, name).casefold() for name in RUN_COLUMNS}
    runs: list[Run] = []
    for place, row in rows:
        table, dataset, method, split, seed, text = (row.get(names[n], "") for n in RUN_COLUMNS)
        setting = tuple(value_of(_dotted(row.get(name.casefold(), ""))) for name in conditions)
        score = number_in(place, names["score"], text)
        own = table or "1", dataset, method, split, seed, score
        runs.append(Run(*own, setting, place, row))
    return runs


def repeated(runs: Iterable[tuple[object, str]]) -> Iterator[str]:
    """Yield the runs, each what it is of and its place, that are there again."""
    first: dict[object, str] = {}
    for run, place in runs:
        if (known := first.setdefault(run, place)) != place:
            yield (
                f"{place}: this run is again that of line {known.rpartition(':')[2]}; give each "
                "its split and seed"
            )


def _dotted(text: str) -> str:
    """Return a number with a decimal comma with a point."""
    return text.replace(",", ".") if _DECIMAL_COMMA.fullmatch(text) else text


def number_in(place: str, column: str, text: str) -> float:
    """Return a number that may have a decimal comma; ConfigError with its place if it is none."""
    try:
        score = float(_dotted(text))
    except ValueError:
        score = math.nan
    if not math.isfinite(score):
        said = f"'{text}' is no number" if text else "there is no number"
        raise ConfigError(f"{place}, {column}: {said}; leave out the rows of runs without a score")
    return score


def scores_of(runs: Iterable[Run]) -> dict[CellKey, list[float]]:
    """Return the scores of each cell in the order of the runs."""
    return grouped((run.cell, run.score) for run in runs)


def scores_by_run(runs: Iterable[Run]) -> dict[CellKey, dict[RunKey, float]]:
    """Return the scores of the cells all of whose splits are named as ours, PARTITION/FOLD."""
    every: dict[CellKey, dict[RunKey, float]] = {}
    others: set[CellKey] = set()
    for run in runs:
        split = _OUR_SPLIT.fullmatch(run.split)
        if split is None:
            others.add(run.cell)
            continue
        seed = int(run.seed) if run.seed.isdigit() else run.seed
        every.setdefault(run.cell, {})[int(split[1]), int(split[2]), seed] = run.score
    return {cell: scores for cell, scores in every.items() if cell not in others}


def differs(printed: str, scores: Sequence[float]) -> bool:
    """Return whether the mean of scores does not round to a printed one."""
    return abs(fmean(scores) - float(printed)) > half_a_unit(printed) * (1 + 1e-9) + 1e-12
