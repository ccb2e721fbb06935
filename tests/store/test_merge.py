"""Stores brought together: the order, the grouping and the overlap leave no trace."""

import dataclasses
import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from store_parts import LEARNT, OK, PLAN, filled, make_trial

from boostbench.errors import StoreError
from boostbench.plan.shard import Shard
from boostbench.store.export import export_results
from boostbench.store.merge_stores import better, contents_of, merge, read_source
from boostbench.store.store import Store
from boostbench.store.types import Outcome, OutcomeRow

RECORD = {"name": "merged"}


def merged(into, *folders):
    """Merge ``folders`` in one call and return how many trials were new."""
    with Store.open(into) as target:
        return merge(target, [read_source(folder) for folder in folders], RECORD)


def everything(folder):
    """Return the exported bytes and all rows of a store."""
    with Store.read(folder) as store:
        paths = export_results(store, folder)
        rows = contents_of(store)
    lists = [sorted(rows.environments), sorted(rows.runs), sorted(rows.outcomes.items())]
    return [path.read_bytes() for path in paths], rows.experiment, rows.plan, lists


one_of_many = st.sampled_from(
    [
        Outcome("ok", metrics={"r2": 0.5}, times={"fit_s": 1.0}),
        Outcome("ok", metrics={"r2": 0.5}, times={"fit_s": 2.0}),
        Outcome("ok", metrics={"r2": 0.4, "stop_reason": "time"}),
        Outcome("ok", metrics={"r2": 0.3, "stop_reason": "time"}),
        Outcome("timeout", "over the limit"),
        Outcome("error", "ValueError: no"),
        Outcome("skipped", "no R here"),
    ]
)


