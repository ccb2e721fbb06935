"""The registry, and estimators that are not in it."""

from typing import Any

import numpy as np
import pytest
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import RandomForestRegressor

from boostbench import estimators, methods
from boostbench.config.model import MethodEntry as Entry
from boostbench.errors import ConfigError
from boostbench.plan import check

HERE = "tests.test_methods" if __name__.startswith("tests.") else "test_methods"
RIDGE = "sklearn.linear_model.Ridge"
FOREST = "sklearn.ensemble:RandomForestRegressor"


class Anything(DummyRegressor):
    """Takes any parameter, and cannot run here."""

    def __init__(self, **kwargs: Any) -> None:
        self.kwargs = kwargs

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return dict(self.kwargs)

    @classmethod
    def unavailable(cls) -> str | None:
        return "the moon is not full"


class Picky(Anything):
    """Refuses a value when it is made."""

    def __init__(self, depth: int = 1) -> None:
        if depth > 3:
            raise ValueError("depth must be\nat most 3")
        self.depth = depth
        self.kwargs = {"depth": depth}


def test_the_papers_methods_are_registered() -> None:
    assert list(methods.BUILTIN) == [
        "srt",
        "srt_l2",
        "srt_best5",
        "srt_l2_best5",
        "srt_l2_literal",
        "srt_xy",
        "srt_l2_xy",
        "orrt",
        "orrt_trained",
        "orrt_best",
        "ort_l",
        "ort_l_min20",
        "ort_l_grid",
        "ort_lh",
        "random_forest",
        "random_forest_r",
        "multiboost_cw",
        "multiboost_cw1",
        "multiboost",
        "adaboost_mh",
        "adaboost_mo",
        "adaboost_ecc",
    ]
    assert methods.get_method("srt_l2_best5").params["n_restarts"] == 5


@pytest.mark.parametrize("name", methods.BUILTIN)
def test_every_registered_method_can_be_built(name: str) -> None:
    resolved = methods.resolve(Entry(name=name, method=name), {})
    estimator = estimators.build(resolved.estimator, resolved.params, random_state=3)
    parameters = estimator.get_params()
    assert parameters.get("random_state", 3) == 3
    assert {key: parameters[key] for key in resolved.params} == dict(resolved.params)


@pytest.mark.parametrize("name", ["srt", "srt_best5"])
def test_plain_soft_trees_do_not_extrapolate(name: str) -> None:
    resolved = methods.resolve(Entry(name=name, method=name), {"depth": 1})
    estimator = estimators.build(resolved.estimator, resolved.params, random_state=0)
    X = np.linspace(0.0, 1.0, 40)[:, None]
    estimator.fit(X, X[:, 0])
    beyond = estimator.predict([[-5.0], [0.0], [1.0], [7.0]])
    assert beyond[0] == beyond[1] != beyond[2] == beyond[3]


def test_presets_are_stronger_than_defaults_and_weaker_than_params() -> None:
    entry = Entry(method="srt_l2_best5", params={"max_iter": 7})
    resolved = methods.resolve(entry, {"depth": 2, "n_restarts": 1, "no_such": 1})
    assert resolved.params == {"regularization": "l2", "depth": 2, "n_restarts": 5, "max_iter": 7}


def test_parameters_in_choose_are_not_in_params() -> None:
    entry = Entry(method="multiboost_cw1", params={"tol": 0.5}, choose={"C": [1e8, 1e9]})
    resolved = methods.resolve(entry, {"C": 10.0, "max_iter": 9})
    assert resolved.params == {"stagewise": True, "tol": 0.5, "max_iter": 9}
    assert resolved.choose == {"C": [1e8, 1e9]}


@pytest.mark.parametrize(
    ("choose", "choose_with", "parameter", "message"),
    [
        ({"alpha": [1.0, -1.0]}, {}, "alpha", "The 'alpha' parameter of Ridge must be"),
        ({"tol": [1.0]}, {}, "tol", "is given and to be chosen"),
        ({"alpha": [1.0, 2.0]}, {"tol": -1.0}, "tol", "The 'tol' parameter of Ridge must be"),
        ({"alpha": [1.0, 2.0]}, {"alpha": 1.0}, "alpha", "is given and to be chosen"),
        ({}, {"tol": 1e-2}, "tol", "no 'choose' for which"),
    ],
)
def test_parameters_in_choose_are_checked_too(choose, choose_with, parameter, message):
    entry = Entry(estimator=RIDGE, params={"tol": 1e-3}, choose=choose, choose_with=choose_with)
    with pytest.raises(estimators.RefusedParameterError, match=message) as caught:
        methods.resolve(entry, {})
    assert caught.value.parameter == parameter


