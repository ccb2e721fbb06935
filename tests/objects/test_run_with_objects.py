"""boostbench.run with data and estimators of Python, and the commands on what it leaves."""

import importlib
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from experiments import NO_FIGURES
from from_python import command, reported_run, run
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.datasets import load_diabetes, load_iris
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import boostbench

SHIFT = 0.25


class Shifted(RegressorMixin, BaseEstimator):
    """Predicts a constant: what is sent by value, as no worker can import a test."""

    def __init__(self, by=1.0):
        self.by = by

    def fit(self, X, y):
        self.value_ = np.mean(y) + SHIFT * self.by
        return self

    def predict(self, X):
        return np.full(len(X), self.value_)


def worst(estimator, X, y):
    return float(np.abs(y - estimator.predict(X)).max())


pytestmark = pytest.mark.usefixtures("folder")


def made_frame() -> pd.DataFrame:
    draw = np.random.default_rng(0)
    frame = pd.DataFrame(draw.normal(size=(40, 2)), columns=["age", "income"])
    frame["town"] = pd.Categorical(["Rome", "Milan"] * 20)
    frame["spend"] = frame["age"] + 0.1 * draw.normal(size=40)
    return frame


@pytest.fixture
def frame():
    return made_frame()


def keys_of(results: boostbench.Results) -> list[str]:
    return results.trials["key"].tolist()


# -- the same trials as of a file ------------------------------------------------------------------


def test_it_has_the_trials_and_the_bits_of_a_file(folder, frame):
    frame.to_csv("customers.csv", index=False)
    Path("file.yaml").write_text(
        "name: file\n"
        "datasets: [diabetes, {name: customers, file: customers.csv, target: spend,"
        " categorical: [town]}]\n"
        "methods: [{name: ridge, estimator: sklearn.linear_model.Ridge, params: {alpha: 2.0}},"
        " {name: dummy, estimator: sklearn.dummy.DummyRegressor}]\nfolds: 2\nseeds: 1\n"
    )
    of_file = boostbench.run("file.yaml", listener=boostbench.Listener(), jobs=1)
    of_objects = run(
        datasets={"diabetes": "diabetes", "customers": boostbench.Data(frame, target="spend")},
        methods={"ridge": Ridge(alpha=np.float64(2)), "dummy": DummyRegressor},
        limits={"time": 60},
    )
    assert keys_of(of_objects) == keys_of(of_file)
    columns = ["dataset", "method", "r2", "rmse"]
    pd.testing.assert_frame_equal(of_objects.trials[columns], of_file.trials[columns])


def test_a_mapping_is_the_same_as_arguments(frame):
    keys = {
        "datasets": {"customers": boostbench.Data(frame, target="spend")},
        "methods": {
            "mine": Shifted(2.0),
            "ridge": {"estimator": Ridge(), "params": {"alpha": 9.0}},
        },
        "metrics": {"worst": worst},
    }
    as_mapping, as_arguments = run(keys), run(**keys)
    assert keys_of(as_mapping) == keys_of(as_arguments)
    assert as_mapping.trials["worst"].tolist() == as_arguments.trials["worst"].tolist()
    assert set(as_mapping.trials["status"]) == {"ok"}
    mixed = run({"datasets": keys["datasets"]}, methods=keys["methods"], metrics=keys["metrics"])
    assert keys_of(mixed) == keys_of(as_mapping)


def test_data_come_as_frames_arrays_bunches_and_files(folder, frame):
    X, y = frame[["age", "income"]], frame["spend"]
    frame.to_csv("customers.csv", index=False)
    results = run(
        datasets={
            "arrays": (X.to_numpy(), y.to_numpy()),
            "halves": boostbench.Data(X.head(30), y.head(30)),
            "bunch": load_diabetes(),
            "file": {"file": "customers.csv", "target": "income", "drop": ["town"]},
            "path": {"file": Path("customers.csv"), "target": -1, "categorical": "auto"},
        },
        methods=[Ridge()],
    )
    assert set(results.trials["status"]) == {"ok"}
    assert set(results.trials["dataset"]) == {"arrays", "halves", "bunch", "file", "path"}


