"""Results kept in git: an archive with its report and its figure, without local paths."""

import json
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from boostbench.config.loading import EXPERIMENT_FILE, shipped_name
from boostbench.errors import StoreError
from boostbench.experiment.folders import ARCHIVE
from boostbench.experiment.freshness import changed_since_runs
from boostbench.experiment.inputs import FIGURE, LARGEST, Inputs, inputs_of
from boostbench.experiment.receipt import Receipt, make_receipt
from boostbench.objects.trust import is_code, note_made_here
from boostbench.outputs import OutputFolder
from boostbench.plan.shard import Shard
from boostbench.plan.trial import canonical_json
from boostbench.report.build import build_report
from boostbench.store.archive_format import archive_files, has_predictions, read_archive
from boostbench.store.files import (
    ARCHIVE_FILE,
    RECEIPT_FILE,
    STORE_FILE,
    is_archive,
    is_archive_only,
)
from boostbench.store.merge_stores import contents_of
from boostbench.store.predictions import KeptRows, read_kept
from boostbench.store.record import OF_THE_CALL
from boostbench.store.store import Store
from boostbench.store.types import MISSING, Contents
from boostbench.suggest import counted, listing

# Paths of the machine, and settings of a single run.
_LOCAL = {"results", "file", "sources", "shard", *OF_THE_CALL}
# From the start of a path to the end of a text; web addresses and quotients are no paths.
_PATH = r"""["']?(file:/+|\b[A-Za-z]:[/\\]|\\\\|(?<![\w.:/\\])/+|(?<=:)/(?!/))[^\s/\\].*"""


@dataclass(frozen=True)
class Archived:
    """The files of an archive that was written, and the digest of all of it.

    ``remarks`` say what it lacks, and what has changed since the runs.
    """

    folder: Path
    paths: Sequence[Path]
    digest: str
    remarks: Sequence[str]


def archive(folder: Path, out: Path | None = None, *, predictions: bool = False) -> Archived:
    """Write the results in ``folder`` as an archive with its report, and all that they need.

    These are the experiment file, the user's own paper and code, and data files that are not large.
    ``out`` is ``folder``'s ``archive`` by default, or ``folder`` where it is an archive itself.
    With ``predictions`` those that trials kept are in it, as they stay in an archive that has them.
    Raises StoreError where the results cannot be read, are a shard's or are empty; where another
    archive is in the way, or a file of the user's, or a run's results.
    """
    with Store.read(folder) as store:
        inputs, changed = inputs_of(store), changed_since_runs(store)
        contents, shard = _public(contents_of(store), inputs), store.shard()
        is_kept = predictions or (is_archive_only(folder) and has_predictions(folder))
        kept = read_kept(store.database) if is_kept else None
    _check_whole(folder, contents, shard, kept)
    out = out or (folder if is_archive_only(folder) else folder / ARCHIVE)
    _check_output(out, contents)
    files = archive_files(contents, kept) | inputs.files
    receipt = _add_report(files)
    files[RECEIPT_FILE] = receipt.content
    # An earlier archive does not match its digests until the last file is written.
    files[ARCHIVE_FILE] = files.pop(ARCHIVE_FILE)
    paths = _write(out, files)
    # The code beside an experiment file is the user's own; stored objects were noted when made.
    if not is_archive_only(folder) and not inputs.is_written:
        for name in filter(is_code, inputs.files):
            note_made_here(inputs.files[name])
    return Archived(out, paths, receipt.digest, [*_lacking(inputs), *changed])


def _lacking(inputs: Inputs) -> Iterator[str]:
    """Yield what an archive does not have of what its experiment needs."""
    if not inputs.files:
        yield "the experiment file is gone or wrong, so that the archive has it not, nor its paper"
    if inputs.left_out:
        yield (
            f"{listing(inputs.left_out, 5)} not in it (only files of at most "
            f"{LARGEST // 2**20} MiB are): hand over the data too"
        )


def _write(out: Path, files: Mapping[str, bytes]) -> list[Path]:
    """Write the files of an archive, and remove those of an earlier archive."""
    outputs = OutputFolder(out)
    paths = outputs.write(files)
    outputs.remove(name for name in outputs.names() if name not in files)
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


def _add_report(files: dict[str, bytes]) -> Receipt:
    """Add the report to an archive's files, and its main figure, if it has one.

    Return the receipt of the archive.
    """
    with tempfile.TemporaryDirectory(prefix="boostbench-") as name:
        made = Path(name)
        for file, content in files.items():
            (made / file).parent.mkdir(parents=True, exist_ok=True)
            (made / file).write_bytes(content)
        with Store.read(made) as store:
            receipt = make_receipt(contents_of(store), files)
            (page,) = build_report(store, made, ["md"], changed=changed_since_runs(store)).paths
            pictures = build_report(store, made, ["figure"]).pictures
        text = page.read_text(encoding="utf-8")
        if pictures:
            shown = f"\n\n{replace(pictures[0], file=FIGURE)}\n\n"
            text = text.replace("\n\n", shown, 1)
            files[FIGURE] = (made / pictures[0].file).read_bytes()
        files[page.name] = text.encode()
    return receipt


def _check_output(out: Path, kept: Contents) -> None:
    """Raise StoreError where ``out`` has results that the archive would lose."""
    if (out / STORE_FILE).is_file() or (OutputFolder(out).names() and not is_archive(out)):
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


def _public(contents: Contents, inputs: Inputs) -> Contents:
    """Return the contents without paths of this machine.

    Parameters are part of a trial's key and stay as they are. An experiment file that is not a
    shipped one is from now on that of the archive, which has the values of ``--set`` in it.
    """
    kept = {name: v for name, v in contents.experiment.items() if name not in _LOCAL}
    config = kept.get("config") or ""
    shipped = shipped_name(config)
    experiment = _without_paths({**kept, "config": shipped or config})
    if inputs.files and not shipped:
        experiment |= {"file": f"./{EXPERIMENT_FILE}", "overrides": []}
        experiment |= {"paper": inputs.paper} if inputs.paper else {}
    return contents._replace(
        experiment=experiment,
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
