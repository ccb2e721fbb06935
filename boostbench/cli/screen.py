"""The output of commands: by rich in a terminal, else as plain text."""

import json
import re
import sys
import textwrap
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from rich.box import SIMPLE_HEAD
from rich.console import Console, Group, JustifyMethod, RenderableType
from rich.filesize import decimal
from rich.live import Live
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    Task,
    TaskID,
    TextColumn,
    TransferSpeedColumn,
)
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from boostbench.errors import printable
from boostbench.experiment.listener import Level, Listener
from boostbench.numbers import duration

if TYPE_CHECKING:
    from boostbench.data.access import Transfer
    from boostbench.data.dataset import Dataset
    from boostbench.engine.interface import Compiling
    from boostbench.experiment.paper_report import PaperReport
    from boostbench.experiment.progress import Board
    from boostbench.experiment.reporting import Reported
    from boostbench.plan.trial import Trial
    from boostbench.report.build import ReportResult
    from boostbench.report.document.table import TextTable
    from boostbench.store.types import Outcome

_LOG_WIDTH = 200
_LINE = 100
_EVERY_S = 30.0
# As Python prints the warning of boostbench.trees in a trial's output.
_OUT_OF_RANGE = re.compile(r": OutOfRangeWarning: (.+)")
_BAR = 40
_STYLES: dict[Level, str] = {
    "info": "dim",
    "important": "bold yellow",
    "warning": "yellow",
    "failure": "red",
}


