"""A store as it is at one moment, for those who read the same of it one after the other."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from boostbench.plan.expand import select
from boostbench.plan.trial import Trial
from boostbench.store.store import Store
from boostbench.store.types import Outcome, Run


class Reading:
    """Loads the plan and the outcomes of ``store`` when first asked, and only once.

    ``only`` leaves other trials out, see :func:`~boostbench.plan.expand.select`, which raises
    ConfigError.
    """

    def __init__(self, store: Store, only: Sequence[str] = ()) -> None:
        self._store = store
        self._only = only

    def part(self) -> list[Trial]:
        """As :meth:`Store.part`."""
        return self._part

    def outcomes(self) -> dict[str, Outcome]:
        """As :meth:`Store.outcomes`."""
        return self._outcomes

    def experiment(self) -> dict[str, Any]:
        """As :meth:`Store.experiment`."""
        return self._store.experiment()

    def environments(self) -> dict[str, dict[str, Any]]:
        """As :meth:`Store.environments`."""
        return self._store.environments()

    def runs(self) -> list[Run]:
        """As :meth:`Store.runs`."""
        return self._store.runs()

    @cached_property
    def _part(self) -> list[Trial]:
        return select(self._store.part(), self._only)

    @cached_property
    def _outcomes(self) -> dict[str, Outcome]:
        return self._store.outcomes()
