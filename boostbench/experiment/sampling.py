"""Recorded trials run again, and their outcomes compared with what was recorded."""

import math
import random
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from boostbench.engine.environment import differences
from boostbench.engine.local import run_trials
from boostbench.engine.types import Limits
from boostbench.errors import ConfigError, UnavailableDataError
from boostbench.experiment.comparison import equal
from boostbench.experiment.listener import Listener
from boostbench.experiment.request import Request
from boostbench.experiment.run import Run
from boostbench.plan.difference import why_again
from boostbench.plan.selection import Selection
from boostbench.plan.trial import Trial
from boostbench.store.store import Store
from boostbench.store.types import Outcome
from boostbench.suggest import counted

_OTHER_SUMS = (
    "NumPy and OpenBLAS run other kernels here than where it was recorded (without AVX-512, or set "
    "so), whose sums have other last bits, from which a search may end elsewhere"
)

# Their results rest on their own kernels alone, whose sums have one order on every processor.
_OWN_SUMS = frozenset(
    f"boostbench.{path}"
    for path in (
        "boosting:AdaBoostECC", "boosting:AdaBoostMH", "boosting:MultiBoostCW",
        "trees:OptimalRegressionTree", "trees:OptimalRegressionTreeCV",
        "trees:SoftRegressionTree",
    )
)  # fmt: skip


@dataclass(frozen=True)
class Difference:
    """One figure that is not what was recorded; ``iteration`` is 0 outside learning curves."""

    trial: str
    name: str
    recorded: Any
    now: Any
    iteration: int = 0


@dataclass(frozen=True)
class SampleCheck:
    """What came of it, counts of trials: ``equal`` bit for bit, or ``close``, or ``differing``.

    ``close`` are only trials of another environment, named in ``environments``; ``changed`` are
    sentences on trials of the sample that could not be run again as they were recorded.
    ``skipped`` counts, by the reason, the trials that cannot be judged on this machine.
    """

    sampled: int
    equal: int
    close: int
    differing: int
    differences: Sequence[Difference]
    environments: Sequence[str]
    changed: Sequence[str]
    skipped: Mapping[str, int]

    @property
    def all_well(self) -> bool:
        """Whether every trial of the sample that can be judged here was run, and none differs."""
        return self.equal + self.close + sum(self.skipped.values()) == self.sampled


def check_sample(
    folder: Path,
    size: int,
    *,
    listener: Listener,
    seed: int = 0,
    tolerance: float = 1e-6,
    jobs: int | None = None,
    mirror: Path | None = None,
    offline: bool = False,
) -> SampleCheck:
    """Run ``size`` of the recorded trials again, drawn with ``seed``, and compare the outcomes.

    Each figure must be the same bit for bit where the trial ran in an environment like this one,
    else within ``tolerance`` (relative, or absolute below 1). Trials that failed, were skipped, or
    were stopped by the clock are not drawn. Nothing is written to the results.

    Raises ConfigError where no trial can be drawn or the recorded experiment file is gone,
    DataError where its data are unavailable, StoreError where the results cannot be read.
    """
    with Store.open(folder, create=False, read_only=True) as store:
        record, recorded = store.experiment(), store.outcomes()
        drawn = _draw(store.part(), recorded, size, seed)
        ids = store.environment_ids()
        described = {name: store.environment(name) or {} for name in set(ids.values())}
    if not drawn:
        raise ConfigError(f"{folder} has no trial to run again: none ended ok, or none but by time")
    mirror = mirror or (Path(record["mirror"]) if record.get("mirror") else None)
    run = _recorded_run(record, folder, drawn, listener, jobs=jobs, mirror=mirror, offline=offline)
    planned = run.selected(run.plan(may_fetch=True))
    if run.without_data:
        raise UnavailableDataError("\n".join(dict.fromkeys(run.without_data.values())))
    keys = {trial.key for trial in planned}
    skipped = Counter(run.unavailable[t.method] for t in drawn if t.method in run.unavailable)
    here = [trial for trial in drawn if trial.method not in run.unavailable]
    again = [trial for trial in here if trial.key in keys]
    others = {trial.name: trial for trial in here if trial.key not in keys}
    left = [trial for trial in planned if trial.name in others]
    changed = why_again(others.values(), left, record.get("sources") or {})
    if others and not changed:
        changed = [f"{counted(len(others), 'trial')} of the sample are not in the plan any more"]
    found = _run(run, again, listener)
    close, wrong = 0, list[Difference]()
    environments = set[str]()
    for trial in again:
        before = described[ids[trial.key]]
        other = differences(before, run.environment)
        environments |= set(other)
        pair = trial.name, recorded[trial.key], found[trial.key]
        if not _differences(*pair, 0.0):
            continue
        differing = _differences(*pair, tolerance if other else 0.0)
        other_sums = _sums_differ(before, run.environment)
        if differing and other_sums and not _rests_on_own_kernels(trial):
            skipped[_OTHER_SUMS] += 1
            continue
        close += not differing
        wrong += differing
    counted_wrong = len({one.trial for one in wrong})
    return SampleCheck(
        sampled=len(drawn),
        equal=len(again) - close - counted_wrong - skipped[_OTHER_SUMS],
        close=close,
        differing=counted_wrong,
        differences=wrong,
        environments=sorted(environments),
        changed=changed,
        skipped=dict(+skipped),
    )


