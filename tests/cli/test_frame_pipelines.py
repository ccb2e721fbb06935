"""Pipelines on frames beside a tree of the project: bit for bit what their libraries give alone."""

import hashlib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from threadpoolctl import threadpool_limits

from boostbench.plan.trial import Trial
from boostbench.store.store import Store
from results import rows

MODULE = '''
import hashlib

from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

def encoded(handle_unknown="ignore", model=None):
    columns = make_column_transformer(
        (OneHotEncoder(handle_unknown=handle_unknown), ["city"]), (StandardScaler(), ["size"])
    )
    return make_pipeline(columns, model or Ridge())

def strict():
    return encoded("error")

def by_mass():
    return make_pipeline(make_column_transformer((StandardScaler(), ["bmi"])), Ridge())

def classifier():
    return encoded(model=LogisticRegression())

def bits(estimator, X, y):
    """Return a number that tells predictions apart by their bits."""
    predicted = estimator.predict(X)
    return float(int(hashlib.sha256(predicted.tobytes()).hexdigest()[:12], 16))

def cities(estimator, X, y):
    """Return a number that only rows of a frame give."""
    return float((X["city"] == "oslo").sum() + len(estimator.feature_names_in_))
'''
LIBRARIES = """
methods:
  - {name: pipe, estimator: "models_on_frames:encoded"}
  - {name: hgb, estimator: sklearn.ensemble.HistGradientBoostingRegressor, params: {max_iter: 20, categorical_features: from_dtype}}
"""  # noqa: E501
METHODS = (
    LIBRARIES
    + """\
  - {name: srt_l2, params: {depth: 1}}
  - {name: lgbm, estimator: lightgbm.LGBMRegressor, params: {n_estimators: 20, verbose: -1}}
  - {name: xgb, estimator: xgboost.XGBRegressor, params: {n_estimators: 20, enable_categorical: true}}
  - {name: knn, estimator: sklearn.neighbors.KNeighborsRegressor, input: matrix}
"""  # noqa: E501
)


@pytest.fixture
def table(folder: Path) -> pd.DataFrame:
    """A table with texts, truth values and gaps, as ``homes.csv``, and pipelines beside it."""
    rng = np.random.default_rng(7)
    n = 240
    cities = np.array(["rome", "oslo", "bern", "graz"])[rng.integers(0, 4, n)]
    made = pd.DataFrame(
        {
            "size": rng.random(n).round(3),
            "city": cities,
            "kind": np.array(["x", "y"])[rng.integers(0, 2, n)],
            "age": rng.integers(0, 90, n).astype(float),
        }
    )
    made["price"] = 100 + 50 * made["size"] + 9 * (made.city == "oslo") + 3 * rng.random(n)
    made["sold"] = np.where(made.price + 20 * rng.random(n) > 140, "yes", "no")
    made.loc[rng.random(n) < 0.2, "age"] = np.nan
    made.loc[rng.random(n) < 0.1, "kind"] = np.nan
    made.to_csv(folder / "homes.csv", index=False)
    (folder / "models_on_frames.py").write_text(MODULE)
    return made


def frame_of(table: pd.DataFrame, *left_out: str) -> pd.DataFrame:
    """Return the features as scikit-learn's users have them: texts as categories."""
    frame = table.drop(columns=list(left_out))
    return frame.assign(
        **{
            name: pd.Categorical(frame[name], sorted(frame[name].dropna().unique()))
            for name in ("city", "kind")
            if name in frame
        }
    )


def write(name: str, data: str, methods: str, more: str = "") -> str:
    Path(f"{name}.yaml").write_text(
        f"name: {name}\ndatasets:\n"
        f"  - {{file: homes.csv, features: frame, missing: keep, {data}}}\n"
        f"{methods}\nfolds: 4\nseeds: 1\n{more}"
    )
    return f"{name}.yaml"


def refused(cli, config: str) -> str:
    """Return the error of an experiment that is wrong, without the remarks on its data."""
    done = cli("check", config)
    assert done.code == 2
    return done.err[done.err.index("error: ") :]


def trials_of(name: str) -> list[Trial]:
    with Store.read(Path("results", name)) as store:
        return list(store.plan())


