"""Which remote workers may be used, and the sentence about those that differ."""

import pytest

from boostbench.engine.environment import identity, mismatch, remark, source_hash

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
    assert mismatch(here, here, "w1") is None
    assert remark(here, here, "w1") is None
    assert here["source"] == source_hash()
    assert len(here["source"]) == 12
    assert "numpy" in here["environment"]["packages"]


@pytest.mark.parametrize(
    ("theirs", "words"),
    [
        (other(packages=packages(numpy="2.3")), "w1 has numpy 2.3, here it is 2.1.0"),
        (other(packages=packages(numpy=None)), "w1 has no numpy, here it is 2.1.0"),
        (other(source="bbbb"), "(1.0, sources bbbb) than here (1.0, sources aaaa)"),
        (other(python="3.12"), "w1 has python 3.12, here it is 3.11"),
        (
            other(settings={"NUMBA_CPU_NAME": "generic"}),
            "w1 has NUMBA_CPU_NAME generic, here it is not set",
        ),
        (
            other(blas=["mkl 2024", "openblas 0.3.29 Zen"]),
            "w1 has blas mkl 2024, openblas 0.3.29 Zen, here it is openblas 0.3.30 Haswell",
        ),
    ],
)
def test_a_worker_that_computes_with_something_else_is_refused(theirs, words):
    message = mismatch(OURS, theirs, "w1")
    assert words in message
    assert message.endswith(": install the same there")
    assert message.startswith("the worker w1 has ")


@pytest.mark.parametrize(
    "theirs",
    [
        other(packages=packages(pandas="3.0")),
        other(cpu="two", instructions="avx512f", libc="glibc 2.40"),
        other(blas=["openblas 0.3.30 Haswell", "openblas 0.3.31 Haswell"]),
    ],
)
def test_what_cannot_change_more_than_last_digits_is_no_reason_to_refuse(theirs):
    assert mismatch(OURS, theirs, "w1") is None


def test_another_processor_is_worth_a_word():
    assert remark(OURS, other(python="3.12", packages={}), "w1") is None
    message = remark(OURS, other(cpu="two", libc="musl", blas=[]), "w1")
    assert message.startswith("the worker w1 has another processor or C library (")
    assert "(libc musl, here glibc 2.36; cpu two, here one; blas none, here openblas" in message
    for name in ("instructions", "cpu", "libc"):
        assert f"({name} x, here " in remark(OURS, other(**{name: "x"}), "w1")
