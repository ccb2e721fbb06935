"""The data sets of an experiment without a trial, or without one that has run."""

from collections.abc import Collection

from boostbench.values import Record


def unplanned(experiment: Record, planned: Collection[str]) -> list[str]:
    """Return the data sets of ``experiment`` that are not among those ``planned``.

    Their data were never loaded, so that their fingerprints, and with them the trials, are unknown.
    """
    # A shard has all of the plan, but may have no trial of a data set.
    if experiment.get("shard"):
        return []
    names = [str(entry.get("name")) for entry in experiment.get("datasets") or ()]
    return [name for name in names if name not in planned]


def without_data(experiment: Record) -> dict[str, list[str]]:
    """Return the data sets that the last run found unavailable, by the reason."""
    names_by_reason: dict[str, list[str]] = {}
    for name, reason in (experiment.get("without_data") or {}).items():
        names_by_reason.setdefault(str(reason), []).append(str(name))
    return names_by_reason
