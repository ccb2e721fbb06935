"""The estimators need nothing of the runner: they fit where its packages cannot be imported."""

import subprocess
import sys

import pytest

ESTIMATORS = {
    "AdaBoostECC",
    "AdaBoostMH",
    "AdaBoostMO",
    "ForestRegressor",
    "MultiBoost",
    "MultiBoostCW",
    "OptimalRegressionTree",
    "OptimalRegressionTreeCV",
    "RForestRegressor",
    "RandomizedRegressionTree",
    "SoftRegressionTree",
}
BLOCKED = ("pandas", "pydantic", "rich", "matplotlib", "openml")
# Every estimator of a module is found, not listed, so that a new one is tested too.
_PROGRAM = """\
import importlib, sys

class Block:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in BLOCKED:
            raise ModuleNotFoundError(f"{name} is blocked", name=name)

BLOCKED = set(sys.argv[2].split(","))
sys.meta_path.insert(0, Block())
modules = [importlib.import_module(name) for name in sys.argv[1].split(",")]

import numpy as np
from sklearn.base import BaseEstimator, is_classifier

draw = np.random.default_rng(0)
X = draw.uniform(size=(60, 3))
y = X[:, 0] + 0.1 * draw.normal(size=60)
SMALL = {"depth": 1, "max_iter": 5, "n_restarts": 2, "n_estimators": 3, "random_state": 0}
for module, name in [(module, name) for module in modules for name in module.__all__]:
    kind = getattr(module, name)
    if not (isinstance(kind, type) and issubclass(kind, BaseEstimator)):
        continue
    known = kind().get_params()
    estimator = kind(**{key: value for key, value in SMALL.items() if key in known})
    if getattr(estimator, "unavailable", lambda: None)():
        print("SKIPPED", name)
        continue
    estimator.fit(X, (y > 0.5).astype(int) if is_classifier(estimator) else y)
    predicted = estimator.predict(X)
    assert predicted.shape == (60,) and np.isfinite(predicted).all(), name
    print("FITTED", name)
    if hasattr(module, "export_text") and "Forest" not in name:
        assert module.export_text(estimator)
assert not BLOCKED & set(sys.modules), BLOCKED & set(sys.modules)
"""


def _fit(modules: str, blocked: tuple[str, ...] = BLOCKED) -> subprocess.CompletedProcess[str]:
    """Fit every estimator of the modules in a process without the packages ``blocked``."""
    return subprocess.run(
        [sys.executable, "-P", "-c", _PROGRAM, modules, ",".join(blocked)],
        capture_output=True,
        text=True,
        timeout=250,
        check=False,
    )


def test_every_estimator_fits_without_the_packages_of_the_runner() -> None:
    done = _fit("boostbench.trees,boostbench.boosting")
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    assert {name for _, name in lines} >= ESTIMATORS
    # R's forest needs R, which few machines have.
    assert {name for word, name in lines if word == "SKIPPED"} <= {"RForestRegressor"}


@pytest.mark.parametrize(
    ("module", "blocked"),
    [
        # What the estimators do need, and a module that is no estimator's.
        ("boostbench.trees", "scipy"),
        ("boostbench.boosting", "sklearn"),
        ("boostbench.config.model", "pydantic"),
    ],
)
def test_a_package_that_is_needed_and_blocked_is_noticed(module: str, blocked: str) -> None:
    done = _fit(module, (blocked,))
    assert done.returncode == 1
    assert f"{blocked} is blocked" in done.stderr
