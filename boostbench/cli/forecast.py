"""What the trials to run will cost, from what is recorded in this results folder and others."""

import inspect
import math
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from boostbench.config.model import Experiment
from boostbench.errors import BoostbenchError
from boostbench.estimators import import_estimator
from boostbench.plan.cost import OVERHEAD_S, START_S, CostModel, Estimate, Record, makespan, work_of
from boostbench.plan.trial import Trial
from boostbench.store.database import Store

Shape = tuple[int, int]
CellKey = tuple[str, str]

_MOST_HERE = 20_000
_MOST_ELSEWHERE = 3_000
_MOST_STORES = 20


@dataclass
class Learned:
    """Recorded trials to learn from: how many here, elsewhere, and in how many other folders."""

    records: list[Record] = field(default_factory=list)
    here: int = 0
    elsewhere: int = 0
    folders: int = 0
    on_other_processors: int = 0


@dataclass
class Forecast:
    """What the trials to run come to.

    ``seconds`` until the last ends, ``low`` and ``high`` where all guesses are too long or too
    short; None where nothing can be said. ``unknown``: trials of which nothing is known, by why.
    ``peak_mib``: of the largest worker; ``growth_mib``: how much of that the trial itself takes.
    """

    seconds: float | None = None
    low: float = 0.0
    high: float = 0.0
    longest: float = 0.0
    peak_mib: float | None = None
    growth_mib: float = 0.0
    new: int = 0
    over_limit: int = 0
    unknown: dict[str, int] = field(default_factory=dict)
    cells: dict[CellKey, float] = field(default_factory=dict)


class Shapes:
    """How many rows and features data sets have: of those seen, else of saved arrays or a card."""

    def __init__(
        self, seen: Mapping[str, Shape], arrays_dir: Path, experiment: Experiment | None = None
    ) -> None:
        self._known: dict[str, Shape | None] = dict(seen)
        self._arrays_dir = arrays_dir
        requests = experiment.requests() if experiment is not None else []
        self._cards = {r.name: r.card for r in requests if r.per_class is None}

    def of(self, trial: Trial) -> Shape | None:
        """Return (rows, features), None where nothing at hand says."""
        name = trial.fingerprint
        if name not in self._known:
            self._known[name] = _saved_shape(self._arrays_dir / f"{name}.npz") or self._of_card(
                trial
            )
        return self._known[name]

    def _of_card(self, trial: Trial) -> Shape | None:
        from boostbench.data.cards import load_card

        with suppress(BoostbenchError):
            card = load_card((self._cards.get(trial.dataset) or trial.dataset).partition(":")[0])
            if trial.dataset in self._cards or card.fingerprint == trial.fingerprint:
                return card.n_samples, card.n_features
        return None


def learn(
    folder: Path, others: Iterable[Path], estimators: set[str], shapes: Shapes, processor: str
) -> Learned:
    """Read the times of ``estimators`` in the stores of ``folder`` and ``others``.

    Of other folders only what was recorded on this ``processor`` counts. What cannot be read is
    passed over.
    """
    learned = Learned()
    found = {path.resolve(): path for path in others}
    found.pop(folder.resolve(), None)
    for path, most in [
        (folder, _MOST_HERE),
        *((path, _MOST_ELSEWHERE) for path in list(found.values())[:_MOST_STORES]),
    ]:
        records: list[Record] = []
        with suppress(BoostbenchError, OSError, ValueError, TypeError, KeyError):
            with Store.open(path, create=False, read_only=True) as store:
                timed = store.timed(sorted(estimators), most)
                ids = {environment for _, _, environment in timed}
                processors = {i: (store.environment(i) or {}).get("cpu") for i in ids}
            mine = {i for i, name in processors.items() if name in (None, processor)}
            if path is folder:
                learned.on_other_processors = sum(i not in mine for _, _, i in timed)
            records = _records(((t, s) for t, s, i in timed if path is folder or i in mine), shapes)
        learned.records += records
        if path is folder:
            learned.here = len(records)
        elif records:
            learned.elsewhere += len(records)
            learned.folders += 1
    return learned


def forecast(
    to_run: Sequence[Trial],
    learned: Learned,
    shapes: Shapes,
    *,
    jobs: int,
    time_limit: float | None,
    skipped: Mapping[str, str],
    processors: int | None = None,
) -> Forecast:
    """Return what ``to_run`` costs on ``jobs`` workers; methods in ``skipped`` cost nothing.

    More workers than ``processors`` (None: each has its own) share these.
    """
    slower = max(1.0, jobs / processors) if processors else 1.0
    model = CostModel(learned.records)
    result = Forecast()
    counts: dict[CellKey, int] = {}
    first: dict[CellKey, Trial] = {}
    for trial in to_run:
        cell = (trial.dataset, trial.method)
        counts[cell] = counts.get(cell, 0) + 1
        first.setdefault(cell, trial)
    known: dict[CellKey, Estimate] = {}
    for cell, trial in first.items():
        if trial.method in skipped:
            known[cell] = Estimate(0.0, 1.0, None, exact=True)
            continue
        shape = shapes.of(trial)
        estimate = model.estimate(_work(trial, shape)) if shape else None
        if estimate is None:
            why = f"method {trial.method}" if shape else f"data set {trial.dataset}"
            result.unknown[why] = result.unknown.get(why, 0) + counts[cell]
            continue
        known[cell] = estimate
        result.new += 0 if estimate.exact else counts[cell]
        if time_limit is not None and estimate.seconds > time_limit:
            result.over_limit += counts[cell]
    if not known or all(trial.method in skipped for trial in to_run):
        return result
    most = math.inf if time_limit is None else time_limit
    of_cells = {cell: min(e.seconds, most) for cell, e in known.items()}
    lows = {cell: min(e.seconds / e.factor, most) for cell, e in known.items()}
    highs = {cell: min(e.seconds * e.factor, most) for cell, e in known.items()}
    result.cells = of_cells
    cells = [c for trial in to_run if (c := (trial.dataset, trial.method)) in known]
    result.seconds, result.low, result.high = (
        START_S + makespan((slower * (seconds[cell] + OVERHEAD_S) for cell in cells), jobs)
        for seconds in (of_cells, lows, highs)
    )
    result.longest = max(of_cells.values())
    peaks = [e.peak_mib for e in known.values() if e.peak_mib is not None]
    if peaks:
        least = min((r.peak_mib for r in learned.records if r.peak_mib is not None), default=0.0)
        result.peak_mib = max(peaks)
        result.growth_mib = max(0.0, result.peak_mib - least)
    return result


def _records(timed: Iterable[tuple[Trial, Mapping[str, Any]]], shapes: Shapes) -> list[Record]:
    found = []
    for trial, times in timed:
        shape, seconds = shapes.of(trial), times.get("wall_s")
        if shape is not None and isinstance(seconds, int | float):
            found.append(Record(_work(trial, shape), seconds, times.get("peak_rss_mib")))
    return found


def _work(trial: Trial, shape: Shape) -> Any:
    return work_of(trial, shape, _defaults(trial.estimator))


@cache
def _defaults(estimator: str) -> Mapping[str, Any]:
    with suppress(BoostbenchError, ValueError, TypeError):
        parameters = inspect.signature(import_estimator(estimator)).parameters.values()
        return {
            p.name: p.default
            for p in parameters
            if isinstance(p.default, bool | int | float | str | None)
            and p.name not in ("random_state", "n_jobs", "verbose")
        }
    return {}


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