@settings(max_examples=12)
@given(data=st.data())
def test_any_partition_in_any_order_and_grouping_gives_the_same_store(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("partition")
    given_ = st.lists(st.tuples(st.integers(0, 5), one_of_many), max_size=8)
    parts = data.draw(st.lists(given_, min_size=2, max_size=4))
    plan = PLAN[:6]
    sources = [
        filled(folder / f"source{i}", *part, plan=plan, environment=f"env{i % 2}")
        for i, part in enumerate(parts)
    ]
    merged(folder / "at once", *sources)
    expected = everything(folder / "at once")
    order = data.draw(st.permutations(sources))
    for source in order:
        merged(folder / "one by one", source)
    assert everything(folder / "one by one") == expected
    cut = data.draw(st.integers(1, len(order) - 1))
    merged(folder / "half", *order[:cut])
    merged(folder / "halves", *order[cut:], folder / "half", order[0])
    assert everything(folder / "halves") == expected
    for again in (*sources, folder / "half", folder / "halves"):
        assert merged(folder / "at once", again) == 0
    assert everything(folder / "at once") == expected
    statuses = [
        {outcome.status for part in parts for j, outcome in dict(part).items() if i == j}
        for i in range(len(plan))
    ]
    with Store.read(folder / "at once") as store:
        found = store.outcomes()
    for trial, seen in zip(plan, statuses, strict=True):
        assert (trial.key in found) == bool(seen)
        if "ok" in seen:
            assert found[trial.key].status == "ok"


def test_shards_merged_are_the_whole_run_byte_by_byte(tmp_path):
    outcome = {i: dataclasses.replace(LEARNT, metrics={"error": i / 7}) for i in range(len(PLAN))}
    whole = filled(tmp_path / "whole", *outcome.items())
    shards = []
    for index in (1, 2, 3):
        mine = Shard(index, 3).keys(PLAN)
        part = [(i, o) for i, o in outcome.items() if PLAN[i].key in mine]
        assert len(part) == 4
        shards.append(filled(tmp_path / f"shard{index}", *part))
    assert merged(tmp_path / "merged", *shards[::-1]) == 12
    assert everything(tmp_path / "merged")[0][0] == everything(whole)[0][0]
    assert everything(tmp_path / "merged")[0][2] == everything(whole)[0][2]


@pytest.mark.parametrize("count", [1, 5, 40])
def test_shards_make_up_the_plan_and_share_no_trial(count):
    plan = [*PLAN, make_trial(method="another name of the first")]
    keys = [Shard(i, count).keys(plan) for i in range(1, count + 1)]
    parts = [[trial for trial in plan if trial.key in own] for own in keys]
    assert sorted(map(repr, itertools.chain(*parts))) == sorted(map(repr, plan))
    assert sum(map(len, keys)) == len(set().union(*keys)) == 12
    assert [PLAN.index(t) % count for t in parts[0] if t in PLAN] == [0] * len(keys[0])


def test_environments_and_runs_come_along(tmp_path):
    a = filled(tmp_path / "a", (0, OK), environment="one")
    b = filled(tmp_path / "b", (1, OK), environment="two")
    merged(tmp_path / "merged", b, a)
    with Store.read(tmp_path / "merged") as store:
        assert store.environments() == {"one": {"cpu": "one"}, "two": {"cpu": "two"}}
        assert store.environment_ids()[PLAN[1].key] == "two"
        assert store.run_of(PLAN[0].key).environment_id == "one"
        assert [run.environment_id for run in store.runs()] == ["one", "two"]
        assert store.experiment() == RECORD


def test_a_trial_with_two_outcomes_is_reported_and_not_merged(tmp_path):
    other = dataclasses.replace(OK, metrics={**OK.metrics, "r2": 0.25})
    a = filled(tmp_path / "a", (0, OK), (3, OK))
    b = filled(tmp_path / "b", (1, OK), (3, other))
    merged(tmp_path / "into", a)
    before = everything(tmp_path / "into")
    with pytest.raises(StoreError) as error:
        merged(tmp_path / "into", b)
    assert f"yacht/srt/1/0 came out differently in {tmp_path / 'into'} and {b} " in str(error.value)
    assert "(r2 is 0.30000000000000004 and 0.25)" in str(error.value)
    assert "\n" not in str(error.value)
    assert everything(tmp_path / "into") == before
    curve = dataclasses.replace(LEARNT, curve={"objective": [1.0]})
    c, d = filled(tmp_path / "c", (0, LEARNT)), filled(tmp_path / "d", (0, curve))
    with pytest.raises(StoreError, match="its learning curve differs"):
        merged(tmp_path / "cd", c, d)


def test_metrics_that_a_later_version_records_are_kept_and_no_conflict(tmp_path):
    later = dataclasses.replace(OK, metrics={**OK.metrics, "rmse": 0.5})
    sources = [filled(tmp_path / name, (0, found)) for name, found in (("a", OK), ("b", later))]
    for name, order in (("ab", sources), ("ba", sources[::-1])):
        merged(tmp_path / name, *order)
        with Store.read(tmp_path / name) as store:
            assert store.outcomes()[PLAN[0].key] == later
    other = dataclasses.replace(OK, metrics={"mae": 1.0, **dict(list(OK.metrics.items())[1:])})
    with pytest.raises(StoreError, match="came out differently"):
        merged(tmp_path / "c", sources[1], filled(tmp_path / "d", (0, other)))


def test_a_source_that_is_written_to_is_read_as_it_is(tmp_path):
    a = filled(tmp_path / "a", (0, OK))
    with Store.open(a) as writer:
        source = read_source(a / "store.sqlite")
        writer.record(PLAN[1], OK, "env")
        assert set(source.contents.outcomes) == {PLAN[0].key}
        assert merged(tmp_path / "into", a) == 2


def test_another_plan_is_refused_and_leaves_no_half_of_it(tmp_path):
    a = filled(tmp_path / "a", (0, OK))
    b = filled(tmp_path / "b", (0, OK), plan=[dataclasses.replace(t, split_seed=1) for t in PLAN])
    with pytest.raises(StoreError) as error:
        merged(tmp_path / "into", a, b)
    assert str(error.value) == (
        f"{a} and {b} are of different plans and cannot be merged: the trial "
        f"yacht/srt/0/0 is only in {a}"
    )
    merged(tmp_path / "into", a)
    with pytest.raises(StoreError, match="name another folder to merge into with --into"):
        merged(tmp_path / "into", b)
    with Store.read(tmp_path / "into") as store:
        assert store.plan() == PLAN
    empty = tmp_path / "empty"
    Store.open(empty).close()
    with pytest.raises(StoreError, match="holds no plan yet"):
        read_source(empty)


def test_a_merge_that_fails_halfway_leaves_the_target_as_it_was(tmp_path):
    a, b = filled(tmp_path / "a", (0, OK)), filled(tmp_path / "b", (1, OK), (2, OK))
    merged(tmp_path / "into", a)
    before = everything(tmp_path / "into")
    with Store.open(tmp_path / "into") as target:
        target.database._connection.execute(
            "CREATE TEMP TRIGGER full BEFORE INSERT ON outcomes WHEN NEW.key = "
            f"'{PLAN[2].key}' BEGIN SELECT RAISE(ABORT, 'no more'); END"
        )
        with pytest.raises(StoreError, match="no more"):
            merge(target, [read_source(b)], RECORD)
    assert everything(tmp_path / "into") == before


def row(status="ok", reason="", r2="0.5", recorded=1.0):
    return OutcomeRow(
        key="k",
        status=status,
        reason=reason,
        metrics=f'{{"r2":{r2}}}',
        times=f'{{"s":{recorded}}}',
        traceback="",
        curve=None,
        environment_id="env",
        trial="{}",
        recorded=recorded,
        time_curve=None,
        run_id="run",
        digest="",
        output="",
    )


BY_THE_CLOCK = '0.1,"stop_reason":"time"'
FAILED = ("timeout", "memory", "killed", "error")


@pytest.mark.parametrize(
    ("kept", "other"),
    [
        (row(), row(recorded=2.0)),
        (row(recorded=2.0), row(r2=BY_THE_CLOCK)),
        (row(r2=BY_THE_CLOCK), row(r2='0.2,"stop_reason":"time"', recorded=2.0)),
        *((row(status, recorded=2.0), row(status, "z")) for status in (*FAILED, "skipped")),
        *((row(status), row("skipped", recorded=at)) for status in FAILED for at in (0.5, 2.0)),
        *((row(recorded=2.0), row(status)) for status in (*FAILED, "skipped")),
    ],
)
def test_one_of_two_outcomes_is_kept_in_any_order(kept, other):
    assert better(kept, other) == better(other, kept) == kept


@given(
    status=st.sampled_from(["ok", "error", "skipped"]),
    reasons=st.tuples(st.text(max_size=3), st.text(max_size=3)),
)
def test_outcomes_of_one_moment_are_chosen_whatever_their_order(status, reasons):
    one, two = (row(status, reason) for reason in reasons)
    assert better(one, two) == better(two, one)
