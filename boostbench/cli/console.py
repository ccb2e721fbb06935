"""The only door to rich: text, tables and the live view, plain where the output is no terminal."""

import sys
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from boostbench.cli.progress import Board, Progress, duration
from boostbench.cli.tables import Fitted, column_width, fitted, table_width, wrapped
from boostbench.errors import printable
from boostbench.plan.trial import Trial
from boostbench.store.types import Outcome

if TYPE_CHECKING:
    from boostbench.data.access import Transfer
    from boostbench.data.dataset import Dataset

_LOG_WIDTH = 200
_PLAIN_PERIOD_S = 30.0
_COMPILING_PERIOD_S = 5.0
_MAX_TOLD_FAILURES = 3


class Screen:
    """Where commands write: results to standard output, remarks to standard error."""

    def __init__(self) -> None:
        self.out = _console(sys.stdout)
        self.err = _console(sys.stderr)

    def say(self, text: str, style: str = "") -> None:
        """Write a line to standard output as it is."""
        self._print(self.out, text, style)

    def note(self, text: str, style: str = "dim") -> None:
        """Write a remark to standard error."""
        self._print(self.err, text, style)

    def _print(self, console: Console, text: str, style: str) -> None:
        text = printable(text)
        if console.is_terminal:
            text = wrapped(text, console.width)
        console.print(Text(text, style=style), soft_wrap=True)

    def note_data(self, dataset: "Dataset") -> None:
        """Write, as a remark, how a data set was read, if there is anything to say."""
        if dataset.remarks_line:
            self.note(dataset.remarks_line)

    def table(
        self,
        header: Sequence[str],
        rows: Sequence[Sequence[str]],
        *,
        title: str = "",
        left: Collection[int] = (0,),
        sums: int = 0,
    ) -> None:
        """Write a table; the columns ``left`` are flush left, the last ``sums`` rows set off.

        Columns of words are wrapped between words. A table of figures that is too wide is turned,
        or written in parts.
        """
        cells = [[printable(cell) for cell in row] for row in rows]
        layout = Fitted([(list(header), cells)])
        if set(left) == {0}:
            layout = fitted(header, cells, self.out.width)
        for names, part in layout.parts:
            table = Table(title=title or None, title_justify="left", title_style="bold", box=_box())
            for i, column in enumerate(zip(names, *part, strict=True)):
                table.add_column(
                    Text(column[0]),
                    justify="left" if i in left else "right",
                    min_width=max(len(word) for cell in column for word in [*cell.split(), ""]),
                    max_width=None if set(left) != {0} else column_width(column),
                )
            for i, row in enumerate(part):
                ends = bool(sums) and not layout.turned and i == len(rows) - sums - 1
                table.add_row(*map(Text, row), end_section=ends)
            least = sum((column.min_width or 0) + 3 for column in table.columns)
            self.out.print(table, width=max(self.out.width, least), crop=False)

    @contextmanager
    def working(self, text: str) -> Iterator[None]:
        """Show what is being done inside."""
        if not self.err.is_terminal:
            self.note(text)
            yield
            return
        with self.err.status(Text(printable(text), style="dim")):
            yield

    @contextmanager
    def progress(self, board: Board, *, live: bool = True) -> Iterator["View"]:
        """Show a run: a live table in a terminal, a line now and then elsewhere."""
        if not (live and self.err.is_terminal):
            yield PlainView(board, self)
            return
        view = LiveView(board, self)
        with Live(
            get_renderable=view.render, console=self.err, refresh_per_second=4, transient=True
        ):
            yield view

    @contextmanager
    def downloads(self) -> "Iterator[Callable[[Transfer], None]]":
        """Show downloads: a bar for each in a terminal, elsewhere a line when one has ended."""
        if not self.err.is_terminal:
            yield self._report_transfer
            return
        bars = _bars(self.err)
        shown: dict[int, Any] = {}

        def watch(transfer: "Transfer") -> None:
            bars.start()
            key = id(transfer)
            if key not in shown:
                what = printable(transfer.what)
                shown[key] = bars.add_task(what, total=None, place=transfer.place)
            bars.update(shown[key], completed=transfer.received, total=transfer.total)
            if transfer.ended:
                bars.remove_task(shown.pop(key))
                if transfer.complete:
                    self._report_transfer(transfer)

        try:
            yield watch
        finally:
            bars.stop()

    def _report_transfer(self, transfer: "Transfer") -> None:
        from boostbench.data.bounds import readable_size

        if transfer.complete:
            size = readable_size(transfer.received)
            self.note(f"downloaded {transfer.what} from {transfer.place}, {size}")


class View:
    """What a run tells; both views write each failure at once, the first few of a cell."""

    def __init__(self, board: Board, screen: Screen) -> None:
        self.board = board
        self.screen = screen

    def started(self, trial: Trial, worker: int) -> None:
        """A worker begins a trial."""
        self.board.start(trial, worker)

    def ended(self, trial: Trial, outcome: Outcome, worker: int) -> None:
        """A trial has its outcome."""
        cell = self.board.end(trial, outcome, worker)
        count = cell.skipped if outcome.status == "skipped" else cell.failed
        limit = 1 if outcome.status == "skipped" else _MAX_TOLD_FAILURES
        if outcome.status != "ok" and count <= limit:
            more = " (more of this kind are counted, not told)" if count == limit > 1 else ""
            reason = outcome.reason or "no reason given"
            self.screen.note(
                f"{trial_name(trial)}: {outcome.status}: {reason}{more}",
                style="yellow" if outcome.status == "skipped" else "red",
            )
        self.cell_changed(trial, cell)

    def cell_changed(self, trial: Trial, cell: Progress) -> None:
        """A cell of the table has one more outcome."""

    def compiling(self, counts: tuple[int, int] | None) -> None:
        """So many kernels are compiled, of so many; None: none are being compiled now."""
        self.board.compiling = counts

    def told(self, text: str) -> None:
        """The engine says something that matters to the user."""
        self.screen.note(text, style="bold yellow")


