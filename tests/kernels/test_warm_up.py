"""What ``warm_up`` compiles: each kernel that fits call, for the arguments that they have."""

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import config

FAMILIES = ("boostbench.trees", "boostbench.boosting")

pytestmark = pytest.mark.skipif(
    bool(getattr(config, "DISABLE_JIT", False)), reason="the compiler is switched off"
)


def _kernels(family: str) -> dict[str, Any]:
    importlib.import_module(family).warm_up()
    return {
        f"{name}.{key}": value
        for name, module in sys.modules.items()
        if name.startswith(family)
        for key, value in vars(module).items()
        if hasattr(value, "overloads")
    }


def _fit() -> None:
    from boostbench.boosting import MultiBoost, MultiBoostCW
    from boostbench.trees import RandomizedRegressionTree, SoftRegressionTree

    rng = np.random.default_rng(0)
    X, y = rng.random((90, 3)), rng.integers(0, 3, 90)
    for booster in (MultiBoostCW(max_iter=4, random_state=0), MultiBoost(max_iter=3)):
        booster.fit(X, y, rng.random(90))
        list(booster.staged_predict(X))
        booster.predict_proba(X.astype(np.float32))
    for tree in (
        SoftRegressionTree(2, n_restarts=2, n_clusterings=2, random_state=0),
        SoftRegressionTree(1, "l2", convergent_after=1, tol=1e-3, random_state=0),
        RandomizedRegressionTree(2, max_iter=2, init="clustering", random_state=0),
    ):
        tree.fit(X, y.astype(float)).predict(X)
        tree.objective(X, y.astype(float))


# Kernels with more than one signature, and the reasons.
SEVERAL = {
    **dict.fromkeys(
        ("search", "scan", "search_shared", "_keep_best", "quantise", "locate"),
        "the lanes of a row of weights are 4, 8, 16 or 32, and codes have 16 or 32 bits",
    ),
    **dict.fromkeys(("encode_feature", "write_bits", "outputs"), "codes have 16 or 32 bits"),
    "add_scores": "float32 data are not converted",
}


def compiled() -> dict[str, Any]:
    """Return the signatures of kernels that have several without a reason, and new ones of fits."""
    kernels = {**_kernels(FAMILIES[0]), **_kernels(FAMILIES[1])}
    assert any(kernel.overloads for kernel in kernels.values())
    several = {
        name: [str(signature) for signature in kernel.overloads]
        for name, kernel in kernels.items()
        if len(kernel.overloads) > 1 and name.rpartition(".")[2] not in SEVERAL
    }
    before = {name: set(kernel.overloads) for name, kernel in kernels.items()}
    _fit()
    more = {
        name: [str(signature) for signature in kernel.overloads if signature not in before[name]]
        for name, kernel in kernels.items()
    }
    return {"several": several, "more": {name: each for name, each in more.items() if each}}


def test_a_kernel_has_one_signature_and_fits_compile_nothing_more() -> None:
    # In a process of its own: other tests call kernels with arrays of other types.
    script = "import json, test_warm_up as t; print(json.dumps(t.compiled()))"
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout.splitlines()[-1]) == {"several": {}, "more": {}}


_ONLY_ONE = """
import json, sys
from numba import typeof
from boostbench.engine.warming import warm_up
family, *needs = sys.argv[1:]
warm_up([], [f"{family}:{need}" for need in needs], lambda message: None)
compiled = {
    f"{value.py_func.__module__.partition('.')[2]}.{key}": len(value.overloads)
    for name, module in list(sys.modules.items())
    if name.startswith("boostbench.")
    for key, value in vars(module).items()
    if hasattr(value, "overloads") and value.overloads
}
shared = [
    function.py_func.__name__
    for task in sys.modules[family].warm_up_tasks(needs)
    for function, values in task.shared
    if list(function.overloads) != [tuple(map(typeof, values))]
]
print(json.dumps([compiled, shared, "boostbench.trees._convergent" in sys.modules]))
"""


