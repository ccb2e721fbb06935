"""``boostbench paper``: the tables of any paper, from its LaTeX source to a folder."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from boostbench.experiment.options import argument

if TYPE_CHECKING:
    from boostbench.papers.drafts.draft import Draft
    from boostbench.papers.drafts.questions import Answers, Question

EXIT_OPEN = 3
"""The exit code where questions are left open."""

app = typer.Typer(
    help="Read the tables of a paper, and make a paper's folder of them.", no_args_is_help=True
)


@app.command("cells")
def cells(
    source: Annotated[Path, argument("FILE.tex", "A LaTeX file with tables.")],
) -> None:
    """Print every cell of the tables of a LaTeX file as CSV, with what is doubtful in it.

    Tables are numbered in the order of the source. What holds for a whole table, or is no number,
    is said on the standard error.
    """
    from boostbench.papers.latex.cells import cells_as_csv, read_tables

    tables, remarks = read_tables(source)
    for remark in [*remarks, *(doubt for table in tables for doubt in table.doubts)]:
        typer.echo(remark, err=True)
    typer.echo(cells_as_csv(tables, source.name), nl=False)


@app.command("new")
def new(
    folder: Annotated[Path, argument("DIR", "The folder to make.")],
    source: Annotated[
        list[Path],
        typer.Option(
            "--from",
            metavar="FILE.tex|RUNS.csv|RESULTS",
            help="A LaTeX file with the tables, a CSV file with a row for each run, or a results "
            "folder. A LaTeX file and the runs behind its means can be given together.",
        ),
    ],
    answer: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=TEXT",
            help="The answer to a question, which is then not asked. Can be repeated.",
        ),
    ] = None,
    answers_file: Annotated[
        Path | None,
        typer.Option("--answers", metavar="FILE.yaml", help="A file of answers: KEY: TEXT."),
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            metavar="NAME=COLUMN,...",
            help="How columns of RUNS.csv are called that are not table, dataset, method, split, "
            "seed and score.",
        ),
    ] = None,
) -> None:
    """Make a paper's folder from its tables or runs, asking what they do not say.

    Without a terminal nothing is asked: each question is a TODO line in paper.yaml, and the exit
    code is 3.
    """
    from boostbench.papers.drafts.folder import files_of, refuse_existing, write_folder
    from boostbench.papers.drafts.questions import Answers
    from boostbench.papers.drafts.sources import draft_of

    refuse_existing(folder)
    given = {**_of_file(answers_file), **_given(answer or [])}
    answers = Answers(given, _prompt if _is_terminal() else None)
    draft = draft_of(source, columns or "", answers)
    answers.check_all_used()
    write_folder(folder, files_of(draft, answers, folder.name))
    _say_what_was_written(folder, draft, answers)
    if answers.unanswered:
        raise typer.Exit(EXIT_OPEN)


def _given(answers: list[str]) -> dict[str, str]:
    """Return the answers of the command line by their keys."""
    from boostbench.errors import ConfigError

    found = {}
    for answer in answers:
        key, equals, text = answer.partition("=")
        if not equals:
            raise ConfigError(f"--answer {answer}: write KEY=TEXT, as in metric=rmse")
        found[key.strip()] = text.strip()
    return found


def _of_file(path: Path | None) -> dict[str, str]:
    """Return the answers of a file by their keys."""
    from boostbench.errors import ConfigError
    from boostbench.yamltree import read_yaml

    content = read_yaml(path).value if path else {}
    if not isinstance(content, dict) or any(isinstance(v, dict | list) for v in content.values()):
        raise ConfigError(f"{path}:1: write an answer on each line, as in 'table1.metric: rmse'")
    words = {True: "yes", False: "no"}
    return {
        str(key): words[answer] if isinstance(answer, bool) else str(answer)
        for key, answer in content.items()
    }


def _is_terminal() -> bool:
    """Return whether somebody can be asked."""
    import sys

    return sys.stdin is not None and sys.stdin.isatty()


def _prompt(question: "Question", problem: str) -> str:
    """Ask a question in the terminal; ``problem`` is what is wrong with the last answer."""
    if problem:
        typer.echo(f"  {problem}")
    proposal = f" [{question.proposal}]" if question.proposal else ""
    return input(f"{question.line}{proposal}: ")


def _say_what_was_written(folder: Path, draft: "Draft", answers: "Answers") -> None:
    from boostbench.suggest import counted

    with_card = sum(bool(data.card) for data in draft.datasets)
    kept = sum(doubt.answer != "written" for doubt in draft.doubts)
    typer.echo(f"{folder}: {counted(len(draft.cells), 'cell')} of {draft.source}")
    typer.echo(f"  {counted(len(draft.datasets), 'data set')}, {with_card} of them with a card")
    if kept:
        typer.echo(f"  {counted(kept, 'doubtful number')} in {folder / 'doubts.csv'} alone")
    if answers.unanswered:
        number = counted(len(answers.unanswered), "question")
        typer.echo(
            f"  {number} left open, as TODO lines in {folder / 'paper.yaml'}: answer there, or "
            "make the folder again with --answer",
            err=True,
        )
    else:
        typer.echo(f"  next: boostbench check --paper {folder}")
