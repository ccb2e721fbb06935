"""What every way to run trials does with them: each is committed and reported as it ends."""

from collections.abc import Callable, Mapping
from typing import Any

from boostbench.engine.environment import environment_id
from boostbench.engine.types import Event, Summary
from boostbench.plan.trial import Trial
from boostbench.store.store import Store
from boostbench.store.types import Outcome


class Recorder:
    """Commits outcomes to ``store``, and reports and counts them."""

    def __init__(self, store: Store, listener: Callable[[Event], None]) -> None:
        self._store, self._listener = store, listener
        self.summary = Summary()

    def describe(self, environment: Mapping[str, Any]) -> None:
        """Keep ``environment`` in the store, as that of the trials that follow."""
        self.summary.environment_id = environment_id(environment)
        self._store.add_environment(self.summary.environment_id, environment)

    def begin(self, trial: Trial, slot: int) -> None:
        """Note that ``trial`` runs, as the one in ``slot`` (from 0) of those that run now."""
        self._store.mark_running(trial, slot)
        self._listener(Event("start", trial, worker=slot))

    def finish(self, trial: Trial, outcome: Outcome, slot: int, environment: str = "") -> None:
        """Commit ``outcome``, made in the described environment or the one of that id."""
        if environment:
            self.summary.environment_id = environment
        self._store.record(trial, outcome, self.summary.environment_id)
        counts = self.summary.counts
        counts[outcome.status] = counts.get(outcome.status, 0) + 1
        self._listener(Event("end", trial, outcome, worker=slot))
