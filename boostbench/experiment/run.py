"""One experiment, from its file to its results: checked, then fetched, then run, then reported.

:meth:`Run.run` is what ``boostbench run`` and :func:`boostbench.run` both call.
"""

import shlex
import tempfile
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple

from boostbench.config.loading import find_config, load_experiment
from boostbench.data.access import default_access
from boostbench.data.arrays import save_test_rows
from boostbench.data.dataset import Dataset
from boostbench.engine import environment
from boostbench.engine.dask.options import cluster_spec
from boostbench.engine.in_process import run_in_process
from boostbench.engine.local import run_trials
from boostbench.engine.os_processes import processors
from boostbench.engine.types import Event, Limits, Summary
from boostbench.errors import ConfigError, DataError
from boostbench.experiment.changes import compare_environment, note_changes
from boostbench.experiment.datasets import UnusableData, fingerprints_in_plan, gather
from boostbench.experiment.estimate import Costs
from boostbench.experiment.folders import PLACE_KEYS, find_results, opened_store, other_owner
from boostbench.experiment.listener import Listener
from boostbench.experiment.progress import Board
from boostbench.experiment.record import make_record, sources_of
from boostbench.experiment.reporting import write_report
from boostbench.experiment.request import Request
from boostbench.experiment.reuse import insert_all, reusable
from boostbench.plan import check
from boostbench.plan.absent import unplanned
from boostbench.plan.expand import expand
from boostbench.plan.selection import Selection
from boostbench.plan.shard import Shard
from boostbench.plan.trial import Trial
from boostbench.report.build import ReportResult
from boostbench.store.files import STORE_FILE
from boostbench.store.store import Store
from boostbench.store.types import Contents, Outcome
from boostbench.suggest import counted
from boostbench.user_code import forget


class Work(NamedTuple):
    """The trials selected, what is recorded of them, and those to run now or to take over."""

    selected: Sequence[Trial]
    outcomes: Mapping[str, Outcome]
    again: Collection[str]
    to_run: Sequence[Trial]
    reused: Mapping[Path, Contents]


@dataclass(frozen=True)
class Finished:
    """What came of a run: the trials selected, by status; how many ran now, how many were left.

    ``unplanned`` names the data sets that were never loaded, ``without_data`` those selected that
    no place has and that trials are left of, with the reasons. ``report`` is None where its
    writing was interrupted.
    """

    counts: Mapping[str, int]
    ran: int = 0
    left: int = 0
    interrupted: bool = False
    unplanned: Sequence[str] = ()
    without_data: Mapping[str, str] = field(default_factory=dict)
    report: ReportResult | None = field(default=None, repr=False)

    @property
    def failed(self) -> int:
        """The number of trials that failed, in this run or before."""
        return sum(n for s, n in self.counts.items() if s not in {"ok", "skipped", "pending"})

    @property
    def all_well(self) -> bool:
        """Whether no trial is pending or failed."""
        return set(self.counts) <= {"ok", "skipped"} and not self.without_data


