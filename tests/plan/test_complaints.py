"""The complaints about methods, tasks, classes and settings of an experiment, and their places."""

import re
import sys
from pathlib import Path

import pytest
from plan_parts import RIDGE, make_dataset, make_experiment

from boostbench.config.loading import load_experiment
from boostbench.config.model import Experiment
from boostbench.errors import ConfigError, DataError
from boostbench.plan.check import check_dataset, check_experiment

CLASSES = "{name: toy, file: c.csv, target: y, task: classification}"
MOST = "{estimator: sklearn.dummy.DummyClassifier}"


def _complaints(experiment: Experiment) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        check_experiment(experiment)
    return str(caught.value).splitlines()


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "path", list(sys.path))
    name = "own_module_of_the_complaints"
    (tmp_path / f"{name}.py").write_text(
        "from sklearn.dummy import DummyClassifier, DummyRegressor\n"
        "class Mean(DummyRegressor):\n    pass\n"
        "class Most(DummyClassifier):\n    pass\n"
    )
    return tmp_path


def test_modules_beside_the_file_are_found_first_and_once(own: Path) -> None:
    experiment = make_experiment(own, "{estimator: own_module_of_the_complaints.Mean}", RIDGE)
    for _ in range(2):
        assert [m.label for m in check_experiment(experiment)] == ["Mean", "Ridge"]
        assert sys.path[0] == str(experiment.folder)
        assert sys.path.count(str(experiment.folder)) == 1
    # Where one of them would hide a module of Python, they are found last.
    (own / "queue.py").write_text("raise RuntimeError\n")
    assert len(check_experiment(experiment)) == 2
    assert sys.path[-1] == str(experiment.folder)
    assert sys.path.count(str(experiment.folder)) == 1


@pytest.mark.parametrize(
    ("file", "owner"),
    [
        ("pipes.py", "Python's own module pipes"),
        ("code.py", "Python's own module code"),
        ("test.py", "Python's own module test"),
        ("time.py", "Python's own module time"),
        ("platform/__init__.py", "Python's own module platform"),
        ("joblib.py", "the module in "),
        ("boostbench.py", "the module in "),
    ],
)
def test_a_file_whose_name_is_taken_is_named(own: Path, file: str, owner: str) -> None:
    (own / file).parent.mkdir(exist_ok=True)
    (own / file).write_text("from sklearn.linear_model import Ridge as mine\n")
    name = file.partition("/")[0].removesuffix(".py")
    experiment = make_experiment(own, f"{{name: m, estimator: '{name}:mine'}}")
    (line,) = _complaints(experiment)
    assert f"x.yaml:4:26: the name of {own / file} is taken by {owner}" in line
    assert line.endswith(": give the file another name")
    # Even where that module has an object of the name.
    taken = {"code": "interact", "joblib": "Memory", "boostbench": "Listener"}.get(name)
    if taken:
        (line,) = _complaints(make_experiment(own, f"{{name: m, estimator: '{name}:{taken}'}}"))
        assert "is taken by" in line
    # A metric's module is looked for in the same way.
    metric = f"metrics: [{{name: widest, function: '{name}:mine'}}]\n"
    (line,) = _complaints(make_experiment(own, RIDGE, more=metric))
    assert f"x.yaml:6:11: the name of {own / file} is taken by {owner}" in line
    # It disturbs no other.
    assert len(check_experiment(make_experiment(own, RIDGE))) == 1


@pytest.mark.parametrize("path", ["lower/own_shelf.py", "./lower/own_shelf", "lower.own_shelf.py"])
def test_a_path_in_place_of_a_module_is_named_with_the_module(own: Path, path: str) -> None:
    (own / "lower").mkdir()
    (own / "lower" / "own_shelf.py").write_text("from sklearn.linear_model import Ridge as mine\n")
    experiment = make_experiment(own, f"{{name: m, estimator: '{path}:mine'}}")
    (line,) = _complaints(experiment)
    assert f"x.yaml:4:26: the estimator {path}:mine cannot be imported: " in line
    assert line.endswith("; name the module: lower.own_shelf:mine")
    named = make_experiment(own, "{name: m, estimator: 'lower.own_shelf:mine'}")
    assert len(check_experiment(named)) == 1


def test_a_module_that_a_file_imports_in_vain_is_named(own: Path) -> None:
    (own / "code.py").write_text("from sklearn.linear_model import Ridge as mine\n")
    (own / "own_glue_in_vain.py").write_text("from code import mine\n")
    (line,) = _complaints(make_experiment(own, "{name: m, estimator: 'own_glue_in_vain:mine'}"))
    assert "cannot import name 'mine' from 'code'" in line
    assert f"the name of {own / 'code.py'} is taken by Python's own module code" in line


