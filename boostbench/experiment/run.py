"""One experiment, from its file to its results: check, fetch, run, report.

:meth:`Run.run` is what ``boostbench run`` and :func:`boostbench.run` both call.
"""

import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from boostbench.config.loading import find_config, load_experiment
from boostbench.config.model import Experiment
from boostbench.data.access import default_access
from boostbench.data.arrays import save_test_rows
from boostbench.data.dataset import Dataset
from boostbench.engine import environment, local
from boostbench.engine.dask.options import ClusterSpec, cluster_spec
from boostbench.engine.in_process import run_in_process
from boostbench.engine.interface import Event, Summary, TrialLimits
from boostbench.engine.os_processes import processors
from boostbench.errors import ConfigError, DataError
from boostbench.experiment.changes import compare_environment, note_changes
from boostbench.experiment.datasets import fingerprints_in_plan, gather, rules_in_plan
from boostbench.experiment.estimate import Costs
from boostbench.experiment.folders import find_results, opened_store, other_owner
from boostbench.experiment.listener import Listener
from boostbench.experiment.progress import COMPILING, Board
from boostbench.experiment.record import make_record, sources_of
from boostbench.experiment.reporting import Reported, write_report
from boostbench.experiment.request import Request
from boostbench.experiment.reuse import insert_all, reusable
from boostbench.experiment.roles import check_roles_of
from boostbench.experiment.scores import metrics_without_a_value
from boostbench.experiment.seeds import same_bits
from boostbench.plan import check
from boostbench.plan.division import Division
from boostbench.plan.expand import expand
from boostbench.plan.selection import Selection
from boostbench.plan.shard import Shard
from boostbench.plan.trial import Trial
from boostbench.store.files import STORE_FILE
from boostbench.store.store import Store
from boostbench.store.types import FINAL_STATUSES, Contents, Outcome
from boostbench.suggest import counted
from boostbench.user_code import forget


class Runner(Protocol):
    """Runs trials, ``jobs`` at a time, and commits each outcome to a store.

    The other options are those of :class:`~boostbench.engine.recording.Recorder`.
    """

    def __call__(
        self,
        trials: Sequence[Trial],
        store: Store,
        *,
        jobs: int,
        arrays_dir: Path,
        limits: TrialLimits,
        environment: Mapping[str, object],
        listener: Callable[[Event], None] = ...,
    ) -> Summary:
        """Return what was run; an interrupt ends it early."""


class Work(NamedTuple):
    """The selected trials, the finished ones, and those to run now or to reuse."""

    selected: Sequence[Trial]
    done: Mapping[str, Outcome]
    to_run: Sequence[Trial]
    reused: Mapping[Path, Contents]


@dataclass(frozen=True)
class Finished:
    """The result of a run: the selected trials by status, and the numbers run now and remaining."""

    counts: Mapping[str, int]
    ran: int
    left: int
    interrupted: bool
    report: Reported


