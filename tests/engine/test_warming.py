"""Imports and compilation before the first trial: everything that the trials of a plan need."""

import dataclasses
import json
import re
import subprocess
import sys

import numpy as np
import pytest
from numba import config
from support import save

from boostbench.data import load_arrays
from boostbench.engine.interface import TrialLimits
from boostbench.engine.launch import forks
from boostbench.engine.pool import Pool
from boostbench.engine.warming import warm_up, warm_up_plan
from boostbench.errors import DataError
from boostbench.plan.trial import Trial

TREE, BOOSTER = "boostbench.trees:SoftRegressionTree", "boostbench.boosting:MultiBoostCW"
needs_compiler = pytest.mark.skipif(bool(config.DISABLE_JIT), reason="the compiler is switched off")


def _saved(folder, y, task="classification"):
    rng = np.random.default_rng(0)
    X, y = rng.random((len(y), 3)), np.array(y)
    X[:, 0] += 0.3 * y
    return save(folder, X, y, task)


def _trial(mark, estimator=BOOSTER, task="classification", **others):
    return Trial(
        dataset="d",
        method="m",
        estimator=estimator,
        method_version="1",
        fingerprint=mark,
        task=task,
        folds=2,
        fold=0,
        split_seed=0,
        seed=0,
        scale_features="minmax",
        scale_target="none",
        curves=task == "classification",
        **others,
    )


_METHODS = {
    "regression": [
        (TREE, {}),
        (TREE, {"regularization": "l2", "n_restarts": 2, "n_clusterings": 2}),
        (TREE, {"regularization": "l2", "convergent_after": 20, "tol": 1e-9}),
        ("boostbench.trees:RandomizedRegressionTree", {}),
        ("boostbench.trees:RandomizedRegressionTree", {"init": "clustering"}),
        ("boostbench.trees:OptimalRegressionTree", {"splits": "hyperplane", "n_restarts": 2}),
        ("boostbench.trees:OptimalRegressionTreeCV", {"depth": 2, "n_restarts": 2}),
    ],
    "classification": [
        (BOOSTER, {"max_iter": 20}),
        (BOOSTER, {"max_iter": 9, "stagewise": True}),
        (BOOSTER, {"max_iter": 9, "solver": "lbfgsb"}),
        ("boostbench.boosting:MultiBoost", {"max_iter": 9}),
        ("boostbench.boosting:AdaBoostMH", {"max_iter": 9}),
        ("boostbench.boosting:AdaBoostMO", {"max_iter": 9}),
        ("boostbench.boosting:AdaBoostMO", {"max_iter": 9, "code": "one_vs_all"}),
        ("boostbench.boosting:AdaBoostECC", {"max_iter": 9}),
    ],
}
# Of each the task, and the numbers of rows and classes.
_CASES = [
    ("regression", 90, 0),
    ("classification", 90, 2),
    ("classification", 260, 26),
    # Where so many rows are trained on, the codes of boosting have 32 bits.
    ("classification", 33_000, 3),
]
# Kernels that are compiled and those that are read from numba's cache are counted alike. Each case
# is a fork, in which nothing is compiled or read yet.
_RUN = """
import json, multiprocessing, sys
from pathlib import Path
import boostbench.boosting, boostbench.trees
from boostbench.engine.execution import run_trial
from boostbench.engine.warming import warm_up, warm_up_plan
from boostbench.plan.trial import Trial

folder = Path(sys.argv[2])

def kernels():
    return {
        f"{module}.{name}": len(value.overloads)
        for module, contents in list(sys.modules.items()) if module.startswith("boostbench.")
        for name, value in vars(contents).items() if hasattr(value, "overloads")
    }

def check(case):
    trials = [Trial.from_dict(each) for each in case]
    assert sum(kernels().values()) == 0
    what = warm_up_plan(trials, folder)
    warm_up(json.loads(json.dumps(what)))
    before, more = kernels(), []
    for trial in trials:
        outcome = run_trial(trial, folder)
        now = kernels()
        more += [[trial.estimator, name] for name, n in now.items() if n > before.get(name, 0)]
        more += [[outcome.status, outcome.reason]] * (outcome.status != "ok")
        before = now
    return [sum(before.values()) > 0, more]

with multiprocessing.get_context("fork").Pool(1, maxtasksperchild=1) as pool:
    print(json.dumps(pool.map(check, json.loads(sys.argv[1]), chunksize=1)))
"""


@pytest.fixture(scope="module")
def kernels(tmp_path_factory):
    """For each case, whether it has kernels, and those that its trials had to compile."""
    folder = tmp_path_factory.mktemp("kernels")
    planned = []
    for task, rows, classes in _CASES:
        y = np.arange(rows) % classes if classes else np.random.default_rng(1).random(rows)
        mark = _saved(folder, y, task)
        trials = [_trial(mark, name, task, params=params) for name, params in _METHODS[task]]
        if rows > 2**15:
            # Of two folds half of the rows are trained on, of 200 nearly all.
            trials += [dataclasses.replace(trial, folds=200) for trial in trials]
        planned.append([trial.to_dict() for trial in trials])
    done = subprocess.run(
        [sys.executable, "-P", "-c", _RUN, json.dumps(planned), str(folder)],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout.splitlines()[-1])
    return dict(zip(_CASES, found, strict=True))


@needs_compiler
@pytest.mark.parametrize("case", _CASES, ids=str)
def test_no_trial_needs_a_kernel_that_was_not_warmed_up(kernels, case):
    assert kernels[case] == [True, []]


