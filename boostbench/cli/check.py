"""``boostbench check``: whether an experiment file is right, without running it."""

from typing import Annotated

import typer

from boostbench.cli import complete, options


def check(
    config: Annotated[
        str | None,
        typer.Argument(
            metavar="CONFIG",
            help="An experiment file, or the name of a shipped one.",
            autocompletion=complete.configs,
        ),
    ] = None,
    set_: options.Set = None,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON schema of experiment files instead.")
    ] = False,
) -> None:
    """Check an experiment file without running it.

    Its keys, names, methods and parameters are checked, and the local files it names are read.

    Other data are neither read nor fetched; for those at hand see: boostbench run CONFIG --dry-run.
    """
    from boostbench.errors import ConfigError

    if schema:
        from boostbench.config.schema import schema_text

        typer.echo(schema_text(), nl=False)
        return
    if config is None:
        raise ConfigError("give an experiment file or a config's name, or --schema")

    from boostbench.cli.console import Screen
    from boostbench.config.loading import load_experiment
    from boostbench.plan.check import check_experiment, unavailable_methods, unused_settings
    from boostbench.plan.inputs import check_files
    from boostbench.suggest import counted

    screen = Screen()
    experiment = load_experiment(config, set_ or [])
    methods = check_experiment(experiment)
    check_files(experiment, methods, screen.note_data)
    for sentence in unused_settings(experiment):
        screen.note(sentence, "yellow")
    for label, reason in unavailable_methods(methods).items():
        screen.note(f"{label} would be skipped here: {reason}", "yellow")
    screen.say(
        f"{config} is right: {counted(len(experiment.datasets), 'data set')} x "
        f"{counted(len(methods), 'method')} x {experiment.parts_text} x "
        f"{counted(len(experiment.seed_list), 'seed')} = {counted(experiment.n_trials, 'trial')}"
    )
