"""Notes on changes since trials were recorded: of the environment, code and metrics."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from boostbench.engine.environment import differences
from boostbench.errors import StoreError
from boostbench.experiment.preparation import Preparation
from boostbench.plan.difference import why_again
from boostbench.plan.trial import Trial
from boostbench.store.store import Store
from boostbench.suggest import counted, listing
from boostbench.user_code import changed_files
from boostbench.values import Record


def note_changes(
    run: Preparation,
    store: Store,
    planned: Sequence[Trial],
    to_run: Sequence[Trial],
    done: Collection[str],
) -> None:
    """Note what has changed since the trials ``done`` were recorded; StoreError for --strict.

    These are the reasons why trials run again, the metrics that recorded trials lack or measured by
    other code, and the changes in the environment of the trials that stay as they are.
    """
    note = run.listener.note
    sources = store.record_of_run()["sources"]
    keys = {trial.key for trial in planned}
    new = [trial for trial in to_run if trial.key not in done]
    recorded = keys - {trial.key for trial in new}
    for sentence in _changed_metrics(run.metrics, store, recorded, sources):
        note(sentence, "warning")
    for sentence in _without_predictions(run, store, recorded):
        note(sentence, "warning")
    for sentence in why_again(store.outside_plan(keys), new, sources):
        note(sentence, "warning")
    if to_run:
        _note_environment(run, store, keys - {trial.key for trial in to_run})


def _note_environment(run: Preparation, store: Store, staying: Collection[str]) -> None:
    """Note the changes since the trials ``staying`` were run; StoreError for --strict."""
    ids = store.environment_ids()
    changed: Counter[str] = Counter()
    for name, count in Counter(ids[key] for key in staying if key in ids).items():
        if changes := differences(store.environment(name), run.environment):
            changed[", ".join(changes)] += count
    if not changed:
        return
    change = "; ".join(
        f"since {counted(count, 'recorded trial')} ran: {text}"
        for text, count in changed.most_common(3)
    )
    if run.request.strict:
        raise StoreError(
            f"--strict: the environment has changed {change}; nothing was run: go back to that "
            "environment, run everything again with --again, or leave --strict out"
        )
    run.listener.note(
        f"the environment has changed {change}; results may differ in their last digits, "
        "--strict refuses that",
        "warning",
    )


def _without_predictions(run: Preparation, store: Store, staying: Collection[str]) -> Iterator[str]:
    """Yield how many recorded trials ``staying`` lack the predictions that are asked for."""
    if "predictions" not in run.experiment.keep:
        return
    done = {k for k, one in store.outcomes(brief=True).items() if one.status == "ok"}
    lacking = (done & set(staying)) - store.with_predictions() - store.to_run_again()
    if lacking and not run.request.again:
        ran = f"{counted(len(lacking), 'recorded trial')} ran before they were asked for"
        yield f"predictions: {ran}; --again keeps them for all"


def _changed_metrics(
    metrics: Collection[str], store: Store, staying: Collection[str], sources: Record
) -> Iterator[str]:
    """Yield which metrics the recorded trials ``staying`` lack, or measured by other code."""
    if not metrics:
        return
    outcomes = store.outcomes().items()
    done = [one.metrics for key, one in outcomes if key in staying and one.status == "ok"]
    for name in metrics if done else ():
        if lacking := sum(name not in one for one in done):
            ran = f"{counted(lacking, 'recorded trial')} ran before it was asked for"
            yield f"metric {name}: {ran}; --again measures it for all"
        elif changed := changed_files(sources.get(name, {})):
            files = f"{listing(changed, 5)} changed since recorded trials ran"
            yield f"metric {name}: {files}; --again measures it for all"
