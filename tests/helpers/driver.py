"""A run in a process of its own, to be signalled: python driver.py FOLDER JOBS PLAN [FSIZE].

JOBS is a number, or the address of a cluster.

The environment variable ``DRIVER_DIE`` is where it kills itself: ``sql:N`` at the Nth statement
that SQLite is about to carry out, ``start:N`` or ``end:N`` at the Nth event of a trial that begins
or is recorded. ``DRIVER_CLOCK`` is by how many seconds the clock is put back each time that a trial
is recorded.
"""

import os
import signal
import sqlite3
import sys
import time
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from support import TrialLimits, save_small, trial

from boostbench.engine.local import run_trials
from boostbench.errors import BoostbenchError
from boostbench.store.store import Store


def plan(name, mark, folder):
    if name.startswith("varied"):
        trials = [trial(mark, "Noisy", i % 4, i // 4) for i in range(int(name[6:]))]
        for i, fault in enumerate(["Aborts", "RaisesUnpicklable", "LeavesThread", "Exits"]):
            trials.insert(9 * i + 5, trial(mark, fault))
        return trials
    if name == "bombs":
        log = os.environ["DRIVER_PIDS"]
        return [trial(mark, "ForksAndStays", i, where=log) for i in range(2)]
    takes = {"name": "elsewhere:Takes", "seconds": 600}  # "long"
    return [trial(mark, fold=i, where=str(folder / f"at{i}"), **takes) for i in range(4)]


class Countdown:
    """Kills this process when it has been called so many times with ``kind``."""

    def __init__(self, text):
        self.kind, _, left = text.partition(":")
        self.left = int(left or 0)

    def __call__(self, kind):
        self.left -= kind == self.kind
        if self.kind and not self.left:
            os.kill(os.getpid(), signal.SIGKILL)


def count_statements(countdown):
    connect = sqlite3.connect

    def traced(*arguments, **options):
        connection = connect(*arguments, **options)
        connection.set_trace_callback(lambda _: countdown("sql"))
        return connection

    sqlite3.connect = traced


def on_cluster(address):
    from boostbench.engine.dask.dispatch import run_on_cluster
    from boostbench.engine.dask.options import cluster_spec

    return partial(run_on_cluster, cluster=cluster_spec(address, None))


def main(folder, jobs, name, fsize=""):
    mark = save_small(folder / "arrays")
    countdown = Countdown(os.environ.get("DRIVER_DIE", ""))
    count_statements(countdown)

    clock, back = time.time, [0.0]
    time.time = lambda: clock() - back[0]

    def listener(event):
        countdown(event.kind)
        if event.kind == "end":
            back[0] += float(os.environ.get("DRIVER_CLOCK", "0"))
        print(event.kind, event.detail, flush=True)

    trials = plan(name, mark, folder)
    run_with = partial(run_trials, jobs=int(jobs)) if jobs.isdigit() else on_cluster(jobs)
    if fsize:
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (int(fsize), int(fsize)))
    try:
        with Store.open(folder / "results") as store:
            if store.plan() != trials:
                store.set_plan({"name": name}, trials)
            print("running", os.getpid(), flush=True)
            summary = run_with(
                store.missing(),
                store,
                arrays_dir=folder / "arrays",
                limits=TrialLimits(grace_s=0.1),
                listener=listener,
                environment={},
            )
    except BoostbenchError as error:
        print("sentence:", error, flush=True)
        return error.exit_code
    return 130 if summary.interrupted else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), *sys.argv[2:]))