class Run:
    """One run of an experiment, whose file is loaded and checked; ConfigError where it is wrong.

    With ``reimport`` the user's own modules are imported again, as they are now: a notebook
    outlives edits of their files. ``runner`` runs the trials, by default as the request says.
    """

    def __init__(
        self,
        request: Request,
        listener: Listener,
        *,
        reimport: bool = False,
        runner: Runner | None = None,
    ) -> None:
        self.request, self.listener = request, listener
        self.experiment = load_experiment(request.config, request.overrides or ())
        if reimport:
            _import_again(self.experiment)
        self.shard = Shard.parse(request.shard) if request.shard else None
        target = request.cluster
        self.cluster = None if target is None else cluster_spec(target, request.cluster_config)
        self.runner = runner or _runner_of(request, self.cluster)
        self.reuse = [find_results(name) for name in request.reuse or ()]
        home = self.experiment.results_dir
        self.folder = home / self.shard.folder if self.shard else home
        self.methods = check.check_experiment(self.experiment)
        self.role_remarks = check_roles_of(self.experiment, self.methods)
        """Which roles of the paper no method plays."""
        self.selection = Selection.of(request.only or (), self.experiment)
        self.access = default_access(request.mirror, request.offline, listener.note)
        self.arrays_dir = self.access.cache_dir / "arrays"
        self.jobs = request.jobs or processors()
        self.data_remarks: dict[str, list[str]] = {}
        """The remarks on the data sets loaded so far, by name; see ``Dataset.remarks``."""
        self.rows: dict[str, int] = {}
        """The numbers of rows of the data sets loaded so far, by name."""
        self.labels: dict[str, Sequence[str]] = {}
        """The classes of the data sets loaded so far, by name."""
        self.without_data: dict[str, str] = {}
        """Why data sets, whose trials cannot run now, are unavailable; by name."""
        self.unavailable = check.unavailable_methods(self.methods)
        self.line_to_resume = str(request)
        """The command that resumes this run if it is interrupted now."""
        for label, reason in self.unavailable.items():
            listener.note(f"{label} will be skipped: {reason}", "warning")

    # -- what to run ---------------------------------------------------------------------------

    def plan(self, *, may_fetch: bool, store: Store | None = None) -> list[Trial]:
        """Return the planned trials; without ``may_fetch`` nothing is fetched or saved."""
        planned = {} if store is None else fingerprints_in_plan(self.experiment, store)
        divisions: dict[str, Division] = {}

        def seen(dataset: Dataset, division: Division) -> None:
            divisions[dataset.name] = division
            self.add_remarks(dataset)

        with self.listener.downloads() as watch:
            fingerprints, self.without_data = gather(
                self.experiment,
                self.methods,
                replace(self.access, watch=watch),
                self.arrays_dir,
                wanted=self.needs_data,
                planned=planned,
                may_fetch=may_fetch,
                seen=seen,
            )
        if self.shard and not self.without_data.keys() <= fingerprints.keys():
            reasons = "\n".join(self.without_data.values())
            raise DataError(f"{reasons}; a shard needs every data set of its experiment")
        for division in divisions.values():
            if division.test_rows and may_fetch:
                save_test_rows(division.test_rows, self.arrays_dir)
        rules = {name: division.rule for name, division in divisions.items()}
        if store is not None:
            rules = rules_in_plan(self.experiment, store, planned.keys() - rules.keys()) | rules
        return expand(self.experiment, fingerprints, self.methods, rules, self.labels)

    def needs_data(self, name: str) -> bool:
        """Return whether the data of a data set are needed."""
        # A shard's trials depend on their positions in the plan, so that it needs the whole plan.
        return bool(self.shard) or self.selection.matches("dataset", name)

    def add_remarks(self, dataset: Dataset) -> None:
        """Keep the remarks on a data set that was loaded and checked."""
        positive = self.experiment.positive(dataset.name)
        remarks = [f"the positive class is '{positive}'"] if positive else []
        self.data_remarks[dataset.name] = [*dataset.remarks, *remarks]
        self.labels[dataset.name] = dataset.classes
        self.rows[dataset.name] = len(dataset.y)
        self.listener.dataset_loaded(dataset)

    def selected(self, planned: list[Trial]) -> list[Trial]:
        """Return the trials of the shard that ``--only`` selects."""
        mine = planned if self.shard is None else self.shard.part(planned)
        return [trial for trial in mine if trial in self.selection]

    def dry_run(self) -> list[str]:
        """Return in lines what a run would do, and its estimated cost; nothing is written."""
        planned = self.plan(may_fetch=False)
        is_new = not (self.folder / STORE_FILE).is_file()
        with (
            tempfile.TemporaryDirectory(prefix="boostbench-") if is_new else nullcontext() as empty,
            Store.open(Path(empty or self.folder), create=is_new, read_only=not is_new) as store,
        ):
            work = self._work(store, planned, dry=True)
        text = [self._in_words(work)]
        for folder, contents in work.reused.items():
            text.append(f"{counted(len(contents.outcomes), 'trial')} to take over from {folder}")
        if self.without_data:
            text.append(f"without data: {', '.join(self.without_data)}")
        if work.to_run:
            jobs = self.jobs_for(work.to_run)
            costs = Costs.of_folder(self.folder, work.to_run)
            text += costs.estimate(work.to_run, jobs).lines(jobs)
        return text

    def _in_words(self, work: Work) -> str:
        """Return the numbers of selected, finished and missing trials in a sentence."""
        chosen = [
            f"{counted(len({trial.dataset for trial in work.selected}), 'data set')} x "
            f"{counted(len({trial.method for trial in work.selected}), 'method')} x "
            f"{self.experiment.parts_text} x {counted(len(self.experiment.seed_list), 'seed')}",
            "some left out" if self.selection.patterns else "",
            f"shard {self.shard}" if self.shard else "",
        ]
        done = sum(trial.key in work.done for trial in work.selected)
        return (
            f"{self.experiment.name}: {counted(len(work.selected), 'trial')} "
            f"({', '.join(filter(None, chosen))}), {done:,} done, "
            f"{len(work.to_run):,} to run on {self.workers(work.to_run)}"
        )

    def _work(self, store: Store, planned: list[Trial], *, dry: bool = False) -> Work:
        """Return the work to do, noting why; outcomes of other results are reused."""
        self._check_owner(store, planned)
        selected = self.selected(planned)
        done = _done(store)
        missing = self._missing(selected, done)
        reused = reusable(self.reuse, {trial.key for trial in missing}, self.folder)
        if reused and not dry:
            insert_all(store, reused)
            done = _done(store)
            for folder, contents in reused.items():
                taken_over = counted(len(contents.outcomes), "trial")
                self.listener.note(f"{taken_over} taken over from {folder}")
        reused_keys = set[str]().union(*(contents.outcomes for contents in reused.values()))
        to_run = [trial for trial in missing if trial.key not in reused_keys]
        self._note_changes(store, planned, to_run, done)
        return Work(selected, done, to_run, reused)

    def _note_changes(
        self,
        store: Store,
        planned: Sequence[Trial],
        to_run: Sequence[Trial],
        done: Mapping[str, Outcome],
    ) -> None:
        """Note what has changed since trials were recorded; StoreError for --strict."""
        new = [trial for trial in to_run if trial.key not in done]
        note_changes(self.metrics, store, planned, new, self.listener.note)
        if to_run:
            compare_environment(
                store,
                {trial.key for trial in planned} - {trial.key for trial in to_run},
                self.environment,
                self.listener.note,
                strict=self.request.strict,
            )

    def _finished_keys(self, done: Mapping[str, Outcome]) -> set[str]:
        """Return the keys of the recorded trials that are not to be run again."""
        if self.request.again:
            return set()
        stays = {"ok", "skipped"} if self.request.retry_failed else FINAL_STATUSES
        return {key for key, outcome in done.items() if outcome.status in stays}

    def _missing(self, trials: Sequence[Trial], done: Mapping[str, Outcome]) -> list[Trial]:
        """Return the ``trials`` that are not done, or to be run again, each once.

        Trials without data are left out, with a note.
        """
        finished = self._finished_keys(done)
        missing = {trial.key: trial for trial in trials if trial.key not in finished}
        # Data are not needed if all trials of the data set are done.
        complete = {t.dataset for t in trials} - {t.dataset for t in missing.values()}
        for name in complete & self.without_data.keys():
            del self.without_data[name]
        for sentence in dict.fromkeys(self.without_data.values()):
            self.listener.note(f"skipped: {sentence}", "warning")
        return [trial for trial in missing.values() if trial.dataset not in self.without_data]

    def _check_owner(self, store: Store, planned: Sequence[Trial] | None = None) -> None:
        """Raise ConfigError where the results in ``store`` are another experiment file's."""
        if other := other_owner(store, self.request.config, planned):
            key = "results" if self.experiment.results else "name"
            raise ConfigError(f"{self.experiment.where(key)}: {other}")

    # -- running it ----------------------------------------------------------------------------

    def run(self) -> Finished:
        """Run the missing trials, write the report, and return the result.

        An interrupt lets the running trials end. Raises a
        :class:`~boostbench.errors.BoostbenchError` with one sentence for bad input; recorded
        outcomes are kept.
        """
        if self.cluster is not None:
            self.cluster.check_reachable()
        # Opened before anything is fetched: a folder that cannot be written to is reported at once.
        with opened_store(self.folder, self.experiment.name) as store:
            self._check_owner(store)
            planned = self.plan(may_fetch=True, store=store)
            work = self._work(store, planned)
            self._set_plan(store, planned, work.to_run)
            if self.request.again:
                store.run_again(trial.key for trial in work.to_run if trial.key in work.done)
            # The store keeps the trials of --again that are still to be run.
            self.line_to_resume = self.request.command_with(again=False)
            summary = self._run_trials(store, work) if work.to_run else None
            return self._finished(work, summary)

    def _set_plan(self, store: Store, planned: Sequence[Trial], to_run: Sequence[Trial]) -> None:
        before = store.experiment()
        sources = sources_of(self.methods, self.metrics, before.get("sources") or {}, to_run)
        kept = before.get("without_data") or {}
        names = [n for n in self.experiment.n_parts if n in kept and not self.needs_data(n)]
        lacking = {**{name: kept[name] for name in names}, **self.without_data}
        record = make_record(
            self.experiment,
            self.request,
            before,
            planned,
            self.data_remarks,
            self.rows,
            lacking,
            sources,
        )
        store.set_plan(record, planned)

    def _finished(self, work: Work, summary: Summary | None) -> Finished:
        """Write the report and return the result of the run."""
        ran, to_run = summary.done if summary else 0, len(work.to_run)
        # A reader decodes the outcomes once, a writer each time.
        with Store.open(self.folder, create=False, read_only=True) as recorded:
            done, report = _done(recorded), write_report(recorded, self.folder, self.listener)
            outcomes = recorded.outcomes()
            remarks = metrics_without_a_value(self.metrics, work.selected, outcomes)
            if len(self.experiment.seed_list) > 1:
                remarks += same_bits(self.methods, work.selected, outcomes)
            for sentence in remarks:
                self.listener.note(sentence, "warning")
        return Finished(
            Counter(done[t.key].status if t.key in done else "pending" for t in work.selected),
            ran,
            to_run - ran,
            summary is not None and summary.interrupted,
            report,
        )

    def _run_trials(self, store: Store, work: Work) -> Summary:
        to_run = work.to_run
        jobs = self.jobs_for(to_run)
        self.listener.note(
            f"{self.experiment.name}: {len(to_run):,} of {counted(len(work.selected), 'trial')} to "
            f"run on {self.workers(to_run)}; results in {self.folder}"
        )
        store.begin_run(
            environment.environment_id(self.environment),
            self.environment,
            command=self.request.words,
            shard=str(self.shard or ""),
            cluster="" if self.cluster is None else self.cluster.target,
            details=environment.run_facts(find_config(self.request.config)),
        )
        board = Board(work.selected, work.done, to_run, Costs.of_folder(self.folder, to_run), jobs)
        with self.listener.trials(board):
            return self.runner(
                to_run,
                store,
                jobs=jobs,
                arrays_dir=self.arrays_dir,
                limits=TrialLimits(**self.experiment.limits.of_a_trial),
                environment=self.environment,
                listener=partial(self._event, board),
            )

    def _event(self, board: Board, event: Event) -> None:
        """Count an event of the engine, and pass it on to the listener."""
        trial = event.trial
        if event.kind == "start" and trial is not None:
            self.listener.started(trial, event.worker)
        elif event.kind == "end" and trial is not None and event.outcome is not None:
            board.end(trial, event.outcome)
            self.listener.ended(trial, event.outcome)
        elif event.kind == "stop":
            later = f"resume later with: {self.line_to_resume}"
            self.listener.note(f"{event.detail}; {later}", "important")
        elif event.kind == "worker":
            board.jobs = event.threads or board.jobs
            if event.compiling and not board.compiling:
                self.listener.note(COMPILING)
            board.compiling = event.compiling
            if event.detail:
                self.listener.note(event.detail, "warning")

    # -- what it runs in -----------------------------------------------------------------------

    @cached_property
    def environment(self) -> Mapping[str, object]:
        """The environment on which results depend."""
        return environment.snapshot(method.estimator for method in self.methods)

    @cached_property
    def metrics(self) -> dict[str, str]:
        """The functions of the metrics that each trial records, by name."""
        asked = self.experiment.asked_metrics
        return {name: metric.function for name, metric in asked.items() if metric.function}

    def workers(self, to_run: Sequence[Trial]) -> str:
        """Where the trials run, in words."""
        if self.cluster is not None:
            return f"the cluster {self.cluster.target}"
        return counted(self.jobs_for(to_run), "worker")

    def jobs_for(self, to_run: Sequence[Trial]) -> int:
        """Return how many trials run at a time; for a cluster that is not known in advance."""
        alone = self.request.in_process or self.cluster is not None
        return 1 if alone else max(1, min(self.jobs, len(to_run)))

    def data_to_get(self) -> str:
        """Return which data sets were skipped, and how to get them."""
        return (
            f"{counted(len(self.without_data), 'data set')} skipped, as the data are unavailable: "
            f"{', '.join(self.without_data)}; get the data as said above, then run: "
            f"{self.request.command_with(again=False)}"
        )


