"""Run two experiments in six ways through the command line, and compare their exports.

The ways: --jobs 1, 2 and 4; three shards merged; a cluster of three worker processes of which one
is killed (SIGKILL) every few seconds and replaced; and --jobs 2 with 20 SIGKILLs at random to the
run, a worker, the warm process or all of them, and as many resumes as it takes. The experiments
have 492 trials: soft trees, a forest, an estimator in a file beside the experiment; and boosting,
with choices and curves. Ends with exit code 1 unless trials.csv and curves.csv are the same bytes
in all ways. Needs boostbench[cluster]; takes about ten minutes on two cores, where a worker needs
five seconds of them to begin: killed much more often, workers do little else.
"""

import argparse
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import psutil

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "helpers"))
from clusters import Cluster, Killer

KILLS = 20
EARLY = 0.3
"""The share of kills that come by the clock, and may so come before the first trial."""

FILES = ("trials.csv", "curves.csv")
TARGETS = ("run", "worker", "warm process", "group", "everything")

MODULE = '''\
"""An estimator of a user's own: k nearest neighbours, k at random, and slow."""

import time

from sklearn.neighbors import KNeighborsRegressor
from beside import SECONDS


class Neighbours(KNeighborsRegressor):
    def __init__(self, random_state=None):
        super().__init__()
        self.random_state = random_state

    def fit(self, X, y):
        import numpy as np

        self.n_neighbors = 2 + int(np.random.RandomState(self.random_state).randint(5))
        self.shift_ = np.random.normal()  # of the global generator, which each trial finds seeded
        time.sleep(SECONDS)
        return super().fit(X, y)

    def predict(self, X):
        return super().predict(X) + 0.01 * self.shift_
'''

REGRESSION = """\
name: trees
datasets:
  - {{name: waves, file: waves.csv, target: y}}
  - {{name: mixed, file: mixed.csv, target: y, categorical: [kind]}}
  - diabetes
methods:
  - srt
  - {{name: srt_l2, params: {{n_restarts: 2}}}}
  - {{name: orrt_trained, params: {{max_iter: 10}}}}
  - {{name: forest, method: random_forest, params: {{n_estimators: 10}}}}
  - {{name: neighbours, estimator: mine.Neighbours}}
defaults: {{depth: 2, max_iter: 3}}
folds: 4
seeds: {seeds}
limits: {{time: 120, memory: 2 GiB}}
results: {results}
"""

CLASSIFICATION = """\
name: boosting
datasets:
  - iris
  - {{name: blobs, file: blobs.csv, target: y, task: classification}}
methods:
  - {{name: multiboost_cw, choose: {{C: [1.0e+2, 1.0e+4]}}}}
  - multiboost_cw1
  - {{name: multiboost, params: {{C: 1.0e+3}}}}
  - adaboost_ecc
  - adaboost_mh
  - {{name: adaboost_mo, params: {{code: one_vs_all}}}}
defaults: {{max_iter: 20}}
splits: {{n: 4, test_size: 0.25}}
seeds: {seeds}
scale_features: none
curves: true
limits: {{time: 120, memory: 2 GiB}}
results: {results}
"""


