"""Runs on clusters of the tests' own."""

import pytest
from support import NO_LIMITS

pytest.importorskip("distributed", reason="needs boostbench[cluster]")

from clusters import Cluster, Killer, stop

from boostbench.engine.dask.dispatch import run_on_cluster
from boostbench.engine.dask.options import cluster_spec
from boostbench.store.store import Store

__all__ = ["Cluster", "Killer", "run_there", "stop"]


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
