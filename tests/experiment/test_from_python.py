"""Experiments run and read from Python: what a notebook sees."""

import inspect
import os
import re
import signal
import sys
import threading
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge
from unreported import without_report

import boostbench
from boostbench.config.model import Experiment
from boostbench.experiment.request import Request
from results import TINY


class Recorder(boostbench.Listener):
    """Keeps all events."""

    def __init__(self):
        self.notes, self.began, self.done, self.counts = [], [], [], []

    def note(self, text, level="info"):
        self.notes.append((level, text))

    def started(self, trial, worker):
        self.began.append(trial.key)

    def ended(self, trial, outcome):
        self.done.append((trial.key, outcome.status))
        self.counts.append(self.board.ended)

    def trials(self, board):
        self.board = board
        return super().trials(board)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch, cheap):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BOOSTBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("BOOSTBENCH_MIRROR", raising=False)
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "tiny.yaml").write_text(TINY)
    return tmp_path


def run(config="tiny.yaml", **options):
    """Run an experiment without its report."""
    quiet = {"listener": boostbench.Listener(), "jobs": 1}
    with without_report():
        return boostbench.run(config, **{**quiet, **options})


def test_results_are_the_files_of_the_run(folder):
    results = run(jobs=np.int64(1), only=None)
    assert results.folder == folder / "results" / "tiny"
    for name in ("trials", "times"):
        written = pd.read_csv(
            results.folder / f"{name}.csv", keep_default_na=False, na_values={"r2": [""]}
        )
        pd.testing.assert_frame_equal(getattr(results, name), written, check_dtype=False)
    assert results.trials["status"].tolist() == ["ok"] * 8
    assert results.curves.empty
    table = results.table()
    assert table.columns.tolist() == ["Ridge", "dummy"]
    mean = results.trials.groupby("method")["r2"].mean()
    assert table.loc["diabetes", "Ridge"].startswith(f"{mean['Ridge']:.3f}")
    for only in ("method=dummy", {"method": {"dummy"}}, ["method=dummy"]):
        assert results.table(only).columns.tolist() == ["dummy"]
    assert "8 ok" in repr(results)
    assert "<table" in results._repr_html_()


def test_a_part_is_run_and_the_rest_is_pending():
    part = run(only={"method": ["dummy"], "seed": 0})
    assert part.trials["status"].value_counts().to_dict() == {"pending": 6, "ok": 2}
    recorder = Recorder()
    rest = run(listener=recorder)
    assert len(recorder.done) == 6
    assert set(rest.trials["status"]) == {"ok"}
    # Results that had been read do not change.
    assert (part.trials["status"] == "pending").sum() == 6


def test_a_listener_receives_each_trial_once_with_counts_up_to_date():
    recorder = Recorder()
    results = run(listener=recorder)
    keys = results.trials["key"]
    assert sorted(recorder.began) == sorted(keys)
    assert sorted(recorder.done) == sorted((key, "ok") for key in keys)
    assert recorder.counts == [*range(1, 9)]
    assert any("8 of 8 trials to run" in text for _, text in recorder.notes)


@pytest.mark.parametrize(
    "overrides", [{"seeds": 1, "results": "there"}, ["seeds=1", "results=there"]]
)
def test_overrides_are_those_of_the_command_line(overrides):
    results = run(overrides=overrides)
    assert results.folder == Path("there").resolve()
    assert len(results.trials) == 4
    assert len(boostbench.load("there").trials) == 4


def test_load_finds_results_by_folder_name_and_experiment(folder, monkeypatch):
    run(only="method=dummy")
    for name in ("results/tiny", "tiny", "tiny.yaml", folder / "results" / "tiny"):
        assert len(boostbench.load(name).trials) == 8
    assert boostbench.load("tiny").experiment["name"] == "tiny"
    with pytest.raises(boostbench.StoreError, match="no results"):
        boostbench.load("quickstart")


def test_its_signature_names_each_option_of_the_command():
    parameters = inspect.signature(boostbench.run).parameters
    of_the_command = set(inspect.signature(Request).parameters) - {"dry_run"}
    assert of_the_command <= set(parameters)
    for name, parameter in inspect.signature(Request).parameters.items():
        if name in of_the_command - {"config"}:
            assert parameters[name].default == parameter.default, name


def test_its_signature_names_each_key_of_an_experiment_file():
    parameters = inspect.signature(boostbench.run).parameters
    assert set(Experiment.model_fields) <= set(parameters)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"config": "absent.yaml"}, "absent.yaml"),
        ({"only": {"data": "diabetes"}}, "--only data=diabetes: give KEY=VALUE"),
        ({"overrides": {"seeds": {1}}}, "JSON value"),
        ({"jobs": "2"}, "jobs must be a whole number"),
        ({"in_process": True, "jobs": 2}, "one trial at a time"),
        ({"foo": 1}, "has no option 'foo'; the options are datasets, methods, name"),
        ({"fold": 3, "foo": 1}, "has no option 'fold' (did you mean 'folds'?), 'foo'; the options"),
        ({"inprocess": True, "jobs": 2}, "'inprocess' (did you mean 'in_process'?); the options"),
        ({"words": ["x"]}, "has no option 'words'"),
        ({"dry_run": True}, "dry_run is for the command line"),
        ({"offline": "no"}, "offline must be True or False, not 'no'"),
        ({"again": 1}, "again must be True or False, not 1"),
        ({"cluster": 5}, "cluster must be an address or a batch system, not 5"),
        ({"reuse": "elsewhere"}, "there is no folder results/elsewhere"),
        ({"reuse": 3}, "reuse must be a path or a text, not 3"),
        (
            {"listener": print},
            "listener must be a boostbench.Listener, not <built-in function print",
        ),
    ],
)
def test_bad_input_is_one_sentence(folder, options, words):
    with pytest.raises(boostbench.ConfigError, match=re.escape(words)) as caught:
        run(**options)
    assert isinstance(caught.value, boostbench.BoostbenchError)
    assert "\n" not in str(caught.value)
    assert not (folder / "results").exists()


