"""``boostbench check``: whether an experiment file, or a paper's folder, is right."""

from typing import Annotated

import typer

from boostbench.experiment import options
from boostbench.experiment.options import argument, option


def check(
    config: Annotated[
        str | None, argument("CONFIG", "An experiment file, or the name of a shipped one.")
    ] = None,
    overrides: options.Set = None,
    paper: Annotated[str | None, option("paper", "KEY|FOLDER")] = None,
    schema: Annotated[bool, option("schema")] = False,
) -> None:
    """Check an experiment file without running it.

    Its keys, names, methods and parameters are checked, the local files it names are read, each
    metric is called once on made-up predictions, and each estimator that is not one of
    boostbench's fits a small data set once.

    Other data are neither read nor fetched; for local copies use: boostbench run CONFIG --dry-run.

    With --paper, the files of a paper are checked, and its text against its tables.
    """
    from boostbench.cli.screen import Screen
    from boostbench.errors import ConfigError

    if schema:
        from boostbench.config.schema import schema_text

        typer.echo(schema_text(), nl=False)
        return
    from boostbench.experiment.checking import check_config, check_paper_folder

    screen = Screen()
    if paper is not None:
        contradictions, text = check_paper_folder(paper)
        for sentence in contradictions:
            screen.write(sentence, "yellow")
        screen.write(text)
        return
    if config is None:
        raise ConfigError("give an experiment file or a config's name, --paper or --schema")
    screen.write(check_config(config, overrides or [], screen))
