"""Trials drawn in public and run again: nothing that results say of themselves is believed."""

from __future__ import annotations

import hashlib
import os
import secrets
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

from boostbench.config.loading import recorded_config
from boostbench.engine.environment import compare, is_minor
from boostbench.engine.recording import outcomes_apart
from boostbench.errors import ConfigError, UnavailableDataError
from boostbench.estimators import build, params_of
from boostbench.experiment.comparison import same
from boostbench.experiment.drawn import (
    Difference,
    DrawnTrial,
    FinishedTimeout,
    SampleCheck,
    Verdict,
)
from boostbench.experiment.estimate import Costs, alike
from boostbench.experiment.listener import Listener
from boostbench.experiment.receipt import make_receipt, read_files, receipt_differences
from boostbench.experiment.request import Request
from boostbench.experiment.run import Run
from boostbench.experiment.runners import Runner
from boostbench.objects.trust import refuse_others_code
from boostbench.plan.difference import Change, changes_of_plan, labels_of
from boostbench.plan.trial import Trial
from boostbench.store.files import is_archive_only
from boostbench.store.merge_stores import contents_of
from boostbench.store.predictions import PredictionRow, read_kept
from boostbench.store.record import ExperimentRecord
from boostbench.store.store import Store
from boostbench.store.types import Outcome
from boostbench.suggest import counted
from boostbench.values import Record

TOLERANCE = 1e-6
"""The tolerance for figures (relative, absolute below 1) in another environment."""
SLOWER = 10
"""How many times as slow another machine may be.

Trials may take so many times their limit here, and what takes less than this part of its limit here
was no timeout on any such machine.
"""
_MISSING = Outcome("missing")
# Their bits were the same with and without AVX-512 in results/processors: their sums have the same
# order on every processor.
_SAME_BITS = frozenset(
    {
        "boostbench.boosting:AdaBoostMH",
        "boostbench.boosting:MultiBoostCW",
        "boostbench.trees:ForestRegressor",
        "boostbench.trees:OptimalRegressionTree",
        "boostbench.trees:OptimalRegressionTreeCV",
        "boostbench.trees:SoftRegressionTree",
    }
)
_KERNELS = "OPENBLAS_CORETYPE"
# Settings that let a processor run the kernels of another one.
_OF_PROCESSORS = frozenset(
    {_KERNELS, "NPY_DISABLE_CPU_FEATURES", "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES"}
)


def check_sample(
    folder: Path,
    size: int,
    *,
    listener: Listener,
    nonce: str | None = None,
    minutes: float | None = None,
    jobs: int | None = None,
    mirror: Path | None = None,
    offline: bool = False,
    runner: Runner | None = None,
    trust: bool = False,
) -> SampleCheck:
    """Run ``size`` of the planned trials again, and compare the outcomes with the recorded ones.

    They are the first by the sha256 of the digest of the results, the ``nonce`` (a fresh one by
    default) and the trial's key, of the plan that is made anew. Each figure must be equal bit for
    bit if the trial ran in an environment like this one, else within :data:`TOLERANCE`. They are
    fewer where ``minutes`` are too short for all, by the recorded times. Nothing is written to the
    results. ``runner`` runs the trials, by default
    :func:`~boostbench.engine.local.run_trials`. ``trust`` allows to load code that others have put
    into the folder.

    Raises ConfigError where the recorded experiment file is gone, and for code that may not be
    loaded, DataError where its data are unavailable, StoreError where the results cannot be read.
    """
    recorded = _recorded(folder)
    place = recorded_config(recorded.experiment, folder)
    config = recorded.experiment["config"] if place is None else str(place)
    if not trust:
        is_archived = is_archive_only(folder) and Path(config).parent == folder.resolve()
        refuse_others_code(Path(config), is_archived=is_archived)
    known = recorded.experiment["mirror"]
    request = Request(
        config,
        overrides=list(recorded.experiment["overrides"]),
        jobs=jobs,
        mirror=mirror or (Path(known) if known else None),
        offline=offline,
    )
    try:
        run = Run(request, listener, runner=runner)
    except ConfigError as error:
        raise ConfigError(f"{folder} cannot be run again from here: {error}") from error
    planned = _planned(run)
    nonce = nonce or secrets.token_hex(16)
    drawn = draw(planned, size, recorded.digest, nonce)
    if minutes is not None:
        drawn = _within(drawn, 60 * minutes, Costs.of_folder(folder, alike(drawn)), run.jobs)
    return SampleCheck(
        recorded.digest,
        nonce,
        len(planned),
        _checked(run, recorded, drawn, listener),
        changes_of_plan(recorded.trials, planned, recorded.experiment["sources"]),
        recorded.receipt,
    )


def draw(planned: Sequence[Trial], size: int, digest: str, nonce: str) -> list[Trial]:
    """Return the first ``size`` trials by the sha256 of ``DIGEST NONCE KEY``."""

    def place(trial: Trial) -> str:
        return hashlib.sha256(f"{digest} {nonce} {trial.key}".encode()).hexdigest()

    return sorted(planned, key=place)[:size]


