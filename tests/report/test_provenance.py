"""What a page says of commands and machines: the words, without folders, hosts and clocks."""

import dataclasses

import pytest

from boostbench.report.provenance import command_line, commands
from boostbench.store.types import Run

RUN = Run(
    "1",
    "e1",
    ["boostbench", "run", "/home/someone/d3.yaml"],
    1.7e9,
    details={
        "git": {"commit": "0123456789abcdef", "dirty": True},
        "python": "3.11.2",
        "system": "Linux 6.1",
        "cpus": 4,
        "memory_gib": 7.5,
    },
)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["run", "configs/d3.yaml", "-j", "2"], "run configs/d3.yaml -j 2"),
        (["run", "/home/someone/d3.yaml"], "run d3.yaml"),
        (["run", "../../someone/d3.yaml"], "run d3.yaml"),
        (["run", "~someone/d3.yaml"], "run d3.yaml"),
        (["--set", "results=/scratch/someone/x"], "--set results=x"),
        (["--mirror=/scratch/someone/mirror"], "--mirror=mirror"),
        (["--mirror", "C:\\Users\\someone\\mirror"], "--mirror mirror"),
        (["--mirror", "/"], "--mirror …"),
        (["--set", "title=two words"], "--set 'title=two words'"),
        (["--set", "limits={memory: 4 GiB}"], "--set 'limits={memory: 4 GiB}'"),
        (["--cluster", "tcp://10.0.0.7:8786"], "--cluster tcp://…"),
        (["--only", "method=srt*"], "--only method=srt*"),
    ],
)
def test_commands_are_shown_without_folders_and_hosts(words, line) -> None:
    assert command_line(words) == line


def test_equal_commands_are_one_row_whatever_the_clock_and_the_order() -> None:
    later = dataclasses.replace(
        RUN, id="2", started=1.8e9, command=["boostbench", "run", "d3.yaml"]
    )
    other = dataclasses.replace(RUN, id="3", command=["boostbench", "run", "d2"], details={})
    for runs in ([RUN, later, other], [other, later, RUN]):
        table = commands(runs)
        assert [[item.text for item in row] for row in table.rows] == [
            ["boostbench run d2", "", "", "e1", ""],
            [
                "boostbench run d3.yaml", "", "0123456789ab with changes", "e1",
                "Python 3.11.2, Linux 6.1, 4 processors, 7.5 GiB",
            ],
        ]  # fmt: skip
