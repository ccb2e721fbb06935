"""What a run reports while it works, for whoever shows it: a terminal, a notebook, a test."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from boostbench.data.access import Transfer
    from boostbench.data.dataset import Dataset
    from boostbench.experiment.progress import Board
    from boostbench.plan.trial import Trial
    from boostbench.store.types import Outcome

Level = Literal["info", "important", "warning", "failure"]


class Listener:
    """Receives the events of a run; the methods of this class show nothing.

    Override what is of interest. All are called in the thread that runs the experiment.
    """

    def note(self, text: str, level: Level = "info") -> None:
        """Return a sentence for the user."""

    def dataset_loaded(self, dataset: "Dataset") -> None:
        """Return a data set was loaded and checked."""

    def transferred(self, transfer: "Transfer") -> None:
        """Return a download has begun, gone further or ended."""

    @contextmanager
    def downloads(self) -> "Iterator[Callable[[Transfer], None]]":
        """Enclose the downloads; what it yields is called with the state of each."""
        yield self.transferred

    @contextmanager
    def trials(self, board: "Board") -> Iterator[None]:
        """Enclose the trials; ``board`` has their counts, up to date at each of the calls below."""
        yield

    def started(self, trial: "Trial", worker: int) -> None:
        """Return a worker has begun a trial."""

    def ended(self, trial: "Trial", outcome: "Outcome") -> None:
        """Return the outcome of a trial is recorded."""

    @contextmanager
    def working(self, text: str) -> Iterator[None]:
        """Enclose something else that takes time, such as writing the report."""
        yield
