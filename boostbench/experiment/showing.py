"""One trial, its parameters, its result and how to run it again; or a list of several."""

import json
import shlex
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from boostbench.errors import BoostbenchError, ConfigError
from boostbench.experiment.request import run_line
from boostbench.numbers import finite
from boostbench.objects.names import readable
from boostbench.plan.trial import LABELS, Trial
from boostbench.report.document.provenance import commit, flat, machine
from boostbench.store.store import Store
from boostbench.store.types import Outcome, RecordedRun
from boostbench.suggest import counted, did_you_mean, listing

NOT_RUN = "not run yet"


class TrialFacts(NamedTuple):
    """The facts about a trial, by name; for several trials a table instead."""

    title: str
    facts: Sequence[tuple[str, str]] = ()
    header: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    traceback: str = ""
    output: str = ""
    hint: str = ""


@dataclass(frozen=True)
class FoundTrials:
    """Trials of a name in the store that has them."""

    store: Store
    trials: Sequence[Trial]

    def facts(self, metric: str | None = None) -> TrialFacts:
        """Return the facts about one trial, or a table of several with the score ``metric``.

        Raises ConfigError where no trial has recorded that.
        """
        if len(self.trials) == 1:
            return _trial(self.store, self.trials[0])
        return _list(self.store, self.trials, metric)

    def as_json(self) -> dict[str, object]:
        """Return the trials with their outcomes as values of JSON's types."""
        outcomes = self.store.outcomes()
        return {
            "results": str(self.store.folder),
            "trials": [
                _trial_json(self.store, trial, outcomes.get(trial.key)) for trial in self.trials
            ],
        }


def look_up(name: str | None, folders: Sequence[Path], only: Sequence[str] = ()) -> FoundTrials:
    """Return the trials of this name, or all, in the first of the folders that has any.

    ``only`` selects among them. Raises ConfigError where none has such trials, StoreError instead
    if one could not be read.
    """
    complaint: BoostbenchError | None = None
    for folder in folders:
        try:
            store = Store.read(folder, only=only)
            planned = {trial.key: trial for trial in store.part()}
        except BoostbenchError as error:
            complaint = error
            continue
        trials = [t for t in planned.values() if name is None or _is_named(t, name)]
        # A name without a split seed means split seed 0, if there is one.
        named = [t for t in trials if t.name == name] or trials
        if named:
            return FoundTrials(store, named)
    if complaint is not None:
        raise complaint
    raise ConfigError(
        f"no trial '{name}' in {listing(map(str, folders), 5)}; name it as "
        "DATASET/METHOD/FOLD/SEED, such as yacht/srt/0/3, or by the first digits of its key, or "
        "several as DATASET/METHOD"
    )


def _is_named(trial: Trial, name: str) -> bool:
    parts = name.split("/")
    labels = [str(getattr(trial, key)) for key in LABELS]
    if len(parts) == 1:
        return trial.key.startswith(name.lower())
    return parts in (labels, labels[:2], [*labels[:2], *labels[3:]])


def _list(store: Store, trials: Sequence[Trial], metric: str | None) -> TrialFacts:
    outcomes = store.outcomes()
    main = _shown_metric(store, trials, metric)
    rows = []
    for trial in trials:
        outcome = outcomes.get(trial.key, Outcome(NOT_RUN))
        value, seconds = outcome.metrics.get(main), outcome.times.get("fit_s")
        rows.append(
            [
                trial.name,
                trial.key[:12],
                outcome.status,
                f"{value:.6g}" if isinstance(value, int | float) else "",
                f"{seconds:.3g}" if seconds is not None else "",
                "yes" if outcome.output else "",
                outcome.reason,
            ]
        )
    done = sum(trial.key in outcomes for trial in trials)
    return TrialFacts(
        f"{store.folder}: {done:,} of {counted(len(trials), 'trial')} done",
        header=["trial", "key", "status", main, "fit_s", "printed", "reason"],
        rows=rows,
        hint=f"see one with: boostbench show {trials[0].name}",
    )


def _shown_metric(store: Store, trials: Sequence[Trial], metric: str | None) -> str:
    """Return the score that a list shows: ``metric``, which a trial must have, or the usual one.

    That is the experiment's own where a trial has it.
    """
    outcomes = store.outcomes()
    recorded = {name for t in trials if t.key in outcomes for name in outcomes[t.key].metrics}
    if metric is None:
        own = store.experiment().get("metric")
        usual = "r2" if trials[0].task == "regression" else "error"
        return str(own) if own in recorded else usual
    if metric not in recorded:
        there = sorted(recorded)
        raise ConfigError(
            f"no trial here has recorded '{metric}'{did_you_mean(metric, there)}; "
            f"recorded are {listing(there) or 'no scores yet'}"
        )
    return metric


