"""What a report was made from, kept beside it: it is made again only where that has changed."""

import contextlib
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from pydantic import TypeAdapter

from boostbench import __version__
from boostbench.config.loading import recorded_config
from boostbench.data.catalog import Catalog
from boostbench.errors import BoostbenchError
from boostbench.importing import installed_version
from boostbench.methods import get_method, method_names, registered_name
from boostbench.outputs import BY_OUT, BY_RESULTS, OutputFolder
from boostbench.papers import folder_of
from boostbench.plan.trial import canonical_json
from boostbench.report.build import ReportResult
from boostbench.report.frames.results import deciding_folders
from boostbench.store.files import is_archive_only
from boostbench.store.store import Store

RECORD_FILE = ".boostbench-report.json"
_LIBRARIES = ("matplotlib", "numpy", "pandas", "scipy", "jinja2")


@dataclass(frozen=True)
class FinishedRun:
    """A run after which the same command finds nothing to do.

    ``command`` is its line for a shell, ``experiment`` the digest of what its file said. All its
    ``trials`` are done, and ``remarks`` are those on its data.
    """

    command: str
    experiment: str
    trials: int
    remarks: Sequence[str]


@dataclass(frozen=True)
class ReportRecord:
    """A report as it was made.

    ``made_from`` describes, or has the digest of, each thing on which the report depends; ``files``
    has the digest of each written file by its name, and ``shown`` is what commands print of it.
    ``after`` is the run that wrote or kept it, if nothing is left of that run.
    """

    made_from: Mapping[str, str]
    files: Mapping[str, str]
    shown: ReportResult
    after: FinishedRun | None = None


_RECORD = TypeAdapter(ReportRecord)


def made_from(
    store: Store, out: Path, options: Mapping[str, object], changed: Sequence[str]
) -> dict[str, str]:
    """Return all on which the report of a store in ``out`` depends, by what it is.

    ``options`` are those of the report, and ``changed`` what has changed since the runs.
    """
    record = store.record_of_run()
    config = recorded_config(record, store.folder)
    beside = config.parent if config else None
    paper = str(record.get("paper") or "")
    return {
        "store": store.digest(),
        "paper": _digest_of_files(_files_in(folder_of(paper, beside))) if paper else "",
        "cards": _digest_of_files(_cards(beside)),
        "methods": canonical_json(_methods(record["methods"])),
        "decided by": canonical_json(_deciding(store, out)),
        "options": canonical_json(dict(options)),
        "changed": canonical_json(list(changed)),
        "boostbench": f"{__version__} {_digest_of_boostbench()}",
        "libraries": canonical_json({name: installed_version(name) for name in _LIBRARIES}),
    }


def kept_report(out: Path, now: Mapping[str, str]) -> ReportResult | None:
    """Return the report in a folder, if it was made from what is there ``now`` and is complete."""
    record = _read_record(out)
    if record is None or record.made_from != now or record.files != _digests(out, record.files):
        return None
    return replace(record.shown, paths=[out / path for path in record.shown.paths])


def keep_report(
    store: Store, out: Path, now: Mapping[str, str], report: ReportResult, exports: Iterable[Path]
) -> None:
    """Write beside a report in ``out``, and its ``exports``, what it was made from."""
    # Names rather than paths: the folder can be moved.
    names = [path.name for path in report.paths]
    files = _digests(out, [*names, *(path.name for path in exports)])
    shown = replace(report, paths=list(map(Path, names)))
    remedy = BY_RESULTS if out == store.folder else BY_OUT
    before = _read_record(out)
    after = before.after if before is not None and before.made_from == now else None
    _write_record(OutputFolder(out, remedy), ReportRecord(now, files, shown, after))


def finished_run(folder: Path) -> FinishedRun | None:
    """Return the run after which the report in a results folder was kept, if it left nothing."""
    record = _read_record(folder)
    return None if record is None else record.after


def keep_finished_run(folder: Path, run: FinishedRun) -> None:
    """Write beside the report in a results folder which run has left nothing to do."""
    record = _read_record(folder)
    if record is not None and record.after != run:
        _write_record(OutputFolder(folder, BY_RESULTS), replace(record, after=run))


def _read_record(out: Path) -> ReportRecord | None:
    """Return the record in a folder, None if it has none, or one of another boostbench."""
    try:
        return _RECORD.validate_json((out / RECORD_FILE).read_bytes())
    except (OSError, ValueError):
        return None


def _write_record(out: OutputFolder, record: ReportRecord) -> None:
    out.write({RECORD_FILE: _RECORD.dump_json(record, indent=1) + b"\n"})


def _digests(folder: Path, names: Iterable[str]) -> dict[str, str]:
    """Return the digest of each file of a folder, empty for one that is not there."""
    return {name: _digest_of_file(folder / name) for name in names}


def _digest_of_file(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


def _digest_of_files(paths: Iterable[Path], below: Path | None = None) -> str:
    """Return one digest of the names and contents of files, the names as seen from ``below``."""
    each = {str(p.relative_to(below) if below else p.name): _digest_of_file(p) for p in paths}
    return hashlib.sha256(canonical_json(each).encode()).hexdigest()


def _files_in(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.is_file()]


@cache
def _digest_of_boostbench() -> str:
    """Return the digest of the program's own files, which a clone may change."""
    package = Path(__file__).resolve().parents[1]
    files = [path for path in package.rglob("*") if path.is_file()]
    return _digest_of_files((p for p in files if "__pycache__" not in p.parts), package)


def _cards(beside: Path | None) -> list[Path]:
    # A report does without cards that are wrong.
    with contextlib.suppress(BoostbenchError):
        return Catalog(beside).files
    return []


def _methods(entries: Sequence[Mapping[str, object]]) -> list[str]:
    """Return the registered methods of an experiment; a package may have changed its own."""
    known = method_names()
    names = [registered_name(str(entry["name"]), dict(entry)) for entry in entries]
    return [repr(get_method(name)) for name in names if name in known]


def _deciding(store: Store, out: Path) -> list[str]:
    """Return the digests of the results that decide what these do not, and where their page is."""
    found = []
    for folder in deciding_folders(store, store.experiment()):
        if is_archive_only(folder):
            found.append(_digest_of_files(_files_in(folder)))
            continue
        with contextlib.suppress(BoostbenchError), Store.read(folder) as other:
            page = folder / "table.html"
            is_beside = out.resolve().parent == folder.parent
            found.append(f"{other.digest()} {is_beside} {page.is_file()}")
    return found
