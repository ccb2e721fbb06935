"""The one estimate of time and memory, for the live view, ``run --dry-run`` and ``status``."""

import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from boostbench.config.model import Experiment
from boostbench.errors import BoostbenchError
from boostbench.experiment.cost import OVERHEAD_S, START_S, CostModel, Estimate, Work, work_of
from boostbench.plan.trial import Trial
from boostbench.store.store import Store

Shape = tuple[int, int]
CellKey = tuple[str, str]

_MOST_HERE = 20_000
_MOST_ELSEWHERE = 3_000
_MOST_STORES = 20


@dataclass
class Forecast:
    """What trials come to; ``seconds`` until the last ends, None where nothing can be said.

    ``unknown``: trials of which nothing is known, by why. ``new``: trials estimated by other data
    or parameters. ``peak_mib``: of the largest worker; ``growth_mib``: how much of that the trial
    itself takes.
    """

    seconds: float | None = None
    longest: float = 0.0
    peak_mib: float | None = None
    growth_mib: float = 0.0
    new: int = 0
    over_limit: int = 0
    unknown: dict[str, int] = field(default_factory=dict)


class Shapes:
    """How many rows and features data sets have: those seen, else the saved arrays' or a card's."""

    def __init__(
        self, seen: Mapping[str, Shape], arrays_dir: Path | None, cards: Mapping[str, str | None]
    ) -> None:
        self._known: dict[str, Shape | None] = dict(seen)
        self._arrays_dir = arrays_dir
        self._cards = cards

    @classmethod
    def of_experiment(
        cls, experiment: Experiment, seen: Mapping[str, Shape], arrays_dir: Path
    ) -> "Shapes":
        """Return the shapes of an experiment's data, and of what is saved in ``arrays_dir``."""
        requests = experiment.requests()
        return cls(seen, arrays_dir, {r.name: r.card for r in requests if r.per_class is None})

    @classmethod
    def of_record(cls, record: Mapping[str, Any]) -> "Shapes":
        """Return the shapes for a store's record of its experiment."""
        from boostbench.data.access import default_access

        arrays_dir = None
        with suppress(BoostbenchError):
            arrays_dir = default_access(offline=True).cache_dir / "arrays"
        entries = record.get("datasets") or []
        cards = {e.get("name"): e.get("card") for e in entries if e.get("per_class") is None}
        return cls({}, arrays_dir, cards)

    def of(self, trial: Trial) -> Shape | None:
        """Return (rows, features), None where nothing at hand says."""
        name = trial.fingerprint
        if name not in self._known:
            found = None
            if self._arrays_dir is not None:
                found = _saved_shape(self._arrays_dir / f"{name}.npz")
            self._known[name] = found or self._of_card(trial)
        return self._known[name]

    def _of_card(self, trial: Trial) -> Shape | None:
        from boostbench.data.cards import load_card

        with suppress(BoostbenchError):
            card = load_card((self._cards.get(trial.dataset) or trial.dataset).partition(":")[0])
            if trial.dataset in self._cards or card.fingerprint == trial.fingerprint:
                return (card.n_samples, card.n_features) if card.n_samples else None
        return None