def _within(drawn: list[Trial], seconds: float, costs: Costs, jobs: int) -> list[Trial]:
    """Return the first drawn trials that take so long at most; the first one in any case."""
    while len(drawn) > 1 and (costs.estimate(alike(drawn), jobs).seconds or 0.0) > seconds:
        drawn = drawn[:-1]
    return drawn


def _planned(run: Run) -> list[Trial]:
    """Return the plan of a run; UnavailableDataError without the data of some of it."""
    planned = run.plan(may_fetch=True)
    if run.without_data:
        raise UnavailableDataError("\n".join(dict.fromkeys(run.without_data.values())))
    return list(planned)


@dataclass(frozen=True)
class _Recorded:
    """Recorded results: their digest, and what is not as their receipt says."""

    experiment: ExperimentRecord
    trials: Sequence[Trial]
    outcomes: Mapping[str, Outcome]
    environments: Mapping[str, Record]
    digest: str
    receipt: Sequence[str]

    def outcome(self, trial: Trial) -> Outcome:
        """Return the recorded outcome of a trial; without one its status is "missing"."""
        return self.outcomes.get(trial.key, _MISSING)


def _recorded(folder: Path) -> _Recorded:
    with Store.read(folder) as store:
        described = store.environments()
        receipt = make_receipt(
            contents_of(store), read_files(folder) if is_archive_only(folder) else {}
        )
        return _Recorded(
            store.record_of_run(),
            store.part(),
            store.outcomes(),
            {key: described.get(name, {}) for key, name in store.environment_ids().items()},
            receipt.digest,
            receipt_differences(folder, receipt) if is_archive_only(folder) else [],
        )


def _checked(
    run: Run, recorded: _Recorded, drawn: Sequence[Trial], listener: Listener
) -> list[DrawnTrial]:
    """Run the drawn trials that can be run here, and compare them."""
    not_run = _not_run(run, recorded, drawn)
    again = [trial for trial in drawn if trial.key not in not_run]
    timeouts = [trial for trial in again if recorded.outcome(trial).status == "timeout"]
    others = [trial for trial in again if trial not in timeouts]
    with listener.working(f"running {counted(len(again), 'trial')} again"):
        outcomes = _run(run, others, recorded, SLOWER) | _run(run, timeouts, recorded, 1)
        found = {t.key: _compare(t, recorded, outcomes[t.key], run) for t in again}
        found |= _with_their_kernels(run, recorded, again, found)
    return [found.get(trial.key) or not_run[trial.key] for trial in drawn]


def _not_run(run: Run, recorded: _Recorded, drawn: Sequence[Trial]) -> dict[str, DrawnTrial]:
    """Return the drawn trials that cannot be compared, each with the reason."""
    keys = {trial.key for trial in recorded.trials}
    labels = {labels_of(trial) for trial in recorded.trials}
    found = {}
    for trial in drawn:
        why = run.unavailable.get(trial.method, "")
        if not why and trial.key not in keys and labels_of(trial) in labels:
            # What differs is told of the whole plan.
            why = "another trial was recorded in its place"
        if why:
            found[trial.key] = DrawnTrial(trial.name, Verdict.NOT_RUN, why=why)
    return found


def _with_their_kernels(
    run: Run, recorded: _Recorded, trials: Sequence[Trial], found: Mapping[str, DrawnTrial]
) -> dict[str, DrawnTrial]:
    """Run trials that differ once more with OpenBLAS's kernels for the recorded processor.

    Return those that are then equal.
    """
    of_kernel: dict[str, list[Trial]] = {}
    for trial in trials:
        kernel = _other_kernel(recorded.environments.get(trial.key, {}), run.environment)
        if kernel and found[trial.key].verdict is Verdict.ELSEWHERE:
            of_kernel.setdefault(kernel, []).append(trial)
    equal = {}
    for kernel, own in of_kernel.items():
        with _kernels(kernel):
            outcomes = _run(run, own, recorded, SLOWER)
        for trial in own:
            again = _compare(trial, recorded, outcomes[trial.key], run)
            if again.verdict is Verdict.EQUAL:
                why = f"with OpenBLAS's kernels for {kernel}"
                equal[trial.key] = replace(again, verdict=Verdict.EQUAL_THERE, why=why)
    return equal


def _other_kernel(before: Record, now: Record) -> str:
    """Return the processor for which OpenBLAS had kernels, "" where they are those of here."""
    then, here = _kernels_in(before), _kernels_in(now)
    return min(then) if len(then) == 1 and here and then != here else ""


def _kernels_in(environment: Record) -> set[str]:
    """Return the last words of libraries: SkylakeX of openblas 0.3.30 SkylakeX."""
    return {str(library).split()[-1] for library in environment.get("blas") or ()}