def test_dates_of_any_year_are_those_of_a_file(frame):
    options = {"target": "spend", "drop": ["town"], "dates": "ordinal"}
    days = pd.date_range("2020-01-01", periods=39, unit="s").tolist()
    frames, files = {}, {}
    for last in ("9999-12-31", "1500-01-02", "2024-05-06"):
        dated = frame.assign(until=np.array([*days, last], dtype="datetime64[s]"))
        name = f"until-{last}"
        dated.to_csv(f"{name}.csv", index=False)
        frames[name] = boostbench.Data(dated, **options)
        files[name] = {"file": f"{name}.csv", **options}
    of_frames, of_files = (run(datasets=data, methods=[Ridge()]) for data in (frames, files))
    assert len(set(keys_of(of_frames))) == 6
    assert keys_of(of_frames) == keys_of(of_files)


def test_a_bunch_of_classes_has_its_labels():
    results = run(datasets={"iris": load_iris()}, methods={"logit": LogisticRegression()})
    assert (results.trials["error"] < 0.2).all()
    entry = (results.folder / "experiment.yaml").read_text()
    assert "task: classification" in entry


# -- where results are -----------------------------------------------------------------------------


def test_without_a_name_the_folder_lives_as_long_as_the_results(folder):
    results = reported_run(datasets=["diabetes"], methods=[Ridge()])
    place = results.folder
    assert (place / "table.html").is_file()
    del results
    assert not place.exists()
    assert not (folder / "results").exists()


def test_a_name_resumes_and_a_new_object_runs_again(frame):
    keys = {"datasets": {"c": boostbench.Data(frame, target="spend")}, "results": "thesis"}
    first = run(methods={"mine": Shifted(), "ridge": Ridge()}, only="method=ridge", **keys)
    assert first.folder == Path("results/thesis").resolve()
    began = []

    class Watch(boostbench.Listener):
        def started(self, trial, worker):
            began.append(trial.name)

    again = run(methods={"mine": Shifted(), "ridge": Ridge()}, listener=Watch(), **keys)
    assert began == ["c/mine/0/0", "c/mine/1/0"]
    assert set(again.trials["status"]) == {"ok"}
    began.clear()
    run(methods={"mine": Shifted(3.0), "ridge": Ridge()}, listener=Watch(), **keys)
    assert began == ["c/mine/0/0", "c/mine/1/0"]
    frame.loc[0, "spend"] += 1
    began.clear()
    run(methods={"ridge": Ridge()}, listener=Watch(), **keys)
    assert began == ["c/ridge/0/0", "c/ridge/1/0"]


@pytest.mark.parametrize("results", ["there/thesis", Path("thesis")])
def test_results_may_be_a_path(folder, results):
    found = run(datasets=["diabetes"], methods=[Ridge()], results=results)
    assert found.folder == (folder / results).resolve()
    assert found.experiment["name"] == "thesis"


def test_results_of_another_file_are_not_taken_over(folder):
    Path("own.yaml").write_text(
        "name: own\ndatasets: [diabetes]\nmethods: [{estimator: sklearn.linear_model.Ridge}]\n"
        "folds: 2\nseeds: 1\n"
    )
    boostbench.run("own.yaml", listener=boostbench.Listener(), jobs=1)
    before = sorted(path.name for path in Path("results/own").glob("[!s]*"))
    with pytest.raises(boostbench.ConfigError, match=r"are those of own\.yaml: give this"):
        run(datasets=["diabetes"], methods=[Ridge()], name="own")
    assert sorted(path.name for path in Path("results/own").glob("[!s]*")) == before
    assert not list(Path("results/own").glob("saved_*"))


