"""Objects from Python are readable later: their class, their parameters, and what changed."""

import functools
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from from_python import Notes, command, reported_run, run
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestRegressor
from sklearn.feature_selection import SelectKBest, f_regression
from sklearn.impute import SimpleImputer
from sklearn.linear_model import Lasso, Ridge
from sklearn.model_selection import GridSearchCV, KFold, PredefinedSplit
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, OneHotEncoder, StandardScaler

from boostbench.objects.described import text_of
from boostbench.objects.digest import identify
from results import rows

pytestmark = pytest.mark.usefixtures("folder")


class Mine(RegressorMixin, BaseEstimator):
    """Predicts a constant; no worker can import a test."""

    def __init__(self, alpha=1.0, start=None, random_state=None):
        self.alpha = alpha
        self.start = start
        self.random_state = random_state

    def fit(self, X, y):
        self.value_ = np.mean(y) + self.alpha
        return self

    def predict(self, X):
        return np.full(len(X), self.value_)


class Kernel:
    pass


def doubled(X):
    return 2 * X


def test_objects_are_told_by_their_class_and_parameters():
    told = {
        # Of a class of the user's own all parameters, since its defaults may change.
        "Mine(alpha=2.0, start=None)": Mine(2.0),
        "Mine(alpha=0, start=None)": Mine(0),
        "Mine(alpha=0.0, random_state=3, start=None)": Mine(0.0, random_state=3),
        "Mine(alpha=1.0, start='a\\nb')": Mine(start="a\nb"),
        "Mine(alpha=1.0, start={'a', 'b'})": Mine(start={"b", "a"}),
        "Mine(alpha=1.0, start=(1,))": Mine(start=(1,)),
        "Mine(alpha=1.0, start=Ridge(alpha=3))": Mine(start=Ridge(alpha=3)),
        # Of an installed one those that are not defaults, in pipelines too.
        "Pipeline(StandardScaler(), Ridge(alpha=2.0))": make_pipeline(
            StandardScaler(), Ridge(alpha=2.0)
        ),
        "Pipeline(MinMaxScaler(), MinMaxScaler(clip=True), 'passthrough', Lasso())": make_pipeline(
            MinMaxScaler(), MinMaxScaler(clip=True), "passthrough", Lasso()
        ),
        "Pipeline(scale=StandardScaler(), Ridge(), memory='here')": Pipeline(
            [("scale", StandardScaler()), ("ridge", Ridge())], memory="here"
        ),
        "Pipeline(SimpleImputer(), SelectKBest(k=3, score_func=f_regression), Ridge())": (
            make_pipeline(SimpleImputer(), SelectKBest(f_regression, k=3), Ridge())
        ),
        "ColumnTransformer(transformers=[('num', StandardScaler(), ['a']), "
        "('cat', OneHotEncoder(), [2])])": ColumnTransformer(
            [("num", StandardScaler(), ["a"]), ("cat", OneHotEncoder(), [2])]
        ),
        "GridSearchCV(cv=KFold(n_splits=3), estimator=Ridge(), param_grid={'alpha': [1.0, 2.0]})": (
            GridSearchCV(Ridge(), {"alpha": [1.0, 2.0]}, cv=KFold(3))
        ),
        # Trials have one thread, and a seed that is not set is theirs.
        "RandomForestRegressor(max_depth=2)": RandomForestRegressor(max_depth=2, n_jobs=3),
        "FunctionTransformer(func=doubled)": FunctionTransformer(doubled),
        "partial(Mine, alpha=2)": functools.partial(Mine, alpha=2),
        "Mine": Mine,
        "doubled": doubled,
    }
    assert [text_of(value) for value in told.values()] == list(told)


