"""A table of runs that others made, read by a paper's names: methods, data sets, splits, scores.

Whatever is wrong is told in one sentence with its file and line.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from boostbench.data.cards import Catalog
from boostbench.errors import ConfigError
from boostbench.methods import method_names
from boostbench.papers.metrics import known_metrics
from boostbench.papers.paper import Paper
from boostbench.papers.reading import delimited_lines
from boostbench.papers.runs_beside import Run, number_in, runs_in
from boostbench.papers.runs_elsewhere import RunElsewhere, RunTable, check_run_table
from boostbench.papers.settings import Setting, in_words
from boostbench.suggest import did_you_mean, listing

COLUMNS = ("dataset", "method", "split", "seed")
_REMEDIES = {
    "split": "number the splits of each data set, from 0 or from 1",
    "seed": "with 0 in every row where each split was run once",
}
_NUMBERED = re.compile(r"(?:(\d+)/)?(\d+)(?:\.0*)?")


def read_run_table(path: Path, paper: Paper, metric: str | None = None) -> RunTable:
    """Return the runs in a CSV file; ConfigError with file, line and value where it is wrong.

    The score is in the column ``score`` or in that of its metric, which is the paper's first one
    with a column unless it is named. Further columns may hold other metrics.
    """
    header, rows = delimited_lines(path)
    name, column = _score_column(path, header, paper, metric)
    _check_columns(path, header)
    if not rows:
        raise ConfigError(f"{path} has a header and no runs; give a row for each run")
    own = paper.in_metric(name)
    columns = _columns_of_metrics(header, own, column)
    # A run is told apart by what it is of, and not by a table.
    read = runs_in(rows, {"score": column, "table": ""}, [*own.conditions])
    runs = [_by_names_of(own, run, columns) for run in read]
    used = {"", *COLUMNS, *map(str.casefold, own.conditions), *columns.values()}
    not_used = [each for each in header if each not in used]
    known = known_metrics({}, own)[name]
    table = RunTable(path, own, known, column, _by_setting(_from_0(runs), own), not_used)
    check_run_table(table)
    return table


def _columns_of_metrics(header: Sequence[str], paper: Paper, score: str) -> dict[str, str]:
    """Return the metrics of which there are columns, the one of the ``score`` first."""
    others = {name: name.casefold() for name in known_metrics({}, paper) if name != paper.metric}
    there = {name: own for name, own in others.items() if own in header and own != score}
    return {paper.metric: score} | there


def _score_column(
    path: Path, header: Sequence[str], paper: Paper, metric: str | None
) -> tuple[str, str]:
    """Return the metric of the scores, and the column with them."""
    if metric is not None and metric not in paper.metric_names:
        raise ConfigError(
            f"--metric {metric}: the paper {paper.key} prints no '{metric}'"
            f"{did_you_mean(metric, paper.metric_names)}; it has {listing(paper.metric_names)}"
        )
    if "score" in header:
        name = metric or paper.metric
        if name.casefold() in header:
            raise ConfigError(
                f"{path}:1: both 'score' and '{name.casefold()}' may be the scores to judge: leave "
                "one of these columns out"
            )
        return name, "score"
    for name in [metric] if metric else paper.metric_names:
        if name.casefold() in header:
            return name, name.casefold()
    raise ConfigError(
        f"{path}:1: there is no column 'score'{did_you_mean('score', header)}, nor one called "
        f"{listing(list(paper.metric_names))}; the first row must name the columns, and names "
        f"{listing(header)}"
    )


def _check_columns(path: Path, header: Sequence[str]) -> None:
    for name in COLUMNS:
        if name not in header:
            remedy = _REMEDIES.get(name, f"with the name of the {name} in every row")
            raise ConfigError(
                f"{path}:1: there is no column '{name}'{did_you_mean(name, header)}; add it, "
                f"{remedy}"
            )


def _by_names_of(paper: Paper, run: Run, columns: Mapping[str, str]) -> RunElsewhere:
    """Return a run by the names of a paper; ``columns`` has those of its metrics."""
    place = run.place
    scores = {
        name: number_in(place, column, run.row[column])
        for name, column in columns.items()
        if run.row[column]
    }
    partition, fold = _numbered(place, "split", run.split)
    published, role = _published(paper, run), _role(paper, run)
    key = partition, fold, _numbered(place, "seed", run.seed)[1]
    return RunElsewhere(run.dataset, published, run.method, role, run.setting, key, scores, place)


def _role(paper: Paper, run: Run) -> str:
    """Return the role, or the registered method, of a run's method."""
    name = run.method
    if name in (*paper.names, *paper.roles, *paper.printed_names):
        return name
    if meant := paper.meant_by(name):
        return meant[0]
    if name in method_names():
        return name
    every = [*paper.method_names, *method_names()]
    raise ConfigError(
        f"{run.place}, method: the paper {paper.key} has no method '{name}'"
        f"{did_you_mean(name, paper.method_names) or did_you_mean(name, every)}; its methods "
        f"are {listing(list(paper.method_names), 12)}"
    )


def _published(paper: Paper, run: Run) -> str:
    """Return the paper's name of a run's data set, "" for another one that is known here."""
    name = run.dataset
    if name in paper.datasets:
        return name
    cards = {card: data.name for data in paper.datasets.values() for card in data.known_cards}
    if name in cards:
        return cards[name]
    others = Catalog(paper.folder.parent if paper.folder else None).names
    if name in others:
        return ""
    names = list(paper.datasets)
    raise ConfigError(
        f"{run.place}, dataset: the paper {paper.key} has no data set '{name}'"
        f"{did_you_mean(name, names) or did_you_mean(name, [*cards, *others])}; its data sets "
        f"are {listing(names, 12)}"
    )


def _numbered(place: str, column: str, text: str) -> tuple[int, int]:
    """Return the partition, 0 where there is none, and the number in a cell."""
    found = _NUMBERED.fullmatch(text)
    if found is None or (found[1] and column != "split"):
        form = " or PARTITION/FOLD" if column == "split" else ""
        raise ConfigError(f"{place}, {column}: '{text}' must be a whole number{form}")
    return int(found[1] or 0), int(found[2])


def _from_0(runs: Sequence[RunElsewhere]) -> list[RunElsewhere]:
    """Return runs with partitions and folds numbered from 0, which a table may number from 1."""
    first = [min(run.run[part] for run in runs) for part in (0, 1)]
    partition, fold = (int(least == 1) for least in first)
    return [
        run._replace(run=(run.run[0] - partition, run.run[1] - fold, run.run[2])) for run in runs
    ]


def _by_setting(runs: Sequence[RunElsewhere], paper: Paper) -> Sequence[RunElsewhere]:
    """Return runs whose methods and data sets are named with their settings, if with several."""
    of_methods = _told_apart(paper, [paper.of_methods(run.setting) for run in runs])
    of_data = _told_apart(paper, [paper.of_data(run.setting) for run in runs])
    return [
        run._replace(method=f"{run.method}{of_method}", label=f"{run.label}{of_one}")
        for run, of_method, of_one in zip(runs, of_methods, of_data, strict=True)
    ]


def _told_apart(paper: Paper, settings: Sequence[Setting]) -> list[str]:
    """Return what is added to each name, nothing where all have one setting."""
    words = [in_words(paper.conditions, setting) for setting in settings]
    is_one = len(set(settings)) == 1
    return ["" if is_one or not own else f", {own}" for own in words]
