"""What a trial changes in its process reaches no other trial, and misbehaviour of all kinds at once
leaves a complete run."""

import pytest
from meddling import MEDDLERS
from support import run, trial

# What these change is in the way of their own trial already.
SELF_HARM = {"Builtins", "Errors", "Tracing"}


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
