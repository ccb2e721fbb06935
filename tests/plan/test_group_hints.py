"""Columns that look like groups are named by ``check``, and quantities are not."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from boostbench.data import kfold_indices
from boostbench.data.access import default_access
from boostbench.data.cards import Catalog
from boostbench.data.dataset import Dataset, fingerprint
from boostbench.data.loading import load_dataset
from boostbench.data.request import DataRequest
from boostbench.plan.group_hints import group_hint

N = 200
RNG = np.random.default_rng(5)
CODES = RNG.permutation(np.repeat(np.arange(40), 5))
EFFECT = RNG.normal(size=40)[CODES]
NOISE = RNG.normal(size=N)


def made(name: str, values: np.ndarray, y: np.ndarray, classes: bool = False) -> Dataset:
    X = np.column_stack([values, RNG.normal(size=N)]).astype(np.float64)
    task = "classification" if classes else "regression"
    y = (y > 0).astype(np.int64) if classes else y
    names = (name, "x")
    return Dataset("toy", X, y, names, "t", task, fingerprint(X, y), "made", ("a", "b") * classes)


def hint(dataset: Dataset) -> str:
    return group_hint(dataset, kfold_indices(N, 4, 0, 0))


@pytest.mark.parametrize(
    ("dataset", "is_named"),
    [
        # Its values count something, and targets differ by it.
        (made("c", CODES, EFFECT + 0.3 * NOISE), True),
        (made("c", CODES, EFFECT + 0.1 * NOISE, classes=True), True),
        (made("c", CODES, NOISE), False),
        # The name says it, whatever the numbers are.
        (made("customer_id", 1000 + 17 * CODES, NOISE), True),
        (made("patient", CODES, NOISE), True),
        (made("width", 1000 + 17 * CODES, EFFECT + 0.3 * NOISE), False),
        # A quantity: targets change little from one value to the next.
        (made("age", CODES, 0.1 * CODES + NOISE), False),
        # Many rows per level, few levels, one row per level.
        (made("patient", CODES % 5, EFFECT), False),
        (made("patient", CODES % 9, EFFECT), False),
        (made("patient", np.arange(N), NOISE), False),
        (made("patient", CODES + 0.5, EFFECT), False),
        # It is a group already.
        (replace(made("patient", CODES, EFFECT), groups=CODES), False),
    ],
)
def test_groups_and_quantities(dataset: Dataset, is_named: bool) -> None:
    text = hint(dataset)
    assert bool(text) == is_named
    if is_named:
        name = dataset.feature_names[0]
        assert text.startswith(f"toy: '{name}' (5.0 rows per value) looks like a group of rows")
        assert f"add 'group: {name}' to the data set" in text


def test_categories_are_looked_at_in_frames_and_one_hot() -> None:
    texts = np.array([f"level {code}" for code in CODES])
    one_hot = pd.get_dummies(pd.Series(texts, name="where"), prefix="where", prefix_sep="=")
    base = made("c", np.zeros(N), EFFECT + 0.3 * NOISE)
    matrix = replace(base, X=one_hot.to_numpy(float), feature_names=tuple(one_hot.columns))
    frame = pd.DataFrame({"where": pd.Categorical(texts), "x": NOISE, "gaps": CODES * 1.0})
    frame.loc[3, "gaps"] = np.nan
    for dataset in (matrix, replace(base, frame=frame)):
        assert "'where' (5.0 rows per value) looks like a group" in hint(dataset)
    assert not hint(replace(matrix, y=NOISE))


@pytest.mark.parametrize(("more", "is_named"), [(498, True), (499, False)])
def test_tables_of_very_many_columns_are_not_looked_at(more: int, is_named: bool) -> None:
    base = made("patient", CODES, EFFECT)
    names = (*base.feature_names, *(f"x{n}" for n in range(more)))
    X = np.column_stack([base.X, RNG.normal(size=(N, more))])
    assert bool(hint(replace(base, X=X, feature_names=names))) == is_named


def test_a_split_that_divides_no_level_is_well() -> None:
    dataset = made("patient", CODES, EFFECT)
    train, test = np.flatnonzero(CODES < 30), np.flatnonzero(CODES >= 30)
    assert not group_hint(dataset, (train, test))
    assert hint(dataset)


@pytest.mark.parametrize(
    "name", ["diabetes", "iris", "wine", "digits", "breast_cancer", "friedman1"]
)
def test_data_sets_of_papers_have_no_such_column(name: str) -> None:
    catalog = Catalog(Path())
    request = DataRequest(name=name, card=name, task=catalog.card(name).task, catalog=catalog)
    dataset = load_dataset(request, default_access(offline=True))
    assert not group_hint(dataset, kfold_indices(len(dataset.y), 4, 0, 0))
