"""The progress of a run: counts per cell of the table, and the remaining time."""

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from boostbench.engine.interface import Compiling
from boostbench.experiment.estimate import Costs, alike
from boostbench.numbers import duration
from boostbench.plan.trial import Trial
from boostbench.store.types import Outcome

_ENOUGH = 5
"""After so many trials of each worker, their pace is known."""


@dataclass
class Progress:
    """The trials of one (data set, method): their number, and the ended ones by status."""

    total: int = 0
    statuses: Counter[str] = field(default_factory=Counter)

    @property
    def counts(self) -> dict[str, int]:
        """The numbers of planned, ended, failed and skipped trials."""
        done, skipped = self.statuses.total(), self.statuses["skipped"]
        failed = done - skipped - self.statuses["ok"]
        return {"planned": self.total, "done": done, "failed": failed, "skipped": skipped}


class Board:
    """The state of a run, updated by its events.

    ``trials`` are the selected ones, ``statuses`` those of the recorded ones by key, ``to_run`` the
    trials of this run, ``jobs`` at a time. ``costs`` estimates the remaining time, together with
    the seconds by the ``clock`` since the first trial began, as a busy machine or a cluster adds to
    each trial.
    """

    def __init__(
        self,
        trials: Sequence[Trial],
        statuses: Mapping[str, str],
        to_run: Sequence[Trial],
        costs: Costs,
        jobs: int = 1,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._costs = costs
        self._clock = clock
        self._started: float | None = None
        self._took_s = self._busy_s = 0.0
        self.to_run = to_run
        self.jobs = jobs
        self.cells: dict[tuple[str, str], Progress] = {}
        self.waiting = {trial.key for trial in to_run}
        self.compiling: Compiling | None = None
        """What is being compiled, if anything."""
        for trial in trials:
            cell = self.cells.setdefault((trial.dataset, trial.method), Progress())
            cell.total += 1
            if trial.key in statuses and trial.key not in self.waiting:
                cell.statuses[statuses[trial.key]] += 1

    @property
    def ended(self) -> int:
        """The number of trials of this run that have ended."""
        return len(self.to_run) - len(self.waiting)

    def cell(self, trial: Trial) -> Progress:
        """Return the counts of the trial's cell."""
        return self.cells[(trial.dataset, trial.method)]

    def end(self, trial: Trial, outcome: Outcome) -> None:
        """Note the outcome of a trial, and its cost."""
        if trial.key in self.waiting:
            self.waiting.remove(trial.key)
            self.cell(trial).statuses[outcome.status] += 1
            if outcome.status in ("ok", "timeout"):
                self._costs.add(trial, outcome.times)
            self._busy_s += outcome.times.get("wall_s", 0.0) / max(1, self.jobs)
            if self._started is not None:
                self._took_s = self._clock() - self._started

    def begin(self) -> None:
        """Note that a trial begins."""
        if self._started is None:
            self._started = self._clock()

    @property
    def _pace(self) -> float:
        """How many times as long the ended trials took as they ran, at least 1."""
        if self.ended < _ENOUGH * self.jobs or not self._busy_s:
            return 1.0
        return max(1.0, self._took_s / self._busy_s)

    def __str__(self) -> str:
        """Return the state in a line: the number of ended trials, and the remaining time."""
        counts = f"{self.ended:,} of {len(self.to_run):,} trials"
        if self.compiling:
            return f"{counts}; {self.compiling}"
        open_ = [trial for trial in self.to_run if trial.key in self.waiting]
        left = self._costs.estimate(alike(open_), self.jobs)
        if not self.waiting or left.seconds is None:
            return counts
        seconds = duration(left.seconds * self._pace)
        return f"{counts}, {'more than' if left.unknown else 'about'} {seconds} left"
