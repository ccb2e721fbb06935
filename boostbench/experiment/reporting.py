"""The report of a results folder, or of a part of it, written again."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NamedTuple

from boostbench.errors import ConfigError
from boostbench.experiment.folders import ARCHIVE
from boostbench.experiment.freshness import changed_since_runs
from boostbench.experiment.listener import Listener
from boostbench.experiment.report_record import keep_report, kept_report, sources_of_report
from boostbench.experiment.state import notices
from boostbench.outputs import folder_for
from boostbench.plan.absent import without_data
from boostbench.report import for_python
from boostbench.report.build import ReportResult, build_report
from boostbench.report.frames.results import collect
from boostbench.report.render.formats import format_names
from boostbench.store.export import FILES, export_results
from boostbench.store.files import has_results, is_archive_only
from boostbench.store.store import Store


class Reported(NamedTuple):
    """A report, where it was written (None: nowhere), and remarks on the results."""

    report: ReportResult
    folder: Path | None
    notices: Sequence[str] = ()

    def as_json(
        self, results: Path, metric: str | None = None, only: Sequence[str] = ()
    ) -> dict[str, object]:
        """Return the report of the folder ``results`` as values of JSON's types.

        ``metric`` and ``only`` are those with which it was made.
        """
        table = self.report.asked or self.report.overview
        with Store.read(results, only=only) as store:
            data = collect(store, metric)
        return {
            "results": str(results),
            "written": list(map(str, self.report.paths)),
            "metric": data.metric.name,
            "greater_is_better": data.metric.greater_is_better,
            "answer": list(self.report.answer),
            "not_run": self.report.not_run,
            "notices": list(self.notices),
            "means": for_python.records(for_python.means(data)),
            "pairs": for_python.records(for_python.pairs(data)),
            "ranks": for_python.records(for_python.ranks(data)) if data.ranking else [],
            "table": {
                "title": table.title,
                "header": table.grouped_header,
                "rows": table.texts,
                "legend": table.legend,
            },
        }


def write_report(store: Store, folder: Path, listener: Listener) -> Reported:
    """Write the tables of a store, and the report of all its trials, unless they are there."""
    changed = changed_since_runs(store)
    report = written(store, folder, listener, format_names(), changed)
    return Reported(report, folder)


def report_on(
    folder: Path,
    listener: Listener,
    *,
    formats: Sequence[str] = (),
    out: Path | None = None,
    table: str | None = None,
    metric: str | None = None,
    only: Sequence[str] = (),
    page: bool = False,
) -> Reported:
    """Write the report of results, or only make it; ``page`` says that it will be opened.

    The results folder holds the report of everything by the experiment's metric; other reports need
    ``out``. Raises ConfigError where the options contradict each other.
    """
    names = [name.strip() for text in formats for name in text.split(",")]
    if not all(names):
        raise ConfigError("--format with an empty name: give one or more, such as --format md,html")
    chosen = format_names(names)
    is_part = bool(only) or metric is not None or table is not None
    target = place_for(folder, out, is_part=is_part)
    _check_options(target, chosen, is_asked=bool(formats) or page, page=page)
    with Store.read(folder, only=only) as store:
        changed = changed_since_runs(store)
        if target is None:
            report = build_report(
                store, None, (), table, metric, working=listener.working, changed=changed
            )
        else:
            report = written(store, target, listener, chosen, changed, table, metric)
        return Reported(report, target, report_notices(store, changed, is_whole=not only))


def written(
    store: Store,
    target: Path,
    listener: Listener,
    formats: Sequence[str],
    changed: Sequence[str],
    table: str | None = None,
    metric: str | None = None,
) -> ReportResult:
    """Write a report, and with ``csv`` the tables of its trials, unless they are there."""
    now = sources_of_report(store, target, changed, table, metric)
    if kept := kept_report(target, now, formats, store.record_of_run()["name"]):
        return kept
    folder = folder_for(target, store.folder)
    if "csv" in formats:
        # Before anything is written.
        folder.check(FILES if store.has_curves else FILES[:2])
    report = build_report(store, target, formats, table, metric, listener.working, changed)
    exports = export_results(store, target) if "csv" in formats else []
    keep_report(folder, now, formats, report, exports)
    return report


def _check_options(
    target: Path | None, chosen: Collection[str], *, is_asked: bool, page: bool
) -> None:
    """Raise ConfigError where the options contradict each other."""
    if target is None and is_asked:
        raise ConfigError(
            "a part, one table, another metric or an archive beside a run's results is shown and "
            "not written: with --format or --open name a folder for it by --out"
        )
    if page and "html" not in chosen:
        raise ConfigError("--open shows the page, which is html: add it to --format")


def report_notices(store: Store, changed: Sequence[str], is_whole: bool) -> list[str]:
    """Return which data sets are lacking, unless it is a part that need not have all, and changes.

    The changes are those since the results were recorded.
    """
    lacking = without_data(store.record_of_run()) if is_whole else ()
    return [*lacking, *notices(store, changed)]


def place_for(folder: Path, out: Path | None, *, is_part: bool) -> Path | None:
    """Return the folder for a report: ``out``, or else that of the results.

    None for a part, and for an archive beside the results of a run.
    """
    if out is not None or is_part:
        return out
    if not is_archive_only(folder):
        return folder
    return None if folder.name != ARCHIVE or has_results(folder.parent) else folder.parent
