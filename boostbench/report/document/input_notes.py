"""What the methods of an experiment got of its data, as notes of the report."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from boostbench.grouping import grouped
from boostbench.plan.trial import Trial
from boostbench.report.frames.results import ReportData
from boostbench.report.sentences import introduction


class _Got(NamedTuple):
    """The methods on a data set by what they got: frames or matrices, weights or none."""

    task: str
    has_frame: bool
    weights: str
    frames: tuple[str, ...]
    weighted: tuple[str, ...]
    methods: tuple[str, ...]


def input_notes(results: ReportData) -> list[str]:
    """Return which methods got frames, matrices and weights; data sets without are left out."""
    notes = []
    for got, names in grouped(_by_dataset(results)).items():
        if got.has_frame:
            others = _others(got, got.frames)
            notes.append(introduction.frames_and_matrices(names, got.frames, others, got.task))
        if got.weights:
            others = _others(got, got.weighted)
            notes.append(introduction.weights(names, got.weights, got.weighted, others))
    return notes


def _others(got: _Got, methods: Sequence[str]) -> list[str]:
    return [name for name in got.methods if name not in methods]


def _by_dataset(results: ReportData) -> Iterator[tuple[_Got, str]]:
    trials = {(each.dataset, each.method): each.like for each in results.planned}
    for entry in results.experiment["datasets"]:
        own = [trial for (dataset, _), trial in trials.items() if dataset == entry["name"]]
        has_frame, weights = entry.get("features") == "frame", str(entry.get("weights") or "")
        if own and (has_frame or weights):
            yield _got(own, weights, has_frame=has_frame), entry["name"]


def _got(trials: Sequence[Trial], weights: str, *, has_frame: bool) -> _Got:
    return _Got(
        trials[0].task,
        has_frame,
        weights,
        frames=tuple(trial.method for trial in trials if trial.features == "frame"),
        weighted=tuple(trial.method for trial in trials if trial.weighted),
        methods=tuple(trial.method for trial in trials),
    )
