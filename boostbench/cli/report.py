"""``boostbench report``: the tables and figures of a results folder, written from its store."""

from pathlib import Path
from typing import Annotated

from boostbench.experiment import options
from boostbench.experiment.options import option


def report(
    results: options.Results = None,
    formats: Annotated[list[str] | None, option("format", "FORMAT", "-f")] = None,
    out: Annotated[Path | None, option("out", "DIR")] = None,
    table: Annotated[str | None, option("table", "NAME")] = None,
    metric: options.Metric = None,
    only: options.Only = None,
    page: Annotated[bool, option("open")] = False,
    as_json: options.Json = False,
    for_paper: Annotated[bool, option("for_paper")] = False,
    show: Annotated[str | None, option("show", "NAMES")] = None,
    columns: Annotated[str | None, option("columns", "METHODS")] = None,
    no_sd: Annotated[bool, option("no_sd")] = False,
    width: Annotated[float | None, option("width", "INCHES")] = None,
) -> None:
    """Write the tables and figures of a run.

    It may be finished or not, killed, or still running. A part chosen by --only is shown; with
    --out it is written too. With --json the numbers are written to standard output.
    """
    from boostbench.cli.screen import Screen
    from boostbench.experiment.paper_report import PaperRequest, report_for_paper
    from boostbench.experiment.reporting import report_on

    screen = Screen()
    asked = PaperRequest(for_paper, show, columns, width, no_sd)
    layout = asked.layout(
        {"--format": bool(formats), "--table": bool(table), "--open": page, "--json": as_json}
    )
    folder = screen.find(results)
    if layout is not None:
        screen.paper(
            report_for_paper(folder, screen, layout, out=out, metric=metric, only=only or [])
        )
        return
    reported = report_on(
        folder,
        screen,
        formats=formats or [],
        out=out,
        table=table,
        metric=metric,
        only=only or [],
        page=page,
    )
    if as_json:
        screen.json(reported.as_json(folder, metric, only or []))
    else:
        screen.report(reported)
    if page and reported.folder is not None:
        screen.open_page((reported.folder / "table.html").resolve().as_uri())
