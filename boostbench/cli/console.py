"""Text, tables and progress bars by rich, plain where the output is no terminal."""

import json
import sys
import textwrap
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from boostbench.cli.tables import Fitted, column_width, fitted, wrapped
from boostbench.errors import printable

if TYPE_CHECKING:
    from boostbench.data.access import Transfer
    from boostbench.data.dataset import Dataset

_LOG_WIDTH = 200
_LINE = 100


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

    def warn(self, text: str) -> None:
        """Write a remark that the user should not miss."""
        self.note(text, "yellow")

    def json(self, value: Any) -> None:
        """Write a value of JSON's types to standard output."""
        sys.stdout.write(json.dumps(value, indent=2, allow_nan=False) + "\n")

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
            table = Table(title=title or None, title_justify="left", title_style="bold", box=box())
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


def box() -> Any:
    from rich.box import SIMPLE_HEAD

    return SIMPLE_HEAD
