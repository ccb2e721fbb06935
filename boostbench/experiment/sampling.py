"""Running recorded trials again, and comparing their outcomes with the recorded ones."""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from boostbench.config.loading import is_written
from boostbench.engine.environment import differences
from boostbench.errors import ConfigError, UnavailableDataError
from boostbench.experiment.comparison import same
from boostbench.experiment.listener import Listener
from boostbench.experiment.request import Request
from boostbench.experiment.run import Run
from boostbench.experiment.runners import Runner
from boostbench.experiment.written import FILE
from boostbench.objects.trust import refuse_others_code
from boostbench.plan.difference import why_again
from boostbench.plan.trial import Trial
from boostbench.store.record import ExperimentRecord
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
    {
        "boostbench.boosting:AdaBoostECC",
        "boostbench.boosting:AdaBoostMH",
        "boostbench.boosting:MultiBoostCW",
        "boostbench.trees:OptimalRegressionTree",
        "boostbench.trees:OptimalRegressionTreeCV",
        "boostbench.trees:SoftRegressionTree",
    }
)


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
    runner: Runner | None = None,
    trust: bool = False,
) -> SampleCheck:
    """Run ``size`` of the recorded trials again, drawn with ``seed``, and compare the outcomes.

    Each figure must be equal bit for bit if the trial ran in an environment like this one, else
    within :data:`TOLERANCE`. Trials that failed, were skipped, or were stopped by the clock are not
    drawn. Nothing is written to the results. ``runner`` runs the trials, by default
    :func:`~boostbench.engine.local.run_trials`. ``trust`` allows to load objects of Python that
    others have stored in the folder.

    Raises ConfigError where no trial can be drawn or the recorded experiment file is gone, and for
    objects that may not be loaded,
    DataError where its data are unavailable, StoreError where the results cannot be read.
    """
    recorded = _recorded(folder)
    drawn = _draw(folder, recorded, size, seed)
    beside = folder / FILE
    config = str(beside) if is_written(beside) else recorded.experiment["config"]
    if not trust:
        refuse_others_code(Path(config))
    request = _request(config, recorded.experiment, drawn, jobs, mirror, offline)
    try:
        run = Run(request, listener, runner=runner)
    except ConfigError as error:
        raise ConfigError(f"{folder} cannot be run again from here: {error}") from error
    planned = _planned(run)
    keys = {trial.key for trial in planned}
    here = [trial for trial in drawn if trial.method not in run.unavailable]
    again = [trial for trial in here if trial.key in keys]
    changed = _changed(recorded, planned, [trial for trial in here if trial.key not in keys])
    outcomes = _run(run, again, listener)
    compared = [_compare(t, recorded, outcomes[t.key], run.environment) for t in again]
    return _summary(run, drawn, compared, changed)


def _request(
    config: str,
    record: ExperimentRecord,
    drawn: Sequence[Trial],
    jobs: int | None,
    mirror: Path | None,
    offline: bool,
) -> Request:
    """Return the request for a recorded experiment on the data sets of some trials."""
    return Request(
        config,
        only=[f"dataset={name}" for name in sorted({trial.dataset for trial in drawn})],
        overrides=list(record["overrides"]),
        jobs=jobs,
        mirror=mirror or (Path(record["mirror"]) if record["mirror"] else None),
        offline=offline,
    )


def _planned(run: Run) -> list[Trial]:
    """Return the trials of a run; UnavailableDataError without the data of some of them."""
    planned = run.selected(run.plan(may_fetch=True))
    if run.without_data:
        raise UnavailableDataError("\n".join(dict.fromkeys(run.without_data.values())))
    return planned


def _summary(
    run: Run, drawn: Sequence[Trial], compared: Sequence[_Compared], changed: Sequence[str]
) -> SampleCheck:
    verdicts = Counter(one.verdict for one in compared)
    skipped = Counter(run.unavailable[t.method] for t in drawn if t.method in run.unavailable)
    if verdicts["other sums"]:
        skipped[_OTHER_SUMS] += verdicts["other sums"]
    return SampleCheck(
        sampled=len(drawn),
        equal=verdicts["equal"],
        close=verdicts["close"],
        differing=verdicts["differing"],
        differences=[each for one in compared for each in one.differences],
        environments=sorted({text for one in compared for text in one.environment}),
        changed=changed,
        skipped=dict(skipped),
    )


@dataclass(frozen=True)
class _Recorded:
    """The recorded experiment and its trials; environments are by the key of a trial."""

    experiment: ExperimentRecord
    trials: Sequence[Trial]
    outcomes: Mapping[str, Outcome]
    environments: Mapping[str, Record]


