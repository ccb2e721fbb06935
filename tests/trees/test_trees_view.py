"""A fitted tree as text and as a picture."""

import re

import numpy as np
import pandas as pd
import pytest
import reference
from sklearn.exceptions import NotFittedError

from boostbench.trees import OptimalRegressionTree, SoftRegressionTree, export_text, plot

NAMES = ["age", "height", "mass", "speed"]


@pytest.fixture(scope="module")
def data():
    return reference.friedman(np.random.default_rng(0), 120, 4)


@pytest.fixture(scope="module")
def tree(data):
    return SoftRegressionTree(2, max_iter=3, random_state=0).fit(*data)


@pytest.fixture
def hand_made():
    model = SoftRegressionTree(1, max_iter=0, random_state=0).fit(np.eye(4)[:, :2], np.arange(4.0))
    model.branch_coef_ = np.array([[-0.5, 4.0, -1.0]])
    model.leaf_coef_ = np.array([[1.0, 0.0, 2.0], [-3.25, 0.125, 0.0]])
    return model


def test_text_of_a_tree_known_by_heart(hand_made):
    assert export_text(hand_made) == "\n".join(
        [
            "node 1: if -0.50 + 2.00 x0 - 0.50 x1 >= 0",
            "|   leaf 2: y = 1.00 + 2.00 x1",
            "node 1: else",
            "|   leaf 3: y = -3.25 + 0.12 x0",
        ]
    )


def test_text_shows_the_largest_terms_and_follows_the_heap(tree):
    lines = export_text(tree, NAMES, max_terms=1, decimals=1).splitlines()
    assert [line.strip("| ").split(":")[0] for line in lines] == [
        *("node 1", "node 2", "leaf 4", "node 2", "leaf 5"),
        *("node 1", "node 3", "leaf 6", "node 3", "leaf 7"),
    ]
    (slope,) = [name for name in NAMES if name in lines[0]]
    assert re.fullmatch(rf"node 1: if -?\d+\.\d [+-] \d+\.\d {slope} \+ \.\.\. >= 0", lines[0])


def test_names_come_from_the_data_frame_or_the_caller(data):
    frame = pd.DataFrame(data[0], columns=NAMES)
    model = SoftRegressionTree(1, max_iter=1, random_state=0).fit(frame, data[1])
    assert "speed" in export_text(model)
    assert "wind" in export_text(model, ["wind", "b", "c", "d"])
    assert "speed" not in export_text(model, np.array(["wind", "b", "c", "d"]))


def test_the_picture_has_every_node_and_both_answers(tree, axes):
    assert plot(tree, NAMES, ax=axes) is axes
    words = _words(axes)
    for node in ("node 1", "node 2", "node 3", "leaf 4", "leaf 5", "leaf 6", "leaf 7"):
        assert sum(w.startswith(node + "\n") for w in words) == 1
    assert words.count("yes") == words.count("no") == 3
    assert not any("%" in w for w in words)


@pytest.mark.parametrize("show", [export_text, plot])
def test_wrong_names_and_unfitted_trees_are_refused(show, tree):
    with pytest.raises(ValueError, match="3 names; the tree has 4 features"):
        show(tree, NAMES[:3])
    with pytest.raises(NotFittedError):
        show(SoftRegressionTree())


@pytest.fixture
def axes():
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    yield plt.subplots()[1]
    plt.close("all")


def _words(ax):
    return [t.get_text() for t in ax.texts]


def _boxes(ax):
    """Return the frames of the boxes by the names of their nodes."""
    return {
        t.get_text().split("\n")[0]: t.get_bbox_patch().get_window_extent()
        for t in ax.texts
        if t.get_text().startswith(("node", "leaf"))
    }


def _clashes(boxes):
    names = sorted(boxes)
    return [(a, b) for a in names for b in names if a < b and boxes[a].overlaps(boxes[b])]