@pytest.mark.parametrize(
    ("value", "other", "words"),
    [
        (np.eye(3), 2 * np.eye(3), "array(shape=(3, 3), digest=DIGEST)"),
        (
            pd.DataFrame({"a": [1]}),
            pd.DataFrame({"a": [2]}),
            "DataFrame(shape=(1, 1), digest=DIGEST)",
        ),
        ("x" * 300, "x" * 299 + "y", "'" + "x" * 79 + "… (302 characters, digest DIGEST)"),
        ([0] * 100, [0] * 99 + [1], "[" + "0, " * 26 + "0… (300 characters, digest DIGEST)"),
        (Kernel(), Ridge, "Kernel(digest=DIGEST)"),
        (
            PredefinedSplit([0, 1]),
            PredefinedSplit([1, 0]),
            "PredefinedSplit(test_fold=array(shape=(2,), digest=DIGEST))",
        ),
    ],
)
def test_long_values_are_shortened_and_arrays_are_shape_and_digest(value, other, words):
    text = text_of(value)
    assert re.sub(r"(?<=digest[= ])[0-9a-f]{8}", "DIGEST", text) == words
    assert text_of(value) == text
    assert text_of(other) != text


def test_a_long_pipeline_is_told_whole():
    text = text_of(make_pipeline(*(Mine(alpha=step, start="x" * 30) for step in range(9))))
    assert len(text) > 400
    assert all(f"alpha={step}, start='{'x' * 30}'" in text for step in range(9))


METHODS = {
    "mine": Mine(alpha=2.0),
    "pipe": make_pipeline(StandardScaler(), Ridge(alpha=7)),
    "chosen": {
        "estimator": make_pipeline(StandardScaler(), Ridge()),
        "params": {"ridge__fit_intercept": False},
        "choose": {"ridge__alpha": [1.0, 2.0]},
    },
}
TOLD = {
    "mine": "Mine(alpha=2.0, start=None)",
    "pipe": "Pipeline(StandardScaler(), Ridge(alpha=7))",
    "chosen": "Pipeline(StandardScaler(), Ridge(alpha=chosen, fit_intercept=False))",
}


def test_tables_page_commands_and_archive_tell_them(capsys):
    results = reported_run(datasets=["diabetes"], methods=METHODS, results="told")
    columns = results.trials.groupby("method")[["estimator", "method_version"]].first()
    assert columns["estimator"].to_dict() == TOLD
    # The address stays beside it.
    assert all(re.fullmatch("saved_[0-9a-f]{16}", text) for text in columns["method_version"])
    assert {row["method"]: row["estimator"] for row in rows("results/told")} == TOLD
    assert command("archive", "told") == 0
    assert command("report", "results/told/archive") == 0
    for name in ("table.html", "table.md", "archive/table.md"):
        text = Path("results/told", name).read_text()
        for words in TOLD.values():
            assert words in text, (name, words)
        assert ":Pipeline" not in text
    capsys.readouterr()
    for place in ("told", "results/told/archive"):
        assert command("show", "diabetes/pipe/0/0", place) == 0
        assert re.search(rf"estimator +{re.escape(TOLD['pipe'])}\n", capsys.readouterr().out)
    assert command("show", "diabetes/mine/0/0", "told", "--json") == 0
    assert json.loads(capsys.readouterr().out)["trials"][0]["estimator"] == TOLD["mine"]


def test_the_experiment_file_names_what_it_loads():
    run(datasets=["diabetes"], methods={**METHODS, "f": lambda: Ridge()}, results="told")
    text = Path("results/told/experiment.yaml").read_text()
    names = re.findall(r"estimator: \"saved_[0-9a-f]{16}:(\w+)\"", text)
    assert names == ["Mine", "Pipeline", "Pipeline", "stored"]


def question(methods) -> str:
    """Return the headline of a run of these methods."""
    results = reported_run(datasets=["diabetes"], methods=methods, folds=4)
    return (results.folder / "table.md").read_text().splitlines()[2]


def test_a_pipeline_of_installed_classes_is_no_own_code():
    pipe = make_pipeline(StandardScaler(), Ridge(alpha=7))
    asked = question({"mine": Mine(), "pipe": pipe, "ridge": Ridge()})
    assert "mine" in asked
    assert "better than pipe" in asked or "worse than pipe" in asked
    own_step = make_pipeline(FunctionTransformer(doubled), Ridge())
    assert question({"step": own_step, "pipe": pipe}).count("step") == 1
    assert identify(pipe, "it").code == ""
    assert identify(own_step, "it").code


def test_the_digest_of_code_is_that_of_any_parameters():
    codes = {identify(method, "it").code for method in (Mine(0), Mine(0.0), Mine(start={"a", 1}))}
    assert len(codes) == 1
    piped = {
        identify(make_pipeline(StandardScaler(), Mine(alpha), memory=memory), "it")
        for alpha, memory in ((1, None), (2, None), (2, "x"))
    }
    assert len({each.digest for each in piped}) == 3
    assert {each.code for each in piped} == codes