def _trial_json(store: Store, trial: Trial, outcome: Outcome | None) -> dict[str, object]:
    """Return a trial with its outcome as values of JSON's types."""
    known = outcome or Outcome(NOT_RUN)
    return {
        "trial": trial.name,
        **{name: getattr(trial, name) for name in LABELS},
        "key": trial.key,
        "estimator": trial.shown_estimator,
        "version": trial.method_version,
        "parameters": dict(trial.params),
        "status": known.status,
        "reason": known.reason,
        "metrics": {name: finite(value) for name, value in known.metrics.items()},
        "times": {name: finite(value) for name, value in known.times.items()},
        "traceback": known.traceback,
        "output": known.output,
        "run": _line_to_run(store, trial, again=outcome is not None),
    }


def _trial(store: Store, trial: Trial) -> TrialFacts:
    outcome = store.outcomes().get(trial.key)
    facts: dict[str, object] = {}
    if outcome is not None:
        facts |= _facts_of_outcome(outcome)
    facts |= {"results": store.folder, **_facts_of_trial(trial)}
    if (kept := store.predictions(trial.key)) is not None:
        facts["predictions"] = f"kept, of {counted(len(kept.rows), 'test row')}"
    if outcome is not None:
        facts |= _facts_of_environment(store, trial)
    if (run := store.run_of(trial.key)) is not None:
        facts |= _facts_of_run(run)
    return TrialFacts(
        f"{trial.name}: {outcome.status if outcome else NOT_RUN}",
        facts=[(key, str(value)) for key, value in facts.items() if value not in ("", None)],
        traceback=outcome.traceback.rstrip() if outcome else "",
        output=outcome.output.rstrip() if outcome else "",
        hint=f"run it again: {_line_to_run(store, trial, again=outcome is not None)}",
    )


def _facts_of_outcome(outcome: Outcome) -> dict[str, object]:
    return {
        "reason": outcome.reason,
        **{key: repr(value) for key, value in outcome.metrics.items()},
        **{key: f"{value:.6g}" for key, value in outcome.times.items()},
    }


def _facts_of_trial(trial: Trial) -> dict[str, object]:
    words = f", {trial.words}" if trial.words else ""
    return {
        "key": trial.key,
        "estimator": trial.shown_estimator,
        "version": trial.method_version,
        "parameters": json.dumps(dict(trial.params), ensure_ascii=False),
        "choose": json.dumps(trial.to_dict()["choose"]) if trial.choose else "",
        "choose with": json.dumps(dict(trial.choose_with)) if trial.choose_with else "",
        "choose by": readable(trial.choice_metric),
        "inner folds": trial.choose_folds or "",
        "features": "a frame" if trial.features == "frame" else "",
        "weights": "those of the training rows" if trial.weighted else "",
        "random_state": trial.random_state,
        "folds" if trial.makes_folds else "split": (
            f"{trial.fold} of {trial.folds}{words}, split seed {trial.split_seed}"
        ),
        "scaling": f"features {trial.scale_features}, target {trial.scale_target}",
        "data": trial.fingerprint,
    }


def _facts_of_environment(store: Store, trial: Trial) -> dict[str, object]:
    name = store.environment_ids().get(trial.key)
    known = {} if name is None else store.environment(name)
    return {"environment": name, **{f"  {key}": value for key, value in flat(known)}}


def _facts_of_run(run: RecordedRun) -> dict[str, object]:
    return {
        "command": shlex.join(run.command),
        "started": time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(run.started)),
        "shard": run.shard,
        "cluster": run.cluster,
        "commit": commit(run.details.get("git")),
        "machine": machine(run.details),
    }


def _line_to_run(store: Store, trial: Trial, again: bool) -> str:
    """Return the command that runs a trial alone."""
    record = store.record_of_run()
    record["jobs"] = None
    keys = [key for key in LABELS if key != "split_seed" or record.get("split_seeds")]
    only = [word for key in keys for word in ("--only", f"{key}={getattr(trial, key)}")]
    return run_line(record, *only, *(["--again"] if again else []))
