"""What own estimators cost: a clean trial keeps its worker, and imports are not its own."""

import importlib.util
import resource

import pytest
from support import Limits, run, save_small, trial

from boostbench.engine.types import Event

PACKAGES = ("pandas", "matplotlib.pyplot", "sklearn.svm", "lightgbm", "xgboost", "statsmodels.api")


def _pids(outcomes):
    assert {o.status for o in outcomes} == {"ok"}, [o.reason for o in outcomes]
    return {o.metrics["pid"] for o in outcomes}


def _trials(mark, name, count=6, first=0, **params):
    return [
        trial(mark, f"own_workers:{name}", i % 4, 10 * first + i // 4, **params)
        for i in range(count)
    ]


@pytest.fixture(scope="module")
def clean(tmp_path_factory):
    """(outcomes by estimator, what was reported of the workers) of trials that spoil no process."""
    folder = tmp_path_factory.mktemp("clean")
    mark = save_small(folder / "arrays")
    names = ["Where", "Settings", "Draws", "Fails", "Reserves", "Where"]
    trials = [one for i, name in enumerate(names) for one in _trials(mark, name, 3, first=i)]
    seen: list[Event] = []
    outcomes, _ = run(folder, trials, listener=seen.append)
    found = {name: [] for name in names}
    for one, outcome in zip(trials, outcomes, strict=True):
        found[one.estimator.partition(":")[2]].append(outcome)
    return found, [event.detail for event in seen if event.detail]


def test_a_clean_trial_keeps_its_worker_and_so_does_one_that_fails(clean):
    outcomes, details = clean
    assert [o.status for o in outcomes["Fails"]] == ["error"] * 3
    fine = [outcome for name, some in outcomes.items() if name != "Fails" for outcome in some]
    assert len(_pids(fine)) == 1
    assert details == []


def test_an_import_in_a_trial_costs_no_worker(tmp_path, mark):
    packages = [p for p in PACKAGES if importlib.util.find_spec(p.partition(".")[0])]
    trials = [one for p in packages for one in _trials(mark, "Imports", 2, where=p)]
    outcomes, _ = run(tmp_path, trials)
    pids = dict(zip(packages, zip(outcomes[::2], outcomes[1::2], strict=True), strict=True))
    assert {p: len(_pids(pair)) for p, pair in pids.items()} == dict.fromkeys(packages, 1)
    assert len(_pids(outcomes)) == 1


def test_a_worker_that_is_replaced_is_reported_once(tmp_path, mark):
    seen: list[Event] = []
    outcomes, _ = run(tmp_path, _trials(mark, "Threads", 3), listener=seen.append)
    assert len(_pids(outcomes)) == 3
    assert [event.detail for event in seen if event.detail] == [
        "own_workers:threads: threads were left running; after such a trial the worker process is "
        "replaced"
    ]


def test_the_pool_waits_for_a_trial_that_has_closed_its_output(tmp_path, mark):
    before = resource.getrusage(resource.RUSAGE_SELF)
    outcomes, _ = run(tmp_path, _trials(mark, "Silent", 1))
    after = resource.getrusage(resource.RUSAGE_SELF)
    assert outcomes[0].status == "ok"
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 1.0


def test_an_import_that_never_ends_is_ended(tmp_path, mark):
    limits = Limits(time_s=0.5, grace_s=0.2, import_s=1.0)
    (outcome,), _ = run(tmp_path, [trial(mark, "endless_import:Never")], limits=limits)
    assert outcome.status == "timeout"
    assert outcome.reason == "importing endless_import takes more than 1 s"


def test_memory_that_is_asked_for_and_never_touched_counts(tmp_path, mark, clean):
    limits = Limits(memory_bytes=2**28)
    trials = [*_trials(mark, "Reserves", 1), *_trials(mark, "Where", 1)]
    outcomes, _ = run(tmp_path, trials, limits=limits)
    assert [o.status for o in outcomes] == ["memory", "ok"]
    # Without a limit it is no fault.
    assert {o.status for o in clean[0]["Reserves"]} == {"ok"}
