"""Which trials share a process, and costs that do not count as a trial's time or memory."""

import importlib.util
import os
import resource

import pytest
from driving import processes_of
from support import TrialLimits, run, save_small, trial

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
def own(tmp_path_factory):
    """The outcomes by estimator of trials of the user's own classes."""
    folder = tmp_path_factory.mktemp("own")
    mark = save_small(folder / "arrays")
    names = ["Where", "Fails", "Reserves"]
    trials = [one for i, name in enumerate(names) for one in _trials(mark, name, 3, first=i)]
    outcomes, _ = run(folder, trials)
    return {name: outcomes[3 * i : 3 * i + 3] for i, name in enumerate(names)}


def test_each_trial_of_own_code_has_a_process_to_itself(own):
    assert [o.status for o in own["Fails"]] == ["error"] * 3
    fine = [outcome for name, some in own.items() if name != "Fails" for outcome in some]
    assert len(_pids(fine)) == len(fine)


def test_trials_of_scikit_learn_share_a_process(tmp_path, mark):
    seen = []

    def look(event):
        if event.kind == "end":
            seen.append(processes_of(os.getpid()))

    trials = [trial(mark, "sklearn.dummy:DummyRegressor", i % 4, i // 4) for i in range(6)]
    outcomes, _ = run(tmp_path, trials, listener=look)
    assert {o.status for o in outcomes} == {"ok"}
    # The warm process, and its only fork.
    assert [len(pids) for pids in seen] == [2] * 6
    assert len(set(map(tuple, seen))) == 1


def test_imports_of_one_fit_are_not_in_the_time_of_others(tmp_path, mark):
    packages = ["mailbox", *(p for p in PACKAGES if importlib.util.find_spec(p.split(".")[0]))]
    trials = [one for p in packages for one in _trials(mark, "Imports", 2, where=p)]
    outcomes, _ = run(tmp_path, trials)
    assert len(_pids(outcomes)) == len(trials)
    first, second = outcomes[0].times, outcomes[1].times
    assert first["fit_s"] < first["first_fit_s"]
    assert "first_fit_s" not in second


def test_the_pool_waits_for_a_trial_that_has_closed_its_output(tmp_path, mark):
    before = resource.getrusage(resource.RUSAGE_SELF)
    outcomes, _ = run(tmp_path, _trials(mark, "Silent", 1))
    after = resource.getrusage(resource.RUSAGE_SELF)
    assert outcomes[0].status == "ok"
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 1.0


def test_an_import_that_never_ends_is_ended(tmp_path, mark):
    limits = TrialLimits(time_s=0.5, grace_s=0.2, import_s=1.0)
    (outcome,), _ = run(tmp_path, [trial(mark, "endless_import:Never")], limits=limits)
    assert outcome.status == "timeout"
    assert outcome.reason == "importing endless_import takes more than 1 s"


def test_memory_that_is_asked_for_and_never_touched_counts(tmp_path, mark, own):
    limits = TrialLimits(memory_bytes=2**28)
    trials = [*_trials(mark, "Reserves", 1), *_trials(mark, "Where", 1)]
    outcomes, _ = run(tmp_path, trials, limits=limits)
    assert [o.status for o in outcomes] == ["memory", "ok"]
    # Without a limit it is no fault.
    assert {o.status for o in own["Reserves"]} == {"ok"}
