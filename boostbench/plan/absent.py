"""The data sets of an experiment without a trial, or without one that has run."""

from collections.abc import Collection

from boostbench.values import Record


def unplanned(experiment: Record, planned: Collection[str]) -> list[str]:
    """Return the data sets of ``experiment`` that are not among those ``planned``.

    Their data were never loaded, so that their fingerprints, and with them the trials, are unknown.
    """
    # A shard has all of the plan, but may have no trial of a data set.
    if experiment["shard"]:
        return []
    names = [entry["name"] for entry in experiment["datasets"]]
    return [name for name in names if name not in planned]


def without_data(experiment: Record) -> dict[str, list[str]]:
    """Return the data sets that the last run found unavailable, by the reason."""
    names_by_reason: dict[str, list[str]] = {}
    for name, reason in experiment["without_data"].items():
        names_by_reason.setdefault(reason, []).append(name)
    return names_by_reason
