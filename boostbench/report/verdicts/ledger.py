"""The claims of a paper judged on a report's runs: from runs to the judge's plain arrays."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product, zip_longest

import numpy as np
import pandas as pd

from boostbench.papers import Paper
from boostbench.papers.claims import Claim
from boostbench.papers.evidence import CellRuns, Evidence
from boostbench.papers.judge import ClaimVerdict
from boostbench.papers.language import Array
from boostbench.papers.metrics import Metric, scales_of, signs_of
from boostbench.papers.planned import CUT_OFF, PlannedDataset, PlannedMethod
from boostbench.papers.readings import ClaimReadings, judge_all
from boostbench.papers.roles import changed, check_roles, roles_at
from boostbench.papers.settings import Setting, in_order, kept
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
    of another paper than the first one's are left out. A claim on a table is judged on runs in the
    design of that table.
    """
    paper = next((results.paper for results in several if results.paper is not None), None)
    if paper is None:
        return None
    own = [results for results in several if results.paper == paper]
    claims = own[0].claims
    by_table: dict[str, list[Claim]] = {}
    for claim in claims:
        by_table.setdefault(_designed_table(paper, claim), []).append(claim)
    judged: dict[str, ClaimReadings] = {}
    for table, its_claims in by_table.items():
        entries = judge_all(its_claims, evidence_of(paper, own, table))
        judged |= {entry.claim.id: entry for entry in entries}
    return Ledger(paper, [judged[claim.id] for claim in claims])


def _designed_table(paper: Paper, claim: Claim) -> str:
    """Return the table of a claim that has a design of its own, "" for any other."""
    has_own = any(claim.table in each.tables for each in paper.designs)
    return claim.table if has_own else ""


def evidence_of(paper: Paper, several: Sequence[ReportData], table: str = "") -> Evidence:
    """Return the runs of ``several`` results, by the roles that their methods play in claims.

    They are in the design of a ``table``, or in the paper's usual one.
    """
    cells: dict[tuple[str, Setting, str], list[CellRuns]] = {}
    settings: set[Setting] = set()
    played: set[str] = set()
    differences: dict[str, str] = {}
    names = claimed_names(paper, several)
    for results in several:
        check_roles(paper, results.methods)
        # A data set with two labels counts once.
        datasets = [data for data in results.counted if data.published_as in names]
        designs = _design_differences(paper, results, datasets, table)
        differences = changed(paper, results.methods) | differences | designs
        comparable = [data for data in datasets if data.published_as not in designs]
        own = _settings(paper, results, comparable)
        settings.update(own)
        played |= _played(paper, results, own)
        for setting, role, method, data in _players(paper, results, own, comparable):
            cell = _cell(paper, results, data, method)
            if cell.index:
                key = role, setting, names[data.published_as]
                cells.setdefault(key, []).append(cell)
    signs = signs_of(paper, *(results.experiment for results in several))
    return Evidence(
        paper,
        cells,
        in_order(settings),
        signs,
        differences,
        _remarks(paper, names),
        scales_of(paper),
        played,
        _said_of_all(several),
        table,
    )


def _said_of_all(several: Sequence[ReportData]) -> str:
    """Return what is to be said of each claim, where others made the runs."""
    return REMARK if any(results.elsewhere for results in several) else ""


def _played(paper: Paper, results: ReportData, settings: Sequence[Setting]) -> set[str]:
    """Return the roles that methods with finished runs play."""
    players = [roles_at(paper, results.methods, setting) for setting in settings]
    with_runs = results.with_runs
    return {role for own in players for role, m in own.items() if m.label in with_runs}


def _players(
    paper: Paper,
    results: ReportData,
    settings: Sequence[Setting],
    datasets: Sequence[PlannedDataset],
) -> Iterator[tuple[Setting, str, PlannedMethod, PlannedDataset]]:
    """Yield each setting with each role, the method that plays it there, and each data set."""
    for setting in settings:
        here = [data for data in datasets if _is_in(paper, data, setting)]
        for role, method in roles_at(paper, results.methods, setting).items():
            yield from ((setting, role, method, data) for data in here)


def _is_in(paper: Paper, data: PlannedDataset, setting: Setting) -> bool:
    """Return whether a data set has the values of a setting, as far as it depends on them."""
    depends = paper.data_depends(data.published_as)
    return kept(paper.setting_of(data.conditions), depends) == kept(setting, depends)


def _remarks(paper: Paper, names: Mapping[str, str]) -> dict[str, str]:
    """Return the remarks on stand-ins by their ``names`` in claims."""
    return {name: paper.datasets[own].remark for own, name in names.items() if own != name}


def _design_differences(
    paper: Paper, results: ReportData, datasets: Sequence[PlannedDataset], table: str
) -> dict[str, str]:
    """Return how results were measured otherwise than the paper's, by published data set."""
    differences = {}
    for data in datasets:
        name = data.published_as
        if why := paper.design_difference(name, data.rule, results.experiment, table):
            differences[name] = why
    return differences


def _settings(
    paper: Paper, results: ReportData, datasets: Sequence[PlannedDataset]
) -> list[Setting]:
    """Return all settings of the values that the methods, and the data sets, have."""
    values = []
    for place, (name, condition) in enumerate(paper.conditions.items()):
        if condition.data:
            of_data = [data for data in datasets if paper.data_depends(data.published_as)[place]]
            own = [data.conditions.get(name) for data in of_data or datasets]
        else:
            own = [method.conditions.get(name) for method in _depending(paper, results, place)]
        values.append(dict.fromkeys(own))
    return list(product(*values))


def _depending(paper: Paper, results: ReportData, place: int) -> Sequence[PlannedMethod]:
    """Return the methods that depend on a condition, or all where none does."""
    registered = [method for method in results.methods if method.registered]
    own = [method for method in registered if paper.depends(method.registered)[place]]
    return own or results.methods


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
