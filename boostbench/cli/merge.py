"""``boostbench merge``: shards, or any stores of one plan, brought together and reported."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from boostbench.experiment.command import run_line
from boostbench.suggest import counted

if TYPE_CHECKING:
    from boostbench.cli.console import Screen
    from boostbench.plan.trial import Trial
    from boostbench.store.merge import Source
    from boostbench.store.types import Outcome

_MAX_CELLS = 4
_NOT_OF_THE_PLAN = ("shard", "cluster", "cluster_config", "results", "jobs")


def merge(
    stores: Annotated[
        list[Path],
        typer.Argument(
            metavar="STORE...",
            help="Results folders, such as those of shards, or their store.sqlite.",
        ),
    ],
    into: Annotated[
        Path | None,
        typer.Option(
            "--into",
            metavar="FOLDER",
            help="The results folder to merge into. Default: that of which the stores are shards, "
            "else the experiment's.",
        ),
    ] = None,
) -> None:
    """Bring the results of shards together, and write the tables and figures of all.

    The stores are only read, and must be of one plan; a trial that is in several of them must have
    come out the same. Merging again, in any order, changes nothing. Exits with 0 if all trials are
    there and well, 1 if some are missing or failed, 2 if the stores cannot be merged.
    """
    from boostbench.cli.console import Screen
    from boostbench.cli.report import show_report
    from boostbench.experiment.folders import opened_store
    from boostbench.plan.absent import unplanned
    from boostbench.report.build import build_report
    from boostbench.store.export import export_results
    from boostbench.store.merge import check_plans, merge, read_source
    from boostbench.store.store import Store

    screen = Screen()
    folders = dict.fromkeys(path.resolve() for path in map(_folder, stores))
    sources = [read_source(_as_said(folder, stores)) for folder in folders]
    check_plans(sources)
    into = into or _default_target(sources)
    for source in sources:
        if source.writer is not None and source.folder.resolve() != into.resolve():
            screen.note(
                f"a run (process {source.writer.get('pid')} on {source.writer.get('host')}) is "
                f"writing to {source.folder}: its results so far are merged",
                "yellow",
            )
    _tell_environments(screen, sources)
    sources = [source for source in sources if source.folder.resolve() != into.resolve()]
    name = str(sources[0].contents.experiment.get("name")) if sources else ""
    with opened_store(into, name) as store:
        if store.note:
            screen.note(store.note, "yellow")
        records = [source.contents.experiment for source in sources]
        shards = [str(record["shard"]) for record in records if record.get("shard")]
        if store.plan():
            records.append(store.experiment())
        record = _record(records, into)
        new = merge(store, sources, record) if sources else 0
        with Store.open(into, create=False, read_only=True) as merged:
            plan, outcomes = merged.plan(), merged.outcomes()
            export_results(merged, into)
            with screen.working("writing the tables and figures"):
                result = build_report(merged, into)
        show_report(screen, result, into, unplanned(record, {trial.dataset for trial in plan}))
    done = sum(trial.key in outcomes for trial in plan)
    screen.say(
        f"merged {counted(len(folders), 'store')} into {into}: {done:,} of "
        f"{counted(len(plan), 'trial')}, {new:,} of them new there"
    )
    raise typer.Exit(_close(screen, plan, outcomes, record, shards, into))


def _folder(path: Path) -> Path:
    from boostbench.errors import StoreError
    from boostbench.experiment.folders import find_results
    from boostbench.store.files import STORE_FILE

    if path.name == STORE_FILE and path.is_file():
        return path.parent
    if path.exists() and not path.is_dir():
        raise StoreError(f"{path} is neither a results folder nor its {STORE_FILE}")
    if not path.exists():
        raise StoreError(f"there is no {path} to merge")
    return find_results(str(path))


def _as_said(folder: Path, stores: Sequence[Path]) -> Path:
    """Return ``folder`` by the first of the user's own words for it."""
    return next(path for path in map(_folder, stores) if path.resolve() == folder)


def _default_target(sources: "Sequence[Source]") -> Path:
    from boostbench.plan.shard import Shard

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
    from boostbench.plan.trial import canonical_json

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


def _tell_environments(screen: "Screen", sources: "Sequence[Source]") -> None:
    """Say what results depend on and is not the same for all trials."""
    import json

    from boostbench.engine.environment import differences

    known = {
        row[0]: json.loads(row[1]) for source in sources for row in source.contents.environments
    }
    where: dict[str, set[str]] = {}
    for source in sources:
        for key, row in source.contents.outcomes.items():
            where.setdefault(row.environment_id, set()).add(key)
    used = sorted((name for name in where if name in known), key=lambda n: (-len(where[n]), n))
    for name in used[1:]:
        differing = differences(known[used[0]], known[name])
        if differing:
            screen.note(
                f"{counted(len(where[name]), 'trial')} ran in another environment than the "
                f"{len(where[used[0]]):,} most: {', '.join(differing)}",
                "yellow",
            )


def _close(
    screen: "Screen",
    plan: "Sequence[Trial]",
    outcomes: "Mapping[str, Outcome]",
    record: Mapping[str, Any],
    shards: Sequence[str],
    into: Path,
) -> int:
    """Say what is missing and what failed; return the exit code."""
    distinct = {trial.key: trial for trial in reversed(plan)}
    missing = [key for key in dict.fromkeys(t.key for t in plan) if key not in outcomes]
    if missing:
        counts = {int(text.partition("/")[2]) for text in shards}
        if len(counts) == 1:
            _tell_shards(screen, plan, set(missing), record, counts.pop(), into)
        else:
            lost = [distinct[key] for key in missing]
            screen.note(
                f"{_missing(len(lost), len(distinct))}: {_cells(lost)}; run them with: "
                f"{run_line(record)}",
                "bold",
            )
    failed = sum(
        outcomes[key].status not in {"ok", "skipped"} for key in distinct.keys() & outcomes
    )
    if failed:
        screen.note(
            f"{counted(failed, 'trial')} failed; see them with: boostbench status {into}; run them "
            f"again with: {run_line(record, '--retry-failed')}",
            "yellow",
        )
    return 1 if missing or failed else 0


def _tell_shards(
    screen: "Screen",
    plan: "Sequence[Trial]",
    missing: set[str],
    record: Mapping[str, Any],
    count: int,
    into: Path,
) -> None:
    from boostbench.plan.shard import Shard

    screen.note(_missing(len(missing), len({trial.key for trial in plan})), "bold")
    distinct = {trial.key: trial for trial in reversed(plan)}
    for index in range(1, count + 1):
        shard = Shard(index, count)
        lost = [distinct[key] for key in shard.keys(plan) & missing]
        if lost:
            line = run_line({**record, "shard": str(shard)})
            screen.note(
                f"  {len(lost):,} of shard {shard} ({_cells(lost)}); run them with: {line}", "bold"
            )
    screen.note(f"  then merge again, or run all of them in {into} with: {run_line(record)}")


def _missing(number: int, of: int) -> str:
    return f"{number:,} of {counted(of, 'trial')} {'is' if number == 1 else 'are'} missing"


def _cells(trials: "Sequence[Trial]") -> str:
    """Return how many of which data set and method, the first few."""
    counts = Counter((trial.dataset, trial.method) for trial in trials)
    cells = [f"{data} {method}: {n:,}" for (data, method), n in sorted(counts.items())]
    more = (
        [f"and {counted(len(cells) - _MAX_CELLS, 'more cell')}"] if len(cells) > _MAX_CELLS else []
    )
    return ", ".join([*cells[:_MAX_CELLS], *more])
