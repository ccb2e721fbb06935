"""``boostbench show``: one trial, its parameters, its result, and how to run it again."""

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from boostbench.cli import complete, options
from boostbench.experiment.command import run_line

if TYPE_CHECKING:
    from boostbench.cli.console import Screen
    from boostbench.plan.trial import Trial
    from boostbench.store.store import Store


def show(
    trial: Annotated[
        str,
        typer.Argument(
            metavar="TRIAL",
            help="DATASET/METHOD/FOLD/SEED, the first digits of the trial's key, or DATASET/METHOD "
            "for a list of its trials.",
        ),
    ],
    config: Annotated[
        str | None,
        typer.Option(
            "--in",
            metavar="CONFIG",
            help="The experiment, or its results folder. Default: all results below ./results.",
            autocompletion=complete.configs,
        ),
    ] = None,
    set_: options.Place = None,
) -> None:
    """Show one trial and how to run it again.

    Its parameters, result, times, what it printed, its traceback, and the line that runs it again.
    """
    from boostbench.cli.console import Screen
    from boostbench.errors import ConfigError, StoreError
    from boostbench.experiment.folders import check_overrides, find_results, results_folders
    from boostbench.store.store import Store

    check_overrides(config, set_ or [])
    folders = results_folders() if config is None else []
    screen = Screen()
    folders = folders or [find_results(config, set_ or [], screen.warn)]
    complaint: StoreError | None = None
    for folder in folders:
        try:
            with Store.open(folder, create=False, read_only=True) as store:
                if cell := _cell(store, trial):
                    _list(screen, store, folder, cell)
                    return
                found = _find(store, trial)
                if found is not None:
                    _tell(screen, store, folder, found)
                    return
        except StoreError as error:
            complaint = error
    if complaint is not None:
        raise complaint
    places = ", ".join(map(str, folders[:5])) + (" and others" if len(folders) > 5 else "")
    raise ConfigError(
        f"no trial '{trial}' in {places}; name it as DATASET/METHOD/FOLD/SEED, "
        "such as yacht/srt/0/3, or by the first digits of its key, or several as DATASET/METHOD"
    )


def _cell(store: "Store", name: str) -> "list[Trial]":
    parts = name.split("/")
    if len(parts) != 2:
        return []
    return [trial for trial in store.part() if [trial.dataset, trial.method] == parts]


def _list(screen: "Screen", store: "Store", folder: Path, trials: "list[Trial]") -> None:
    """List the trials of one data set and method."""
    from boostbench.suggest import counted

    outcomes = store.outcomes()
    main = "r2" if trials[0].task == "regression" else "error"
    rows = []
    for trial in trials:
        outcome = outcomes.get(trial.key)
        cells = ["not run yet", "", "", "", ""]
        if outcome is not None:
            value, seconds = outcome.metrics.get(main), outcome.times.get("fit_s")
            cells = [
                outcome.status,
                f"{value:.6g}" if isinstance(value, int | float) else "",
                f"{seconds:.3g}" if seconds is not None else "",
                "yes" if outcome.output else "",
                outcome.reason,
            ]
        rows.append([trial.name, trial.key[:12], *cells])
    header = ["trial", "key", "status", main, "fit_s", "printed", "reason"]
    done = sum(trial.key in outcomes for trial in trials)
    screen.say(f"{folder}: {done:,} of {counted(len(trials), 'trial')} done", "bold")
    screen.table(header, rows, left=(0, 1, 2, 6))
    screen.say(f"see one with: boostbench show {trials[0].name}")


