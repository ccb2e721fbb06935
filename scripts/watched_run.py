"""A run through the command line, watched from outside: its time, and its processes' memory."""

import resource
import sqlite3
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import psutil
from speed_tables import SpeedTable


@dataclass
class Watch:
    """What was seen of a run's processes: (trials done, MiB or files) pairs by process and kind."""

    total: int = 0
    seconds: float = 0.0
    processor: float = 0.0
    ending: float = 0.0
    seen: dict[tuple[str, str], list[tuple[int, float]]] = field(default_factory=dict)

    def look(self, process: psutil.Process, done: int) -> None:
        """Note the memory and the files of ``process`` and its descendants."""
        found: dict[str, list[psutil.Process]] = {"parent": [process], "fork server": []}
        found["workers"] = []
        with suppress(psutil.Error):
            found["fork server"] = process.children()
            found["workers"] = [w for server in process.children() for w in server.children()]
        for name, members in found.items():
            for what, ask in (("MiB", _rss), ("files", _files)):
                values = []
                for member in members:
                    with suppress(psutil.Error, OSError):
                        values.append(ask(member))
                if values:
                    self.seen.setdefault((name, what), []).append((done, max(values)))

    def shares(self) -> Iterator[tuple[str, str, list[float], float]]:
        """Yield, by kind of process: MiB or files at 10, 50 and 97 % of the trials, and growth.

        The growth is that in 1,000 trials, after the first 10 %.
        """
        for (name, what), pairs in self.seen.items():
            # With the last trial the workers end.
            done, values = np.array([p for p in pairs if p[0] < self.total], dtype=float).T
            near = [
                float(np.median(values[np.abs(done - share * self.total) <= 0.05 * self.total]))
                for share in (0.1, 0.5, 0.97)
            ]
            later = done >= 0.1 * self.total
            yield name, what, near, 1000 * float(np.polyfit(done[later], values[later], 1)[0])


def watch_tables(name: str, title: str, watch: Watch, jobs: int) -> list[SpeedTable]:
    """Return the times of a watched run, and the memory and files of its processes."""
    times = SpeedTable(
        name,
        f"{title} on {jobs} workers",
        "Planned, run and reported through the command line.",
        {
            "trials": "trials", "seconds": "s", "per_trial_ms": "ms of a worker per trial",
            "ending_s": "after the last trial, s", "processor_s": "processor, s",
        },
    )  # fmt: skip
    each = 1e3 * (watch.seconds - watch.ending) * jobs / watch.total
    times.add(
        trials=watch.total,
        seconds=watch.seconds,
        per_trial_ms=each,
        ending_s=watch.ending,
        processor_s=watch.processor,
    )
    memory = SpeedTable(
        f"{name}_memory",
        f"Memory and open files in {title[0].lower()}{title[1:]}",
        "At 10, 50 and 97 % of the trials, and the growth in 1,000 trials after the first 10 %.",
        {
            "process": "process", "what": "what", "at_10": "at 10 %", "at_50": "at 50 %",
            "at_97": "at 97 %", "growth": "growth in 1,000 trials",
        },
    )  # fmt: skip
    for process, what, near, growth in watch.shares():
        memory.add(
            process=process, what=what, at_10=near[0], at_50=near[1], at_97=near[2], growth=growth
        )
    return [times, memory]


def watched_run(start: Callable[[], subprocess.Popen[bytes]], store: Path) -> Watch:
    """Start a run, look at it four times a second until it ends, and return what was seen."""
    watch, before = Watch(), _processor()
    started = time.perf_counter()
    process = start()
    ended = threading.Event()
    last = [started]

    def look() -> None:
        running = psutil.Process(process.pid)
        seen = 0
        while not ended.wait(0.25):
            done = done_trials(store)
            if done > seen:
                seen, last[0] = done, time.perf_counter()
                with suppress(psutil.Error):
                    watch.look(running, done)

    thread = threading.Thread(target=look)
    thread.start()
    code = process.wait()
    watch.seconds = time.perf_counter() - started
    watch.processor = _processor() - before
    ended.set()
    thread.join()
    assert code == 0, code
    watch.total = done_trials(store)
    watch.ending = time.perf_counter() - last[0]
    return watch


def _processor() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _rss(process: psutil.Process) -> float:
    return process.memory_info().rss / 2**20


def _files(process: psutil.Process) -> float:
    return process.num_fds()


def done_trials(store: Path) -> int:
    """Return how many trials the store of a running run holds."""
    if not store.is_file():
        return 0
    try:
        with sqlite3.connect(f"{store.as_uri()}?mode=ro", uri=True, timeout=1) as db:
            count = db.execute("SELECT count(*) FROM outcomes").fetchone()[0]
        db.close()
    except sqlite3.Error:
        return 0
    return int(count)
