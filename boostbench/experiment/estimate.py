"""How long trials take, and how much memory: medians of trials alike that are recorded.

Trials are alike where they differ in fold and seeds only. They are those of this store, else of its
archive; of a trial without any, nothing is said.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from boostbench.errors import BoostbenchError
from boostbench.experiment.folders import ARCHIVE
from boostbench.plan.trial import Trial, canonical_json
from boostbench.store.files import is_archive
from boostbench.store.store import Store
from boostbench.suggest import counted

_EACH_ITS_OWN = ("dataset", "method", "method_version", "code", "fold", "split_seed", "seed")


@dataclass
class Estimate:
    """What trials come to; ``seconds`` until the last ends, None where nothing can be said.

    ``unknown`` counts the trials of which nothing is recorded, ``over_limit`` those that may reach
    the time limit. ``peak_mib`` is of the largest worker; ``growth_mib`` how much of that the trial
    itself takes.
    """

    seconds: float | None = None
    longest: float = 0.0
    peak_mib: float | None = None
    growth_mib: float = 0.0
    over_limit: int = 0
    unknown: int = 0


class Costs:
    """The seconds and the memory of trials that ended, by what is alike.

    Methods in ``skipped`` cost nothing. More workers than ``processors`` (None: each has its own)
    share these. ``here`` and ``archived`` count the trials learned from in the store and in its
    archive.
    """

    def __init__(
        self,
        time_limit: float | None = None,
        skipped: Collection[str] = (),
        processors: int | None = None,
    ) -> None:
        self.time_limit, self.skipped, self.processors = time_limit, skipped, processors
        self.here = self.archived = 0
        self._seconds: dict[str, list[float]] = {}
        self._peaks: dict[str, float] = {}

    @classmethod
    def of_folder(cls, folder: Path, trials: Iterable[Trial], **options: Any) -> "Costs":
        """Return what the store in ``folder``, else its archive, says of trials like ``trials``."""
        costs = cls(**options)
        wanted = {_kind(trial) for trial in trials}
        costs.here = costs._learn(folder, wanted)
        if (wanted := wanted - costs._seconds.keys()) and is_archive(folder / ARCHIVE):
            costs.archived = costs._learn(folder / ARCHIVE, wanted)
        return costs

    def _learn(self, folder: Path, wanted: set[str]) -> int:
        # What cannot be read is reported by whoever needs it; an estimate can be missing.
        with suppress(BoostbenchError), Store.open(folder, create=False, read_only=True) as store:
            return sum(self.add(*timed) for timed in store.timed() if _kind(timed[0]) in wanted)
        return 0

    def add(self, trial: Trial, times: Mapping[str, Any]) -> bool:
        """Take in the times of an ended trial; whether they can be learned from."""
        seconds, kind = times.get("wall_s"), _kind(trial)
        if not isinstance(seconds, int | float):
            return False
        self._seconds.setdefault(kind, []).append(seconds)
        if (peak := times.get("peak_rss_mib")) is not None:
            self._peaks[kind] = max(peak, self._peaks.get(kind, 0.0))
        return True

    def estimate(self, cells: Sequence[tuple[Trial, int]], jobs: int) -> Estimate:
        """Return what :func:`cells_of` trials cost on ``jobs`` workers."""
        result, total = Estimate(), 0.0
        for trial, count in cells:
            if trial.method in self.skipped:
                continue
            if (kind := _kind(trial)) not in self._seconds:
                result.unknown += count
                continue
            seconds = median(self._seconds[kind])
            if self.time_limit is not None and seconds > self.time_limit:
                result.over_limit += count
                seconds = self.time_limit
            result.longest = max(result.longest, seconds)
            total += count * seconds
            if kind in self._peaks:
                result.peak_mib = max(self._peaks[kind], result.peak_mib or 0.0)
        if total:
            at_a_time = jobs if self.processors is None else min(jobs, self.processors)
            result.seconds = max(total / max(1, at_a_time), result.longest)
        if result.peak_mib is not None:
            # The smallest peak is about what an idle worker takes.
            result.growth_mib = result.peak_mib - min(self._peaks.values())
        return result

    def lines(
        self,
        result: Estimate,
        jobs: int,
        memory_limit: int | None = None,
        machine: int | None = None,
    ) -> list[str]:
        """Return what to say of an estimate; ``memory_limit`` of a trial, ``machine`` in bytes."""
        if result.seconds is None:
            return ["no recorded times yet to estimate from"] if result.unknown else []
        text = f"about {duration(result.seconds)} on {counted(jobs, 'worker')}"
        text += f", longest trial about {duration(result.longest)}"
        if result.peak_mib is not None:
            text += f"; memory: about {_mib(result.peak_mib)} per worker"
            text += f", {_mib(jobs * result.peak_mib)} in all" if jobs > 1 else ""
        learned = {"here": self.here, "in the archive": self.archived}
        basis = [f"{counted(n, 'trial')} recorded {where}" for where, n in learned.items() if n]
        found = [text, f"by the medians of {' and '.join(basis)}"]
        if result.unknown:
            missing = counted(result.unknown, "trial")
            found.append(f"not in this: {missing} like which none is recorded")
        if result.over_limit:
            over = counted(result.over_limit, "trial")
            found.append(f"{over} may reach the time limit, counted at that")
        peak, memory = result.peak_mib or 0.0, (machine or 0) / 2**20
        if machine is not None and jobs * peak > memory:
            fitting = int(memory // peak)
            found.append(
                f"this machine's memory of {_mib(memory)} does not hold that: "
                + (f"--jobs {fitting} would fit" if fitting else "not even one worker fits")
            )
        if memory_limit is not None and result.growth_mib > memory_limit / 2**20:
            found.append(
                f"a worker grows by about {_mib(result.growth_mib)}, over the memory limit of "
                f"{_mib(memory_limit / 2**20)}: such trials would end as 'memory'"
            )
        return found


def cells_of(trials: Iterable[Trial]) -> list[tuple[Trial, int]]:
    """Return a trial of each data set and method, and how many there are of them."""
    found: dict[tuple[str, str], list[Trial]] = {}
    for trial in trials:
        found.setdefault((trial.dataset, trial.method), []).append(trial)
    return [(trials[0], len(trials)) for trials in found.values()]


def duration(seconds: float) -> str:
    """Return ``about``-style text such as ``8 s``, ``3 min`` or ``2 h 5 min``."""
    minutes = round(seconds / 60)
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


def _mib(mib: float) -> str:
    return f"{mib:,.0f} MiB" if mib < 10_000 else f"{mib / 1024:,.1f} GiB"


def _kind(trial: Trial) -> str:
    given = trial.to_dict()
    return canonical_json([value for name, value in given.items() if name not in _EACH_ITS_OWN])
