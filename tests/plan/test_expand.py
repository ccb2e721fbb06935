"""The grid is complete and in order, seeds and keys depend on the right fields, --only selects."""

import dataclasses
import hashlib
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trials import make_trial

from boostbench.config.loading import load_experiment
from boostbench.config.model import Experiment
from boostbench.errors import ConfigError
from boostbench.methods import resolve
from boostbench.plan.expand import expand
from boostbench.plan.selection import Selection
from boostbench.plan.trial import LABELS, Trial

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
    trials = list(expand(experiment, PRINTS))
    assert [(t.dataset, t.method, t.fold, t.seed) for t in trials] == [
        (dataset, method, fold, seed)
        for dataset in ("friedman1", "diabetes")
        for method in ("Ridge", "dummy")
        for fold in range(3)
        for seed in (4, 2)
    ]
    assert len(trials) == experiment.n_trials == len({t.key for t in trials})


def test_every_partition_has_all_folds_and_seeds(experiment: Experiment) -> None:
    several = experiment.model_copy(update={"split_seeds": [5, 0]})
    trials = list(expand(several, PRINTS))
    assert several.n_trials == len(trials) == 48
    assert [(t.split_seed, t.fold, t.seed) for t in trials[:12]] == [
        (split_seed, fold, seed) for split_seed in (5, 0) for fold in range(3) for seed in (4, 2)
    ]
    alone = list(expand(experiment, PRINTS))
    assert [t for t in trials if t.split_seed == 0] == alone
    assert {t.key for t in alone} < {t.key for t in trials}
    fifth = expand(experiment.model_copy(update={"split_seed": 5}), PRINTS)
    assert [t for t in trials if t.split_seed == 5] == fifth
    assert len({t.random_state for t in trials if t.dataset == "diabetes"}) == 12
    assert several.model_copy(update={"split_seeds": 3}).split_seed_list == [0, 1, 2]


def test_partitions_are_selected_and_named(experiment: Experiment) -> None:
    several = experiment.model_copy(update={"split_seeds": [5, 0]})
    only = ["split_seed=5", "fold=1", "method=Ridge", "dataset=diabetes", "seed=2"]
    chosen = Selection.of(only, several)
    (trial,) = (each for each in expand(several, PRINTS) if each in chosen)
    assert (trial.name, trial.split_seed) == ("diabetes/Ridge/5/1/2", 5)
    assert dataclasses.replace(trial, split_seed=0).name == "diabetes/Ridge/1/2"
    with pytest.raises(ConfigError, match="no split_seed '7'; there are 5, 0"):
        Selection.of(["split_seed=7"], several)
    with pytest.raises(ConfigError, match="no split_seed '1'; there are 0"):
        Selection.of(["split_seed=1"], experiment)


def test_labels_are_not_in_the_key_and_the_seed_is_the_same_for_every_method(
    experiment: Experiment,
) -> None:
    trials = list(expand(experiment, PRINTS))
    methods = [each.model_copy(update={"name": f"{each.name}_2"}) for each in experiment.methods]
    renamed = expand(experiment.model_copy(update={"methods": methods}), PRINTS)
    assert [t.key for t in trials] == [t.key for t in renamed]
    cells = {(t.dataset, t.fold, t.seed) for t in trials}
    states = {(t.dataset, t.fold, t.seed, t.random_state) for t in trials}
    assert len(states) == len({t.random_state for t in trials}) == len(cells)


CLASSES = """\
name: x
datasets: [iris, diabetes]
methods:
  - {name: cw, method: multiboost_cw, choose: {C: [1.0e+2, 1.0e+3]}}
  - {estimator: sklearn.dummy.DummyClassifier}
splits: {n: 3, test_size: 0.2}
seeds: 1
"""
IRIS = {"iris": "a" * 64}


def _classes(folder: Path, *overrides: str) -> list[Trial]:
    path = folder / "x.yaml"
    path.write_text(CLASSES)
    experiment = load_experiment(path, overrides)
    assert experiment.n_trials == 4 * experiment.n_parts["iris"]
    return list(expand(experiment, IRIS))


def test_random_splits_choices_and_curves_are_in_the_trial(tmp_path: Path) -> None:
    trials = _classes(tmp_path)
    assert [(t.method, t.fold) for t in trials[2:4]] == [("cw", 2), ("DummyClassifier", 0)]
    cw, dummy = trials[0], trials[3]
    assert (cw.split, cw.test_size, cw.folds, cw.task) == ("shuffle", 0.2, 3, "classification")
    assert cw.choose == {"C": [100.0, 1000.0]}
    assert "C" not in cw.params
    assert cw.choose_with == {}
    faster = _classes(tmp_path, "methods.0.choose_with.max_iter=20")[0]
    assert faster.choose_with == {"max_iter": 20}
    assert faster.params == cw.params
    assert (cw.curves, dummy.curves) == (True, False)
    assert not any(t.curves for t in _classes(tmp_path, "curves=false"))
    assert Trial.from_dict(json.loads(json.dumps(cw.to_dict()))) == cw


@pytest.mark.parametrize(
    ("override", "same"),
    [
        ("splits.n=2", True),
        ("title=another", True),
        ("splits.test_size=0.3", False),
        ("split_seed=1", False),
        ("split_seeds=1", True),
        ("split_seeds=[1]", False),
        ("curves=false", False),
        ("methods.0.choose.C=[1.0e+2]", False),
        ("methods.0.choose.C=[1.0e+3, 1.0e+2]", False),
        ("methods.0.choose={tol: [0.1]}", False),
        ("methods.0.choose_with={max_iter: 5}", False),
    ],
)
def test_the_key_determines_the_result(tmp_path: Path, override: str, same: bool) -> None:
    before, after = _classes(tmp_path)[0], _classes(tmp_path, override)[0]
    assert (before.key == after.key) is same