class Costs:
    """The cost of trials, from those recorded here and in other results folders.

    ``here``, ``elsewhere``: how many trials were learned from; ``folders``: how many other folders
    have them; ``on_other_processors``: how many of those here ran on another processor.
    """

    def __init__(self, shapes: Shapes) -> None:
        self.shapes = shapes
        self.model = CostModel()
        self._here: set[Work] = set()
        self.here = self.elsewhere = self.folders = self.on_other_processors = 0

    def learn(
        self, folder: Path, others: Iterable[Path], estimators: set[str], processor: str
    ) -> "Costs":
        """Read the times of ``estimators`` in the stores of ``folder`` and ``others``.

        Of other folders only what was recorded on this ``processor`` counts. What cannot be read is
        passed over.
        """
        found = {path.resolve(): path for path in others}
        found.pop(folder.resolve(), None)
        self.here = self._learn(folder, _MOST_HERE, estimators, processor, here=True)
        for path in list(found.values())[:_MOST_STORES]:
            count = self._learn(path, _MOST_ELSEWHERE, estimators, processor, here=False)
            self.elsewhere += count
            self.folders += bool(count)
        return self

    def _learn(
        self, folder: Path, most: int, estimators: set[str], processor: str, *, here: bool
    ) -> int:
        count = 0
        with suppress(BoostbenchError, OSError, ValueError, TypeError, KeyError):
            with Store.open(folder, create=False, read_only=True) as store:
                timed = store.timed(sorted(estimators), most)
                ids = {environment for _, _, environment in timed}
                cpus = {name: (store.environment(name) or {}).get("cpu") for name in ids}
            for trial, times, environment in timed:
                is_same = cpus[environment] in (None, processor)
                self.on_other_processors += here and not is_same
                count += (here or is_same) and self.add(trial, times, here=here)
        return count

    def add(self, trial: Trial, times: Mapping[str, Any], *, here: bool = True) -> bool:
        """Take in the times of an ended trial; whether they can be learned from.

        Of trials alike, those recorded here count, and those of other folders only without any.
        """
        shape, seconds = self.shapes.of(trial), times.get("wall_s")
        if shape is None or not isinstance(seconds, int | float):
            return False
        work = work_of(trial, shape)
        if here:
            self._here.add(work)
        elif work in self._here:
            return False
        self.model.add(work, seconds, times.get("peak_rss_mib"))
        return True

    def of(self, trial: Trial) -> Estimate | None:
        """Return what ``trial`` is expected to cost, None where nothing is known."""
        shape = self.shapes.of(trial)
        return self.model.estimate(work_of(trial, shape)) if shape else None

    def forecast(
        self,
        cells: Sequence[tuple[Trial, int]],
        *,
        jobs: int,
        time_limit: float | None = None,
        skipped: Iterable[str] = (),
        processors: int | None = None,
    ) -> Forecast:
        """Return what :func:`cells_of` trials cost on ``jobs`` workers.

        Methods in ``skipped`` cost nothing. More workers than ``processors`` (None: each has its
        own) share these.
        """
        result = Forecast()
        free = set(skipped)
        total, peaks = 0.0, []
        for trial, count in cells:
            if trial.method in free:
                continue
            estimate = self.of(trial)
            if estimate is None:
                is_seen = self.shapes.of(trial) is not None
                why = f"method {trial.method}" if is_seen else f"data set {trial.dataset}"
                result.unknown[why] = result.unknown.get(why, 0) + count
                continue
            seconds = estimate.seconds if time_limit is None else min(estimate.seconds, time_limit)
            result.over_limit += count * (seconds < estimate.seconds)
            result.new += count * (not estimate.exact)
            result.longest = max(result.longest, seconds)
            total += count * (seconds + OVERHEAD_S)
            if estimate.peak_mib is not None:
                peaks.append(estimate.peak_mib)
        if total:
            at_a_time = jobs if processors is None else min(jobs, processors)
            result.seconds = START_S + max(total / max(1, at_a_time), result.longest)
        if peaks:
            result.peak_mib = max(peaks)
            result.growth_mib = max(0.0, result.peak_mib - self.model.least_peak_mib)
        return result


def cells_of(trials: Iterable[Trial]) -> list[tuple[Trial, int]]:
    """Return a trial of each data set and method, and how many there are of them."""
    counts: dict[CellKey, int] = {}
    first: dict[CellKey, Trial] = {}
    for trial in trials:
        cell = (trial.dataset, trial.method)
        counts[cell] = counts.get(cell, 0) + 1
        first.setdefault(cell, trial)
    return [(first[cell], count) for cell, count in counts.items()]


def neighbours(folder: Path) -> list[Path]:
    """Return the other results folders to learn from: beside ``folder`` and below ./results."""
    from boostbench.experiment.folders import RESULTS, results_folders

    found: list[Path] = []
    for root in sorted({folder.parent.resolve(), RESULTS.resolve()}):
        with suppress(OSError):
            found += results_folders(root)
    return found


def _saved_shape(path: Path) -> Shape | None:
    """Read no more of the file than the head of its array."""
    from numpy.lib import format as npy

    readers: dict[tuple[int, int], Callable[..., Any]] = {
        (1, 0): npy.read_array_header_1_0,
        (2, 0): npy.read_array_header_2_0,
    }
    with (
        suppress(OSError, ValueError, KeyError, zipfile.BadZipFile),
        zipfile.ZipFile(path) as archive,
        archive.open("X.npy") as file,
    ):
        rows, features = readers[npy.read_magic(file)](file)[0]
        return int(rows), int(features)
    return None
