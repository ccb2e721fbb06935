"""What is read of a store: its plan, the outcomes, and where and how they were recorded."""

import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from boostbench.plan.grid import Plan
from boostbench.plan.shard import Shard
from boostbench.plan.trial import Trial
from boostbench.store.database_rows import (
    STATE,
    each_planned,
    json_of,
    load,
    load_each,
    outcome_of,
    read_cells,
    read_outcomes,
    read_planned,
    read_results,
    read_runs,
    recorded_run,
    trial_at,
    trial_of,
)
from boostbench.store.files import STORE_FILE
from boostbench.store.lock import holder
from boostbench.store.part import (
    WHOLE,
    WITH_ANY_OUTCOMES,
    WITH_OUTCOMES,
    Part,
    keep_recorded,
    make_planned,
    part_of,
)
from boostbench.store.plan_rows import MADE_OF, check_plan, digest_of, is_made_of, is_plan
from boostbench.store.predictions import Predictions, keys_with_predictions, read_prediction
from boostbench.store.record import DEFAULTS, ExperimentRecord
from boostbench.store.schema import LIKE
from boostbench.store.sqlite import Database, read_meta
from boostbench.store.types import (
    Outcome,
    PlannedCell,
    PlannedResults,
    PlannedTrials,
    RecordedRun,
    Scalar,
)
from boostbench.values import Record


