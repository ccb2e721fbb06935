"""The engine's events, counted and passed on to the listener of a run."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from boostbench.engine.types import Event
from boostbench.experiment.estimate import Costs, Estimate
from boostbench.experiment.listener import Listener
from boostbench.experiment.progress import Board
from boostbench.plan.trial import Trial
from boostbench.store.types import Outcome


class Events:
    """The engine's events, counted on a board and passed on to the run's listener.

    ``estimate_options`` says what :meth:`Costs.estimate` needs to know of ``jobs`` at a time, and
    ``resume`` is the command that resumes the run.
    """

    def __init__(
        self,
        listener: Listener,
        selected: Sequence[Trial],
        outcomes: Mapping[str, Outcome],
        to_run: Sequence[Trial],
        jobs: int,
        costs: Costs,
        estimate_options: Callable[[int], Mapping[str, Any]],
        resume: str,
    ) -> None:
        self._listener, self._resume = listener, resume
        self._estimate_options = estimate_options
        self._at_a_time = jobs
        self._not_begun = {trial.key for trial in to_run}
        self._costs = costs
        self.board = Board(selected, outcomes, to_run, self._estimate)

    def __call__(self, event: Event) -> None:
        listener, trial = self._listener, event.trial
        if event.kind == "start" and trial is not None:
            self._not_begun.discard(trial.key)
            self.board.start(trial, event.worker)
            listener.started(trial, event.worker)
        elif event.kind == "end" and trial is not None and event.outcome is not None:
            is_new = trial.key in self.board.waiting
            self.board.end(trial, event.outcome, event.worker)
            if is_new and event.outcome.status in ("ok", "timeout"):
                self._costs.add(trial, event.outcome.times)
            listener.ended(trial, event.outcome)
        elif event.kind == "stop" and event.detail:
            later = f"; resume later with: {self._resume}"
            listener.note(f"{event.detail}{later * bool(self._not_begun)}", "important")
        elif event.kind == "worker":
            self._at_a_time = event.threads or self._at_a_time
            if event.compiling != self.board.compiling:
                self.board.compiling = event.compiling
                listener.compiling(event.compiling)
            if event.detail:
                listener.note(event.detail, "warning")

    def _estimate(self, cells: Sequence[tuple[Trial, int]]) -> Estimate:
        return self._costs.estimate(cells, **self._estimate_options(self._at_a_time))
