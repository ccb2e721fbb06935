"""The store returns and exports recorded outcomes unchanged."""

import csv
import dataclasses
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from store_parts import LEARNT, OK, PLAN, filled, make_trial

from boostbench.plan.trial import canonical_json
from boostbench.store.export import export_results
from boostbench.store.store import Store
from boostbench.store.types import FINAL_STATUSES, Outcome

text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
finite = st.floats(allow_nan=False, allow_infinity=False)
outcomes = st.builds(
    Outcome,
    status=st.sampled_from(FINAL_STATUSES),
    reason=text,
    metrics=st.dictionaries(text, finite | st.integers() | text | st.none(), max_size=3),
    times=st.dictionaries(text, finite, max_size=2),
    traceback=text,
    output=text,
    curve=st.none() | st.dictionaries(text, st.lists(finite, max_size=3), max_size=2),
    time_curve=st.none() | st.dictionaries(text, st.lists(finite, max_size=3), max_size=2),
)


def test_recorded_outcomes_are_read_by_the_next_process(folder):
    with Store.read(folder) as store:
        assert store.plan() == PLAN
        assert store.experiment() == {"name": "d3", "folds": 4}
        assert store.outcomes()[PLAN[0].key] == OK
        assert store.outcomes().get(PLAN[5].key) is None
        assert set(store.outcomes()) == {t.key for t in PLAN[:3]}
        assert store.missing() == PLAN[3:]


def test_a_new_plan_keeps_the_outcomes_of_trials_it_shares(folder):
    others = [make_trial(seed=seed, method="other label") for seed in (9, 0)]
    with Store.open(folder) as store:
        store.set_plan({"name": "other"}, others)
        assert store.missing() == others[:1]
        assert store.experiment() == {"name": "other"}
        store.set_plan({"name": "d3"}, PLAN)
        assert len(store.outcomes()) == 3


@pytest.mark.parametrize(
    ("record", "shard", "files"),
    [
        ({"name": "d3"}, None, {}),
        ({"name": "d3", "shard": "2/3", "data_files": {"a": "0123"}}, (2, 3), {"a": "0123"}),
    ],
)
def test_a_record_has_the_defaults_of_keys_that_it_lacks(tmp_path, record, shard, files):
    with Store.open(tmp_path / "r") as store:
        store.set_plan(record, PLAN)
        assert store.experiment() == record
        found = store.record_of_run()
        assert (found["name"], found["data_files"], found["offline"]) == ("d3", files, False)
        part = store.shard()
    assert shard == (None if part is None else (part.index, part.count))


def test_two_labels_of_one_key_are_one_missing_trial_and_two_rows(tmp_path):
    plan = [make_trial(), make_trial(method="same thing")]
    with Store.open(tmp_path) as store:
        store.set_plan({}, plan)
        assert store.missing() == plan[:1]
        store.record(plan[0], OK, "")
        rows = list(csv.DictReader(export_results(store, tmp_path)[0].open()))
    assert [(r["method"], r["r2"]) for r in rows] == [("srt", repr(0.1 + 0.2))] * 1 + [
        ("same thing", repr(0.1 + 0.2))
    ]


def test_environments_are_those_of_planned_trials(folder):
    with Store.open(folder) as store:
        store.add_environment("env", {"cpu": "one"})
        store.add_environment("env", {"cpu": "one"})
        store.add_environment("unused", {"cpu": "two"})
        assert store.environments() == {"env": {"cpu": "one"}}
        assert store.environment_ids()[PLAN[0].key] == "env"


@settings(max_examples=30)
@given(outcome=outcomes)
def test_an_outcome_comes_back_to_the_bit(tmp_path_factory, outcome):
    with Store.open(tmp_path_factory.mktemp("bits")) as store:
        store.record(PLAN[0], outcome, "")
        back = store.outcomes()[PLAN[0].key]
    assert back == outcome
    assert canonical_json(vars(back)) == canonical_json(vars(outcome))