def test_every_wrong_method_is_named_at_its_place(tmp_path: Path) -> None:
    experiment = make_experiment(
        tmp_path,
        RIDGE,
        "{estimator: sklearn.linear_model.Rigde}",
        "{name: deep, method: srt, params: {depth: 0}}",
        "{name: other, method: srt, params: {dpeth: 2}}",
        data="diabetes, {name: b, card: iris, target: petal}",
    )
    places = [re.match(r".*x\.yaml:(\d+):\d+: ", line)[1] for line in _complaints(experiment)]
    assert places == ["5", "6", "7", "2"]


def test_a_default_counts_for_the_registered_methods_together(tmp_path: Path) -> None:
    methods = ("{method: srt}", "{method: multiboost}", RIDGE)
    more = "defaults: {depth: 2, C: 1.0, dpeth: 3, alpha: 1.0}\n"
    # What these methods are for is another complaint, which waits for this one.
    lines = _complaints(make_experiment(tmp_path, *methods, data="diabetes, digits", more=more))
    assert [line.split(": ", 1)[1] for line in lines] == [
        "no registered method of this experiment has the parameter 'dpeth' (did you mean 'depth'?)",
        "no registered method of this experiment has the parameter 'alpha'",
    ]
    assert [line.split(": ")[0].split(":")[-2:] for line in lines] == [["8", "30"], ["8", "40"]]


def test_a_wrong_default_is_named_at_its_place(tmp_path: Path) -> None:
    methods = ("{method: srt}", "{name: deep, method: srt, params: {depth: 0}}")
    lines = _complaints(make_experiment(tmp_path, *methods, more="defaults: {C: 1.0, depth: -1}\n"))
    *wrong, unknown = lines
    found = [re.match(r".*x\.yaml:(\d+):(\d+): .* Got (-?\d+)", line).groups() for line in wrong]
    assert found == [("7", "27", "-1"), ("5", "47", "0")]
    assert unknown.endswith(
        "x.yaml:7:12: no registered method of this experiment has the parameter 'C'"
    )


def test_a_method_for_another_task_is_reported_once_with_what_to_add(own: Path) -> None:
    for name in ("c.csv", "d.csv"):
        (own / name).write_text("u,y\n" + "".join(f"{i},{i % 2}\n" for i in range(12)))
    methods = (
        "{estimator: own_module_of_the_complaints.Most}",
        "{name: boosted, method: multiboost}",
        "{name: mean, estimator: own_module_of_the_complaints.Mean}",
    )
    lines = _complaints(
        make_experiment(own, *methods, data="{file: c.csv, target: y}, {file: d.csv, target: y}")
    )
    assert [line.split(": ", 1)[1] for line in lines] == [
        f"'{label}' is a classification method, but the data set 'c' is for regression, "
        "as it does not say; add 'task: classification' to it"
        for label in ("Most", "boosted")
    ]
    assert "x.yaml:4:" in lines[0]
    assert "x.yaml:5:" in lines[1]
    (line,) = _complaints(make_experiment(own, "{method: srt}", data=f"diabetes, {CLASSES}"))
    assert line.endswith("a regression method, but the data set 'toy' is for classification")
    # A card has its own task.
    (line,) = _complaints(make_experiment(own, methods[1]))
    assert line.endswith("'toy' is for regression")


def test_classes_are_checked_in_the_folds_in_which_they_are_run(tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text("u,y\n1,a\n")
    folds = make_experiment(tmp_path, MOST, data=CLASSES, more="folds: 2\n")
    resolved = check_experiment(folds)
    # The rows are sorted by class, so that a plain fold could hold one class only.
    check_dataset(folds, make_dataset([0] * 2 + [1] * 2), resolved)
    # Three of four rows have the class a: more splits would repeat a split.
    more = "splits: {n: 1, test_size: 0.25}\n"
    splits = make_experiment(tmp_path, MOST, data=CLASSES, more=more)
    for seed in range(20):
        seeded = load_experiment(tmp_path / "x.yaml", [f"split_seed={seed}"])
        check_dataset(seeded, make_dataset([0, 0, 0, 1]), resolved)
    words = r"'toy' is split into .* are needed: give more rows of each class, or set folds"
    with pytest.raises(DataError, match=words):
        check_dataset(splits, make_dataset([0, 1, 2]), resolved)
