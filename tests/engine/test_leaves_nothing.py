"""Trials of registered methods share processes: none of them may leave anything behind there."""

import os
import random
import threading
import warnings
from pathlib import Path

import numpy as np
import pytest
import sklearn
from threadpoolctl import threadpool_info

from boostbench import estimators, methods
from boostbench.engine.warming import fit_synthetic


def _state():
    """What a fit could leave in its process that would change another one's result."""
    return {
        "random": random.getstate(),
        "numpy": repr(np.random.get_state(legacy=False)),  # noqa: NPY002
        "errors": np.geterr(),
        "print": np.get_printoptions(),
        "pools": sorted((p["filepath"], p["num_threads"]) for p in threadpool_info()),
        "threads": threading.active_count(),
        "sklearn": sklearn.get_config(),
        "filters": list(warnings.filters),
        "environment": dict(os.environ),
        "folder": Path.cwd(),
    }


@pytest.mark.parametrize("name", methods.BUILTIN)
def test_a_fit_leaves_nothing_behind(name):
    method = methods.get_method(name)
    if reason := estimators.unavailable(method.estimator):
        pytest.skip(reason)
    task = method.task
    fit = {"task": task, "classes": 3 * (task == "classification")}
    # The first fit loads libraries.
    fit_synthetic(method.estimator, method.params, **fit)
    before = _state()
    fit_synthetic(method.estimator, method.params, **fit)
    assert _state() == before
