"""Running recorded trials again, and comparing their outcomes with the recorded ones."""

import random
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from boostbench.engine.environment import differences
from boostbench.engine.local import run_trials
from boostbench.engine.types import TrialLimits
from boostbench.errors import ConfigError, UnavailableDataError
from boostbench.experiment.comparison import same
from boostbench.experiment.listener import Listener
from boostbench.experiment.request import Request
from boostbench.experiment.run import Run
from boostbench.plan.difference import why_again
from boostbench.plan.trial import Trial
from boostbench.store.store import Store
from boostbench.store.types import Outcome
from boostbench.suggest import counted
from boostbench.values import Record

TOLERANCE = 1e-6
"""The tolerance for figures (relative, absolute below 1) in another environment."""
_OTHER_SUMS = (
    "NumPy and OpenBLAS run other kernels here than where it was recorded (without AVX-512, or set "
    "so), whose sums have other last bits, from which a search may end elsewhere"
)

# These use only boostbench's own kernels, whose sums have the same order on every processor.
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
    """One figure that differs from the recorded one; ``iteration`` is 0 outside learning curves."""

    trial: str
    name: str
    recorded: object
    now: object
    iteration: int = 0


@dataclass(frozen=True)
class SampleCheck:
    """The numbers of trials that are ``equal`` bit for bit, ``close`` and ``differing``.

    Only trials of another environment, named in ``environments``, can be ``close``; ``changed`` are
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
    def left(self) -> int:
        """The number of trials that were not compared."""
        return self.sampled - self.equal - self.close - self.differing - sum(self.skipped.values())


def check_sample(
    folder: Path,
    size: int,
    *,
    listener: Listener,
    seed: int = 0,
    jobs: int | None = None,
    mirror: Path | None = None,
    offline: bool = False,
) -> SampleCheck:
    """Run ``size`` of the recorded trials again, drawn with ``seed``, and compare the outcomes.

    Each figure must be equal bit for bit if the trial ran in an environment like this one, else
    within :data:`TOLERANCE`. Trials that failed, were skipped, or were stopped by the clock are not
    drawn. Nothing is written to the results.

    Raises ConfigError where no trial can be drawn or the recorded experiment file is gone,
    DataError where its data are unavailable, StoreError where the results cannot be read.
    """
    with Store.open(folder, create=False, read_only=True) as store:
        record, recorded = store.experiment(), store.outcomes()
        drawn = _draw(store.part(), recorded, size, seed)
        ids, described = store.environment_ids(), store.environments()
    if not drawn:
        raise ConfigError(f"{folder} has no trial to run again: none ended ok, or none but by time")
    mirror = mirror or record.get("mirror")
    config = str(record.get("config") or record.get("name") or "")
    only = [f"dataset={name}" for name in sorted({trial.dataset for trial in drawn})]
    overrides = record.get("overrides")
    try:
        request = Request(
            config, only=only, overrides=overrides, jobs=jobs, mirror=mirror, offline=offline
        )
        run = Run(request, listener)
    except ConfigError as error:
        raise ConfigError(f"{folder} cannot be run again from here: {error}") from error
    planned = run.selected(run.plan(may_fetch=True))
    if run.without_data:
        raise UnavailableDataError("\n".join(dict.fromkeys(run.without_data.values())))
    keys = {trial.key for trial in planned}
    skipped = Counter(run.unavailable[t.method] for t in drawn if t.method in run.unavailable)
    here = [trial for trial in drawn if trial.method not in run.unavailable]
    again = [trial for trial in here if trial.key in keys]
    others = {trial.name: trial for trial in here if trial.key not in keys}
    now = [trial for trial in planned if trial.name in others]
    changed = why_again(others.values(), now, record.get("sources") or {})
    if others and not changed:
        changed = [f"{counted(len(others), 'trial')} of the sample are not in the plan any more"]
    found = _run(run, again, listener)
    verdicts, wrong, environments = Counter[str](), list[Difference](), set[str]()
    for trial in again:
        before = described.get(ids[trial.key], {})
        other = differences(before, run.environment)
        environments |= set(other)
        differing = _differences(trial.name, recorded[trial.key], found[trial.key], 0.0)
        verdict = "differing" if differing else "equal"
        if differing and other:
            differing = _differences(trial.name, recorded[trial.key], found[trial.key], TOLERANCE)
            verdict = "differing" if differing else "close"
        if differing and _sums_differ(before, run.environment) and not _has_own_kernels(trial):
            skipped[_OTHER_SUMS] += 1
            continue
        verdicts[verdict] += 1
        wrong += differing
    return SampleCheck(
        sampled=len(drawn),
        equal=verdicts["equal"],
        close=verdicts["close"],
        differing=verdicts["differing"],
        differences=wrong,
        environments=sorted(environments),
        changed=changed,
        skipped=dict(skipped),
    )


def _sums_differ(before: Record, now: Record) -> bool:
    has, here = ("avx512" in str(each.get("instructions")) for each in (before, now))
    # Such as "openblas 0.3.30 SkylakeX".
    of, mine = ({str(b).split()[-1] for b in each.get("blas") or ()} for each in (before, now))
    return (has and not here) or (bool(of and mine) and of != mine)


def _has_own_kernels(trial: Trial) -> bool:
    return trial.estimator in _OWN_SUMS and trial.params.get("solver") != "lbfgsb"


def _draw(
    planned: Sequence[Trial], recorded: Mapping[str, Outcome], size: int, seed: int
) -> list[Trial]:
    possible = {
        trial.key: trial
        for trial in planned
        if (ended := recorded.get(trial.key)) is not None
        and ended.status == "ok"
        and ended.metrics.get("stop_reason") != "time"
    }
    return random.Random(seed).sample([*possible.values()], min(size, len(possible)))


def _run(run: Run, trials: Sequence[Trial], listener: Listener) -> dict[str, Outcome]:
    """Run the trials in a temporary store, apart from the results."""
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
            limits=TrialLimits(**run.experiment.limits.of_a_trial),
            environment=run.environment,
        )
        if summary.interrupted:
            raise KeyboardInterrupt
        return store.outcomes()


def _differences(name: str, recorded: Outcome, now: Outcome, tolerance: float) -> list[Difference]:
    """Return the figures that differ, only the first one of each curve.

    Figures that only one outcome has do not count.
    """
    if now.status != recorded.status:
        return [Difference(name, "status", recorded.status, f"{now.status}: {now.reason}")]
    old, new, wrong = _figures(recorded), _figures(now), dict[tuple[str, bool], Difference]()
    for (figure, i), value in old.items():
        if (figure, i) in new and not same(value, new[figure, i], tolerance):
            difference = Difference(name, figure, value, new[figure, i], i)
            wrong.setdefault((figure, i > 0), difference)
    return list(wrong.values())


def _figures(outcome: Outcome) -> dict[tuple[str, int], object]:
    """Return the metrics, and the values of curves by their iteration."""
    found: dict[tuple[str, int], object] = {(n, 0): value for n, value in outcome.metrics.items()}
    for name, values in (outcome.curve or {}).items():
        found[f"length of {name}", 0] = len(values)
        found |= {(name, i): value for i, value in enumerate(values, start=1)}
    return found
