"""Any schedule of runs and mishaps: nothing committed is lost, and a damaged store is reported."""

import contextlib
import os
import shutil
import sqlite3
import tempfile
import time
from pathlib import Path

import pytest

pytest.importorskip("apsw", reason="needs apsw, as in boostbench[test]")

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from simulated_disk import mounted, rng_of
from store_parts import LEARNT, OK, PLAN

from boostbench.errors import StoreError
from boostbench.report.build import build_report
from boostbench.store.export import export_results
from boostbench.store.merge import merge, read_source
from boostbench.store.store import Store
from boostbench.store.types import Outcome

RECORD = {"name": "d3", "folds": 4}
OUTCOMES = [OK, LEARNT, Outcome("error", "ValueError: no", traceback="Traceback", output="said")]
MOMENT = st.integers(1, 250)
STRESS = int(os.environ.get("BOOSTBENCH_STRESS", "1"))


class Schedule(RuleBasedStateMachine):
    """One results folder through everything that may happen to it."""

    def __init__(self):
        super().__init__()
        self._temporary = tempfile.TemporaryDirectory()
        self.root = Path(self._temporary.name)
        self.folder = self.root / "results"
        self.committed = {}
        self.is_planned = False
        self.moves = 0
        self.clock = 0.0

    def teardown(self):
        self._temporary.cleanup()

    # -- one run of so many trials, whatever befalls it -------------------------------------------

    def run(self, count, **faults):
        """Record ``count`` more trials; return the error, if any, and the folder's disk."""
        self.moves += 1
        error = None
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(time, "time", lambda: 1.7e9 + self.clock)
            with mounted(patch, **faults) as disk:
                store = None
                try:
                    store = Store.open(self.folder, create=True)
                    store.set_plan(RECORD, PLAN)
                    self.is_planned = True
                    store.begin_run("env", {"cpu": "one"})
                    for trial in store.missing()[:count]:
                        outcome = OUTCOMES[PLAN.index(trial) % len(OUTCOMES)]
                        store.mark_running(trial, 0)
                        store.record(trial, outcome, "env")
                        self.committed[trial.key] = outcome
                except StoreError as raised:
                    error = raised
                finally:
                    if store is not None:
                        store.close()
                if disk.gone:
                    rng = rng_of(self.moves, faults) if self.power else None
                    after = self.root / f"after{self.moves}"
                    disk.image(self.folder, after, rng)
        if disk.gone:
            shutil.rmtree(self.folder)
            after.rename(self.folder)
        return error

    power = False

    @rule(count=st.integers(1, 5))
    def run_and_resume(self, count):
        assert self.run(count) is None

    @rule(moment=MOMENT)
    def kill(self, moment):
        self.run(len(PLAN), crash_at=moment)

    @rule(moment=MOMENT)
    def power_loss(self, moment):
        self.power = True
        try:
            self.run(len(PLAN), crash_at=moment)
        finally:
            self.power = False

    @rule(moment=MOMENT)
    def full_disk(self, moment):
        error = self.run(len(PLAN), full_at=moment)
        assert error is None or "is full; what had been recorded is kept" in str(error)

    @rule()
    def read_only_folder(self):
        error = self.run(1, read_only=True)
        assert error is not None
        assert "read-only" in str(error) or "cannot be opened" in str(error)

    @rule(seconds=st.sampled_from([-1e9, -3600.0, 3600.0, 1e9]))
    def clock_jump(self, seconds):
        self.clock += seconds

    @rule(share=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
    @precondition(lambda self: self.is_planned and self.committed)
    def damaged_byte(self, share, bit):
        path = self.folder / "store.sqlite"
        if not path.exists():
            return
        sound = path.read_bytes()
        content = bytearray(sound)
        content[int(share * len(content))] ^= 1 << bit
        copy = self.root / f"damaged{self.moves}"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(self.folder, copy)
        (copy / "store.sqlite").write_bytes(content)
        with contextlib.suppress(StoreError):
            # Unless it is reported, it has done no harm.
            self.check(copy)
            with Store.open(copy, create=False) as store:
                assert self.committed.items() <= store.outcomes().items()

    @rule(other=st.booleans())
    @precondition(lambda self: self.is_planned)
    def merge_into_another(self, other):
        if not self.planned_on_disk():
            return
        target = self.root / f"merged{other}"
        with Store.open(target, create=True) as store:
            merge(store, [read_source(self.folder)], RECORD)
        self.check(target)

    @rule()
    @precondition(lambda self: self.committed)
    def report(self):
        out = self.root / "out"
        with Store.open(self.folder, create=False, read_only=True) as store:
            trials = export_results(store, out)[0].read_text().splitlines()
            build_report(store, out, ["md"])
        statuses = [line.split(",") for line in trials[1:]]
        assert sum("pending" not in row for row in statuses) >= len(self.committed)

    # -- what must hold ---------------------------------------------------------------------------

    def planned_on_disk(self):
        with (
            contextlib.suppress(StoreError),
            Store.open(self.folder, create=False, read_only=True) as store,
        ):
            return bool(store.plan())
        return False

    def check(self, folder):
        with Store.open(folder, create=False, read_only=True) as store:
            assert store.plan() == PLAN
            outcomes = store.outcomes()
        assert self.committed.items() <= outcomes.items()
        assert all(outcome in OUTCOMES for outcome in outcomes.values())

    @invariant()
    def nothing_committed_is_lost(self):
        if self.committed:
            self.check(self.folder)
            with sqlite3.connect(self.folder / "store.sqlite") as db:
                assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            db.close()


TestSchedule = Schedule.TestCase
TestSchedule.settings = settings(
    max_examples=12 * STRESS, stateful_step_count=12, derandomize=STRESS == 1
)
