"""``boostbench report``: the tables and figures of a results folder, written from its store."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from boostbench.cli import options

if TYPE_CHECKING:
    from boostbench.cli.console import Screen
    from boostbench.report.build import ReportResult


def report(
    config: options.Results = None,
    format_: Annotated[
        list[str] | None,
        typer.Option(
            "--format",
            "-f",
            metavar="FORMAT",
            help="md (or markdown), csv, latex (tex), html or figure (png, svg, pdf: all three); "
            "several with commas. Default: all.",
            autocompletion=lambda incomplete: [
                name
                for name in ("md", "csv", "latex", "html", "figure")
                if name.startswith(incomplete)
            ],
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="DIR",
            help="Where to write. Default: the results folder; beside an archive, in the folder "
            "above it.",
        ),
    ] = None,
    table: Annotated[
        str | None,
        typer.Option(
            "--table",
            metavar="NAME",
            help="Show this table of the paper instead, such as C.4: one that the runs fill.",
        ),
    ] = None,
    metric: options.Metric = None,
    only: options.Only = None,
    open_: Annotated[
        bool, typer.Option("--open", help="Open the page, table.html, in the browser.")
    ] = False,
    set_: options.Place = None,
) -> None:
    """Write the tables and figures of a run.

    It may be finished or not, killed, or still running. A part chosen by --only is shown; with
    --out it is written too.
    """
    from boostbench.cli.browser import open_page
    from boostbench.cli.console import Screen
    from boostbench.config.loading import recorded_config
    from boostbench.errors import ConfigError
    from boostbench.experiment.folders import ARCHIVE, find_results
    from boostbench.experiment.state import notices
    from boostbench.papers import paper_of
    from boostbench.plan.absent import unplanned, without_data
    from boostbench.report.build import build_report, file_names, report_formats
    from boostbench.store.export import export_results
    from boostbench.store.files import has_results, is_archive_only
    from boostbench.store.store import Store

    names = [name.strip() for text in format_ or [] for name in text.split(",")]
    if not all(names):
        raise ConfigError("--format with an empty name: give one or more, such as --format md,html")
    formats = report_formats(names)
    screen = Screen()
    folder = find_results(config, set_ or [], screen.warn)
    # The results folder holds the report of everything, and an archive that of its own time.
    beside: Path | None = folder
    if is_archive_only(folder):
        beside = folder.parent
        if folder.name != ARCHIVE or has_results(folder.parent):
            beside = None
    target = out or (None if only else beside)
    if beside is None and out is None and (format_ or open_):
        raise ConfigError(
            f"{folder} is an archive, which keeps its own report: name a folder for another one "
            "by --out"
        )
    if metric is not None and out is None:
        target = None
    if target is None and metric and (format_ or open_):
        raise ConfigError("--format and --open with --metric need --out: name the folder for it")
    if target is None and format_:
        raise ConfigError("--format with --only needs --out: name the folder for that part")
    if open_ and target is None:
        raise ConfigError("--open with --only needs --out: name the folder for that part's page")
    if open_ and "html" not in formats:
        raise ConfigError("--open shows the page, which is html: add it to --format")
    with Store.open(folder, create=False, read_only=True, only=only or []) as store:
        if formats:
            # Before anything is written.
            config_path = recorded_config(store.experiment(), folder)
            paper_of(store.experiment(), config_path.parent if config_path else None)
        if "csv" in formats and target is not None:
            name = str(store.experiment().get("name") or "")
            export_results(store, target, also=file_names(name, formats))
        if formats:
            with screen.working("writing the tables and figures"):
                result = build_report(store, target, formats, table, metric)
            planned = {trial.dataset for trial in store.part()}
            # A part is expected to lack other data sets.
            lacking = [] if only else unplanned(store.experiment(), planned)
            show_report(screen, result, target, lacking)
            lasting = [] if only else [*without_data(store.experiment())]
            for sentence in [*lasting, *notices(store, store.outcomes(), config)]:
                screen.warn(sentence)
    if open_ and target is not None:
        open_page(screen, (target / "table.html").resolve().as_uri())


def show_report(
    screen: "Screen", result: "ReportResult", out: Path | None, unplanned: Sequence[str]
) -> None:
    """Show the table of a report and say where its files are.

    ``unplanned``: the data sets of the experiment that were never loaded.
    """
    for own in result.tables:
        screen.table(own.grouped_header, own.texts, title=own.title, sums=own.averages)
        screen.say(own.legend)
    if not result.tables:
        main = result.overview
        screen.table(main.grouped_header, main.texts, sums=main.averages)
        for sentence in result.answer:
            screen.say(sentence, "bold")
        if main.legend:
            screen.say(main.legend, "dim")
    if result.not_run:
        screen.say(result.not_run, "yellow")
    if result.paths and out is not None:
        _tell(screen, out, result.paths)
    if unplanned:
        screen.note(
            f"not among these, as the data were never loaded: {', '.join(unplanned)}", "yellow"
        )


def _tell(screen: "Screen", out: Path, paths: Sequence[Path]) -> None:
    names = [path.name for path in paths]
    single = [name for name in names if name.startswith("table-") and name.endswith(".tex")]
    shown = [name for name in names if name not in single]
    more = f" and {len(single)} tables as LaTeX (table-*.tex)" if single else ""
    screen.say(f"written to {out}: {', '.join(shown)}{more}")
