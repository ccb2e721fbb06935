"""One table for a paper of one's own: all chosen methods side by side, the decided best in bold."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Self

from boostbench import numbers
from boostbench.errors import ConfigError
from boostbench.papers.metrics import Metric
from boostbench.report.document.answer import design, intro
from boostbench.report.document.table import Item, TextTable, make_table
from boostbench.report.frames.cell import Cell
from boostbench.report.frames.over_datasets import Ranking, why_no_ranks
from boostbench.report.frames.results import ReportData
from boostbench.report.sentences import paper
from boostbench.report.verdicts.winners import certainty
from boostbench.suggest import did_you_mean, listing

SHOWN = ("mean", "sd", "rank")
TEXT_WIDTH = 4.75
"""The width of text in LaTeX's class article, in inches."""
LEAST_WIDTH, MOST_WIDTH = 1.5, 12.0
_MOST_DECIMALS_BELOW = 1000.0


@dataclass(frozen=True)
class PaperLayout:
    """What a table for a paper shows: ``mean``, ``sd`` and ``rank``, of which methods, how wide.

    ``columns`` are labels of methods in their order, all if there are none; ``width`` is that of a
    column of the paper, in inches.
    """

    show: Sequence[str] = ("mean", "sd")
    columns: Sequence[str] = ()
    width: float = TEXT_WIDTH

    @classmethod
    def asked(
        cls, show: str | None, columns: str | None, width: float | None, *, with_sd: bool = True
    ) -> Self:
        """Return the layout of the options of a command; ConfigError for what is wrong."""
        shown = cls.show if show is None else _names("show", show, "mean,sd,rank")
        for name in shown:
            if name not in SHOWN:
                hint = did_you_mean(name, SHOWN)
                raise ConfigError(f"--show has no '{name}'{hint}: it takes {listing(SHOWN)}")
        if "mean" not in shown:
            raise ConfigError(f"--show {show} has no means to show: add mean to it")
        if not with_sd:
            shown = [name for name in shown if name != "sd"]
        wide = cls.width if width is None else width
        if not LEAST_WIDTH <= wide <= MOST_WIDTH:
            raise ConfigError(
                f"--width {wide:g} is no width of a column in inches: give one from "
                f"{LEAST_WIDTH:g} to {MOST_WIDTH:g}, such as 3.3"
            )
        chosen = () if columns is None else _names("columns", columns, "srt_l2,mine")
        return cls(shown, chosen, wide)


def _names(option: str, text: str, example: str) -> list[str]:
    """Return the names in a list with commas, each once; ConfigError for an empty one."""
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise ConfigError(
            f"--{option} with an empty name: give one or more, such as --{option} {example}"
        )
    return list(dict.fromkeys(names))


@dataclass(frozen=True)
class PaperTable:
    """A table with its ``caption``, ``notes`` below it and ``comments`` in the file."""

    table: TextTable
    caption: paper.Caption
    notes: Sequence[str]
    comments: Sequence[str]


def with_columns(results: ReportData, columns: Sequence[str]) -> ReportData:
    """Return the results of the methods ``columns`` alone, in this order; of all without any.

    Raises ConfigError for a method without runs, and where no run has finished.
    """
    methods = results.method_of
    for label in columns:
        if label not in methods:
            raise ConfigError(
                f"--columns names '{label}', of which there are no runs"
                f"{did_you_mean(label, methods)}: those that have some are {listing(methods)}"
            )
    labels = list(columns or methods)
    runs = results.runs[results.runs.method.isin(labels)]
    curves = results.recorded_curves
    only = replace(
        results,
        methods=[methods[label] for label in labels],
        runs=runs,
        recorded_curves={number: curves[number] for number in runs.run if number in curves},
        planned=[cell for cell in results.planned if cell.method in labels],
    )
    if only.done.empty:
        raise ConfigError("no run of these methods has finished: there is nothing for a table")
    return only


