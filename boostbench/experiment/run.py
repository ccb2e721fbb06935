"""One experiment, from its file to its results: checked, then fetched, then run, then reported.

:meth:`ExperimentRun.run` is what ``boostbench run`` and :func:`boostbench.run` both call.
"""

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from boostbench.config.loading import find_config, place_of_config
from boostbench.config.model import Experiment
from boostbench.data.access import default_access
from boostbench.data.arrays import save_test_rows
from boostbench.data.dataset import Dataset
from boostbench.engine import environment
from boostbench.engine.dask.options import ClusterSpec
from boostbench.engine.in_process import run_in_process
from boostbench.engine.local import run_trials
from boostbench.engine.os_processes import processors
from boostbench.engine.types import Limits, Summary
from boostbench.errors import ConfigError, DataError, StoreError
from boostbench.experiment.changes import changes, other_commit
from boostbench.experiment.command import Command
from boostbench.experiment.datasets import UnusableData, fingerprints_in_plan, gather
from boostbench.experiment.estimate import Costs
from boostbench.experiment.events import Events
from boostbench.experiment.folders import PLACE_KEYS, opened_store, other_owner
from boostbench.experiment.listener import Listener
from boostbench.experiment.reuse import take_over
from boostbench.papers import paper_of, published_as
from boostbench.plan.absent import unplanned
from boostbench.plan.check import check_experiment, notes_on, unavailable_methods, unused_settings
from boostbench.plan.difference import why_again
from boostbench.plan.expand import expand
from boostbench.plan.selection import Selection
from boostbench.plan.shard import Shard
from boostbench.plan.trial import Trial
from boostbench.report.build import ReportResult, build_report, file_names
from boostbench.store.export import export_results
from boostbench.store.store import Store
from boostbench.store.types import Outcome
from boostbench.suggest import counted, listing
from boostbench.user_code import changed_files, file_digest, own_sources


@dataclass(frozen=True)
class Options:
    """How to run the experiment."""

    jobs: int | None = None
    """How many trials at a time; None for as many as there are processors."""
    retry_failed: bool = False
    again: bool = False
    shard: Shard | None = None
    strict: bool = False
    in_process: bool = False
    cluster: ClusterSpec | None = None
    reuse: Sequence[Path] = ()


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


