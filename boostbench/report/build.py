"""Write a report: the store is read once, and every file is a pure function of its contents."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from boostbench.errors import ConfigError
from boostbench.outputs import folder_for
from boostbench.report.document.printed_tables import why_not_filled
from boostbench.report.document.report import Report
from boostbench.report.document.table import TextTable
from boostbench.report.frames.results import ReportData, collect, on_partitions
from boostbench.report.names import FIGURE
from boostbench.report.render.formats import Renderer, renderers
from boostbench.report.render.markdown import Picture, picture
from boostbench.store.store import Store
from boostbench.suggest import did_you_mean, listing

if TYPE_CHECKING:
    from boostbench.report.figures.files import Drawing


@dataclass(frozen=True)
class ReportResult:
    """The written files, and the parts that a terminal shows.

    ``overview`` is the results table, ``answer`` has the result in sentences, and ``own`` are the
    comparisons of own methods. ``not_run`` names methods and data sets that are left out because
    they have no runs. ``asked`` is the requested table of the paper, which is shown instead of
    them. ``pictures`` are the written figures, the main one first.
    """

    paths: Sequence[Path]
    overview: TextTable
    answer: Sequence[str] = ()
    own: Sequence[TextTable] = ()
    not_run: str = ""
    asked: TextTable | None = None
    pictures: Sequence[Picture] = ()


def build_report(
    store: Store,
    out: Path | None,
    formats: Sequence[str] = (),
    table: str | None = None,
    metric: str | None = None,
    working: Callable[[str], AbstractContextManager[object]] = nullcontext,
    changed: Sequence[str] = (),
) -> ReportResult:
    """Write ``table.md``, ``.csv``, ``.tex``, ``.html`` and the figures as PNG, SVG and PDF.

    ``figure.*`` has the differences from published means, else the means, which are in ``means.*``
    otherwise; ``ranks.*`` mean ranks of three methods or more on five data sets or more. Where
    learning curves were recorded, ``NAME.*`` has these, NAME being the experiment's.
    ``references.bib`` has the references to cite.
    ``formats`` are names of registered formats, those of :data:`~boostbench.report.names.FORMATS`
    if there are none. Nothing is written if ``out`` is None.
    Files are written completely or not at all. ``table`` names one of the paper's tables to be
    shown, or ``itself`` for the claims that the paper's own tables contradict; ``metric`` replaces
    the experiment's score. ``working`` reports the writing, once all options are right, and
    ``changed`` lists in words what has changed since the runs.
    Raises ``ConfigError`` for an unknown format and for a table that these runs do not fill, and
    ``StoreError`` where ``out`` cannot be written to or holds a file of one of these names that is
    the user's.
    """
    chosen = renderers(formats)
    results = replace(collect(store, metric), changed=changed)
    draws = out is not None and any(each.name == FIGURE for each in chosen)
    report = Report(
        results,
        draw=partial(_drawings, results) if draws else tuple,
        elsewhere=partial(on_partitions, store, results, out or store.folder),
    )
    asked = None if table is None else _asked_for(report, table)
    paths = [] if out is None else _write(report, chosen, store, out, working)
    pictures = list(map(picture, report.figures))
    if asked is not None:
        return ReportResult(paths, report.overview, [], [], results.not_run, asked, pictures)
    return ReportResult(
        paths, report.overview, report.answer, report.own[1], results.not_run, None, pictures
    )


def _write(
    report: Report,
    chosen: Sequence[Renderer],
    store: Store,
    out: Path,
    working: Callable[[str], AbstractContextManager[object]],
) -> list[Path]:
    """Write the files of a report, and remove those of an earlier one that it has not."""
    with working("writing the tables and figures"):
        files: dict[str, bytes] = {}
        for renderer in chosen:
            files |= renderer.files(report)
        folder = folder_for(out, store.folder)
        paths = folder.write(files)
    earlier = chain.from_iterable(each.file_names(report.name) for each in chosen)
    folder.remove(name for name in earlier if name not in files)
    return paths


def _asked_for(report: Report, name: str) -> TextTable:
    """Return the table of the paper that was asked for; ConfigError where it is not filled."""
    # To judge all claims takes longer than the rest; a printed table needs none of them.
    if name in report.printed:
        return report.printed[name]
    made = {**report.printed} | {table.key: table for table in report.contradictions}
    if name in made:
        return made[name]
    if why := why_not_filled(report.results, name):
        raise ConfigError(f"these runs do not fill the paper's table '{name}': {why}")
    filled = f"those that they fill are {listing(made)}" if made else "they fill none"
    raise ConfigError(
        f"these runs do not fill a table '{name}'{did_you_mean(name, made)}; {filled}"
    )


def _drawings(results: ReportData) -> list["Drawing"]:
    """Return the figures of a report."""
    # matplotlib takes half a second to import, which a report without figures need not.
    from boostbench.report.figures.files import drawings

    return list(drawings(results))