class Screen(Listener):
    """Where commands write: results to standard output, remarks to standard error.

    The progress of a run is a line that is redrawn in a terminal, unless ``live`` is False;
    elsewhere it is a line now and then.
    """

    def __init__(self, *, live: bool = True) -> None:
        self.out, self.err = _console(sys.stdout), _console(sys.stderr)
        self._live = live and self.err.is_terminal

    def find(self, target: str | None) -> Path:
        """Return the results folder that a command was given; see :func:`find_results`."""
        from boostbench.experiment.folders import find_results

        return find_results(target, self.warn)

    # -- results ---------------------------------------------------------------------------------

    def write(self, text: str, style: str = "") -> None:
        """Write a line to standard output."""
        _print(self.out, text, style)

    def facts(self, title: str, rows: Sequence[tuple[str, object]]) -> None:
        """Write a title and names with their values below each other."""
        self.write(title, "bold")
        width = max(len(name) for name, _ in rows)
        for name, value in rows:
            self.write(f"  {name:<{width}}  {value}")

    def json(self, value: object) -> None:
        """Write a value of JSON's types to standard output."""
        sys.stdout.write(json.dumps(value, indent=2, allow_nan=False) + "\n")

    def table(
        self,
        header: Sequence[str],
        rows: Sequence[Sequence[str]],
        left: Collection[int] = (0,),
        keys: int = 1,
    ) -> None:
        """Write a table; the columns ``left`` are flush left, the first ``keys`` name its rows.

        Cells are wrapped between words. A table of figures that is too wide is written in parts,
        each of which names the rows.
        """
        columns = [list(map(printable, column)) for column in zip(header, *rows, strict=True)]
        words = [_longest_word(cells) for cells in columns]
        n_fitting = _count_fitting(words, self.out.width)
        fits = n_fitting == len(words)
        first = max(keys + 1, n_fitting)
        is_of_figures = set(left) == set(range(keys))
        if is_of_figures and not fits and len(words) > first:
            for part in (range(first), [*range(keys), *range(first, len(words))]):
                self.table(_picked(header, part), [_picked(row, part) for row in rows], left, keys)
            return
        table = Table(box=SIMPLE_HEAD)
        for i, cells in enumerate(columns):
            # Columns without blanks keep their width, the others are wrapped; no word is broken.
            whole = fits and words[i] == max(map(len, cells))
            side: JustifyMethod = "left" if i in left else "right"
            table.add_column(Text(cells[0]), justify=side, min_width=words[i], no_wrap=whole)
        for row in rows:
            table.add_row(*map(Text, map(printable, row)))
        self.out.print(table, crop=False)

    def wrapped(self, text: str, indent: str = "", *, short: bool = False) -> None:
        """Write text in lines of at most 100 characters, all of them indented, or in one line."""
        width = min(self.out.width, _LINE) - len(indent)
        text, most = printable(text.strip()), 1 if short else None
        for line in textwrap.wrap(text, width, max_lines=most, placeholder=" …"):
            self.out.print(Text(indent + line), soft_wrap=True)

    def report(self, reported: "Reported") -> None:
        """Show the table of a report and say where its files are."""
        report = reported.report
        if report.asked:
            self.write(report.asked.title, "bold")
            self._with_legend(report.asked)
        else:
            self._results(report)
        if report.not_run:
            self.write(report.not_run, "yellow")
        if report.paths:
            names = ", ".join(p.name for p in report.paths if not p.match("table-*.tex"))
            self.write(f"written to {reported.folder}: {names}")
        for sentence in reported.notices:
            self.warn(sentence)

    def _with_legend(self, table: "TextTable", answer: Sequence[str] = ()) -> None:
        """Show a table, the answer that it gives, and its legend."""
        self.table(table.grouped_header, table.texts, range(table.keys), table.keys)
        for sentence in answer:
            self.write(sentence, "bold")
        if table.legend:
            self.write(table.legend, "dim")

    def _results(self, report: "ReportResult") -> None:
        """Show the results table, the answer, and the comparisons of own methods."""
        self._with_legend(report.overview, report.answer)
        for own in report.own:
            self.write(own.title, "bold")
            self.table(own.header, own.texts, own.left, own.keys)

    def paper(self, written: "PaperReport") -> None:
        """Say where the files for a paper are, and how they are read in."""
        names = ", ".join(path.name for path in written.paths)
        self.write(f"written to {written.folder}: {names}")
        self.write(written.how_to_read_in)
        for sentence in written.notices:
            self.warn(sentence)

    # -- remarks ---------------------------------------------------------------------------------

    def note(self, text: str, level: Level = "info") -> None:
        """Write a remark to standard error."""
        _print(self.err, text, _STYLES[level])

    def warn(self, text: str) -> None:
        """Write a remark that the user should not miss."""
        self.note(text, "warning")

    def open_page(self, address: str) -> None:
        """Open ``address`` in the user's browser; where there is none, say so."""
        import webbrowser

        with suppress(webbrowser.Error):
            if webbrowser.open(address):
                return
        self.warn(f"no browser was found here; open {address} in one")

    def dataset_loaded(self, dataset: "Dataset") -> None:
        """Write the remarks from loading the data set."""
        if dataset.remarks_line:
            self.note(dataset.remarks_line)

    @contextmanager
    def working(self, text: str) -> Iterator[None]:
        """Show ``text`` while something is done."""
        if not self.err.is_terminal:
            self.note(text)
            yield
            return
        with self.err.status(Text(printable(text), style="dim")):
            yield

    @contextmanager
    def downloads(self) -> "Iterator[Callable[[Transfer], None]]":
        """Show downloads: a bar for each in a terminal, and a line when one has ended.

        Features of images have a bar with the time that is left.
        """
        text = TextColumn("{task.description}", markup=False)
        columns = text, BarColumn(), _AmountColumn(), _PaceColumn()
        shown: dict[int, TaskID] = {}

        def watch(transfer: "Transfer") -> None:
            bars.start()
            key = id(transfer)
            if key not in shown:
                place = f" from {transfer.place}" if transfer.place else ""
                what = printable(f"{transfer.what}{place}")
                shown[key] = bars.add_task(what, total=None, unit=transfer.unit)
            bars.update(shown[key], completed=transfer.received, total=transfer.total)
            if transfer.ended:
                bars.remove_task(shown.pop(key))
                self.transferred(transfer)

        is_shown = self.err.is_terminal
        bars = Progress(*columns, console=self.err, transient=True, disable=not is_shown)
        try:
            yield watch
        finally:
            # Before rich 14 it ends with an empty line, even if nothing was shown.
            if is_shown:
                bars.stop()

    def transferred(self, transfer: "Transfer") -> None:
        """Say that a download has ended."""
        if transfer.complete:
            self.note(
                f"downloaded {transfer.what} from {transfer.place}, {decimal(transfer.received)}"
            )

    # -- a run -----------------------------------------------------------------------------------

    @contextmanager
    def trials(self, board: "Board") -> Iterator[None]:
        """Show the ``board`` of trials while they run."""
        self.board, self._last = board, time.monotonic()
        self._reported: set[tuple[str, ...]] = set()
        self._compiles = False
        if not self._live:
            yield
            return
        with Live(
            get_renderable=lambda: _shown(board),
            console=self.err,
            refresh_per_second=1,
            transient=True,
        ):
            yield

    def compiling(self, compiling: "Compiling") -> None:
        """Write why kernels are compiled, and now and then how many are done; see ``trials``."""
        if self._compiles and (self._live or time.monotonic() - self._last < _EVERY_S / 3):
            return
        self._compiles, self._last = True, time.monotonic()
        self.note(str(compiling))

    def ended(self, trial: "Trial", outcome: "Outcome") -> None:
        """Write why trials fail, or warn of their data, once per cell, and how many are done."""
        counts = self.board.cell(trial).counts
        if outcome.status != "ok":
            text = f"{outcome.status}: {outcome.reason} (others are only counted)"
            level: Level = "warning" if outcome.status == "skipped" else "failure"
            self._note_once(trial, outcome.status, text, level)
        if unsuited := _OUT_OF_RANGE.search(outcome.output):
            text = f"{unsuited[1]} (not repeated for its other runs)"
            self._note_once(trial, "out of range", text, "warning")
        is_complete = counts["done"] == counts["planned"]
        if not self._live and (is_complete or time.monotonic() - self._last >= _EVERY_S):
            self._last = time.monotonic()
            self.note(
                f"{trial.dataset} {trial.method}: {counts['done']} of {counts['planned']} done; "
                f"{self.board}"
            )

    def _note_once(self, trial: "Trial", kind: str, text: str, level: Level) -> None:
        """Write a remark of this kind on the first trial of a data set and method."""
        if (known := (trial.dataset, trial.method, kind)) not in self._reported:
            self._reported.add(known)
            self.note(f"{trial.name}: {text}", level)