def _recorded_run(
    record: Mapping[str, Any],
    folder: Path,
    drawn: Sequence[Trial],
    listener: Listener,
    **options: Any,
) -> Run:
    """Return a run of the recorded experiment on the data sets of the trials ``drawn``."""
    config = str(record.get("config") or record.get("name") or "")
    try:
        run = Run(Request(config, overrides=record.get("overrides"), **options), listener)
    except ConfigError as error:
        raise ConfigError(
            f"the experiment file that {folder} was run with cannot be loaded from here: {error}"
        ) from error
    names = {trial.dataset for trial in drawn} & {entry.name for entry in run.experiment.datasets}
    if not names:
        raise ConfigError(f"no data set of the sample is in the experiment {config} any more")
    run.selection = Selection({"dataset": tuple(sorted(names))})
    return run


def _sums_differ(before: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    has, here = ("avx512" in str(each.get("instructions")) for each in (before, now))
    # Such as "openblas 0.3.30 SkylakeX".
    of, mine = ({str(b).split()[-1] for b in each.get("blas") or ()} for each in (before, now))
    return (has and not here) or (bool(of and mine) and of != mine)


def _rests_on_own_kernels(trial: Trial) -> bool:
    return trial.estimator in _OWN_SUMS and trial.params.get("solver") != "lbfgsb"


def _draw(
    planned: Sequence[Trial], recorded: Mapping[str, Outcome], size: int, seed: int
) -> list[Trial]:
    distinct = {trial.key: trial for trial in planned}
    possible = [
        trial
        for key, trial in distinct.items()
        if key in recorded
        and recorded[key].status == "ok"
        and recorded[key].metrics.get("stop_reason") != "time"
    ]
    return random.Random(seed).sample(possible, min(size, len(possible)))


def _run(run: Run, trials: Sequence[Trial], listener: Listener) -> dict[str, Outcome]:
    """Run the trials apart from the results; the store of their outcomes does not stay."""
    limits = run.experiment.limits
    with (
        tempfile.TemporaryDirectory(prefix="boostbench-") as name,
        Store.open(Path(name), create=True) as store,
        listener.working(f"running {counted(len(trials), 'trial')} again"),
    ):
        summary = run_trials(
            trials,
            store,
            jobs=min(run.jobs, max(len(trials), 1)),
            arrays_dir=run.arrays_dir,
            limits=Limits(time_s=limits.time, memory_bytes=limits.memory_bytes),
            environment=run.environment,
        )
        if summary.interrupted:
            raise KeyboardInterrupt
        return store.outcomes()


def _differences(name: str, recorded: Outcome, now: Outcome, tolerance: float) -> list[Difference]:
    """Return the figures that are not the same; those that only one outcome has do not count."""
    if now.status != recorded.status:
        return [Difference(name, "status", recorded.status, f"{now.status}: {now.reason}")]
    old, new = recorded.metrics, now.metrics
    wrong = [
        Difference(name, key, old[key], new[key])
        for key in old
        if key in new and not _same(old[key], new[key], tolerance)
    ]
    before, after = recorded.curve or {}, now.curve or {}
    for key in [key for key in before if key in after]:
        a, b = before[key], after[key]
        if len(a) != len(b):
            wrong.append(Difference(name, f"length of {key}", len(a), len(b)))
        steps = enumerate(zip(a, b, strict=False), start=1)
        differing = (Difference(name, key, x, y, i) for i, (x, y) in steps
                     if not _same(x, y, tolerance))  # fmt: skip
        wrong += islice(differing, 1)
    return wrong


def _same(a: Any, b: Any, tolerance: float) -> bool:
    if equal(a, b) or not tolerance or isinstance(a, str) or isinstance(b, str):
        return equal(a, b)
    return math.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance)
