"""Which trials share a process, and costs that do not count as a trial's time or memory."""

import importlib.util
import resource

import pytest
from support import run, save_small, trial

PACKAGES = ("mailbox", "pandas", "matplotlib.pyplot", "lightgbm")


def _cpu_s():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _trials(mark, name, count, **params):
    return [trial(mark, f"own_workers:{name}", fold, **params) for fold in range(count)]


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """The outcomes of trials of the user's own classes, and of those that import packages.

    Beside them are the seconds of the processor that this process takes during the trial of the
    class ``Silent``.
    """
    folder = tmp_path_factory.mktemp("own")
    mark = save_small(folder / "arrays")
    trials = {name: _trials(mark, name, 3) for name in ("Where", "Fails", "Reserves")}
    for package in PACKAGES:
        if importlib.util.find_spec(package.partition(".")[0]):
            trials[package] = _trials(mark, "Imports", 2, where=package)
    trials["Silent"] = _trials(mark, "Silent", 1)
    at = {}

    def look(event):
        if event.trial and event.trial.method == "own_workers:silent":
            at[event.kind] = _cpu_s()

    found, _ = run(folder, [one for some in trials.values() for one in some], listener=look)
    outcomes = iter(found)
    return {name: [next(outcomes) for _ in some] for name, some in trials.items()}, at


def test_each_trial_of_own_code_has_a_process_to_itself(own):
    outcomes, _ = own
    assert [o.status for o in outcomes["Fails"]] == ["error"] * 3
    fine = [o for name, some in outcomes.items() if name != "Fails" for o in some]
    assert {o.status for o in fine} == {"ok"}, [o.reason for o in fine]
    assert len({o.metrics["pid"] for o in fine}) == len(fine)


def test_imports_of_one_fit_are_not_in_the_time_of_others(own):
    outcomes, _ = own
    first, second = (outcome.times for outcome in outcomes["mailbox"])
    assert first["fit_s"] < first["first_fit_s"]
    assert "first_fit_s" not in second


def test_the_pool_waits_for_a_trial_that_has_closed_its_output(own):
    _, at = own
    assert at["end"] - at["start"] < 1.0
