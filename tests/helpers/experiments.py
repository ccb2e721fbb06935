"""Experiment files of tests, and models of the user's own beside them."""

from pathlib import Path

RIDGE = "{estimator: sklearn.linear_model.Ridge}"
DUMMY = "{name: dummy, estimator: sklearn.dummy.DummyRegressor}"
NO_FIGURES = """\
from boostbench.report.names import FIGURE_KINDS
from boostbench.report.figures.files import Drawing
Drawing.files = lambda _: dict.fromkeys(FIGURE_KINDS, b"not drawn")
"""
"""What a script or a notebook begins with where figures are not its subject."""
SPY = """
import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin


class Spy(RegressorMixin, BaseEstimator):
    def fit(self, X, y):
        self.trained_ = X[:, 0]
        return self

    def predict(self, X):
        if not hasattr(self, "tested_"):
            self.tested_ = X[:, 0]
        return np.zeros(len(X))

    def benchmark_metrics_(self):
        parts = {"trained_on": self.trained_, "tested_on": self.tested_}
        return {name: " ".join(f"{x:.0f}" for x in part) for name, part in parts.items()}
"""
"""A module with a model that records the first feature of its training and test rows."""


def experiment(name: str, *methods: str, data: str = "diabetes", **keys: object) -> str:
    """Return an experiment file; two folds and one seed unless other ``keys`` are given."""
    about = {"name": name, "datasets": f"[{data}]", "methods": f"[{', '.join(methods)}]"}
    protocol = {"seeds": 1} if "splits" in keys else {"folds": 2, "seeds": 1}
    return "".join(f"{key}: {text}\n" for key, text in {**about, **protocol, **keys}.items())


def write(name: str, *methods: str, **keys: object) -> str:
    """Write an experiment file into the working folder and return its name."""
    Path(f"{name}.yaml").write_text(experiment(name, *methods, **keys))  # type: ignore[arg-type]
    return f"{name}.yaml"


def write_model(module: str, fit: str = "pass") -> str:
    """Write a module whose ``Own`` runs ``fit`` in each fit; return it as a method ``own``."""
    Path(f"{module}.py").write_text(
        "from sklearn.dummy import DummyRegressor\n\n\nclass Own(DummyRegressor):\n"
        f"    def fit(self, X, y):\n        {fit}\n        return super().fit(X, y)\n"
    )
    return f"{{name: own, estimator: {module}.Own}}"
