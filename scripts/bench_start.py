"""How long commands take that train nothing, or next to nothing: help, status, run, report.

    python scripts/bench_start.py [--turns 5] [--trials 10000] [--report FOLDER ...]

The commands take turns, so that what disturbs the machine disturbs all, and each has run once
before, so that nothing is compiled. ``smoke`` is the shipped experiment of 18 trials: with
``--again`` all of them run, without it none is left to run. ``status`` is of so many ``--trials``
that are done. ``--report`` names results folders (copies are made) whose report is written twice,
with no figure in the cache and with all of them there. Elapsed and processor seconds are of the
command and all processes that it starts.
"""

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from speed_tables import SpeedTable, add_arguments

from boostbench.plan.trial import Trial
from boostbench.store.store import Store
from boostbench.store.types import Outcome

Before = Callable[[], object]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--trials", type=int, default=10_000)
    parser.add_argument("--report", type=Path, nargs="*", default=[], metavar="FOLDER")
    add_arguments(parser)
    options = parser.parse_args()
    table = SpeedTable(
        "start",
        "Seconds of commands that train little",
        " ".join(__doc__.split("\n\n")[2].split()),
        {
            "command": "Command",
            "elapsed_s": "Elapsed, s",
            "processor_s": "Processor, s",
            "asked_s": "Asked for, s",
        },
        packages=("matplotlib", "pandas", "typer"),
    )
    with tempfile.TemporaryDirectory(prefix="boostbench-bench-") as folder:
        commands = _commands(Path(folder), options)
        seconds = _in_turns(Path(folder), commands, options.turns)
        for name, (_, _, asked) in commands.items():
            elapsed, processor = zip(*seconds[name], strict=True)
            table.add(command=name, elapsed_s=elapsed, processor_s=processor, asked_s=asked)
    table.write(options)


def _commands(
    here: Path, options: argparse.Namespace
) -> dict[str, tuple[list[str], Before, float | None]]:
    """Return the commands by name, with a function to call before each, and the asked seconds."""
    _fill(here / "many", options.trials)
    smoke = ["run", "smoke", "--set", f"results={here / 'smoke'}"]
    found: dict[str, tuple[list[str], Before, float | None]] = {
        "--help": (["--help"], _nothing, 0.1),
        f"status of {options.trials:,} trials": (["status", str(here / "many")], _nothing, 0.5),
        "run smoke, all trials": ([*smoke, "--again"], _nothing, 3.0),
        "run smoke, none left": (smoke, _nothing, 1.0),
    }
    for number, given in enumerate(options.report):
        copy = here / f"report{number}"
        shutil.copytree(given, copy)
        with Store.open(copy, create=False, read_only=True) as store:
            name = f"report of {store.experiment().get('name')}, {len(store.part()):,} trials"
        figures = here / "cache" / "figures"
        words = ["report", str(copy)]
        found[f"{name}, figures drawn"] = (words, lambda f=figures: _remove(f), None)
        found[f"{name}, figures kept"] = (words, _nothing, None)
    return found


def _nothing() -> None:
    pass


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)


def _in_turns(
    here: Path, commands: dict[str, tuple[list[str], Before, float | None]], turns: int
) -> dict[str, list[tuple[float, float]]]:
    """Return the (elapsed, processor) seconds of each command in each turn but the first."""
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    for turn in range(turns + 1):
        for name, (words, before, _) in commands.items():
            before()
            taken = _seconds(here, words)
            if turn:
                found[name].append(taken)
    return found


def _seconds(here: Path, words: list[str]) -> tuple[float, float]:
    command = [sys.executable, "-m", "boostbench", *words]
    environment = {**os.environ, "BOOSTBENCH_CACHE": str(here / "cache")}
    used, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, cwd=here, env=environment, capture_output=True, check=True)
    elapsed, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - used.ru_utime - used.ru_stime
    return elapsed, processor


def _fill(folder: Path, count: int) -> None:
    """Make a store of ``count`` trials of ten methods, all done."""
    trials = [
        Trial(
            dataset="small", method=f"dummy{number % 10}",
            estimator="sklearn.dummy:DummyRegressor", method_version="1", fingerprint="0" * 64,
            task="regression", folds=4, fold=number // 10 % 4, split_seed=0, seed=number // 40,
            scale_features="minmax", scale_target="standard",
            params={"strategy": "quantile", "quantile": number % 10 / 10},
        )
        for number in range(count)
    ]  # fmt: skip
    names = ("r2", "rmse", "mse", "mae", "train_r2", "train_rmse", "train_mae")
    metrics = dict.fromkeys(names, 0.123456789)
    times = dict.fromkeys(("fit_s", "fit_cpu_s", "predict_s", "wall_s", "peak_rss_mib"), 0.00123456)
    done = Outcome("ok", metrics={**metrics, "n_train": 150, "n_test": 50}, times=times)
    with Store.open(folder, create=True) as store:
        store.set_plan({"name": "many", "datasets": [{"name": "small"}]}, trials)
        with store.database.unsynced():
            for trial in trials:
                store.record(trial, done, "bench")


if __name__ == "__main__":
    main()
