"""How far a run is: counts per cell of the table, what runs now, and the time that is left."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from boostbench.experiment.estimate import Costs, Estimate, duration
from boostbench.plan.trial import Trial
from boostbench.store.types import Outcome

COMPILING = "compiling the kernels (once)"
_EVERY_S = 1.0
_MOST_FAILURES = 3


@dataclass
class Progress:
    """The trials of one (data set, method): the first, how many are open, and ended by status."""

    first: Trial
    total: int = 0
    to_run: int = 0
    statuses: Counter[str] = field(default_factory=Counter)

    @property
    def counts(self) -> dict[str, int]:
        """How many are planned, have ended, failed, and were skipped."""
        done, skipped = self.statuses.total(), self.statuses["skipped"]
        failed = done - skipped - self.statuses["ok"]
        return {"planned": self.total, "done": done, "failed": failed, "skipped": skipped}


class Board:
    """The state of a run, fed with its events.

    ``trials`` is everything selected, ``outcomes`` what is recorded already, ``to_run`` what this
    run will do, ``jobs`` at a time; ``costs`` says what the rest takes.
    """

    def __init__(
        self,
        trials: Sequence[Trial],
        outcomes: Mapping[str, Outcome],
        to_run: Sequence[Trial],
        costs: Costs | None = None,
        jobs: int = 1,
    ) -> None:
        self._costs, self.jobs = costs or Costs(), jobs
        self.cells: dict[tuple[str, str], Progress] = {}
        self.running: dict[int, tuple[Trial, float]] = {}
        self.waiting = {trial.key for trial in to_run}
        self.compiling = False
        """Whether kernels are being compiled."""
        self.ended, self.to_run = 0, len(self.waiting)
        self._estimated_at = float("-inf")
        self._left = Estimate()
        for trial in trials:
            cell = self.cells.setdefault((trial.dataset, trial.method), Progress(trial))
            cell.total += 1
            if trial.key in outcomes and trial.key not in self.waiting:
                cell.statuses[outcomes[trial.key].status] += 1
        for trial in to_run:
            self.cell(trial).to_run += 1

    @property
    def not_begun(self) -> set[str]:
        """The keys of the trials that no worker has begun."""
        return self.waiting - {trial.key for trial, _ in self.running.values()}

    def cell(self, trial: Trial) -> Progress:
        """Return the counts of the trial's cell."""
        return self.cells[(trial.dataset, trial.method)]

    def start(self, trial: Trial, worker: int) -> None:
        """Note that ``worker`` begins ``trial``."""
        self.running[worker] = (trial, time.monotonic())

    def end(self, trial: Trial, outcome: Outcome, worker: int) -> None:
        """Note the outcome of a trial, and what it cost."""
        self.running.pop(worker, None)
        if trial.key in self.waiting:
            self.waiting.remove(trial.key)
            self.ended += 1
            self.cell(trial).to_run -= 1
            self.cell(trial).statuses[outcome.status] += 1
            if outcome.status in ("ok", "timeout"):
                self._costs.add(trial, outcome.times)

    def left(self) -> Estimate:
        """Return what the rest costs."""
        if time.monotonic() - self._estimated_at >= _EVERY_S:
            cells = [(cell.first, cell.to_run) for cell in self.cells.values() if cell.to_run]
            self._left = self._costs.estimate(cells, self.jobs)
            self._estimated_at = time.monotonic()
        return self._left

    def __str__(self) -> str:
        """Return the state in a line: the trials that ended, and the time that is left."""
        counts = f"{self.ended:,} of {self.to_run:,} trials"
        if self.compiling:
            return f"{counts}; {COMPILING}"
        left = self.left()
        if self.ended == self.to_run or left.seconds is None:
            return counts
        return f"{counts}, {'more than' if left.unknown else 'about'} {duration(left.seconds)} left"

    def failure(self, trial: Trial, outcome: Outcome) -> str:
        """Return what to say of a trial that did not end well: of the first few of a cell only."""
        kind, limit = ("skipped", 1) if outcome.status == "skipped" else ("failed", _MOST_FAILURES)
        count = self.cell(trial).counts[kind]
        if outcome.status == "ok" or count > limit:
            return ""
        more = " (more of this kind are only counted)" if count == limit > 1 else ""
        return f"{trial.name}: {outcome.status}: {outcome.reason or 'no reason given'}{more}"
