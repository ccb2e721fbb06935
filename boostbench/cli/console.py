"""The only door to rich: text, tables and the live view, plain where the output is no terminal."""

import sys
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from boostbench.cli.progress import Board, Progress, duration
from boostbench.errors import printable
from boostbench.plan.trial import Trial
from boostbench.store.types import Outcome

if TYPE_CHECKING:
    from boostbench.data.dataset import Dataset

_LOG_WIDTH = 200
_PLAIN_PERIOD_S = 30.0
_MAX_TOLD_FAILURES = 3


class Screen:
    """Where commands write: results to standard output, remarks to standard error."""

    def __init__(self) -> None:
        self.out = _console(sys.stdout)
        self.err = _console(sys.stderr)

    def say(self, text: str, style: str = "") -> None:
        """Write a line to standard output as it is."""
        self.out.print(Text(printable(text), style=style), soft_wrap=True)

    def note(self, text: str, style: str = "dim") -> None:
        """Write a remark to standard error."""
        self.err.print(Text(printable(text), style=style), soft_wrap=True)

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
        """Write a table; the columns ``left`` are flush left, the last ``sums`` rows set off."""
        table = Table(title=title or None, title_justify="left", title_style="bold", box=_box())
        columns = zip(header, *rows, strict=True)
        wide = sum(max(map(len, column)) + 3 for column in columns) > self.out.width
        for i, name in enumerate(header):
            table.add_column(
                Text(_folded(name) if wide else name),
                justify="left" if i in left else "right",
                overflow="fold",
            )
        for i, row in enumerate(rows):
            table.add_row(
                *(Text(printable(cell)) for cell in row),
                end_section=bool(sums) and i == len(rows) - sums - 1,
            )
        self.out.print(table)

    @contextmanager
    def progress(self, board: Board) -> Iterator["View"]:
        """Show a run: a live table in a terminal, a line now and then elsewhere."""
        if not self.err.is_terminal:
            yield PlainView(board, self)
            return
        view = LiveView(board, self)
        with Live(
            get_renderable=view.render, console=self.err, refresh_per_second=4, transient=True
        ):
            yield view


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

    def told(self, text: str) -> None:
        """The engine says something that matters to the user."""
        self.screen.note(text, style="bold yellow")


class PlainView(View):
    """One line a finished cell, and one every half minute."""

    def __init__(self, board: Board, screen: Screen) -> None:
        super().__init__(board, screen)
        self._last = time.monotonic()

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


class LiveView(View):
    """A table of the counts, what runs now, and the time left."""

    def render(self) -> Group:
        """Return what stands on the screen now."""
        board = self.board
        table = Table(box=_box())
        table.add_column("data set")
        for method in board.methods:
            table.add_column(Text(method), justify="right")
        rows = self._visible_rows()
        for dataset in rows:
            cells = (board.cells.get((dataset, method)) for method in board.methods)
            table.add_row(Text(dataset), *(_cell(cell) for cell in cells))
        now = time.monotonic()
        lines = [
            Text(f"  {trial_name(trial)}  {now - since:.0f} s", style="cyan")
            for _, (trial, since) in sorted(board.running.items())[:8]
        ]
        hidden = len(board.datasets) - len(rows)
        more = [Text(f"  and {hidden} more data sets", style="dim")] if hidden else []
        return Group(table, *more, Text(_overall(board), style="bold"), *lines)

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


def _folded(name: str) -> str:
    """Return ``name`` on several lines of about ten characters, broken after underscores."""
    lines = [""]
    for part in name.replace("_", "_ ").split():
        if lines[-1].endswith("_") and len(lines[-1] + part) <= 10:
            lines[-1] += part
        else:
            lines.append(part)
    return "\n".join(lines[1:])


def _counts(cell: Progress) -> str:
    failed = f", {cell.failed} failed" if cell.failed else ""
    skipped = f", {cell.skipped} skipped" if cell.skipped else ""
    return f"{cell.done} of {cell.total} done{failed}{skipped}"


def _overall(board: Board) -> str:
    left = board.seconds_left() if board.ended < board.to_run else 0.0
    rest = "" if not left else f", about {duration(left)} left"
    return f"{board.ended:,} of {board.to_run:,} trials{rest}"


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


def _box() -> Any:
    from rich.box import SIMPLE_HEAD

    return SIMPLE_HEAD