@contextmanager
def _kernels(processor: str) -> Iterator[None]:
    """Let the processes that are started run OpenBLAS's kernels for a processor."""
    before = os.environ.get(_KERNELS)
    os.environ[_KERNELS] = processor
    try:
        yield
    finally:
        del os.environ[_KERNELS]
        if before is not None:
            os.environ[_KERNELS] = before


def _run(run: Run, trials: Sequence[Trial], recorded: _Recorded, longer: int) -> dict[str, Outcome]:
    """Run trials in a temporary store, apart from the results; the time limit is so much longer."""
    asked = {trial.key: _without_clock(trial, recorded.outcome(trial)) for trial in trials}
    again = list(asked.values())
    outcomes = outcomes_apart(lambda store: run.run_trials(again, store, longer=longer))
    return {key: outcomes[trial.key] for key, trial in asked.items()}


def _without_clock(trial: Trial, recorded: Outcome) -> Trial:
    """Return a trial that no clock of its own stops, but its recorded number of rounds."""
    if not trial.params.get("time_limit"):
        return trial
    params = {**trial.params, "time_limit": None}
    rounds = recorded.metrics.get("n_iter")
    most = params_of(build(trial.estimator, trial.params, 0)).get("max_iter")
    if _is_stopped(recorded) and isinstance(rounds, int | float) and isinstance(most, int):
        # More rounds than the plan has are never run: their number differs then.
        params["max_iter"] = min(int(rounds), most)
    return replace(trial, params=params)


def _is_stopped(outcome: Outcome) -> bool:
    return outcome.metrics.get("stop_reason") == "time"


def _compare(trial: Trial, recorded: _Recorded, now: Outcome, run: Run) -> DrawnTrial:
    """Return what came of a trial that was run again."""
    then = recorded.outcome(trial)
    changes = compare(recorded.environments.get(trial.key, {}), run.environment)
    found = DrawnTrial(trial.name, Verdict.EQUAL, list(map(str, changes)))
    if then.status == "timeout" and now.status == "ok":
        took, limit = now.times.get("wall_s", 0.0), run.experiment.limits.time
        is_too_fast = limit is None or SLOWER * took < limit
        timeout = FinishedTimeout(trial.name, then.reason, took, is_too_fast)
        return replace(found, verdict=Verdict.FINISHED, timeout=timeout)
    if trial.params.get("time_limit") and _is_stopped(then):
        metrics = {name: v for name, v in then.metrics.items() if name != "stop_reason"}
        then = replace(then, metrics=metrics)
    differing = _differences(trial.name, then, now, 0.0)
    if not differing:
        return found
    if changes and not _differences(trial.name, then, now, TOLERANCE):
        return replace(found, verdict=Verdict.CLOSE)
    verdict, why = _kind_of_difference(trial, changes)
    return replace(found, verdict=verdict, differences=differing, why=why)


def _kind_of_difference(trial: Trial, changes: Sequence[Change]) -> tuple[Verdict, str]:
    """Return the verdict on a trial that differs, and a remark on its environment."""
    if not changes:
        return Verdict.DIFFERS, ""
    if not all(is_minor(change) or change.name in _OF_PROCESSORS for change in changes):
        return Verdict.OTHER_VERSIONS, ""
    if trial.estimator in _SAME_BITS and trial.params.get("solver") != "lbfgsb":
        why = f"both processors are known to give the same bits of {trial.method}"
        return Verdict.DIFFERS, why
    return Verdict.ELSEWHERE, ""


def equal_predictions(folders: Sequence[Path]) -> list[str]:
    """Return which methods, of one archive or of several, have equal predictions, byte for byte."""
    predicted: dict[tuple[object, ...], dict[str, PredictionRow]] = {}
    for folder in folders:
        with Store.read(folder) as store:
            kept, trials = read_kept(store.database).predicted, store.part()
        for trial in trials:
            if trial.key in kept:
                name = f"{trial.method} of {folder}" if len(folders) > 1 else trial.method
                run = (trial.fingerprint, trial.split_seed, trial.fold, trial.seed)
                predicted.setdefault(run, {})[name] = kept[trial.key]
    pairs: Counter[tuple[str, str]] = Counter()
    for own in predicted.values():
        pairs.update((a, b) for a, b in combinations(own, 2) if own[a] == own[b])
    return [f"{a} and {b}: equal in {counted(n, 'run')}" for (a, b), n in pairs.items()]


def _differences(name: str, recorded: Outcome, now: Outcome, tolerance: float) -> list[Difference]:
    """Return the figures that differ, only the first one of each curve.

    Figures that only one outcome has do not count, but for a score that was not recorded: earlier
    versions recorded fewer other figures.
    """
    if now.status != recorded.status:
        return [Difference(name, "status", recorded.status, f"{now.status}: {now.reason}")]
    old, new = _figures(recorded), _figures(now)
    wrong: dict[tuple[str, bool], Difference] = {
        (score, False): Difference(name, score, None, new[score, 0])
        for score in ("r2", "error")
        if (score, 0) in new and (score, 0) not in old
    }
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
