"""Results kept for good: an archive and its report, small enough for git, with no local paths."""

from __future__ import annotations

import json
import re
import tempfile
import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boostbench.config.loading import shipped_name
from boostbench.errors import StoreError
from boostbench.experiment.command import run_line
from boostbench.experiment.folders import ARCHIVE
from boostbench.experiment.state import count_statuses
from boostbench.outputs import OutputFolder
from boostbench.report import provenance
from boostbench.report.build import build_report
from boostbench.report.figures.cache import users_cache
from boostbench.report.figures.figure import MAIN, file_stem
from boostbench.store.archive import archive_files, read_archive
from boostbench.store.files import ARCHIVE_FILE, STORE_FILE, is_archive, is_archive_only
from boostbench.store.merge import contents_of
from boostbench.store.store import Store
from boostbench.suggest import counted

if TYPE_CHECKING:
    from boostbench.plan.trial import Trial
    from boostbench.report.ledger import Ledger
    from boostbench.store.types import Contents, Outcome, Run

README, CLAIMS = "README.md", "claims.json"
FORMATS = ("md", "csv", "html", "figure")
# The others are large, and `boostbench report` makes them from an archive too.
_KEPT = re.compile(r"table\.(md|csv|html)|.*\.png")
# Settings of the machine, or of one run among several.
_NOT_KEPT = {
    "mirror": None, "offline": False, "jobs": None, "shard": "", "cluster": "",
    "cluster_config": None,
}  # fmt: skip
_UNKNOWN_PROCESSOR = "unknown processor"
_WITH_A_PLACE = ("--mirror", "--cluster", "--cluster-config", "--reuse")
_FILES = {
    "table.html, table.md, table.csv": "the report: tables, claims, figures",
    "trials.csv.gz, times.csv.gz": "a row per trial: its metrics; its seconds and memory",
    "curves.csv.gz, curve_times.csv.gz": "learning curves: errors and objective; seconds",
    CLAIMS: "the paper's claims as judged on these results",
    ARCHIVE_FILE: "the experiment, environments and command lines; digests",
}


def archive(folder: Path, out: Path | None = None, *, replace: bool = False) -> list[Path]:
    """Write the results in ``folder`` as an archive with its report; return the paths.

    ``out`` is ``folder``'s ``archive`` by default, or ``folder`` where it is an archive itself.
    ``replace``: also in place of an archive that has more than these results.
    Raises StoreError where the results cannot be read, are a shard's or are empty; where another
    archive is in the way, or a file of the user's, or a run's results.
    """
    with Store.open(folder, create=False, read_only=True) as store:
        contents = contents_of(store)
        if store.shard() is not None:
            raise StoreError(
                f"{folder} has one shard of its plan: merge the shards, and archive that"
            )
    planned = {key for key, _ in contents.plan}
    if not any(row.status == "ok" and key in planned for key, row in contents.outcomes.items()):
        raise StoreError(f"{folder} has no finished trial of its plan, so there is nothing to keep")
    out = out or default_out(folder)
    kept = public(contents)
    outputs = OutputFolder(out)
    _check_place(out, outputs, kept, replace)
    files = archive_files(kept)
    with tempfile.TemporaryDirectory(prefix="boostbench-") as name:
        made = Path(name)
        for file, content in files.items():
            (made / file).write_bytes(content)
        with Store.open(made, create=False, read_only=True) as store:
            report = build_report(store, made, FORMATS, cache=users_cache())
            claims = _claims(report.ledger)
            written = [path for path in report.paths if _KEPT.fullmatch(path.name)]
            files |= {path.name: path.read_bytes() for path in written}
            files |= {CLAIMS: claims.encode()} if claims else {}
            files[README] = _readme(store, files).encode()
    # What there was is an archive of other digests until the last file is written.
    files[ARCHIVE_FILE] = files.pop(ARCHIVE_FILE)
    paths = outputs.write(files)
    outputs.remove(name for name in outputs.names() if name not in files)
    return paths


