"""The report of a results folder, of all of it or a part, made anew."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from boostbench.config.loading import recorded_config
from boostbench.errors import ConfigError
from boostbench.experiment.folders import ARCHIVE, find_results
from boostbench.experiment.listener import Listener
from boostbench.experiment.state import notices
from boostbench.papers import paper_of
from boostbench.plan.absent import unplanned, without_data
from boostbench.report.build import ReportResult, build_report, file_names, report_formats
from boostbench.store.export import export_results
from boostbench.store.files import has_results, is_archive_only
from boostbench.store.store import Store


class Reported(NamedTuple):
    """A report, where it was written (None: nowhere), and what else is to be said of the results.

    ``unplanned``: the data sets of the experiment that were never loaded.
    """

    report: ReportResult
    folder: Path | None
    unplanned: Sequence[str]
    notices: Sequence[str]


def write_report(store: Store, folder: Path, listener: Listener) -> ReportResult:
    """Write the tables of a store, and the report of all that it has."""
    export_results(store, folder, also=file_names(str(store.experiment().get("name") or "")))
    with listener.working("writing the tables and figures"):
        return build_report(store, folder)


def report_on(
    results: str | None,
    listener: Listener,
    *,
    place: Sequence[str] = (),
    formats: Sequence[str] = (),
    out: Path | None = None,
    table: str | None = None,
    metric: str | None = None,
    only: Sequence[str] = (),
    page: bool = False,
) -> Reported:
    """Write the report of results, or make it only; ``page``: to be opened.

    ``results`` and ``place`` say which, see :func:`find_results`. The results folder holds the
    report of everything by the experiment's metric; other ones need ``out``. Raises ConfigError
    where the options contradict each other.
    """
    names = [name.strip() for text in formats for name in text.split(",")]
    if not all(names):
        raise ConfigError("--format with an empty name: give one or more, such as --format md,html")
    chosen = report_formats(names)
    folder = find_results(results, place, lambda text: listener.note(text, "warning"))
    target = out or _place(folder, only, metric)
    if target is None:
        _check_shown_only(folder, bool(formats), page, metric)
    if page and "html" not in chosen:
        raise ConfigError("--open shows the page, which is html: add it to --format")
    with Store.open(folder, create=False, read_only=True, only=only) as store:
        experiment = store.experiment()
        # Before anything is written.
        config_path = recorded_config(experiment, folder)
        paper_of(experiment, config_path.parent if config_path else None)
        if "csv" in chosen and target is not None:
            name = str(experiment.get("name") or "")
            export_results(store, target, also=file_names(name, chosen))
        with listener.working("writing the tables and figures"):
            report = build_report(store, target, chosen, table, metric)
        said = notices(store, store.outcomes(), results)
        # A part is expected to lack other data sets.
        if only:
            return Reported(report, target, [], said)
        lacking = unplanned(experiment, {trial.dataset for trial in store.part()})
        return Reported(report, target, lacking, [*without_data(experiment), *said])


def _place(folder: Path, only: Sequence[str], metric: str | None) -> Path | None:
    """Return where a report is kept; an archive keeps that of its own time."""
    if only or metric is not None:
        return None
    if not is_archive_only(folder):
        return folder
    return None if folder.name != ARCHIVE or has_results(folder.parent) else folder.parent


def _check_shown_only(folder: Path, formats: bool, page: bool, metric: str | None) -> None:
    """Raise ConfigError where a report that is not written is to be in a format, or opened."""
    if not (formats or page):
        return
    if _place(folder, (), None) is None:
        raise ConfigError(
            f"{folder} is an archive, which keeps its own report: name a folder for another one "
            "by --out"
        )
    if metric:
        raise ConfigError("--format and --open with --metric need --out: name the folder for it")
    if formats:
        raise ConfigError("--format with --only needs --out: name the folder for that part")
    raise ConfigError("--open with --only needs --out: name the folder for that part's page")