@settings(max_examples=15)
@given(order=st.permutations(range(len(PLAN))), data=st.data())
def test_the_order_of_recording_leaves_no_trace_in_the_export(tmp_path_factory, order, data):
    found = data.draw(st.lists(outcomes, min_size=len(PLAN), max_size=len(PLAN)))
    exports = []
    for sequence in (range(len(PLAN)), order):
        folder = tmp_path_factory.mktemp("order")
        with Store.open(folder) as store:
            store.set_plan({}, PLAN)
            for i in sequence:
                store.record(PLAN[i], found[i], "")
            exports.append(export_results(store, folder)[0].read_bytes())
    assert exports[0] == exports[1]


def test_the_export_has_a_row_for_each_ended_trial_and_times_apart(folder):
    with Store.read(folder) as store:
        trials, times = export_results(store, folder / "out")
    with trials.open() as lines:
        rows = list(csv.DictReader(lines))
    assert [(int(r["fold"]), int(r["seed"])) for r in rows] == [(t.fold, t.seed) for t in PLAN[:3]]
    assert [r["status"] for r in rows] == ["ok", "error", "skipped"]
    assert float(rows[0]["r2"]) == 0.1 + 0.2
    assert json.loads(rows[0]["params"]) == {"depth": 3}
    assert "fit_s" not in rows[0]
    with times.open() as lines:
        assert next(csv.DictReader(lines))["fit_s"] == "0.5"


SPLIT = make_trial(
    task="classification", split="shuffle", test_size=0.25, choose={"C": [1.0, 10.0]}, curves=True
)


def _rows(path):
    with path.open() as lines:
        return list(csv.DictReader(lines))


@pytest.fixture
def learnt(tmp_path):
    folder = tmp_path / "learnt"
    with Store.open(folder) as store:
        other = dataclasses.replace(PLAN[0], method="other")
        store.set_plan({}, [SPLIT, dataclasses.replace(SPLIT, fold=1), other])
        store.record(SPLIT, LEARNT)
        store.record(other, dataclasses.replace(OK, curve={"gap": [2.0]}))
    return folder


def test_curves_have_a_row_for_each_iteration_and_times_apart(learnt):
    with Store.read(learnt) as store:
        assert store.plan()[0] == SPLIT
        assert store.outcomes()[SPLIT.key] == LEARNT
        paths = export_results(store, learnt)
    assert [path.name for path in paths] == [
        "trials.csv",
        "times.csv",
        "curves.csv",
        "curve_times.csv",
    ]
    trials, _, curves, times = (_rows(path) for path in paths)
    assert [(r["split"], r["test_size"], r["choose"]) for r in trials] == [
        ("shuffle", "0.25", '{"C":[1.0,10.0]}'),
        ("kfold", "", "{}"),
    ]
    assert [
        [r[n] for n in ("fold", "iteration", "objective", "test_error", "gap")] for r in curves
    ] == [
        ["0", "1", "0.30000000000000004", "0.5", ""],
        ["0", "2", "0.1", "0.25", ""],
        ["0", "1", "", "", "2.0"],
    ]
    assert [(r["iteration"], r["fit_s"]) for r in times] == [("1", "0.5"), ("2", "1.5")]
    assert "fit_s" not in curves[0]
    assert curves[0]["key"] == SPLIT.key


def test_curves_of_an_earlier_plan_do_not_stay(learnt):
    with Store.open(learnt) as store:
        export_results(store, learnt)
        store.set_plan({}, PLAN[1:])
        export_results(store, learnt)
    assert sorted(path.name for path in learnt.glob("*.csv")) == ["times.csv", "trials.csv"]


def test_trials_of_one_method_keep_parameters_of_their_own(tmp_path):
    # As a comparison with the outcomes before an edit has them.
    first = make_trial(0)
    plan = [first, dataclasses.replace(make_trial(1), params={"depth": 9})]
    with Store.open(tmp_path / "r") as store:
        store.set_plan({"name": "n"}, plan)
        assert store.plan() == plan


def test_metrics_are_those_of_a_trial_that_ended_ok(tmp_path):
    failed = Outcome("error", "no", metrics={"r2": 0.5})
    with Store.read(filled(tmp_path, (0, OK), (1, failed))) as store:
        found = [store.metrics_of(trial.key) for trial in PLAN[:3]]
    assert found == [OK.metrics, None, None]
