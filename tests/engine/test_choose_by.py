"""Values chosen by a metric, on inner folds, with groups, times and weights; and by searches."""

import dataclasses
import sys

import numpy as np
import pandas as pd
import pytest
import sklearn
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import f1_score, roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    RandomizedSearchCV,
    StratifiedKFold,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.fixes import parse_version
from support import trial

from boostbench.data.arrays import save_arrays
from boostbench.data.dataset import Dataset, fingerprint_of
from boostbench.engine.choice import chosen_params, inner_splits, searched_params
from boostbench.engine.execution import run_trial
from boostbench.engine.interface import TrialError
from boostbench.papers.metrics import METRICS, metric_from
from boostbench.plan.expand import choose_by

RIDGE = "sklearn.linear_model:Ridge"
LOGISTIC = "sklearn.linear_model:LogisticRegression"
ALPHAS = [1e-3, 1e3, 1.0, 30.0]


def dataset(task="regression", rows=90, **more):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(rows, 6))
    y = X[:, 0] + 0.5 * rng.normal(size=rows)
    classes = ()
    if task == "classification":
        y, classes = (y > 0.8).astype(np.int64), ("p", "q")
    names = tuple("abcdef")
    made = Dataset("d", X, y, names, "y", task, "", "made", classes, **more)
    return dataclasses.replace(made, fingerprint=fingerprint_of(made))


def choice(one, estimator=RIDGE, parameter="alpha", values=ALPHAS, **changed):
    made = trial(one.fingerprint, estimator, seed=3)
    scaling = {"scale_features": "none", "scale_target": "none"}
    return dataclasses.replace(
        made, task=one.task, choose={parameter: values}, **{**scaling, **changed}
    )


def best(values, loss):
    losses = [loss(value) for value in values]
    return values[int(np.argmin(losses))], losses


def test_a_metric_on_stratified_inner_folds_decides_as_scikit_learn_alone():
    one, train = dataset("classification"), np.arange(10, 90)
    X, y = one.X[train], one.y[train]
    values = [1e-4, 1e-2, 1.0, 100.0]
    for by, score in (("roc_auc", "area"), ("f1", "f1")):
        asked = choice(one, LOGISTIC, "C", values, choose_by=by, choose_folds=3)
        folds = StratifiedKFold(3, shuffle=True, random_state=asked.random_state)

        def mean(C, score=score, folds=folds):
            found = []
            for fit, test in folds.split(X, y):
                model = LogisticRegression(C=C).fit(X[fit], y[fit])
                area = roc_auc_score(y[test], model.predict_proba(X[test])[:, 1])
                found.append(area if score == "area" else f1_score(y[test], model.predict(X[test])))
            return -np.mean(found)

        expected, losses = best(values, mean)
        assert len(set(losses)) > 2
        labelled = dataclasses.replace(asked, labels=("0", "1"))
        assert chosen_params(labelled, one, train) == {"C": expected}


def test_folds_without_a_metric_compare_the_mean_squared_error():
    one, train = dataset(), np.arange(90)
    asked = choice(one, choose_folds=4)
    folds = KFold(4, shuffle=True, random_state=asked.random_state)

    def mean(alpha):
        errors = []
        for fit, test in folds.split(one.X):
            model = Ridge(alpha=alpha).fit(one.X[fit], one.y[fit])
            errors.append(np.mean((one.y[test] - model.predict(one.X[test])) ** 2))
        return np.mean(errors)

    assert chosen_params(asked, one, train) == {"alpha": best(ALPHAS, mean)[0]}


def test_less_is_better_for_an_error_and_more_for_a_score():
    one, train = dataset(), np.arange(90)
    least = chosen_params(choice(one, choose_by="-mae"), one, train)
    assert least == chosen_params(choice(one, choose_by="neg_mean_absolute_error"), one, train)
    most = chosen_params(choice(one, choose_by="mae"), one, train)
    assert most == {"alpha": 1e3} != least
    assert choose_by(METRICS["mae"]) == "-mae"
    assert choose_by(METRICS["r2"]) == "r2"
    assert choose_by(metric_from({"name": "m", "function": "f1", "greater_is_better": False})) == (
        "-f1"
    )


