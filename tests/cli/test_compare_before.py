"""``compare NAME@before NAME``: outcomes before an edit of own code beside those after."""

import json
from pathlib import Path
from typing import Any

import pytest
from experiments import DUMMY, write, write_model

from boostbench.store.store import Store

WHY = ["its source", "1 of 2 runs only in A"]
FIT = "y = y + {0} * X[:, 2]"


@pytest.fixture
def model(request: pytest.FixtureRequest) -> str:
    """The name of a module that no other test has: this process keeps modules."""
    return f"before_{abs(hash(request.node.nodeid))}"


@pytest.fixture
def edited(cli, folder: Path, model: str, undrawn: None) -> Path:
    """The results of four runs, before and after an edit."""
    write("own", write_model(model, FIT.format("0.0")), DUMMY)
    cli.well("run", "own.yaml", "-j", "1")
    _edit(model, "100.0")
    cli.well("run", "own.yaml", "-j", "1")
    return folder / "results" / "own"


def _edit(model: str, slope: str) -> None:
    write_model(model, FIT.format(slope))


def _compared(cli, *words: str) -> dict[str, Any]:
    cells = json.loads(cli.well("compare", *words, "--json").out)["cells"]
    return {cell["method"]: cell for cell in cells}


def _r2(folder: Path, code: str) -> list[float]:
    """Return the R2 of the runs of the method with this code, by fold."""
    with Store.read(folder) as store:
        outcomes = store.outcomes()
        trials = [*store.outside_plan([]), *store.plan()]
    by_fold = {t.fold: outcomes[t.key].metrics["r2"] for t in trials if t.code == code}
    return [by_fold[fold] for fold in sorted(by_fold)]


def _codes(folder: Path) -> tuple[str, str]:
    """Return the digests of the code before and after."""
    with Store.read(folder) as store:
        (after,) = {trial.code for trial in store.plan() if trial.method == "own"}
        before = [trial.code for trial in store.outside_plan([]) if trial.method == "own"]
    return next(code for code in before if code != after), after


def test_outcomes_before_stand_beside_those_after(cli, edited: Path) -> None:
    was = (edited / "store.sqlite").read_bytes()
    cells = _compared(cli, "own@before", "own")
    before, after = (_r2(edited, code) for code in _codes(edited))
    own = cells["own"]
    assert own["a"] == pytest.approx(sum(before) / 2)
    assert own["b"] == pytest.approx(sum(after) / 2)
    assert own["a"] != own["b"]
    assert (own["runs"], own["why"]) == (2, ["its source"])
    assert cells["dummy"]["change"] == "equal bit for bit in their common runs"
    assert (edited / "store.sqlite").read_bytes() == was
    back = _compared(cli, "own.yaml", "results/own@before")["own"]
    assert back["difference"] == pytest.approx(-own["difference"])
    text = cli.well("compare", "own@before", "own").out
    assert text.startswith("A: results/own@before, B: results/own; ")
    assert "its source" in text
    assert set(_compared(cli, "own@before", "own", "--only", "method=own")) == {"own"}


def test_only_the_last_code_before_counts(cli, edited: Path, model: str) -> None:
    before, after = _codes(edited)
    _edit(model, "300.0")
    cli.well("run", "own.yaml", "-j", "1", "--only", "fold=0")
    cell = _compared(cli, "own@before", "own")["own"]
    assert cell["a"] == pytest.approx(_r2(edited, after)[0])
    assert (cell["runs"], cell["why"]) == (1, [*WHY, "one split decides nothing"])
    # Back at the first code, the one before is that which ran last, with one of its folds.
    _edit(model, "0.0")
    cli.well("run", "own.yaml", "-j", "1")
    cell = _compared(cli, "own@before", "own")["own"]
    assert (cell["runs"], cell["b"]) == (1, pytest.approx(_r2(edited, before)[0]))


def test_other_settings_changed_with_the_code_are_named(cli, edited: Path, model: str) -> None:
    _edit(model, "300.0")
    words = ("--set", "methods.0.params.strategy=median")
    cli.well("run", "own.yaml", "-j", "1", *words)
    why = _compared(cli, "own@before", "own")["own"]["why"]
    assert why[0] == "its source" or why[-1] == "its source"
    assert any("strategy" in text for text in why)


def test_a_changed_parameter_alone_is_no_edit(cli, folder: Path, model: str, undrawn) -> None:
    write("own", write_model(model, FIT.format("0.0")), DUMMY)
    cli.well("run", "own.yaml", "-j", "1")
    cli.well("run", "own.yaml", "-j", "1", "--set", "methods.0.params.strategy=median")
    said = cli.refused("compare", "own@before", "own")
    assert "results/own has no outcomes @before: the code of own has not changed" in said


def test_what_has_no_before_is_one_sentence(cli, tiny_run: Path, edited: Path) -> None:
    assert "tiny has no method of your own code" in cli.refused("compare", "tiny@before", "tiny")
    said = cli.refused("compare", "own@befor", "own")
    assert "'own@befor': after the @ give before" in said
    assert "did you mean 'before'" in said
    assert "no folder results/nothing" in cli.refused("compare", "nothing@before", "own")
    for name in ("own", "own@before"):
        assert "A and B are the same results" in cli.refused("compare", name, name)


def test_a_folder_with_such_a_name_comes_first(cli, edited: Path, tiny_run: Path) -> None:
    tiny_run.rename(tiny_run.with_name("own@before"))
    assert _compared(cli, "own@before", "own")["Ridge"]["change"] == "finished only in A"


def test_an_edit_that_has_not_run_yet_is_told(cli, edited: Path, model: str) -> None:
    words = ("compare", "own@before", "own")
    assert "changed since" not in cli.well(*words).err
    _edit(model, "300.0")
    said = cli.well(*words).err
    assert f"changed since these results: own: {model}.py changed; run it to compare" in said
    assert "changed since" not in cli.well("compare", "own", "own@before", "--json").out
