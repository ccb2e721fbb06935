"""What has changed since trials were recorded: the environment, code, metrics; as notes."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from boostbench.engine.environment import differences
from boostbench.errors import StoreError
from boostbench.plan.difference import why_again
from boostbench.plan.trial import Trial
from boostbench.report.provenance import commit
from boostbench.store.store import Store
from boostbench.suggest import counted, listing
from boostbench.user_code import changed_files

_MAX_TOLD = 3


def compare_environment(
    store: Store,
    staying: Collection[str],
    environment: Mapping[str, Any],
    git: Mapping[str, Any] | None,
    note: Callable[..., None],
    *,
    strict: bool,
) -> None:
    """Note what has changed since the trials ``staying`` were run; StoreError if ``strict``."""
    change = _changes(store, staying, environment)
    if change and strict:
        raise StoreError(
            f"--strict: the environment has changed {change}; nothing was run: go back to that "
            "environment, run everything again with --again, or leave --strict out"
        )
    if change:
        note(
            f"the environment has changed {change}; results may differ in their last digits, "
            "--strict refuses that",
            "warning",
        )
    runs = store.runs()
    before = runs[-1].details.get("git") if runs else None
    if before and git and before.get("commit") != git.get("commit"):
        note(
            "the experiment file's repository is at another commit than when the last trials ran: "
            f"{commit(before)} -> {commit(git)}"
        )


def _changes(store: Store, keys: Collection[str], environment: Mapping[str, Any]) -> str:
    """Return how ``environment`` differs from where the outcomes of ``keys`` were recorded.

    Such as ``since 8 recorded trials ran: numpy 2.1.0 -> 2.3.1``; empty where nothing that
    results depend on differs. The commit of a repository is not compared.
    """
    ids = store.environment_ids()
    found: Counter[str] = Counter()
    for name, count in Counter(ids[key] for key in keys if key in ids).items():
        difference = differences(store.environment(name) or {}, environment)
        if difference:
            found[", ".join(difference)] += count
    parts = [
        f"since {counted(count, 'recorded trial')} ran: {difference}"
        for difference, count in found.most_common(_MAX_TOLD)
    ]
    more = len(found) - len(parts)
    return "; ".join([*parts, *([f"and {counted(more, 'other environment')}"] if more else [])])


def note_changes(
    metrics: Collection[str],
    store: Store,
    planned: Sequence[Trial],
    to_run: Sequence[Trial],
    note: Callable[..., None],
) -> None:
    """Note which trials run again since the code behind them or something else has changed.

    Also which metrics are missing for recorded trials, or have other sources since.
    """
    sources = store.experiment().get("sources") or {}
    keys = {trial.key for trial in planned}
    if metrics:
        staying = keys - {trial.key for trial in to_run}
        done = [outcome for key, outcome in store.outcomes().items() if key in staying]
        found = [outcome.metrics for outcome in done if outcome.status == "ok"]
    for name in metrics:
        lacking = sum(name not in scores for scores in found)
        changed = changed_files(sources.get(name, {})) if lacking < len(found) else []
        what = f"{listing(changed, 5)} changed since recorded trials ran" if changed else ""
        if lacking:
            what = f"{counted(lacking, 'recorded trial')} ran before it was asked for"
        if what:
            note(
                f"metric {name}: {what}; --again measures it for all (no other result depends on "
                "it)",
                "warning",
            )
    for sentence in why_again(store.outside_plan(keys), to_run, sources):
        note(sentence, "warning")
