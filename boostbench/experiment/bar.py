"""A run as one progress bar, in a notebook or a terminal."""

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from boostbench.experiment.listener import Level, Listener
from boostbench.experiment.progress import COMPILING, Board, failure

if TYPE_CHECKING:
    from boostbench.data.access import Transfer
    from boostbench.data.dataset import Dataset
    from boostbench.plan.trial import Trial
    from boostbench.store.types import Outcome


class ProgressBar(Listener):
    """Shows a bar by tqdm for the trials, and remarks as lines on standard error."""

    _bar: Any = None

    def note(self, text: str, level: Level = "info") -> None:
        _tqdm().write(text, file=sys.stderr)

    def dataset_loaded(self, dataset: "Dataset") -> None:
        if dataset.remarks_line:
            self.note(dataset.remarks_line)

    def transferred(self, transfer: "Transfer") -> None:
        if transfer.complete:
            self.note(f"downloaded {transfer.what} from {transfer.place}")

    @contextmanager
    def trials(self, board: Board) -> Iterator[None]:
        self._board = board
        self._bar = _tqdm()(total=board.to_run, unit="trial", dynamic_ncols=True)
        try:
            yield
        finally:
            self._bar.close()

    def ended(self, trial: "Trial", outcome: "Outcome") -> None:
        self._bar.update(self._board.ended - self._bar.n)
        if text := failure(trial, outcome, self._board.cell(trial)):
            self.note(text, "failure")

    def compiling(self, begun: bool) -> None:
        self._bar.set_description(COMPILING if begun else None)


def _tqdm() -> Any:
    with warnings.catch_warnings():
        # Without ipywidgets a notebook gets the bar as text, which will do.
        warnings.simplefilter("ignore")
        from tqdm.auto import tqdm

        return tqdm
