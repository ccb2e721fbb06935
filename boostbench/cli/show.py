"""``boostbench show``: one trial, its parameters, its result, and how to run it again."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from boostbench.experiment import options
from boostbench.experiment.options import argument, option

if TYPE_CHECKING:
    from boostbench.cli.screen import Screen


def show(
    trial: Annotated[
        str | None,
        argument(
            "[TRIAL]",
            "DATASET/METHOD/FOLD/SEED, the first digits of the trial's key, or DATASET/METHOD "
            "for a list of its trials.",
        ),
    ] = None,
    config: Annotated[
        str | None,
        argument(
            "[CONFIG]",
            "An experiment file, a shipped config's name, a results folder, or its name below "
            "./results. Default: all results below ./results.",
        ),
    ] = None,
    place: Annotated[str | None, option("in", "CONFIG")] = None,
    only: options.Only = None,
    metric: options.Metric = None,
    as_json: options.Json = False,
) -> None:
    """Show one trial and how to run it again, or a list of trials.

    Its parameters, result, times, output, traceback, and the command that runs it again. With
    CONFIG alone all of its trials are listed, or those that --only selects.
    """
    from boostbench.cli.screen import Screen
    from boostbench.experiment.showing import look_up

    screen = Screen()
    name, folders = _asked(screen, trial, config, place, is_part=bool(only))
    found = look_up(name, folders, only or [])
    if as_json:
        screen.json(found.as_json())
        return
    shown = found.facts(metric)
    if shown.rows:
        screen.write(shown.title, "bold")
        screen.table(shown.header, shown.rows, left=(0, 1, 2, 6))
    else:
        screen.facts(shown.title, shown.facts)
    if shown.traceback:
        screen.write(shown.traceback, "red")
    if shown.output:
        screen.write("it printed:", "bold")
        screen.write(shown.output)
    screen.write(shown.hint)


def _asked(
    screen: "Screen", trial: str | None, config: str | None, place: str | None, *, is_part: bool
) -> tuple[str | None, list[Path]]:
    """Return the name of the trials, None for all, and the results in which to look for them."""
    from boostbench.errors import ConfigError
    from boostbench.experiment.folders import results_folders

    if config is not None and place is not None:
        raise ConfigError(f"--in {place} names the results again: leave it or {config} out")
    results = config or place
    if results is None and trial is not None and _is_results(trial):
        trial, results = None, trial
    if trial is None and results is None and not is_part:
        raise ConfigError(
            "give a trial as DATASET/METHOD/FOLD/SEED, the results of which to list all, or --only"
        )
    folders = results_folders() if results is None else []
    return trial, folders or [screen.find(results)]


def _is_results(name: str) -> bool:
    """Return whether there are results of this name."""
    from boostbench.errors import BoostbenchError
    from boostbench.experiment.folders import find_results

    try:
        find_results(name)
    except BoostbenchError:
        return False
    return True