def bits(predicted: NDArray[np.generic]) -> float:
    return float(int(hashlib.sha256(predicted.tobytes()).hexdigest()[:12], 16))


def alone(name: str, seed: int) -> object:
    """Return a model as its library has it."""
    if name == "pipe":
        return pipeline(Ridge())
    if name == "hgb":
        return HistGradientBoostingRegressor(
            max_iter=20, categorical_features="from_dtype", random_state=seed
        )
    if name == "lgbm":
        import lightgbm

        return lightgbm.LGBMRegressor(n_estimators=20, verbose=-1, random_state=seed, n_jobs=1)
    import xgboost

    return xgboost.XGBRegressor(
        n_estimators=20, enable_categorical=True, random_state=seed, n_jobs=1
    )


def pipeline(model: Ridge | LogisticRegression) -> Pipeline:
    columns = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), ["city"]), (StandardScaler(), ["size"])
    )
    return make_pipeline(columns, model)


def test_pipelines_agree_with_their_libraries_to_the_last_bit(cli, table) -> None:
    pytest.importorskip("xgboost")
    pytest.importorskip("lightgbm")
    more = "metrics: [{name: bits, function: 'models_on_frames:bits'}]\n"
    config = write("homes", "target: price, drop: [sold]", METHODS, more)
    assert "is right" in cli.well("check", config).out
    cli.well("run", config, "-j", "1")
    recorded = {(row["method"], int(row["fold"])): row for row in rows("results/homes")}
    X, y = frame_of(table, "price", "sold"), table.price.to_numpy()
    splits = list(KFold(4, shuffle=True, random_state=0).split(X))
    compared = 0
    for trial in trials_of("homes"):
        row = recorded[trial.method, trial.fold]
        assert row["status"] == "ok", row["reason"]
        assert trial.units == "original"
        if trial.features == "matrix":
            assert trial.method in ("srt_l2", "knn")
            continue
        train, test = splits[trial.fold]
        model = alone(trial.method, trial.random_state)
        with threadpool_limits(1):
            parts = X.iloc[train].reset_index(drop=True), X.iloc[test].reset_index(drop=True)
            predicted = model.fit(parts[0], y[train]).predict(parts[1])
        assert float(row["bits"]) == bits(predicted), trial.name
        residual = y[test] - np.asarray(predicted, np.float64)
        assert float(row["rmse"]) == np.sqrt(np.mean(residual * residual))
        compared += 1
    assert compared == 16
    # Those with matrices are in the same unit: no scaled error is near these.
    assert float(recorded["srt_l2", 0]["rmse"]) > 0.5
    assert float(recorded["srt_l2", 0]["rmse"]) < table.price.std()
    text = Path("results/homes/table.md").read_text()
    assert "`pipe`, `hgb`, `lgbm` and `xgb` got the columns as a frame, unscaled" in text
    assert "`srt_l2` and `knn` got a matrix of numbers" in text
    assert "All are scored in the target’s own unit." in text


@pytest.mark.end_to_end
def test_a_worker_process_gets_the_same_frame(cli, table) -> None:
    more = "metrics: [{name: bits, function: 'models_on_frames:bits'}]\n"
    config = write("homes", "target: price, drop: [sold]", LIBRARIES, more)
    found = []
    for words in (["-j", "1"], ["--in-process", "--again"]):
        cli.run_only(config, *words, "--only", "fold=0")
        trials = [row for row in rows("results/homes") if row["status"] == "ok"]
        found.append({row["method"]: row["bits"] for row in trials})
    assert set(found[0]) == {"pipe", "hgb"}
    assert found[0] == found[1]


