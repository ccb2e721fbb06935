"""The grid is complete and in order, seeds and keys depend on what they should, --only chooses."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boostbench.config.loading import load_experiment
from boostbench.config.model import Experiment
from boostbench.errors import ConfigError
from boostbench.plan.expand import Selection, expand, select

PRINTS = {"diabetes": "d" * 64, "friedman1": "f" * 64}
TEXT = """\
name: x
datasets: [friedman1, diabetes]
methods:
  - {estimator: sklearn.linear_model.Ridge, params: {alpha: 0.5}}
  - {name: dummy, estimator: sklearn.dummy.DummyRegressor}
folds: 3
seeds: [4, 2]
"""


@pytest.fixture
def experiment(tmp_path: Path) -> Experiment:
    path = tmp_path / "x.yaml"
    path.write_text(TEXT)
    return load_experiment(path)


def test_order_is_data_set_method_fold_seed(experiment: Experiment) -> None:
    trials = expand(experiment, PRINTS)
    assert [(t.dataset, t.method, t.fold, t.seed) for t in trials] == [
        (dataset, method, fold, seed)
        for dataset in ("friedman1", "diabetes")
        for method in ("Ridge", "dummy")
        for fold in range(3)
        for seed in (4, 2)
    ]
    assert len(trials) == experiment.n_trials == len({t.key for t in trials})


def test_a_trial_has_all_that_determines_it(experiment: Experiment) -> None:
    trial = expand(experiment, PRINTS)[0]
    assert trial.estimator == "sklearn.linear_model.Ridge"
    assert trial.params == {"alpha": 0.5}
    assert trial.fingerprint == "f" * 64
    assert (trial.folds, trial.split_seed, trial.task) == (3, 0, "regression")
    assert (trial.scale_features, trial.scale_target) == ("minmax", "standard")


def test_labels_are_not_in_the_key_and_the_seed_is_the_same_for_every_method(
    experiment: Experiment,
) -> None:
    trials = expand(experiment, PRINTS)
    renamed = expand(
        experiment.model_copy(
            update={
                "methods": [
                    m.model_copy(update={"name": f"{m.name}_2"}) for m in experiment.methods
                ]
            }
        ),
        PRINTS,
    )
    assert [t.key for t in trials] == [t.key for t in renamed]
    per_cell = {(t.dataset, t.fold, t.seed): set[int]() for t in trials}
    for trial in trials:
        per_cell[(trial.dataset, trial.fold, trial.seed)].add(trial.random_state)
    assert all(len(states) == 1 for states in per_cell.values())
    assert len(set.union(*per_cell.values())) == len(per_cell)


def test_more_seeds_keep_the_keys_of_the_first(experiment: Experiment) -> None:
    few = {t.key for t in expand(experiment, PRINTS)}
    more = expand(experiment.model_copy(update={"seeds": 8}), PRINTS)
    assert few <= {t.key for t in more}


def test_a_data_set_without_a_fingerprint_is_left_out(experiment: Experiment) -> None:
    assert {t.dataset for t in expand(experiment, {"diabetes": "d"})} == {"diabetes"}


@pytest.mark.parametrize(
    ("only", "count"),
    [
        ([], 24),
        (["dataset=diabetes"], 12),
        (["method=dum*"], 12),
        (["dataset=diabetes", "method=Ridge", "fold=0"], 2),
        (["dataset=diabetes,friedman1", "seed=4"], 12),
        (["fold=0", "fold=2"], 16),
    ],
)
def test_only(experiment: Experiment, only: list[str], count: int) -> None:
    chosen = select(expand(experiment, PRINTS), only)
    assert len(chosen) == count
    assert chosen == [t for t in expand(experiment, PRINTS) if t in Selection.parse(only)]


@pytest.mark.parametrize(
    ("only", "message"),
    [
        ("yacht", "--only yacht: give KEY=VALUE"),
        ("dataset=", "--only dataset=: give KEY=VALUE"),
        ("datset=diabetes", "no key 'datset' (did you mean 'dataset'?)"),
        ("dataset=diabtes", "no dataset 'diabtes' (did you mean 'diabetes'?); it has friedman1,"),
        ("method=srt*", "no method 'srt*'; it has Ridge, dummy"),
        ("fold=3", "no fold '3'; it has 0, 1, 2"),
    ],
)
def test_only_what_there_is(experiment: Experiment, only: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Selection.parse([only], experiment)
    assert message in str(caught.value)


def test_select_refuses_what_no_trial_has(experiment: Experiment) -> None:
    with pytest.raises(ConfigError, match=r"no trial has the method 'rigde'"):
        select(expand(experiment, PRINTS), ["method=rigde"])


@given(st.text(max_size=30))
def test_any_text_for_only_is_read_or_refused_in_one_line(text: str) -> None:
    message = "--only is read"
    try:
        Selection.parse([text])
    except ConfigError as error:
        message = str(error)
    assert message.startswith("--only ")
