"""What the methods of an experiment got of its data, as notes of the report."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from boostbench.plan.trial import Trial
from boostbench.report.frames.results import ReportData
from boostbench.report.sentences import inputs


@dataclass(frozen=True)
class _OfDataset:
    """The methods on a data set, by what they got: those with frames, those with weights."""

    task: str
    has_frame: bool
    weights: str
    frames: Sequence[str]
    matrices: Sequence[str]
    weighted: Sequence[str]
    unweighted: Sequence[str]


def input_notes(results: ReportData) -> list[str]:
    """Return which methods got frames, matrices and weights; data sets without are left out."""
    alike: dict[str, tuple[_OfDataset, list[str]]] = {}
    for name, got in _by_dataset(results):
        alike.setdefault(repr(got), (got, []))[1].append(name)
    notes = []
    for got, names in alike.values():
        if got.has_frame:
            notes.append(inputs.frames_and_matrices(names, got.frames, got.matrices, got.task))
        if got.weights:
            notes.append(inputs.weights(names, got.weights, got.weighted, got.unweighted))
    return notes


def _by_dataset(results: ReportData) -> Iterator[tuple[str, _OfDataset]]:
    trials = {(trial.dataset, trial.method): trial for trial in results.planned}
    for entry in results.experiment["datasets"]:
        own = [trial for (dataset, _), trial in trials.items() if dataset == entry["name"]]
        has_frame, weights = entry.get("features") == "frame", str(entry.get("weights") or "")
        if own and (has_frame or weights):
            is_frame = [trial.features == "frame" for trial in own]
            is_weighted = [trial.weighted for trial in own]
            yield (
                entry["name"],
                _OfDataset(
                    own[0].task,
                    has_frame,
                    weights,
                    *_divided(own, is_frame),
                    *_divided(own, is_weighted),
                ),
            )


def _divided(trials: Sequence[Trial], which: Sequence[bool]) -> tuple[list[str], list[str]]:
    """Return the methods of the trials of ``which`` something is true, and the others."""
    yes = [trial.method for trial, true in zip(trials, which, strict=True) if true]
    return yes, [trial.method for trial in trials if trial.method not in yes]