FRAME = pd.DataFrame({"x": np.arange(40.0), "z": np.arange(40.0) % 7, "y": np.arange(40.0) % 5})


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"folds": -1}, "boostbench.run: folds must be a whole number of at least 2, not -1"),
        (
            {"methods": {"ridge": Ridge(), "far": Ridge(alpha="x")}},
            "boostbench.run, method 'far': The 'alpha' parameter of Ridge must be",
        ),
        (
            {"datasets": {"one": boostbench.Data(FRAME, target="t")}},
            "boostbench.run, data set 'one': data set 'one' has no column 't'; ",
        ),
    ],
)
def test_messages_name_what_was_given_not_the_file_that_is_written(folder, keys, message):
    given = {"datasets": {"one": boostbench.Data(FRAME, target="y")}, "methods": {"r": Ridge()}}
    with pytest.raises(boostbench.BoostbenchError) as caught:
        boostbench.run(**given | keys)
    assert str(caught.value).startswith(message)


@pytest.mark.end_to_end
def test_edited_code_counts_without_a_restart(folder, no_figures):
    code = "from sklearn.dummy import DummyRegressor\nclass Mine(DummyRegressor):\n    pass\n"
    (folder / "mine_edited.py").write_text(code)
    Path("tiny.yaml").write_text(TINY.replace("sklearn.dummy.DummyRegressor", "mine_edited.Mine"))
    before = run(only="method=dummy", in_process=True).trials
    changed = code.replace("pass", "def predict(self, X):\n        return 0.5 + super().predict(X)")
    (folder / "mine_edited.py").write_text(changed)
    recorder = Recorder()
    for options in ({"listener": recorder}, {"in_process": True, "again": True}):
        after = run(only="method=dummy", **options).trials
        differ = after["r2"].dropna().to_numpy() != before["r2"].dropna().to_numpy()
        assert differ.all()
    assert any("mine_edited.py" in text for _, text in recorder.notes)


def test_modules_of_one_name_beside_two_experiments_differ(folder, monkeypatch):
    # Nor is the one beside the script taken.
    (folder / "same_name.py").write_text("raise RuntimeError\n")
    monkeypatch.syspath_prepend(folder)
    values = {}
    for name, constant in (("one", 1.0), ("two", 200.0)):
        there = folder / name
        there.mkdir()
        (there / "same_name.py").write_text(
            "from sklearn.dummy import DummyRegressor\n"
            f"def make():\n    return DummyRegressor(strategy='constant', constant={constant})\n"
        )
        text = TINY.replace("sklearn.dummy.DummyRegressor", "'same_name:make'")
        (there / "tiny.yaml").write_text(text.replace("name: tiny", f"name: {name}"))
        trials = run(there / "tiny.yaml", only="method=dummy").trials
        values[name] = trials["mae"].dropna().mean()
    assert values["one"] != pytest.approx(values["two"])


@pytest.mark.end_to_end
def test_an_interrupt_is_raised_once_trials_are_kept_and_the_same_call_resumes(no_figures):
    (Path.cwd() / "slow_module.py").write_text(
        "import time\nfrom sklearn.dummy import DummyRegressor\n"
        "class Slow(DummyRegressor):\n"
        "    def fit(self, X, y):\n        time.sleep(0.3)\n        return super().fit(X, y)\n"
    )
    Path("tiny.yaml").write_text(TINY.replace("sklearn.dummy.DummyRegressor", "slow_module.Slow"))

    class Interrupting(Recorder):
        def started(self, trial, worker):
            super().started(trial, worker)
            if len(self.began) == 2:
                os.kill(os.getpid(), signal.SIGINT)

    assert threading.current_thread() is threading.main_thread()
    handler = signal.getsignal(signal.SIGINT)
    recorder = Interrupting()
    with pytest.raises(KeyboardInterrupt) as raised:
        run(only="method=dummy", listener=recorder)
    assert signal.getsignal(signal.SIGINT) is handler
    done = (boostbench.load("tiny").trials["status"] == "ok").sum()
    assert 0 < done < 4
    left = f"{4 - done} trial{'s' if done < 3 else ''} left ({4 - done} of diabetes/dummy)"
    assert str(raised.value) == f"interrupted, {left}: the same call resumes"
    assert any(text.endswith("the same call resumes") for level, text in recorder.notes)
    # That it resumes in worker processes too is shown in test_notebook.py.
    rest = Recorder()
    results = run(only="method=dummy", listener=rest, in_process=True)
    assert (results.trials["status"] == "ok").sum() == 4
    assert len(rest.done) == 4 - done