def paper_table(results: ReportData, layout: PaperLayout) -> PaperTable:
    """Return the table of the methods of ``results``: data sets by methods, then mean ranks."""
    best = _decided_best(results)
    rows = [_row(results, layout, data.label, best.get(data.label)) for data in results.datasets]
    notes = list(_notes(results))
    ranking = _ranking(results) if "rank" in layout.show else None
    if ranking is not None:
        rows.append([("Data set", "Mean rank"), *_rank_items(results, ranking)])
        if len(ranking.datasets) < len(results.datasets):
            notes.append(paper.ranks_on([results.dataset_names[data] for data in ranking.datasets]))
    return PaperTable(
        table=make_table("paper", "", rows, averages=1 if ranking else 0),
        caption=_caption(results, with_sd="sd" in layout.show, is_decided=bool(best)),
        notes=notes,
        comments=[intro(results)],
    )


def _decided_best(results: ReportData) -> dict[str, str]:
    """Return the best method of each data set on which all others are decidedly worse."""
    by_dataset = results.champions.groupby("dataset", sort=False)
    return {str(d): own.method.iloc[0] for d, own in by_dataset if certainty(own) == "sure"}


def _caption(results: ReportData, *, with_sd: bool, is_decided: bool) -> paper.Caption:
    counts = {cell.planned for cell in results.only_cells if cell.finished}
    comparisons = results.champions.comparisons.dropna()
    return paper.Caption(
        metric=results.metric,
        datasets=len(results.datasets),
        design=design(results),
        runs=counts.pop() if len(counts) == 1 else None,
        with_sd=with_sd,
        comparisons=int(max(comparisons, default=0)),
        is_decided=is_decided,
        has_exploded=any(cell.exploded for cell in results.cells),
    )


Row = list[tuple[str | tuple[str, str], Item | str]]


def _row(results: ReportData, layout: PaperLayout, dataset: str, best: str | None) -> Row:
    """Return the means of a data set, with equal decimals, that of the method ``best`` marked."""
    cells = [(m.label, results.cell(dataset, m.label)) for m in results.methods]
    digits = _digits([cell for _, cell in cells if cell is not None], results.metric)
    items: Row = [("Data set", results.dataset_names[dataset])]
    for label, cell in cells:
        item = _item(cell, results.metric, digits, "sd" in layout.show, label == best)
        items.append((results.names[label], item))
    return items


def _digits(cells: Sequence[Cell], metric: Metric) -> int:
    """Return the number of decimals of all means of a row."""
    means = [abs(metric.scale * cell.mean) for cell in cells if cell.mean is not None]
    return metric.digits if max(means, default=0.0) < _MOST_DECIMALS_BELOW else 0


def _item(cell: Cell | None, metric: Metric, digits: int, with_sd: bool, is_best: bool) -> Item:
    """Return a mean, its sd beside it, and a note where runs are missing."""
    if cell is None or cell.mean is None:
        return Item(numbers.DASH, meaning="empty")
    sd = cell.sd if with_sd else None
    return Item(
        numbers.fixed(metric.scale * cell.mean, digits),
        beside="" if sd is None else numbers.fixed(metric.scale * sd, digits),
        note=paper.DAGGER if cell.finished < cell.planned else "",
        meaning="best" if is_best else "",
    )


def _notes(results: ReportData) -> Iterator[str]:
    """Yield the meaning of the signs in the table."""
    cells = [cell for cell in results.only_cells if cell.mean is not None]
    if any(cell.finished < cell.planned for cell in cells):
        yield paper.FEWER_RUNS
    if len(cells) < len(results.datasets) * len(results.methods):
        yield paper.NO_RESULT


def _ranking(results: ReportData) -> Ranking:
    """Return the mean ranks; ConfigError where there are too few methods or data sets for them."""
    if results.ranking is None:
        raise ConfigError(f"{why_no_ranks(results)}, or leave rank out of --show")
    return results.ranking


def _rank_items(results: ReportData, ranking: Ranking) -> Row:
    ranks = dict(zip(ranking.methods, ranking.friedman.ranks, strict=True))
    return [
        (
            results.names[m.label],
            numbers.fixed(ranks[m.label], 2) if m.label in ranks else numbers.DASH,
        )
        for m in results.methods
    ]
