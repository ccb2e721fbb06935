"""One experiment, from its file to its results: check, fetch, run, report.

:meth:`Run.run` is what ``boostbench run`` and :func:`boostbench.run` both call.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from boostbench.config.loading import find_config
from boostbench.engine import environment
from boostbench.engine.dask.options import cluster_spec
from boostbench.engine.interface import Event, Summary, TrialLimits
from boostbench.engine.os_processes import processors
from boostbench.errors import ConfigError
from boostbench.experiment.changes import note_changes
from boostbench.experiment.estimate import Costs, alike
from boostbench.experiment.folders import find_results, opened_store, other_owner
from boostbench.experiment.listener import Listener
from boostbench.experiment.preparation import Preparation
from boostbench.experiment.progress import Board
from boostbench.experiment.record import is_recorded, make_record
from boostbench.experiment.reporting import Reported, write_report
from boostbench.experiment.request import Request
from boostbench.experiment.reuse import insert_all, reusable
from boostbench.experiment.runners import Runner, runner_of
from boostbench.experiment.scores import metrics_without_a_value
from boostbench.experiment.seeds import same_bits
from boostbench.objects.names import is_saved
from boostbench.plan.grid import Plan
from boostbench.plan.trial import Trial
from boostbench.store.files import STORE_FILE
from boostbench.store.store import Store
from boostbench.store.types import FINAL_STATUSES, Contents
from boostbench.suggest import counted


class Work(NamedTuple):
    """The selected trials, their recorded statuses by key, and those to run or to reuse."""

    selected: Sequence[Trial]
    done: Mapping[str, str]
    to_run: Sequence[Trial]
    reused: Mapping[Path, Contents]


@dataclass(frozen=True)
class Finished:
    """The result of a run: the selected trials by status, and how many ran now.

    ``left`` counts those that were to run and did not, by data set and method: ``yacht/srt``.
    """

    counts: Mapping[str, int]
    ran: int
    left: Counter[str]
    interrupted: bool
    report: Reported


class Run(Preparation):
    """One run of an experiment: its missing trials are run, and its report is written.

    ``runner`` runs the trials, by default as the request says.
    """

    def __init__(
        self,
        request: Request,
        listener: Listener,
        *,
        reimport: bool = False,
        runner: Runner | None = None,
    ) -> None:
        super().__init__(request, listener, reimport=reimport)
        self.jobs = request.jobs or processors()
        target = request.cluster
        self.cluster = None if target is None else cluster_spec(target, request.cluster_config)
        if self.cluster is not None:
            self._refuse_objects()
        self.runner = runner or runner_of(
            self.cluster, in_process=request.in_process, jobs=self.jobs
        )
        self.reuse = [find_results(name) for name in request.reuse or ()]
        home = self.experiment.results_dir
        self.folder = home / self.shard.folder if self.shard else home
        self.line_to_resume = str(request)
        """The command that resumes this run if it is interrupted now."""
        self.remedy = ""
        """How a call from Python is resumed, which no command repeats."""

    def _refuse_objects(self) -> None:
        """Raise ConfigError where a method or metric is a stored object, which no cluster has."""
        paths = {method.label: method.estimator for method in self.methods} | self.metrics
        for name in paths:
            if is_saved(paths[name]):
                raise ConfigError(
                    f"'{name}' is an object that boostbench.run got from Python, which workers of "
                    "a cluster do not have: write it into a Python file, and name it in an "
                    "experiment file as module:name"
                )

    # -- what to run ---------------------------------------------------------------------------

    def dry_run(self) -> list[str]:
        """Return in lines what a run would do, and its estimated cost; nothing is written."""
        planned = self.plan(may_fetch=False)
        is_there = (self.folder / STORE_FILE).is_file()
        with Store.read(self.folder) if is_there else Store.made(self.folder) as store:
            work = self._work(store, planned, dry=True)
        text = [self._in_words(work)]
        for folder, contents in work.reused.items():
            text.append(f"{counted(len(contents.outcomes), 'trial')} to take over from {folder}")
        if self.without_data:
            text.append(f"without data: {', '.join(self.without_data)}")
        if work.to_run:
            jobs = self.jobs_for(work.to_run)
            to_run = alike(work.to_run)
            costs = Costs.of_folder(self.folder, to_run)
            text += costs.estimate(to_run, jobs).lines(jobs)
        return text

    def _in_words(self, work: Work) -> str:
        """Return the numbers of selected, finished and missing trials in a sentence."""
        datasets = {trial.dataset for trial in work.selected}
        methods = {trial.method for trial in work.selected}
        chosen = [
            self.experiment.grid_in_words(len(datasets), len(methods), self.rules),
            "some left out" if self.selection.patterns else "",
            f"shard {self.shard}" if self.shard else "",
        ]
        done = sum(trial.key in work.done for trial in work.selected)
        return (
            f"{self.experiment.name}: {counted(len(work.selected), 'trial')} "
            f"({', '.join(filter(None, chosen))}), {done:,} done, "
            f"{len(work.to_run):,} to run on {self.workers(work.to_run)}"
        )

    def _work(self, store: Store, planned: Plan, *, dry: bool = False) -> Work:
        """Return the work to do, noting why; outcomes of other results are reused."""
        self._check_owner(store, planned)
        selected = self.selected(planned)
        done = _done(store, selected)
        missing = self._missing(selected, done)
        reused = reusable(self.reuse, {trial.key for trial in missing}, self.folder)
        if reused and not dry:
            insert_all(store, reused)
            done = _done(store, selected)
            for folder, contents in reused.items():
                taken_over = counted(len(contents.outcomes), "trial")
                self.listener.note(f"{taken_over} taken over from {folder}")
        reused_keys = set[str]().union(*(contents.outcomes for contents in reused.values()))
        to_run = [trial for trial in missing if trial.key not in reused_keys]
        note_changes(self, store, planned, to_run, done)
        return Work(selected, done, to_run, reused)

    def _finished_keys(self, done: Mapping[str, str]) -> set[str]:
        """Return the keys of the recorded trials that are not to be run again."""
        if self.request.again:
            return set()
        return {key for key, status in done.items() if status in self._stays}

    @property
    def _stays(self) -> Collection[str]:
        """The statuses of recorded trials that are not to be run again."""
        return {"ok", "skipped"} if self.request.retry_failed else FINAL_STATUSES

    def _missing(self, trials: Sequence[Trial], done: Mapping[str, str]) -> list[Trial]:
        """Return the ``trials`` that are not done, or to be run again, each once.

        Trials without data are left out, with a note.
        """
        missing = self._left(trials, self._finished_keys(done))
        for sentence in dict.fromkeys(self.without_data.values()):
            self.listener.note(f"skipped: {sentence}", "warning")
        return [trial for trial in missing if trial.dataset not in self.without_data]

    def _left(self, trials: Sequence[Trial], finished: Collection[str]) -> list[Trial]:
        """Return the ``trials`` that are not ``finished``, each once.

        Data are not needed, and not told to be lacking, if all trials of the data set are done.
        """
        left = {trial.key: trial for trial in trials if trial.key not in finished}
        complete = {t.dataset for t in trials} - {t.dataset for t in left.values()}
        for name in complete & self.without_data.keys():
            del self.without_data[name]
        return list(left.values())

    def _check_owner(self, store: Store, planned: Collection[Trial] | None = None) -> None:
        """Raise ConfigError where the results in ``store`` are another experiment file's."""
        if other := other_owner(store, self.request.config, planned):
            key = "results" if self.experiment.results else "name"
            raise ConfigError(f"{self.experiment.where(key)}: {other}")

    # -- running it ----------------------------------------------------------------------------

    def run(self) -> Finished:
        """Run the missing trials, write the report, and return the result.

        An interrupt lets the running trials end. Raises a
        :class:`~boostbench.errors.BoostbenchError` with one sentence for bad input; recorded
        outcomes are kept. Where nothing is left to do, nothing is written.
        """
        planned = self._plan_if_done()
        if planned is not None:
            with Store.read(self.folder) as store:
                if is_recorded(self, store, planned):
                    return self._finished(self._work(store, planned), None)
            if not self.rows:
                # No data are available: to plan again says so.
                planned = None
        if self.cluster is not None:
            self.cluster.check_reachable()
        # Opened before anything is fetched: a folder that cannot be written to is reported at once.
        with opened_store(self.folder, self.experiment.name) as store:
            if planned is None:
                self._check_owner(store)
                planned = self.plan(may_fetch=True, store=store)
            work = self._work(store, planned)
            record = make_record(self, store, planned.likes, work.to_run)
            store.set_plan(record, planned)
            if self.request.again:
                store.run_again(trial.key for trial in work.to_run if trial.key in work.done)
            # The store keeps the trials of --again that are still to be run.
            self.line_to_resume = self.request.line_to_resume()
            summary = self._run(store, work) if work.to_run else None
            return self._finished(work, summary)

    def _plan_if_done(self) -> Plan | None:
        """Return the planned trials if the recorded ones of the selection are done, else None."""
        if self.request.again or not (self.folder / STORE_FILE).is_file():
            return None
        with Store.read(self.folder) as store:
            self._check_owner(store)
            try:
                cells = store.selecting(self.request.only or ()).cells()
            except ConfigError:
                # What is selected is not in the plan yet.
                return None
            if not cells or any(cell.trials > cell.ended(self._stays) for cell in cells):
                return None
            planned = self.plan(may_fetch=True, store=store, needs_some=False)
            selected = self.selected(planned)
            self._left(selected, self._finished_keys(_done(store, selected)))
            return planned

    def _finished(self, work: Work, summary: Summary | None) -> Finished:
        """Write the report and return the result of the run."""
        # A reader reads the plan once, a writer each time.
        with Store.read(self.folder) as recorded:
            done = _done(recorded, work.selected)
            report = write_report(recorded, self.folder, self.listener)
            remarks = metrics_without_a_value(self.metrics, work.selected, recorded)
            if len(self.experiment.seed_list) > 1:
                remarks += same_bits(self.methods, work.selected, recorded)
            for sentence in remarks:
                self.listener.note(sentence, "warning")
        return Finished(
            Counter(done.get(t.key, "pending") for t in work.selected),
            summary.done if summary else 0,
            Counter(f"{t.dataset}/{t.method}" for t in work.to_run if t.key not in done),
            summary is not None and summary.interrupted,
            report,
        )

    def _run(self, store: Store, work: Work) -> Summary:
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
        costs = Costs.of_folder(self.folder, alike(to_run))
        board = Board(work.selected, work.done, to_run, costs, jobs)
        with self.listener.trials(board):
            return self.run_trials(to_run, store, partial(self._event, board))

    def run_trials(
        self,
        trials: Sequence[Trial],
        store: Store,
        listener: Callable[[Event], None] = lambda _: None,
        *,
        longer: int = 1,
    ) -> Summary:
        """Run trials within the experiment's limits, and commit each outcome to ``store``.

        The limit on time is so many times as long.
        """
        limits = TrialLimits(**self.experiment.limits.of_a_trial)
        if limits.time_s is not None:
            limits = replace(limits, time_s=longer * limits.time_s)
        return self.runner(
            trials,
            store,
            arrays_dir=self.arrays_dir,
            limits=limits,
            environment=self.environment,
            listener=listener,
        )

    def _event(self, board: Board, event: Event) -> None:
        """Count an event of the engine, and pass it on to the listener."""
        trial = event.trial
        if event.kind == "start" and trial is not None:
            board.begin()
            self.listener.started(trial, event.worker)
        elif event.kind == "end" and trial is not None and event.outcome is not None:
            board.end(trial, event.outcome)
            self.listener.ended(trial, event.outcome)
        elif event.kind == "compile":
            board.compiling = event.compiling
            if event.compiling is not None:
                self.listener.compiling(event.compiling)
        elif event.kind == "stop":
            later = self.remedy or f"resume later with: {self.line_to_resume}"
            self.listener.note(f"{event.detail}; {later}", "important")
        elif event.kind == "worker":
            self._worker_changed(board, event)

    def _worker_changed(self, board: Board, event: Event) -> None:
        """Count the workers anew, and pass on why."""
        board.jobs = event.threads or board.jobs
        if event.detail:
            self.listener.note(event.detail, "warning")

    # -- what it runs in -----------------------------------------------------------------------

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
        then = "call it again" if self.remedy else f"run: {self.request.line_to_resume()}"
        return (
            f"{counted(len(self.without_data), 'data set')} skipped, as the data are unavailable: "
            f"{', '.join(self.without_data)}; get the data as said above, then {then}"
        )


def _done(store: Store, trials: Sequence[Trial]) -> dict[str, str]:
    """Return the recorded statuses of ``trials``, except of those that are to run again."""
    return store.statuses({trial.key for trial in trials} - store.to_run_again())
