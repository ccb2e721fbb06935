"""One call of ``boostbench run``: everything checked, then fetched, then run, then reported."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boostbench.suggest import counted

if TYPE_CHECKING:
    from boostbench.cli.again import Command
    from boostbench.cli.console import Screen
    from boostbench.cli.forecast import Costs
    from boostbench.config.model import Experiment
    from boostbench.data.dataset import Dataset
    from boostbench.engine.dask.options import ClusterSpec
    from boostbench.engine.types import Event, Summary
    from boostbench.plan.shard import Shard
    from boostbench.plan.trial import Trial
    from boostbench.store.database import Store
    from boostbench.store.types import Outcome


@dataclass(frozen=True)
class How:
    """How to run: what the command line says beside the experiment and its data."""

    jobs: int
    retry_failed: bool = False
    again: bool = False
    shard: "Shard | None" = None
    strict: bool = False
    in_process: bool = False
    cluster: "ClusterSpec | None" = None


@contextmanager
def opened_store(folder: Path, name: str) -> "Iterator[Store]":
    """Open the store of a results folder; what is created here and gets no plan does not stay.

    ``name``: of the experiment. Raises StoreError where the folder is new to boostbench and holds
    files of the user's by the names of those that a run writes.
    """
    from boostbench.outputs import OutputFolder
    from boostbench.report.build import file_names
    from boostbench.store.database import Store
    from boostbench.store.export import TABLES

    outputs = OutputFolder(folder, "name another folder as `results` in the experiment")
    names = [*(f"{table}.csv" for table in TABLES), *file_names(name)]
    with Store.open(folder, create=True) as store:
        was_recorded, was_planned = outputs.is_recorded, store.has_plan()
        try:
            if was_recorded or not was_planned:
                outputs.check(names)
            if not was_recorded:
                # Results from before there was a record: these files are boostbench's.
                outputs.claim(names if was_planned else ())
            yield store
        except BaseException:
            if store.is_new and not store.has_plan():
                if not was_recorded:
                    outputs.forget()
                store.discard()
            raise


class Job:
    """One call of ``boostbench run``, step by step."""

    def __init__(
        self,
        *,
        screen: "Screen",
        experiment: "Experiment",
        selection: Any,
        command: "Command",
        how: How,
    ) -> None:
        from boostbench.data.access import default_access
        from boostbench.plan.check import (
            check_experiment,
            unavailable_methods,
            unused_settings,
        )

        self.screen = screen
        self.experiment = experiment
        self.selection = selection
        self.command = command
        self.how = how
        shard = how.shard
        self.folder = experiment.results_dir / shard.folder if shard else experiment.results_dir
        self.methods = check_experiment(experiment)
        self.access = default_access(command.mirror, command.offline, screen.note)
        self.arrays_dir = self.access.cache_dir / "arrays"
        self.shapes: dict[str, tuple[int, int]] = {}
        """The (rows, features) of the data sets loaded so far, by fingerprint."""
        self.data_remarks: dict[str, list[str]] = {}
        """How the data sets loaded so far were read, by name; see ``Dataset.remarks``."""
        self.unavailable = unavailable_methods(self.methods)
        for sentence in unused_settings(experiment):
            screen.note(sentence, "yellow")
        for label, reason in self.unavailable.items():
            screen.note(f"{label} will be skipped: {reason}", "yellow")

    # -- what to run ---------------------------------------------------------------------------

    def trials(self, *, may_fetch: bool, store: "Store | None" = None) -> "list[Trial]":
        """Return the plan; without ``may_fetch`` nothing is fetched or saved."""
        from boostbench.errors import DataError
        from boostbench.plan.expand import expand
        from boostbench.plan.inputs import UnusableData, fingerprints_in_plan, gather

        planned = {}
        if store is not None:
            planned = fingerprints_in_plan(
                self.experiment, store.experiment(), store.planned_fingerprints()
            )
        try:
            with self.screen.downloads() as watch:
                fingerprints = gather(
                    self.experiment,
                    self.methods,
                    replace(self.access, watch=watch),
                    self.arrays_dir,
                    # Positions in the plan say which trials a shard has: it needs all of the plan.
                    wanted=lambda name: (
                        bool(self.how.shard) or self.selection.takes("dataset", name)
                    ),
                    planned=planned,
                    may_fetch=may_fetch,
                    seen=self._note,
                )
        except UnusableData as error:
            if not error.usable:
                raise
            rest = f"run the rest with: {self.command.line_for(error.usable)}"
            if self.how.shard:
                rest = "a shard needs every data set of its experiment"
            raise DataError(f"{error}; {rest}") from error
        return expand(self.experiment, fingerprints, self.methods)

    def _note(self, dataset: "Dataset") -> None:
        """Take notice of a data set that was loaded and checked."""
        from boostbench.plan.check import notes_on

        self.shapes[dataset.fingerprint] = dataset.X.shape
        self.data_remarks[dataset.name] = list(dataset.remarks)
        self.screen.note_data(dataset)
        for sentence in notes_on(self.experiment, dataset):
            self.screen.note(sentence, "yellow")

    def selected(self, planned: "list[Trial]") -> "list[Trial]":
        """Return the trials that are meant: of the shard, and as ``--only`` says."""
        shard = self.how.shard
        mine = planned if shard is None else shard.part(planned)
        if not self.selection.patterns:
            return mine
        return [trial for trial in mine if trial in self.selection]

    def to_run(
        self, trials: "Sequence[Trial]", done: dict[str, Any], again: set[str]
    ) -> "list[Trial]":
        """Return those of ``trials`` that are not done, or are to be run again, each once."""
        finished = (
            set()
            if self.how.again
            else {
                key
                for key, outcome in done.items()
                if not self.how.retry_failed or outcome.status in {"ok", "skipped"}
            }
            - again
        )
        chosen = {trial.key: trial for trial in trials if trial.key not in finished}
        return list(chosen.values())

    # -- the two ways to end -------------------------------------------------------------------

    def dry_run(self) -> int:
        """Say how many trials there are, how many are done, and what the rest may cost."""
        from boostbench.cli.dryrun import dry_run

        return dry_run(self)

    def run(self) -> int:
        """Run what is missing and report; return the exit code."""
        folder = self.folder
        if self.how.cluster is not None:
            self.how.cluster.check_reachable()
        # Opened before anything is fetched: a folder that cannot be written to is told at once.
        with opened_store(folder, self.experiment.name) as store:
            if store.note:
                self.screen.note(store.note, "yellow")
            planned = self.trials(may_fetch=True, store=store)
            selected = self.selected(planned)
            outcomes = store.outcomes(brief=True)
            to_run = self.to_run(selected, outcomes, store.to_run_again())
            self.report_changed_code(store, selected, outcomes)
            if to_run:
                self.compare(store, planned, to_run)
            store.set_plan(self._record_of_experiment(store.experiment()), planned)
            if self.how.again:
                # Kept, so that an interrupted run resumes with what it has not run again yet.
                store.run_again(trial.key for trial in to_run if trial.key in outcomes)
            summary = self._run_trials(store, selected, outcomes, to_run) if to_run else None
            outcomes = store.outcomes(brief=True)
            try:
                self._report(store, folder)
            except KeyboardInterrupt:
                if summary is not None and summary.done < len(to_run):
                    raise
                self.screen.note(
                    "interrupted; all trials are done, write the report with: "
                    f"boostbench report {shlex.quote(str(folder))}",
                    "bold",
                )
                return 130
        left = len(to_run) - (summary.done if summary else 0)
        return self._close(selected, outcomes, summary, left)

    @cached_property
    def environment(self) -> dict[str, Any]:
        """What results depend on here."""
        from boostbench.engine.environment import snapshot

        return snapshot(method.estimator for method in self.methods)

    @cached_property
    def circumstances(self) -> dict[str, Any]:
        """What else is worth knowing of this run."""
        from boostbench.config.loading import find_config
        from boostbench.engine.environment import circumstances

        return circumstances(find_config(self.command.config))

    def compare(
        self, store: "Store", planned: "Sequence[Trial]", to_run: "Sequence[Trial]"
    ) -> None:
        """Say what is not as it was when the trials that stay were run; StoreError if strict."""
        from boostbench.cli.surroundings import changes, other_commit
        from boostbench.errors import StoreError

        staying = {trial.key for trial in planned} - {trial.key for trial in to_run}
        told = changes(store, staying, self.environment)
        if told and self.how.strict:
            raise StoreError(
                f"--strict: the environment has changed {told}; nothing was run: go back to that "
                "environment, run everything anew with --again, or leave --strict out"
            )
        if told:
            self.screen.note(
                f"the environment has changed {told}; results may differ in their last digits, "
                "--strict refuses that",
                "yellow",
            )
        commit = other_commit(store, self.circumstances.get("git"))
        if commit:
            self.screen.note(commit)

    def report_changed_code(
        self, store: "Store", selected: "Sequence[Trial]", outcomes: "Mapping[str, Any]"
    ) -> None:
        """Say which trials run again because the user changed the code behind them."""
        from boostbench.plan.code_changes import recorded_with_other_code, sentences

        if not self.sources:
            return
        counts = recorded_with_other_code(store.plan(), outcomes, selected)
        before = store.experiment().get("sources") or {}
        for sentence in sentences(counts, before, self.sources):
            self.screen.note(sentence, "yellow")

    @cached_property
    def sources(self) -> dict[str, dict[str, str]]:
        """The digests of the user's own source files, by path, for each method that has any."""
        from boostbench.user_code import own_sources

        return {m.label: own_sources(m.estimator).record() for m in self.methods if m.code}

    def _record_of_experiment(self, before: dict[str, Any]) -> dict[str, Any]:
        # Data that are not loaded now keep the remarks of the run that loaded them.
        remarks = {**before.get("data_remarks", {}), **self.data_remarks}
        names = [entry.name for entry in self.experiment.datasets]
        return {
            **self.experiment.model_dump(mode="json"),
            **self.command.record,
            **({"sources": self.sources} if self.sources else {}),
            "data_remarks": {name: remarks[name] for name in names if remarks.get(name)},
        }

    def costs(self, to_run: "Sequence[Trial]") -> "Costs":
        """Return what is known of the cost of trials like ``to_run``."""
        from boostbench.cli.forecast import Costs, Shapes, neighbours
        from boostbench.engine.environment import processor

        shapes = Shapes.of_experiment(self.experiment, self.shapes, self.arrays_dir)
        estimators = {trial.estimator for trial in to_run}
        return Costs(shapes).learn(self.folder, neighbours(self.folder), estimators, processor())

    def forecast_options(self, jobs: int) -> dict[str, Any]:
        """Return what :meth:`~boostbench.cli.forecast.Costs.forecast` needs to know of the run."""
        from boostbench.engine.os_processes import processors

        return {
            "jobs": jobs,
            "time_limit": self.experiment.limits.time,
            "skipped": self.unavailable,
            "processors": None if self.how.cluster else processors(),
        }

    def _run_trials(
        self, store: "Store", selected: "Sequence[Trial]", outcomes: Any, to_run: "Sequence[Trial]"
    ) -> "Summary":
        from boostbench.cli.progress import Board
        from boostbench.engine.environment import environment_id
        from boostbench.engine.types import Limits
        from boostbench.plan.cost import START_S

        limits = self.experiment.limits
        cluster = self.how.cluster
        jobs = 1 if self.how.in_process else min(self.how.jobs, len(to_run))
        workers = [jobs]
        costs = self.costs(to_run)

        def seconds_of(cells: "Sequence[tuple[Trial, int]]") -> float | None:
            found = costs.forecast(cells, **self.forecast_options(workers[0])).seconds
            return None if found is None else found - START_S

        def learn(trial: "Trial", outcome: "Outcome") -> None:
            if outcome.status in ("ok", "timeout"):
                costs.add(trial, outcome.times)

        board = Board(selected, outcomes, to_run, seconds_of, learn)
        where = counted(jobs, "worker") if cluster is None else f"the cluster {cluster.target}"
        self.screen.note(
            f"{self.experiment.name}: {len(to_run):,} of {counted(len(selected), 'trial')} to run "
            f"on {where}; results in {self.folder}"
        )
        store.begin_run(
            environment_id(self.environment),
            self.environment,
            command=self.command.words,
            shard=str(self.how.shard or ""),
            cluster="" if cluster is None else cluster.target,
            details=self.circumstances,
        )
        begun: set[str] = set()
        with self.screen.progress(board, live=not self.how.in_process) as view:

            def listen(event: "Event") -> None:
                if event.kind == "start" and event.trial is not None:
                    begun.add(event.trial.key)
                    view.started(event.trial, event.worker)
                elif event.kind == "end" and event.trial is not None and event.outcome is not None:
                    view.ended(event.trial, event.outcome, event.worker)
                elif event.kind == "stop" and event.detail:
                    later = f"; resume later with: {self.command.line_to_resume()}"
                    later *= len(begun) < len(to_run)
                    view.told(f"{event.detail}{later}")
                elif event.kind == "worker":
                    workers[0] = event.threads or workers[0]
                    view.compiling(event.compiling)
                    if event.detail:
                        self.screen.note(event.detail, "yellow")

            common: dict[str, Any] = {
                "arrays_dir": self.arrays_dir,
                "limits": Limits(time_s=limits.time, memory_bytes=limits.memory_bytes),
                "listener": listen,
                "environment": self.environment,
            }
            if cluster is not None:
                from boostbench.engine.dask.dispatch import run_on_cluster

                return run_on_cluster(to_run, store, cluster=cluster, **common)
            if self.how.in_process:
                from boostbench.engine.in_process import run_in_process

                return run_in_process(to_run, store, **common)
            from boostbench.engine.local import run_trials

            return run_trials(to_run, store, jobs=jobs, **common)

    def _report(self, store: "Store", folder: Path) -> None:
        from boostbench.cli.report import show_report
        from boostbench.store.export import export_results
        from boostbench.store.reading import Reading

        reading = Reading(store)
        export_results(reading, folder)
        show_report(self.screen, reading, folder, ())

    def _close(
        self,
        selected: "Sequence[Trial]",
        outcomes: dict[str, Any],
        summary: "Summary | None",
        left: int,
    ) -> int:
        counts: dict[str, int] = {}
        for trial in selected:
            outcome = outcomes.get(trial.key)
            status = outcome.status if outcome is not None else "pending"
            counts[status] = counts.get(status, 0) + 1
        told = ", ".join(f"{n:,} {status}" for status, n in sorted(counts.items()))
        trials = f"trials of shard {self.how.shard}" if self.how.shard else "trials"
        told = f"{trials}: {told or 'none'}"
        self.screen.say(told if summary else f"nothing was missing; {told}")
        # An interrupt as the last trial ended has left nothing to go on with.
        if summary is not None and summary.interrupted and left:
            self.screen.note(
                f"interrupted; what is done is kept, resume with: {self.command.line_to_resume()}",
                "bold",
            )
            return 130
        failed = sum(
            n for status, n in counts.items() if status not in {"ok", "skipped", "pending"}
        )
        if failed:
            self.screen.note(
                f"{counted(failed, 'trial')} failed; see them with: boostbench status "
                f"{self._results_in_words()}; run them again with: "
                f"{self.command.line_for_failed()}",
                "yellow",
            )
        return 0 if set(counts) <= {"ok", "skipped"} else 1

    def _results_in_words(self) -> str:
        """Return what other commands find the results by: the config, or the folder itself."""
        from boostbench.cli.places import PLACE_KEYS

        said = {text.partition("=")[0].strip() for text in self.command.overrides}
        elsewhere = self.how.shard is not None or not said.isdisjoint(PLACE_KEYS)
        return shlex.quote(str(self.folder if elsewhere else self.command.config))
