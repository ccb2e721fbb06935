"""What a trial changes in its process reaches no other trial, and misbehaviour of all kinds at once
leaves a complete run."""

import pytest
from meddling import MEDDLERS
from support import Limits, run, trial
from test_faults import FAULTS

from boostbench.engine.types import Event

# What these change is in the way of their own trial already.
SELF_HARM = {"Builtins", "Errors", "Recursion", "Tracing"}


def results(outcomes):
    return [(o.status, o.reason, o.metrics) for o in outcomes]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    from support import save_small

    folder = tmp_path_factory.mktemp("undisturbed")
    mark = save_small(folder / "arrays")
    witnesses = [trial(mark, "meddling:Witness", seed=seed) for seed in range(len(MEDDLERS))]
    outcomes, _ = run(folder, witnesses)
    assert {o.status for o in outcomes} == {"ok"}, outcomes[0]
    assert len({o.metrics["drawn"] for o in outcomes}) == len(MEDDLERS)
    return results(outcomes)


def test_no_meddler_changes_the_results_of_the_next_trial(tmp_path, mark, undisturbed):
    trials = []
    for seed, name in enumerate(MEDDLERS):
        # A trial of the same worker comes before and after each.
        trials += [
            trial(mark, f"meddling:{name}"),
            trial(mark, "meddling:Witness", seed=seed),
        ]
    outcomes, summary = run(tmp_path, trials)
    assert summary.done == len(trials)
    for name, found, expected in zip(MEDDLERS, results(outcomes[1::2]), undisturbed, strict=True):
        assert found == expected, f"after {name}"
    ended = {name: o.status for name, o in zip(MEDDLERS, outcomes[::2], strict=True)}
    assert {name for name, status in ended.items() if status != "ok"} <= SELF_HARM


def test_a_generator_that_a_module_keeps_starts_anew_for_each_trial(tmp_path, mark):
    trials = [trial(mark, "keeper:Keeper", seed=seed) for seed in range(4)]
    one, _ = run(tmp_path / "a", trials, arrays_dir=tmp_path / "arrays")
    two, _ = run(tmp_path / "b", trials[::-1], jobs=2, arrays_dir=tmp_path / "arrays")
    assert results(one) == results(two[::-1])


def test_every_fault_at_once_beside_good_methods(tmp_path, mark, undisturbed):
    more = [
        # Two workers wait for these; a shorter limit would end others on a busy machine.
        ("Slow", "timeout", "over the time limit of 20 s"),
        ("IgnoresSigterm", "timeout", "over the time limit of 20 s"),
        ("AllocatesShared", "memory", "over the memory limit of 256 MiB"),
        ("ForksAndAborts", "killed", "ended by signal SIGABRT"),
    ]
    faults = [(f"faulty:{name}", status, reason) for name, status, reason in [*FAULTS, *more]]
    faults += [(f"meddling:{name}", "ok", "") for name in MEDDLERS]
    trials, expected = [], []
    for i, (name, status, reason) in enumerate(faults):
        log = {"where": str(tmp_path / "pids")} if "Forks" in name else {}
        trials.append(trial(mark, name, **log))
        expected.append((status, reason))
        if i < len(undisturbed):
            trials.append(trial(mark, "meddling:Witness", seed=i))
            expected.append(undisturbed[i])
    seen: list[Event] = []
    outcomes, summary = run(
        tmp_path,
        trials,
        jobs=2,
        limits=Limits(time_s=20, memory_bytes=2**28, grace_s=0.2),
        listener=seen.append,
    )
    assert summary.done == len(trials)
    assert not summary.interrupted
    for one, outcome, wanted in zip(trials, outcomes, expected, strict=True):
        if one.estimator == "meddling:Witness":
            assert (outcome.status, outcome.reason, outcome.metrics) == wanted
        elif one.estimator.rpartition(":")[2] not in SELF_HARM:
            assert (outcome.status, outcome.reason) == (
                wanted[0],
                wanted[1].replace("out of memory", "over the memory limit of 256 MiB"),
            ), one.estimator
    assert sum(event.kind == "end" for event in seen) == len(trials)