@pytest.mark.usefixtures("axes")
@pytest.mark.parametrize("own", [True, False])
def test_boxes_are_wide_enough_for_their_text_and_apart_however_long_it_is(data, own):
    import matplotlib.pyplot as plt

    model = SoftRegressionTree(3, max_iter=2, random_state=0).fit(*data)
    names = [f"a_rather_long_name_of_feature_{name}" for name in NAMES]
    given = None if own else plt.subplots(figsize=(9, 6))[1]
    ax = plot(model, names, X=data[0], max_terms=4, ax=given)
    ax.figure.canvas.draw()
    boxes = _boxes(ax)
    assert len(boxes) == 15
    assert _clashes(boxes) == []
    for text in ax.texts:
        if text.get_bbox_patch() is not None:
            inside, frame = text.get_window_extent(), text.get_bbox_patch().get_window_extent()
            assert frame.x0 <= inside.x0
            assert inside.x1 <= frame.x1
    whole = ax.get_window_extent()
    assert all(whole.x0 <= b.x0 and b.x1 <= whole.x1 for b in boxes.values())
    assert all(whole.y0 <= b.y0 and b.y1 <= whole.y1 for b in boxes.values())


def test_leaves_have_the_number_of_samples_and_their_mean(tree, data, axes):
    X, y = data
    plot(tree, NAMES, X=X, y=y, ax=axes)
    leaves = tree.apply(X)
    for leaf in np.unique(leaves):
        lines = next(w for w in _words(axes) if w.startswith(f"leaf {leaf}\n")).split("\n")
        own = y[leaves == leaf]
        assert lines[-3] == f"n = {len(own)}"
        assert float(lines[-2].removeprefix("mean ").replace("\u2212", "-")) == pytest.approx(
            own.mean(), rel=5e-3
        )
    assert not any("n = " in w for w in _words(axes) if w.startswith("node"))


def test_a_target_without_samples_or_of_another_length_is_refused(tree, data, axes):
    with pytest.raises(ValueError, match="there is no X"):
        plot(tree, NAMES, y=data[1], ax=axes)
    with pytest.raises(ValueError, match=r"\(5,\); X has 120 samples"):
        plot(tree, NAMES, X=data[0], y=data[1][:5], ax=axes)


@pytest.fixture
def hard():
    x = np.linspace(0.0, 1.0, 21)
    X = np.column_stack([x, np.tile([0.0, 1.0, 2.0], 7)])
    y = np.where(x < 0.5, 3.0, 10.0 - 4.0 * X[:, 1])
    return OptimalRegressionTree(2, l1=1e-9, n_restarts=2, random_state=0).fit(X, y), X


def test_text_of_a_hard_tree_known_by_heart(hard):
    assert export_text(hard[0], ["age", "mass"]) == "\n".join(
        [
            "node 1: if age < 0.475",
            "|   leaf 2: y = 3.00",
            "node 1: else",
            "|   leaf 3: y = 10.00 - 4.00 mass",
        ]
    )


def test_text_of_a_hard_tree_with_several_features_in_a_split(data):
    X = data[0]
    y = np.where(X @ [1.0, 0.5, 0.0, -0.7] < 0.4, 1.0, 3.0)
    tree = OptimalRegressionTree(1, "hyperplane", n_restarts=1, random_state=0).fit(X, y)
    assert (tree.feature_[1], np.count_nonzero(tree.split_coef_[1]) > 1) == (-2, True)
    first = export_text(tree, NAMES, max_terms=9, decimals=6).splitlines()[0]
    terms = first.removeprefix("node 1: if ").split(" < ")[0].replace("- ", "-").replace("+ ", "")
    pairs = dict(zip(terms.split()[1::2], map(float, terms.split()[::2]), strict=True))
    for name, weight in zip(NAMES, tree.split_coef_[1], strict=True):
        assert pairs.get(name, 0.0) == pytest.approx(weight, abs=1e-6)
    assert float(first.split(" < ")[1]) == pytest.approx(tree.threshold_[1], rel=1e-5)


def test_a_tree_without_a_split_is_one_leaf():
    tree = OptimalRegressionTree(2, random_state=0).fit(np.ones((4, 2)), np.full(4, 2.0))
    assert export_text(tree) == "leaf 1: y = 2.00"
    assert [text.get_text() for text in plot(tree).texts] == ["leaf 1\ny = 2.00"]


def test_a_picture_of_a_hard_tree_has_its_nodes_and_their_shares(hard):
    tree, X = hard
    texts = [text.get_text() for text in plot(tree, ["age", "mass"], X=X).texts]
    boxes = [text for text in texts if text.startswith(("node", "leaf"))]
    assert len(boxes) == tree.n_leaves_ + tree.n_splits_
    assert "node 1\nage\n< 0.475\n100 %" in boxes
    assert "leaf 2\ny = 3.00\nn = 10\nmean prediction 3\n48 %" in boxes
