"""The weights of rows: which fits get them, and who is refused."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge
from sklearn.metrics import r2_score
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from boostbench.sample_weights import weight_parameter
from results import rows

KNN = "{name: knn, estimator: sklearn.neighbors.KNeighborsRegressor}"
RIDGE = "{name: ridge, estimator: sklearn.linear_model.Ridge, input: matrix}"


@pytest.fixture
def table(folder: Path) -> pd.DataFrame:
    """A table with a column of weights, as ``table.csv``."""
    rng = np.random.default_rng(2)
    made = pd.DataFrame({"a": rng.random(80), "b": rng.random(80), "w": rng.integers(0, 4, 80)})
    made["y"] = made.a * np.where(made.w > 1, 3.0, -1.0) + 0.1 * rng.random(80)
    made.to_csv(folder / "table.csv", index=False)
    return made


def write(name: str, *methods: str, data: str = "weights: w") -> str:
    Path(f"{name}.yaml").write_text(
        f"name: {name}\ndatasets:\n  - {{file: table.csv, target: y, {data}}}\n"
        f"methods: [{', '.join(methods)}]\nfolds: 4\nseeds: 1\n"
    )
    return f"{name}.yaml"


@pytest.mark.parametrize("command", ["check", "run"])
def test_methods_that_take_no_weights_are_refused_by_name(cli, table, command) -> None:
    text = cli.refused(command, write("x", RIDGE, KNN))
    assert "x.yaml:3:" in text
    assert "'knn' takes no sample_weight in fit" in text
    assert "'weights_ignored_by: [knn]'" in text
    assert not Path("results").exists()


def test_methods_that_are_meant_to_ignore_them_are_fitted_without(cli, table) -> None:
    cli.well("run", write("x", RIDGE, KNN, data="weights: w, weights_ignored_by: [knn]"), "-j", "1")
    found = {(row["method"], int(row["fold"])): row for row in rows("results/x")}
    for fold, (train, test) in enumerate(KFold(4, shuffle=True, random_state=0).split(table)):
        part, tested = table.iloc[train], table.iloc[test]
        low = part[["a", "b"]].to_numpy().min(axis=0)
        X = (table[["a", "b"]].to_numpy() - low) / (part[["a", "b"]].to_numpy() - low).max(axis=0)
        y = (table.y - part.y.mean()) / part.y.std(ddof=0)
        for name, model, weights in (
            ("ridge", Ridge(), {"sample_weight": part.w.to_numpy(float)}),
            ("knn", KNeighborsRegressor(), {}),
        ):
            predicted = model.fit(X[train], y[train], **weights).predict(X[test])
            expected = r2_score(y[test], predicted)
            assert float(found[name, fold]["r2"]) == pytest.approx(expected, rel=1e-9)
        assert len(tested) == 20
    assert {row["weighted"] for row in found.values() if row["method"] == "ridge"} == {"True"}
    text = Path("results/x/table.md").read_text()
    assert "the rows had the weights in w in fits of `ridge`" in text
    assert "`knn` ignored the weights in w, as was meant" in text


def test_names_that_are_to_ignore_weights_must_be_methods(cli, table) -> None:
    text = cli.refused("check", write("x", RIDGE, data="weights: w, weights_ignored_by: [rigde]"))
    assert "no method 'rigde' (did you mean 'ridge'?)" in text
    text = cli.refused("check", write("x", KNN, data="weights_ignored_by: [knn]"))
    assert "the data set 'table' has no weights to ignore" in text


def test_the_argument_of_fit_that_takes_weights() -> None:
    scaled = make_pipeline(StandardScaler(), Ridge())
    assert weight_parameter(Ridge()) == "sample_weight"
    assert weight_parameter(scaled) == "ridge__sample_weight"
    assert weight_parameter(GridSearchCV(scaled, {})) == "ridge__sample_weight"
    assert weight_parameter(make_pipeline(StandardScaler(), KNeighborsRegressor())) is None

    class Loose:
        steps = 3

        def fit(self, X, y, **more): ...

    assert weight_parameter(Loose()) is None
    assert weight_parameter(object()) is None
