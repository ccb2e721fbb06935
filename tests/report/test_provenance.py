"""What a page says of commands and machines: the words, without folders, hosts and clocks."""

import dataclasses
from collections.abc import Mapping
from typing import Any

import pytest
from pages import page_of
from parts import Memory, ok, trial

from boostbench.store.types import RecordedRun

GIT = {"commit": "0123456789abcdef", "dirty": True}
DETAILS = {"git": GIT, "python": "3.11.2", "system": "Linux 6.1", "cpus": 4, "memory_gib": 7.5}
RUN = RecordedRun("1", "e1", ["boostbench", "run", "/home/someone/d3.yaml"], 1.7e9, details=DETAILS)


def recorded(*runs: RecordedRun, environments: Mapping[str, Any] | None = None) -> Memory:
    """Return a store with one trial, and these runs and environments."""
    plan = [trial("yacht", "srt")]
    outcomes = {plan[0].key: ok(0.5)}
    return Memory(plan, outcomes, {"name": "small"}, environments or {}, commands=runs)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["run", "/home/someone/d3.yaml"], "run d3.yaml"),
        (["--mirror=/scratch/someone/mirror"], "--mirror=mirror"),
        (["--mirror", "C:\\Users\\someone\\mirror"], "--mirror mirror"),
        (["--set", "results=x/../../someone/y"], "--set results=y"),
        (["--set", "datasets=[{file: /a/b.csv}]"], "--set 'datasets=[{file: b.csv}]'"),
        (["--cluster", "tcp://10.0.0.7:8786"], "--cluster tcp://…"),
        (["--only", "method=srt*"], "--only method=srt*"),
    ],
)
def test_commands_are_shown_without_folders_and_hosts(words, line) -> None:
    page = page_of(recorded(dataclasses.replace(RUN, command=words)))
    assert page.column("Command lines", "Command") == [line]


def test_equal_commands_are_one_row_whatever_the_clock_and_the_order() -> None:
    later = dataclasses.replace(
        RUN, id="2", started=1.8e9, command=["boostbench", "run", "d3.yaml"]
    )
    other = dataclasses.replace(RUN, id="3", command=["boostbench", "run", "d2"], details={})
    for runs in ([RUN, later, other], [other, later, RUN]):
        rows = page_of(recorded(*runs)).rows("Command lines")
        assert [list(row.values()) for row in rows] == [
            ["boostbench run d2", "", "e1", ""],
            [
                "boostbench run d3.yaml",
                "0123456789ab with changes",
                "e1",
                "Python 3.11.2, Linux 6.1, 4 processors, 7.5 GiB",
            ],
        ]


def test_environments_that_differ_have_a_column_each_and_nothing_private() -> None:
    environments = {
        "a" * 64: {"python": "3.11", "packages": {"numpy": "2.4"}, "host": "h", "blas": ["x", "y"]},
        "b" * 64: {"python": "3.12", "executable": "/bin/p", "where": "/home/someone"},
    }
    rows = page_of(recorded(environments=environments)).rows("Environments")
    assert [list(row.values()) for row in rows] == [
        ["python", "3.11", "3.12"],
        ["packages: numpy", "2.4", ""],
        ["blas", "x; y", ""],
    ]
    assert list(rows[0]) == ["Property", "a" * 12, "b" * 12]