def test_a_classifier_on_a_frame_has_probabilities_and_scorers(cli, table) -> None:
    methods = 'methods: [{name: pipe, estimator: "models_on_frames:classifier"}]'
    more = "metrics: [neg_log_loss, {name: cities, function: 'models_on_frames:cities'}]\n"
    data = "target: sold, task: classification, drop: [price]"
    cli.run_only(write("sold", data, methods, more), "-j", "1")
    X = frame_of(table, "price", "sold")
    y = (table.sold == "yes").to_numpy().astype(np.int64)
    splits = list(StratifiedKFold(4, shuffle=True, random_state=0).split(X, y))
    for row in rows("results/sold"):
        train, test = splits[int(row["fold"])]
        model = pipeline(LogisticRegression()).fit(X.iloc[train], y[train])
        area = roc_auc_score(y[test], model.predict_proba(X.iloc[test])[:, 1])
        assert float(row["roc_auc"]) == area
        assert float(row["neg_log_loss"]) == pytest.approx(-float(row["log_loss"]), rel=1e-9)
        assert float(row["cities"]) == (X.iloc[test].city == "oslo").sum() + X.shape[1]


def test_a_level_that_a_pipeline_does_not_know_fails_only_its_trial(cli, table) -> None:
    table.loc[17, "city"] = "ulm"
    table.to_csv("homes.csv", index=False)
    methods = """methods:
  - {name: strict, estimator: "models_on_frames:strict"}
  - {name: pipe, estimator: "models_on_frames:encoded"}
"""
    config = write("rare", "target: price, drop: [sold]", methods)
    # All levels are known where the same rows are trained and predicted.
    cli.well("check", config)
    assert cli("run", config, "-j", "1").code != 0
    found = {(row["method"], int(row["fold"])): row for row in rows("results/rare")}
    splits = KFold(4, shuffle=True, random_state=0).split(table)
    (rare,) = [fold for fold, (_, test) in enumerate(splits) if 17 in test]
    for fold in range(4):
        assert found["pipe", fold]["status"] == "ok"
        assert found["strict", fold]["status"] == ("error" if fold == rare else "ok")
    assert (
        "Found unknown categories ['ulm'] in column 0 during transform"
        in (found["strict", rare]["reason"])
    )


CANNOT = {
    "knn": "ValueError: Input contains NaN;",
    "srt_l2": "ValueError: could not convert string",
}


@pytest.mark.parametrize("label", CANNOT)
def test_check_names_estimators_that_cannot_take_a_frame(cli, table, label) -> None:
    methods = """methods:
  - {name: srt_l2, params: {depth: 1}%s}
  - {name: pipe, estimator: "models_on_frames:encoded"}
  - {name: knn, estimator: sklearn.neighbors.KNeighborsRegressor%s}
"""
    given = {
        "srt_l2": (", input: frame", ", input: matrix"),
        "knn": ("", ""),
    }[label]
    text = refused(cli, write("x", "target: price, drop: [sold]", methods % given))
    assert CANNOT[label] in text
    assert f"a trial fit of '{label}' on some rows of the data set 'homes'" in text
    assert "with 'input: matrix' it gets scaled numbers, and works" in text
    assert "'pipe'" not in text
    right = ("", ", input: matrix")
    cli.well("check", write("x", "target: price, drop: [sold]", methods % right))


PIPE = "{name: pipe, estimator: 'models_on_frames:encoded'}"
KNN = "{name: knn, estimator: sklearn.neighbors.KNeighborsRegressor}"


def test_check_proposes_a_frame_to_a_pipeline_that_names_columns(cli, table) -> None:
    data = "{file: homes.csv, target: price, drop: [sold], %s}"

    def written(keys: str, *methods: str) -> str:
        listed = ", ".join(methods)
        text = f"name: x\ndatasets: [{data % keys}]\nmethods: [{listed}]\nfolds: 4\nseeds: 1\n"
        Path("x.yaml").write_text(text)
        return "x.yaml"

    matrix = "categorical: auto, missing: median"
    text = refused(cli, written(matrix, PIPE, KNN))
    assert "a trial fit of 'pipe' on the data set 'homes': ValueError: Specifying the col" in text
    assert (
        "with a frame it works: add 'features: frame' and 'missing: keep' to the data set 'homes', "
        "and 'input: matrix' to 'knn'"
    ) in text
    right = KNN.replace("}", ", input: matrix}")
    cli.well("check", written("features: frame, missing: keep", PIPE, right))
    # What fails on a frame too has no such remedy.
    text = refused(cli, written(matrix, PIPE.replace("encoded", "by_mass")))
    assert "Specifying the col" in text
    assert "with a frame" not in text


