"""``boostbench report``: the tables and figures of a results folder, written from its store."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from boostbench.experiment import options
from boostbench.experiment.options import option

if TYPE_CHECKING:
    from boostbench.cli.screen import Screen
    from boostbench.report.build import ReportResult


def report(
    results: options.Results = None,
    format_: Annotated[list[str] | None, option("format", "FORMAT", "-f")] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="DIR",
            help="Where to write. Default: the results folder; beside an archive, in the folder "
            "above it.",
        ),
    ] = None,
    table: Annotated[str | None, option("table", "NAME")] = None,
    metric: options.Metric = None,
    only: options.Only = None,
    open_: Annotated[bool, option("open")] = False,
    place: options.Place = None,
) -> None:
    """Write the tables and figures of a run.

    It may be finished or not, killed, or still running. A part chosen by --only is shown; with
    --out it is written too.
    """
    from boostbench.cli.screen import Screen
    from boostbench.experiment.reporting import report_on

    screen = Screen()
    found = report_on(
        results,
        screen,
        place=place or [],
        formats=format_ or [],
        out=out,
        table=table,
        metric=metric,
        only=only or [],
        page=open_,
    )
    show_report(screen, found.report, found.folder, found.unplanned)
    for sentence in found.notices:
        screen.warn(sentence)
    if open_ and found.folder is not None:
        screen.open_page((found.folder / "table.html").resolve().as_uri())


def show_report(
    screen: "Screen", result: "ReportResult", out: Path | None, unplanned: Sequence[str]
) -> None:
    """Show the table of a report and say where its files are.

    ``unplanned``: the data sets of the experiment that were never loaded.
    """
    main, own = result.overview, result.asked
    if own is not None:
        screen.table(own.grouped_header, own.texts, title=own.title, sums=own.averages)
        screen.say(own.legend)
    else:
        screen.table(main.grouped_header, main.texts, sums=main.averages)
        for sentence in result.answer:
            screen.say(sentence, "bold")
        if main.legend:
            screen.say(main.legend, "dim")
    if result.not_run:
        screen.say(result.not_run, "yellow")
    if result.paths and out is not None:
        screen.say(f"written to {out}: {', '.join(path.name for path in result.paths)}")
    if unplanned:
        screen.warn(f"not among these, as the data were never loaded: {', '.join(unplanned)}")
