"""What a notebook shows of a run: one line that changes, and what the user should not miss."""

import importlib
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from boostbench.cli.screen import Screen
from boostbench.errors import printable
from boostbench.experiment.listener import Level

if TYPE_CHECKING:
    from boostbench.experiment.progress import Board
    from boostbench.plan.trial import Trial
    from boostbench.store.types import Outcome

_EVERY_S = 0.5


class _Line(Protocol):
    """A displayed text, as IPython knows it."""

    def update(self, content: object, *, raw: bool) -> None:
        """Show another content in its place."""


def screen(*, live: bool = True) -> Screen:
    """Return what shows a run here: a terminal's screen, or that of a notebook."""
    return NotebookScreen() if is_notebook() else Screen(live=live)


def is_notebook() -> bool:
    """Return whether this process is the kernel of a notebook."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return getattr(shell, "kernel", None) is not None


class NotebookScreen(Screen):
    """Shows a run as one line that changes; warnings and failures stay as lines of their own."""

    def __init__(self) -> None:
        super().__init__(live=False)
        # Counts are in the line that changes.
        self._live = True
        self._line: _Line | None = None
        self._text = ""
        self._next = 0.0

    def note(self, text: str, level: Level = "info") -> None:
        """Show a remark: in the line that changes, unless the user should not miss it."""
        if level == "info":
            self._show(text)
        else:
            sys.stderr.write(f"{printable(text)}\n")

    @contextmanager
    def working(self, text: str) -> Iterator[None]:
        """Show ``text`` while something is done, and then what was shown before."""
        before = self._text
        self._show(text)
        yield
        self._show(before or "nothing was missing")

    @contextmanager
    def trials(self, board: "Board") -> Iterator[None]:
        """Show the ``board`` of trials while they run."""
        self.board, self._reported = board, set()
        yield
        self._show(str(board))

    def started(self, trial: "Trial", worker: int) -> None:
        """Show how many trials are done."""
        self._show_board()

    def ended(self, trial: "Trial", outcome: "Outcome") -> None:
        """Show how many trials are done, and why trials fail, once per cell."""
        super().ended(trial, outcome)
        self._show_board()

    def _show_board(self) -> None:
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + _EVERY_S
            self._show(str(self.board))

    def _show(self, text: str) -> None:
        self._text = text
        content = {"text/plain": printable(text)}
        if self._line is None:
            display: Callable[..., _Line | None] = importlib.import_module(
                "IPython.display"
            ).display
            self._line = display(content, raw=True, display_id=True)
        else:
            self._line.update(content, raw=True)
