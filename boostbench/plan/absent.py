"""What of an experiment has no trial, or none that has run, by the record that a store keeps."""

from collections.abc import Collection, Mapping
from typing import Any

from boostbench.suggest import counted


def unplanned(experiment: Mapping[str, Any], planned: Collection[str]) -> list[str]:
    """Return the data sets of ``experiment`` that are not among those ``planned``.

    Their data were never loaded, so that nothing is known that would name a trial.
    """
    # A shard has all of the plan, but may have no trial of a data set.
    if experiment.get("shard"):
        return []
    names = [str(entry.get("name")) for entry in experiment.get("datasets") or ()]
    not_run = (experiment.get("not_run") or {}).get("datasets", ())
    return [name for name in names if name not in planned and name not in not_run]


def without_data(experiment: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the data sets that the last run found unavailable, by the reason."""
    found: dict[str, list[str]] = {}
    for name, reason in (experiment.get("without_data") or {}).items():
        found.setdefault(str(reason), []).append(str(name))
    return found


def not_run(experiment: Mapping[str, Any]) -> str:
    """Return how many data sets and methods were left out since nothing of them has run, or ""."""
    left_out = experiment.get("not_run")
    if not left_out:
        return ""
    parts = [
        counted(len(left_out[key]), word)
        for key, word in (("datasets", "data set"), ("methods", "method"))
        if left_out[key]
    ]
    return f"{', '.join(parts)} not run ({counted(left_out['trials'], 'trial')})"