def test_defaults_are_not_for_imported_estimators() -> None:
    resolved = methods.resolve(Entry(estimator=RIDGE, params={"alpha": 2}), {"max_iter": 5})
    assert resolved.params == {"alpha": 2}
    assert resolved.version.startswith("sklearn ")


def test_an_unknown_method_is_reported_with_the_nearest() -> None:
    with pytest.raises(ConfigError, match=r"no method 'srt_12' \(did you mean 'srt_l2'\?\)"):
        methods.get_method("srt_12")


def test_other_packages_add_methods(install) -> None:
    install(
        "boostbench.methods",
        mine=methods.Method("mine", RIDGE, {"alpha": 2.0}),
        srt=methods.Method("srt", RIDGE),
    )
    assert methods.method_names()[-1] == "mine"
    assert methods.resolve(Entry(method="mine"), {}).params == {"alpha": 2.0}
    assert methods.get_method("srt").estimator != RIDGE


def test_broken_packages_do_no_harm_until_used(install) -> None:
    install("boostbench.methods", torn=ImportError("no libfoo"), odd="text")
    assert methods.method_names()[-2:] == ["odd", "torn"]
    with pytest.raises(ConfigError, match=r"'torn' .* cannot be imported: no libfoo"):
        methods.get_method("torn")
    with pytest.raises(ConfigError, match=r"'odd' of .* it is no Method, but of type str"):
        methods.get_method("odd")


def test_seed_and_threads_are_set_where_they_can_be() -> None:
    forest = estimators.build(FOREST, {"n_estimators": 3}, random_state=11)
    assert (forest.random_state, forest.n_jobs, forest.n_estimators) == (11, 1, 3)
    assert estimators.build(f"{HERE}:Picky", {"depth": 2}, random_state=11).depth == 2


@pytest.mark.parametrize(
    ("estimator", "params", "message"),
    [
        (RIDGE, {"alhpa": 1}, r"Ridge has no parameter 'alhpa' \(did you mean 'alpha'\?\)"),
        (FOREST, {"n_jobs": 4}, "'n_jobs' cannot be set: .* one thread"),
        (f"{HERE}:Picky", {"depth": 9}, "depth must be at most 3"),
    ],
)
def test_wrong_parameters_are_refused(estimator: str, params: dict[str, Any], message: str) -> None:
    with pytest.raises(estimators.RefusedParameterError, match=message):
        estimators.validate_params(estimator, params)


def fixed_forest(**others: Any) -> Any:
    return RandomForestRegressor(n_jobs=2, random_state=5, **others)


def test_parameters_that_a_function_fixes_are_not_set_again() -> None:
    model = estimators.build(f"{HERE}:fixed_forest", {"max_depth": 2}, random_state=1)
    assert (model.max_depth, model.random_state, model.n_jobs) == (2, 5, 1)


def test_an_estimator_that_takes_any_parameter_gets_it() -> None:
    estimators.validate_params(f"{HERE}:Anything", {"whatever": [1, 2]})
    resolved = methods.resolve(Entry(estimator=f"{HERE}:Anything", params={"a": 1}), {})
    assert estimators.build(resolved.estimator, resolved.params, 0).kwargs == {"a": 1}


def forest_of(size: int) -> Any:
    return RandomForestRegressor(size)


def test_a_parameter_that_must_be_given_can_be_chosen() -> None:
    entry = Entry(estimator=f"{HERE}:forest_of", choose={"size": [3, 4]})
    assert methods.resolve(entry, {}).some_params == {"size": 3}


def test_why_a_method_cannot_run_here(monkeypatch: pytest.MonkeyPatch) -> None:
    assert estimators.unavailable(RIDGE) is None
    assert estimators.unavailable(f"{HERE}.Anything") == "the moon is not full"
    monkeypatch.setattr(Anything, "unavailable", lambda: 1 / 0)
    with pytest.raises(ConfigError, match=r"Anything: unavailable\(\) fails: division by zero"):
        estimators.unavailable(f"{HERE}.Anything")


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("Ridge", "Ridge cannot be imported: No module named 'Ridge'"),
        (".Ridge", r"\.Ridge cannot be imported"),
        ("sklearn.linear_model.Rigde", r"has no 'Rigde' \(did you mean 'Ridge'\?\)"),
        ("nowhere_at_all.Ridge", "No module named 'nowhere_at_all'"),
        ("json.decoder", "is not an estimator, nor a class or function that returns one"),
    ],
)
def test_paths_that_lead_to_no_estimator(path: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        methods.resolve(Entry(estimator=path), {})


@pytest.mark.parametrize(
    ("path", "task"),
    [
        (RIDGE, "regression"),
        ("sklearn.linear_model.LogisticRegression", "classification"),
        ("sklearn.cluster.KMeans", None),
    ],
)
def test_task_of_an_estimator(path: str, task: str | None) -> None:
    assert check.task_of(path, {}) == task
