"""Help and results, for which nothing heavy is imported."""

import subprocess
import sys
from pathlib import Path

import pytest

# typer itself reads options by pydantic, so that is not in the list.
HEAVY = {
    "numpy",
    "pandas",
    "sklearn",
    "scipy",
    "numba",
    "matplotlib",
    "openml",
    "pooch",
    "yaml",
    "jinja2",
    "requests",
    "dask",
    "distributed",
    "dask_jobqueue",
}
CALL = """\
import sys
from boostbench.cli.app import main
try:
    main(sys.argv[1:])
finally:
    print("MODULES", *sys.modules)
"""


ARCHIVE = Path(__file__).parents[2] / "results" / "quickstart" / "archive"
ESTIMATORS = {"sklearn", "scipy.stats", "numba", "matplotlib", "distributed"}


@pytest.mark.parametrize(
    ("arguments", "heavy"),
    [
        (["--help"], HEAVY),
        (["run", "--help"], HEAVY),
        (["list", "methods"], ESTIMATORS),
        (["status", str(ARCHIVE)], {*ESTIMATORS, "pandas", "scipy", "jinja2"}),
    ],
)
def test_commands_import_nothing_heavy_that_they_do_not_need(
    arguments: list[str], heavy: set[str]
) -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-c", CALL, *arguments],
        capture_output=True,
        text=True,
        timeout=200,
        check=True,
    )
    text, _, modules = done.stdout.rpartition("MODULES")
    assert text.strip()
    assert heavy.isdisjoint(modules.split())
