"""The map in the engine's docstring leads somewhere."""

import importlib
import re

import pytest

import boostbench.engine

NAMES = sorted(set(re.findall(r"``([\w.]+)``", boostbench.engine.__doc__)))


def resolve(name):
    """The object of a dotted name below the engine, or a class that the map has introduced."""
    if name.partition(".")[0] in ("Pool", "WorkerProcess"):
        name = {"Pool": "pool.", "WorkerProcess": "worker_process."}[name.partition(".")[0]] + name
    module, rest = importlib.import_module("boostbench.engine"), name.split(".")
    while rest:
        try:
            module = importlib.import_module(f"{module.__name__}.{rest[0]}")
        except ModuleNotFoundError:
            break
        rest = rest[1:]
    found = module
    for part in rest:
        found = getattr(found, part)
    return found


def test_it_names_the_steps():
    assert len(NAMES) > 15


@pytest.mark.parametrize("name", NAMES)
def test_each_name_exists(name):
    if name.startswith("dask."):
        pytest.importorskip("distributed", reason="needs boostbench[cluster]")
    assert resolve(name) is not None