# -- commands --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def finished(tmp_path_factory, make_runs_cheap):
    """A folder in which a run with objects has ended: its results and its cache."""
    folder = tmp_path_factory.mktemp("finished")
    with pytest.MonkeyPatch.context() as patch:
        make_runs_cheap(patch)
        patch.chdir(folder)
        patch.setenv("BOOSTBENCH_CACHE", str(folder / "cache"))
        patch.delenv("BOOSTBENCH_MIRROR", raising=False)
        patch.setattr(sys, "path", list(sys.path))
        run(
            datasets={"customers": boostbench.Data(made_frame(), target="spend")},
            methods={"mine": Shifted(), "piped": make_pipeline(StandardScaler(), Ridge())},
            results="thesis",
        )
    return folder


@pytest.fixture
def thesis(finished, folder):
    """A copy of that run in the test's folder; the folder of its results."""
    shutil.copytree(finished, folder, dirs_exist_ok=True)
    return Path("results/thesis")


def test_commands_work_without_the_notebook_and_load_no_object(thesis, folder, capsys):
    objects = thesis / "objects"
    for path in objects.glob("*.pickle"):
        # It would write a file when it is loaded.
        path.write_bytes(b"boostbench object\ncos\nsystem\n(S'touch loaded'\ntR.")
    for words in (
        "report thesis",
        "status thesis",
        "show customers/mine/0/0",
        "archive thesis",
        "report results/thesis/archive",
        "list results",
        "status results/thesis/archive",
    ):
        code = command(*words.split())
        assert code == 0 or words.startswith("list"), words
    assert not Path("loaded").exists()
    # verify does load them, where they are one's own.
    assert command("verify", "thesis", "--sample", "2") == 2
    assert "add --trust" in capsys.readouterr().err
    assert not Path("loaded").exists()


def test_resuming_and_verifying_need_no_notebook(thesis, folder, capsys):
    assert command("run", "results/thesis/experiment.yaml", "--again", "-j", "1") == 0
    assert "trials: 4 ok" in capsys.readouterr().out
    assert command("verify", "thesis", "--sample", "4") == 0
    assert "4 equal bit for bit" in capsys.readouterr().out


def test_archives_of_others_need_trust(thesis, folder, monkeypatch, capsys):
    assert command("archive", "thesis") == 0
    assert "1 data set that boostbench.run got from Python" in capsys.readouterr().err
    archive = Path("results/thesis/archive")
    assert command("verify", str(archive), "--sample", "2") == 0
    shutil.copytree(archive, "theirs")
    shutil.rmtree("results")
    monkeypatch.setenv("BOOSTBENCH_CACHE", str(folder / "cache of another"))
    assert command("verify", "theirs", "--sample", "4") == 2
    error = capsys.readouterr().err
    assert re.search(r"theirs/experiment\.yaml names saved_\w+:Shifted, which was not", error)
    assert command("verify", "theirs", "--sample", "4", "--trust") == 0
    assert "4 equal bit for bit" in capsys.readouterr().out
    # Other code beside it is not trusted either, nor an object that was replaced.
    file = Path("theirs/experiment.yaml")
    file.write_text(re.sub(r'"saved_\w+:\w+"', '"evil:make"', file.read_text(), count=1))
    Path("theirs/evil.py").write_text("import pathlib\npathlib.Path('loaded').touch()\n")
    assert command("verify", "theirs", "--sample", "4") == 2
    assert "evil:make" in capsys.readouterr().err
    assert not Path("loaded").exists()
    assert command("verify", "theirs", "--trust") == 2
    assert "--trust is for the trials of --sample" in capsys.readouterr().err


@pytest.mark.parametrize(
    "keys",
    [
        'metrics: ["evil:f"]',
        'metrics: [{name: "evil:f"}]',
        'metrics: [{name: far, function: "evil:f"}]',
        'metric: "evil:f"',
        'splits: {splitter: "evil:f"}',
    ],
)
def test_other_code_of_others_needs_trust_wherever_it_is_named(thesis, folder, keys, capsys):
    Path("results/thesis/evil.py").write_text("import pathlib\npathlib.Path('loaded').touch()\n")
    file = Path("results/thesis/experiment.yaml")
    file.write_text(f"{file.read_text()}{keys}\n")
    assert command("verify", "thesis", "--sample", "2") == 2
    error = capsys.readouterr().err
    assert "names evil:f, which was not stored by you" in error
    assert "add --trust" in error
    assert not Path("loaded").exists()


