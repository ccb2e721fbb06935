"""How far the compiler is, before the first trial."""

import gc
import re
import sys
import types

import numpy as np
import pytest

from boostbench.data.arrays import fingerprint, load_arrays, save_arrays
from boostbench.data.dataset import Dataset
from boostbench.engine.warming import sizes_of, warm_up, what_to_warm
from boostbench.errors import DataError
from boostbench.plan.trial import Trial

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


@pytest.mark.parametrize("collects", [True, False])
def test_garbage_is_collected_afterwards_as_before(room, collects):
    during = []
    sys.modules["made_up_room"].warm_up = lambda: during.append(gc.isenabled())
    (gc.enable if collects else gc.disable)()
    try:
        warm_up(["json", "no_such_module_at_all"], ["made_up_room"], lambda message: None)
        assert (during, gc.isenabled()) == ([collects], collects)
    finally:
        gc.enable()


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


def _saved(folder, y):
    X, y = np.zeros((len(y), 1)), np.array(y)
    dataset = Dataset(
        name="d", X=X, y=y, feature_names=("x",), target="y", task="classification",
        fingerprint=fingerprint(X, y), source="here", classes=("a", "b", "c", "d"),
    )  # fmt: skip
    return save_arrays(dataset, folder)


def _trial(mark, **others):
    values = {"task": "classification", "folds": 2, "fold": 0, "split_seed": 0, "seed": 0}
    scales = {"scale_features": "none", "scale_target": "none"}
    names = {"dataset": "d", "method": "m", "estimator": "a:B", "method_version": "1"}
    return Trial(**{**names, **values, **scales, "fingerprint": mark, **others})


@pytest.mark.parametrize(
    ("y", "train_rows", "sizes"),
    [
        ([0, 2, 2, 1, 0, 1], None, ["6x3"]),
        # The only row of a class may be a test row.
        ([0, 2, 2, 1, 0], None, ["5x2", "5x3"]),
        ([0, 0, 1, 1, 2, 2, 3, 3], 3, ["8x2", "8x3", "8x4"]),
        ([0, 0, 1, 1, 2, 2, 3, 3], 7, ["8x4"]),
        (list(range(50)), None, [f"50x{number}" for number in (*range(32), 50)]),
    ],
)
def test_sizes_that_training_data_may_have(tmp_path, y, train_rows, sizes):
    mark = _saved(tmp_path, y).stem
    assert sizes_of([_trial(mark, train_rows=train_rows)], tmp_path) == sizes
    assert sizes_of([_trial(mark, task="regression")], tmp_path) == []


def test_data_that_cannot_be_read_have_no_sizes(tmp_path):
    path = _saved(tmp_path, [0, 0, 1, 1])
    there, missing = _trial(path.stem), _trial("0" * 64)
    assert sizes_of([there, there], tmp_path) == ["4x2"]
    assert sizes_of([there, missing], tmp_path) == []
    whole = path.read_bytes()
    # With an unknown method of compression, and half of the file.
    unknown = re.sub(rb"(PK\x01\x02.{6}).", rb"\1c", whole, flags=re.DOTALL)
    for broken in (unknown, whole[: len(whole) // 2]):
        path.write_bytes(broken)
        assert sizes_of([there], tmp_path) == []
        with pytest.raises(DataError, match="cannot be read"):
            load_arrays(path.stem, tmp_path)


def test_a_package_is_told_which_estimators_are_needed(room):
    calls = []
    sys.modules["made_up_room"].warm_up = lambda *names: calls.append(names)
    warm_up([], ["made_up_room:A", "made_up_room:B"], lambda message: None)
    warm_up([], ["made_up_room"], lambda message: None)
    assert calls == [(["A", "B"],), ()]


@pytest.fixture
def usual_thresholds():
    """Python's own thresholds of its garbage collector, as those of the tests are higher."""
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    yield
    gc.set_threshold(*before)


def test_garbage_is_looked_for_less_often_while_kernels_are_compiled(room, usual_thresholds):
    before, during = gc.get_threshold(), []
    sys.modules["made_up_room"].warm_up = lambda: during.append(gc.get_threshold())
    warm_up([], ["made_up_room"], lambda message: None)
    assert during[0][0] > 100 * before[0]
    assert gc.get_threshold() == before
    sys.modules["made_up_room"].warm_up = lambda: 1 / 0
    warm_up([], ["made_up_room"], lambda message: None)
    assert gc.get_threshold() == before