def test_a_metric_without_any_value_is_the_trials_error():
    one = dataset("classification")
    named = {"labels": ("0", "1", "2")}
    three = dataclasses.replace(one, y=np.arange(90) % 3, classes=named["labels"])
    svm = choice(three, "sklearn.svm:LinearSVC", "C", [0.1, 1.0], choose_by="roc_auc", **named)
    with pytest.raises(TrialError, match="nothing can be chosen by roc_auc: for more than two"):
        chosen_params(svm, three, np.arange(90))
    one_each = dataclasses.replace(dataset(), y=np.r_[np.zeros(60), np.arange(30.0)])
    ridge = choice(one_each, choose_by="r2", choose_folds=80)
    with pytest.raises(TrialError, match="nothing can be chosen by r2: it is not defined where"):
        chosen_params(ridge, one_each, np.arange(80))
    wrong = choice(one, LOGISTIC, "C", [0.1, 1.0], choose_by="average_precision")
    only_one_class = np.flatnonzero(one.y == 0)
    with pytest.raises(Exception, match="constant target"):
        chosen_params(wrong, one, only_one_class)


def test_inner_splits_keep_groups_together_and_train_on_earlier_rows():
    rng = np.random.default_rng(1)
    groups, times = rng.integers(0, 12, 90), rng.integers(0, 20, 90)
    train = np.sort(rng.permutation(90)[:70])
    for folds in (0, 3):
        for task in ("regression", "classification"):
            grouped = dataset(task, groups=groups)
            asked = choice(grouped, choose_folds=folds)
            splits = inner_splits(asked, grouped, train)
            assert len(splits) == (folds or 1)
            for fit, test in splits:
                known = groups[train]
                assert not set(known[fit]) & set(known[test])
                assert_array_equal(np.sort(np.r_[fit, test]), np.arange(70))
        timed = dataset(times=times)
        for fit, test in inner_splits(choice(timed, choose_folds=folds), timed, train):
            assert times[train][fit].max() < times[train][test].min()
        both = dataset(times=times, groups=groups)
        for fit, test in inner_splits(choice(both, choose_folds=folds), both, train):
            assert times[train][fit].max() < times[train][test].min()
            assert not set(groups[train][fit]) & set(groups[train][test])
    # Without any the rows are not kept apart.
    plain = inner_splits(choice(dataset()), dataset(), train)
    assert set(groups[train][plain[0][0]]) & set(groups[train][plain[0][1]])


def test_inner_folds_of_groups_are_those_of_scikit_learn():
    groups = np.random.default_rng(1).integers(0, 12, 90)
    one = dataset(groups=groups)
    asked = choice(one, choose_folds=3)
    splitter = GroupKFold(3, shuffle=True, random_state=asked.random_state)
    expected = list(splitter.split(one.X, one.y, groups))
    for (fit, test), (known_fit, known_test) in zip(
        inner_splits(asked, one, np.arange(90)), expected, strict=True
    ):
        assert_array_equal(fit, known_fit)
        assert_array_equal(test, known_test)


@pytest.mark.skipif(
    parse_version(sklearn.__version__) < parse_version("1.8"),
    reason="StratifiedGroupKFold of scikit-learn before 1.8 divides classes less evenly",
)
def test_inner_folds_of_groups_have_their_share_of_each_class():
    rng = np.random.default_rng(3)
    groups = rng.integers(0, 30, 300)
    X = rng.normal(size=(300, 2))
    y = (groups % 5 == 0).astype(np.int64)
    made = Dataset("d", X, y, ("a", "b"), "y", "classification", "f", "made", ("p", "q"))
    one = dataclasses.replace(made, groups=groups)
    for seed in range(5):
        asked = dataclasses.replace(choice(one, choose_folds=3), seed=seed)
        shares = [y[test].mean() for _, test in inner_splits(asked, one, np.arange(300))]
        assert max(shares) - min(shares) < 0.15


