"""Notes on changes since trials were recorded: of the environment, code and metrics."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence

from boostbench.engine.environment import differences
from boostbench.errors import StoreError
from boostbench.plan.difference import why_again
from boostbench.plan.trial import Trial
from boostbench.store.store import Store
from boostbench.suggest import counted, listing
from boostbench.user_code import changed_files
from boostbench.values import Record


def compare_environment(
    store: Store,
    staying: Collection[str],
    environment: Record,
    note: Callable[..., None],
    *,
    strict: bool,
) -> None:
    """Note the changes since the trials ``staying`` were run; StoreError if ``strict``."""
    ids = store.environment_ids()
    changed: Counter[str] = Counter()
    for name, count in Counter(ids[key] for key in staying if key in ids).items():
        if changes := differences(store.environment(name), environment):
            changed[", ".join(changes)] += count
    if not changed:
        return
    change = "; ".join(
        f"since {counted(count, 'recorded trial')} ran: {text}"
        for text, count in changed.most_common(3)
    )
    if strict:
        raise StoreError(
            f"--strict: the environment has changed {change}; nothing was run: go back to that "
            "environment, run everything again with --again, or leave --strict out"
        )
    note(
        f"the environment has changed {change}; results may differ in their last digits, "
        "--strict refuses that",
        "warning",
    )


def note_changes(
    metrics: Collection[str],
    store: Store,
    planned: Sequence[Trial],
    to_run: Sequence[Trial],
    note: Callable[..., None],
) -> None:
    """Note which trials run again because the code behind them or something else has changed.

    Also note which metrics recorded trials lack, or measured by other code.
    """
    sources = store.experiment().get("sources") or {}
    keys = {trial.key for trial in planned}
    staying = keys - {trial.key for trial in to_run}
    for sentence in _changed_metrics(metrics, store, staying, sources) if metrics else ():
        note(sentence, "warning")
    for sentence in why_again(store.outside_plan(keys), to_run, sources):
        note(sentence, "warning")


def _changed_metrics(
    metrics: Collection[str], store: Store, staying: Collection[str], sources: Record
) -> Iterator[str]:
    """Yield which metrics the recorded trials ``staying`` lack, or measured by other code."""
    outcomes = store.outcomes().items()
    done = [one.metrics for key, one in outcomes if key in staying and one.status == "ok"]
    for name in metrics if done else ():
        if lacking := sum(name not in one for one in done):
            ran = f"{counted(lacking, 'recorded trial')} ran before it was asked for"
            yield f"metric {name}: {ran}; --again measures it for all"
        elif changed := changed_files(sources.get(name, {})):
            files = f"{listing(changed, 5)} changed since recorded trials ran"
            yield f"metric {name}: {files}; --again measures it for all"
