"""Compiled kernels are kept in the user's cache, whatever becomes of the installation."""

import os
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

import pytest
from numba import config

from boostbench.kernels import cache_folder
from boostbench.kernels.jit import kernel

pytestmark = pytest.mark.skipif(
    bool(getattr(config, "DISABLE_JIT", False)), reason="nothing is compiled"
)

KERNEL = """
from boostbench.kernels.jit import kernel

@kernel
def twice(x):
    return 2 * x + {added}
"""
ASKED = "from doubled import twice\nprint(twice(3), sum(twice.stats.cache_hits.values()))"


def install(folder: Path, added: int = 0) -> Path:
    """Write a package with one kernel in a folder, as an installation does."""
    package = folder / "family"
    package.mkdir(parents=True)
    (package / "doubled.py").write_text(KERNEL.format(added=added))
    return package


def ask(package: Path, home: Path, **settings: str) -> str:
    """Call the kernel in a new process; return its result and how often a kept one was found."""
    environment = {k: v for k, v in os.environ.items() if k != "NUMBA_CACHE_DIR"}
    done = subprocess.run(
        [sys.executable, "-B", "-c", ASKED],
        cwd=package,
        env={**environment, "HOME": str(home), "XDG_CACHE_HOME": str(home / ".cache"), **settings},
        capture_output=True,
        text=True,
        check=True,
    )
    assert not done.stderr
    return done.stdout.strip()


def kept(folder: Path) -> set[Path]:
    """Return the folders below one with compiled kernels."""
    return {path.parent for path in folder.rglob("*.nbi")}


def test_each_processor_has_its_kernels_and_other_installations_find_them(tmp_path: Path) -> None:
    first, second = install(tmp_path / "1"), install(tmp_path / "another" / "place")
    other = install(tmp_path / "2", added=1)
    home = tmp_path / "home"
    assert ask(first, home) == "6 0"
    assert [path.name for path in first.iterdir()] == ["doubled.py"]
    assert ask(first, home, NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES="") == "6 0"
    assert len(kept(home)) == 2
    if os.environ.get("BOOSTBENCH_PLAIN_NUMBA"):
        assert ask(first, home) == "6 1"
        return  # numba's own cache is kept by path
    assert ask(second, home) == "6 1"
    assert ask(other, home) == "7 0"
    assert len(kept(home)) == 3


def test_numbas_own_setting_names_another_folder(tmp_path: Path) -> None:
    home, named = tmp_path / "home", tmp_path / "named"
    assert ask(install(tmp_path), home, NUMBA_CACHE_DIR=str(named)) == "6 0"
    assert kept(named)
    assert not kept(home)


def test_without_a_folder_to_write_in_kernels_work_and_are_not_kept(tmp_path: Path) -> None:
    package, home = install(tmp_path), tmp_path / "home"
    home.touch()  # so that not even root can write in it
    assert ask(package, home) == "6 0"
    assert not kept(tmp_path)


def doubled(x):  # type: ignore[no-untyped-def]
    return 2 * x


def ask_here() -> str:
    """Call a kernel as a new process would; return as ``ask`` does."""
    cache_folder.folder_of.cache_clear()
    twice = kernel(doubled)
    return f"{twice(3)} {sum(twice.stats.cache_hits.values())}"


@pytest.mark.own_compiler
@pytest.mark.parametrize("ending", ["nbi", "nbc"])
def test_damaged_kernels_are_compiled_again(
    ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))
    assert [ask_here() for _ in range(2)] == ["6 0", "6 1"]
    (file,) = tmp_path.rglob(f"*.{ending}")
    file.write_bytes(file.read_bytes()[:50])
    assert [ask_here() for _ in range(2)] == ["6 0", "6 1"]
    cache_folder.folder_of.cache_clear()


def made(place: Path, names: Iterable[str], days_ago: float) -> None:
    for name in names:
        (place / name).mkdir(parents=True)
        (place / name / "kernel.nbi").touch()
        then = time.time() - days_ago * 86_400
        os.utime(place / name, (then, then))


def test_kernels_that_were_not_used_for_long_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache_folder, "root", lambda: tmp_path)
    used = cache_folder.folder_of.__wrapped__("trees", "sources")
    assert used is not None
    made(tmp_path, ["trees-0123456789abcdef", "boosting-0123456789abcdef"], 100)
    made(tmp_path, ["trees-fedcba9876543210"], 20)
    made(tmp_path, ["notes"], 100)  # not one of ours
    os.utime(used, (0, 0))
    assert cache_folder.folder_of.__wrapped__("trees", "sources") == used
    assert len(list(tmp_path.iterdir())) == 5  # nothing new was made
    new = cache_folder.folder_of.__wrapped__("trees", "other sources")
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {used.name, getattr(new, "name", ""), "trees-fedcba9876543210", "notes"}
