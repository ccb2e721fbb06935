"""Measure all tables of results/speed/ with one command.

    python scripts/bench_all.py --mirror DIR [--date 2026-11-22] [--only search trees]

Runs the other benchmarks one after another, each as below. Takes about twenty minutes on two idle
cores; other load widens the spreads. Needs the peers: pip install '.[bench]'. One benchmark,
``bench_authors.py``, is run by itself: it needs Octave, and code that is not part of this project.
"""

import argparse
import subprocess
import sys
import time
from pathlib import Path

from speed_tables import add_arguments

HERE = Path(__file__).resolve().parent
# The scripts in order, with options for a total of about twenty minutes.
RUNS: dict[str, tuple[str, ...]] = {
    "search": ("--turns", "15"),
    "growth": (),
    "ort": ("--datasets", "yacht", "auto_mpg", "housing", "--rounds", "3"),
    "boosting": (),
    "trees": (),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mirror", type=Path, help="folder with copies of the data files")
    parser.add_argument("--only", nargs="+", default=list(RUNS), choices=list(RUNS))
    add_arguments(parser)
    options = parser.parse_args()
    failed = []
    for name in options.only:
        command = [sys.executable, str(HERE / f"bench_{name}.py"), *RUNS[name]]
        command += ["--out", str(options.out), "--date", options.date]
        if options.mirror is not None:
            command += ["--mirror", str(options.mirror)]
        started = time.perf_counter()
        code = subprocess.run(command).returncode
        print(f"bench_{name}: {time.perf_counter() - started:.0f} s\n", flush=True)
        if code:
            failed.append(name)
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return bool(failed)


if __name__ == "__main__":
    raise SystemExit(main())
