"""Tables and text in a terminal: every cell is there, and no word is broken."""

import io
from types import SimpleNamespace

import pytest
from rich.console import Console

from boostbench.cli.screen import Screen
from boostbench.experiment.estimate import Costs, Estimate
from boostbench.experiment.progress import Board

HEADER = ["data set", "srt", "srt_l2_best5", "random_forest", "adaboost_ecc"]
ROWS = [
    ["yacht", "0.991 ✓ (0.992)", "0.994", "0.98", "0.9"],
    ["computer_hardware", "1", "2", "3", "4"],
]


def _terminal(width: int) -> tuple[Screen, io.StringIO]:
    screen, text = Screen(), io.StringIO()
    screen.out = Console(file=text, force_terminal=True, width=width, color_system=None)
    return screen, text


@pytest.mark.parametrize("width", [120, 80, 60, 40])
def test_a_table_fits_a_narrow_terminal_and_no_word_is_broken(width: int) -> None:
    screen, text = _terminal(width)
    screen.table(HEADER, ROWS)
    words = text.getvalue().split()
    for cell in [cell for row in [HEADER, *ROWS] for cell in row]:
        assert set(cell.split()) <= set(words)
    assert max(map(len, text.getvalue().splitlines())) <= width
    # In parts, each with the first column.
    assert words.count("computer_hardware") == (1 if width >= 80 else 2 if width == 60 else 4)


@pytest.mark.parametrize("keys", [1, 2])
def test_each_part_of_a_table_names_its_rows_in_full(keys: int) -> None:
    screen, text = _terminal(50)
    header = ["method", "against", *(f"figure_{n}" for n in range(8))]
    rows = [[f"left_{i}", f"right_{i}", *(f"{i}.{n}" for n in range(8))] for i in range(3)]
    screen.table(header, rows, range(keys), keys)
    lines = [line.split() for line in text.getvalue().splitlines()]
    of_row = [line for line in lines if line[:1] == ["left_1"]]
    assert len(of_row) > 1
    assert sorted(cell for line in of_row for cell in line[keys:]) == sorted(rows[1][keys:])
    assert {tuple(line[:keys]) for line in of_row} == {tuple(rows[1][:keys])}


def test_prose_is_wrapped_between_words_and_a_command_stays_whole() -> None:
    screen, text = _terminal(50)
    prose = "the environment has changed since 8 recorded trials ran: results may differ"
    screen.write(prose)
    lines = text.getvalue().splitlines()
    assert len(lines) > 1
    assert " ".join(" ".join(lines).split()) == prose
    command = "boostbench run configs/d3.yaml --set seeds=3 --only dataset=yacht --jobs 4 --offline"
    screen.write(f"interrupted; finished trials are kept, resume with: {command}")
    assert f"{command}\n" in text.getvalue()


class _Known(Costs):
    def estimate(self, trials, jobs):
        return Estimate(seconds=99.0)


def test_while_kernels_compile_there_is_no_estimate() -> None:
    board = Board([], {}, [SimpleNamespace(key="any")], _Known())
    assert str(board) == "0 of 1 trials, about 2 min left"
    board.compiling = True
    assert str(board) == "0 of 1 trials; compiling the kernels (once)"
