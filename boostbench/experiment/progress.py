"""How far a run is: counts per cell of the table, what runs now, and the time that is left."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from boostbench.experiment.estimate import Estimate
from boostbench.plan.trial import Trial
from boostbench.store.types import Outcome

CellKey = tuple[str, str]
COMPILING = "compiling the kernels (once)"
_EVERY_S = 1.0
_MOST_FAILURES = 3


@dataclass
class Progress:
    """The trials of one (data set, method): the first of them, how many are planned, still to be
    run, ended, failed and skipped."""

    first: Trial
    to_run: int = 0
    total: int = 0
    done: int = 0
    failed: int = 0
    skipped: int = 0


class Board:
    """The state of a run, fed with its events.

    ``trials`` is everything selected, ``outcomes`` what is recorded already, ``to_run`` what this
    run will do. ``estimate`` says what so many trials of each cell, given by one of them, cost.
    """

    def __init__(
        self,
        trials: Sequence[Trial],
        outcomes: Mapping[str, Outcome],
        to_run: Sequence[Trial],
        estimate: Callable[[Sequence[tuple[Trial, int]]], Estimate] = lambda cells: Estimate(),
    ) -> None:
        self._estimate = estimate
        self.datasets = list(dict.fromkeys(trial.dataset for trial in trials))
        self.methods = list(dict.fromkeys(trial.method for trial in trials))
        self.cells: dict[CellKey, Progress] = {}
        self.running: dict[int, tuple[Trial, float]] = {}
        self.waiting = {trial.key for trial in to_run}
        self.compiling = False
        """Whether kernels are being compiled."""
        self.ended = 0
        self.to_run = len(self.waiting)
        self._estimated_at = float("-inf")
        self._left = Estimate()
        for trial in trials:
            cell = self.cells.setdefault((trial.dataset, trial.method), Progress(trial))
            cell.total += 1
            outcome = outcomes.get(trial.key)
            if outcome is not None and trial.key not in self.waiting:
                _count(cell, outcome)
        for trial in to_run:
            self.cell(trial).to_run += 1

    def start(self, trial: Trial, worker: int) -> None:
        """Note that ``worker`` begins ``trial``."""
        self.running[worker] = (trial, time.monotonic())

    def cell(self, trial: Trial) -> Progress:
        """Return the counts of the trial's cell."""
        return self.cells[(trial.dataset, trial.method)]

    def end(self, trial: Trial, outcome: Outcome, worker: int) -> None:
        """Note the outcome of a trial."""
        self.running.pop(worker, None)
        cell = self.cell(trial)
        if trial.key in self.waiting:
            self.waiting.remove(trial.key)
            self.ended += 1
            cell.to_run -= 1
            _count(cell, outcome)

    def left(self) -> Estimate:
        """Return what the rest costs."""
        now = time.monotonic()
        if now - self._estimated_at >= _EVERY_S:
            cells = [(cell.first, cell.to_run) for cell in self.cells.values() if cell.to_run]
            self._left = self._estimate(cells)
            self._estimated_at = now
        return self._left


def _count(cell: Progress, outcome: Outcome) -> None:
    cell.done += 1
    cell.skipped += outcome.status == "skipped"
    cell.failed += outcome.status not in {"ok", "skipped"}


def overall(board: Board) -> str:
    """Return the state of a run in a line: the trials that ended, and the time that is left."""
    counts = f"{board.ended:,} of {board.to_run:,} trials"
    if board.compiling:
        return f"{counts}; {COMPILING}"
    left = board.left()
    if board.ended == board.to_run or left.seconds is None:
        return counts
    return f"{counts}, {'more than' if left.unknown else 'about'} {duration(left.seconds)} left"


def failure(trial: Trial, outcome: Outcome, cell: Progress) -> str:
    """Return what to say of a trial that did not end well: of the first few of a cell only."""
    count = cell.skipped if outcome.status == "skipped" else cell.failed
    limit = 1 if outcome.status == "skipped" else _MOST_FAILURES
    if outcome.status == "ok" or count > limit:
        return ""
    more = " (more of this kind are only counted)" if count == limit > 1 else ""
    reason = outcome.reason or "no reason given"
    return f"{trial.name}: {outcome.status}: {reason}{more}"


def duration(seconds: float) -> str:
    """Return ``about``-style text such as ``8 s``, ``3 min`` or ``2 h 5 min``."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    if minutes < 90:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min"
