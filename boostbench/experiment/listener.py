"""The events of a run, for whatever shows them: a terminal, a notebook, a test."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from boostbench.data.access import Transfer
    from boostbench.data.dataset import Dataset
    from boostbench.engine.interface import Compiling
    from boostbench.experiment.progress import Board
    from boostbench.plan.trial import Trial
    from boostbench.store.types import Outcome

Level = Literal["info", "important", "warning", "failure"]


class Listener:
    """Receives the events of a run; the methods of this class show nothing.

    Override the methods of interest. They are called in the thread that runs the experiment, except
    :meth:`note` and :meth:`transferred` during downloads, which use several.
    """

    def note(self, text: str, level: Level = "info") -> None:
        """Receive a sentence for the user."""

    def dataset_loaded(self, dataset: "Dataset") -> None:
        """Receive a data set that was loaded and checked."""

    def transferred(self, transfer: "Transfer") -> None:
        """Receive the state of a download that has begun, progressed or ended."""

    @contextmanager
    def downloads(self) -> "Iterator[Callable[[Transfer], None]]":
        """Enclose the downloads; yields a function that is called with the state of each."""
        yield self.transferred

    @contextmanager
    def trials(self, board: "Board") -> Iterator[None]:
        """Enclose the trials; ``board`` has their counts, current at each of the calls below."""
        yield

    def compiling(self, compiling: "Compiling") -> None:
        """Receive which part of the kernels is now compiled, before the first trial."""

    def started(self, trial: "Trial", worker: int) -> None:
        """Receive a trial that a worker has begun."""

    def ended(self, trial: "Trial", outcome: "Outcome") -> None:
        """Receive the recorded outcome of a trial."""

    @contextmanager
    def working(self, text: str) -> Iterator[None]:
        """Enclose other work that takes time, such as writing the report."""
        yield