def test_failed_imports_and_fits_are_left_to_the_trials(tmp_path, monkeypatch):
    for name, text in (("warm_a", ""), ("warm_b", "1/0\n"), ("warm_c", "")):
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    bad = {"estimator": TREE, "params": {"depth": -1}, "task": "regression"}
    none = {**bad, "estimator": "boostbench.trees:NoSuchTree"}
    warm_up({"modules": ["warm_a", "warm_b", "warm_none", "warm_c"], "fits": [bad, none]})
    assert {"warm_a", "warm_c"} <= set(sys.modules)
    assert "warm_b" not in sys.modules


_COMPILING = """
from numba import njit
from sklearn.linear_model import Ridge

@njit
def first(x):
    return x + 1

@njit
def second(x):
    return x * 2

class Own(Ridge):
    def fit(self, X, y):
        if self.alpha == 1.0:
            first(1), second(2)
        elif self.alpha == 3.0:
            first(1.5)
        return super().fit(X, y)
"""


@needs_compiler
@pytest.mark.skipif(not forks(), reason="each worker compiles by itself")
def test_a_pool_says_which_parts_are_compiled_and_where_they_are_kept(tmp_path, monkeypatch):
    (tmp_path / "own_kernels_for_warming.py").write_text(_COMPILING)
    own = {
        "estimator": "own_kernels_for_warming:Own",
        "task": "regression",
        "rows": 9,
        "classes": 0,
    }
    fits = [{**own, "params": {"alpha": alpha}} for alpha in (1.0, 2.0, 3.0)]
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "kept"))
    plan = {"modules": [], "fits": fits}
    events = []
    with Pool(tmp_path, TrialLimits(), plan, events.append, path=[str(tmp_path)]) as pool:
        pool.prepare()
    # The second part has nothing to compile.
    told = [(each.kind, each.compiling.part, each.compiling.parts) for each in events]
    assert told == [("compile", 1, 3), ("compile", 3, 3)]
    assert str(events[0].compiling).endswith(f"processor, kept in {tmp_path / 'kept'})")


@needs_compiler
def test_it_is_said_why_kernels_are_compiled_in_each_run(tmp_path, monkeypatch):
    (tmp_path / "own_kernels_that_are_not_kept.py").write_text(_COMPILING)
    (tmp_path / "kept").touch()  # so that not even root can write in it
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path / "kept"))
    fit = {
        "estimator": "own_kernels_that_are_not_kept:Own",
        "task": "regression",
        "rows": 9,
        "classes": 0,
    }
    parts = []
    warm_up({"modules": [], "fits": [{**fit, "params": {"alpha": 1.0}}]}, parts.append)
    assert len(parts) == 1
    assert "in each run, as nothing can be written in" in str(parts[0])


def _fits(folder, *trials):
    return warm_up_plan(trials, folder)["fits"]


def test_only_estimators_with_kernels_are_fitted(tmp_path, monkeypatch):
    paths = [TREE, "boostbench.trees.ForestRegressor", "sklearn.svm:SVR", "sklearn.svm:SVR"]
    found = warm_up_plan([_trial("", path, "regression") for path in paths], tmp_path)
    assert found["modules"] == ["boostbench.trees", "sklearn.svm"]
    assert [each["estimator"] for each in found["fits"]] == [TREE]
    (tmp_path / "own_tree_for_warming.py").write_text(
        "from boostbench.trees import SoftRegressionTree, export_text\nimport yaml, sklearn.svm\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    found = warm_up_plan([_trial("", "own_tree_for_warming:X", "regression")], tmp_path)
    assert {"boostbench.trees", "sklearn.svm"} <= set(found["modules"])
    assert not {"own_tree_for_warming", "yaml"} & set(found["modules"])
    assert [(each["estimator"], each["params"]) for each in found["fits"]] == [
        ("boostbench.trees.SoftRegressionTree", {})
    ]
    # Parameters that select no kernel add no fit; of those to choose from, the first value does.
    trees = [_trial("", TREE, "regression", params={"mu": mu}) for mu in (0.5, 1.0, 2.0)]
    trees.append(_trial("", TREE, "regression", choose={"init": ["a", "b"]}))
    assert [each["params"] for each in _fits(tmp_path, *trees)] == [{"mu": 0.5}, {"init": "a"}]


@pytest.mark.parametrize(
    ("y", "train_rows", "sizes"),
    [
        ([0, 2, 2, 1, 0, 1], None, [(40, 3)]),
        # The only row of a class may be a test row.
        ([0, 2, 2, 1, 0], None, [(40, 2), (40, 3)]),
        ([0, 0, 1, 1, 2, 2, 3, 3], 3, [(40, 2), (40, 3), (40, 4)]),
        ([0, 0, 1, 1, 2, 2, 3, 3], 7, [(40, 4)]),
        (list(range(50)), None, [*((max(40, 3 * k), k) for k in range(2, 32)), (150, 50)]),
    ],
)
def test_fits_have_the_numbers_of_classes_that_training_data_may_have(
    tmp_path, y, train_rows, sizes
):
    mark = _saved(tmp_path, y)
    fits = _fits(tmp_path, _trial(mark, train_rows=train_rows))
    assert [(each["rows"], each["classes"]) for each in fits] == sizes


def test_data_that_cannot_be_read_are_left_to_the_trials(tmp_path):
    mark = _saved(tmp_path, [0, 0, 1, 1])
    path = tmp_path / f"{mark}.npz"
    there, missing = _trial(mark), _trial("0" * 64)
    assert len(_fits(tmp_path, there, missing)) == 1
    whole = path.read_bytes()
    # With an unknown method of compression, and half of the file.
    unknown = re.sub(rb"(PK\x01\x02.{6}).", rb"\1c", whole, flags=re.DOTALL)
    for broken in (unknown, whole[: len(whole) // 2]):
        path.write_bytes(broken)
        assert _fits(tmp_path, there) == []
        with pytest.raises(DataError, match="cannot be read"):
            load_arrays(path.stem, tmp_path)