def test_keys_of_folds_are_those_of_the_first_stores(experiment: Experiment) -> None:
    trial = next(iter(expand(experiment, PRINTS)))
    parts = trial.to_dict()
    later = (
        "split",
        "test_size",
        "choose",
        "choose_with",
        "curves",
        "code",
        "train_rows",
        "train_per_class",
        "train_batches",
    )
    for name in ("dataset", "method", *later):
        del parts[name]
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"))
    assert trial.key == hashlib.sha256(text.encode()).hexdigest()


def test_a_data_set_without_a_fingerprint_is_left_out(experiment: Experiment) -> None:
    assert {t.dataset for t in expand(experiment, {"diabetes": "d"})} == {"diabetes"}


@pytest.mark.parametrize(
    ("only", "count"),
    [
        ([], 24),
        (["method=dum*"], 12),
        (["dataset=diabetes,friedman1", "seed=4"], 12),
        (["seed=2, 4", " fold = 0"], 8),
        (["seed=2,, 4,"], 24),
    ],
)
def test_only_selects_trials(experiment: Experiment, only: list[str], count: int) -> None:
    chosen = Selection.of(only, experiment)
    assert sum(trial in chosen for trial in expand(experiment, PRINTS)) == count


@pytest.mark.parametrize(
    ("only", "message"),
    [
        ("yacht", "--only yacht: give KEY=VALUE"),
        ("datset=diabetes", "--only datset=diabetes: give KEY=VALUE"),
        ("dataset=diabtes", "no dataset 'diabtes' (did you mean 'diabetes'?); there are friedman1"),
        ("fold=3", "no fold '3'; there are 0, 1, 2"),
        ("seed=7", "--only seed=7: there is no seed '7'; there are 4, 2"),
        ("method=a=b", "no method 'a=b'"),
    ],
)
def test_only_refuses_unknown_names(experiment: Experiment, only: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Selection.of([only], experiment)
    assert message in str(caught.value)


@given(st.text(max_size=30))
def test_any_text_for_only_is_read_or_refused_in_one_line(text: str) -> None:
    message = "--only is read"
    try:
        Selection.parse([text], dict.fromkeys(LABELS, ("0",)))
    except ConfigError as error:
        message = str(error)
    assert message.startswith("--only ")


def test_folds_of_classes_are_another_protocol_than_folds_of_rows(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(CLASSES)
    folds = load_experiment(path, ["splits=null", "folds=3"])
    trial = next(iter(expand(folds, IRIS)))
    assert (trial.split, trial.folds, trial.test_size) == ("stratified", 3, None)
    # Records of classes in plain folds do not count for it.
    assert dataclasses.replace(trial, split="kfold").key != trial.key
    assert dataclasses.replace(trial, split="kfold").random_state == trial.random_state


OWN = """\
name: x
datasets: [iris, diabetes]
methods: [{method: srt, params: {depth: 2}}, {estimator: own_module_of_the_grid.Mean}]
folds: 3
split_seed: 5
scale_features: standard
"""


def test_each_trial_has_its_methods_and_data_sets_settings(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "own_module_of_the_grid.py").write_text(
        "from sklearn.dummy import DummyRegressor\nclass Mean(DummyRegressor):\n    pass\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "x.yaml").write_text(OWN)
    experiment = load_experiment(tmp_path / "x.yaml")
    methods = {entry.name: resolve(entry, experiment.defaults) for entry in experiment.methods}
    assert methods["Mean"].code
    prints = {**IRIS, "diabetes": "d" * 64}
    trials = expand(experiment, prints)
    assert trials == expand(experiment, prints, [*methods.values()])
    for trial in trials:
        method, of_classes = methods[trial.method], trial.dataset == "iris"
        for name in ("estimator", "version", "params", "code"):
            own = "method_version" if name == "version" else name
            assert getattr(trial, own) == getattr(method, name)
        assert trial.fingerprint == prints[trial.dataset]
        assert (trial.task, trial.split, trial.scale_target) == (
            ("classification", "stratified", "none")
            if of_classes
            else ("regression", "kfold", "standard")
        )
        assert (trial.folds, trial.split_seed, trial.scale_features) == (3, 5, "standard")


@pytest.mark.parametrize(
    "change",
    [{"method_version": "99"}, {"code": "c"}, {"scale_target": "none"}, {"estimator": "m:B"},
     {"task": "classification"}, {"scale_features": "none"}, {"fold": 2}, {"seed": 9}],
)  # fmt: skip
def test_the_key_changes_with_each_field_but_the_labels(change) -> None:
    trial = make_trial()
    assert dataclasses.replace(trial, **change).key != trial.key
    assert dataclasses.replace(trial, dataset="another", method="label").key == trial.key


def test_beside_a_frame_all_errors_are_in_the_unit_of_the_target(tmp_path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(TEXT.replace("diabetes]", "{card: diabetes, features: frame}]"))
    assert {trial.units for trial in expand(load_experiment(path), PRINTS)} == {"original"}
    without = load_experiment(path, ["datasets.1.features=matrix"])
    assert {trial.units for trial in expand(without, PRINTS)} == {"scaled"}
