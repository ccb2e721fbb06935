"""Shards, or any stores of one plan, brought together in one results folder and reported."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from boostbench.engine.environment import differences
from boostbench.errors import StoreError
from boostbench.experiment.folders import find_results, opened_store
from boostbench.experiment.listener import Listener
from boostbench.experiment.reporting import write_report
from boostbench.experiment.request import run_line
from boostbench.plan.absent import unplanned
from boostbench.plan.shard import Shard
from boostbench.plan.trial import Trial, canonical_json
from boostbench.report.build import ReportResult
from boostbench.store.files import STORE_FILE
from boostbench.store.merge import Source, check_plans, merge, read_source
from boostbench.store.store import Store
from boostbench.store.types import Outcome
from boostbench.suggest import counted

_MAX_CELLS = 4
_NOT_OF_THE_PLAN = ("shard", "cluster", "cluster_config", "results", "jobs")


class Merged(NamedTuple):
    """What was merged ``into`` a folder: in a sentence, its report, and what is left to do."""

    into: Path
    text: str
    report: ReportResult
    unplanned: Sequence[str]
    missing: Sequence[str]
    failed: str


def merge_stores(stores: Sequence[Path], into: Path | None, listener: Listener) -> Merged:
    """Bring the results of ``stores`` together in the folder ``into``, and write the report of all.

    Raises StoreError where they cannot be merged.
    """
    # Each by the first of the user's own words for it.
    folders: dict[Path, Path] = {}
    for folder in map(_folder, stores):
        folders.setdefault(folder.resolve(), folder)
    sources = list(map(read_source, folders.values()))
    check_plans(sources)
    into = into or _default_target(sources)
    _note_environments(listener, sources)
    sources = [source for source in sources if source.folder.resolve() != into.resolve()]
    for source in sources:
        if source.writer is not None:
            listener.note(
                f"a run (process {source.writer.get('pid')} on {source.writer.get('host')}) is "
                f"writing to {source.folder}: its results so far are merged",
                "warning",
            )
    name = str(sources[0].contents.experiment.get("name")) if sources else ""
    with opened_store(into, name) as store:
        records = [source.contents.experiment for source in sources]
        counts = {str(r["shard"]).partition("/")[2] for r in records if r.get("shard")}
        if store.plan():
            records.append(store.experiment())
        record = _record(records, into)
        new = merge(store, sources, record) if sources else 0
        with Store.open(into, create=False, read_only=True) as merged:
            plan, outcomes = merged.plan(), merged.outcomes()
            report = write_report(merged, into, listener)
    done = sum(trial.key in outcomes for trial in plan)
    return Merged(
        into,
        f"merged {counted(len(folders), 'store')} into {into}: {done:,} of "
        f"{counted(len(plan), 'trial')}, {new:,} of them new there",
        report,
        unplanned(record, {trial.dataset for trial in plan}),
        _missing(plan, outcomes, record, int(counts.pop()) if len(counts) == 1 else 0, into),
        _failed(plan, outcomes, record, into),
    )


def _folder(path: Path) -> Path:
    if path.name == STORE_FILE and path.is_file():
        return path.parent
    if path.exists() and not path.is_dir():
        raise StoreError(f"{path} is neither a results folder nor its {STORE_FILE}")
    if not path.exists():
        raise StoreError(f"there is no {path} to merge")
    return find_results(str(path))


def _default_target(sources: Sequence[Source]) -> Path:
    parents = {source.folder.absolute().parent for source in sources}
    if len(parents) == 1 and all(Shard.of_folder(source.folder.name) for source in sources):
        return sources[0].folder.parent
    record = sources[0].contents.experiment
    said = {source.contents.experiment.get("results") for source in sources}
    if len(said) == 1 and record.get("results"):
        return Path(record["results"])
    return Path("results") / str(record.get("name") or "merged")


def _record(records: Sequence[Mapping[str, Any]], into: Path) -> dict[str, Any]:
    """Return the experiment's record for the merged store: for the whole plan, in ``into``.

    Of records that differ in words, such as the folders of other machines, the same one is taken
    whatever their order.
    """
    candidates = []
    lacking = set.intersection(*(set(record.get("without_data") or {}) for record in records))
    for record in records:
        said = [str(text) for text in record.get("overrides") or []]
        kept = [text for text in said if text.partition("=")[0].strip() != "results"]
        usual = None if kept != said else record.get("results")
        home = Path(usual or Path("results") / str(record.get("name")))
        plain = {key: value for key, value in record.items() if key not in _NOT_OF_THE_PLAN}
        # What one run had no data for, another one had.
        reasons = {n: r for n, r in (plain.pop("without_data", None) or {}).items() if n in lacking}
        plain |= {"without_data": reasons} if reasons else {}
        if kept == said and home.resolve() == into.resolve():
            candidates.append({**plain, "overrides": kept, "results": usual})
        else:
            there = [*kept, f"results={into}"]
            candidates.append({**plain, "overrides": there, "results": str(into)})
    return min(candidates, key=canonical_json)


def _note_environments(listener: Listener, sources: Sequence[Source]) -> None:
    """Say what results depend on and is not the same for all trials."""
    known: dict[str, Any] = {}
    where: dict[str, set[str]] = {}
    for source in sources:
        known |= {row[0]: json.loads(row[1]) for row in source.contents.environments}
        for key, row in source.contents.outcomes.items():
            where.setdefault(row.environment_id, set()).add(key)
    used = sorted(where.keys() & known.keys(), key=lambda name: (-len(where[name]), name))
    for name in used[1:]:
        if differing := differences(known[used[0]], known[name]):
            listener.note(
                f"{counted(len(where[name]), 'trial')} ran in another environment than the "
                f"{len(where[used[0]]):,} most: {', '.join(differing)}",
                "warning",
            )


def _missing(
    plan: Sequence[Trial],
    outcomes: Mapping[str, Outcome],
    record: Mapping[str, Any],
    count: int,
    into: Path,
) -> list[str]:
    """Return what is missing and the commands that run it; of ``count`` shards each by itself."""
    distinct = {trial.key: trial for trial in reversed(plan)}
    lost = {key: distinct[key] for key in (t.key for t in plan) if key not in outcomes}
    if not lost:
        return []
    is_are = "is" if len(lost) == 1 else "are"
    text = f"{len(lost):,} of {counted(len(distinct), 'trial')} {is_are} missing"
    if not count:
        return [f"{text}: {_cells(lost.values())}; run them with: {run_line(record)}"]
    lines = [text]
    for shard in (Shard(index, count) for index in range(1, count + 1)):
        of_shard = [lost[key] for key in shard.keys(plan) if key in lost]
        if of_shard:
            lines.append(
                f"  {len(of_shard):,} of shard {shard} ({_cells(of_shard)}); run them with: "
                f"{run_line({**record, 'shard': str(shard)})}"
            )
    return [*lines, f"  then merge again, or run all of them in {into} with: {run_line(record)}"]


def _failed(
    plan: Sequence[Trial], outcomes: Mapping[str, Outcome], record: Mapping[str, Any], into: Path
) -> str:
    ended = [outcomes[key].status for key in {trial.key for trial in plan} & outcomes.keys()]
    failed = sum(status not in {"ok", "skipped"} for status in ended)
    if not failed:
        return ""
    return (
        f"{counted(failed, 'trial')} failed; see them with: boostbench status {into}; run them "
        f"again with: {run_line(record, '--retry-failed')}"
    )


def _cells(trials: Iterable[Trial]) -> str:
    """Return how many of which data set and method, the first few."""
    counts = Counter((trial.dataset, trial.method) for trial in trials)
    cells = [f"{data} {method}: {n:,}" for (data, method), n in sorted(counts.items())]
    if len(cells) > _MAX_CELLS:
        cells[_MAX_CELLS:] = [f"and {counted(len(cells) - _MAX_CELLS, 'more cell')}"]
    return ", ".join(cells)
