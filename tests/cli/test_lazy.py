"""Help, for which nothing heavy is imported."""

import subprocess
import sys

import pytest

# typer itself reads options by pydantic, so that is not in the list.
HEAVY = {
    "numpy", "pandas", "sklearn", "scipy", "numba", "matplotlib", "openml", "pooch", "yaml",
    "jinja2", "requests", "dask", "distributed", "dask_jobqueue",
}  # fmt: skip
CALL = """\
import sys
from boostbench.cli.app import main
try:
    main(sys.argv[1:])
finally:
    print("MODULES", *sys.modules)
"""


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"]])
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-c", CALL, *arguments],
        capture_output=True, text=True, timeout=200, check=True,
    )  # fmt: skip
    text, _, modules = done.stdout.rpartition("MODULES")
    assert "boostbench" in text
    assert HEAVY.isdisjoint(modules.split())