@dataclass
class WayToRun:
    """One way to run the experiments, with its results."""

    name: str
    folder: Path
    every: float
    seconds: float = 0.0
    kills: int = 0
    resumes: int = 0
    struck: Counter[str] = field(default_factory=Counter)

    def experiments(self, scale: int) -> list[Path]:
        """Write the experiments and their data into the folder, and return their files."""
        self.folder.mkdir(parents=True)
        _write_data(self.folder)
        texts = {"trees": (REGRESSION, 5), "boosting": (CLASSIFICATION, 4)}
        for name, (text, seeds) in texts.items():
            made = text.format(seeds=seeds * scale, results=self.folder / "results" / name)
            (self.folder / f"{name}.yaml").write_text(made)
        return [self.folder / f"{name}.yaml" for name in texts]

    def exported(self) -> dict[str, bytes]:
        """Return the exported files by experiment and name."""
        return {
            f"{path.parent.name}/{path.name}": path.read_bytes()
            for path in sorted((self.folder / "results").glob("*/*.csv"))
            if path.name in FILES
        }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--folder", type=Path, help="Folder to keep (default: a temporary one).")
    parser.add_argument("--scale", type=int, default=1, help="A factor for the number of seeds.")
    parser.add_argument("--seed", type=int, default=0, help="Seed of the times of the kills.")
    parser.add_argument("--every", type=float, default=6.0, help="Seconds between workers' kills.")
    parser.add_argument("--ways", type=int, nargs="*", default=range(6), help="Which (0 to 5).")
    given = parser.parse_args()
    with nullcontext(given.folder) if given.folder else tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        os.environ["BOOSTBENCH_CACHE"] = str(folder / "cache")
        all_ways = [
            *((f"--jobs {n}", lambda way, files, n=n: _by_jobs(files, n)) for n in (1, 2, 4)),
            ("three shards, merged", lambda way, files: _by_shards(files)),
            ("a cluster, workers killed", _on_cluster),
            ("killed and resumed", lambda way, files: _killed(way, files, given.seed)),
        ]
        first: WayToRun | None = None
        equal = True
        for number in given.ways:
            name, run = all_ways[number]
            way = WayToRun(name, folder / f"way{number}", given.every)
            if not way.folder.exists():  # else it was run by an earlier call
                files = way.experiments(given.scale)
                started = time.perf_counter()
                run(way, files)
                way.seconds = time.perf_counter() - started
            equal &= _report(way, first)
            first = first or way
    print("all equal" if equal else "NOT all equal")
    return 0 if equal else 1


def _report(way: WayToRun, first: WayToRun | None) -> bool:
    found = way.exported()
    stores = sorted((way.folder / "results").glob("*/store.sqlite"))
    statuses = Counter(row for each in stores for row in _rows(each, "SELECT status FROM outcomes"))
    counts = ", ".join(f"{count} {status}" for (status,), count in statuses.items())
    struck = ", ".join(f"{name} {count}" for name, count in way.struck.items())
    wanted = {"trees/trials.csv", "boosting/trials.csv", "boosting/curves.csv"}
    if found.keys() != wanted:
        verdict = f"NOT COMPLETE, only {', '.join(found)}"
    elif first is None:
        verdict = f"{sum(map(len, found.values())):,} bytes to compare with"
    else:
        before = first.exported()
        other = [name for name in wanted if found[name] != before[name]]
        verdict = f"NOT EQUAL: {', '.join(sorted(other))}" if other else "equal"
    print(
        f"{way.name:26s} {way.seconds:6.1f} s  {way.kills:3d} kills  {way.resumes:3d} resumes  "
        f"{counts}  {verdict}{f'  ({struck})' if struck else ''}",
        flush=True,
    )
    return "NOT" not in verdict


# -- the ways --------------------------------------------------------------------------------------


def _by_jobs(files: list[Path], jobs: int) -> None:
    for file in files:
        _call("run", file.name, "--jobs", str(jobs), folder=file.parent)


def _by_shards(files: list[Path]) -> None:
    for file in files:
        for shard in (2, 3, 1):
            _call("run", file.name, "--jobs", "2", "--shard", f"{shard}/3", folder=file.parent)
        shards = sorted((file.parent / "results" / file.stem).glob("shard-*"))
        assert len(shards) == 3
        _call("merge", *map(str, reversed(shards)), folder=file.parent)


def _on_cluster(way: WayToRun, files: list[Path]) -> None:
    with (
        Cluster(way.folder / "cluster", workers=3) as cluster,
        Killer(cluster, way.every) as killer,
    ):
        for file in files:
            _call("run", file.name, "--cluster", cluster.address, folder=file.parent)
        way.kills = killer.kills


