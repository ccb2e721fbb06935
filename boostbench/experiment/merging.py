"""Merging shards, or any stores of one plan, into one results folder with a report."""

import json
from collections.abc import Collection, Mapping, Sequence
from itertools import filterfalse
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

from boostbench.engine.environment import differences
from boostbench.experiment.folders import find_results, opened_store
from boostbench.experiment.listener import Listener
from boostbench.experiment.reporting import Reported, write_report
from boostbench.experiment.request import line_on_failures, run_line
from boostbench.plan.shard import Shard
from boostbench.plan.trial import Trial, canonical_json
from boostbench.store.files import STORE_FILE
from boostbench.store.merge_stores import StoreSource, check_plans, merge, read_source
from boostbench.store.record import ExperimentRecord
from boostbench.store.store import Store
from boostbench.store.types import Outcome
from boostbench.suggest import counted, listing
from boostbench.values import Record

_NOT_OF_THE_PLAN = ("shard", "cluster", "cluster_config", "results", "jobs", "without_data")


class Merged(NamedTuple):
    """A summary of the merge in a sentence, the report, and the remaining work."""

    text: str
    report: Reported
    left: Sequence[str]


def merge_stores(stores: Sequence[Path], into: Path | None, listener: Listener) -> Merged:
    """Merge the results of ``stores`` into the folder ``into``, and write the report of all.

    Raises StoreError where they cannot be merged.
    """
    folders = _folders(stores)
    sources = list(map(read_source, folders))
    check_plans(sources)
    into = into or _default_target(sources)
    _note_environments(listener, sources)
    sources = [source for source in sources if source.folder.resolve() != into.resolve()]
    name = sources[0].contents.experiment["name"] if sources else ""
    with opened_store(into, name) as store:
        records = [source.contents.experiment for source in sources]
        shards = {Shard.parse(record["shard"]) for record in records if record.get("shard")}
        if store.plan():
            records.append(store.experiment())
        new = merge(store, sources, _record(records, into)) if sources else 0
        with Store.read(into) as merged:
            plan, outcomes = merged.plan(), merged.outcomes()
            record = merged.record_of_run()
            report = write_report(merged, into, listener)
    done = sum(trial.key in outcomes for trial in plan)
    return Merged(
        f"merged {counted(len(folders), 'store')} into {into}: {done:,} of "
        f"{counted(len(plan), 'trial')}, {new:,} of them new there",
        report,
        [*_missing(plan, outcomes, record, shards), *_failed(plan, outcomes, record, into)],
    )


def _folders(stores: Sequence[Path]) -> list[Path]:
    """Return the folder of each store once, named as the user first named it."""
    folders: dict[Path, Path] = {}
    for path in stores:
        folder = path.parent if path.name == STORE_FILE else find_results(str(path))
        folders.setdefault(folder.resolve(), folder)
    return list(folders.values())


def _default_target(sources: Sequence[StoreSource]) -> Path:
    parents = {source.folder.absolute().parent for source in sources}
    if len(parents) == 1 and all(Shard.of_folder(source.folder.name) for source in sources):
        return sources[0].folder.parent
    return Path("results", sources[0].contents.experiment["name"])


def _record(records: Sequence[Record], into: Path) -> Record:
    """Return the experiment's record for the merged store: for the whole plan, in ``into``.

    If records differ in words, such as the folders of other machines, the choice does not depend on
    their order.
    """
    # Data sets that were unavailable in every run.
    lacking = set.intersection(*(set(record.get("without_data", ())) for record in records))
    merged = min((_merged_record(record, lacking, into) for record in records), key=canonical_json)
    known = [state for record in records if (state := record.get("paper_at_start"))]
    return merged | ({"paper_at_start": min(known, key=itemgetter("at"))} if known else {})


def _merged_record(record: Record, lacking: Collection[str], into: Path) -> dict[str, object]:
    """Return a record without what is of a part of the plan, and with its new folder."""
    made = {key: value for key, value in record.items() if key not in _NOT_OF_THE_PLAN}
    if lacking:
        made["without_data"] = {name: record["without_data"][name] for name in sorted(lacking)}
    said = record.get("overrides", [])
    made["overrides"] = list(filterfalse(_is_of_the_folder, said))
    made["results"] = record.get("results")
    home = Path(made["results"] or Path("results", record["name"])).expanduser()
    if made["overrides"] != said or home.resolve() != into.resolve():
        # "2024" alone would be a number.
        made["overrides"].append(f"results={into if into.parts[1:] else f'./{into}'}")
        made["results"] = str(into)
    return made


def _is_of_the_folder(override: str) -> bool:
    return override.partition("=")[0].strip() == "results"


def _note_environments(listener: Listener, sources: Sequence[StoreSource]) -> None:
    """Note the differences in the trials' environments on which results may depend."""
    contents = [source.contents for source in sources]
    used = {row.environment_id for each in contents for row in each.outcomes.values()}
    rows = {row[0]: row[1] for each in contents for row in each.environments}
    known = {name: json.loads(rows[name]) for name in used & rows.keys()}
    first, *others = [known[name] for name in sorted(known)] or [{}]
    changes = {text for other in others for text in differences(first, other)}
    if changes:
        listed = ", ".join(sorted(changes))
        listener.note(f"the trials ran in different environments: {listed}", "warning")


def _missing(
    plan: Sequence[Trial],
    outcomes: Mapping[str, Outcome],
    record: ExperimentRecord,
    shards: set[Shard],
) -> list[str]:
    """Return the missing trials and the commands that run them, one for each shard."""
    lost = {trial.key: trial for trial in plan if trial.key not in outcomes}
    if not lost:
        return []
    cells = dict.fromkeys(f"{trial.dataset} {trial.method}" for trial in lost.values())
    text = f"{len(lost):,} of {counted(len(plan), 'trial')} missing, of {listing(cells, 4)}"
    lines = [f"{text}; run them with: {run_line(record)}"]
    for count in sorted({shard.count for shard in shards}):
        for index in range(1, count + 1):
            shard = Shard(index, count)
            if shard.keys(plan) & lost.keys():
                line = run_line({**record, "shard": str(shard)})
                lines.append(f"  those of shard {shard}: {line}, and merge again")
    return lines


def _failed(
    plan: Sequence[Trial], outcomes: Mapping[str, Outcome], record: ExperimentRecord, into: Path
) -> list[str]:
    keys = {trial.key for trial in plan} & outcomes.keys()
    failed = sum(outcomes[key].status not in {"ok", "skipped"} for key in keys)
    if not failed:
        return []
    return [line_on_failures(failed, into, run_line(record, "--retry-failed"))]