def test_weights_go_into_the_inner_fits():
    # Only the second half has a weight, in which the slope is another one.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 1))
    second = np.arange(200) % 2 == 1
    y = np.where(second, 0.0, 5.0) * X[:, 0] + 0.01 * rng.normal(size=200)
    weights = second.astype(np.float64)
    made = Dataset("d", X, y, ("a",), "y", "regression", "", "made", weights=weights)
    one = dataclasses.replace(made, fingerprint=fingerprint_of(made))
    seen = []

    def looked(self, X, y, sample_weight=None):
        seen.append(sample_weight)
        return FIT(self, X, y, sample_weight)

    FIT = Ridge.fit
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Ridge, "fit", looked)
        weighted = chosen_params(choice(one, weighted=True), one, np.arange(200))
        assert all(set(each) == {0.0, 1.0} for each in seen)
        assert len(seen) == len(ALPHAS)
        seen.clear()
        chosen_params(choice(one), one, np.arange(200))
        assert seen == [None] * len(ALPHAS)
    assert weighted["alpha"] in ALPHAS


SEARCHES = """
from scipy.stats import loguniform
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, KFold, RandomizedSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

def grid():
    return GridSearchCV(Ridge(), {"alpha": [1e-3, 1e3, 1.0]}, cv=KFold(3))

def drawn():
    return RandomizedSearchCV(Ridge(), {"alpha": loguniform(1e-3, 1e3)}, n_iter=3, cv=KFold(3))

def inside():
    return make_pipeline(StandardScaler(), grid())

def objects():
    search = GridSearchCV(
        make_pipeline(StandardScaler(), Ridge()), {"ridge": [Ridge(2.0), None]}, cv=KFold(3)
    )
    return search.set_params(param_grid={"ridge": [Ridge(2.0)]})
"""


@pytest.fixture
def searches(tmp_path, monkeypatch):
    (tmp_path / "searches_of_ours.py").write_text(SEARCHES)
    monkeypatch.syspath_prepend(tmp_path)
    yield "searches_of_ours"
    sys.modules.pop("searches_of_ours", None)


def outcomes(tmp_path, one, names):
    save_arrays(one, tmp_path)
    return [run_trial(trial(one.fingerprint, path, seed=seed), tmp_path) for path, seed in names]


def test_what_a_search_chose_is_recorded_as_a_chosen_parameter(tmp_path, searches):
    one = dataset()
    paths = [f"{searches}:{name}" for name in ("grid", "inside", "objects")]
    found = outcomes(tmp_path, one, [*((path, 0) for path in paths), (RIDGE, 0)])
    folds = KFold(4, shuffle=True, random_state=0)
    rows = next(folds.split(one.X))[0]
    low = one.X[rows].min(axis=0)
    X = (one.X[rows] - low) / (one.X[rows].max(axis=0) - low)
    y = (one.y[rows] - one.y[rows].mean()) / one.y[rows].std()
    alone = GridSearchCV(Ridge(), {"alpha": [1e-3, 1e3, 1.0]}, cv=KFold(3)).fit(X, y)
    assert found[0].metrics["chosen_alpha"] == alone.best_params_["alpha"]
    assert found[1].metrics["chosen_gridsearchcv__alpha"] in (1e-3, 1e3, 1.0)
    assert found[2].metrics["chosen_ridge"] == "Ridge(alpha=2.0)"
    assert not [name for name in found[3].metrics if name.startswith("chosen_")]


def test_a_random_search_gets_the_trials_seed(tmp_path, searches):
    one, path = dataset(), f"{searches}:drawn"
    found = outcomes(tmp_path, one, [(path, 0), (path, 1)])
    drawn = [each.metrics["chosen_alpha"] for each in found]
    assert drawn[0] != drawn[1]
    again = outcomes(tmp_path, one, [(path, 0)])
    assert again[0].metrics == found[0].metrics


def test_parameters_of_searches_are_found_in_pipelines_only():
    frame = pd.DataFrame({"a": np.arange(30.0), "b": np.arange(30.0) % 7})
    y = np.arange(30.0)
    search = GridSearchCV(Ridge(), {"alpha": [1.0, 2.0]})
    nested = make_pipeline(StandardScaler(), clone(search)).fit(frame, y)
    assert searched_params(nested) == {"gridsearchcv__alpha": 1.0}
    assert searched_params(clone(search)) == {}

    class Odd:
        steps = 5

        @property
        def best_params_(self):
            raise RuntimeError

    assert searched_params(Odd()) == {}
    assert searched_params(RandomizedSearchCV(Ridge(), {"alpha": [1.0]}, n_iter=1).fit(frame, y))