def _compile_only(cache: Path, family: str, *needs: str) -> Any:
    done = subprocess.run(
        [sys.executable, "-P", "-c", _ONLY_ONE, f"boostbench.{family}", *needs],
        env={**os.environ, "NUMBA_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def test_a_run_compiles_the_kernels_of_its_methods_only(tmp_path: Path) -> None:
    compiled, wrongly_shared, convergent = _compile_only(
        tmp_path, "trees", "RandomizedRegressionTree"
    )
    assert set(compiled.values()) == {1}
    # What tasks are said to share is called by their kernels, with arguments of the types given.
    assert wrongly_shared == []
    assert "trees._orrt_loss.randomized_tree_loss" in compiled
    assert "kernels.elementwise.affine" in compiled
    others = ("_nodec", "_initialisation", "_clustering", "_logistic", "local_search")
    assert [name for name in compiled if name.split(".")[1] in others] == []
    assert not convergent
    # On disk are the kernels that Python calls, with all that they call.
    kept = {path.name.partition("-")[0] for path in tmp_path.rglob("*.nbi")}
    assert kept == {
        "_blocks.pack",
        "_importance.feature_importances",
        "_orrt_loss.randomized_tree_loss",
    }


@pytest.mark.parametrize("booster", ["AdaBoostECC", "AdaBoostMH"])
def test_boosting_compiles_for_several_tasks_what_kernels_call(
    tmp_path: Path, booster: str
) -> None:
    compiled, wrongly_shared, _ = _compile_only(tmp_path, "boosting", booster, "90x3")
    assert "boosting._stump_search.write_bits" in compiled
    assert wrongly_shared == []


_OF_SIZES = """
import json, sys
import numpy as np
from boostbench import boosting

def versions():
    return {
        key: len(value.overloads)
        for name, module in sorted(sys.modules.items())
        if name.startswith("boostbench.boosting.")
        for key, value in vars(module).items()
        if hasattr(value, "overloads")
    }

def fit(estimator, n_samples, n_classes):
    y = np.arange(n_samples) % n_classes
    X = np.column_stack([y, np.arange(n_samples) % 7]).astype(float)
    estimator(max_iter=2).fit(X, y).predict(X)

needs, sizes = sys.argv[1].split(), sys.argv[2:]
boosting.warm_up([*needs, *sizes])
before = versions()
for name in [each for each in needs if "." not in each]:
    for size in sizes:
        fit(getattr(boosting, name), *map(int, size.split("x")))
found = [before[each] for each in ("search", "search_shared", "add_scores")]
print(json.dumps([found, versions() == before]))
"""


@pytest.mark.parametrize(
    ("needs", "sizes", "versions"),
    [
        ("MultiBoostCW", ("90x3",), [1, 0, 2]),
        ("MultiBoostCW AdaBoostMH", ("90x3", "99x11"), [2, 2, 2]),
        ("MultiBoost", ("40000x2", "90x10"), [3, 0, 2]),
        ("AdaBoostMH", ("32767x3",), [0, 2, 2]),
        ("AdaBoostECC", ("90x2", "90x10"), [1, 0, 2]),
        ("AdaBoostECC", (), [2, 0, 2]),
        # A column for each bit: ten classes have 511, or any number.
        ("AdaBoostMO", ("90x10",), [1, 0, 2]),
        ("AdaBoostMO AdaBoostMO.code", ("90x5",), [4, 0, 2]),
    ],
)  # fmt: skip
def test_of_boosting_what_the_data_need_is_compiled(
    needs: str, sizes: tuple[str, ...], versions: list[int]
) -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-c", _OF_SIZES, needs, *sizes],
        capture_output=True,
        text=True,
        check=True,
    )
    # And fits on such data compile nothing more.
    assert json.loads(done.stdout) == [versions, True]


def test_boosting_compiles_everything_where_nothing_is_said() -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-c", _OF_SIZES, ""], capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout)[0] == [8, 8, 2]


_KEPT = """
from boostbench.boosting import warm_up_tasks
from boostbench.kernels.tasks import is_kept

def kept(*needs):
    return [is_kept(task) for task in warm_up_tasks(needs)]

print(kept("AdaBoostMH", "90x3"), kept("AdaBoostMH", "90x10"), kept("AdaBoostMH", "90000x3"))
print(kept("AdaBoostMH", "90x3", "90x10"), kept("AdaBoostECC", "90x3"), kept("MultiBoost", "90x3"))
"""


def test_a_run_compiles_for_the_sizes_of_its_data(tmp_path: Path) -> None:
    (tmp_path / "small.yaml").write_text(
        "name: small\npaper: multiboost\ndatasets: [iris]\nmethods: [adaboost_mh]\n"
        "defaults: {max_iter: 2}\nsplits: {n: 2, test_size: 0.25}\n"
    )
    env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "numba")}
    command = [sys.executable, "-P", "-m", "boostbench", "run", "small.yaml", "--jobs", "1"]
    subprocess.run(command, cwd=tmp_path, env=env, check=True)
    kept = [path.name for path in tmp_path.rglob("*.nbc")]
    assert len([name for name in kept if "search_shared" in name]) == 1
    assert not [name for name in kept if "coloured_masses" in name or ".search-" in name]
    # Other versions, and kernels of other methods, are still to be compiled.
    command = [sys.executable, "-P", "-c", _KEPT]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "[True] [False] [True, False]",
        "[True, False] [False] [False]",
    ]
