"""Parameters of an estimator object that it does not use, and those that it does."""

import sys
from pathlib import Path

import pytest
from plan_parts import make_experiment

from boostbench.errors import ConfigError
from boostbench.plan.check import check_experiment

MODULE = """\
import threading

from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures


class Nested(RegressorMixin, BaseEstimator):
    def __init__(self, alpha=1.0):
        self.alpha = alpha
        self.inner = Ridge(alpha)

    def fit(self, X, y):
        self.inner.fit(X, y)
        return self

    def predict(self, X):
        return self.inner.predict(X)


class Steps(Nested):
    # What the constructor makes of its argument is no estimator.
    def __init__(self, rates=(1, 2)):
        self.rates = rates
        self.schedule = {"all": [1 / rate for rate in rates], "lock": 0}


class Deaf(Nested):
    def set_params(self, **params):
        return self


class Rebuilds(Nested):
    def set_params(self, **params):
        super().set_params(**params)
        self.inner = Ridge(self.alpha)
        return self


class Locked(RegressorMixin, BaseEstimator):
    # Its other attributes say nothing of the parameter, and cannot be compared.
    def __init__(self, alpha=1.0):
        self.alpha = alpha
        self.lock = threading.Lock()
        self.made = object()

    def fit(self, X, y):
        self.model_ = Ridge(self.alpha).fit(X, y)
        return self

    def predict(self, X):
        return self.model_.predict(X)


nested, steps, deaf, rebuilds, locked = Nested(), Steps(), Deaf(), Rebuilds(), Locked()
ridge, piped = Ridge(), make_pipeline(PolynomialFeatures(), Ridge())
outer = make_pipeline(PolynomialFeatures(), Nested())


def make(alpha=1.0):
    return Nested(alpha)
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "own_objects.py").write_text(MODULE)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "params", "parameter"),
    [
        ("nested", "{alpha: 1.0e+6}", "alpha"),
        ("steps", "{rates: [5]}", "rates"),
        ("deaf", "{alpha: 2.0}", "alpha"),
        ("outer", "{nested__alpha: 2.0}", "nested__alpha"),
    ],
)
def test_parameters_that_an_object_ignores_are_refused(
    own: Path, name: str, params: str, parameter: str
) -> None:
    entry = f"{{name: m, estimator: 'own_objects:{name}', params: {params}}}"
    with pytest.raises(ConfigError) as caught:
        check_experiment(make_experiment(own, entry))
    column = entry.index(parameter) + len("  - ") + len(f"{parameter}: ") + 1
    assert str(caught.value).startswith(f"{own / 'x.yaml'}:4:{column}: '{parameter}' has no effect")
    assert f"on own_objects:{name}, which was built with another value" in str(caught.value)
    # One of several values to choose from.
    chosen = f"{{name: m, estimator: 'own_objects:{name}', choose: {params}}}"
    if name == "nested":
        listed = chosen.replace("1.0e+6", "[1.0, 1.0e+6]")
        with pytest.raises(ConfigError, match="'alpha' has no effect"):
            check_experiment(make_experiment(own, listed))


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("nested", "{alpha: 1.0}"),
        ("nested", "{}"),
        ("Nested", "{alpha: 2.0}"),
        ("make", "{alpha: 2.0}"),
        ("ridge", "{alpha: 2.0}"),
        ("piped", "{ridge__alpha: 2.0, polynomialfeatures__degree: 3}"),
        ("rebuilds", "{alpha: 2.0}"),
        ("locked", "{alpha: 2.0}"),
    ],
)
def test_parameters_that_are_used_are_accepted(own: Path, name: str, params: str) -> None:
    entry = f"{{name: m, estimator: 'own_objects:{name}', params: {params}}}"
    assert len(check_experiment(make_experiment(own, entry))) == 1