def _shown(board: "Board") -> RenderableType:
    """Return the state of a run, with a bar while kernels are compiled."""
    line = Text(str(board), style="bold")
    if board.compiling is None:
        return line
    done = board.compiling.part - 1
    bar = ProgressBar(total=board.compiling.parts, completed=done, width=_BAR)
    return Group(bar, line)


class _AmountColumn(DownloadColumn):
    """How much is done: bytes of a download, or images."""

    def render(self, task: Task) -> Text:
        if task.fields["unit"] == "bytes":
            return super().render(task)
        total = "?" if task.total is None else f"{task.total:,.0f}"
        return Text(f"{task.completed:,.0f} of {total}", style="progress.download")


class _PaceColumn(TransferSpeedColumn):
    """The speed of a download, or the time that is left for images."""

    def render(self, task: Task) -> Text:
        if task.fields["unit"] == "bytes":
            return super().render(task)
        left_s = task.time_remaining
        return Text("" if left_s is None else f"about {duration(left_s)} left")


def _longest_word(cells: Iterable[str]) -> int:
    return max(len(word) for cell in cells for word in [*cell.split(), ""])


def _count_fitting(widths: Sequence[int], available: int) -> int:
    """Return how many of the first columns of a table fit."""
    ends = [sum(widths[:n]) + 3 * n + 1 for n in range(1, len(widths) + 1)]
    return sum(end <= available for end in ends)


def _picked(cells: Sequence[str], places: Iterable[int]) -> list[str]:
    return [cells[place] for place in places]


def _console(file: TextIO) -> Console:
    console = Console(file=file, highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = max(console.width, _LOG_WIDTH)
    return console


def _print(console: Console, text: str, style: str = "") -> None:
    # Commands, and lines of other programs, are not wrapped, so that they can be copied.
    keep = not console.is_terminal or "boostbench " in text or "\n" in text
    console.print(Text(printable(text), style=style), soft_wrap=keep)