class Run:
    """One run of an experiment, whose file is loaded and checked; ConfigError where it is wrong.

    With ``reimport`` the user's own modules are imported again, as they are now: a notebook
    outlives edits of their files.
    """

    def __init__(self, request: Request, listener: Listener, *, reimport: bool = False) -> None:
        self.request, self.listener = request, listener
        self.experiment = load_experiment(request.config, request.overrides or ())
        if reimport:
            check.search_beside(self.experiment)
            for path in filter(None, (entry.estimator for entry in self.experiment.methods)):
                forget(path)
        self.shard = Shard.parse(request.shard) if request.shard else None
        target = request.cluster
        self.cluster = None if target is None else cluster_spec(target, request.cluster_config)
        self.reuse = [find_results(name) for name in request.reuse or ()]
        self.selection = Selection.of(request.only or (), self.experiment)
        home = self.experiment.results_dir
        self.folder = home / self.shard.folder if self.shard else home
        self.methods = check.check_experiment(self.experiment)
        self.access = default_access(request.mirror, request.offline, listener.note)
        self.arrays_dir = self.access.cache_dir / "arrays"
        self.jobs = request.jobs or processors()
        self.data_remarks: dict[str, list[str]] = {}
        """How the data sets loaded so far were read, by name; see ``Dataset.remarks``."""
        self.without_data: dict[str, str] = {}
        """The reasons why data sets are unavailable whose trials cannot run now, by name."""
        self.unavailable = check.unavailable_methods(self.methods)
        self.line_to_resume = str(request)
        """The command that resumes this run if it is interrupted now."""
        for label, reason in self.unavailable.items():
            listener.note(f"{label} will be skipped: {reason}", "warning")

    # -- what to run ---------------------------------------------------------------------------

    def plan(self, *, may_fetch: bool, store: Store | None = None) -> list[Trial]:
        """Return the planned trials; without ``may_fetch`` nothing is fetched or saved."""
        planned, self.without_data = {}, {}
        if store is not None:
            planned = fingerprints_in_plan(
                self.experiment, store.experiment(), store.planned_fingerprints()
            )
        for name in filter(self.wants, self.experiment.n_parts) if may_fetch else ():
            if rows := self.experiment.test_rows(name):
                save_test_rows(rows, self.arrays_dir)
        try:
            with self.listener.downloads() as watch:
                fingerprints = gather(
                    self.experiment,
                    self.methods,
                    replace(self.access, watch=watch),
                    self.arrays_dir,
                    wanted=self.wants,
                    planned=planned,
                    may_fetch=may_fetch,
                    seen=self._note,
                    unavailable=self.without_data,
                )
                if self.shard and not self.without_data.keys() <= fingerprints.keys():
                    raise UnusableData([*self.without_data.values()], list(fingerprints))
        except UnusableData as error:
            if not error.usable:
                raise
            rest = f"run the rest with: {self.request.line_for(error.usable)}"
            if self.shard:
                rest = "a shard needs every data set of its experiment"
            raise DataError(f"{error}; {rest}") from error
        return expand(self.experiment, fingerprints, self.methods)

    def wants(self, name: str) -> bool:
        """Return whether the data of a data set are needed."""
        # Positions in the plan say which trials a shard has: it needs all of the plan.
        return bool(self.shard) or self.selection.takes("dataset", name)

    def _note(self, dataset: Dataset) -> None:
        """Keep what is to be known of a data set that was loaded and checked."""
        self.data_remarks[dataset.name] = list(dataset.remarks)
        self.listener.dataset_loaded(dataset)

    def selected(self, planned: list[Trial]) -> list[Trial]:
        """Return the trials of the shard that ``--only`` selects."""
        mine = planned if self.shard is None else self.shard.part(planned)
        return [trial for trial in mine if trial in self.selection]

    def dry_run(self) -> Work:
        """Return what a run would do; nothing is written."""
        planned = self.plan(may_fetch=False)
        is_new = not (self.folder / STORE_FILE).is_file()
        with (
            tempfile.TemporaryDirectory(prefix="boostbench-") if is_new else nullcontext() as empty,
            Store.open(Path(empty or self.folder), create=is_new, read_only=not is_new) as store,
        ):
            return self._work(store, planned, dry=True)

    def _work(self, store: Store, planned: list[Trial], *, dry: bool = False) -> Work:
        """Return what is to be done, noting why; what other results have is taken over."""
        self._check_owner(store, planned)
        selected, outcomes = self.selected(planned), store.outcomes(brief=True)
        again = store.to_run_again()
        missing = self._missing(selected, outcomes, again)
        reused = reusable(self.reuse, {trial.key for trial in missing}, self.folder)
        if reused and not dry:
            insert_all(store, reused)
            outcomes = store.outcomes(brief=True)
            for folder, contents in reused.items():
                count = counted(len(contents.outcomes), "trial")
                self.listener.note(f"{count} taken over from {folder}")
        taken = {key for contents in reused.values() for key in contents.outcomes}
        to_run = [trial for trial in missing if trial.key not in taken]
        note = self.listener.note
        new = [trial for trial in to_run if trial.key not in outcomes]
        note_changes(self.metrics, store, planned, new, note)
        if to_run:
            staying = {trial.key for trial in planned} - {trial.key for trial in to_run}
            now = self.environment, self.circumstances.get("git")
            compare_environment(store, staying, *now, note, strict=self.request.strict)
        return Work(selected, outcomes, again, to_run, reused)

    def _missing(
        self, trials: Sequence[Trial], done: Mapping[str, Outcome], again: set[str]
    ) -> list[Trial]:
        """Return those of ``trials`` that are not done, or are to be run again, each once.

        Those without data are left out, with a note.
        """
        finished = {
            key
            for key, outcome in done.items()
            if not self.request.retry_failed or outcome.status in {"ok", "skipped"}
        } - again
        if self.request.again:
            finished = set()
        chosen = {trial.key: trial for trial in trials if trial.key not in finished}
        left = {trial.dataset for trial in chosen.values()}
        planned = {trial.dataset for trial in trials}
        # All trials of the others are done.
        self.without_data = {
            name: reason
            for name, reason in self.without_data.items()
            if name in left or name not in planned
        }
        for sentence in dict.fromkeys(self.without_data.values()):
            self.listener.note(f"skipped: {sentence}", "warning")
        return [trial for trial in chosen.values() if trial.dataset not in self.without_data]

    def _check_owner(self, store: Store, planned: Sequence[Trial] | None = None) -> None:
        """Raise ConfigError where the results in ``store`` are another experiment file's."""
        if other := other_owner(store, self.request.config, planned):
            key = "results" if self.experiment.results else "name"
            raise ConfigError(f"{self.experiment.where(key)}: {other}")

    # -- running it ----------------------------------------------------------------------------

    def run(self) -> Finished:
        """Run what is missing, write the report, and return what came of it.

        An interrupt lets the running trials end. Raises a
        :class:`~boostbench.errors.BoostbenchError` with one sentence for bad input; what had been
        recorded is kept.
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
                # Kept, so that an interrupted run resumes with what it has not run again yet.
                store.run_again(trial.key for trial in work.to_run if trial.key in work.outcomes)
            self.line_to_resume = self.request.line_to_resume()
            summary = self._run_trials(store, work) if work.to_run else None
            return self._finished(work, summary)

    def _set_plan(self, store: Store, planned: Sequence[Trial], to_run: Sequence[Trial]) -> None:
        before = store.experiment()
        sources = sources_of(self.methods, self.metrics, before.get("sources") or {}, to_run)
        kept = before.get("without_data") or {}
        names = [n for n in self.experiment.n_parts if n in kept and not self.wants(n)]
        lacking = {**{name: kept[name] for name in names}, **self.without_data}
        about = before, planned, self.data_remarks, lacking, sources
        store.set_plan(make_record(self.experiment, self.request, *about), planned)

    def _finished(self, work: Work, summary: Summary | None) -> Finished:
        """Write the report and return what came of the run."""
        ran, to_run = summary.done if summary else 0, len(work.to_run)
        # A reader decodes what is recorded once, a writer each time.
        with Store.open(self.folder, create=False, read_only=True) as recorded:
            again = recorded.to_run_again()
            done = {k: o.status for k, o in recorded.outcomes().items() if k not in again}
            planned = {trial.dataset for trial in recorded.part()}
            lacking = unplanned(recorded.experiment(), planned)
            try:
                report = write_report(recorded, self.folder, self.listener)
            except KeyboardInterrupt:
                if summary is not None and ran < to_run:
                    raise
                report = None
        return Finished(
            Counter(done.get(trial.key, "pending") for trial in work.selected),
            ran,
            to_run - ran,
            summary is not None and summary.interrupted,
            lacking,
            self.without_data,
            report,
        )

    def _run_trials(self, store: Store, work: Work) -> Summary:
        cluster, limits, to_run = self.cluster, self.experiment.limits, work.to_run
        jobs = 1 if self.request.in_process else min(self.jobs, len(to_run))
        where = counted(jobs, "worker") if cluster is None else f"the cluster {cluster.target}"
        self.listener.note(
            f"{self.experiment.name}: {len(to_run):,} of {counted(len(work.selected), 'trial')} to "
            f"run on {where}; results in {self.folder}"
        )
        store.begin_run(
            environment.environment_id(self.environment),
            self.environment,
            command=self.request.words,
            shard=str(self.shard or ""),
            cluster="" if cluster is None else cluster.target,
            details=self.circumstances,
        )
        board = Board(work.selected, work.outcomes, to_run, self.costs(to_run), jobs)
        common: dict[str, Any] = {
            "arrays_dir": self.arrays_dir,
            "limits": Limits(time_s=limits.time, memory_bytes=limits.memory_bytes),
            "listener": partial(self._event, board),
            "environment": self.environment,
        }
        with self.listener.trials(board):
            if cluster is not None:
                # distributed is an extra, and takes as long to import as all else.
                from boostbench.engine.dask.dispatch import run_on_cluster

                return run_on_cluster(to_run, store, cluster=cluster, **common)
            if self.request.in_process:
                return run_in_process(to_run, store, **common)
            return run_trials(to_run, store, jobs=jobs, **common)

    def _event(self, board: Board, event: Event) -> None:
        """Count an event of the engine, and pass it on to the listener."""
        trial = event.trial
        if event.kind == "start" and trial is not None:
            board.start(trial, event.worker)
            self.listener.started(trial, event.worker)
        elif event.kind == "end" and trial is not None and event.outcome is not None:
            board.end(trial, event.outcome, event.worker)
            self.listener.ended(trial, event.outcome)
        elif event.kind == "stop" and event.detail:
            later = f"; resume later with: {self.line_to_resume}" if board.not_begun else ""
            self.listener.note(f"{event.detail}{later}", "important")
        elif event.kind == "worker":
            board.jobs = event.threads or board.jobs
            if event.compiling != board.compiling:
                board.compiling = event.compiling
                self.listener.compiling(event.compiling)
            if event.detail:
                self.listener.note(event.detail, "warning")

    # -- what it runs in -----------------------------------------------------------------------

    @cached_property
    def environment(self) -> dict[str, Any]:
        """What results depend on here."""
        return environment.snapshot(method.estimator for method in self.methods)

    @cached_property
    def circumstances(self) -> dict[str, Any]:
        """What else is worth knowing of this run."""
        return environment.circumstances(find_config(self.request.config))

    @cached_property
    def metrics(self) -> dict[str, str]:
        """The functions of the metrics that each trial is asked for, by name."""
        asked = self.experiment.asked_metrics
        return {name: metric.function for name, metric in asked.items() if metric.function}

    def costs(self, to_run: Sequence[Trial]) -> Costs:
        """Return what is known of the cost of trials like ``to_run``."""
        return Costs.of_folder(
            self.folder,
            to_run,
            time_limit=self.experiment.limits.time,
            skipped=self.unavailable,
            processors=None if self.cluster else processors(),
        )

    def data_to_get(self, finished: Finished) -> str:
        """Return which data sets were skipped, and what to do about it."""
        names = list(finished.without_data)
        return (
            f"{counted(len(names), 'data set')} skipped, as the data are unavailable: "
            f"{', '.join(names)}; get the data as said above, then run: "
            f"{self.request.line_to_resume()}"
        )

    def results_in_words(self) -> str:
        """Return what other commands find the results by: the config, or the folder itself."""
        said = {text.partition("=")[0].strip() for text in self.request.overrides or ()}
        elsewhere = self.shard is not None or not said.isdisjoint(PLACE_KEYS)
        return shlex.quote(str(self.folder if elsewhere else self.request.config))
