"""Merging several stores of one plan, in any order and with any overlap."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from boostbench.errors import StoreError
from boostbench.plan.difference import difference
from boostbench.plan.trial import Trial, canonical_json
from boostbench.store.files import STORE_FILE
from boostbench.store.rows import insert, load, read_outcomes, read_plan
from boostbench.store.store import Store
from boostbench.store.types import Contents, OutcomeRow
from boostbench.values import Record


@dataclass(frozen=True)
class Source:
    """A store that was read."""

    folder: Path
    contents: Contents


def read_source(path: Path) -> Source:
    """Read the store in the results folder ``path``, or the file itself, as it is at this moment.

    Nothing is written, so that the folder may be read-only, and a run may be in progress there.
    Raises StoreError where there is no store, or none with a plan.
    """
    folder = path.parent if path.name == STORE_FILE and not path.is_dir() else path
    with Store.open(folder, create=False, read_only=True) as store:
        contents = contents_of(store)
    if not contents.plan:
        raise StoreError(f"{folder} holds no plan yet: run something there before it is merged")
    return Source(folder, contents)


def merge(target: Store, sources: Sequence[Source], experiment: Record) -> int:
    """Merge the outcomes of ``sources`` into ``target`` in one transaction; return how many.

    ``experiment`` becomes the record of the target's experiment. The best outcome of each planned
    trial is kept (see :func:`better`), with its environment and its run; merging is commutative,
    associative and idempotent. An empty target is given the plan.

    Raises StoreError, and leaves the target as it is, where the plans differ or where a trial came
    out differently in two stores.
    """
    own = contents_of(target)
    check_plans(sources)
    stores = [Source(target.folder, own)] if own.plan else []
    check_plans([*stores, *sources[:1]], "; name another folder to merge into with --into")
    stores += sources
    plan = stores[0].contents.plan
    planned = {key for key, _ in plan}
    best: dict[str, tuple[OutcomeRow, Source]] = {}
    for source in stores:
        for key, row in source.contents.outcomes.items():
            if key not in planned:
                continue
            old = best.setdefault(key, (row, source))
            try:
                if better(old[0], row) is not old[0]:
                    best[key] = row, source
            except ValueError as error:
                raise StoreError(
                    f"{Trial.from_dict(json.loads(row.trial)).name} came out differently in "
                    f"{old[1].folder} and {source.folder} ({error}): nothing was merged; find out "
                    "which is right and leave the other store out, or run that trial again there"
                ) from None
    new = {key: row for key, (row, _) in best.items() if own.outcomes.get(key) != row}
    found = Contents(
        experiment,
        [] if own.plan else plan,
        new,
        [row for source in sources for row in source.contents.environments],
        [row for source in sources for row in source.contents.runs],
    )
    with target.database.transaction() as db:
        insert(db, found)
    return len(new.keys() - own.outcomes)


def contents_of(store: Store) -> Contents:
    """Return all rows of a store as they are at one moment, even while a writer is at work."""
    # A reader is within a transaction or has a copy, and there is only one writer.
    query, rows = store.database.query, read_outcomes(store.database)
    plan = read_plan(store.database)
    for text in [text for _, text in plan] + [t for row in rows for t in (row.metrics, row.trial)]:
        load(store.path, text)
    return Contents(
        store.experiment(),
        plan,
        {row.key: row for row in rows},
        query("SELECT id, description, first_seen FROM environments"),
        query("SELECT id, environment_id, command, started, shard, cluster, details FROM runs"),
    )


def check_plans(sources: Sequence[Source], hint: str = "") -> None:
    """Raise StoreError, with the first difference and ``hint``, unless all have the same plan."""
    first = sources[0]
    for other in sources[1:]:
        if other.contents.plan == first.contents.plan:
            continue
        plans = [
            [Trial.from_dict(json.loads(t)) for _, t in s.contents.plan] for s in (first, other)
        ]
        names = (str(first.folder), str(other.folder))
        found = difference(plans[0], plans[1], names)
        if found:
            both = f"{names[0]} and {names[1]}"
            raise StoreError(f"{both} are of different plans and cannot be merged: {found}{hint}")


def better(a: OutcomeRow, b: OutcomeRow) -> OutcomeRow:
    """Return which of two outcomes of one trial is kept.

    ``ok`` is better than a failure, and that than ``skipped``; the first of two equal ``ok`` is
    kept, and the last of two failures. An ``ok`` that has all metrics of the other, and more, is
    equal to it and kept. An ``ok`` that was stopped by the clock may differ each time; one that
    was not is better. Raises ValueError for two ``ok`` that differ.
    """
    if a == b or _rank(a) != _rank(b):
        return min(a, b, key=_rank)
    if _rank(a) == 0:
        mine, theirs = json.loads(a.metrics), json.loads(b.metrics)
        more, fewer = (mine, theirs) if len(mine) >= len(theirs) else (theirs, mine)
        # Later versions record more metrics of the same run.
        if a.curve != b.curve or not fewer.items() <= more.items():
            wrong = [n for n in fewer if mine.get(n) != theirs.get(n)]
            what = [f"{n} is {mine.get(n)!r} and {theirs.get(n)!r}" for n in wrong]
            raise ValueError([*what, "its learning curve differs"][0])
        if len(mine) != len(theirs):
            return a if more is mine else b
    pick = min if a.status == "ok" else max
    return pick(a, b, key=lambda row: (row.recorded, canonical_json(list(row))))


def _rank(row: OutcomeRow) -> int:
    if row.status == "ok":
        by_the_clock = json.loads(row.metrics).get("stop_reason") == "time"
        return 1 if by_the_clock else 0
    return 3 if row.status == "skipped" else 2
