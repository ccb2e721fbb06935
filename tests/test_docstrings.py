"""The docstrings of what users import: their sections are complete, and their examples run."""

import doctest
import importlib
import inspect
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cached_property
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import BaseEstimator

import boostbench
from boostbench import boosting, trees

ROOT = Path(__file__).parents[1]
MODULES = (
    "boostbench",
    "boostbench.boosting",
    "boostbench.methods",
    "boostbench.stats",
    "boostbench.trees",
)
# Of numpydoc's checks these are left out: GL01 wants the summary on a line of its own; ES01, SA01
# and EX01 want a second paragraph, a reference to others and an example everywhere, also where
# they would not help.
LEFT_OUT = {"GL01", "ES01", "SA01", "EX01"}


def _public(module_name: str) -> list[str]:
    """The full names of the functions and classes in ``__all__``, and of their own members."""
    module = importlib.import_module(module_name)
    names = []
    for name in module.__all__:
        value = getattr(module, name)
        if callable(value):
            names.append(f"{module_name}.{name}")
        if inspect.isclass(value):
            names += [f"{module_name}.{name}.{member}" for member in _members(value)]
    return names


def _members(value: type) -> list[str]:
    """The public methods and properties of a class that this package defines."""
    own = [base for base in value.__mro__ if base.__module__.startswith("boostbench.")]
    found = {name: member for base in own for name, member in vars(base).items()}
    return [name for name in sorted(found) if name[0] != "_" and _has_docstring(found[name])]


def _has_docstring(member: object) -> bool:
    kinds = (property, cached_property, staticmethod, classmethod)
    return inspect.isfunction(member) or isinstance(member, kinds)


def _object(name: str) -> object:
    module_name = next(each for each in reversed(MODULES) if name.startswith(f"{each}."))
    value: object = importlib.import_module(module_name)
    for part in name.removeprefix(f"{module_name}.").split("."):
        value = getattr(value, part)
    return value


def _is_made_by_others(value: object) -> bool:
    """Whether users get such objects from functions, and document no parameters therefore."""
    is_class = inspect.isclass(value)
    return is_class and (is_dataclass(value) or issubclass(value, Enum | Exception))


def _complaints(name: str) -> Iterator[str]:
    """What numpydoc finds wrong with a docstring, without the checks that are left out."""
    validate = pytest.importorskip("numpydoc.validate").validate
    left_out = LEFT_OUT | {"PR01"} if _is_made_by_others(_object(name)) else LEFT_OUT
    for code, text in validate(name)["errors"]:
        if code not in left_out:
            yield f"{name}: {code} {text}"


@pytest.mark.parametrize("module_name", MODULES)
def test_docstrings_have_all_sections(module_name: str) -> None:
    names = _public(module_name)
    assert [text for name in names for text in _complaints(name)] == []


def _sections(value: object) -> dict[str, list[tuple[str, str, list[str]]]]:
    docscrape = pytest.importorskip("numpydoc.docscrape")
    return docscrape.NumpyDocString(inspect.getdoc(value))


def _attributes(value: type) -> dict[str, str]:
    """The attributes that a class documents, each with its type."""
    return _names(value, "Attributes")


def _names(value: object, section: str) -> dict[str, str]:
    entries = _sections(value)[section]
    return {name: kind for names, kind, _ in entries for name in names.split(", ")}


@pytest.mark.parametrize("module_name", MODULES)
def test_attributes_have_types_and_those_of_records_are_their_fields(module_name: str) -> None:
    classes = [each for each in map(_object, _public(module_name)) if inspect.isclass(each)]
    for each in classes:
        attributes = _attributes(each)
        assert all(attributes.values()), each
        if is_dataclass(each):
            documented = attributes or _names(each, "Parameters")
            assert list(documented) == [field.name for field in fields(each)]


@pytest.mark.parametrize(
    "model",
    [
        trees.ForestRegressor(3),
        trees.OptimalRegressionTree(depth=1, n_restarts=1),
        trees.OptimalRegressionTreeCV(depth=1, n_restarts=1),
        trees.RandomizedRegressionTree(depth=1),
        trees.SoftRegressionTree(depth=1, regularization="l2", clip=True),
        boosting.AdaBoostECC(3),
        boosting.AdaBoostMH(3),
        boosting.AdaBoostMO(max_iter=3),
        boosting.MultiBoost(max_iter=3),
        boosting.MultiBoostCW(max_iter=3),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_fitted_estimator_has_the_attributes_that_it_documents(model: BaseEstimator) -> None:
    X = np.linspace(0.0, 1.0, 60).reshape(30, 2)
    model.fit(X, np.repeat([-1.0, 1.0], 15))
    assert {name for name in _attributes(type(model)) if not hasattr(model, name)} == set()


@pytest.mark.parametrize("module_name", MODULES)
def test_examples_of_docstrings_run(module_name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if not (ROOT / "results" / "quickstart").is_dir():
        pytest.skip("the examples read results of a clone")
    monkeypatch.chdir(ROOT)
    runner = doctest.DocTestRunner()
    for name in _public(module_name):
        for example in doctest.DocTestFinder(recurse=False).find(_object(name), name):
            runner.run(example)
    assert runner.failures == 0
    assert runner.tries > 0


def test_dir_offers_what_can_be_imported() -> None:
    assert set(boostbench.__all__) <= set(dir(boostbench))
    assert {"boosting", "stats", "trees"} <= set(dir(boostbench))
    assert all(hasattr(boostbench, name) for name in dir(boostbench))
