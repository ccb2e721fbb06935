"""The record of an experiment, as a store keeps it, and the keys that it may lack."""

from boostbench.values import Record

# How the experiment was run. Stores of earlier versions lack some, archives those that name places
# of the machine, and each record those that say nothing.
_DEFAULTS: Record = {
    "overrides": [],
    "mirror": None,
    "offline": False,
    "shard": "",
    "cluster": "",
    "cluster_config": None,
    "jobs": None,
    "data_files": {},
    "data_remarks": {},
    "sources": {},
    "without_data": {},
}


def completed(record: Record) -> Record:
    """Return ``record`` with the defaults of the keys that it lacks.

    The keys of the experiment file are completed by :mod:`boostbench.config`, which knows them.
    """
    return {**_DEFAULTS, **record}
