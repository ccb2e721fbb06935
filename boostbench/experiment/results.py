"""The results of an experiment, as frames of numbers, plots and tables for Python."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from boostbench.experiment.elsewhere import place_of_paper, store_of_table
from boostbench.experiment.request import Chosen, selection
from boostbench.experiment.verifying import judge_store
from boostbench.report import for_python
from boostbench.report.build import ReportResult, build_report
from boostbench.report.document.for_paper import PaperLayout
from boostbench.report.document.table import TextTable
from boostbench.report.frames.predictions import predictions_frame
from boostbench.report.frames.results import ReportData, collect
from boostbench.report.paper import paper_text
from boostbench.report.sentences.elsewhere import REMARK
from boostbench.store.export import tables
from boostbench.store.store import Store
from boostbench.values import Record

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Results:
    """The contents of a results folder when this object was made; they never change.

    :func:`boostbench.run` and :func:`boostbench.load` return such an object. Scores are as
    recorded, an error of 0.05 is 5 %, and what is unknown is NaN. The columns of all frames are in
    :doc:`/docs/reference/results-in-python`.

    Parameters
    ----------
    folder : path-like
        The results folder, or a table of runs that others made.
    temporary : object, default=None
        An object that is kept as long as this one, such as a temporary folder that is removed with
        it.
    paper : str, optional
        The paper by which a table of runs is judged, its name or its folder.
    metric : str, optional
        The metric of the scores in such a table, by default the paper's first one.

    Attributes
    ----------
    folder : pathlib.Path
        The results folder, or the table, absolute.

    Raises
    ------
    StoreError
        Where the results cannot be read.

    Examples
    --------
    >>> import boostbench
    >>> results = boostbench.load("results/quickstart/archive")
    >>> results.pairs(only="dataset=diabetes")[["method", "against", "verdict"]].shape
    (10, 3)
    """

    def __init__(
        self,
        folder: Path,
        temporary: object = None,
        paper: str | None = None,
        metric: str | None = None,
    ) -> None:
        # A temporary folder is removed with the last reference to the object that made it.
        self._temporary = temporary
        self.folder = Path(folder).resolve()
        """The results folder, or the table of runs that others made, absolute."""
        self._paper, self._metric = paper and place_of_paper(paper), metric
        if paper is None:
            self._store = Store.read(self.folder, copied=True)
        else:
            self._store = store_of_table(Path(folder), paper, metric)
        self._collected: dict[tuple[str | None, tuple[str, ...]], ReportData] = {}

    def __reduce__(self) -> tuple[type[Results], tuple[object, ...]]:
        # What was read cannot be sent: a copy reads the folder again.
        return Results, (self.folder, None, self._paper, self._metric)

    @cached_property
    def experiment(self) -> Record:
        """The experiment as it was run: its file with all defaults, and the command line."""
        return self._store.experiment()

    @property
    def trials(self) -> pd.DataFrame:
        """One row per planned trial, as in ``trials.csv`` if ended: place, status and metrics."""
        return self._frames["trials"]

    @property
    def times(self) -> pd.DataFrame:
        """One row per planned trial, as in ``times.csv`` if ended: ``*_s`` and MiB (``*_mib``)."""
        return self._frames["times"]

    @property
    def curves(self) -> pd.DataFrame:
        """One row per iteration of each trial with a learning curve, as in ``curves.csv``."""
        return self._frames["curves"]

    @property
    def curve_times(self) -> pd.DataFrame:
        """One row per iteration of each trial with a learning curve, as in ``curve_times.csv``."""
        return self._frames["curve_times"]

    @cached_property
    def predictions(self) -> pd.DataFrame:
        """One row per test row of each trial that kept its predictions (``keep: [predictions]``).

        ``row`` is numbered from 0 in the data set as it was read, ``y`` and ``predicted`` are in
        the target's own unit, or labels of classes, and ``probability_LABEL`` is that of a class.
        """
        return predictions_frame(self._store)

    @cached_property
    def _frames(self) -> dict[str, pd.DataFrame]:
        return {
            name: pd.DataFrame(rows, columns=header)
            for name, (header, rows) in tables(self._store).items()
        }

    @cached_property
    def _report(self) -> ReportResult:
        return build_report(self._store, None)

    def _collect(self, metric: str | None, only: Chosen) -> ReportData:
        """Return the chosen runs, cells and comparisons, which are made once."""
        chosen = selection(only)
        key = metric, tuple(chosen)
        if key not in self._collected:
            self._collected[key] = collect(self._store.selecting(chosen), metric)
        return self._collected[key]

    def means(self, metric: str | None = None, only: Chosen = ()) -> pd.DataFrame:
        """Return the mean score of each method on each data set, with its interval.

        Parameters
        ----------
        metric : str, default=None
            A recorded score, or a scorer for kept predictions; the experiment's own by default.
        only : str, sequence of str or mapping, default=()
            The trials that count, such as ``{"method": "srt*"}`` or ``"method=srt*"``; all by
            default.

        Returns
        -------
        pandas.DataFrame
            One row per data set and method. ``low`` to ``high`` is the 95 % interval for new rows
            of the same kind.

        Raises
        ------
        ConfigError
            Where no trial matches ``only``, or the metric was not recorded.
        """
        return for_python.means(self._collect(metric, only))

    def pairs(self, metric: str | None = None, only: Chosen = ()) -> pd.DataFrame:
        """Return two methods against each other on a data set.

        Parameters
        ----------
        metric : str, default=None
            A recorded score, or a scorer for kept predictions; the experiment's own by default.
        only : str, sequence of str or mapping, default=()
            The trials that count, such as ``{"method": "srt*"}`` or ``"method=srt*"``; all by
            default.

        Returns
        -------
        pandas.DataFrame
            One row per pair and data set. ``difference`` is the mean of ``method`` less that of
            ``against``, over the runs that both have, and ``low`` to ``high`` its 95 % interval for
            new rows of the same kind. ``p`` is that of the corrected resampled t-test
            (:func:`boostbench.stats.corrected_ttest`). ``p_adjusted`` is it after Holm's adjustment
            (:func:`boostbench.stats.holm`) for the ``comparisons`` of ``reference``, one of the
            two, on the data set, and NaN where there is only one. It, or else ``p``, decides the
            ``verdict`` on ``method``: "better", "worse" or "undecided"; "one split" and "windows"
            (splits that train on earlier test rows) decide nothing.

        Raises
        ------
        ConfigError
            Where no trial matches ``only``, or the metric was not recorded.
        """
        return for_python.pairs(self._collect(metric, only))

    def ranks(self, metric: str | None = None, only: Chosen = ()) -> pd.DataFrame:
        """Return the mean rank of each method over data sets, the best first.

        Parameters
        ----------
        metric : str, default=None
            A recorded score, or a scorer for kept predictions; the experiment's own by default.
        only : str, sequence of str or mapping, default=()
            The trials that count, such as ``{"method": "srt*"}`` or ``"method=srt*"``; all by
            default.

        Returns
        -------
        pandas.DataFrame
            One row per method; in every row also Friedman's test
            (:func:`boostbench.stats.friedman`) and Nemenyi's critical difference at 5 %
            (:func:`boostbench.stats.nemenyi_cd`): two methods differ whose ranks are further apart.

        Raises
        ------
        ConfigError
            With fewer than three methods, or five data sets that all of them have; where no trial
            matches ``only``, or the metric was not recorded.
        """
        return for_python.ranks(self._collect(metric, only))

    def plot(
        self,
        kind: str = "means",
        *,
        metric: str | None = None,
        only: Chosen = (),
        ax: Axes | None = None,
    ) -> Axes:
        """Draw means, pairs, ranks or learning curves.

        Parameters
        ----------
        kind : {"means", "pairs", "ranks", "curves"}, default="means"
            What to draw.
        metric : str, default=None
            A recorded score, or a scorer for kept predictions; the experiment's own by default.
        only : str, sequence of str or mapping, default=()
            The trials that count, such as ``{"method": "srt*"}`` or ``"method=srt*"``; all by
            default.
        ax : matplotlib.axes.Axes, default=None
            Where to draw, by default on axes of a new figure; other figures stay as they are.

        Returns
        -------
        matplotlib.axes.Axes
            The axes, for further changes.

        Raises
        ------
        ConfigError
            Where these results do not have what is to be drawn.
        """
        from boostbench.report.figures.plots import plot

        return plot(self._collect(metric, only), kind, ax)

    def to_latex(
        self,
        *,
        show: str | Sequence[str] = ("mean", "sd"),
        columns: str | Sequence[str] = (),
        width: float | None = None,
        metric: str | None = None,
        only: Chosen = (),
    ) -> str:
        """Return the table of ``boostbench report --for-paper`` as LaTeX, which needs booktabs.

        Parameters
        ----------
        show : str or sequence of str, default=("mean", "sd")
            Any of ``mean``, ``sd`` and ``rank``.
        columns : str or sequence of str, default=()
            The methods in their order, all by default.
        width : float, default=None
            That of a column of the paper in inches, 4.75 by default.
        metric : str, default=None
            Another score than the experiment's.
        only : str, sequence of str or mapping, default=()
            Selects trials, such as ``{"dataset": "yacht"}``.

        Returns
        -------
        str
            The LaTeX of a table.

        Raises
        ------
        ConfigError
            For a method without runs, where no run has finished, and for a wrong option.
        """
        layout = PaperLayout.asked(_in_one_text(show), _in_one_text(columns) or None, width)
        return paper_text(self._store.selecting(selection(only)), layout, metric)

    def table(self, only: Chosen = ()) -> pd.DataFrame:
        """Return the table that ``boostbench report`` shows: measured figures beside published.

        Parameters
        ----------
        only : str, sequence of str or mapping, default=()
            The trials that count, such as ``{"method": "srt*"}`` or ``"method=srt*"``; all by
            default.

        Returns
        -------
        pandas.DataFrame
            The texts of the table, with its first column as the index.

        Raises
        ------
        ConfigError
            Where no trial matches ``only``.
        """
        chosen = selection(only)
        report = build_report(self._store.selecting(chosen), None) if chosen else self._report
        return _shown(report.overview)

    def claims(self) -> pd.DataFrame:
        """Return the paper's claims as ``boostbench verify`` judges them on these results.

        Returns
        -------
        pandas.DataFrame
            One row per claim (``id``) and ``reading`` of its methods, the reading meant as the
            paper's first: ``verdict`` (reproduced, weaker, not reproduced, undecided, not judged or
            not comparable), ``why``, the result ``measured`` in words and as ``figures`` (per
            figure and setting its ``unit``, ``value`` and the ends ``low`` and ``high`` of its 95 %
            interval, which covers ``interval_covers``), the figure ``stated`` in the paper and that
            of its own tables (``paper_tables``, with their ``agreement``), the underlying
            ``conditions``, ``datasets`` (without the ``missing`` ones) and number of ``runs`` of
            each method, and how many partitions would decide it.

        Raises
        ------
        ConfigError
            Where the experiment names no paper, or its metric is not the paper's.
        """
        return pd.DataFrame(judge_store(self._store).rows()).set_index(["id", "reading"])

    def __repr__(self) -> str:
        counts = self.trials["status"].value_counts().sort_index()
        text = ", ".join(f"{count:,} {status}" for status, count in counts.items())
        text += f"; {REMARK}" if self._paper else ""
        return f"<Results of {self.experiment.get('name')} in {self.folder}: trials {text}>"

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the answer, the table, and which results these are."""
        table = self._report.overview
        said = [*self._report.answer, self._report.not_run]
        answer = "".join(f"<p>{escape(sentence)}</p>" for sentence in said if sentence)
        legend = f"<p><small>{escape(table.legend)}</small></p>" if table.legend else ""
        these = f"<p><small>{escape(repr(self)[1:-1])}</small></p>"
        shown = _shown(table).reset_index().to_html(index=False)
        return f"{answer}{shown}{legend}{these}"


def _shown(table: TextTable) -> pd.DataFrame:
    """Return a table as texts, its first column as the index."""
    frame = pd.DataFrame(table.texts, columns=list(table.header))
    return frame.set_index(frame.columns[0])


def _in_one_text(names: str | Sequence[str]) -> str:
    """Return names with commas between them."""
    return names if isinstance(names, str) else ",".join(names)
