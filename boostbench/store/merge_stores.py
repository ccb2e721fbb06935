"""Merging several stores of one plan, in any order and with any overlap."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from boostbench.errors import StoreError
from boostbench.plan.difference import difference_of_plans
from boostbench.plan.trial import Trial, canonical_json
from boostbench.store.database_rows import (
    insert,
    load,
    read_environments,
    read_outcomes,
    read_runs,
)
from boostbench.store.files import STORE_FILE
from boostbench.store.plan_rows import read_plan
from boostbench.store.predictions import KeptRows, read_kept, write_predictions
from boostbench.store.store import Store
from boostbench.store.types import Contents, OutcomeRow
from boostbench.values import Record


@dataclass(frozen=True)
class StoreSource:
    """A store that was read."""

    folder: Path
    contents: Contents
    kept: KeptRows = field(default_factory=KeptRows)


def read_source(path: Path) -> StoreSource:
    """Read the store in the results folder ``path``, or the file itself, as it is at this moment.

    Nothing is written, so that the folder may be read-only, and a run may be in progress there.
    Raises StoreError where there is no store, or none with a plan.
    """
    folder = path.parent if path.name == STORE_FILE and not path.is_dir() else path
    with Store.read(folder) as store:
        contents, kept = contents_of(store), read_kept(store.database)
    if not contents.plan:
        raise StoreError(f"{folder} holds no plan yet: run something there before it is merged")
    return StoreSource(folder, contents, kept)


def merge(target: Store, sources: Sequence[StoreSource], experiment: Record) -> int:
    """Merge the outcomes of ``sources`` into ``target`` in one transaction; return how many.

    ``experiment`` becomes the record of the target's experiment. The best outcome of each planned
    trial is kept (see :func:`better`), with its environment and its run; merging is commutative,
    associative and idempotent. An empty target is given the plan.

    Raises StoreError, and leaves the target as it is, where the plans differ or where a trial came
    out differently in two stores.
    """
    own = contents_of(target)
    check_plans(sources)
    own_kept = read_kept(target.database)
    stores = [StoreSource(target.folder, own, own_kept)] if own.plan else []
    check_plans([*stores, *sources[:1]], "; name another folder to merge into with --into")
    stores += sources
    plan = stores[0].contents.plan
    best = _best_outcomes(stores, {key for key, _ in plan})
    new = {key: row for key, row in best.items() if own.outcomes.get(key) != row}
    merged = Contents(
        experiment,
        [] if own.plan else plan,
        new,
        [row for source in sources for row in source.contents.environments],
        [row for source in sources for row in source.contents.runs],
    )
    with target.database.transaction() as db:
        insert(db, merged)
        for source in stores:
            kept = source.kept.of(_with_same_result(source, best))
            write_predictions(db, kept, best)
    return len(new.keys() - own.outcomes)


def _with_same_result(source: StoreSource, best: Mapping[str, OutcomeRow]) -> dict[str, OutcomeRow]:
    """Return the outcomes of a source that are the best, or equal to it but for what it took."""
    rows = {key: row for key, row in source.contents.outcomes.items() if key in best}
    return {
        key: row
        for key, row in rows.items()
        if row == best[key] or _rank(row) == _rank(best[key]) == 0
    }


def _best_outcomes(stores: Sequence[StoreSource], planned: set[str]) -> dict[str, OutcomeRow]:
    """Return the best outcome of each planned trial; StoreError where two contradict each other."""
    best: dict[str, tuple[OutcomeRow, Path]] = {}
    for store in stores:
        for key, row in store.contents.outcomes.items():
            if key not in planned:
                continue
            old, folder = best.setdefault(key, (row, store.folder))
            try:
                if better(old, row) is not old:
                    best[key] = row, store.folder
            except ValueError as error:
                raise StoreError(
                    f"{Trial.from_dict(json.loads(row.trial)).name} came out differently in "
                    f"{folder} and {store.folder} ({error}): nothing was merged; find out which is "
                    "right and leave the other store out, or run that trial again there"
                ) from None
    return {key: row for key, (row, _) in best.items()}


def contents_of(store: Store) -> Contents:
    """Return all rows of a store as they are at one moment, even while a writer is at work."""
    # A reader is within a transaction or has a copy, and there is only one writer.
    rows = list(read_outcomes(store.database))
    plan = read_plan(store.database)
    for text in [text for _, text in plan] + [t for row in rows for t in (row.metrics, row.trial)]:
        load(store.path, text)
    return Contents(
        store.experiment(),
        plan,
        {row.key: row for row in rows},
        read_environments(store.database),
        read_runs(store.database),
    )


def check_plans(sources: Sequence[StoreSource], hint: str = "") -> None:
    """Raise StoreError, with the first difference and ``hint``, unless all have the same plan."""
    first = sources[0]
    for other in sources[1:]:
        if other.contents.plan == first.contents.plan:
            continue
        names = (str(first.folder), str(other.folder))
        if change := difference_of_plans(_trials_of(first), _trials_of(other), names):
            raise StoreError(
                f"{names[0]} and {names[1]} are of different plans and cannot be merged: "
                f"{change}{hint}"
            )


def _trials_of(source: StoreSource) -> list[Trial]:
    return [Trial.from_dict(json.loads(text)) for _, text in source.contents.plan]


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
        n_a, n_b = _check_equal(a, b)
        if n_a != n_b:
            return a if n_a > n_b else b
    choice = min if a.status == "ok" else max
    return choice(a, b, key=lambda row: (row.recorded, canonical_json(list(row))))


def _check_equal(a: OutcomeRow, b: OutcomeRow) -> tuple[int, int]:
    """Return the numbers of metrics; ValueError unless common ones and learning curves are equal.

    Later versions record more metrics of the same run.
    """
    mine, theirs = json.loads(a.metrics), json.loads(b.metrics)
    fewer, more = sorted((theirs, mine), key=len)
    for name in fewer:
        if name not in more or fewer[name] != more[name]:
            raise ValueError(f"{name} is {mine.get(name)!r} and {theirs.get(name)!r}")
    if a.curve != b.curve:
        raise ValueError("its learning curve differs")
    return len(mine), len(theirs)


def _rank(row: OutcomeRow) -> int:
    if row.status == "ok":
        by_the_clock = json.loads(row.metrics).get("stop_reason") == "time"
        return 1 if by_the_clock else 0
    return 3 if row.status == "skipped" else 2