def _check_place(out: Path, outputs: OutputFolder, kept: Contents, replace: bool) -> None:
    """Raise StoreError where ``out`` has what the archive would not have."""
    if (out / STORE_FILE).is_file() or (outputs.names() and not is_archive(out)):
        raise StoreError(
            f"{out} has the results or the report of a run: name another folder by --out"
        )
    if replace or not is_archive(out):
        return
    old = read_archive(out)
    name, other = (each.experiment.get("name") for each in (kept, old))
    lost = sum(row.status == "ok" and key not in kept.outcomes for key, row in old.outcomes.items())
    if name != other or lost:
        what = f"is of {other}" if name != other else f"has {counted(lost, 'trial')} more"
        raise StoreError(
            f"the archive in {out} {what}: name another folder by --out, or replace it by --replace"
        )


def default_out(folder: Path) -> Path:
    """Return where an archive of the results in ``folder`` is by default."""
    return folder if is_archive_only(folder) else folder / ARCHIVE


def public(contents: Contents) -> Contents:
    """Return the contents without the folders of this machine's paths, where paths are shown.

    Parameters are part of a trial's key and stay as they are.
    """
    experiment = {k: v for k, v in contents.experiment.items() if k not in ("sources", "file")}
    folders = provenance.folders_in_texts(_known_folders(contents))
    said = [str(text) for text in experiment.get("overrides") or []]
    experiment |= {key: value for key, value in _NOT_KEPT.items() if key in experiment}
    experiment["overrides"] = [
        folders.sub("", text) for text in said if text.partition("=")[0].strip() != "results"
    ]
    if experiment.get("results"):
        experiment["results"] = f"results/{experiment.get('name')}"
    if experiment.get("config"):
        config = str(experiment["config"])
        experiment["config"] = shipped_name(config) or provenance.without_folder(config)
    experiment["datasets"] = [
        provenance.portable_entry(entry) for entry in experiment.get("datasets") or []
    ]
    for key in ("data_remarks", "without_data"):
        if experiment.get(key):
            experiment[key] = _public_texts(experiment[key], folders)
    outcomes = {
        key: row._replace(reason=folders.sub("", row.reason))
        for key, row in contents.outcomes.items()
    }
    runs = [
        (*row[:2], json.dumps(_public_words(json.loads(row[2]), folders)), *row[3:])
        for row in contents.runs
    ]
    return contents._replace(experiment=experiment, outcomes=outcomes, runs=runs)


def _known_folders(contents: Contents) -> list[Path]:
    """Return the folders that texts may name: this process's, and those of the results' paths."""
    experiment = contents.experiment
    words = [word for row in contents.runs for word in json.loads(row[2])]
    files = [str(entry.get("file") or "") for entry in experiment.get("datasets") or []]
    named = [str(experiment.get(key) or "") for key in ("results", "mirror", "config")]
    texts = [part for text in (*words, *files, *named) for part in (text, text.partition("=")[2])]
    paths = [path for path in map(Path, texts) if path.is_absolute()]
    found = [Path.cwd(), Path.home(), Path(tempfile.gettempdir()), *paths]
    return [each for path in found for each in (path, path.parent)]


def _public_texts(value: Any, folders: re.Pattern[str]) -> Any:
    if isinstance(value, Mapping):
        return {key: _public_texts(item, folders) for key, item in value.items()}
    if isinstance(value, list):
        return [_public_texts(item, folders) for item in value]
    return folders.sub("", value) if isinstance(value, str) else value


def _public_words(words: Sequence[str], folders: re.Pattern[str]) -> list[str]:
    """Return the words of a command without those on where data and results are."""
    kept: list[str] = []
    left = iter(words)
    for word in left:
        if word in _WITH_A_PLACE:
            next(left, None)
        elif word == "--set":
            value = next(left, "")
            kept += [] if value.startswith("results=") else [word, value]
        elif word != "--offline" and not word.startswith(
            tuple(f"{option}=" for option in _WITH_A_PLACE)
        ):
            kept.append(word)
    return provenance.without_folders([folders.sub("", word) for word in kept])


def _claims(ledger: Ledger | None) -> str:
    """Return the claims of which something is measured as JSON, empty where there are none."""
    from boostbench.experiment.claims import as_json

    entries = [as_json(entry) for entry in ledger.measured] if ledger else []
    if not entries:
        return ""
    return f"{json.dumps(entries, indent=1, ensure_ascii=False, allow_nan=False)}\n"


