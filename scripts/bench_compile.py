"""What the compilation of an experiment's kernels takes, with an empty cache of numba.

    python scripts/bench_compile.py [d3 smoke boosting_smoke] [--rounds 3]

Each measurement is that of a new process, after its imports: all that a run does before its first
trial to compile the kernels of the experiment's methods. ``processor``: seconds of all processes
together; ``wall``: seconds by the clock, with one and with two processes; ``warm``: the same once
the kernels are on disk. The experiments take turns.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from typing import Any

from speed_tables import SpeedTable, add_arguments

DEFAULT = ["quickstart", "d3", "boosting_smoke"]


def needs(experiment_name: str) -> list[str]:
    """Return what the methods of an experiment have to compile, given its data."""
    from boostbench.config.loading import load_experiment
    from boostbench.data.access import default_access
    from boostbench.data.loading import load_dataset
    from boostbench.engine.warming import what_to_warm
    from boostbench.methods import resolve

    experiment = load_experiment(experiment_name)
    methods = [resolve(entry, experiment.defaults) for entry in experiment.methods]
    given = {name for method in methods for name, value in method.params.items() if value}

    def sizes() -> list[str]:
        data = [load_dataset(request, default_access()) for request in experiment.requests()]
        return [f"{len(each.y)}x{len(each.classes)}" for each in data]

    return what_to_warm([method.estimator for method in methods], given, sizes)[1]


def measure(experiment: str, processes: int) -> dict[str, Any]:
    """Compile with an empty cache, in this process, and load in the next; print the figures."""
    import importlib

    from boostbench.engine.warming import warm_up

    needed = needs(experiment)
    for text in needed:
        importlib.import_module(text.partition(":")[0])
    messages: list[dict[str, Any]] = []
    before, started = _processor(), time.perf_counter()
    warm_up([], needed, messages.append, processes)
    return {
        "wall": time.perf_counter() - started,
        "processor": _processor() - before,
        "compiled": messages[-1]["compiled"] if messages else 0,
    }


def _processor() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def in_new_process(experiment: str, processes: int, cache: str) -> dict[str, Any]:
    """Return what ``measure`` says in a process whose kernels are kept in ``cache``."""
    done = subprocess.run(
        [sys.executable, __file__, experiment, "--measure", str(processes)],
        env={**os.environ, "NUMBA_CACHE_DIR": cache},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("experiments", nargs="*", default=DEFAULT)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--measure", type=int, metavar="PROCESSES", help=argparse.SUPPRESS)
    add_arguments(parser)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(options.experiments[0], options.measure)))
        return
    figures: dict[str, list[dict[Any, Any]]] = {name: [] for name in options.experiments}
    for _ in range(options.rounds):
        for name, found in figures.items():
            with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
                found.append({1: in_new_process(name, 1, one), 2: in_new_process(name, 2, two)})
                found[-1]["warm"] = in_new_process(name, 2, two)
    table = SpeedTable(
        "compile",
        "Compilation of an experiment's kernels",
        "What precedes the first trial where numba has no kernel in its cache.",
        {
            "experiment": "Experiment",
            "kernels": "Functions compiled",
            "processor_1": "Processor, 1 process (s)",
            "wall_1": "Wall, 1 process (s)",
            "processor_2": "Processor, 2 processes (s)",
            "wall_2": "Wall, 2 processes (s)",
            "warm": "Wall, kernels on disk (s)",
        },
    )
    for name, found in figures.items():
        table.add(
            experiment=name,
            kernels=found[0][1]["compiled"],
            processor_1=[each[1]["processor"] for each in found],
            wall_1=[each[1]["wall"] for each in found],
            processor_2=[each[2]["processor"] for each in found],
            wall_2=[each[2]["wall"] for each in found],
            warm=[each["warm"]["wall"] for each in found],
        )
    table.write(options)


if __name__ == "__main__":
    main()
