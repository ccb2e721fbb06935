"""The record of an experiment, as a store keeps it, and the keys that it may lack."""

from collections.abc import Mapping, Sequence
from typing import NotRequired, TypedDict

from boostbench.values import Record


class ExperimentRecord(TypedDict):
    """The record of an experiment: what its file says, and how it was run.

    These are the keys that its readers ask for without knowing whether it has them; the other keys
    of the file are there too.
    """

    name: str
    title: str
    description: str
    table: object
    results: str | None
    split_seeds: NotRequired[object]
    splits: NotRequired[Record | None]
    metrics: NotRequired[Sequence[object]]
    datasets: Sequence[Record]
    methods: Sequence[Record]
    limits: Record
    config: str
    file: str
    overrides: Sequence[str]
    mirror: str | None
    offline: bool
    shard: str
    cluster: str
    cluster_config: str | None
    jobs: int | None
    data_files: Mapping[str, str]
    data_remarks: Mapping[str, Sequence[str]]
    data_rows: Mapping[str, int]
    own_estimators: Mapping[str, Record]
    paper_at_start: Record
    sources: Mapping[str, dict[str, str]]
    without_data: Mapping[str, str]


# A record may lack any of these keys: one of an earlier version those that came later, that of an
# archive those that name places of the machine, and a store without a plan has none at all. Any
# record may leave out what is empty.
DEFAULTS: ExperimentRecord = {
    "name": "",
    "title": "",
    "description": "",
    "table": None,
    "results": None,
    "datasets": [],
    "methods": [],
    "limits": {},
    "config": "",
    "file": "",
    "overrides": [],
    "mirror": None,
    "offline": False,
    "shard": "",
    "cluster": "",
    "cluster_config": None,
    "jobs": None,
    "data_files": {},
    "data_remarks": {},
    "data_rows": {},
    "own_estimators": {},
    "paper_at_start": {},
    "sources": {},
    "without_data": {},
}

OF_THE_CALL = frozenset({"mirror", "offline", "jobs", "cluster", "cluster_config"})
"""The keys that say how a run was called: they decide nothing about trials and their report."""
