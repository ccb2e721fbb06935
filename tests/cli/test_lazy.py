"""Help, for which nothing heavy is imported."""

import os
import subprocess
import sys

import pytest

# typer itself reads options by pydantic, so that is not in the list.
HEAVY = (
    "numpy", "pandas", "sklearn", "scipy", "numba", "matplotlib", "openml", "pooch", "yaml",
    "jinja2", "requests", "dask", "distributed", "dask_jobqueue",
)  # fmt: skip
CALL = "import sys; from boostbench.cli.app import main\n"


def _imported(code: str, **environment: str) -> tuple[str, set[str]]:
    """Run ``code`` and return what it wrote and the heavy packages that it imported."""
    ending = (
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        f"print('HEAVY', *[name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code + ending],
        capture_output=True, text=True, timeout=200, check=True, env={**os.environ, **environment},
    )  # fmt: skip
    text, _, heavy = done.stdout.rpartition("HEAVY")
    return text, set(heavy.split())


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"]])
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    text, heavy = _imported(CALL + f"sys.argv[1:] = {arguments!r}\n")
    assert "boostbench" in text
    assert heavy == set()