class ExperimentRun:
    """One run of an experiment, step by step; see :class:`Options` and :class:`Listener`."""

    def __init__(
        self,
        experiment: Experiment,
        selection: Selection,
        command: Command,
        options: Options,
        listener: Listener,
    ) -> None:
        self.listener = listener
        self.experiment = experiment
        self.selection = selection
        self.command = command
        self.options = options
        shard = options.shard
        self.folder = experiment.results_dir / shard.folder if shard else experiment.results_dir
        self.methods = check_experiment(experiment)
        self.access = default_access(command.mirror, command.offline, listener.note)
        self.arrays_dir = self.access.cache_dir / "arrays"
        self.data_remarks: dict[str, list[str]] = {}
        """How the data sets loaded so far were read, by name; see ``Dataset.remarks``."""
        self.without_data: dict[str, str] = {}
        """The reasons why data sets are unavailable whose trials cannot run now, by name."""
        self.unavailable = unavailable_methods(self.methods)
        self.line_to_resume = str(command)
        """The command that resumes this run if it is interrupted now."""
        for sentence in unused_settings(experiment):
            listener.note(sentence, "warning")
        for label, reason in self.unavailable.items():
            listener.note(f"{label} will be skipped: {reason}", "warning")

    @cached_property
    def jobs(self) -> int:
        """How many trials to run at a time."""
        return self.options.jobs or processors()

    # -- what to run ---------------------------------------------------------------------------

    def plan(self, *, may_fetch: bool, store: Store | None = None) -> list[Trial]:
        """Return the planned trials; without ``may_fetch`` nothing is fetched or saved."""
        planned, self.without_data = {}, {}
        if store is not None:
            planned = fingerprints_in_plan(
                self.experiment, store.experiment(), store.planned_fingerprints()
            )
        for name in filter(self._wanted, self.experiment.n_parts) if may_fetch else ():
            if rows := self.experiment.test_rows(name):
                save_test_rows(rows, self.arrays_dir)
        try:
            with self.listener.downloads() as watch:
                fingerprints = gather(
                    self.experiment,
                    self.methods,
                    replace(self.access, watch=watch),
                    self.arrays_dir,
                    wanted=self._wanted,
                    planned=planned,
                    may_fetch=may_fetch,
                    seen=self._note,
                    unavailable=self.without_data,
                )
                if self.options.shard and not self.without_data.keys() <= fingerprints.keys():
                    raise UnusableData([*self.without_data.values()], list(fingerprints))
        except UnusableData as error:
            if not error.usable:
                raise
            rest = f"run the rest with: {self.command.line_for(error.usable)}"
            if self.options.shard:
                rest = "a shard needs every data set of its experiment"
            raise DataError(f"{error}; {rest}") from error
        return expand(self.experiment, fingerprints, self.methods)

    def _wanted(self, name: str) -> bool:
        # Positions in the plan say which trials a shard has: it needs all of the plan.
        return bool(self.options.shard) or self.selection.takes("dataset", name)

    def _note(self, dataset: Dataset) -> None:
        """Keep what is to be known of a data set that was loaded and checked."""
        self.data_remarks[dataset.name] = list(dataset.remarks)
        self.listener.dataset_loaded(dataset)
        for sentence in notes_on(self.experiment, dataset):
            self.listener.note(sentence, "warning")

    def selected(self, planned: list[Trial]) -> list[Trial]:
        """Return the trials of the shard that ``--only`` selects."""
        shard = self.options.shard
        mine = planned if shard is None else shard.part(planned)
        if not self.selection.patterns:
            return mine
        return [trial for trial in mine if trial in self.selection]

    def to_run(self, trials: Sequence[Trial], done: dict[str, Any], again: set[str]) -> list[Trial]:
        """Return those of ``trials`` that are not done, or are to be run again, each once.

        Those without data are left out, with a note.
        """
        finished = (
            set()
            if self.options.again
            else {
                key
                for key, outcome in done.items()
                if not self.options.retry_failed or outcome.status in {"ok", "skipped"}
            }
            - again
        )
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

    # -- running it ------------------------------------------------------------------------------

    def run(self) -> Finished:
        """Run what is missing, write the report, and return what came of it.

        An interrupt lets the running trials end. Raises a
        :class:`~boostbench.errors.BoostbenchError` with one sentence for bad input; what had been
        recorded is kept.
        """
        options = self.options
        if options.cluster is not None:
            options.cluster.check_reachable()
        # Opened before anything is fetched: a folder that cannot be written to is reported at once.
        with opened_store(self.folder, self.experiment.name) as store:
            if store.note:
                self.listener.note(store.note, "warning")
            self.check_owner(store)
            planned = self.plan(may_fetch=True, store=store)
            self.check_owner(store, planned)
            selected = self.selected(planned)
            outcomes = store.outcomes(brief=True)
            to_run = self.to_run(selected, outcomes, store.to_run_again())
            if self.options.reuse:
                to_run = self._reused(store, to_run)
                outcomes = store.outcomes(brief=True)
            self.note_changes(store, planned, [t for t in to_run if t.key not in outcomes])
            if to_run:
                self.compare_environment(store, planned, to_run)
            store.set_plan(self._record(store.experiment(), planned, to_run), planned)
            if options.again:
                # Kept, so that an interrupted run resumes with what it has not run again yet.
                store.run_again(trial.key for trial in to_run if trial.key in outcomes)
            self.line_to_resume = self.command.line_to_resume()
            summary = self._run_trials(store, selected, outcomes, to_run) if to_run else None
            return self._finished(selected, len(to_run), summary)

    def _reused(self, store: Store, to_run: Sequence[Trial]) -> list[Trial]:
        """Take over what other results folders have, and return what is then left to run."""
        wanted = {trial.key for trial in to_run}
        taken, sentences = take_over(store, self.options.reuse, wanted, self.folder)
        for sentence in sentences:
            self.listener.note(sentence)
        return [trial for trial in to_run if trial.key not in taken]

    def _finished(
        self, selected: Sequence[Trial], to_run: int, summary: Summary | None
    ) -> Finished:
        """Write the report and return what came of the run of so many trials."""
        ran = summary.done if summary else 0
        # A reader decodes what is recorded once, a writer each time.
        with Store.open(self.folder, create=False, read_only=True) as recorded:
            again = recorded.to_run_again()
            done = {k: o for k, o in recorded.outcomes().items() if k not in again}
            planned = {trial.dataset for trial in recorded.part()}
            lacking = unplanned(recorded.experiment(), planned)
            try:
                report = self._report(recorded)
            except KeyboardInterrupt:
                if summary is not None and ran < to_run:
                    raise
                report = None
        return Finished(
            _statuses(selected, done),
            ran,
            to_run - ran,
            summary is not None and summary.interrupted,
            lacking,
            self.without_data,
            report,
        )

    def _run_trials(
        self,
        store: Store,
        selected: Sequence[Trial],
        outcomes: Mapping[str, Outcome],
        to_run: Sequence[Trial],
    ) -> Summary:
        cluster, limits = self.options.cluster, self.experiment.limits
        jobs = 1 if self.options.in_process else min(self.jobs, len(to_run))
        where = counted(jobs, "worker") if cluster is None else f"the cluster {cluster.target}"
        self.listener.note(
            f"{self.experiment.name}: {len(to_run):,} of {counted(len(selected), 'trial')} to run "
            f"on {where}; results in {self.folder}"
        )
        store.begin_run(
            environment.environment_id(self.environment),
            self.environment,
            command=self.command.words,
            shard=str(self.options.shard or ""),
            cluster="" if cluster is None else cluster.target,
            details=self.circumstances,
        )
        events = Events(
            self.listener, selected, outcomes, to_run, jobs,
            self.costs(to_run), self.estimate_options, self.command.line_to_resume(),
        )  # fmt: skip
        common: dict[str, Any] = {
            "arrays_dir": self.arrays_dir,
            "limits": Limits(time_s=limits.time, memory_bytes=limits.memory_bytes),
            "listener": events,
            "environment": self.environment,
        }
        with self.listener.trials(events.board):
            if cluster is not None:
                # distributed is an extra, and takes as long to import as all else.
                from boostbench.engine.dask.dispatch import run_on_cluster

                return run_on_cluster(to_run, store, cluster=cluster, **common)
            if self.options.in_process:
                return run_in_process(to_run, store, **common)
            return run_trials(to_run, store, jobs=jobs, **common)

    def _report(self, store: Store) -> ReportResult:
        export_results(store, self.folder, also=file_names(self.experiment.name))
        with self.listener.working("writing the tables and figures"):
            return build_report(store, self.folder)

    # -- what it runs in ---------------------------------------------------------------------------

    @cached_property
    def environment(self) -> dict[str, Any]:
        """What results depend on here."""
        return environment.snapshot(method.estimator for method in self.methods)

    @cached_property
    def circumstances(self) -> dict[str, Any]:
        """What else is worth knowing of this run."""
        return environment.circumstances(find_config(self.command.config))

    def compare_environment(
        self, store: Store, planned: Sequence[Trial], to_run: Sequence[Trial]
    ) -> None:
        """Note what has changed since the trials that stay were run; StoreError if strict."""
        staying = {trial.key for trial in planned} - {trial.key for trial in to_run}
        change = changes(store, staying, self.environment)
        if change and self.options.strict:
            raise StoreError(
                f"--strict: the environment has changed {change}; nothing was run: go back to that "
                "environment, run everything again with --again, or leave --strict out"
            )
        if change:
            self.listener.note(
                f"the environment has changed {change}; results may differ in their last digits, "
                "--strict refuses that",
                "warning",
            )
        commit = other_commit(store, self.circumstances.get("git"))
        if commit:
            self.listener.note(commit)

    def check_owner(self, store: Store, planned: Sequence[Trial] | None = None) -> None:
        """Raise ConfigError where the results in ``store`` are another experiment file's."""
        if other := other_owner(store, self.command.config, planned):
            key = "results" if self.experiment.results else "name"
            raise ConfigError(f"{self.experiment.where(key)}: {other}")

    def note_changes(self, store: Store, planned: Sequence[Trial], to_run: Sequence[Trial]) -> None:
        """Note which trials run again since the code behind them or something else has changed."""
        self._note_metrics(store, planned, {trial.key for trial in to_run})
        old = store.outside_plan({trial.key for trial in planned})
        for sentence in why_again(old, to_run, store.experiment().get("sources") or {}):
            self.listener.note(sentence, "warning")

    def _note_metrics(self, store: Store, planned: Sequence[Trial], to_run: Set[str]) -> None:
        """Note which metrics are missing for recorded trials, or have other sources since."""
        if not self.metrics:
            return
        outcomes = store.outcomes()
        done = (outcomes[t.key] for t in planned if t.key in outcomes and t.key not in to_run)
        found = [outcome.metrics for outcome in done if outcome.status == "ok"]
        before = store.experiment().get("sources") or {}
        for name in self.metrics:
            lacking = sum(name not in metrics for metrics in found)
            changed = changed_files(before.get(name, {})) if lacking < len(found) else []
            if lacking:
                what = f"{counted(lacking, 'recorded trial')} ran before it was asked for"
            elif changed:
                what = f"{listing(changed, 5)} changed since recorded trials ran"
            else:
                continue
            self.listener.note(
                f"metric {name}: {what}; --again measures it for all (no other result depends on "
                "it)",
                "warning",
            )

    @cached_property
    def metrics(self) -> dict[str, str]:
        """The functions of the metrics that each trial is asked for, by name."""
        asked = self.experiment.asked_metrics
        return {name: metric.function for name, metric in asked.items() if metric.function}

    @cached_property
    def sources(self) -> dict[str, dict[str, str]]:
        """The digests of the user's own source files, by path, by method and metric."""
        own = {m.label: own_sources(m.estimator).record() for m in self.methods if m.code}
        named = {name: own_sources(path) for name, path in self.metrics.items() if ":" in path}
        return own | {name: found.record() for name, found in named.items() if found.files}

    def _record(
        self, before: dict[str, Any], planned: Sequence[Trial], to_run: Sequence[Trial]
    ) -> dict[str, Any]:
        # Data that are not loaded now keep the remarks of the run that loaded them.
        remarks = {**before.get("data_remarks", {}), **self.data_remarks}
        names = [entry.name for entry in self.experiment.datasets]
        # What methods ran with that do not run now is what their outcomes came from.
        running = {trial.method for trial in to_run} | (set(self.metrics) if to_run else set())
        kept = {m: s for m, s in (before.get("sources") or {}).items() if m not in running}
        sources = {m: kept.get(m, s) for m, s in self.sources.items()}
        others = before.get("without_data") or {}
        without_data = {
            **{n: others[n] for n in names if n in others and not self._wanted(n)},
            **self.without_data,
        }
        experiment = self.experiment.model_dump(mode="json")
        fingerprints = {trial.dataset: trial.fingerprint for trial in planned}
        paper = paper_of(experiment, self.experiment.folder)
        published = published_as(paper, experiment["datasets"], fingerprints)
        files = [e for e in self.experiment.datasets if e.file and e.name in self.data_remarks]
        digests = {
            entry.name: file_digest(Path(str(self.experiment.request(entry).file)).expanduser())
            for entry in files
        }
        digests = {**before.get("data_files", {}), **digests}
        return {
            **experiment,
            "file": place_of_config(self.command.config, self.experiment.results_dir),
            "data_files": {name: digests[name] for name in names if name in digests},
            "published_as": published,
            **self.command.record,
            **({"sources": sources} if sources else {}),
            "data_remarks": {name: remarks[name] for name in names if remarks.get(name)},
            **({"without_data": without_data} if without_data else {}),
        }

    def costs(self, to_run: Sequence[Trial]) -> Costs:
        """Return what is known of the cost of trials like ``to_run``."""
        return Costs.of_folder(self.folder, to_run)

    def estimate_options(self, jobs: int) -> dict[str, Any]:
        """Return what :meth:`Costs.estimate` needs to know of the run."""
        return {
            "jobs": jobs,
            "time_limit": self.experiment.limits.time,
            "skipped": self.unavailable,
            "processors": None if self.options.cluster else processors(),
        }

    def data_to_get(self, finished: Finished) -> str:
        """Return which data sets were skipped, and what to do about it, "" where none was."""
        names = list(finished.without_data)
        if not names:
            return ""
        return (
            f"{counted(len(names), 'data set')} skipped, as the data are unavailable: "
            f"{', '.join(names)}; get the data as said above, then run: "
            f"{self.command.line_to_resume()}"
        )

    def results_in_words(self) -> str:
        """Return what other commands find the results by: the config, or the folder itself."""
        said = {text.partition("=")[0].strip() for text in self.command.overrides}
        elsewhere = self.options.shard is not None or not said.isdisjoint(PLACE_KEYS)
        return shlex.quote(str(self.folder if elsewhere else self.command.config))


def _statuses(trials: Sequence[Trial], outcomes: Mapping[str, Outcome]) -> dict[str, int]:
    found = (outcomes.get(trial.key) for trial in trials)
    return dict(Counter("pending" if outcome is None else outcome.status for outcome in found))
