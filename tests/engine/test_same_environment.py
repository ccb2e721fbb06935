"""Which remote workers may be used, and the sentence about those that differ."""

import pytest

from boostbench.engine.environment import identity, source_hash, unlike

OURS = {
    "source": "aaaa",
    "environment": {
        "python": "3.11",
        "implementation": "CPython",
        "packages": {"boostbench": "1.0", "numpy": "2.1.0"},
        "settings": {},
        "libc": "glibc 2.36",
        "machine": "x86_64",
        "cpu": "one",
        "instructions": "avx2",
        "blas": ["openblas 0.3.30 Haswell"],
    },
}


def other(**changes):
    source = changes.pop("source", OURS["source"])
    return {"source": source, "environment": {**OURS["environment"], **changes}}


def packages(**changes):
    found = {**OURS["environment"]["packages"], **changes}
    return {name: version for name, version in found.items() if version}


def test_this_process_is_its_own_match():
    here = identity(["sklearn.dummy.DummyRegressor"])
    assert unlike(here, here) == unlike(here, here, minor=True) == ""
    assert here["source"] == source_hash()
    assert len(here["source"]) == 12
    assert "numpy" in here["environment"]["packages"]


@pytest.mark.parametrize(
    ("theirs", "words"),
    [
        (other(packages=packages(numpy="2.3")), "numpy 2.1.0 -> 2.3"),
        (other(packages=packages(numpy=None)), "numpy 2.1.0 -> not set"),
        (other(source="bbbb"), "sources of boostbench aaaa -> bbbb"),
        (
            other(python="3.12", source="bbbb"),
            "python 3.11 -> 3.12; sources of boostbench aaaa -> bbbb",
        ),
        (
            other(settings={"NUMBA_CPU_NAME": "generic"}),
            "NUMBA_CPU_NAME not set -> generic",
        ),
        (
            other(blas=["mkl 2024", "openblas 0.3.29 Zen"]),
            "blas openblas 0.3.30 Haswell -> mkl 2024, openblas 0.3.29 Zen",
        ),
    ],
)
def test_a_worker_that_computes_with_something_else_is_refused(theirs, words):
    assert unlike(OURS, theirs) == words
    assert unlike(OURS, theirs, minor=True) == ""


@pytest.mark.parametrize(
    ("theirs", "words"),
    [
        (other(packages=packages(pandas="3.0")), ""),
        (other(blas=["openblas 0.3.30 Haswell", "openblas 0.3.31 Haswell"]), ""),
        (
            other(cpu="two", libc="musl", blas=[]),
            "libc glibc 2.36 -> musl; cpu one -> two; blas openblas 0.3.30 Haswell -> none",
        ),
        (other(instructions="avx512f"), "instructions avx2 -> avx512f"),
    ],
)
def test_what_cannot_change_more_than_last_digits_is_no_reason_to_refuse(theirs, words):
    assert unlike(OURS, theirs) == ""
    assert unlike(OURS, theirs, minor=True) == words
