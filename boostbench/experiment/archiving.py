"""Results kept in git: an archive with its report and its figure, without local paths."""

import json
import re
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from boostbench.config.loading import shipped_name
from boostbench.errors import StoreError
from boostbench.experiment.folders import ARCHIVE
from boostbench.experiment.freshness import changed_since_runs
from boostbench.experiment.written import portable_files
from boostbench.objects.names import FOLDER
from boostbench.outputs import OutputFolder
from boostbench.plan.shard import Shard
from boostbench.plan.trial import canonical_json
from boostbench.report.build import build_report
from boostbench.store.archive_format import archive_files, has_predictions, read_archive
from boostbench.store.files import ARCHIVE_FILE, STORE_FILE, is_archive, is_archive_only
from boostbench.store.merge_stores import contents_of
from boostbench.store.predictions import KeptRows, read_kept
from boostbench.store.record import OF_THE_CALL
from boostbench.store.store import Store
from boostbench.store.types import MISSING, Contents
from boostbench.suggest import counted

# Paths of the machine, and settings of a single run.
_LOCAL = {"results", "file", "sources", "shard", *OF_THE_CALL}
FIGURE = "figure.png"
"""The main figure of an archive."""
# From the start of a path to the end of a text; web addresses and quotients are no paths.
_PATH = r"""["']?(file:/+|\b[A-Za-z]:[/\\]|\\\\|(?<![\w.:/\\])/+|(?<=:)/(?!/))[^\s/\\].*"""


def archive(folder: Path, out: Path | None = None, *, predictions: bool = False) -> list[Path]:
    """Write the results in ``folder`` as an archive with its report; return the paths.

    ``out`` is ``folder``'s ``archive`` by default, or ``folder`` where it is an archive itself.
    With ``predictions`` those that trials kept are in it, as they stay in an archive that has them.
    Raises StoreError where the results cannot be read, are a shard's or are empty; where another
    archive is in the way, or a file of the user's, or a run's results.
    """
    with Store.read(folder) as store:
        contents, shard = _public(contents_of(store)), store.shard()
        is_kept = predictions or (is_archive_only(folder) and has_predictions(folder))
        kept = read_kept(store.database) if is_kept else None
    _check_whole(folder, contents, shard, kept)
    out = out or (folder if is_archive_only(folder) else folder / ARCHIVE)
    outputs = OutputFolder(out)
    _check_output(out, outputs, contents)
    files = archive_files(contents, kept)
    beside, objects = portable_files(folder)
    files |= _report_files(files)
    files |= beside
    # An earlier archive does not match its digests until the last file is written.
    files[ARCHIVE_FILE] = files.pop(ARCHIVE_FILE)
    inner = OutputFolder(out / FOLDER)
    inner.check(objects)
    paths = outputs.write(files)
    outputs.remove(name for name in outputs.names() if name not in files)
    paths += inner.write(objects) if objects else []
    inner.remove(name for name in inner.names() if name not in objects)
    return paths


def _check_whole(
    folder: Path, contents: Contents, shard: Shard | None, kept: KeptRows | None
) -> None:
    """Raise StoreError where results are a shard's or empty, or lack the predictions to keep."""
    if shard is not None:
        raise StoreError(f"{folder} has one shard of its plan: merge the shards, and archive that")
    ended = {key for key, row in contents.outcomes.items() if row.status == "ok"}
    if ended.isdisjoint(key for key, _ in contents.plan):
        raise StoreError(f"{folder} has no finished trial of its plan, so there is nothing to keep")
    if kept is not None and not kept.predicted:
        raise StoreError(
            f"{folder} has no predictions to keep: leave --predictions out, or set `keep: "
            "[predictions]` in the experiment and run it with --again"
        )


def _report_files(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the report of an archive's files, and its main figure, if it has one."""
    with tempfile.TemporaryDirectory(prefix="boostbench-") as name:
        made = Path(name)
        for file, content in files.items():
            (made / file).write_bytes(content)
        with Store.read(made) as store:
            (page,) = build_report(store, made, ["md"], changed=changed_since_runs(store)).paths
            pictures = build_report(store, made, ["figure"]).pictures
        text = page.read_text(encoding="utf-8")
        if not pictures:
            return {page.name: text.encode()}
        shown = f"\n\n{replace(pictures[0], file=FIGURE)}\n\n"
        return {
            page.name: text.replace("\n\n", shown, 1).encode(),
            FIGURE: (made / pictures[0].file).read_bytes(),
        }


def _check_output(out: Path, outputs: OutputFolder, kept: Contents) -> None:
    """Raise StoreError where ``out`` has results that the archive would lose."""
    if (out / STORE_FILE).is_file() or (outputs.names() and not is_archive(out)):
        raise StoreError(
            f"{out} has the results or the report of a run: name another folder by --out"
        )
    old = read_archive(out) if is_archive(out) else kept
    lost = {k for k, row in old.outcomes.items() if row.status == "ok"} - kept.outcomes.keys()
    if lost or old.experiment["name"] != kept.experiment["name"]:
        raise StoreError(
            f"the archive in {out} is of {old.experiment['name']} and has "
            f"{counted(len(lost), 'trial')} more: name another folder by --out, or remove it first"
        )


def _public(contents: Contents) -> Contents:
    """Return the contents without paths of this machine.

    Parameters are part of a trial's key and stay as they are.
    """
    kept = {name: v for name, v in contents.experiment.items() if name not in _LOCAL}
    config = kept.get("config") or ""
    return contents._replace(
        experiment=_without_paths({**kept, "config": shipped_name(config) or config}),
        outcomes={
            key: row._replace(
                reason=_without_paths(row.reason), metrics=_without_paths_in_reasons(row.metrics)
            )
            for key, row in contents.outcomes.items()
        },
        runs=[
            row._replace(command=canonical_json(_without_paths(json.loads(row.command))))
            for row in contents.runs
        ],
    )


def _without_paths_in_reasons(metrics: str) -> str:
    """Return a row's metrics, as JSON, without paths in the reasons why scores are missing."""
    values = json.loads(metrics)
    reasons = {name: _without_paths(v) for name, v in values.items() if name.endswith(MISSING)}
    return canonical_json(values | reasons) if reasons else metrics


def _without_paths(value: Any) -> Any:
    """Return a value with texts cut at the start of a path; a file's path becomes its name."""
    if isinstance(value, dict):
        return {name: _without_paths(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_without_paths(item) for item in value]
    if isinstance(value, str):
        is_file = value.startswith(("/", "../", "~")) and Path(value).suffix
        return Path(value).name if is_file else re.sub(_PATH, "…", value)
    return value