class StoreReader:
    """The plan, the outcomes and the environments of a store, as far as they are read.

    What ``is_read_once``, by a reader who sees the store at one moment, is kept.
    """

    def __init__(
        self,
        folder: Path,
        connection: sqlite3.Connection,
        only: Sequence[str],
        *,
        is_read_once: bool,
    ) -> None:
        self.folder = folder
        self.path = folder / STORE_FILE
        self.database = Database(self.path, connection)
        self.only = only
        self._is_read_once = is_read_once
        self._outcomes: dict[str, Outcome] | None = None
        self._forget_plan()

    def _forget_plan(self) -> None:
        make_planned(self.database)
        self._digest = ""
        self._plan_digest = ""
        self._datasets: dict[str, Trial] | None = None
        self._origins: list[tuple[str, str]] | None = None
        self._forget_part()

    def _forget_part(self) -> None:
        self._part: Part | None = None
        self._cells: list[PlannedCell] | None = None

    def digest(self) -> str:
        """Return the digest of the plan, the outcomes, and where and how they were recorded.

        StoreError where the plan or an outcome was changed.
        """
        if self._digest and self._is_read_once:
            return self._digest
        named = (f"meta WHERE name != '{MADE_OF}'", "environments", "runs")
        tables = (self.database.each(f"SELECT * FROM {table} ORDER BY 1") for table in named)
        # The digest of a row stands for what it guards.
        outcomes = (
            (row.digest, row.environment_id, row.recorded, row.run_id) if row.digest else row
            for row in read_outcomes(self.database)
        )
        self._digest = digest_of([self._check_plan()], *tables, outcomes)
        return self._digest

    def experiment(self) -> Record:
        """Return the experiment's JSON as given to :meth:`set_plan`, ``{}`` before."""
        record: Record = load(self.path, self._experiment_text())
        return record

    def record_of_run(self) -> ExperimentRecord:
        """Return the experiment's JSON with the defaults of the keys that it lacks."""
        return {**DEFAULTS, **load(self.path, self._experiment_text())}

    def _experiment_text(self) -> str:
        return read_meta(self.database, "experiment") or "{}"

    def plan(self) -> list[Trial]:
        """Return the planned trials in order; StoreError if the plan was changed."""
        self._check_plan()
        return [planned.trial for planned in read_planned(self.database, WHOLE)]

    def _check_plan(self) -> str:
        # Only the one writer changes the plan.
        self._plan_digest = self._plan_digest or check_plan(self.database)
        return self._plan_digest

    def datasets(self) -> dict[str, Trial]:
        """Return a trial of each planned data set, by its name; StoreError as in :meth:`plan`."""
        if self._datasets is None:
            self._check_plan()
            firsts = self.database.query(
                """SELECT dataset, min(first) FROM cells JOIN (SELECT cell, min(position) AS first
                FROM places GROUP BY cell) USING (cell) GROUP BY 1 ORDER BY 2"""
            )
            self._datasets = {name: trial_at(self.database, first) for name, first in firsts}
        return self._datasets

    def is_made_of(self, trials: Collection[Trial]) -> bool:
        """Return whether the plan is known to have been made as these trials are."""
        return isinstance(trials, Plan) and is_made_of(self.database, trials.digest)

    def is_planned(self, trials: Plan) -> bool:
        """Return whether these are the planned trials, with all that is recorded of each."""
        return self.is_made_of(trials) or is_plan(self.database, trials)

    def recorded_of(self, plan: Plan) -> set[str]:
        """Return the keys of the trials of a plan that have an outcome."""
        if self.is_made_of(plan):
            sql = "SELECT key FROM places JOIN outcomes USING (key)"
            return {key for (key,) in self.database.each(sql)}
        recorded = self.statuses()
        return {trial.key for trial in plan if trial.key in recorded} if recorded else set()

    def shard(self) -> Shard | None:
        """Return the shard of the plan that the store is for, None for the whole plan."""
        text = self.record_of_run()["shard"]
        return Shard.parse(text) if text else None

    @property
    def _chosen(self) -> Part:
        if self._part is None:
            self._check_plan()
            if self._is_read_once:
                keep_recorded(self.database)
            self._part = part_of(self.database, self.shard(), self.only)
        return self._part

    def cells(self) -> list[PlannedCell]:
        """Return the cells of the planned trials that the store is for, and what has run of them.

        StoreError if the plan was changed.
        """
        if self._cells is None or not self._is_read_once:
            self._cells = read_cells(self.database, self._chosen)
        return self._cells

    def part(self) -> list[Trial]:
        """Return the planned trials that the store is for, in order: its shard's, or all."""
        return [planned.trial for planned in read_planned(self.database, self._chosen)]

    def missing(self) -> list[Trial]:
        """Return the planned trials without an outcome, or to be run again, in order, each once."""
        ended = self.statuses().keys() - self.to_run_again()
        first: dict[str, Trial] = {}
        for planned in read_planned(self.database, WHOLE):
            if planned.key not in ended and planned.key not in first:
                first[planned.key] = planned.trial
        return list(first.values())

    def to_run_again(self) -> set[str]:
        """Return the keys given to :meth:`run_again` whose trials have not been recorded since."""
        return {key for (key,) in self.database.query("SELECT key FROM again")}

    def statuses(self, keys: Collection[str] | None = None) -> dict[str, str]:
        """Return the status of every stored outcome by the trial's key, planned now or not.

        Where ``keys`` are given, only those of these trials.
        """
        rows = self.database.each("SELECT key, status FROM outcomes")
        return {key: status for key, status in rows if keys is None or key in keys}

    def failures(self) -> list[Record]:
        """Return the failures of planned trials by method and reason, the most frequent first."""
        sql = f"""SELECT method, outcomes.status, reason, count(*), min(position)
            FROM {WITH_OUTCOMES} WHERE {self._chosen.condition} AND outcomes.status != 'ok'
            GROUP BY 1, 2, 3 ORDER BY 4 DESC, 5"""
        if not any(cell.recorded.keys() - {"ok"} for cell in self.cells()):
            return []
        names = ("method", "status", "reason", "trials")
        return [
            {**dict(zip(names, own, strict=True)), "such_as": trial_at(self.database, first).name}
            for *own, first in self.database.query(sql, self._chosen.values)
        ]

    def outcomes(self) -> dict[str, Outcome]:
        """Return every stored outcome by the trial's key, planned now or not."""
        # A reader sees the store at one moment, so that it reads the outcomes only once.
        if self._outcomes is None or not self._is_read_once:
            recorded = read_outcomes(self.database)
            self._outcomes = {row.key: outcome_of(self.path, row) for row in recorded}
        return dict(self._outcomes)

    def results(self) -> Iterator[PlannedResults]:
        """Yield many trials at once that have an outcome, with what a report reads of that.

        Those of a split that have none are counted as one that is pending. All trials are of those
        that the store is for, in the order of the plan.
        """
        self.digest()
        return read_results(self.database, self._chosen)

    def recorded(
        self, field: str, *, ended: bool, floats_as_text: bool = False
    ) -> Iterator[tuple[PlannedTrials, Sequence[str], Sequence[str], list[Record]]]:
        """Yield many trials at once with the status, the reason and one field of their outcomes.

        The trials are those that the store is for, in order, or of them only those that have
        ``ended``; one that has no outcome is pending. ``floats_as_text`` leaves floats as they were
        recorded, which reads back to the same bits.
        """
        self.digest()
        source = WITH_OUTCOMES if ended else WITH_ANY_OUTCOMES
        for planned, (status, reason, texts) in each_planned(
            self.database, self._chosen, STATE, json_of(field), source=source
        ):
            read = load_each(self.path, texts, floats_as_text=floats_as_text)
            yield planned, status, reason, read

    def split_seeds(self) -> list[int]:
        """Return the split seeds of the trials that the store is for."""
        sql = f"SELECT DISTINCT split_seed FROM planned WHERE {self._chosen.condition}"
        return [seed for (seed,) in self.database.each(sql, self._chosen.values)]

    def recorded_names(self, field: str) -> dict[str, int]:
        """Return the names in a field of the trials' outcomes, and the most values of each."""
        has_some = f"SELECT 1 FROM outcomes WHERE {field} IS NOT NULL LIMIT 1"
        if not self.database.query(has_some):
            return {}
        values = "iif(value.type = 'array', json_array_length(value.value), 1)"
        sql = f"""SELECT DISTINCT value.key, {values}
            FROM {WITH_OUTCOMES}, json_each({field}) AS value WHERE {self._chosen.condition}"""
        # The largest number of a name comes last.
        return dict(sorted(self.database.query(sql, self._chosen.values)))

    def metrics_of(self, key: str) -> Mapping[str, Scalar] | None:
        """Return the metrics of a trial that ended ok, None of any other."""
        sql = "SELECT metrics FROM outcomes WHERE key = ? AND status = 'ok'"
        rows = self.database.query(sql, (key,))
        return load(self.path, rows[0][0]) if rows else None

    @property
    def has_curves(self) -> bool:
        """Whether there is a learning curve."""
        return bool(self.database.query("SELECT 1 FROM outcomes WHERE curve != '{}' LIMIT 1"))

    def curves(self) -> dict[int, Mapping[str, list[float]]]:
        """Return the learning curves of the planned trials that ended ok, by their positions."""
        has_some = "curve IS NOT NULL OR time_curve IS NOT NULL"
        if not self.database.query(f"SELECT 1 FROM outcomes WHERE {has_some} LIMIT 1"):
            return {}
        rows = self.database.each(
            f"""SELECT position, {json_of("curve")}, {json_of("time_curve")} FROM {WITH_OUTCOMES}
            WHERE {self._chosen.condition} AND planned.status = 'ok' AND ({has_some})""",
            self._chosen.values,
        )
        return {
            position: {**load(self.path, curve), **load(self.path, seconds)}
            for position, curve, seconds in rows
        }

    def with_predictions(self) -> set[str]:
        """Return the keys of the trials whose predictions are kept."""
        return keys_with_predictions(self.database)

    def predictions(self, key: str) -> Predictions | None:
        """Return the predictions of a trial, None where none are kept."""
        return read_prediction(self.database, key)

    def outside_plan(self, planned: Collection[str]) -> list[Trial]:
        """Return the trials with an outcome whose key is not among ``planned``, oldest first."""
        keys = self.database.each("SELECT key FROM outcomes")
        if all(key in planned for (key,) in keys):
            return []
        rows = self.database.each("SELECT key, trial FROM outcomes ORDER BY recorded, rowid")
        return [trial_of(self.path, text, key) for key, text in rows if key not in planned]

    def timed(self) -> Iterator[tuple[Trial, list[dict[str, float]]]]:
        """Yield the times of trials that ended ok, with a trial like each of them."""
        alike: dict[str, list[str]] = {}
        sql = f"SELECT {LIKE}, times FROM outcomes WHERE status = 'ok'"
        for like, times in self.database.each(sql):
            alike.setdefault(like, []).append(times)
        for like, each in alike.items():
            yield trial_of(self.path, like), [load(self.path, times) for times in each]

    def running(self) -> list[tuple[Trial, float]]:
        """Return the trials that a live run works on now, each with its start (Unix time, s)."""
        if holder(self.folder) is None:
            return []
        rows = self.database.query(
            f"""SELECT min(position), started FROM running JOIN planned USING (key)
            WHERE {self._chosen.condition} GROUP BY running.worker ORDER BY running.worker""",
            self._chosen.values,
        )
        return [(trial_at(self.database, position), started) for position, started in rows]

    def environments(self) -> dict[str, Record]:
        """Return the descriptions of where planned trials ran, by id, oldest first."""
        ids = {environment_id for environment_id, _ in self._recorded_in()}
        rows = self.database.query(
            "SELECT id, description FROM environments ORDER BY first_seen, id"
        )
        return {name: load(self.path, text) for name, text in rows if name in ids}

    def environment_ids(self) -> dict[str, str]:
        """Return the id of the environment of every stored outcome, by the trial's key."""
        return dict(self.database.query("SELECT key, environment_id FROM outcomes"))

    def environment(self, environment_id: str) -> Record:
        """Return the description of an environment, ``{}`` where there is none of that id."""
        sql = "SELECT description FROM environments WHERE id = ?"
        rows = self.database.query(sql, (environment_id,))
        return load(self.path, rows[0][0]) if rows else {}

    def runs(self) -> list[RecordedRun]:
        """Return the runs in which planned trials were recorded, in the order of their start."""
        ids = {run_id for _, run_id in self._recorded_in()}
        rows = [row for row in read_runs(self.database) if row.id in ids]
        rows.sort(key=lambda row: (row.started, row.id))
        return [recorded_run(self.path, row) for row in rows]

    def _recorded_in(self) -> list[tuple[str, str]]:
        """Return the ids of the environments and runs in which planned trials were recorded."""
        if self._origins is None or not self._is_read_once:
            self._origins = self.database.query(
                f"SELECT DISTINCT environment_id, run_id FROM {WITH_OUTCOMES}"
            )
        return self._origins

    def run_of(self, key: str) -> RecordedRun | None:
        """Return the run in which the trial was recorded, None where unknown."""
        found = self.database.query("SELECT run_id FROM outcomes WHERE key = ?", (key,))
        rows = [row for row in read_runs(self.database) if (row.id,) in found]
        return recorded_run(self.path, rows[0]) if rows else None
