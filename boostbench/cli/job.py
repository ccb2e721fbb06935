"""One call of ``boostbench run``: everything checked, then fetched, then run, then reported."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boostbench.cli.again import command_record, run_line
from boostbench.suggest import counted

if TYPE_CHECKING:
    from boostbench.cli.console import Screen
    from boostbench.config.model import Experiment
    from boostbench.engine.types import Event, Summary
    from boostbench.plan.trial import Trial
    from boostbench.store.database import Store


@dataclass(frozen=True)
class How:
    """How to run: what the command line says beside the experiment and its data."""

    jobs: int
    retry_failed: bool = False
    again: bool = False


@contextmanager
def opened_store(folder: Path) -> "Iterator[Store]":
    """Open the store; one that is made here and gets no plan is taken away when the run fails."""
    from boostbench.cli.places import STORE_FILE
    from boostbench.store.database import Store

    made = [path for path in (folder, *folder.parents) if not path.exists()]
    fresh = not (folder / STORE_FILE).exists()
    with Store.open(folder, create=True) as store:
        try:
            yield store
        except BaseException:
            if fresh and not store.plan():
                for path in folder.glob("store.*"):
                    path.unlink(missing_ok=True)
                for path in made:
                    with suppress(OSError):
                        path.rmdir()
            raise


class Command:
    """The command as given, to be told again."""

    def __init__(
        self, config: str, overrides: Sequence[str], mirror: Path | None, offline: bool
    ) -> None:
        self.config = config
        self.mirror = mirror
        self.offline = offline
        self.record = command_record(config, overrides, mirror, offline)

    def __str__(self) -> str:
        return run_line(self.record)


class Job:
    """One call of ``boostbench run``, step by step."""

    def __init__(
        self,
        *,
        screen: "Screen",
        experiment: "Experiment",
        selection: Any,
        command: Command,
        how: How,
    ) -> None:
        from boostbench.data.access import default_access
        from boostbench.plan.check import check_experiment, unavailable_methods

        self.screen = screen
        self.experiment = experiment
        self.selection = selection
        self.command = command
        self.how = how
        self.methods = check_experiment(experiment)
        self.access = default_access(command.mirror, command.offline, screen.note)
        self.arrays_dir = self.access.cache_dir / "arrays"
        for label, reason in unavailable_methods(self.methods).items():
            screen.note(f"{label} will be skipped: {reason}", "yellow")

    # -- what to run ---------------------------------------------------------------------------

    def _trials(self, *, may_fetch: bool, store: "Store | None" = None) -> "list[Trial]":
        from boostbench.plan.expand import expand
        from boostbench.plan.inputs import fingerprints_in_plan, gather

        planned = {}
        if store is not None:
            planned = fingerprints_in_plan(
                self.experiment, store.experiment(), store.planned_fingerprints()
            )
        fingerprints = gather(
            self.experiment,
            self.methods,
            self.access,
            self.arrays_dir,
            wanted=lambda name: self.selection.takes("dataset", name),
            planned=planned,
            may_fetch=may_fetch,
        )
        return expand(self.experiment, fingerprints, self.methods)

    def _to_run(self, trials: "Sequence[Trial]", done: dict[str, Any]) -> "list[Trial]":
        """Return the selected trials that are not done, each once."""
        finished = (
            set()
            if self.how.again
            else {
                key
                for key, outcome in done.items()
                if not self.how.retry_failed or outcome.status in {"ok", "skipped"}
            }
        )
        chosen = {trial.key: trial for trial in trials if trial.key not in finished}
        return list(chosen.values())

    # -- the two ways to end -------------------------------------------------------------------

    def dry_run(self) -> int:
        """Say how many trials there are, how many are done, and how long the rest may take."""
        from boostbench.cli.places import STORE_FILE
        from boostbench.cli.progress import Board, duration
        from boostbench.store.database import Store

        folder = self.experiment.results_dir
        planned = self._trials(may_fetch=False)
        selected = [trial for trial in planned if trial in self.selection]
        outcomes: dict[str, Any] = {}
        if (folder / STORE_FILE).is_file():
            with Store.open(folder, create=False, read_only=True) as store:
                outcomes = store.outcomes(brief=True)
        to_run = self._to_run(selected, outcomes)
        board = Board(selected, outcomes, to_run, self.how.jobs)
        done = sum(trial.key in outcomes for trial in selected)
        self.screen.say(
            f"{self.experiment.name}: {counted(len(selected), 'trial')} "
            f"({counted(len(board.datasets), 'data set')} x "
            f"{counted(len(board.methods), 'method')} x {self.experiment.parts_text} x "
            f"{counted(len(self.experiment.seed_list), 'seed')}"
            f"{', some left out' if self.selection.patterns else ''}), "
            f"{done:,} done, {len(to_run):,} to run on {counted(self.how.jobs, 'worker')}"
        )
        seconds = board.seconds_left()
        if seconds is None:
            self.screen.say("no recorded times yet to estimate from")
        elif to_run:
            self.screen.say(f"about {duration(seconds)} by the times recorded so far")
        return 0

    def run(self) -> int:
        """Run what is missing and report; return the exit code."""
        folder = self.experiment.results_dir
        # Opened before anything is fetched: a folder that cannot be written to is told at once.
        with opened_store(folder) as store:
            if store.note:
                self.screen.note(store.note, "yellow")
            planned = self._trials(may_fetch=True, store=store)
            selected = [trial for trial in planned if trial in self.selection]
            store.set_plan(self._record_of_experiment(), planned)
            outcomes = store.outcomes(brief=True)
            to_run = self._to_run(selected, outcomes)
            summary = self._run_trials(store, selected, outcomes, to_run) if to_run else None
            outcomes = store.outcomes(brief=True)
            self._report(store, folder)
        return self._close(selected, outcomes, summary)

    def _record_of_experiment(self) -> dict[str, Any]:
        return {**self.experiment.model_dump(mode="json"), **self.command.record}

    def _run_trials(
        self, store: "Store", selected: "Sequence[Trial]", outcomes: Any, to_run: "Sequence[Trial]"
    ) -> "Summary":
        from boostbench.cli.progress import Board
        from boostbench.config.loading import find_config
        from boostbench.engine.environment import snapshot
        from boostbench.engine.local import run_trials
        from boostbench.engine.types import Limits

        limits = self.experiment.limits
        jobs = min(self.how.jobs, len(to_run))
        board = Board(selected, outcomes, to_run, jobs)
        self.screen.note(
            f"{self.experiment.name}: {len(to_run):,} of {counted(len(selected), 'trial')} to run "
            f"on {counted(jobs, 'worker')}; results in {self.experiment.results_dir}"
        )
        with self.screen.progress(board) as view:

            def listen(event: "Event") -> None:
                if event.kind == "start" and event.trial is not None:
                    view.started(event.trial, event.worker)
                elif event.kind == "end" and event.trial is not None and event.outcome is not None:
                    view.ended(event.trial, event.outcome, event.worker)
                elif event.kind == "stop" and event.detail:
                    view.told(f"{event.detail}; go on later with: {self.command}")

            return run_trials(
                to_run,
                store,
                jobs=jobs,
                arrays_dir=self.arrays_dir,
                limits=Limits(time_s=limits.time, memory_bytes=limits.memory_bytes),
                listener=listen,
                environment=snapshot(find_config(self.command.config)),
            )

    def _report(self, store: "Store", folder: Path) -> None:
        from boostbench.cli.report import show_report
        from boostbench.store.export import export_results

        export_results(store, folder)
        show_report(self.screen, store, folder, ())

    def _close(
        self, selected: "Sequence[Trial]", outcomes: dict[str, Any], summary: "Summary | None"
    ) -> int:
        counts: dict[str, int] = {}
        for trial in selected:
            outcome = outcomes.get(trial.key)
            status = outcome.status if outcome is not None else "pending"
            counts[status] = counts.get(status, 0) + 1
        told = ", ".join(f"{n:,} {status}" for status, n in sorted(counts.items()))
        self.screen.say(f"trials: {told}" if summary else f"nothing was missing; trials: {told}")
        if summary is not None and summary.interrupted:
            self.screen.note(
                f"interrupted; what is done is kept, go on with: {self.command}", "bold"
            )
            return 130
        failed = sum(
            n for status, n in counts.items() if status not in {"ok", "skipped", "pending"}
        )
        if failed:
            self.screen.note(
                f"{counted(failed, 'trial')} failed; see them with: boostbench status "
                f"{self.command.config}; run them again with: {self.command} --retry-failed",
                "yellow",
            )
        return 0 if set(counts) <= {"ok", "skipped"} else 1
