"""The claims of a paper judged on a report's runs: from runs to the judge's plain arrays."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

import numpy as np
import pandas as pd

from boostbench.papers import Paper
from boostbench.papers.claims import read_claims
from boostbench.papers.evidence import CellRuns, Depth, Evidence
from boostbench.papers.judge import ClaimVerdict
from boostbench.papers.language import Array
from boostbench.papers.metrics import Metric, scales_of, signs_of
from boostbench.papers.planned import CUT_OFF, PlannedDataset, PlannedMethod
from boostbench.papers.readings import ClaimReadings, judge_all
from boostbench.papers.roles import changed, check_roles, roles_at
from boostbench.report.frames.results import ReportData
from boostbench.report.sentences.elsewhere import REMARK

JUDGED = (
    ClaimVerdict.NOT_REPRODUCED,
    ClaimVerdict.WEAKER,
    ClaimVerdict.UNDECIDED,
    ClaimVerdict.REPRODUCED,
)
"""The verdicts of claims that are judged, in the order in which they are shown."""
_BY_ROUND = ("objective", "fit_s", "solver_s")
"""The recorded curves of which claims know the value after each round."""


@dataclass(frozen=True)
class Ledger:
    """All claims of a paper, in its order, each judged."""

    paper: Paper
    entries: Sequence[ClaimReadings] = field(default_factory=list)

    def counts(self) -> dict[ClaimVerdict, int]:
        """Return how many claims have each verdict, by their main reading."""
        counts = Counter(entry.judged.verdict for entry in self.entries)
        return {verdict: counts[verdict] for verdict in ClaimVerdict}

    @property
    def measured(self) -> list[ClaimReadings]:
        """The claims with a measured figure."""
        return [entry for entry in self.entries if entry.judged.shown]


def make_ledger(several: Sequence[ReportData]) -> Ledger | None:
    """Return the ledger of the paper with which results are compared, if any.

    Several results are judged together: claims on trees of two depths need two experiments. Those
    of another paper than the first one's are left out.
    """
    paper = next((results.paper for results in several if results.paper is not None), None)
    if paper is None:
        return None
    evidence = evidence_of(paper, [results for results in several if results.paper == paper])
    return Ledger(paper, judge_all(read_claims(paper), evidence))


def evidence_of(paper: Paper, several: Sequence[ReportData]) -> Evidence:
    """Return the runs of ``several`` results, by the roles that their methods play in claims."""
    cells: dict[tuple[str, Depth, str], list[CellRuns]] = {}
    depths: set[Depth] = set()
    played: set[str] = set()
    differences: dict[str, str] = {}
    names = claimed_names(paper, several)
    for results in several:
        check_roles(paper, results.methods)
        # A data set with two labels counts once.
        datasets = [data for data in results.counted if data.published_as in names]
        designs = _design_differences(paper, results, datasets)
        differences = changed(paper, results.methods) | differences | designs
        comparable = [data for data in datasets if data.published_as not in designs]
        depths.update(_depths(paper, results))
        with_runs = results.with_runs
        for depth, role, method in _players(paper, results):
            if method.label in with_runs:
                played.add(role)
            for data in comparable:
                cell = _cell(paper, results, data, method)
                if cell.index:
                    key = role, depth, names[data.published_as]
                    cells.setdefault(key, []).append(cell)
    ordered = sorted(depths, key=lambda depth: (depth is None, depth or 0))
    signs = signs_of(paper, *(results.experiment for results in several))
    remarks = _remarks(paper, names)
    said = _said_of_all(several)
    return Evidence(
        paper, cells, ordered, signs, differences, remarks, scales_of(paper), played, said
    )


def _said_of_all(several: Sequence[ReportData]) -> str:
    """Return what is to be said of each claim, where others made the runs."""
    return REMARK if any(results.elsewhere for results in several) else ""


def _players(paper: Paper, results: ReportData) -> Iterator[tuple[Depth, str, PlannedMethod]]:
    """Yield each depth with each role and the method that plays it there."""
    for depth in _depths(paper, results):
        for role, method in roles_at(paper, results.methods, depth).items():
            yield depth, role, method


def _remarks(paper: Paper, names: Mapping[str, str]) -> dict[str, str]:
    """Return the remarks on stand-ins by their ``names`` in claims."""
    return {name: paper.datasets[own].remark for own, name in names.items() if own != name}


def _design_differences(
    paper: Paper, results: ReportData, datasets: Sequence[PlannedDataset]
) -> dict[str, str]:
    """Return how results were measured otherwise than the paper's, by published data set."""
    differences = {}
    for data in datasets:
        design = paper.design_of(data.published_as)
        if design and (why := design.difference(data.rule, results.experiment)):
            differences[data.published_as] = why
    return differences


