"""A booster's text, read back, and the importances of its features."""

import re

import numpy as np
import pytest
from boosters import BOOSTERS
from boosting_reference import blobs
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier

from boostbench.boosting import AdaBoostMH, AdaBoostMO, MultiBoostCW, export_text

MODELS = {
    **BOOSTERS,
    "cw-repeats": MultiBoostCW(max_iter=30, max_sweeps=1, polish=False, random_state=0),
}
every_model = pytest.mark.parametrize("name", MODELS)
HEAD = re.compile(r"(.*): (\d+) stumps?, constant ([+-][\d.]+)")
LINE = re.compile(r"\|   ([+-][\d.]+) if (.+) > (\S+), else ([+-][\d.]+)")


def read(text):
    """The blocks of ``text``: (title, constant, [(weight, feature name, threshold)])."""
    blocks = []
    for line in text.splitlines():
        head, stump = HEAD.fullmatch(line), LINE.fullmatch(line)
        if head:
            blocks.append((head[1], int(head[2]), float(head[3]), []))
        else:
            assert stump, line
            assert float(stump[4]) == -float(stump[1])
            blocks[-1][3].append((float(stump[1]), stump[2], float(stump[3])))
    for _, count, _, stumps in blocks:
        assert len(stumps) == count
    return [(title, constant, stumps) for title, _, constant, stumps in blocks]


def block_scores(text, names, X):
    """(n_samples, n_blocks) what the text says each block's score is."""
    columns = []
    for _, constant, stumps in read(text):
        score = np.full(X.shape[0], constant)
        for weight, name, threshold in stumps:
            score += np.where(X[:, names.index(name)] > threshold, weight, -weight)
        columns.append(score)
    return np.column_stack(columns)


def data(K):
    """Features of many sizes, one constant, one with few values."""
    X, y = blobs(n=100, d=5, K=K, seed=K)
    X[:, 1] = 1e6 * X[:, 1]
    X[:, 2] = 3.0
    X[:, 3] = np.round(X[:, 3])
    X[:, 4] = 1e-9 * X[:, 4]
    return X, y


@every_model
@pytest.mark.parametrize("K", [2, 4])
def test_the_text_reproduces_the_decision_function(name, K):
    X, y = data(K)
    model = clone(MODELS[name]).fit(X, y)
    names = ["height", "mass (kg)", "unit", "count of x", "x > y"]
    text = export_text(model, names, max_stumps=None, decimals=13)
    scores = block_scores(text, names, X)
    if isinstance(model, AdaBoostMO):
        assert scores.shape[1] == model.code_.shape[1]
        if model.decoding == "hamming":
            scores = np.sign(scores) @ model.code_.T
        else:
            scores = -np.log(np.exp(-scores[:, None, :] * model.code_[None]).sum(axis=2))
    if K == 2:
        scores = scores[:, 1] - scores[:, 0]
    np.testing.assert_allclose(scores, model.decision_function(X), rtol=1e-9, atol=1e-9)


@every_model
def test_lines_are_sorted_distinct_and_named_after_their_class(name):
    X, y = data(3)
    model = clone(MODELS[name]).fit(X, np.array(["bird", "cat", "dog"])[y])
    blocks = read(export_text(model, max_stumps=None, decimals=13))
    for _, _, stumps in blocks:
        weights = [abs(weight) for weight, _, _ in stumps]
        assert weights == sorted(weights, reverse=True)
        assert len({stump[1:] for stump in stumps}) == len(stumps)
    titles = [title for title, _, _ in blocks]
    if name == "mo":
        assert titles == [
            "bit 0, classes bird against cat, dog",
            "bit 1, classes bird, cat against dog",
            "bit 2, classes bird, dog against cat",
        ]
    elif name != "mo-hamming":
        assert titles == ["class bird", "class cat", "class dog"]


def test_only_the_largest_are_shown_and_the_others_counted():
    iris = load_iris(as_frame=True)
    model = MultiBoostCW(max_iter=20, random_state=0).fit(iris.data, iris.target)
    text = export_text(model, max_stumps=2, decimals=1)
    assert re.search(r"petal length \(cm\) > [\d.]+, else", text)
    whole = read(export_text(model, max_stumps=None, decimals=6))
    for (_, _, stumps), block in zip(whole, text.split("class ")[1:], strict=True):
        lines = block.splitlines()
        assert len(lines) == 1 + min(len(stumps), 3)
        if len(stumps) > 2:
            assert lines[-1] == f"|   {len(stumps) - 2} more, up to {abs(stumps[2][0]):.1f}"
    assert ">" not in export_text(model, max_stumps=0)


def test_stumps_of_all_features_constant_leave_the_constant():
    model = MultiBoostCW(max_iter=50, objective_tol=0, random_state=0)
    model.fit([[1.0]] * 6, list("abbbbc"))
    # A round without a new stump ends the fit.
    assert (model.stop_reason_, model.n_iter_ <= 4) == ("optimal", True)
    blocks = read(export_text(model))
    assert [stumps for _, _, stumps in blocks] == [[], [], []]
    assert blocks[1][1] > max(blocks[0][1], blocks[2][1])
    assert model.feature_importances_.tolist() == [0.0]


def test_objects_other_than_fitted_boosters_are_refused():
    X, y = data(3)
    with pytest.raises(TypeError, match="DecisionTreeClassifier is not a booster"):
        export_text(DecisionTreeClassifier().fit(X, y))
    with pytest.raises(NotFittedError):
        export_text(AdaBoostMH())
    with pytest.raises(NotFittedError, match="not fitted yet"):
        AdaBoostMH().feature_importances_  # noqa: B018
    model = AdaBoostMH(max_iter=3).fit(X, y)
    with pytest.raises(ValueError, match="feature_names has 2 names; the model has 5 features"):
        export_text(model, ["a", "b"])
    with pytest.raises(ValueError, match="max_stumps=-1"):
        export_text(model, max_stumps=-1)


@every_model
def test_importances_are_the_shares_of_the_weights(name):
    X, y = data(4)
    model = clone(MODELS[name]).fit(X, y)
    expected = np.zeros(5)
    for _, _, stumps in read(export_text(model, max_stumps=None, decimals=13)):
        for weight, feature, _ in stumps:
            expected[int(feature[1:])] += abs(weight)
    importances = model.feature_importances_
    np.testing.assert_allclose(importances, expected / expected.sum(), atol=1e-9)
    assert importances.sum() == pytest.approx(1.0)
    assert importances[2] == 0.0


def test_stumps_that_cancel_are_neither_shown_nor_important():
    X, y = data(3)
    model = MultiBoostCW(max_iter=2, random_state=0).fit(X, y)
    model.stumps_[3:] = model.stumps_[:3]
    model.stumps_["polarity"][3:] *= -1
    model.coef_[:] = [1.0, 2.0, 3.0] * 2
    assert [stumps for _, _, stumps in read(export_text(model))] == [[], [], []]
    assert model.feature_importances_.tolist() == [0.0] * 5
    np.testing.assert_array_equal(model.decision_function(X), np.zeros((100, 3)))


def test_numbers_have_the_digits_asked_for():
    model = AdaBoostMH(max_iter=1).fit([[0.0], [10.246913578]], [0, 1])
    lines = export_text(model).splitlines()
    assert lines[0] == "class 0: 1 stump, constant +0.000"
    assert lines[1] == "|   -6.908 if x0 > 5.123457, else +6.908"
    assert "-6.9 if x0 > 5.1235, else +6.9" in export_text(model, decimals=1)