def _readme(store: Store, files: Collection[str]) -> str:
    experiment, runs = store.experiment(), store.runs()
    plan, outcomes = store.part(), store.outcomes()
    title = str(experiment.get("title") or experiment.get("name"))
    lines = [f"# {title}", "", str(experiment.get("description") or "").strip(), ""]
    stem = file_stem(str(experiment.get("name") or ""))
    figures = [name for name in (f"{MAIN}.png", f"{stem}.png") if name in files]
    lines += [f"![{title}]({figures[0]})", ""] if figures else []
    lines += ["The report: [table.md](table.md), or `table.html` in a browser.", ""]
    lines += [f"- Made by: `{run_line(experiment)}`"]
    lines += [f"- {_coverage(plan, outcomes)}"]
    known = (_when(runs), _where(runs), _processors(store, plan), _cost(outcomes))
    lines += [f"- {text}" for text in known if text]
    source = provenance.versions(store.environments())
    lines += [f"- {source}"] if source else []
    lines += ["", "| file | what it is |", "|---|---|"]
    for names, what in _FILES.items():
        found = [f"`{name}`" for name in names.split(", ") if name in files]
        lines += [f"| {', '.join(found)} | {what} |"] if found else []
    lines += [
        "",
        "`boostbench report`, `verify`, `compare` and `boostbench.load` read this folder like the",
        "results of a run; `boostbench verify . --sample 50`, here, runs 50 of its trials again.",
        "",
    ]
    return "\n".join(lines)


def _coverage(plan: Sequence[Trial], outcomes: Mapping[str, Outcome]) -> str:
    """Return how many trials ended well, of which methods some did not, and how others ended."""
    planned = Counter(trial.method for trial in plan)
    ended = count_statuses(plan, outcomes)
    well = Counter(
        trial.method
        for trial in plan
        if trial.key in outcomes and outcomes[trial.key].status == "ok"
    )
    short = [f"{name} {well[name]:,} of {n:,}" for name, n in planned.items() if well[name] < n]
    short += [f"{n:,} {status}" for status, n in sorted(ended.items()) if status != "ok"]
    text = f"{well.total():,} of {counted(planned.total(), 'trial')}"
    return f"{text} ({', '.join(short)})" if short else text


def _when(runs: Sequence[Run]) -> str:
    days = sorted({time.strftime("%Y-%m-%d", time.gmtime(run.started)) for run in runs})
    return f"Run on {days[0]}" + (f" to {days[-1]}" if len(days) > 1 else "") if days else ""


def _where(runs: Sequence[Run]) -> str:
    found = dict.fromkeys(provenance.machine(run.details) for run in runs)
    return "; ".join(text for text in found if text)


def _processors(store: Store, plan: Sequence[Trial]) -> str:
    """Return the processors of the trials, with how many trials each where there are several."""
    known, ids = store.environments(), store.environment_ids()
    found = Counter(
        str(known[ids[trial.key]].get("cpu") or _UNKNOWN_PROCESSOR)
        for trial in plan
        if ids.get(trial.key) in known
    )
    if len(found) < 2:
        return "".join(found.keys() - {_UNKNOWN_PROCESSOR})
    each = "; ".join(f"{name}: {counted(n, 'trial')}" for name, n in found.items())
    return f"{each}; times on different processors cannot be compared"


def _cost(outcomes: Mapping[str, Outcome]) -> str:
    seconds = sum(float(outcome.times.get("wall_s") or 0.0) for outcome in outcomes.values())
    return f"{seconds / 3600:.1f} hours of trials, one per processor" if seconds >= 360 else ""


def summary_of(folder: Path) -> dict[str, Any]:
    """Return what an index says of an archive: its title, trials, and verdicts by name."""
    from boostbench.report import listings
    from boostbench.report.collect import collect
    from boostbench.report.summary import summarise

    with Store.open(folder, create=False, read_only=True) as store:
        summary = summarise(collect(store))
        plan, outcomes = store.part(), store.outcomes()
    cells = [cell for cell in summary.cells.values() if cell.counts and cell.meant]
    claims = summary.ledger.counts() if summary.ledger else Counter()
    return {
        "title": str(summary.experiment.get("title") or folder.parent.name),
        "table": str(summary.experiment.get("table") or ""),
        "trials": _coverage(plan, outcomes),
        "cells": {verdict.value: n for verdict, n in listings.count_evidence(cells).items()},
        "claims": {ruling.value: n for ruling, n in claims.items()},
    }
