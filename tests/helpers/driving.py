"""Starts ``driver.py``, and inspects its processes and its records from outside."""

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import psutil
from support import what_stays

DRIVER = Path(__file__).with_name("driver.py")


def start(folder, jobs, plan, *more, die="", **options):
    """Start a run; ``die`` is where it kills itself (see ``driver.py``)."""
    return subprocess.Popen(
        [sys.executable, str(DRIVER), str(folder), str(jobs), plan, *more],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "DRIVER_DIE": die},
        **options,
    )


def wait_for(process, kind):
    """Read what the run says until it has said ``kind``; return whether it has."""
    return any(line.split()[0] == kind for line in process.stdout)


def processes_of(parent):
    """The warm process and the workers started by the process ``parent``, dead or alive."""
    found = []
    for process in psutil.process_iter(["cmdline", "status"]):
        command = process.info["cmdline"] or []
        if command and command[-1] == str(parent) and "warm.main" in " ".join(command):
            found.append(process.pid)
    return found


def left_of(parent):
    """The processes that ``parent`` still has after a while."""
    return what_stays(lambda: processes_of(parent))


def recorded(folder, name="results"):
    """Every outcome as it lies in the file, by key, with the moment when it was recorded."""
    path = folder / name / "store.sqlite"
    if not path.exists():
        return {}
    database = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)
    try:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        if not database.execute("SELECT 1 FROM sqlite_master WHERE name = 'outcomes'").fetchall():
            return {}
        return {row[0]: row for row in database.execute("SELECT * FROM outcomes")}
    finally:
        database.close()
