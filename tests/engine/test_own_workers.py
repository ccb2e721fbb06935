"""Which trials share a process, and costs that do not count as a trial's time or memory."""

import importlib.util
import resource

from support import run, trial

PACKAGES = ("pandas", "matplotlib.pyplot", "lightgbm")


def _cpu_s():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _pids(outcomes):
    assert {o.status for o in outcomes} == {"ok"}, [o.reason for o in outcomes]
    return {o.metrics["pid"] for o in outcomes}


def _trials(mark, name, count=6, first=0, **params):
    return [
        trial(mark, f"own_workers:{name}", i % 4, 10 * first + i // 4, **params)
        for i in range(count)
    ]


def test_each_trial_of_own_code_has_a_process_to_itself(tmp_path, mark):
    names = ["Where", "Fails", "Reserves"]
    trials = [one for i, name in enumerate(names) for one in _trials(mark, name, 3, first=i)]
    at = {}

    def look(event):
        if event.trial and event.trial.method == "own_workers:silent":
            at[event.kind] = _cpu_s()

    outcomes, _ = run(tmp_path, [*trials, *_trials(mark, "Silent", 1)], listener=look)
    assert [o.status for o in outcomes[3:6]] == ["error"] * 3
    fine = outcomes[:3] + outcomes[6:]
    assert len(_pids(fine)) == len(fine)
    # The pool waits for a trial that has closed its output, and does not ask all the time.
    assert at["end"] - at["start"] < 1.0


def test_imports_of_one_fit_are_not_in_the_time_of_others(tmp_path, mark):
    packages = ["mailbox", *(p for p in PACKAGES if importlib.util.find_spec(p.split(".")[0]))]
    trials = [one for p in packages for one in _trials(mark, "Imports", 2, where=p)]
    outcomes, _ = run(tmp_path, trials)
    assert len(_pids(outcomes)) == len(trials)
    first, second = outcomes[0].times, outcomes[1].times
    assert first["fit_s"] < first["first_fit_s"]
    assert "first_fit_s" not in second
