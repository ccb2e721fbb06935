"""How far the compiler is, before the first trial."""

import gc
import sys
import types

import numpy as np
import pytest

from boostbench.data import Dataset, fingerprint, save_arrays
from boostbench.engine.warming import sizes_of, warm_up, what_to_warm

numba = pytest.importorskip("numba")


@pytest.fixture
def room(monkeypatch):
    """A room of three kernels; its warming up compiles two of them."""
    if numba.config.DISABLE_JIT:
        pytest.skip("the compiler is switched off")
    module = types.ModuleType("made_up_room.kernels")
    package = types.ModuleType("made_up_room")
    kernels = [numba.njit(lambda x: x + 1), numba.njit(lambda x: x * 2), numba.njit(lambda x: -x)]
    module.first, module.second, module.third = kernels

    def warm() -> None:
        for value in (1, 1, 1.0):
            module.first(value)
        module.second(1)

    package.warm_up = warm
    monkeypatch.setitem(sys.modules, "made_up_room", package)
    monkeypatch.setitem(sys.modules, "made_up_room.kernels", module)
    return module


def test_each_kernel_is_counted_once_it_is_compiled(room):
    said = []
    warm_up([], ["made_up_room"], said.append)
    assert said == [{"compiled": 1, "kernels": 3}, {"compiled": 2, "kernels": 3}]


def test_kernels_that_are_there_already_are_not_reported(room):
    warm_up([], ["made_up_room"], lambda message: None)
    said = []
    warm_up([], ["made_up_room"], said.append)
    assert said == []


def test_what_cannot_be_imported_or_warmed_is_left_to_the_trials(room, capfd):
    sys.modules["made_up_room"].warm_up = lambda: 1 / 0
    warm_up(["no_such_module_at_all"], ["no_such_room", "made_up_room"], lambda message: None)
    assert "ZeroDivisionError" in capfd.readouterr().err


def test_only_what_a_run_needs_is_compiled(tmp_path, monkeypatch):
    trees, boosting = "boostbench.trees", "boostbench.boosting"
    estimators = [f"{trees}:SoftRegressionTree", f"{trees}.ForestRegressor", "sklearn.svm:SVR"]
    boosters = [f"{boosting}:MultiBoost", f"{boosting}:MultiBoostCW"]
    modules, needed = what_to_warm([*estimators, *boosters], ["depth", "C"])
    assert modules == [trees, "sklearn.svm", boosting]
    assert needed == [f"{trees}:SoftRegressionTree", f"{trees}:ForestRegressor", *boosters]
    (tmp_path / "own_tree_for_warming.py").write_text(
        "from boostbench.trees import SoftRegressionTree"
    )
    monkeypatch.syspath_prepend(tmp_path)
    # What of it an own module calls is not known.
    assert what_to_warm([*estimators, "own_tree_for_warming:X"])[1] == [trees]


def test_kernels_of_one_parameter_are_compiled_where_it_is_given_or_may_be():
    soft, random = (
        "boostbench.trees:SoftRegressionTree",
        "boostbench.trees:RandomizedRegressionTree",
    )
    assert what_to_warm([soft, random], ["depth"])[1] == [soft, random]
    assert what_to_warm([soft, random], ["init"])[1] == [soft, random, f"{random}.init"]
    assert what_to_warm([soft], ["convergent_after"])[1] == [soft, f"{soft}.convergent_after"]
    assert what_to_warm([soft])[1] == [soft, f"{soft}.convergent_after"]


def test_boosting_is_told_the_sizes_of_the_data():
    booster = "boostbench.boosting:MultiBoostCW"
    assert what_to_warm([booster], [], lambda: ["150x3"])[1] == [
        booster,
        "boostbench.boosting:150x3",
    ]
    tree = "boostbench.trees:SoftRegressionTree"
    assert what_to_warm([tree], [], lambda: pytest.fail("not needed"))[1] == [tree]


def test_the_sizes_of_data_that_are_all_there(tmp_path):
    X, y = np.zeros((4, 1)), np.array([0, 2, 2, 1])
    mark = fingerprint(X, y)
    dataset = Dataset(
        name="d", X=X, y=y, feature_names=("x",), target="y", task="classification",
        fingerprint=mark, source="here", classes=("a", "b", "c"),
    )  # fmt: skip
    path = save_arrays(dataset, tmp_path)
    assert sizes_of([mark], tmp_path) == ["4x3"]
    assert sizes_of([mark, "0" * 64], tmp_path) == []
    path.write_bytes(path.read_bytes()[:40])
    assert sizes_of([mark], tmp_path) == []


def test_a_package_is_told_which_estimators_are_needed(room):
    calls = []
    sys.modules["made_up_room"].warm_up = lambda *names: calls.append(names)
    warm_up([], ["made_up_room:A", "made_up_room:B"], lambda message: None)
    warm_up([], ["made_up_room"], lambda message: None)
    assert calls == [(["A", "B"],), ()]


def test_garbage_is_looked_for_less_often_while_kernels_are_compiled(room):
    before, during = gc.get_threshold(), []
    sys.modules["made_up_room"].warm_up = lambda: during.append(gc.get_threshold())
    warm_up([], ["made_up_room"], lambda message: None)
    assert during[0][0] > 100 * before[0]
    assert gc.get_threshold() == before
    sys.modules["made_up_room"].warm_up = lambda: 1 / 0
    warm_up([], ["made_up_room"], lambda message: None)
    assert gc.get_threshold() == before