def _import_again(experiment: Experiment) -> None:
    """Have the user's own modules imported again, as they are now."""
    check.import_from_folder_of(experiment)
    own = [entry.estimator for entry in experiment.methods]
    own += [metric.function for metric in experiment.asked_metrics.values()]
    for path in filter(None, own):
        forget(path)


def _runner_of(request: Request, cluster: ClusterSpec | None) -> Runner:
    """Return the runner that a request asks for."""
    if cluster is not None:
        return partial(_run_on_cluster, cluster)
    return _run_in_process if request.in_process else local.run_trials


def _run_on_cluster(
    cluster: ClusterSpec, trials: Sequence[Trial], store: Store, *, jobs: int, **options: Any
) -> Summary:
    # distributed is an extra, and takes as long to import as everything else.
    from boostbench.engine.dask.dispatch import run_on_cluster

    return run_on_cluster(trials, store, cluster=cluster, **options)


def _run_in_process(trials: Sequence[Trial], store: Store, *, jobs: int, **options: Any) -> Summary:
    return run_in_process(trials, store, **options)


def _done(store: Store) -> dict[str, Outcome]:
    """Return the recorded outcomes, except those of trials that are to run again."""
    again = store.to_run_again()
    return {key: one for key, one in store.outcomes(brief=True).items() if key not in again}