class PlainView(View):
    """One line a finished cell, and one every half minute."""

    def __init__(self, board: Board, screen: Screen) -> None:
        super().__init__(board, screen)
        self._last = time.monotonic()
        self._compiling_shown = float("-inf")

    def cell_changed(self, trial: Trial, cell: Progress) -> None:
        now = time.monotonic()
        if cell.done == cell.total:
            what = f"{trial.dataset} {trial.method}: {_counts(cell)}"
        elif now - self._last >= _PLAIN_PERIOD_S:
            what = "running"
        else:
            return
        self._last = now
        self.screen.note(f"{what}; {_overall(self.board)}", style="")

    def compiling(self, counts: tuple[int, int] | None) -> None:
        super().compiling(counts)
        now = time.monotonic()
        if counts is not None and now - self._compiling_shown >= _COMPILING_PERIOD_S:
            self._compiling_shown = now
            self.screen.note(_compiling(counts), style="")


class LiveView(View):
    """A table of the counts, what runs now, and the time left."""

    def render(self) -> Group:
        """Return what is shown now."""
        board = self.board
        rows = self._visible_rows()
        table = self._table(rows)
        now = time.monotonic()
        lines = [
            Text(f"  {trial_name(trial)}  {now - since:.0f} s", style="cyan")
            for _, (trial, since) in sorted(board.running.items())[:8]
        ]
        hidden = len(board.datasets) - len(rows)
        more = [Text(f"  and {hidden} more data sets", style="dim")] if hidden else []
        return Group(table, *more, Text(_overall(board), style="bold"), *lines)

    def _table(self, datasets: Sequence[str]) -> Table:
        """Return the counts by data set and method, or by method where these are too many."""
        board = self.board
        header = [Text("data set"), *map(Text, board.methods)]
        rows = [
            [Text(dataset), *(_cell(board.cells.get((dataset, m))) for m in board.methods)]
            for dataset in datasets
        ]
        if self._width(header, rows) > self.screen.err.width:
            columns = [list(row) for row in zip(header, *rows, strict=True)]
            header, rows = columns[0], columns[1:]
        if self._width(header, rows) > self.screen.err.width:
            header = [Text("method"), Text("trials")]
            rows = [[Text(method), _cell(self._total(method))] for method in board.methods]
        table = Table(box=_box())
        for i, name in enumerate(header):
            table.add_column(name, justify="right" if i else "left")
        for row in rows:
            table.add_row(*row)
        return table

    @staticmethod
    def _width(header: Sequence[Text], rows: Sequence[Sequence[Text]]) -> int:
        return table_width(list(map(str, header)), [list(map(str, row)) for row in rows])

    def _total(self, method: str) -> Progress:
        """Return the counts of a method over all data sets."""
        cells = [cell for (_, name), cell in self.board.cells.items() if name == method]
        return Progress(
            cells[0].first,
            total=sum(cell.total for cell in cells),
            done=sum(cell.done for cell in cells),
            failed=sum(cell.failed for cell in cells),
            skipped=sum(cell.skipped for cell in cells),
        )

    def _visible_rows(self) -> list[str]:
        """Return the data sets that fit on the screen, those that are finished left out first."""
        board = self.board
        room = max(4, self.screen.err.height - 8 - min(8, len(board.running)))
        if len(board.datasets) <= room:
            return board.datasets
        open_ = [
            dataset
            for dataset in board.datasets
            if any(c.done < c.total for (d, _), c in board.cells.items() if d == dataset)
        ]
        return open_[:room]


def trial_name(trial: Trial) -> str:
    """Return ``dataset/method/fold/seed``, by which the user names a trial."""
    return f"{trial.dataset}/{trial.method}/{trial.fold}/{trial.seed}"


def _counts(cell: Progress) -> str:
    failed = f", {cell.failed} failed" if cell.failed else ""
    skipped = f", {cell.skipped} skipped" if cell.skipped else ""
    return f"{cell.done} of {cell.total} done{failed}{skipped}"


def _overall(board: Board) -> str:
    counts = f"{board.ended:,} of {board.to_run:,} trials"
    if board.compiling is not None:
        return f"{counts}; {_compiling(board.compiling)}"
    left = board.seconds_left() if board.ended < board.to_run else 0.0
    return f"{counts}, about {duration(left)} left" if left else counts


def _compiling(counts: tuple[int, int]) -> str:
    return f"compiling kernels (once), {counts[0]} of {counts[1]}"


def _cell(cell: Progress | None) -> Text:
    if cell is None:
        return Text("")
    text = Text(f"{cell.done}/{cell.total}", style="green" if cell.done == cell.total else "")
    if cell.failed:
        text.append(f" {cell.failed} failed", style="red")
    if cell.skipped:
        text.append(f" {cell.skipped} skipped", style="yellow")
    return text


def _console(file: Any) -> Console:
    console = Console(file=file, highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = max(console.width, _LOG_WIDTH)
    return console


def _bars(console: Console) -> Any:
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TransferSpeedColumn,
    )

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=24),
        DownloadColumn(),
        TransferSpeedColumn(),
        TextColumn("{task.fields[place]}", style="dim", markup=False),
        console=console,
        transient=True,
    )


def _box() -> Any:
    from rich.box import SIMPLE_HEAD

    return SIMPLE_HEAD
