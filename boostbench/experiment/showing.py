"""One trial, its parameters, its result and how to run it again; or all trials of a cell."""

import json
import shlex
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from boostbench.errors import ConfigError, StoreError
from boostbench.experiment.request import run_line
from boostbench.plan.trial import Trial
from boostbench.report.provenance import commit, flat, machine
from boostbench.store.store import Store
from boostbench.store.types import Outcome
from boostbench.suggest import counted

_KEYS = ("dataset", "method", "split_seed", "fold", "seed")
_WITHOUT_SPLIT = ("dataset", "method", "fold", "seed")


class Shown(NamedTuple):
    """What is known of a trial, by name; of a cell instead a table of its trials."""

    title: str
    facts: Sequence[tuple[str, str]] = ()
    header: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    traceback: str = ""
    output: str = ""
    hint: str = ""


def look_up(name: str, folders: Sequence[Path]) -> Shown:
    """Return the trial or the cell of this name in the first of the folders that has it.

    Raises ConfigError where none has it, StoreError where one could not be read besides.
    """
    complaint: StoreError | None = None
    for folder in folders:
        try:
            with Store.open(folder, create=False, read_only=True) as store:
                cell = [t for t in store.part() if [t.dataset, t.method] == name.split("/")]
                if cell:
                    return _cell(store, folder, cell)
                if (found := _find(store, name)) is not None:
                    return _trial(store, folder, found)
        except StoreError as error:
            complaint = error
    if complaint is not None:
        raise complaint
    places = ", ".join(map(str, folders[:5])) + (" and others" if len(folders) > 5 else "")
    raise ConfigError(
        f"no trial '{name}' in {places}; name it as DATASET/METHOD/FOLD/SEED, "
        "such as yacht/srt/0/3, or by the first digits of its key, or several as DATASET/METHOD"
    )


def _cell(store: Store, folder: Path, trials: Sequence[Trial]) -> Shown:
    outcomes = store.outcomes()
    main = "r2" if trials[0].task == "regression" else "error"
    rows = []
    for trial in trials:
        cells = ["not run yet", "", "", "", ""]
        if outcome := outcomes.get(trial.key):
            value, seconds = outcome.metrics.get(main), outcome.times.get("fit_s")
            cells = [
                outcome.status,
                f"{value:.6g}" if isinstance(value, int | float) else "",
                f"{seconds:.3g}" if seconds is not None else "",
                "yes" if outcome.output else "",
                outcome.reason,
            ]
        rows.append([trial.name, trial.key[:12], *cells])
    done = sum(trial.key in outcomes for trial in trials)
    return Shown(
        f"{folder}: {done:,} of {counted(len(trials), 'trial')} done",
        header=["trial", "key", "status", main, "fit_s", "printed", "reason"],
        rows=rows,
        hint=f"see one with: boostbench show {trials[0].name}",
    )


def _find(store: Store, name: str) -> Trial | None:
    parts = name.split("/")
    if len(parts) in (4, 5):
        of = _KEYS if len(parts) == 5 else _WITHOUT_SPLIT
        named = [t for t in store.part() if [str(getattr(t, key)) for key in of] == parts]
        # A name without a split seed means 0 where there is that, as trial.name leaves it out.
        chosen = [trial for trial in named if not trial.split_seed] or named
        if len(chosen) > 1:
            raise ConfigError(
                f"{len(chosen)} trials are {name} with another split seed each; "
                f"name one as DATASET/METHOD/SPLIT_SEED/FOLD/SEED, such as {chosen[0].name}"
            )
        return next(iter(chosen), None)
    found = {trial.key: trial for trial in store.find(name.lower())}
    if shard := store.shard():
        # What this shard was to leave to others is best seen where they ran.
        mine = shard.keys(store.plan())
        found = {key: trial for key, trial in found.items() if key in mine}
    if len(found) > 1:
        keys = ", ".join(key[:12] for key in list(found)[:4])
        raise ConfigError(f"{len(found)} trials have keys that begin with '{name}', such as {keys}")
    return next(iter(found.values()), None)


def _trial(store: Store, folder: Path, trial: Trial) -> Shown:
    outcome = store.outcome(trial.key)
    words = f", {trial.words}" if trial.words else ""
    facts = {
        "results": str(folder),
        "key": trial.key,
        "estimator": trial.estimator,
        "version": trial.method_version,
        "parameters": json.dumps(dict(trial.params), ensure_ascii=False),
        "choose": json.dumps(trial.to_dict()["choose"]) if trial.choose else "",
        "choose with": json.dumps(dict(trial.choose_with)) if trial.choose_with else "",
        "random_state": str(trial.random_state),
        "folds" if trial.makes_folds else "split": (
            f"{trial.fold} of {trial.folds}{words}, split seed {trial.split_seed}"
        ),
        "scaling": f"features {trial.scale_features}, target {trial.scale_target}",
        "data": trial.fingerprint,
    }
    known = [(name, text) for name, text in facts.items() if text]
    if outcome is not None:
        known = [*_result(outcome), *known, *_provenance(store, trial)]
    keys = _KEYS if store.experiment().get("split_seeds") else _WITHOUT_SPLIT
    only = [word for key in keys for word in ("--only", f"{key}={getattr(trial, key)}")]
    again = ["--again"] if outcome is not None else []
    return Shown(
        f"{trial.name}: {outcome.status if outcome else 'not run yet'}",
        facts=known,
        traceback=outcome.traceback.rstrip() if outcome and outcome.traceback else "",
        output=outcome.output.rstrip() if outcome and outcome.output else "",
        hint=f"run it again: {run_line({**store.experiment(), 'jobs': None}, *only, *again)}",
    )


def _result(outcome: Outcome) -> list[tuple[str, str]]:
    return [
        *([("reason", outcome.reason)] if outcome.reason else []),
        *((name, f"{value!r}") for name, value in outcome.metrics.items()),
        *((name, f"{value:.6g}") for name, value in outcome.times.items()),
    ]


def _provenance(store: Store, trial: Trial) -> list[tuple[str, str]]:
    """Return where and by which command the trial was run, as far as it was recorded."""
    name = store.environment_ids().get(trial.key, "")
    described: Mapping[str, Any] = store.environment(name) or {}
    rows = [("environment", name or "unknown")]
    rows += [(f"  {key}", text) for key, text in flat(described)]
    run = store.run_of(trial.key)
    if run is None:
        return rows
    told = {
        "command": shlex.join(run.command),
        "started": time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(run.started)),
        "shard": run.shard,
        "cluster": run.cluster,
        "commit": commit(run.details.get("git")),
        "machine": machine(run.details),
    }
    return [*rows, *((key, text) for key, text in told.items() if text)]
