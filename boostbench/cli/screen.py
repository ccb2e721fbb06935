"""Everything that commands show: by rich in a terminal, plain where the output is none."""

import json
import sys
import textwrap
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.console import Console, Group
from rich.filesize import decimal
from rich.live import Live
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn
from rich.table import Table
from rich.text import Text

from boostbench.errors import printable
from boostbench.experiment.listener import Level, Listener

if TYPE_CHECKING:
    from boostbench.data.access import Transfer
    from boostbench.data.dataset import Dataset
    from boostbench.experiment.progress import Board
    from boostbench.plan.trial import Trial
    from boostbench.store.types import Outcome

_LOG_WIDTH = 200
_LINE = 100
_EVERY_S = 30.0
_MOST_RUNNING = 8
_STYLES: dict[Level, str] = {
    "info": "dim", "important": "bold yellow", "warning": "yellow", "failure": "red",
}  # fmt: skip


class Screen(Listener):
    """Where commands write: results to standard output, remarks to standard error.

    A run is shown as it goes: by a line that is drawn anew in a terminal or a notebook, unless
    ``live`` is False; elsewhere by a line now and then.
    """

    def __init__(self, *, live: bool = True) -> None:
        self.out, self.err = _console(sys.stdout), _console(sys.stderr)
        # By ipywidgets rich draws anew in a notebook.
        widgets = self.err.is_jupyter and find_spec("ipywidgets") is not None
        self._live = live and (self.err.is_terminal or widgets)

    def find(self, target: str | None, place: Sequence[str] | None) -> Path:
        """Return the results folder that a command was given; see :func:`find_results`."""
        from boostbench.experiment.folders import find_results

        return find_results(target, place or (), self.warn)

    # -- results ---------------------------------------------------------------------------------

    def say(self, text: str, style: str = "") -> None:
        """Write a line to standard output."""
        _print(self.out, text, style)

    def facts(self, title: str, rows: Sequence[tuple[str, Any]]) -> None:
        """Write a title and names with their values below each other."""
        self.say(title, "bold")
        width = max(len(name) for name, _ in rows)
        for name, value in rows:
            self.say(f"  {name:<{width}}  {value}")

    def json(self, value: Any) -> None:
        """Write a value of JSON's types to standard output."""
        sys.stdout.write(json.dumps(value, indent=2, allow_nan=False) + "\n")

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

        Cells are wrapped between words. A table of figures that is too wide is written in parts.
        """
        columns = [list(map(printable, column)) for column in zip(header, *rows, strict=True)]
        words = [max(len(word) for cell in c for word in [*cell.split(), ""]) for c in columns]
        ends = [sum(words[:n]) + 3 * n + 1 for n in range(1, len(words) + 1)]
        fits = ends[-1] <= self.out.width
        if not fits and set(left) == {0} and len(words) > 2:
            first = max(2, sum(end <= self.out.width for end in ends))
            for part in (range(first), [0, *range(first, len(words))]):
                names, *cut = ([row[i] for i in part] for row in (header, *rows))
                self.table(names, cut, title=title, sums=sums)
            return
        table = Table(title=title or None, title_justify="left", title_style="bold")
        table.box = SIMPLE_HEAD
        for i, (cells, longest) in enumerate(zip(columns, words, strict=True)):
            # What has nothing to wrap leaves the room to others; no word is broken.
            whole = fits and longest == max(map(len, cells))
            side: Any = "left" if i in left else "right"
            table.add_column(Text(cells[0]), justify=side, min_width=longest, no_wrap=whole)
        for i, row in enumerate(rows):
            is_last = bool(sums) and i == len(rows) - sums - 1
            table.add_row(*(Text(printable(cell)) for cell in row), end_section=is_last)
        self.out.print(table, crop=False)

    def wrapped(self, text: str, indent: str = "") -> None:
        """Write text in lines of at most 100 characters, all of them indented."""
        width = min(self.out.width, _LINE)
        for line in textwrap.wrap(printable(text.strip()), width - len(indent)):
            self.out.print(Text(indent + line), soft_wrap=True)

    def short(self, text: str) -> None:
        """Write one line, cut at the width of the terminal or 100 characters."""
        line = Text(printable(text))
        line.truncate(min(self.out.width, _LINE), overflow="ellipsis")
        self.out.print(line, soft_wrap=True)

    # -- remarks ---------------------------------------------------------------------------------

    def note(self, text: str, level: Level = "info") -> None:
        """Write a remark to the terminal's second stream."""
        _print(self.err, text, _STYLES[level])

    def warn(self, text: str) -> None:
        """Write a remark that the user should not miss."""
        self.note(text, "warning")

    def open_page(self, address: str) -> None:
        """Open ``address`` in the user's browser; where there is none, say so."""
        import webbrowser

        try:
            opened = webbrowser.open(address)
        except (webbrowser.Error, OSError):
            opened = False
        if not opened:
            self.warn(f"no browser was found here; open {address} in one")

    def dataset_loaded(self, dataset: "Dataset") -> None:
        """Write what loading the data set left to remark."""
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
        """Show downloads: a bar for each in a terminal, elsewhere a line when one has ended."""
        if not self.err.is_terminal:
            yield self.transferred
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
                self.transferred(transfer)

        try:
            yield watch
        finally:
            bars.stop()

    def transferred(self, transfer: "Transfer") -> None:
        """Show how far a download is."""
        if transfer.complete:
            size = decimal(transfer.received)
            self.note(f"downloaded {transfer.what} from {transfer.place}, {size}")

    # -- a run -----------------------------------------------------------------------------------

    @contextmanager
    def trials(self, board: "Board") -> Iterator[None]:
        """Show the ``board`` of trials while they run."""
        self.board, self._last = board, time.monotonic()
        if not self._live:
            yield
            return
        with Live(
            get_renderable=self._progress, console=self.err, refresh_per_second=4, transient=True
        ):
            yield

    def _progress(self) -> Group:
        now, running = time.monotonic(), sorted(self.board.running.items())
        lines = [
            Text(f"  {trial.name}  {now - since:.0f} s", style="cyan")
            for _, (trial, since) in running[:_MOST_RUNNING]
        ]
        return Group(Text(str(self.board), style="bold"), *lines)

    def ended(self, trial: "Trial", outcome: "Outcome") -> None:
        """Write why a trial failed, and now and then how many are done."""
        if text := self.board.failure(trial, outcome):
            self.note(text, "warning" if outcome.status == "skipped" else "failure")
        is_late = time.monotonic() - self._last >= _EVERY_S
        counts = self.board.cell(trial).counts
        done, planned = counts["done"], counts["planned"]
        if self._live or not (is_late or done == planned):
            return
        what = "running"
        if done == planned:
            more = "".join(f", {counts[k]} {k}" for k in ("failed", "skipped") if counts[k])
            what = f"{trial.dataset} {trial.method}: {done} of {planned} done{more}"
        self._last = time.monotonic()
        _print(self.err, f"{what}; {self.board}")

    def compiling(self, begun: bool) -> None:
        """Show that kernels are compiled, or no more."""
        from boostbench.experiment.progress import COMPILING

        if begun and not self._live:
            _print(self.err, COMPILING)


def _console(file: Any) -> Console:
    console = Console(file=file, highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = max(console.width, _LOG_WIDTH)
    return console


def _print(console: Console, text: str, style: str = "") -> None:
    # A command stays one line, so that it can be copied, and lines of others stay theirs.
    keep = not console.is_terminal or "boostbench " in text or "\n" in text
    console.print(Text(printable(text), style=style), soft_wrap=keep)


def _bars(console: Console) -> Progress:
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=24),
        DownloadColumn(),
        TransferSpeedColumn(),
        TextColumn("{task.fields[place]}", style="dim", markup=False),
        console=console,
        transient=True,
    )