def test_check_tries_frames_of_cards(cli, table) -> None:
    methods = "methods: [{name: pipe, estimator: 'models_on_frames:by_mass'}]\nfolds: 3"
    card = "name: x\ndatasets: [{card: diabetes%s}]\n" + methods
    Path("x.yaml").write_text(card % "")
    text = refused(cli, "x.yaml")
    assert "add 'features: frame' to the data set 'diabetes'" in text
    Path("x.yaml").write_text(card % ", features: frame")
    cli.well("check", "x.yaml")
    Path("x.yaml").write_text((card % ", features: frame").replace(":by_mass", ":encoded"))
    assert "a trial fit of 'pipe' on some rows of the data set 'diabetes'" in refused(cli, "x.yaml")


def test_gaps_alone_are_refused_by_check_with_the_librarys_own_line(cli, table) -> None:
    ridge = "methods: [{name: ridge, estimator: sklearn.linear_model.Ridge}]"
    text = refused(cli, write("x", "target: price, drop: [sold, city, kind]", ridge))
    assert "ValueError: Input X contains NaN.;" in text
    cli.well("check", write("x", "target: price, drop: [sold, city, kind, age]", ridge))


def test_the_only_gap_of_a_large_table_is_among_the_rows_that_check_tries(cli, folder) -> None:
    rng = np.random.default_rng(0)
    made = pd.DataFrame({"a": rng.random(3000), "b": rng.random(3000), "price": rng.random(3000)})
    made.loc[1234, "b"] = np.nan
    made.to_csv("homes.csv", index=False)
    methods = "methods: [{estimator: sklearn.linear_model.Ridge%s}]"
    assert "Input X contains NaN" in refused(cli, write("x", "target: price", methods % ""))
    cli.well("check", write("x", "target: price", methods % ", input: matrix"))


def test_a_metric_that_needs_names_of_columns_is_tried_on_a_frame(cli, table) -> None:
    Path("metrics_by_name.py").write_text(
        "def in_oslo(estimator, X, y):\n"
        "    return float(abs(y - estimator.predict(X))[X['city'] == 'oslo'].mean())\n"
    )
    methods = 'methods: [{name: pipe, estimator: "models_on_frames:encoded"}]'
    more = "metrics: [{name: oslo, function: 'metrics_by_name:in_oslo'}]\n"
    done = cli.well("check", write("x", "target: price, drop: [sold]", methods, more))
    assert "not known to be right" not in done.err
    wrong = more.replace("in_oslo", "in_bern")
    assert "in_bern" in refused(cli, write("x", "target: price, drop: [sold]", methods, wrong))


def test_input_without_a_frame_has_no_effect_and_is_refused(cli, table) -> None:
    Path("x.yaml").write_text(
        "name: x\ndatasets: [{file: homes.csv, target: price, drop: [sold, kind, city, age]}]\n"
        "methods:\n  - {estimator: sklearn.linear_model.Ridge, input: frame}\n"
    )
    text = cli.refused("check", "x.yaml")
    assert "x.yaml:4:52: 'Ridge' can get no frame, as no data set has one" in text
    assert "add 'features: frame' to a data set" in text


def test_both_forms_share_rows_and_seeds(cli, table) -> None:
    methods = """methods:
  - {name: framed, estimator: sklearn.dummy.DummyRegressor}
  - {name: scaled, estimator: sklearn.dummy.DummyRegressor, input: matrix}
"""
    cli.run_only(write("x", "target: price, drop: [sold]", methods), "-j", "1")
    trials = {(trial.method, trial.fold): trial for trial in trials_of("x")}
    scores = {(row["method"], int(row["fold"])): row for row in rows("results/x")}
    for fold in range(4):
        framed, scaled = trials["framed", fold], trials["scaled", fold]
        assert framed.fingerprint == scaled.fingerprint
        assert framed.random_state == scaled.random_state
        assert framed.key != scaled.key
        errors = [float(scores[name, fold]["rmse"]) for name in ("framed", "scaled")]
        assert errors[0] == pytest.approx(errors[1], rel=1e-12)
