"""A run as a terminal or a notebook shows it: a live table, elsewhere a line now and then."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from boostbench.cli.console import Screen, box
from boostbench.cli.tables import table_width
from boostbench.experiment.listener import Level, Listener
from boostbench.experiment.progress import COMPILING, Board, Progress, failure, overall
from boostbench.plan.trial import Trial
from boostbench.store.types import Outcome

if TYPE_CHECKING:
    from boostbench.data.access import Transfer
    from boostbench.data.dataset import Dataset

_PLAIN_PERIOD_S = 30.0
_STYLES: dict[Level, str] = {
    "info": "dim", "important": "bold yellow", "warning": "yellow", "failure": "red",
}  # fmt: skip


class ScreenListener(Listener):
    """Shows the events of a run on ``screen``; ``live``: as a table, where it can be redrawn."""

    def __init__(self, screen: Screen, *, live: bool = True) -> None:
        self.screen = screen
        self._live = live and (screen.err.is_terminal or _has_widgets(screen.err))

    def note(self, text: str, level: Level = "info") -> None:
        self.screen.note(text, _STYLES[level])

    def dataset_loaded(self, dataset: "Dataset") -> None:
        self.screen.note_data(dataset)

    @contextmanager
    def downloads(self) -> "Iterator[Callable[[Transfer], None]]":
        with self.screen.downloads() as watch:
            yield watch

    @contextmanager
    def working(self, text: str) -> Iterator[None]:
        with self.screen.working(text):
            yield

    @contextmanager
    def trials(self, board: Board) -> Iterator[None]:
        self.board = board
        self._last = time.monotonic()
        if not self._live:
            yield
            return
        view = LiveTable(board, self.screen)
        with Live(
            get_renderable=view.render,
            console=self.screen.err,
            refresh_per_second=4,
            transient=True,
        ):
            yield

    def ended(self, trial: Trial, outcome: Outcome) -> None:
        cell = self.board.cell(trial)
        if text := failure(trial, outcome, cell):
            self.note(text, "warning" if outcome.status == "skipped" else "failure")
        if not self._live:
            self._report_now_and_then(trial, cell)

    def _report_now_and_then(self, trial: Trial, cell: Progress) -> None:
        """Write one line per finished cell, and one every half minute."""
        now = time.monotonic()
        if cell.done == cell.total:
            what = f"{trial.dataset} {trial.method}: {_counts(cell)}"
        elif now - self._last >= _PLAIN_PERIOD_S:
            what = "running"
        else:
            return
        self._last = now
        self.screen.note(f"{what}; {overall(self.board)}", style="")

    def compiling(self, begun: bool) -> None:
        if begun and not self._live:
            self.screen.note(COMPILING, style="")


class LiveTable:
    """A table of the counts, what runs now, and the time left."""

    def __init__(self, board: Board, screen: Screen) -> None:
        self.board = board
        self.screen = screen

    def render(self) -> Group:
        """Return what is shown now."""
        board = self.board
        rows = self._visible_rows()
        table = self._table(rows)
        now = time.monotonic()
        lines = [
            Text(f"  {trial.name}  {now - since:.0f} s", style="cyan")
            for _, (trial, since) in sorted(board.running.items())[:8]
        ]
        hidden = len(board.datasets) - len(rows)
        more = [Text(f"  and {hidden} more data sets", style="dim")] if hidden else []
        return Group(table, *more, Text(overall(board), style="bold"), *lines)

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
        table = Table(box=box())
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


def _has_widgets(console: Console) -> bool:
    """Return whether ``console`` is a notebook with ipywidgets, by which rich draws anew."""
    return console.is_jupyter and find_spec("ipywidgets") is not None


def _counts(cell: Progress) -> str:
    failed = f", {cell.failed} failed" if cell.failed else ""
    skipped = f", {cell.skipped} skipped" if cell.skipped else ""
    return f"{cell.done} of {cell.total} done{failed}{skipped}"


def _cell(cell: Progress | None) -> Text:
    if cell is None:
        return Text("")
    text = Text(f"{cell.done}/{cell.total}", style="green" if cell.done == cell.total else "")
    if cell.failed:
        text.append(f" {cell.failed} failed", style="red")
    if cell.skipped:
        text.append(f" {cell.skipped} skipped", style="yellow")
    return text