def _killed(way: WayToRun, files: list[Path], seed: int) -> None:
    moments = random.Random(seed)
    targets = [TARGETS[number % len(TARGETS)] for number in range(KILLS)]
    moments.shuffle(targets)
    for number, file in enumerate(files):
        share = targets[number * KILLS // len(files) : (number + 1) * KILLS // len(files)]
        _killed_one(way, file, share, moments)


def _killed_one(way: WayToRun, file: Path, targets: list[str], moments: random.Random) -> None:
    command = ("run", file.name, "--jobs", "2")
    store = file.parent / "results" / file.stem / "store.sqlite"
    process = _start(*command, folder=file.parent)
    planned = _wait_for_plan(store, process)
    # Spread over the run, so that none comes after its end.
    thresholds = sorted(moments.randrange(int(0.9 * planned)) for _ in targets)
    for target, threshold in zip(targets, thresholds, strict=True):
        moment = np.inf
        if moments.random() < EARLY:
            moment, threshold = time.monotonic() + moments.uniform(0.1, 6.0), int(0.9 * planned)
        while (
            _count(store, "outcomes") < threshold
            and time.monotonic() < moment
            and process.poll() is None
        ):
            time.sleep(0.02)
        if moment == np.inf:
            time.sleep(moments.uniform(0.0, 0.1))
        assert process.poll() is None, f"the run ended with {process.poll()} before its kills"
        way.kills += 1
        way.struck[target] += 1
        if _strike(process, target, moments):
            process.wait()
            way.resumes += 1
            process = _start(*command, folder=file.parent)
    assert process.wait() == 0


def _strike(process: "subprocess.Popen[bytes]", target: str, moments: random.Random) -> bool:
    """Kill; return whether the run itself is dead."""
    if target == "group":
        os.killpg(process.pid, signal.SIGKILL)
        return True
    servers, workers = _find_processes(process, target)
    chosen = {
        "run": [process.pid],
        "worker": [moments.choice(workers).pid] if workers else [],
        "warm process": [server.pid for server in servers],
        "everything": [process.pid, *(one.pid for one in (*servers, *workers))],
    }[target]
    assert chosen, f"no {target} to kill"
    for pid in chosen:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return process.pid in chosen


def _find_processes(
    process: "subprocess.Popen[bytes]", target: str
) -> tuple[list[psutil.Process], list[psutil.Process]]:
    """Return the warm processes and the workers of a run.

    Shortly after a start there are none yet: those that are the ``target`` are waited for.
    """
    servers: list[psutil.Process] = []
    workers: list[psutil.Process] = []
    wanted = {"worker": workers, "warm process": servers}.get(target)
    deadline = time.monotonic() + 30
    while True:
        with suppress(psutil.NoSuchProcess):
            servers[:] = psutil.Process(process.pid).children()
            workers[:] = [child for server in servers for child in server.children()]
        time.sleep(0.01)
        if wanted is None or wanted or time.monotonic() > deadline:
            return servers, workers


# -- processes and stores --------------------------------------------------------------------------


def _start(*words: str, folder: Path) -> "subprocess.Popen[bytes]":
    with (folder / "log.txt").open("ab") as log:
        log.write(f"\n$ boostbench {' '.join(words)}\n".encode())
        log.flush()
        return subprocess.Popen(
            [sys.executable, "-m", "boostbench", *words],
            cwd=folder,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )


def _call(*words: str, folder: Path) -> None:
    code = _start(*words, folder=folder).wait()
    if code != 0:
        log = (folder / "log.txt").read_text()
        raise SystemExit(f"boostbench {' '.join(words)} ended with {code}:\n{log[-3000:]}")


def _rows(store: Path, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(f"{store.as_uri()}?mode=ro", uri=True, timeout=5)) as database:
        return database.execute(query).fetchall()


def _count(store: Path, table: str) -> int:
    # The tables may not be there yet.
    with suppress(sqlite3.OperationalError):
        return int(str(_rows(store, f"SELECT count(*) FROM {table}")[0][0]))
    return 0


def _wait_for_plan(store: Path, process: "subprocess.Popen[bytes]") -> int:
    while not (planned := _count(store, "plan")):
        assert process.poll() is None
        time.sleep(0.02)
    return planned


def _write_data(folder: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(240, 4))
    y = np.sin(6 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * rng.normal(size=240)
    _write(folder / "waves.csv", X, y)
    X, kinds = rng.normal(size=(160, 5)), rng.integers(3, size=160)
    y = X[:, 0] * (kinds == 1) - X[:, 1] + 0.2 * rng.normal(size=160)
    _write(folder / "mixed.csv", X, y, kind=[("red", "green", "blue")[kind] for kind in kinds])
    labels = rng.integers(4, size=300)
    _write(
        folder / "blobs.csv",
        rng.normal(size=(300, 6)) + 1.5 * np.eye(4, 6)[labels],
        [f"class{label}" for label in labels],
    )
    (folder / "mine.py").write_text(MODULE)
    (folder / "beside.py").write_text("SECONDS = 0.1\n")


def _write(folder: Path, X: object, y: object, **more: object) -> None:
    import pandas as pd

    table = pd.DataFrame(X).add_prefix("x").assign(**more, y=y)
    table.to_csv(folder, index=False)


if __name__ == "__main__":
    sys.exit(main())
