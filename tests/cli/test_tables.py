"""Tables and text in a terminal: they fit where they can, and no word is broken."""

import io
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from boostbench.cli.console import Screen
from boostbench.cli.live import ScreenListener
from boostbench.cli.tables import fitted, table_width, wrapped
from boostbench.experiment.estimate import Estimate
from boostbench.experiment.progress import Board, overall

HEADER = ["data set", "srt", "srt_l2_best5", "random_forest", "adaboost_ecc"]
ROWS = [
    ["yacht", "0.991 ✓ (0.992)", "0.994", "0.98", "0.9"],
    ["computer_hardware", "1", "2", "3", "4"],
]

names = st.text("abc_", min_size=1, max_size=12).filter(lambda text: text.strip("_"))
tables = st.integers(2, 8).flatmap(
    lambda width: st.tuples(
        st.lists(names, min_size=width, max_size=width),
        st.lists(st.lists(names, min_size=width, max_size=width), min_size=1, max_size=8),
    )
)


def _cells(parts, turned):
    """Return each cell by its row and column of the whole table."""
    found = {}
    for header, rows in parts:
        for row in rows:
            for name, cell in zip(header[1:], row[1:], strict=True):
                found[(name, row[0]) if turned else (row[0], name)] = cell
    return found


def test_long_names_are_folded_before_a_table_is_turned() -> None:
    ((header, rows),), turned = fitted(HEADER, [[row[0], *"1234"] for row in ROWS], 62)
    assert (header[3], turned) == ("random_\nforest", False)
    assert rows[0] == ["yacht", *"1234"]


def test_a_table_that_is_too_wide_either_way_is_split() -> None:
    rows = [[f"set{i}", *(f"{i}{j}" * 4 for j in range(9))] for i in range(9)]
    parts, turned = fitted(["data", *(f"method{j}" for j in range(9))], rows, 50)
    assert len(parts) > 1
    assert all(table_width(*part) <= 50 for part in parts)
    found = _cells(parts, turned)
    assert found == {(f"set{i}", f"method{j}"): f"{i}{j}" * 4 for i in range(9) for j in range(9)}


@given(tables, st.integers(10, 100))
def test_no_cell_is_lost_and_no_part_is_wider_than_it_must_be(table, width) -> None:
    header, rows = table
    parts, turned = fitted(header, rows, width)
    assert sum(len(row) - 1 for _, some in parts for row in some) == len(rows) * (len(header) - 1)
    for part in parts:
        assert table_width(*part) <= width or len(part[0]) == 2 or len(parts) == 1
    if turned:
        assert parts[0][1][0][0] == header[1]


@given(
    st.lists(st.text("abcdefg/.-", min_size=1, max_size=30), min_size=1, max_size=40),
    st.integers(10, 80),
)
def test_text_is_wrapped_between_words_only(words, width) -> None:
    text = " ".join(words)
    lines = wrapped(text, width).split("\n")
    assert " ".join(lines).split() == text.split()
    assert all(len(line) <= width or " " not in line.strip() for line in lines)


def test_a_command_stays_one_for_a_shell() -> None:
    command = "boostbench run configs/d3.yaml --set seeds=3 --only dataset=yacht --jobs 4 --offline"
    text = wrapped(f"interrupted; what is done is kept, resume with: {command}", 50)
    prose, _, shell = text.partition("boostbench")
    assert " ".join(prose.split()) == "interrupted; what is done is kept, resume with:"
    joined = f"boostbench{shell}".replace("\\\n", " ")
    assert "\n" not in joined
    assert joined.split() == command.split()
    assert all(len(line) <= 50 for line in text.split("\n"))


def _terminal(width: int) -> tuple[Screen, io.StringIO]:
    screen, text = Screen(), io.StringIO()
    screen.out = Console(file=text, force_terminal=True, width=width, color_system=None)
    return screen, text


def test_a_wide_table_in_a_terminal_is_turned_and_whole() -> None:
    screen, text = _terminal(60)
    screen.table(HEADER, ROWS)
    written = text.getvalue()
    assert all(name in written for name in HEADER[1:])
    assert "0.991 ✓ (0.992)" in written
    assert max(map(len, written.splitlines())) <= 60


def test_while_kernels_compile_there_is_no_estimate(capsys: pytest.CaptureFixture[str]) -> None:
    board = Board([], {}, [], estimate=lambda cells: Estimate(seconds=99.0))
    board.to_run = 7
    assert "about 2 min left" in overall(board)
    listener = ScreenListener(Screen())
    with listener.trials(board):
        board.compiling = True
        listener.compiling(True)
        assert overall(board) == "0 of 7 trials; compiling the kernels (once)"
        board.compiling = False
        listener.compiling(False)
    assert "about 2 min left" in overall(board)
    assert textwrap.dedent(capsys.readouterr().err) == "compiling the kernels (once)\n"
