"""Estimates of the time and memory of trials: medians of similar recorded trials.

Trials are similar if they differ only in fold and seeds. They come from this store, else from its
archive; a trial without similar ones has no estimate.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from boostbench.errors import BoostbenchError
from boostbench.experiment.folders import ARCHIVE
from boostbench.numbers import duration
from boostbench.plan.trial import PLACE, Trial, canonical_json
from boostbench.store.files import has_results
from boostbench.store.store import Store
from boostbench.suggest import counted

_EACH_ITS_OWN = ("dataset", "method", "method_version", "code", *PLACE)
Alike = tuple[Trial, int]
"""A trial, and the number of those that differ from it only in fold and seeds."""


@dataclass
class Estimate:
    """The cost of trials; ``seconds`` until the last one ends, None without recorded times.

    ``unknown`` counts the trials without similar recorded ones; ``peak_mib`` is of the largest
    worker.
    """

    seconds: float | None = None
    longest: float = 0.0
    peak_mib: float = 0.0
    unknown: int = 0

    def lines(self, jobs: int) -> list[str]:
        """Return the estimate in lines of text."""
        if self.seconds is None:
            return ["no recorded times yet to estimate from"]
        text = (
            f"about {duration(self.seconds)} on {counted(jobs, 'worker')}, longest trial about "
            f"{duration(self.longest)}"
        )
        if self.peak_mib:
            text += f"; memory: about {self.peak_mib:,.0f} MiB per worker"
        if not self.unknown:
            return [text]
        return [text, f"not included: {counted(self.unknown, 'trial')} like which none is recorded"]


class Costs:
    """The seconds and the memory of ended trials, by groups of similar trials."""

    def __init__(self) -> None:
        self._seconds: dict[str, list[float]] = {}
        self._peaks: dict[str, float] = {}

    @classmethod
    def of_folder(cls, folder: Path, trials: Sequence[Alike]) -> "Costs":
        """Return the costs of similar trials in the store in ``folder``, else in its archive."""
        costs, wanted = cls(), {_kind(trial) for trial, _ in trials}
        for place in filter(has_results, (folder, folder / ARCHIVE)):
            if not (left := wanted - costs._seconds.keys()):
                break
            # The results' readers report this error; an estimate may be missing.
            with (
                suppress(BoostbenchError),
                Store.read(place) as store,
            ):
                for trial, times in store.timed():
                    if _kind(trial) in left:
                        costs.add(trial, *times)
        return costs

    def add(self, trial: Trial, *ended: Mapping[str, float]) -> None:
        """Add the times of ended trials like this one, as far as they have any."""
        kind = _kind(trial)
        for times in ended:
            if "wall_s" in times:
                self._seconds.setdefault(kind, []).append(times["wall_s"])
                peak = times.get("peak_rss_mib") or 0.0
                self._peaks[kind] = max(peak, self._peaks.get(kind, 0.0))

    def estimate(self, trials: Iterable[Alike], jobs: int) -> Estimate:
        """Return the estimated cost of trials on ``jobs`` workers."""
        result, total = Estimate(), 0.0
        for trial, count in trials:
            if (kind := _kind(trial)) not in self._seconds:
                result.unknown += count
                continue
            seconds = median(self._seconds[kind])
            total += count * seconds
            result.longest = max(result.longest, seconds)
            result.peak_mib = max(result.peak_mib, self._peaks[kind])
        if total:
            result.seconds = max(total / max(1, jobs), result.longest)
        return result


def alike(trials: Sequence[Trial]) -> list[Alike]:
    """Return a trial of each data set and method, and how many there are."""
    cells = {(trial.dataset, trial.method): trial for trial in trials}
    counts = Counter((trial.dataset, trial.method) for trial in trials)
    return [(cells[cell], count) for cell, count in counts.items()]


def _kind(trial: Trial) -> str:
    given = trial.to_dict()
    return canonical_json([value for name, value in given.items() if name not in _EACH_ITS_OWN])
