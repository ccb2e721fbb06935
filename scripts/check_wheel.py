"""Build the sdist and the wheel, check their contents, and use the wheel as a new user would.

    python scripts/check_wheel.py [--keep DIR] [--skip-run]

The wheel is built from the sdist. Their files must be exactly those of git: the package, its data
files, the experiment files and the data set cards; no tests, results or caches. ``twine check
--strict`` must pass. Then only the wheel is installed in a new virtual environment, without any
extra, and ``boostbench run quickstart`` and ``boostbench verify`` run in an empty folder. Prints
the processor seconds of each step. Needs git, build and twine (``pip install build twine``).
"""

import argparse
import csv
import os
import resource
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
# Files that no archive may contain, even if git has them.
FORBIDDEN = ("tests", "results", "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache")
# One or more files of each kind, without which an installed boostbench fails.
NEEDED = (
    "boostbench/py.typed",
    "boostbench/_shipped/configs/quickstart.yaml",
    "boostbench/_shipped/configs/schema.json",
    "boostbench/_shipped/datasets/friedman1.yaml",
    "boostbench/papers/srt/tables.csv",
    "boostbench/papers/multiboost/claims.csv",
    "boostbench/report/render/templates/report.html.j2",
    "boostbench/report/render/templates/page.css",
    "boostbench/report/render/templates/page.js",
)


class Wrong(Exception):
    """An error in an archive or in a step, in one sentence."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--keep", type=Path, metavar="DIR", help="write the archives there too")
    parser.add_argument("--skip-run", action="store_true", help="only build and look inside")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="boostbench-wheel-") as folder:
        here = Path(folder)
        dist = options.keep.resolve() if options.keep else here / "dist"
        try:
            run([sys.executable, "-m", "build", "--outdir", str(dist), str(ROOT)], "build")
            archives = [one(dist, "*.tar.gz"), one(dist, "*.whl")]
            check_sdist(archives[0])
            check_wheel(archives[1])
            run([sys.executable, "-m", "twine", "check", "--strict", *map(str, archives)], "twine")
            if not options.skip_run:
                use(archives[1], here)
        except Wrong as wrong:
            print(f"check_wheel: {wrong}", file=sys.stderr)
            return 1
    return 0


def tracked(*folders: str) -> set[str]:
    """Return the files of git under ``folders``."""
    found = subprocess.run(
        ["git", "ls-files", "-z", "--", *folders], cwd=ROOT, capture_output=True, check=True
    )
    return set(found.stdout.decode().strip("\0").split("\0"))


def check_wheel(path: Path) -> None:
    """Raise Wrong if the wheel has a file too many or too few."""
    with zipfile.ZipFile(path) as wheel:
        names = {name for name in wheel.namelist() if not name.endswith("/")}
    info = "-".join(path.name.split("-")[:2]) + ".dist-info"
    expected = tracked("boostbench")
    expected |= {f"boostbench/_shipped/{name}" for name in tracked("configs", "datasets")}
    parts = ("METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE")
    expected |= {f"{info}/{part}" for part in parts}
    compare(path.name, names, expected)
    if missing := sorted(set(NEEDED) - names):
        raise Wrong(f"{path.name} lacks {', '.join(missing)}")
    forbid(path.name, names, FORBIDDEN)


def check_sdist(path: Path) -> None:
    """Raise Wrong if the sdist has a file too many or too few."""
    with tarfile.open(path) as sdist:
        names = {str(PurePosixPath(*PurePosixPath(name).parts[1:])) for name in sdist.getnames()}
    expected = tracked(
        "boostbench",
        "configs",
        "datasets",
        "docs",
        "scripts",
        "tests",
        "results/README.md",
        *("README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "CITATION.cff"),
        *("pyproject.toml", ".gitignore"),
    ) | {"PKG-INFO"}
    compare(path.name, names, expected)
    forbid(path.name, names - {"results/README.md"}, FORBIDDEN[1:])


def compare(archive: str, names: set[str], expected: set[str]) -> None:
    for what, those in (("has", names - expected), ("lacks", expected - names)):
        if those:
            shown = ", ".join(sorted(those)[:8])
            raise Wrong(f"{archive} {what} {len(those)} files unlike git: {shown}")
    print(f"{archive}: {len(names)} files, as in git")


def forbid(archive: str, names: set[str], folders: Sequence[str]) -> None:
    for name in sorted(names):
        found = set(PurePosixPath(name).parts) & set(folders)
        if found or name.endswith((".pyc", ".nbi", ".nbc", ".sqlite")):
            raise Wrong(f"{archive} has {name}, which no user needs")


def use(wheel: Path, here: Path) -> None:
    """Install only ``wheel`` and run the first commands of the README in an empty folder."""
    environment = {
        **{k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")},
        "NUMBA_CACHE_DIR": str(here / "numba"),
        "BOOSTBENCH_CACHE": str(here / "cache"),
    }
    run([sys.executable, "-m", "venv", str(here / "venv")], "venv")
    python, boostbench = (str(here / "venv/bin" / name) for name in ("python", "boostbench"))
    run([python, "-m", "pip", "install", "-q", str(wheel)], "pip install", env=environment)
    empty = here / "empty"
    empty.mkdir()
    there = {"env": environment, "cwd": empty}
    where = [python, "-c", "import boostbench; print(boostbench.__file__)"]
    imported = run(where, "import", **there).strip()
    if not Path(imported).is_relative_to(here / "venv"):
        raise Wrong(f"boostbench is imported from {imported}, not from the wheel")
    run([boostbench, "list", "configs"], "list configs", **there)
    run([boostbench, "run", "quickstart"], "run quickstart", **there)
    results = empty / "results" / "quickstart"
    for name in ("trials.csv", "table.html", "table.md", "table.tex", "figure.png"):
        if not (results / name).is_file():
            raise Wrong(f"boostbench run quickstart wrote no {name}")
    with (results / "trials.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    failed = [row for row in rows if row["status"] != "ok"]
    if not rows or failed:
        raise Wrong(f"{len(failed)} of {len(rows)} trials of quickstart did not end well")
    said = run([boostbench, "verify"], "verify", **there)
    if "quickstart" not in said:
        raise Wrong("boostbench verify did not judge quickstart")


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
