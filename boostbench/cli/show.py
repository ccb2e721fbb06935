"""``boostbench show``: one trial, its parameters, its result, and how to run it again."""

from typing import Annotated

from boostbench.experiment.options import argument, option


def show(
    trial: Annotated[
        str,
        argument(
            "TRIAL",
            "DATASET/METHOD/FOLD/SEED, the first digits of the trial's key, or DATASET/METHOD "
            "for a list of its trials.",
        ),
    ],
    config: Annotated[str | None, option("in", "CONFIG")] = None,
) -> None:
    """Show one trial and how to run it again.

    Its parameters, result, times, output, traceback, and the command that runs it again.
    """
    from boostbench.cli.screen import Screen
    from boostbench.experiment.folders import results_folders
    from boostbench.experiment.showing import look_up

    screen = Screen()
    folders = results_folders() if config is None else []
    shown = look_up(trial, folders or [screen.find(config)])
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
