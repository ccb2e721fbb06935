"""The fields of trials in the grid, and how two plans differ."""

import dataclasses
import sys
from pathlib import Path

import pytest
from plan_parts import make_trial

from boostbench.config.loading import load_experiment
from boostbench.errors import ConfigError
from boostbench.methods import resolve
from boostbench.plan.check import check_experiment, leaf_count
from boostbench.plan.difference import difference
from boostbench.plan.expand import expand
from boostbench.plan.selection import Selection
from boostbench.plan.trial import Trial

TEXT = """\
name: x
datasets: [iris, diabetes]
methods:
  - {method: srt, params: {depth: 2}}
  - {name: own, estimator: own_module_of_the_grid.Mean}
folds: 3
seeds: [4, 2]
split_seed: 5
scale_features: standard
"""
PRINTS = {"iris": "i" * 64, "diabetes": "d" * 64}


@pytest.fixture
def experiment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "own_module_of_the_grid.py").write_text(
        "from sklearn.dummy import DummyRegressor\nclass Mean(DummyRegressor):\n    pass\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "own_module_of_the_grid", raising=False)
    path = tmp_path / "x.yaml"
    path.write_text(TEXT)
    return load_experiment(path)


def test_each_trial_has_what_its_method_and_its_data_set_say(experiment) -> None:
    methods = [resolve(entry, experiment.defaults) for entry in experiment.methods]
    srt, own = methods
    assert own.code
    for trials in (expand(experiment, PRINTS), expand(experiment, PRINTS, methods)):
        assert len(trials) == 2 * 2 * 3 * 2
        for trial in trials:
            method = srt if trial.method == "srt" else own
            task = "classification" if trial.dataset == "iris" else "regression"
            assert trial == Trial(
                dataset=trial.dataset, method=method.label, estimator=method.estimator,
                method_version=method.version, fingerprint=PRINTS[trial.dataset], task=task,
                folds=3, fold=trial.fold, split_seed=5, seed=trial.seed,
                scale_features="standard",
                scale_target="standard" if task == "regression" else "none",
                params=method.params, split="kfold" if task == "regression" else "stratified",
                code=method.code,
            )  # fmt: skip
        assert [(t.fold, t.seed) for t in trials[:6]] == [
            (fold, seed) for fold in range(3) for seed in (4, 2)
        ]


@pytest.mark.parametrize(
    "change",
    [{"method_version": "99"}, {"code": "c"}, {"scale_target": "none"}, {"estimator": "m:B"},
     {"task": "classification"}, {"scale_features": "none"}, {"fold": 2}, {"seed": 9}],
)  # fmt: skip
def test_the_key_changes_with_each_field_but_the_labels(experiment, change) -> None:
    trial = next(t for t in expand(experiment, PRINTS) if t.task == "regression" and t.fold == 0)
    assert dataclasses.replace(trial, **change).key != trial.key
    assert dataclasses.replace(trial, dataset="another", method="label").key == trial.key


def test_seeds_and_patterns_are_taken_as_they_are_written(experiment) -> None:
    chosen = Selection.of(["seed=2, 4", " fold = 0"], experiment)
    assert chosen.patterns == {"seed": ["2", "4"], "fold": ["0"]}
    assert chosen.takes("seed", "2")
    assert chosen.takes("dataset", "anything")
    assert not chosen.takes("fold", "1")
    with pytest.raises(ConfigError, match=r"--only seed=7: there is no seed '7'.* 4, 2"):
        Selection.of(["seed=7"], experiment)
    assert Selection.of(["seed=2,, 4,"], experiment).patterns == {"seed": ["2", "4"]}
    with pytest.raises(ConfigError, match="no method 'a=b'"):
        Selection.of(["method=a=b"], experiment)


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ({"choose": {"C": [1.0]}}, {"choose": {"C": [2.0]}},
         "C of d/a/0/0 is [1.0] in A and [2.0] in B"),
        ({"choose": {"C": [1.0]}}, {},
         "C of d/a/0/0 is [1.0] in A and 'default' in B"),
        ({}, {"choose_with": {"tol": 0.1}},
         "tol of d/a/0/0 is 'default' in A and 0.1 in B"),
        ({"estimator": "m:A"}, {"estimator": "m:B"},
         "estimator of d/a/0/0 is 'm:A' in A and 'm:B' in B"),
        ({"split": "kfold"}, {"split": "stratified"},
         "split of d/a/0/0 is 'kfold' in A and 'stratified' in B"),
        ({"curves": True}, {}, "curves of d/a/0/0 is True in A and False in B"),
    ],
)  # fmt: skip
def test_the_difference_of_two_plans_is_the_first_that_explains_it(first, second, message) -> None:
    plans = ([make_trial(**changes, fold=fold) for fold in (0, 1)] for changes in (first, second))
    assert difference(*plans, ("A", "B")) == message


def test_a_difference_of_one_trial_is_found() -> None:
    one = [make_trial(fold=0), make_trial(fold=1, task="classification")]
    two = [make_trial(fold=0), make_trial(fold=1)]
    message = difference(one, two, ("A", "B"))
    assert message == "task of d/a/1/0 is 'classification' in A and 'regression' in B"


def test_a_count_of_leaves_is_that_of_trees_that_are_always_complete(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(
        "name: x\ndatasets: [diabetes]\nseeds: 1\n"
        "methods: [srt, {method: orrt, params: {depth: 2}}, random_forest, random_forest_r]\n"
    )
    resolved = check_experiment(load_experiment(path))
    assert [leaf_count(method) for method in resolved] == [8, 4, None, None]