def _recorded(folder: Path) -> _Recorded:
    with Store.read(folder) as store:
        described = store.environments()
        environments = {
            key: described.get(name, {}) for key, name in store.environment_ids().items()
        }
        return _Recorded(store.record_of_run(), store.part(), store.outcomes(), environments)


def _draw(folder: Path, recorded: _Recorded, size: int, seed: int) -> list[Trial]:
    """Return some of the trials that ended well, and not by the clock; ConfigError without any."""
    possible = {
        trial.key: trial
        for trial in recorded.trials
        if (ended := recorded.outcomes.get(trial.key)) is not None
        and ended.status == "ok"
        and ended.metrics.get("stop_reason") != "time"
    }
    drawn = random.Random(seed).sample([*possible.values()], min(size, len(possible)))
    if not drawn:
        raise ConfigError(
            f"{folder} has no trial to run again: no trial has ended well, except for those that "
            "were stopped by the clock"
        )
    return drawn


def _changed(
    recorded: _Recorded, planned: Sequence[Trial], others: Sequence[Trial]
) -> Sequence[str]:
    """Return why trials of the sample are not in the plan any more."""
    names = {trial.name: trial for trial in others}
    now = [trial for trial in planned if trial.name in names]
    changed = why_again(names.values(), now, recorded.experiment["sources"])
    if names and not changed:
        return [f"{counted(len(names), 'trial')} of the sample are not in the plan any more"]
    return changed


@dataclass(frozen=True)
class _Compared:
    """A trial that was run again; ``environment`` names the differences in its environment."""

    verdict: Literal["equal", "close", "differing", "other sums"]
    environment: Sequence[str] = ()
    differences: Sequence[Difference] = ()


def _compare(
    trial: Trial, recorded: _Recorded, now: Outcome, environment: Mapping[str, object]
) -> _Compared:
    before = recorded.environments[trial.key]
    then = recorded.outcomes[trial.key]
    other = differences(before, environment)
    differing = _differences(trial.name, then, now, 0.0)
    if not differing:
        return _Compared("equal", other)
    if other:
        differing = _differences(trial.name, then, now, TOLERANCE)
        if not differing:
            return _Compared("close", other)
    if _sums_differ(before, environment) and not _has_own_kernels(trial):
        return _Compared("other sums", other)
    return _Compared("differing", other, differing)


def _sums_differ(before: Record, now: Record) -> bool:
    """Return whether NumPy or OpenBLAS run other kernels here than where a trial was recorded."""
    had_avx512, has_avx512 = ("avx512" in str(each.get("instructions")) for each in (before, now))
    then, here = _blas_kernels(before), _blas_kernels(now)
    return (had_avx512 and not has_avx512) or (bool(then and here) and then != here)


def _blas_kernels(environment: Record) -> set[str]:
    """Return the last words of the libraries, such as SkylakeX of openblas 0.3.30 SkylakeX."""
    return {str(library).split()[-1] for library in environment.get("blas") or ()}


def _has_own_kernels(trial: Trial) -> bool:
    return trial.estimator in _OWN_SUMS and trial.params.get("solver") != "lbfgsb"


def _run(run: Run, trials: Sequence[Trial], listener: Listener) -> dict[str, Outcome]:
    """Run the trials in a temporary store, apart from the results."""
    with (
        tempfile.TemporaryDirectory(prefix="boostbench-") as name,
        Store.open(Path(name)) as store,
        listener.working(f"running {counted(len(trials), 'trial')} again"),
    ):
        if run.run_trials(trials, store).interrupted:
            raise KeyboardInterrupt
        return store.outcomes()


def _differences(name: str, recorded: Outcome, now: Outcome, tolerance: float) -> list[Difference]:
    """Return the figures that differ, only the first one of each curve.

    Figures that only one outcome has do not count.
    """
    if now.status != recorded.status:
        return [Difference(name, "status", recorded.status, f"{now.status}: {now.reason}")]
    old, new = _figures(recorded), _figures(now)
    wrong: dict[tuple[str, bool], Difference] = {}
    for (figure, i), value in old.items():
        if (figure, i) in new and not same(value, new[figure, i], tolerance):
            difference = Difference(name, figure, value, new[figure, i], i)
            wrong.setdefault((figure, i > 0), difference)
    return list(wrong.values())


def _figures(outcome: Outcome) -> dict[tuple[str, int], object]:
    """Return the metrics, and the values of curves by their iteration."""
    figures: dict[tuple[str, int], object] = {
        (name, 0): value for name, value in outcome.metrics.items()
    }
    for name, values in (outcome.curve or {}).items():
        figures[f"length of {name}", 0] = len(values)
        figures |= {(name, i): value for i, value in enumerate(values, start=1)}
    return figures
