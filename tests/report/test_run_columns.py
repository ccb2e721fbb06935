"""The frame of runs: its declared columns, whatever was recorded."""

import math
from collections.abc import Sequence

import pytest
from parts import ok, results_as_columns, trial

from boostbench.papers.metrics import R2
from boostbench.report.frames.run_columns import DTYPES, NO_SCORE, frame_of_runs
from boostbench.store.types import Outcome

PENDING = Outcome("pending")
FAILED = Outcome("error", "it broke", metrics={"r2": 0.9})
WITHOUT = Outcome("ok", metrics={"r2": None, "r2_missing": "one row", "leaves": 8})
FULL = ok(
    0.5, train_r2=0.7, n_iter=9, leaves=7, windows=3, chosen_depth=2, stop_reason="tol", flag=True
)


def frame(outcomes: Sequence[Outcome]):
    planned = [trial("d", "m", seed=seed) for seed, _ in enumerate(outcomes)]
    results = results_as_columns(planned, outcomes, ["here"] * len(outcomes))
    return frame_of_runs([results] if outcomes else [], {"here": "a processor"}, R2)


@pytest.mark.parametrize(
    "outcomes", [[], [PENDING], [FAILED], [FULL], [PENDING, FAILED, WITHOUT, FULL]]
)
def test_all_columns_are_there_with_their_types(outcomes) -> None:
    made = frame(outcomes)
    assert {name: str(made[name].dtype) for name in DTYPES} == DTYPES
    assert len(made) == len(outcomes)


def test_a_run_with_a_score_has_all_that_it_recorded() -> None:
    (run,) = frame([FULL]).to_dict("records")
    assert (run["status"], run["reason"], run["processor"]) == ("ok", "", "a processor")
    assert (run["score"], run["train"], run["iterations"], run["fit_s"]) == (0.5, 0.7, 9.0, 0.5)
    assert (run["n_rows"], run["n_test"], run["part"], run["stop"]) == (308.0, 77.0, "fold", "tol")
    assert run["chosen"] == {"depth": 2}
    # Other numbers have columns of their own, which never take the place of a declared one.
    assert (run["leaves"], run["flag"], run["windows"]) == (7.0, 1.0, False)
    assert math.isnan(run["solver_s"])


def test_a_run_without_a_score_has_nothing_measured_and_says_why() -> None:
    failed, without, full = frame([FAILED, WITHOUT, FULL]).to_dict("records")
    assert (failed["status"], failed["reason"]) == ("error", "it broke")
    assert (without["status"], without["reason"]) == (NO_SCORE, "one row")
    for run in (failed, without):
        assert run["processor"] == run["stop"] == ""
        assert run["chosen"] == {}
        assert all(math.isnan(run[name]) for name in ("score", "leaves", "n_rows", "fit_s"))
    assert full["leaves"] == 7.0
    assert [run["run"] for run in (failed, without, full)] == [0, 1, 2]


def test_the_own_clock_goes_before_the_wall_time() -> None:
    clock = Outcome("ok", metrics={"r2": 0.5}, times={"fit_s": 9.0}, time_curve={"fit_s": [1, 2]})
    made = frame([clock, FULL])
    assert made.fit_s.tolist() == [2.0, 0.5]
    assert made.clocked.tolist() == [True, False]