# -- what changed ----------------------------------------------------------------------------------


def changed(method) -> list[str]:
    """Run a method, and return what is said to have changed since its trials ran."""
    notes = Notes()
    run(datasets=["diabetes"], methods={"m": method}, results="changing", listener=notes)
    return [text.partition(" since ")[0] for text in notes.texts if " changed since " in text]


def with_source(constant: float, **params) -> Mine:
    """Return an object of a class whose source has a constant."""

    class Mine2(Mine):
        def fit(self, X, y):
            self.value_ = np.mean(y) + self.alpha * constant
            return self

    return Mine2(**params)


def test_a_parameter_that_changed_is_not_called_the_source():
    assert changed(with_source(2.0, alpha=0)) == []
    assert changed(with_source(2.0, alpha=0.0)) == [
        "m: its parameters (Mine2(alpha=0, start=None) before, Mine2(alpha=0.0, start=None) now) "
        "changed"
    ]
    assert changed(with_source(3.0, alpha=0.0)) == ["m: its source changed"]
    (both,) = changed(with_source(4.0, alpha=1.0))
    assert "its source" in both
    assert "Mine2(alpha=1.0, start=None) now" in both


def test_integers_and_floats_are_other_parameters_of_a_file_too(capsys):
    text = (
        "name: file\ndatasets: [diabetes]\nfolds: 2\nseeds: 1\n"
        "methods: [{name: ridge, estimator: sklearn.linear_model.Ridge, params: {alpha: 1}}]\n"
    )
    for alpha in ("1", "1.0"):
        Path("file.yaml").write_text(text.replace("alpha: 1", f"alpha: {alpha}"))
        capsys.readouterr()
        assert command("run", "file.yaml", "-j", "1") == 0
    assert "ridge: alpha changed since 2 trials of it ran" in capsys.readouterr().err


def means_before(name: str, capsys) -> tuple[float, float]:
    """Return the means of a method before the last edit and now."""
    capsys.readouterr()
    assert command("compare", f"{name}@before", name, "--json") == 0
    (cell,) = json.loads(capsys.readouterr().out)["cells"]
    return cell["a"], cell["b"]


def test_before_keeps_the_last_other_outcomes(capsys):
    def r2(method) -> float:
        trials = run(datasets=["diabetes"], methods={"m": method}, results="edits").trials
        return trials["r2"].mean()

    first = r2(with_source(2.0, alpha=1))
    second = r2(with_source(3.0, alpha=1))
    assert means_before("edits", capsys) == (pytest.approx(first), pytest.approx(second))
    # Neither a number of another type nor an edit that changes no outcome hides those before.
    assert r2(with_source(3.0, alpha=1.0)) == second
    assert means_before("edits", capsys) == (pytest.approx(first), pytest.approx(second))
    assert r2(with_source(1.5, alpha=2.0)) == second
    assert means_before("edits", capsys) == (pytest.approx(first), pytest.approx(second))
    third = r2(with_source(1.5, alpha=8.0))
    assert means_before("edits", capsys) == (pytest.approx(second), pytest.approx(third))


# -- functions of metrics --------------------------------------------------------------------------


def test_another_function_of_a_metric_is_told_and_measured_when_asked():
    def measured(factor: float, **options):
        notes = Notes()

        def far(estimator, X, y):
            return factor * float(np.abs(y - estimator.predict(X)).max())

        keys = {"datasets": ["diabetes"], "methods": {"m": Ridge()}, "metrics": {"far": far}}
        trials = run(**keys, results="measured", listener=notes, **options).trials
        return trials["far"].sum(), [text for text in notes.texts if text.startswith("metric far")]

    first, said = measured(1.0)
    assert said == []
    assert measured(1.0) == (first, [])
    (line,) = measured(2.0)[1]
    assert line.startswith("metric far: its function changed since 2 recorded trials ran; --again")
    # It is told until they are measured again.
    assert measured(2.0)[1] == [line]
    assert measured(2.0, again=True) == (pytest.approx(2 * first), [])
    assert measured(2.0)[1] == []
