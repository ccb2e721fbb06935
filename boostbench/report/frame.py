"""From the store to tidy tables: one row a planned run, and what the methods and data sets are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from boostbench.errors import BoostbenchError
from boostbench.papers import get_paper, paper_names
from boostbench.report.choices import chosen_in
from boostbench.suggest import counted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    import pandas as pd

    from boostbench.papers import Paper
    from boostbench.plan.trial import Trial
    from boostbench.store.types import Outcome

RUN_COLUMNS = (
    "dataset", "method", "fold", "seed", "status", "reason", "r2", "n_rows", "fit_s", "chosen",
)  # fmt: skip


class ResultsStore(Protocol):
    """What the report asks of a store: nothing but to be read."""

    def part(self) -> list[Trial]:
        """Return the planned trials that are reported, in order: those of a shard, or all."""
        ...

    def outcomes(self) -> dict[str, Outcome]:
        """Return what is recorded, by trial key."""
        ...

    def experiment(self) -> dict[str, Any]:
        """Return the experiment as JSON values."""
        ...


@dataclass(frozen=True)
class Snapshot:
    """What a store held at one moment, to be read as often as is handy."""

    planned: Sequence[Trial]
    recorded: Mapping[str, Outcome]
    experiment_json: Mapping[str, Any]

    @classmethod
    def of(cls, store: ResultsStore) -> Snapshot:
        """Read ``store`` once.

        Data sets and methods of which nothing has run are left out, unless that is all of them; the
        experiment then names them under ``not_run``.
        """
        planned, recorded, experiment = store.part(), store.outcomes(), store.experiment()
        done = [trial for trial in planned if trial.key in recorded]
        if not done:
            return cls(planned, recorded, experiment)
        datasets, methods = {t.dataset for t in done}, {t.method for t in done}
        kept = [t for t in planned if t.dataset in datasets and t.method in methods]
        if len(kept) == len(planned):
            return cls(planned, recorded, experiment)
        not_run = {
            "datasets": _without(datasets, (t.dataset for t in planned)),
            "methods": _without(methods, (t.method for t in planned)),
            "trials": len(planned) - len(kept),
        }
        return cls(kept, recorded, {**experiment, "not_run": not_run})

    @property
    def task(self) -> str:
        """The task of the plan, whose trials share one: ``regression`` where there are none."""
        return self.planned[0].task if self.planned else "regression"

    def part(self) -> list[Trial]:
        """Return the trials to be reported, in order."""
        return list(self.planned)

    def outcomes(self) -> dict[str, Outcome]:
        """Return what is recorded, by trial key."""
        return dict(self.recorded)

    def experiment(self) -> dict[str, Any]:
        """Return the experiment as JSON values."""
        return dict(self.experiment_json)


@dataclass(frozen=True)
class MethodInfo:
    """A method of the plan: its label, the registered name behind it (or ""), what was run."""

    label: str
    registered: str
    estimator: str
    version: str
    params: Mapping[str, Any]
    depth: int | None
    choose: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    choose_with: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class DatasetInfo:
    """A data set of the plan: its label and the paper's row it is measured against (or "").

    ``remarks`` say how the data were read, as far as that is worth knowing.
    """

    label: str
    published_as: str
    fingerprint: str
    remarks: Sequence[str] = ()


@dataclass(frozen=True)
class Results:
    """All that a report is made of.

    ``runs`` has one row a planned run in plan order, with the columns of :data:`RUN_COLUMNS`:
    ``r2``, ``n_rows`` (training and test rows together) and ``fit_s`` (seconds of training) are
    NaN where the run is not ``ok``; ``chosen`` maps parameters to the values that it chose.
    """

    runs: pd.DataFrame
    datasets: Sequence[DatasetInfo]
    methods: Sequence[MethodInfo]
    experiment: Mapping[str, Any]
    paper: Paper | None


def load_results(store: ResultsStore) -> Results:
    """Read ``store`` once; an empty or partly filled one is as good as a full one."""
    plan, outcomes, experiment = store.part(), store.outcomes(), store.experiment()
    paper = paper_of(experiment)
    return Results(
        runs=runs_frame(plan, outcomes),
        datasets=dataset_infos(plan, experiment, paper),
        methods=method_infos(plan, experiment, paper),
        experiment=experiment,
        paper=paper,
    )


def paper_of(experiment: Mapping[str, Any]) -> Paper | None:
    """Return the paper that the experiment names, ``None`` where it is not known here."""
    key = experiment.get("paper")
    return get_paper(key) if key in paper_names() else None


def parts(experiment: Mapping[str, Any]) -> str:
    """Return what an experiment divides the rows into, in a word."""
    return "splits" if experiment.get("splits") else "folds"


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


def _without(seen: Collection[str], names: Iterable[str]) -> list[str]:
    return [name for name in dict.fromkeys(names) if name not in seen]


def dataset_infos(
    plan: Sequence[Trial], experiment: Mapping[str, Any], paper: Paper | None
) -> list[DatasetInfo]:
    """Return the data sets in the order of the plan."""
    first = {trial.dataset: trial for trial in plan}
    return [_dataset(name, trial, experiment, paper) for name, trial in first.items()]


def method_infos(
    plan: Sequence[Trial], experiment: Mapping[str, Any], paper: Paper | None
) -> list[MethodInfo]:
    """Return the methods in the order of the plan."""
    first = {trial.method: trial for trial in plan}
    return [_method(trial, experiment, paper) for trial in first.values()]


def runs_frame(plan: Sequence[Trial], outcomes: Mapping[str, Outcome]) -> pd.DataFrame:
    """Return one row a planned trial, in plan order, with the columns :data:`RUN_COLUMNS`."""
    import pandas as pd

    rows = [_run(trial, outcomes.get(trial.key)) for trial in plan]
    frame = pd.DataFrame(rows, columns=list(RUN_COLUMNS))
    return frame.astype({"r2": float, "n_rows": float, "fit_s": float})


def _run(trial: Trial, outcome: Outcome | None) -> tuple[Any, ...]:
    status, reason = (outcome.status, outcome.reason) if outcome else ("pending", "")
    r2 = rows = fit = None
    chosen = {}
    if outcome and status == "ok":
        r2 = outcome.metrics.get("r2")
        fit = outcome.times.get("fit_s")
        chosen = chosen_in(outcome.metrics)
        parts = [outcome.metrics.get(name) for name in ("n_train", "n_test")]
        rows = sum(float(part) for part in parts if part is not None) or None
        if r2 is None:
            status, reason = "error", "the run recorded no R2"
    which = (trial.dataset, trial.method, trial.fold, trial.seed)
    return *which, status, reason, r2, rows, fit, chosen


def _method(trial: Trial, experiment: Mapping[str, Any], paper: Paper | None) -> MethodInfo:
    registered = trial.method
    for entry in experiment.get("methods") or ():
        if isinstance(entry, Mapping) and entry.get("name") == trial.method:
            estimator = entry.get("estimator")
            registered = "" if estimator else str(entry.get("method") or trial.method)
    depth = trial.params.get("depth")
    if depth is None and paper is not None:
        depth = paper.default_depth
    return MethodInfo(
        label=trial.method,
        registered=registered,
        estimator=trial.estimator,
        version=trial.method_version,
        params=dict(trial.params),
        depth=depth,
        choose=dict(trial.choose),
        choose_with=dict(trial.choose_with),
    )


def _dataset(
    name: str, trial: Trial, experiment: Mapping[str, Any], paper: Paper | None
) -> DatasetInfo:
    known = experiment.get("data_remarks") or {}
    remarks = tuple(map(str, known.get(name, ()))) if isinstance(known, Mapping) else ()
    if paper is None:
        return DatasetInfo(name, "", trial.fingerprint, remarks)
    card = name
    for entry in experiment.get("datasets") or ():
        if isinstance(entry, Mapping) and entry.get("name") == name:
            card = str(entry.get("card") or name)
    return DatasetInfo(name, _published_as(card), trial.fingerprint, remarks)


def _published_as(card: str) -> str:
    """Return the row under which the data of ``card`` are published: its own name by default."""
    from boostbench.data.cards import load_card

    try:
        return load_card(card).published_as or card
    except BoostbenchError:
        return card