RIDGE = 'name: ridge, estimator: "sklearn.linear_model:Ridge"'


@pytest.mark.parametrize(
    ("place", "entry", "is_refused"),
    [
        ("methods", RIDGE + ', choose: {alpha: [1.0, 2.0], by: "evil:f"}', True),
        ("methods", RIDGE + ", choose: {alpha: [1.0, 2.0], by: neg_max_error}", False),
        ("methods", RIDGE + ", choose: {by: [1.0, 2.0]}", False),
        ("datasets", 'card: diabetes, splits: {splitter: "evil:f"}', True),
        ("datasets", "card: diabetes, splits: {splitter: sklearn.model_selection.KFold}", False),
    ],
)
def test_code_of_others_in_an_entry_needs_trust(thesis, folder, place, entry, is_refused, capsys):
    file = Path("results/thesis/experiment.yaml")
    lines = file.read_text().splitlines()
    lines.insert(lines.index(f"{place}:") + 1, f"- {{{entry}}}")
    file.write_text("\n".join(lines))
    command("verify", "thesis", "--sample", "2")
    assert ("names evil:f, which was not stored" in capsys.readouterr().err) is is_refused


def test_an_incomplete_or_foreign_object_is_told(thesis, capsys):
    pickle = next((thesis / "objects").glob("*.pickle"))
    content = pickle.read_bytes()
    pickle.unlink()
    assert command("run", "results/thesis/experiment.yaml", "--again") == 2
    assert "copy the whole folder of the results" in capsys.readouterr().err
    pickle.write_bytes(re.sub(rb"^[^\n]*\n", b"boostbench object of Python 3.1\n", content))
    assert command("run", "results/thesis/experiment.yaml", "--again") == 2
    assert "has code of Python 3.1, which Python" in capsys.readouterr().err
    pickle.write_bytes(b"else")
    assert command("run", "results/thesis/experiment.yaml", "--again") == 2
    assert "is damaged" in capsys.readouterr().err


# -- what is refused -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({}, "give an experiment file, or datasets and methods"),
        (
            {"config": "quickstart", "folds": 3},
            "'folds' is a key of the experiment file quickstart",
        ),
        ({"config": 3}, "config must be a path, a text or a mapping of keys, not 3"),
        ({"config": {"fold": 3}}, "no key 'fold' (did you mean 'folds'?)"),
        ({"config": {"folds": 3}, "folds": 2}, "'folds' is given twice"),
        ({"datasets": "diabetes"}, "datasets must be a mapping of names, or a list"),
        ({"datasets": {"d": np.eye(3)}}, "of which the target is not known: give boostbench.Data("),
        ({"datasets": [(np.eye(3), np.ones(3))]}, "has no name: give datasets as a mapping"),
        ({"datasets": {"d": (np.eye(3), np.ones(4))}}, "has 3 rows, but y has 4 values"),
        ({"datasets": {"d": (np.ones(3), np.ones(3))}}, "has no rows and columns"),
        ({"methods": {"m": 3}}, "the method 'm' is of type int: give the name of a method"),
        ({"methods": {"m": Ridge(alpha=(x for x in "ab"))}}, "'m' cannot be cloned: cannot pickle"),
        ({"methods": [lambda: Ridge()]}, "has no name: give methods as a mapping"),
        (
            {"methods": {"m": {"method": "srt", "params": {"depth": {1: object()}}}}},
            "depth.1 is of",
        ),
        ({"metrics": {"m": 3}}, "the function of the metric 'm' is of type int"),
        ({"limits": {"time": float("inf")}}, "limits.time is inf"),
        ({"results": 3}, "results must be a name or the path of a folder, not 3"),
        ({"cluster": "tcp://127.0.0.1:1", "methods": {"m": Shifted()}}, "workers of a cluster do"),
        ({"datasets": {"d": "no_such_set"}}, "no data set 'no_such_set'"),
        ({"seeds": 0}, "seeds must be"),
    ],
)
def test_bad_input_is_one_sentence_and_leaves_nothing(folder, keys, words):
    if "cluster" in keys:
        pytest.importorskip("distributed", reason="needs boostbench[cluster]")
    usual = {"datasets": ["diabetes"], "methods": [Ridge()]} if keys else {}
    if "config" in keys:
        usual = {}
    quiet = {"listener": boostbench.Listener(), "name": None if "config" in keys else "mine"}
    if not keys:
        quiet.pop("name")
    with pytest.raises(boostbench.ConfigError, match=re.escape(words)) as caught:
        boostbench.run(**{**quiet, **usual, **keys})
    assert "\n" not in str(caught.value)
    assert not (folder / "results").exists()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda f: boostbench.Data(f, targt="spend"), "no option 'targt' (did you mean 'target'?)"),
        (lambda f: boostbench.Data(f, f["spend"], target="spend"), "both y and target"),
        (lambda f: boostbench.Data(load_iris(), [1]), "a Bunch has its target itself"),
    ],
)
def test_a_wrong_option_of_data_is_told_at_once(frame, make, words):
    with pytest.raises(boostbench.ConfigError, match=re.escape(words)):
        make(frame)


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (np.zeros((3, 2)), "Data(3 rows of 2 columns)"),
        (np.zeros(3), "Data(? rows of ? columns)"),
        ([[1.0], [2.0]], "Data(? rows of ? columns)"),
    ],
)
def test_data_of_any_shape_can_be_shown(X, words):
    assert repr(boostbench.Data(X)) == words