def _depths(paper: Paper, results: ReportData) -> list[Depth]:
    """Return the depths of the methods whose trees have one, or of all methods."""
    known = [m for m in results.methods if m.registered and paper.has_depth(m.registered)]
    return list(dict.fromkeys(method.depth for method in known or results.methods))


def claimed_names(paper: Paper, several: Sequence[ReportData]) -> dict[str, str]:
    """Return the name in claims of each published data set that has finished runs in results.

    A stand-in has the name of the data set for which it stands; it is left out where that one has
    finished runs itself.
    """
    measured = {
        data.published_as
        for results in several
        for data in results.counted
        if data.published_as and any(len(results.of(data.label, m.label)) for m in results.methods)
    }
    claimed_as = {name: paper.datasets[name].stands_for or name for name in measured}
    return {
        name: claimed
        for name, claimed in claimed_as.items()
        if name == claimed or claimed not in measured
    }


def _cell(
    paper: Paper, results: ReportData, data: PlannedDataset, method: PlannedMethod
) -> CellRuns:
    """Return a cell with the quantities of claims, one value per run, NaN where a run has none."""
    own = results.of(data.label, method.label)
    beside_print = own.run.isin(results.beside_print(data.label, method.label).run)
    curves = [results.recorded_curves.get(run, {}) for run in own.run]
    areas = [_area(*run, paper.rounds) for run in zip(curves, own.stop, strict=True)]
    folds = str(results.experiment.get("splits") or results.experiment.get("folds"))
    decisive = results.decisive_runs.get((data.label, method.label))
    return CellRuns(
        index=list(own.index),
        part=str(own.part.iloc[0]) if len(own) else "fold",
        decisive=decisive.run if decisive else None,
        values=_quantities(own.assign(area=areas), results.metric, beside_print),
        rows=(data.fingerprint, folds, data.rule.words if data.rule else ""),
        processors=list(own.processor),
        curves=_by_round(curves),
    )


def _quantities(runs: pd.DataFrame, metric: Metric, beside_print: pd.Series) -> dict[str, Array]:
    """Return all numbers of runs by name, with the score of those ``beside_print`` alone."""
    count = runs.iterations.where(runs.iterations > 0)
    numbers = runs.assign(
        score=runs.score.where(beside_print),
        time=runs.fit_s,
        solver=runs.solver_s,
        round=runs.fit_s / count,
        search=(runs.fit_s - runs.solver_s) / count,
        failures=metric.exploded(runs.score).astype(float),
    ).select_dtypes("number")
    return dict(zip(map(str, numbers), numbers.to_numpy(float).T, strict=True))


def _by_round(curves: Sequence[Mapping[str, Sequence[float]]]) -> dict[str, Array]:
    """Return the quantities that all runs recorded, runs by rounds, NaN after a run's last one."""
    by_round = {}
    for name in _BY_ROUND:
        if all(name in curve for curve in curves):
            columns = zip_longest(*(curve[name] for curve in curves), fillvalue=np.nan)
            by_round[name] = np.array([*columns], float).T
    return by_round


def _area(curve: Mapping[str, Sequence[float]], stop: str, rounds: int) -> float:
    """Return the mean test error over the paper's rounds.

    A training that ended early keeps its last error; one that was cut off has none.
    """
    errors = list(curve.get("test_error", ()))[:rounds]
    if not errors or (len(errors) < rounds and stop == CUT_OFF):
        return float("nan")
    return float((np.sum(errors) + errors[-1] * (rounds - len(errors))) / rounds)
