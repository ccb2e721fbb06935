"""Runs on clusters of the tests' own."""

import shutil
from pathlib import Path

import pytest
from support import NO_LIMITS

pytest.importorskip("distributed", reason="needs boostbench[cluster]")

from clusters import Cluster, Killer, stop

import boostbench
from boostbench.engine.dask.dispatch import run_on_cluster
from boostbench.engine.dask.options import cluster_spec
from boostbench.store.store import Store

__all__ = ["Cluster", "Killer", "copy_with_other_sources", "run_there", "stop"]


def run_there(
    folder, trials, address, arrays_dir, limits=NO_LIMITS, listener=None, config=None, **options
):
    """Run ``trials`` on a cluster, results in ``folder``: (outcomes in order, summary)."""
    with Store.open(folder) as store:
        store.set_plan({}, trials)
        summary = run_on_cluster(
            store.missing(),
            store,
            cluster=cluster_spec(address, config),
            arrays_dir=arrays_dir,
            limits=limits,
            listener=listener or (lambda event: None),
            environment={"test": True},
            **options,
        )
        outcomes = store.outcomes()
    return [outcomes.get(t.key) for t in trials], summary


def copy_with_other_sources(folder):
    """Copy the package and change a module of the copy; return the folder to import it from."""
    copy = folder / "boostbench"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(boostbench.__file__).parent, copy, ignore=ignored)
    with (copy / "engine" / "worker.py").open("a") as file:
        file.write("# changed\n")
    return str(folder)