# -- scripts ---------------------------------------------------------------------------------------

_BESIDE = """\
from sklearn.dummy import DummyRegressor
SHIFT = 1.0
class Own(DummyRegressor):
    def predict(self, X):
        return super().predict(X) + SHIFT
"""
_SCRIPT = """\
import os
import pathlib
import boostbench
import own_beside
print("IMPORTED")
class Mine(own_beside.Own):
    def predict(self, X):
        return 2 * super().predict(X)
pathlib.Path("own_beside.py").unlink()  # no worker can import it
for start in ("fork", "spawn"):
    os.environ["BOOSTBENCH_START_METHOD"] = start
    results = boostbench.run(datasets=["diabetes"], methods=[Mine()], folds=2, seeds=1, jobs=1)
    print(results.trials[["status", "mae"]].to_json(orient="values"))
"""


def test_edits_of_a_module_beside_a_script_count(folder, monkeypatch, capsys):
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def errors(code: str) -> list[float]:
        Path("own_beside.py").write_text(code)
        sys.modules.pop("own_beside", None)
        own = importlib.import_module("own_beside").Own()
        return run(datasets=["diabetes"], methods={"own": own}, name="own").trials["mae"].tolist()

    def saved() -> int:
        return len(list(Path("results/own").glob("saved_*.py")))

    first = errors(_BESIDE)
    assert np.isfinite(first).all()
    assert errors(_BESIDE) == first
    assert saved() == 1
    assert errors(_BESIDE.replace("1.0", "2.0")) != first
    assert saved() == 2
    # Its module is not needed any more.
    del sys.modules["own_beside"]
    Path("own_beside.py").unlink()
    assert command("run", "results/own/experiment.yaml", "--again", "-j", "1") == 0
    assert "trials: 2 ok" in capsys.readouterr().out


@pytest.mark.end_to_end
def test_a_script_needs_no_guard_and_a_module_beside_it_is_sent(folder):
    Path("own_beside.py").write_text(_BESIDE)
    Path("script.py").write_text(NO_FIGURES + _SCRIPT)
    words = [sys.executable, "script.py"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    first, forked, spawned = done.stdout.splitlines()
    assert first == "IMPORTED"
    assert [status for status, _ in json.loads(forked)] == ["ok"] * 2
    assert spawned == forked
