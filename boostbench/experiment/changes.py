"""Notes on changes since trials were recorded: of the environment, code and metrics."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from boostbench.engine.environment import differences
from boostbench.errors import StoreError
from boostbench.experiment.preparation import Preparation
from boostbench.plan.difference import changed_sources, why_again
from boostbench.plan.grid import Plan
from boostbench.plan.trial import Trial
from boostbench.store.store import Store
from boostbench.suggest import counted, listing
from boostbench.user_code import sources_now
from boostbench.values import Record


def note_changes(
    run: Preparation,
    store: Store,
    planned: Plan,
    to_run: Sequence[Trial],
    done: Collection[str],
) -> None:
    """Note what has changed since the trials ``done`` were recorded; StoreError for --strict.

    These are the reasons why trials run again, the metrics that recorded trials lack or measured by
    other code, and the changes in the environment of the trials that stay as they are.
    """
    sources = store.record_of_run()["sources"]
    recorded = store.recorded_of(planned)
    new = [trial for trial in to_run if trial.key not in done]
    staying = recorded - {trial.key for trial in to_run} - store.to_run_again()
    sentences = [
        *_changed_metrics(run.metrics, store, staying, sources),
        *_without_predictions(run, store, staying),
        *why_again(store.outside_plan(recorded), new, sources),
    ]
    for sentence in sentences:
        run.listener.note(sentence, "warning")
    if to_run:
        _note_environment(run, store, staying)


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
    done = {key for key, status in store.statuses().items() if status == "ok"}
    lacking = (done & set(staying)) - store.with_predictions()
    if lacking:
        ran = f"{counted(len(lacking), 'recorded trial')} ran before they were asked for"
        yield f"predictions: {ran}; --again keeps them for all"


def _changed_metrics(
    metrics: Mapping[str, str], store: Store, staying: Collection[str], sources: Record
) -> Iterator[str]:
    """Yield which metrics the recorded trials ``staying`` lack, or measured otherwise."""
    if not metrics:
        return
    outcomes = store.outcomes()
    recorded = [trial for trial in store.outside_plan(()) if trial.key in staying]
    done = [trial for trial in recorded if outcomes[trial.key].status == "ok"]
    for name, function in metrics.items():
        lacking = sum(name not in outcomes[trial.key].metrics for trial in done)
        others = sum(trial.metrics.get(name, function) != function for trial in done)
        then = sources.get(name, {}) if done else {}
        files = changed_sources(then, sources_now(then))
        if why := _why_measured_again(lacking, others, files):
            yield f"metric {name}: {why}; --again measures it for all"


def _why_measured_again(lacking: int, others: int, files: Sequence[str]) -> str:
    """Return what is wrong with a metric of recorded trials, empty where nothing is.

    So many are ``lacking`` it, ``others`` have that of another function, and ``files`` changed.
    """
    if lacking:
        return f"{counted(lacking, 'recorded trial')} ran before it was asked for"
    if others:
        return f"its function changed since {counted(others, 'recorded trial')} ran"
    if files:
        return f"{listing(files, 5)} changed since recorded trials ran"
    return ""
