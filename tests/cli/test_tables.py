"""Tables and text in a terminal: every cell is there, and no word is broken."""

import io

import pytest
from rich.console import Console
from trials import make_trial

from boostbench.cli.screen import Screen
from boostbench.engine.interface import Compiling
from boostbench.experiment.estimate import Costs, Estimate
from boostbench.experiment.progress import Board
from boostbench.store.types import Outcome

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
    board = Board([], {}, [make_trial()], _Known())
    assert str(board) == "0 of 1 trials, about 2 min left"
    board.compiling = Compiling(part=2, parts=5, folder="/home/me/kernels", is_kept=True)
    assert str(board) == (
        "0 of 1 trials; compiling the kernels, part 2 of 5 (once for this version and processor, "
        "kept in /home/me/kernels)"
    )


@pytest.mark.parametrize(
    ("seconds_between", "left"), [(0.5, "2 min left"), (0.25, "2 min left"), (5.0, "15 min left")]
)
def test_the_remaining_time_counts_the_pace_since_the_start(seconds_between, left) -> None:
    # Each trial runs for a second, on two workers.
    now = [0.0]
    trials = [make_trial(seed=i) for i in range(200)]
    board = Board(trials, {}, trials, Costs(), jobs=2, clock=lambda: now[0])
    board.begin()
    for trial in trials[:20]:
        now[0] += seconds_between
        board.end(trial, Outcome("ok", times={"wall_s": 1.0}))
    assert str(board) == f"20 of 200 trials, about {left}"


def test_the_pace_of_few_trials_does_not_count() -> None:
    now = [0.0]
    trials = [make_trial(seed=i) for i in range(200)]
    board = Board(trials, {}, trials, Costs(), jobs=2, clock=lambda: now[0])
    board.begin()
    now[0] += 100.0
    board.end(trials[0], Outcome("ok", times={"wall_s": 1.0}))
    assert str(board) == "1 of 200 trials, about 2 min left"


def test_a_terminal_shows_how_far_the_kernels_are_by_a_bar_and_why_they_are_compiled() -> None:
    screen, text = _terminal(100)
    screen.err = screen.out
    screen._live = True
    board = Board([], {}, [make_trial()], _Known())
    board.compiling = Compiling(3, 4, "/home/me", is_kept=False)
    with screen.trials(board):
        screen.compiling(board.compiling)
    shown = text.getvalue()
    assert "━" * 20 in shown
    assert "part 3 of 4 (in each run, as nothing can be written in /home/me;" in shown
    text.truncate(0)
    board.compiling = None
    with screen.trials(board):
        pass
    assert "━" not in text.getvalue()


def test_a_log_says_why_kernels_are_compiled_and_now_and_then_how_many_are(monkeypatch) -> None:
    screen, text = _terminal(200)
    screen.err, screen._live = Console(file=text, width=200), False
    seconds = iter([0.0, 0.0, 1.0, 12.0, 12.0, 13.0])
    monkeypatch.setattr("time.monotonic", lambda: next(seconds))
    with screen.trials(Board([], {}, [], _Known())):
        for part in range(1, 5):
            screen.compiling(Compiling(part, 4, "/home/me", is_kept=True))
    lines = text.getvalue().splitlines()
    assert [line.partition(" (")[0] for line in lines] == [
        "compiling the kernels, part 1 of 4",
        "compiling the kernels, part 3 of 4",
    ]
