"""The claims of a paper judged on a report's runs: from runs to the judge's plain arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from boostbench.papers import Paper
from boostbench.papers.claims import read_claims
from boostbench.papers.judge import Cell, Depth, Entry, Evidence, Ruling, judge_all
from boostbench.papers.metrics import METRICS
from boostbench.papers.results import CUT_OFF, Dataset, Method
from boostbench.report.collect import Run
from boostbench.report.reference import repeated
from boostbench.report.summary import Summary

NAN = float("nan")


@dataclass(frozen=True)
class Ledger:
    """All claims of a paper, in its order, each judged."""

    paper: Paper
    entries: Sequence[Entry] = field(default_factory=list)

    def counts(self) -> dict[Ruling, int]:
        """Return how many claims have each verdict, as they are meant."""
        counts = dict.fromkeys(Ruling, 0)
        for entry in self.entries:
            counts[entry.judged.ruling] += 1
        return counts

    @property
    def measured(self) -> list[Entry]:
        """The claims of which anything was measured."""
        return [entry for entry in self.entries if entry.judged.measured]


def make_ledger(summaries: Sequence[Summary]) -> Ledger | None:
    """Return the ledger of the paper that ``summaries`` are measured against, if they have one.

    Several are taken together: claims on trees of two depths need two experiments. Those of another
    paper than the first one's are left out.
    """
    paper = next((summary.paper for summary in summaries if summary.paper is not None), None)
    if paper is None:
        return None
    evidence = evidence_of(paper, [s for s in summaries if s.paper is paper])
    return Ledger(paper, judge_all(read_claims(paper), paper.readings, evidence))


def evidence_of(paper: Paper, summaries: Sequence[Summary]) -> Evidence:
    """Return the runs of ``summaries``, by the roles that their methods play in claims."""
    cells: dict[tuple[str, Depth, str], list[Cell]] = {}
    depths: dict[Depth, None] = {}
    changed: dict[str, str] = {}
    other_designs: dict[str, str] = {}
    for summary in summaries:
        again = repeated(summary.collected)
        # A data set that occurs under two labels counts once.
        datasets = [d for d in summary.datasets if d.published_as and d.label not in again]
        others = {
            d.published_as: design.difference(d.rule, summary.experiment)
            if (design := paper.design_of(d.published_as))
            else ""
            for d in datasets
        }
        other_designs |= {name: why for name, why in others.items() if why}
        for method in summary.methods:
            if method.changed and not paper.roles:
                listed = (f"{name} = {value}" for name, value in sorted(method.changed.items()))
                changed.setdefault(method.registered, ", ".join(listed))
        for depth in dict.fromkeys(_depths(paper, summary)):
            depths[depth] = None
            for role, method in roles_at(paper, summary.methods, depth).items():
                for data in datasets:
                    cell = _cell(paper, summary, data, method)
                    if cell.index and not others[data.published_as]:
                        cells.setdefault((role, depth, data.published_as), []).append(cell)
    ordered = sorted(depths, key=lambda depth: (depth is None, depth or 0))
    signs = {name: 1 if metric.greater_is_better else -1 for name, metric in METRICS.items()}
    signs |= {"score": signs[paper.metric]}
    return Evidence(paper, cells, ordered, signs, changed, other_designs)


def roles_at(paper: Paper, methods: Sequence[Method], depth: Depth) -> dict[str, Method]:
    """Return the methods that play a role at a depth, the first one of several in the same role.

    Without roles by parameters, a method plays its registered name's only as registered: other
    parameters make another method of it.
    """
    found: dict[str, Method] = {}
    for method in methods:
        if not method.registered or (method.changed and not paper.roles):
            continue
        for role in paper.roles_of(method.registered, method.params, bool(method.choose)):
            if depth is None or method.depth == depth or not paper.has_depth(role):
                found.setdefault(role, method)
    return found


def _depths(paper: Paper, summary: Summary) -> list[Depth]:
    with_depth = [
        method.depth
        for method in summary.methods
        if method.registered and paper.has_depth(method.registered)
    ]
    return with_depth or [method.depth for method in summary.methods]


def _cell(paper: Paper, summary: Summary, data: Dataset, method: Method) -> Cell:
    own = summary.collected.finished.get((data.label, method.label), {})
    kept = summary.kept(data.label, method.label)
    index = sorted(own)
    runs = [own[one] for one in index]
    every = [_quantities(run, paper.rounds, summary.metric.explodes_below) for run in runs]
    names = dict.fromkeys(name for values in every for name in values)
    values = {
        name: np.array([NAN if (v := values.get(name)) is None else v for values in every])
        for name in names
    }
    if values:
        out = np.array([one not in kept for one in index])
        values["score"] = np.where(out, np.nan, values["score"])
    folds = str(summary.experiment.get("splits") or summary.experiment.get("folds"))
    return Cell(
        index=index,
        values=values,
        rows=(data.fingerprint, folds, data.rule.words if data.rule else ""),
        processors=[run.processor for run in runs],
        curves=[_arrays(run.curve) for run in runs] if runs and all(r.curve for r in runs) else (),
    )


def _arrays(curve: Mapping[str, Sequence[float]]) -> Mapping[str, np.ndarray]:
    return {name: np.asarray(curve[name], dtype=float)
            for name in ("objective", "fit_s", "solver_s") if name in curve}  # fmt: skip


def _quantities(run: Run, rounds: int, line: float | None) -> Mapping[str, float | None]:
    count = run.iterations
    search = None if run.fit_s is None or run.solver_s is None else run.fit_s - run.solver_s
    return {
        **run.metrics,
        "score": run.score,
        "time": run.fit_s,
        "solver": run.solver_s,
        "round": run.fit_s / count if run.fit_s is not None and count else None,
        "search": search / count if search is not None and count else None,
        "objective": run.objective,
        "failures": float(line is not None and (run.score or 0.0) < line),
        "area": _area(run, rounds),
    }


def _area(run: Run, rounds: int) -> float | None:
    """Return the mean test error over the paper's rounds.

    A training that ended by itself keeps its last error; one that was cut off has none.
    """
    errors = list(run.curve.get("test_error", ()))[:rounds]
    if not errors or (len(errors) < rounds and run.stop == CUT_OFF):
        return None
    return float((np.sum(errors) + errors[-1] * (rounds - len(errors))) / rounds)
