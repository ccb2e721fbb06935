"""The differences between environments that count, and those that do not."""

import json
import os
import subprocess
import sys

import pytest

from boostbench.data.image_files import load_opencv
from boostbench.engine.environment import (
    Description,
    differences,
    environment_id,
    identity,
    mismatch,
    run_facts,
    snapshot,
)

HERE = snapshot()
OURS = {
    "python": "3.11",
    "implementation": "CPython",
    "packages": {"boostbench": "1.0", "numpy": "2.1.0", "pandas": "2.2.0", "lightgbm": "4.5.0"},
    "settings": {},
    "libc": "glibc 2.36",
    "machine": "x86_64",
    "cpu": "one",
    "instructions": "avx2",
    "blas": ["openblas 0.3.30 Haswell"],
}


def test_a_description_has_only_facts_that_change_results() -> None:
    assert list(HERE) == list(Description.__annotations__)
    assert HERE["cpu"]
    assert HERE["instructions"]
    assert {"numpy", "scipy", "scikit-learn", "numba", "llvmlite"} <= set(HERE["packages"])
    assert environment_id(HERE) == environment_id(json.loads(json.dumps(snapshot())))
    assert not {"system", "memory_gib", "git"} & set(HERE)


def test_a_commit_is_no_change_of_the_environment_and_a_release_is(monkeypatch) -> None:
    def described(version):
        monkeypatch.setattr("boostbench.release.installed", lambda: version)
        return snapshot()

    release, commit, next_commit, other, unknown = map(
        described,
        ("0.2.0", "0.2.0.post1.dev1+gaaaaaaa", "0.2.0.post1.dev2+gbbbbbbb", "0.3.0", "0.0"),
    )
    assert release == commit == next_commit
    assert release["packages"]["boostbench"] == "0.2.0"
    assert differences(release, other) == ["boostbench 0.2.0 -> 0.3.0"]
    assert differences(release, unknown) == differences(unknown, release) == []
    assert "boostbench" not in unknown["packages"]


_IN_A_NEW_PROCESS = """
from boostbench.engine.environment import snapshot
first = snapshot()
import sklearn.ensemble
from threadpoolctl import threadpool_info
print(first == snapshot(), len(first["blas"]), len(threadpool_info()))
"""


def test_the_libraries_of_linear_algebra_are_known_before_they_are_used() -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-c", _IN_A_NEW_PROCESS], capture_output=True, text=True, check=True
    )
    same, found, loaded = done.stdout.split()
    assert same == "True"
    assert 1 <= int(found) <= int(loaded)


def numpy_is(version, **others):
    return {"packages": {**OURS["packages"], "numpy": version, **others}}


@pytest.mark.parametrize(
    ("change", "major", "minor"),
    [
        # What refuses a worker of a cluster.
        ({"python": "3.12"}, "python 3.11 -> 3.12", ""),
        (numpy_is("2.3.1"), "numpy 2.1.0 -> 2.3.1", ""),
        ({"settings": {"NUMBA_CPU_NAME": "generic"}}, "NUMBA_CPU_NAME not set -> generic", ""),
        (
            {"blas": ["mkl 2024", "openblas 0.3.29 Zen"]},
            "blas openblas 0.3.30 Haswell -> mkl 2024, openblas 0.3.29 Zen",
            "",
        ),
        # What changes no more than last digits.
        (
            {"cpu": "two", "libc": "musl", "blas": ["openblas 0.3.30 SkylakeX"]},
            "",
            "libc glibc 2.36 -> musl; cpu one -> two; "
            "blas openblas 0.3.30 Haswell -> openblas 0.3.30 SkylakeX",
        ),
        ({"instructions": "avx512f"}, "", "instructions avx2 -> avx512f"),
        # Facts that are not compared.
        ({"system": "Linux 6.18", "memory_gib": 16.0, "cpus": 96, "git": None}, "", ""),
        (numpy_is("2.1.0", pandas="3.0.0"), "", ""),
        ({"blas": ["openblas 0.3.30 Haswell", "openblas 0.3.31 Haswell"]}, "", ""),
        ({"threads_per_trial": 1}, "", ""),
    ],
)
def test_differences_are_minor_or_refuse_a_worker(change, major, minor) -> None:
    ours, theirs = ({"source": "aaaa", "environment": each} for each in (OURS, {**OURS, **change}))
    assert (mismatch(ours, theirs), mismatch(ours, theirs, minor=True)) == (major, minor)
    assert "; ".join(differences(OURS, {**OURS, **change})) == major + minor


