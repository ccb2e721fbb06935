"""Install the wheel and the sdist of a folder, each alone, and use them as a new user would.

    python scripts/smoke_wheel.py DIR

Each is installed in a new virtual environment, without any extra. With the wheel ``boostbench run
quickstart`` and ``boostbench verify`` run in an empty folder, with the sdist ``boostbench run
smoke``. Prints the processor seconds of each step. Needs only Python and an index of packages.
"""

import argparse
import csv
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any


class Wrong(Exception):
    """An error in an archive or in a step, in one sentence."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, metavar="DIR", help="the folder with both archives")
    options = parser.parse_args()
    try:
        use(one(options.folder, "*.tar.gz"), one(options.folder, "*.whl"))
    except Wrong as wrong:
        print(f"smoke_wheel: {wrong}", file=sys.stderr)
        return 1
    return 0


def use(sdist: Path, wheel: Path) -> None:
    """Install both archives and run the first commands of the README with them."""
    with tempfile.TemporaryDirectory(prefix="boostbench-smoke-") as folder:
        here = Path(folder)
        caches = {"NUMBA_CACHE_DIR": str(here / "numba"), "BOOSTBENCH_CACHE": str(here / "cache")}
        kept = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
        for archive, config in ((wheel, "quickstart"), (sdist, "smoke")):
            place = here / config
            place.mkdir()
            program = install(archive, place, kept | caches)
            run_experiment(program, config, place, kept | caches)


def install(archive: Path, place: Path, environment: Mapping[str, str]) -> str:
    """Install only ``archive`` below ``place``; return the path of its command."""
    run([sys.executable, "-m", "venv", str(place / "venv")], "venv")
    python, boostbench = (str(place / "venv/bin" / name) for name in ("python", "boostbench"))
    install = [python, "-m", "pip", "install", "-q", str(archive.resolve())]
    run(install, f"pip install {archive.name}", env=environment)
    where = [python, "-c", "import boostbench; print(boostbench.__file__)"]
    imported = run(where, "import", env=environment, cwd=place).strip()
    if not Path(imported).resolve().is_relative_to((place / "venv").resolve()):
        raise Wrong(f"boostbench is imported from {imported}, not from {archive.name}")
    said = run([boostbench, "--version"], "boostbench --version", env=environment).strip()
    if said != f"boostbench {version_of(archive)}":
        raise Wrong(f"{archive.name} says that it is {said}")
    return boostbench


def version_of(archive: Path) -> str:
    """Return the version in the name of an archive."""
    return archive.name.removesuffix(".tar.gz").split("-")[1]


def run_experiment(
    boostbench: str, config: str, place: Path, environment: Mapping[str, str]
) -> None:
    """Run a shipped experiment in an empty folder, and look at its results."""
    empty = place / "empty"
    empty.mkdir()
    there: dict[str, Any] = {"env": environment, "cwd": empty}
    run([boostbench, "list", "configs"], "list configs", **there)
    run([boostbench, "run", config], f"run {config}", **there)
    results = empty / "results" / config
    for name in ("trials.csv", "table.html", "table.md", "table.tex", "figure.png"):
        if not (results / name).is_file():
            raise Wrong(f"boostbench run {config} wrote no {name}")
    with (results / "trials.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    failed = [row for row in rows if row["status"] != "ok"]
    if not rows or failed:
        raise Wrong(f"{len(failed)} of {len(rows)} trials of {config} did not end well")
    said = run([boostbench, "verify"], "verify", **there)
    if config not in said:
        raise Wrong(f"boostbench verify did not judge {config}")


def run(command: Sequence[str], what: str, **options: Any) -> str:
    """Run ``command``, print its time, and return its output.

    :raises Wrong: if it fails
    """
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        **options,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise Wrong(f"{what} ended with exit code {done.returncode}:\n{done.stdout}")
    used = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    print(f"{what}: {used:.1f} s of processor, {time.perf_counter() - started:.1f} s", flush=True)
    return done.stdout


def one(folder: Path, pattern: str) -> Path:
    """Return the one file that matches; raise Wrong if there is not exactly one."""
    found = sorted(folder.glob(pattern))
    if len(found) != 1:
        raise Wrong(f"{folder} has {len(found)} files {pattern}, not one")
    return found[0]


if __name__ == "__main__":
    raise SystemExit(main())
