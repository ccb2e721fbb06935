"""``boostbench check``: whether an experiment file, or a paper's folder, is right."""

from typing import TYPE_CHECKING, Annotated

import typer

from boostbench.experiment import options
from boostbench.experiment.listener import Level, Listener
from boostbench.experiment.options import argument, option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boostbench.cli.screen import Screen
    from boostbench.data.dataset import Dataset
    from boostbench.experiment.matching import Matched


def check(
    config: Annotated[
        str | None, argument("CONFIG", "An experiment file, or the name of a shipped one.")
    ] = None,
    overrides: options.Set = None,
    paper: Annotated[str | None, option("paper", "KEY|FOLDER")] = None,
    schema: Annotated[bool, option("schema")] = False,
    as_json: options.Json = False,
) -> None:
    """Check an experiment file without running it.

    Its keys, names, methods and parameters are checked, the local files it names are read, each
    metric is called once on made-up predictions, and each estimator that is not one of
    boostbench's fits a small data set once. Of a paper it is said which printed column each method
    is measured against, which row each data set, and which claims can be judged, or why not.

    Other data are neither read nor fetched; for local copies use: boostbench run CONFIG --dry-run.

    With --paper, the files of a paper are checked, and its text against its tables.
    """
    from boostbench.errors import ConfigError

    if schema:
        typer.echo(_schema(of_json=as_json), nl=False)
    elif as_json:
        _check_as_json(config, overrides or [], paper)
    elif paper is not None:
        _check_paper(paper)
    elif config is None:
        raise ConfigError("give an experiment file or a config's name, --paper or --schema")
    else:
        from boostbench.cli.screen import Screen
        from boostbench.experiment.checking import check_config

        screen = Screen()
        checked = check_config(config, overrides or [], screen)
        _show_match(screen, checked.match)
        screen.write(checked.summary)


def _show_match(screen: "Screen", match: "Sequence[Matched]") -> None:
    """Show what methods and data sets are measured against, and which claims can be judged."""
    for kind in ("method", "data set"):
        own = [(one.name, one.text) for one in match if one.kind == kind]
        if own:
            screen.facts(f"each {kind} and what is printed of it", own)
    claims: dict[str, list[str]] = {}
    for one in match:
        if one.kind == "claim":
            claims.setdefault(one.text, []).append(one.name)
    if claims:
        screen.write("claims", "bold")
    for text, ids in sorted(claims.items(), key=lambda each: not each[0].startswith("can be")):
        screen.wrapped(f"{', '.join(ids)}: {text}", "  ")


def _schema(*, of_json: bool) -> str:
    """Return the schema of experiment files, or that of what commands write as JSON."""
    from boostbench.config.schema import output_schema_text, schema_text

    return output_schema_text() if of_json else schema_text()


def _check_paper(key: str) -> None:
    from boostbench.cli.screen import Screen
    from boostbench.experiment.checking import check_paper_folder

    screen = Screen()
    checked = check_paper_folder(key)
    for sentence in checked.contradictions:
        screen.write(sentence, "yellow")
    screen.write(checked.summary)
    if checked.doubt:
        screen.warn(checked.doubt)


class _Remarks(Listener):
    """Keeps the remarks of a check."""

    def __init__(self) -> None:
        self.kept: list[dict[str, str]] = []

    def note(self, text: str, level: Level = "info") -> None:
        self.kept.append({"level": level, "text": text})

    def dataset_loaded(self, dataset: "Dataset") -> None:
        if dataset.remarks_line:
            self.note(dataset.remarks_line)


def _check_as_json(config: str | None, overrides: list[str], paper: str | None) -> None:
    """Write the result of a check as JSON, its errors too; exit with their code."""
    from boostbench.cli.screen import Screen
    from boostbench.errors import BoostbenchError, ConfigError
    from boostbench.experiment.checking import check_config, check_paper_folder

    target = config if paper is None else paper
    if target is None:
        raise ConfigError(
            "--json tells of a check: give an experiment file, a config's name or --paper"
        )
    remarks = _Remarks()
    found: dict[str, object] = {}
    errors: list[str] = []
    code = 0
    try:
        if paper is None:
            found = check_config(target, overrides, remarks).as_json()
        else:
            found = check_paper_folder(target)._asdict()
            if doubt := str(found.pop("doubt")):
                remarks.note(doubt, "warning")
    except BoostbenchError as error:
        errors, code = str(error).splitlines(), error.exit_code
    Screen().json(
        {
            "checked": target,
            "right": not errors,
            "errors": errors,
            "remarks": remarks.kept,
            **found,
        }
    )
    raise typer.Exit(code)