def test_only_a_missing_package_or_other_sources_refuse_a_worker() -> None:
    theirs = {**OURS, "packages": {"boostbench": "1.0", "lightgbm": "4.5.0", "scipy": "1.14.0"}}
    assert differences(OURS, theirs) == []
    ours, theirs = (
        {"source": source, "environment": each} for source, each in (("a", OURS), ("b", theirs))
    )
    assert mismatch(ours, theirs) == "numpy 2.1.0 -> not set; sources of boostbench a -> b"


@pytest.mark.parametrize(
    ("release", "source", "said"),
    [
        ("1.0", "a", ""),
        ("1.1", "a", "boostbench 1.0 -> 1.1"),
        # Where no release is known the sources decide.
        (None, "a", ""),
        (None, "b", "sources of boostbench a -> b"),
    ],
)
def test_the_release_of_a_worker(release, source, said) -> None:
    packages = {name: text for name, text in OURS["packages"].items() if name != "boostbench"}
    packages |= {"boostbench": release} if release else {}
    theirs = {"source": source, "environment": {**OURS, "packages": packages}}
    assert mismatch({"source": "a", "environment": OURS}, theirs) == said


def test_this_process_is_its_own_match() -> None:
    here = identity(["sklearn.dummy.DummyRegressor"])
    assert mismatch(here, here) == mismatch(here, here, minor=True) == ""
    assert len(here["source"]) == 12


def test_a_setting_that_compiles_otherwise_is_a_difference(monkeypatch) -> None:
    monkeypatch.setenv("NUMBA_CPU_NAME", "generic")
    setting, instructions = differences(HERE, snapshot())
    assert setting == "NUMBA_CPU_NAME not set -> generic"
    assert instructions.startswith(f"instructions {HERE['instructions']} -> ")
    assert environment_id(snapshot()) != environment_id(HERE)


def test_packages_of_estimators_are_described_where_they_are_used(tmp_path, monkeypatch) -> None:
    used = snapshot(["sklearn.linear_model.Ridge", "hypothesis.core:State", "nowhere.at:All"])
    assert set(used["packages"]) - set(HERE["packages"]) == {"hypothesis"}
    script = tmp_path / "Rscript"
    script.write_text("#!/bin/sh\nprintf '4.3.1 4.7.1.1'\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    used = snapshot(["boostbench.trees:RForestRegressor"])["packages"]
    assert (used["R"], used["R randomForest"]) == ("4.3.1", "4.7.1.1")


def test_the_commit_and_whether_there_are_changes(tmp_path) -> None:
    def git(*arguments):
        who = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
        where = ["git", "-C", str(tmp_path), *who, *arguments]
        return subprocess.run(where, check=True, capture_output=True, text=True).stdout.strip()

    config = tmp_path / "it.yaml"
    config.write_text("name: it\n")
    assert run_facts(config)["git"] is None
    git("init", "-q")
    (tmp_path / "other").write_text("")
    git("add", "other")
    git("commit", "-q", "-m", "one")
    commit = git("rev-parse", "HEAD")
    # An experiment file that git does not know is a change, a file of results is none.
    assert run_facts(config)["git"] == {"commit": commit, "dirty": True}
    git("add", "it.yaml")
    git("commit", "-q", "-m", "two")
    (tmp_path / "results.csv").write_text("")
    assert run_facts(config)["git"] == {"commit": git("rev-parse", "HEAD"), "dirty": False}
    config.write_text("name: other\n")
    assert run_facts(config)["git"]["dirty"] is True


def test_the_linear_algebra_of_opencv_is_no_part_of_it() -> None:
    pytest.importorskip("cv2")
    before = snapshot()["blas"]
    load_opencv()
    assert snapshot()["blas"] == before