def _find(store: "Store", name: str) -> "Trial | None":
    from boostbench.errors import ConfigError

    parts = name.split("/")
    if len(parts) in (4, 5):
        named = [trial for trial in store.part() if _places(trial, len(parts)) == parts]
        # A name without a split seed means 0 where there is that, as trial.name leaves it out.
        chosen = [trial for trial in named if not trial.split_seed] or named
        if len(chosen) > 1:
            raise ConfigError(
                f"{len(chosen)} trials are {name} with another split seed each; "
                f"name one as DATASET/METHOD/SPLIT_SEED/FOLD/SEED, such as {chosen[0].name}"
            )
        return chosen[0] if chosen else None
    found = {trial.key: trial for trial in store.find(name.lower())}
    if shard := store.shard():
        # What this shard was to leave to others is best seen where they ran.
        mine = shard.keys(store.plan())
        found = {key: trial for key, trial in found.items() if key in mine}
    if len(found) > 1:
        keys = ", ".join(key[:12] for key in list(found)[:4])
        raise ConfigError(f"{len(found)} trials have keys that begin with '{name}', such as {keys}")
    return next(iter(found.values()), None)


def _places(trial: "Trial", count: int) -> list[str]:
    """Return what names a trial, in ``count`` parts: 5, or 4 without its split seed."""
    keys = ("dataset", "method", "split_seed", "fold", "seed")
    return [str(getattr(trial, key)) for key in keys if count == 5 or key != "split_seed"]


def _tell(screen: Any, store: "Store", folder: Path, trial: "Trial") -> None:

    outcome = store.outcome(trial.key)
    status = outcome.status if outcome else "not run yet"
    screen.say(f"{trial.name}: {status}", "bold")
    rows: list[list[str]] = []
    if outcome is not None:
        if outcome.reason:
            rows.append(["reason", outcome.reason])
        rows += [[name, f"{value!r}"] for name, value in outcome.metrics.items()]
        rows += [[name, f"{value:.6g}"] for name, value in outcome.times.items()]
    rows += [
        ["results", str(folder)],
        ["key", trial.key],
        ["estimator", trial.estimator],
        ["version", trial.method_version],
        ["parameters", json.dumps(dict(trial.params), ensure_ascii=False)],
        *([["choose", json.dumps(trial.to_dict()["choose"])]] if trial.choose else []),
        *([["choose with", json.dumps(dict(trial.choose_with))]] if trial.choose_with else []),
        ["random_state", str(trial.random_state)],
        _part(trial),
        ["scaling", f"features {trial.scale_features}, target {trial.scale_target}"],
        ["data", trial.fingerprint],
    ]
    if outcome is not None:
        rows += _provenance(store, trial)
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        screen.say(f"  {name:<{width}}  {value}")
    if outcome is not None and outcome.traceback:
        screen.say(outcome.traceback.rstrip(), "red")
    if outcome is not None and outcome.output:
        screen.say("it printed:", "bold")
        screen.say(outcome.output.rstrip())
    screen.say(f"run it again: {_command(store.experiment(), trial, done=outcome is not None)}")


def _provenance(store: "Store", trial: "Trial") -> list[list[str]]:
    """Return where and by which command the trial was run, as far as it was recorded."""
    import time

    from boostbench.report.provenance import commit, flat, machine

    name = store.environment_ids().get(trial.key, "")
    rows = [["environment", name or "unknown"]]
    rows += [[f"  {key}", text] for key, text in flat(store.environment(name) or {})]
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
    return [*rows, *([key, text] for key, text in told.items() if text)]


def _part(trial: "Trial") -> list[str]:
    what = "folds" if trial.makes_folds else "split"
    words = f", {trial.words}" if trial.words else ""
    return [what, f"{trial.fold} of {trial.folds}{words}, split seed {trial.split_seed}"]


def _command(experiment: dict[str, Any], trial: "Trial", *, done: bool) -> str:
    only: list[str] = []
    keys = ["dataset", "method", "fold", "seed"]
    if experiment.get("split_seeds"):
        keys.insert(2, "split_seed")
    for key in keys:
        only += ["--only", f"{key}={getattr(trial, key)}"]
    return run_line({**experiment, "jobs": None}, *only, *["--again"] * done)
