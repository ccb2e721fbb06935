"""What of its paper an experiment is measured against, told before it runs.

The report of made-up runs of the plan says it: which methods and data sets have a printed column
and row, and which claims get a verdict. No value of them is shown.
"""

import math
import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Literal

from boostbench.config.model import Experiment
from boostbench.data.request import known_fingerprint
from boostbench.data.splits import SplitRule
from boostbench.experiment.preparation import Preparation
from boostbench.experiment.record import make_record
from boostbench.papers import get_paper
from boostbench.papers.claims import read_claims
from boostbench.papers.evidence import LEAST_RUNS
from boostbench.papers.judge import ClaimVerdict, only_at
from boostbench.papers.metrics import METRICS, known_metrics
from boostbench.papers.readings import ClaimReadings
from boostbench.papers.settings import in_words
from boostbench.plan.expand import expand
from boostbench.plan.rows import Place
from boostbench.plan.trial import Trial
from boostbench.report.frames.printed import printed_column
from boostbench.report.frames.results import ReportData, collect
from boostbench.report.frames.runs import TEST_RATIO
from boostbench.report.verdicts.ledger import make_ledger
from boostbench.store.store import Store
from boostbench.store.types import Outcome
from boostbench.suggest import listing

_ROUNDS = 10
_WHATEVER_RUNS = "are not judged whatever is run; their `reason` in claims.csv says why"
_REFUSED = (ClaimVerdict.NOT_JUDGED, ClaimVerdict.NOT_COMPARABLE)


@dataclass(frozen=True)
class Matched:
    """A method, a data set or a claim, and what it is measured against, or why it is not."""

    kind: Literal["method", "data set", "claim"]
    name: str
    is_matched: bool
    text: str

    def as_json(self) -> dict[str, object]:
        """Return it as values of JSON's types."""
        return asdict(self)


def matches(run: Preparation, rules: Mapping[str, SplitRule]) -> list[Matched]:
    """Return what the methods, data sets and claims of an experiment are measured against.

    Nothing where it names no paper. ``rules`` say how the rows of its data sets are divided.
    """
    if run.experiment.paper is None:
        return []
    results = _made_up(run, rules)
    if results.paper is None:
        paper = get_paper(run.experiment.paper, run.experiment.folder)
        # Runs and print are in different metrics.
        why = (
            f"cannot be judged: these runs are shown in '{results.metric.name}', and the paper "
            f"prints '{paper.metric}'"
        )
        claims_of_paper = [Matched("claim", one.id, False, why) for one in read_claims(paper)]
        return [*_methods(results), *claims_of_paper]
    ledger = make_ledger([results])
    claims = ledger.entries if ledger else ()
    return [*_methods(results), *_datasets(results), *map(_claim, claims)]


def _methods(results: ReportData) -> Iterator[Matched]:
    cells = {cell.method: cell for cell in results.only_cells if cell.not_comparable}
    for method in results.methods:
        beside = [printed_column(results, method, data) for data in results.datasets]
        columns = list({id(column): column for column in beside if column is not None}.values())
        own = cells.get(method.label)
        why = own.not_comparable if own else ""
        if not columns:
            yield Matched("method", method.label, False, "no printed column")
        else:
            words = [in_words(results.conditions, column.setting) for column in columns]
            settings = "; ".join(filter(None, words))
            text = f"column {columns[0].method} of Table {columns[0].table}"
            not_compared = f"; not comparable: {why}" if why else ""
            at = f", {settings}" if settings else ""
            yield Matched("method", method.label, not why, f"{text}{at}{not_compared}")


def _datasets(results: ReportData) -> Iterator[Matched]:
    for data in results.datasets:
        printed = [c for c in results.only_cells if c.dataset == data.label and c.printed]
        tables = dict.fromkeys(cell.published_table for cell in printed)
        if not data.published_as:
            yield Matched("data set", data.label, False, "not a data set of the paper")
        elif not printed:
            text = f"'{data.published_as}' of the paper, nothing printed for these methods"
            yield Matched("data set", data.label, False, text)
        else:
            text = f"row {data.published_as} of Table {listing(tables)}"
            yield Matched("data set", data.label, True, text)


def _claim(entry: ClaimReadings) -> Matched:
    judged = entry.judged
    if entry.claim.reason:
        return Matched("claim", entry.claim.id, False, _WHATEVER_RUNS)
    if judged.verdict in _REFUSED:
        return Matched("claim", entry.claim.id, False, f"cannot be judged: {judged.why}")
    coverage = f", on {judged.coverage}" if judged.coverage else ""
    only = only_at(judged)
    but = f", but {only}" if only else ""
    return Matched("claim", entry.claim.id, True, f"can be judged{coverage}{but}")


# -- made-up runs ----------------------------------------------------------------------------------


def _made_up(run: Preparation, rules: Mapping[str, SplitRule]) -> ReportData:
    """Return the report's data of made-up runs of the plan."""
    experiment = run.experiment
    fingerprints = {
        request.name: known_fingerprint(request) or f"not read: {request.name}"
        for request in experiment.requests()
    }
    known = {name: replace(rule, folds=rule.folds or LEAST_RUNS) for name, rule in rules.items()}
    rows = {name: _places(experiment, rule) for name, rule in known.items() if rule.is_by_rows}
    trials = _enough(expand(experiment, fingerprints, run.methods, known, rows=rows))
    made = random.Random(0)
    names = _recorded(experiment, trials)
    outcomes = [_outcome(trial, names, made) for trial in trials]
    record = make_record(run, Store.made(experiment.results_dir), trials, ())
    return collect(Store.made(experiment.results_dir, record, trials, outcomes))


def _places(experiment: Experiment, rule: SplitRule) -> dict[Place, str]:
    """Return a name in place of the digest of the rows of each split, which only the data have."""
    return {place: f"not read: {place}" for place in experiment.places_of(rule)}


def _enough(trials: Collection[Trial]) -> list[Trial]:
    """Return trials without the seeds that no claim needs: it needs a number of runs."""
    splits = {(trial.split_seed, trial.fold) for trial in trials}
    most = math.ceil(LEAST_RUNS / max(len(splits), 1))
    seeds = sorted({trial.seed for trial in trials})[:most]
    return [trial for trial in trials if trial.seed in seeds]


def _recorded(experiment: Experiment, trials: Sequence[Trial]) -> list[str]:
    """Return the metrics that these trials would record."""
    tasks = {trial.task for trial in trials}
    known = known_metrics({}, None) | experiment.asked_metrics
    own = [name for name, metric in METRICS.items() if metric.task in tasks]
    return [*own, *(name for name, metric in known.items() if metric.function)]


def _outcome(trial: Trial, metrics: Sequence[str], made: random.Random) -> Outcome:
    """Return an outcome with values that any score and any time may have."""
    scores = {name: made.uniform(0.6, 0.8) for name in metrics}
    curve = None
    if trial.curves:
        names = ("objective", "train_error", "test_error", "fit_s", "solver_s")
        curve = {name: _values(made) for name in names}
    return Outcome(
        "ok",
        metrics={**scores, TEST_RATIO: 0.1, "objective": 0.7, "n_iter": _ROUNDS},
        times={"fit_s": made.uniform(1.0, 2.0)},
        curve=curve,
    )


def _values(made: random.Random) -> list[float]:
    return [made.uniform(0.6, 0.8) for _ in range(_ROUNDS)]
