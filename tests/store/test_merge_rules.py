"""The choice between two outcomes of one trial in a merge, and conflicts between stores."""

import dataclasses
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from store_parts import OK, PLAN, filled

from boostbench.errors import StoreError
from boostbench.store.merge import better, contents_of, merge, read_source
from boostbench.store.store import Store
from boostbench.store.types import Outcome, OutcomeRow

FAILED = ("timeout", "memory", "killed", "error")


def row(status="ok", *, recorded=1.0, **changes):
    made = OutcomeRow(
        key="k", status=status, reason="", metrics='{"r2":0.5}', times="{}", traceback="",
        curve=None, environment_id="env", trial="{}", recorded=recorded, time_curve=None,
        run_id="run", digest="", output="",
    )  # fmt: skip
    return made._replace(**changes)


@pytest.mark.parametrize("status", FAILED)
def test_a_failure_is_kept_over_a_trial_that_was_skipped(status):
    for failed, skipped in ((1.0, 2.0), (2.0, 1.0)):
        one, two = row(status, recorded=failed), row("skipped", recorded=skipped)
        assert better(one, two) == better(two, one) == one


def test_of_two_equal_results_the_first_recorded_is_kept():
    early, late = row(recorded=1.0, times='{"fit_s":9.0}'), row(recorded=2.0, times='{"fit_s":1.0}')
    assert better(early, late) == better(late, early) == early


@pytest.mark.parametrize("status", [*FAILED, "skipped"])
def test_of_two_failures_the_last_recorded_is_kept(status):
    early, late = row(status, recorded=1.0, reason="z"), row(status, recorded=2.0, reason="a")
    assert better(early, late) == better(late, early) == late


def test_a_result_stopped_by_the_clock_gives_way_and_may_differ():
    by_the_clock = row(recorded=1.0, metrics='{"r2":0.1,"stop_reason":"time"}')
    converged = row(recorded=2.0)
    assert better(by_the_clock, converged) == better(converged, by_the_clock) == converged
    other = by_the_clock._replace(recorded=2.0, metrics='{"r2":0.2,"stop_reason":"time"}')
    assert better(by_the_clock, other) == better(other, by_the_clock) == by_the_clock


@given(
    status=st.sampled_from(["ok", "error", "skipped"]),
    reasons=st.tuples(st.text(max_size=3), st.text(max_size=3)),
)
def test_outcomes_of_one_moment_are_chosen_whatever_their_order(status, reasons):
    one, two = (row(status, reason=reason) for reason in reasons)
    assert better(one, two) == better(two, one)


def test_two_results_that_differ_are_refused():
    with pytest.raises(ValueError, match=r"r2 is 0\.5 and 0\.25"):
        better(row(), row(metrics='{"r2":0.25}'))
    with pytest.raises(ValueError, match="differ"):
        better(row(), row(curve='{"objective":[1.0]}'))


def test_a_conflict_with_the_target_names_both_folders(tmp_path):
    into = filled(tmp_path / "into", (0, OK))
    other = filled(tmp_path / "other", (0, dataclasses.replace(OK, metrics={"r2": 0.25})))
    source = read_source(other)
    with Store.open(into, create=False) as target, pytest.raises(StoreError) as error:
        merge(target, [source], {})
    assert f"in {into} and {other} (" in str(error.value)


def test_a_target_with_a_plan_keeps_it_and_counts_what_is_new(tmp_path):
    into = filled(tmp_path / "into", (0, OK), (1, Outcome("error", "no")))
    source = read_source(filled(tmp_path / "more", (1, OK), (2, OK)))
    with Store.open(into, create=False) as target:
        assert merge(target, [source], {"name": "merged"}) == 1
        assert target.plan() == PLAN
        assert [target.outcome(trial.key) for trial in PLAN[:3]] == [OK, OK, OK]
        assert merge(target, [source], {"name": "merged"}) == 0
        assert json.loads(contents_of(target).outcomes[PLAN[2].key].metrics) == OK.metrics
