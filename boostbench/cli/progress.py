"""How far a run is: counts a cell of the table, what runs now, and the time that is left."""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from boostbench.plan.trial import Trial
from boostbench.store.types import Outcome

CellKey = tuple[str, str]


@dataclass
class Progress:
    """The trials of one (data set, method): how many are planned, ended, not ok; their times, s."""

    total: int = 0
    done: int = 0
    failed: int = 0
    skipped: int = 0
    walls: list[float] = field(default_factory=list)


class Board:
    """The state of a run, fed with its events.

    ``trials`` is everything selected, ``outcomes`` what is recorded already, ``to_run`` what this
    run will do, ``expected`` the seconds of a trial foretold for cells without recorded ones.
    """

    def __init__(
        self,
        trials: Sequence[Trial],
        outcomes: Mapping[str, Outcome],
        to_run: Sequence[Trial],
        jobs: int,
        expected: Mapping[CellKey, float] | None = None,
    ) -> None:
        self.jobs = max(1, jobs)
        self.expected = expected or {}
        self.datasets = list(dict.fromkeys(trial.dataset for trial in trials))
        self.methods = list(dict.fromkeys(trial.method for trial in trials))
        self.cells: dict[CellKey, Progress] = {}
        self.running: dict[int, tuple[Trial, float]] = {}
        self.waiting = {trial.key for trial in to_run}
        self.ended = 0
        self.to_run = len(self.waiting)
        self.started = time.monotonic()
        for trial in trials:
            cell = self.cells.setdefault((trial.dataset, trial.method), Progress())
            cell.total += 1
            outcome = outcomes.get(trial.key)
            if outcome is not None:
                _add_time(cell, outcome)
                if trial.key not in self.waiting:
                    _count(cell, outcome)

    def start(self, trial: Trial, worker: int) -> None:
        """Note that ``worker`` begins ``trial``."""
        self.running[worker] = (trial, time.monotonic())

    def end(self, trial: Trial, outcome: Outcome, worker: int) -> Progress:
        """Note the outcome of a trial, and return its cell."""
        self.running.pop(worker, None)
        cell = self.cells[(trial.dataset, trial.method)]
        if trial.key in self.waiting:
            self.waiting.discard(trial.key)
            self.ended += 1
            _count(cell, outcome)
            _add_time(cell, outcome)
        return cell

    def seconds_left(self) -> float | None:
        """Return the seconds that the rest will take, roughly, or None where nothing is known."""
        todo = {key: cell.total - cell.done for key, cell in self.cells.items()}
        walls = {key: cell.walls for key, cell in self.cells.items()}
        return estimate_seconds(todo, walls, self.jobs, self.expected)


def _count(cell: Progress, outcome: Outcome) -> None:
    cell.done += 1
    cell.skipped += outcome.status == "skipped"
    cell.failed += outcome.status not in {"ok", "skipped"}


def _add_time(cell: Progress, outcome: Outcome) -> None:
    wall = outcome.times.get("wall_s")
    if wall is not None and outcome.status != "skipped" and len(cell.walls) < 100:
        cell.walls.append(wall)


def estimate_seconds(
    todo: Mapping[CellKey, int],
    walls: Mapping[CellKey, Sequence[float]],
    jobs: int,
    expected: Mapping[CellKey, float] | None = None,
) -> float | None:
    """Return roughly how long ``todo`` trials a cell take on ``jobs`` workers, in seconds.

    A cell without recorded times takes what is ``expected`` of it; where that is not known either,
    it is taken to be as slow as its method is elsewhere, relative to how slow the data set is for
    other methods. None if nothing is known but there is work to do.
    """
    known = dict(expected or {})
    known |= {key: median(times) for key, times in walls.items() if times}
    if not any(todo.values()):
        return 0.0
    if not known:
        return None
    overall = _mean(known.values())
    by_method = {m: _mean(t for (_, n), t in known.items() if n == m) for _, m in known}
    by_dataset = {d: _mean(t for (e, _), t in known.items() if e == d) for d, _ in known}
    total = 0.0
    for (dataset, method), count in todo.items():
        guess = known.get((dataset, method))
        if guess is None:
            factor = by_dataset.get(dataset, overall) / overall if overall > 0 else 1.0
            guess = by_method.get(method, overall) * factor
        total += count * guess
    return total / jobs


def _mean(values: Iterable[float]) -> float:
    given = list(values)
    return sum(given) / len(given)


def duration(seconds: float) -> str:
    """Return ``about``-style text such as ``8 s``, ``3 min`` or ``2 h 5 min``."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    if minutes < 90:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min"
