"""What a report was made from, kept beside it: it is made again only where that has changed."""

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from pydantic import TypeAdapter

from boostbench import __version__
from boostbench.config.loading import recorded_config
from boostbench.data.cards import Catalog
from boostbench.engine.environment import digest_of_files
from boostbench.errors import BoostbenchError
from boostbench.importing import installed_version
from boostbench.methods import get_method, method_names, registered_name
from boostbench.outputs import OutputFolder
from boostbench.papers import folder_of
from boostbench.report.build import ReportResult
from boostbench.report.frames.results import deciding_folders
from boostbench.report.render.formats import renderers
from boostbench.store.files import is_archive_only
from boostbench.store.store import Store
from boostbench.user_code import file_digest, own_sources
from boostbench.values import Record

RECORD_FILE = ".boostbench-report.json"
_LIBRARIES = ("matplotlib", "numpy", "pandas", "scipy", "sklearn", "jinja2")


@dataclass(frozen=True)
class ReportSources:
    """All on which a report depends: digests of files and results, and what else is short.

    ``changed`` is what has changed since the runs, ``metric_code`` the source of a metric of the
    user's, and ``decided_by`` the results that decide what these do not.
    """

    results: str
    paper: str
    cards: str
    methods: Sequence[str]
    decided_by: Sequence[str]
    changed: Sequence[str]
    table: str | None
    metric: str | None
    metric_code: str
    only: Sequence[str]
    program: str
    libraries: Mapping[str, str]


@dataclass(frozen=True)
class ReportRecord:
    """A report as it was made in some formats.

    ``files`` has the digest of each written file by its name, and ``shown`` is what commands print.
    """

    made_from: ReportSources
    formats: Sequence[str]
    files: Mapping[str, str]
    shown: ReportResult


_RECORD = TypeAdapter(ReportRecord)


def sources_of_report(
    store: Store,
    out: Path,
    changed: Sequence[str],
    table: str | None,
    metric: str | None,
) -> ReportSources:
    """Return all on which the report of a store in ``out`` depends, as it is now."""
    record = store.record_of_run()
    config = recorded_config(record, store.folder)
    beside = config.parent if config else None
    paper = str(record.get("paper") or "")
    return ReportSources(
        results=store.digest(),
        paper=digest_of_files(folder_of(paper, beside).iterdir()) if paper else "",
        cards=digest_of_files(_cards(beside)),
        methods=_methods(record["methods"]),
        decided_by=_deciding(store, out),
        changed=list(changed),
        table=table,
        metric=metric,
        metric_code=own_sources(metric).digest if metric and ":" in metric else "",
        only=list(store.only),
        program=f"{__version__} {_digest_of_boostbench()}",
        libraries={name: installed_version(name) for name in _LIBRARIES},
    )


def kept_report(
    out: Path, now: ReportSources, formats: Sequence[str], experiment: str
) -> ReportResult | None:
    """Return the report in a folder, if it was made from what is there ``now`` and is complete.

    It must have these ``formats``, and names their files alone; ``experiment`` is its name.
    """
    try:
        record = _RECORD.validate_json((out / RECORD_FILE).read_bytes())
    except (OSError, ValueError):
        # There is none, or one of another boostbench.
        return None
    if record.made_from != now or record.files != _digests(out, record.files):
        return None
    if not set(formats) <= set(record.formats):
        return None
    wanted = {name for each in renderers(formats) for name in each.file_names(experiment)}
    paths = [out / path for path in record.shown.paths if path.name in wanted]
    return replace(record.shown, paths=paths)


def keep_report(
    folder: OutputFolder,
    now: ReportSources,
    formats: Sequence[str],
    report: ReportResult,
    exports: Iterable[Path],
) -> None:
    """Write beside a report, and its ``exports``, what it was made from."""
    # Names rather than paths: the folder can be moved.
    names = [path.name for path in report.paths]
    files = _digests(folder.folder, [*names, *(path.name for path in exports)])
    shown = replace(report, paths=list(map(Path, names)))
    content = _RECORD.dump_json(ReportRecord(now, formats, files, shown), indent=1)
    folder.write({RECORD_FILE: content + b"\n"})


def _digests(folder: Path, names: Iterable[str]) -> dict[str, str]:
    """Return the digest of each file of a folder, empty for one that is not there."""
    paths = {name: folder / name for name in names}
    return {name: file_digest(p) if p.is_file() else "" for name, p in paths.items()}


@cache
def _digest_of_boostbench() -> str:
    """Return the digest of the program's own files, which a clone may change."""
    package = Path(__file__).resolve().parents[1]
    files = (path for path in package.rglob("*") if "__pycache__" not in path.parts)
    return digest_of_files(files, package)


def _cards(beside: Path | None) -> list[Path]:
    # A report does without cards that are wrong.
    with contextlib.suppress(BoostbenchError):
        return Catalog(beside).files
    return []


def _methods(entries: Sequence[Record]) -> list[str]:
    """Return the registered methods of an experiment; a package may have changed its own."""
    known = method_names()
    names = [registered_name(str(entry["name"]), dict(entry)) for entry in entries]
    return [repr(get_method(name)) for name in names if name in known]


def _deciding(store: Store, out: Path) -> list[str]:
    """Return the digests of the results that decide what these do not, and where their page is."""
    found = []
    for folder in deciding_folders(store, store.experiment()):
        if is_archive_only(folder):
            found.append(digest_of_files(folder.iterdir()))
            continue
        with contextlib.suppress(BoostbenchError), Store.read(folder) as other:
            page = folder / "table.html"
            is_beside = out.resolve().parent == folder.parent
            found.append(f"{other.digest()} {is_beside} {page.is_file()}")
    return found
