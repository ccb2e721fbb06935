"""The description of a machine, its packages and R, and the comparison of two descriptions."""

import os
import platform
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import psutil
import pytest

from boostbench.engine.environment import (
    circumstances,
    differences,
    environment_id,
    processor,
    snapshot,
)

FOREST = "boostbench.trees:RForestRegressor"
R_SCRIPT = """#!/bin/sh
if [ "$1" = --vanilla ] && [ "$2" = -e ]; then
    case "$3" in *'getRversion()'*'packageVersion("randomForest")'*) printf '%s' "$R_ANSWER";; esac
fi
exit $R_EXIT
"""


@pytest.fixture
def r(tmp_path, monkeypatch):
    """Put an Rscript with a given answer on the path."""
    script = tmp_path / "Rscript"
    script.write_text(R_SCRIPT)
    script.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)

    def answer(text: str, code: int = 0) -> None:
        monkeypatch.setenv("R_ANSWER", text)
        monkeypatch.setenv("R_EXIT", str(code))

    return answer


def used(*estimators: str) -> dict[str, str]:
    here = snapshot()["packages"]
    return {k: v for k, v in snapshot(estimators)["packages"].items() if k not in here}


def test_circumstances_are_of_this_machine() -> None:
    found = circumstances()
    assert set(found) == {"python", "packages", "system", "cpus", "memory_gib"}
    assert found["python"] == platform.python_version()
    assert found["cpus"] == os.cpu_count()
    assert platform.system() in found["system"]
    gib = psutil.virtual_memory().total / 2**30
    assert abs(found["memory_gib"] - gib) <= 0.05
    assert round(found["memory_gib"], 1) == found["memory_gib"]
    assert found["packages"]["threadpoolctl"] == metadata.version("threadpoolctl")
    assert "numpy" not in found["packages"]


def test_a_change_of_any_file_that_git_knows_counts(tmp_path: Path) -> None:
    def git(*arguments: str) -> str:
        who = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
        return subprocess.check_output(["git", "-C", str(tmp_path), *who, *arguments], text=True)

    git("init", "-q")
    (tmp_path / "it.yaml").write_text("name: it\n")
    (tmp_path / "own.py").write_text("")
    git("add", ".")
    git("commit", "-q", "-m", "one")
    clean = {"commit": git("rev-parse", "HEAD").strip(), "dirty": False}
    # The folder of the repository has a commit like each file in it.
    assert circumstances(tmp_path)["git"] == circumstances(tmp_path / "it.yaml")["git"] == clean
    (tmp_path / "own.py").write_text("changed = 1\n")
    assert circumstances(tmp_path / "it.yaml")["git"] == {**clean, "dirty": True}
    assert circumstances(tmp_path.parent)["git"] is None


def test_packages_are_found_by_the_module_that_an_estimator_is_in() -> None:
    assert used("yaml:Loader", "psutil.Process") == {
        "yaml": metadata.version("PyYAML"),
        **({} if "psutil" in snapshot()["packages"] else {"psutil": metadata.version("psutil")}),
    }
    assert used("yaml:Loader", "yaml.Dumper", "nowhere_at_all:A", "sklearn:B") == {
        "yaml": metadata.version("PyYAML")
    }
    assert used() == {}


def test_the_versions_of_r_count_where_its_forests_are_used(r) -> None:
    r("4.3.1 4.7.1.1")
    versions = {"R": "4.3.1", "R randomForest": "4.7.1.1"}
    assert used(FOREST) == versions
    assert used("apsw:Any", FOREST) == {**versions, **used("apsw:Any")}
    assert used("boostbench.trees:SoftRegressionTree") == {}
    assert used("own:RForestRegressor") == {}
    r("4.3.1")
    assert used(FOREST) == {"R": "4.3.1"}
    r("4.3.1 4.7.1.1 and a word of thanks")
    assert used(FOREST) == versions
    r("4.3.1 4.7.1.1", code=1)
    assert used(FOREST) == {}


@pytest.mark.parametrize(
    ("before", "now", "message"),
    [
        ({"packages": {"numpy": "1"}}, {}, []),
        ({}, {"packages": {"numpy": "1"}}, []),
        ({"packages": {"numpy": "1"}}, {"packages": None}, []),
        ({"blas": ["a 1", "b 2"]}, {"blas": ["c 3"]}, ["blas a 1, b 2 -> c 3"]),
        ({"blas": ["a 1"]}, {"blas": []}, ["blas a 1 -> none"]),
        ({"blas": ["a 1"]}, {"blas": ["a 1"]}, []),
        ({"blas": ["a 1", "b 2"]}, {"blas": ["a 1"]}, []),
        ({"settings": {"A": "1"}}, {"settings": {}}, ["A 1 -> not set"]),
        ({"settings": {"B": "1"}}, {"settings": {"A": "2"}}, ["A not set -> 2", "B 1 -> not set"]),
    ],
)
def test_what_differs_is_reported_where_both_say_it(before, now, message) -> None:
    assert differences(before, now) == message


def test_equal_descriptions_share_an_id_of_twelve_digits() -> None:
    assert environment_id({"a": 1, "b": 2}) == environment_id({"b": 2, "a": 1})
    assert environment_id({"a": 1}) != environment_id({"a": 2})
    assert len(environment_id({})) == 12


def test_the_processor_has_its_whole_name(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = "processor\t: 0\nmodel name\t: One: the fast one \nmodel name\t: Two\n"
    monkeypatch.setattr(Path, "read_text", lambda *_: lines)
    assert processor() == "One: the fast one"
    monkeypatch.setattr(Path, "read_text", lambda *_: "flags : fpu\n")
    monkeypatch.setattr(platform, "processor", lambda: "")
    assert processor() == platform.machine()
    monkeypatch.setattr(platform, "processor", lambda: "z80")
    assert processor() == "z80"


def test_without_a_compiler_no_instructions_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "boostbench.kernels.target", raising=False)
    monkeypatch.setitem(sys.modules, "llvmlite", None)
    assert snapshot()["instructions"] == ""
