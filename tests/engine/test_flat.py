"""Nothing grows with the number of trials: open files, and what the parent holds in memory."""

import gc
import os
import sys
from pathlib import Path
from statistics import median

import pytest
from support import run, trial

from boostbench.engine.os_processes import children

_PER_WINDOW = int(os.environ.get("BOOSTBENCH_STRESS", "25"))
# What allocators and caches may still settle on; one small object kept a trial is many more.
_ALLOWED_BLOCKS = 4 * _PER_WINDOW


def _open_files(pid: int) -> int:
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


@pytest.mark.skipif(sys.platform != "linux", reason="counts files in /proc")
def test_open_files_and_memory_stay_flat_over_trials_and_workers(tmp_path, mark) -> None:
    gc.collect()  # which closes what other tests have left open
    before = _open_files(os.getpid())
    others = set(children(os.getpid()))  # of earlier tests, which are still ending
    ours: list[int] = []
    servers: list[int] = []
    blocks: list[int] = []

    def look(event) -> None:
        if event.kind != "end":
            return
        ours.append(_open_files(os.getpid()))
        (server,) = set(children(os.getpid())) - others
        servers.append(_open_files(server))
        if len(ours) % _PER_WINDOW == 0:
            gc.collect()
            blocks.append(sys.getallocatedblocks())

    trials = [trial(mark, seed=seed) for seed in range(3 * _PER_WINDOW)]
    outcomes, summary = run(tmp_path, trials, jobs=2, listener=look)
    assert summary.counts == {"ok": len(trials)}
    assert all(outcome.status == "ok" for outcome in outcomes)
    # A worker that ends and its successor may be there together: a few files more or fewer. One
    # file left open by each, or by each trial, would be fifty.
    for counts in (ours, servers):
        assert max(counts[2 * _PER_WINDOW :]) <= max(counts[:_PER_WINDOW]) + 4
        assert abs(median(counts[2 * _PER_WINDOW :]) - median(counts[:_PER_WINDOW])) <= 4
    assert blocks[2] - blocks[0] < _ALLOWED_BLOCKS
    # What other tests left open may have been closed since.
    assert _open_files(os.getpid()) <= before
    assert set(children(os.getpid())) <= others
