"""``check EXPERIMENT``: what of its paper it is measured against, told before anything runs."""

import json
from pathlib import Path

import pytest

PAPER = """\
title: T (invented)
authors: A
metric: rmse
design: {split: kfold, folds: 4, seeds: 5}
columns: {ridge: ridge, tree: tree}
roles:
  ridge: {estimator: sklearn.linear_model.Ridge}
  tree: {estimator: sklearn.tree.DecisionTreeRegressor}
"""
TABLES = """\
table,dataset,method,rmse_mean,rmse_sd
1,diabetes,ridge,0.72,0.03
1,diabetes,tree,0.95,0.04
1,yacht,ridge,0.6,0.03
"""
CLAIMS = """\
id,where,text,figures,reproduced_if,data_sets,reason
C-1,1,Ridge is better.,"lead = lead(ridge, tree, on=diabetes)",all(lead > 0),diabetes,
C-2,1,A tree has a low error.,"e = score(tree, of=nll, on=diabetes)",all(e < 1),diabetes,
C-3,1,On yacht ridge is good.,e = score(ridge),all(e < 1),yacht,
C-4,1,It always ends.,,,,about the algorithm
"""
EXPERIMENT = """\
name: mine
paper: ./paper
metric: rmse
datasets: [diabetes]
methods:
  - {name: ridge, estimator: sklearn.linear_model.Ridge}
  - {name: tree, estimator: sklearn.tree.DecisionTreeRegressor}
  - {name: mean, estimator: sklearn.dummy.DummyRegressor}
folds: 4
seeds: 5
"""


@pytest.fixture
def paper(folder: Path) -> Path:
    path = folder / "paper"
    path.mkdir()
    (path / "paper.yaml").write_text(PAPER + "metrics: {nll: lower}\n")
    (path / "tables.csv").write_text(TABLES)
    (path / "claims.csv").write_text(CLAIMS)
    (folder / "mine.yaml").write_text(EXPERIMENT)
    return path


def match(cli, *words: str) -> dict[str, tuple[bool, str]]:
    found = json.loads(cli.well("check", "mine.yaml", "--json", *words).out)["match"]
    return {one["name"]: (one["is_matched"], one["text"]) for one in found}


def test_each_method_data_set_and_claim_has_its_match_or_the_reason(cli, paper: Path) -> None:
    found = match(cli)
    assert found["ridge"] == (True, "column ridge of Table 1")
    assert found["mean"] == (False, "no printed column")
    assert found["diabetes"] == (True, "row diabetes of Table 1")
    assert found["C-1"] == (True, "can be judged")
    assert found["C-2"][0] is False
    assert "cannot be judged: nll: mean of tree" in found["C-2"][1]
    assert found["C-3"][0] is False
    assert found["C-4"] == (
        False,
        "are not judged whatever is run; their `reason` in claims.csv says why",
    )
    shown = cli.well("check", "mine.yaml").out
    assert "each method and what is printed of it\n  ridge  column ridge of Table 1\n" in shown
    assert "  C-1: can be judged\n" in shown
    assert not Path("results").exists()


def test_another_design_or_data_set_is_told_before_the_run(cli, paper: Path) -> None:
    other = match(cli, "--set", "folds=5")
    assert other["ridge"][0] is False
    assert "not comparable: 5 folds, in the paper 4 folds" in other["ridge"][1]
    assert "5 folds, in the paper 4 folds" in other["C-1"][1]
    elsewhere = match(cli, "--set", "datasets=[friedman1]")
    assert elsewhere["friedman1"] == (False, "not a data set of the paper")


def test_what_is_told_is_what_verify_says_after_the_run(cli, paper: Path) -> None:
    told = {name: can for name, (can, _) in match(cli).items() if name.startswith("C-")}
    cli.run_only("mine.yaml", "-j", "1")
    claims = json.loads(cli.well("verify", "mine", "--json").out)["claims"]
    refused = ("not judged", "not comparable")
    assert told == {claim["id"]: claim["verdict"] not in refused for claim in claims}


def test_a_metric_that_no_run_can_have_is_told(cli, paper: Path) -> None:
    (paper / "paper.yaml").write_text(
        PAPER.replace("metric: rmse", "metric: nll\nmetrics: {nll: lower}")
    )
    (paper / "tables.csv").write_text(TABLES.replace("rmse", "nll"))
    (paper / "claims.csv").write_text(
        "id,where,text,figures,reproduced_if\nC-1,1,T,e = score(ridge),all(e < 1)\n"
    )
    Path("mine.yaml").write_text(EXPERIMENT.replace("metric: rmse\n", ""))
    can, text = match(cli)["C-1"]
    assert (can, "shown in 'r2', and the paper prints 'nll'" in text) == (False, True)


def test_an_experiment_without_a_paper_has_no_match(cli, folder: Path) -> None:
    done = cli.well("check", "tiny.yaml")
    assert "printed" not in done.out
    assert json.loads(cli.well("check", "tiny.yaml", "--json").out)["match"] == []


def test_a_paper_of_which_no_sentence_was_tried_is_not_called_right(cli, paper: Path) -> None:
    done = cli.well("check", "--paper", "./paper")
    assert "is right" not in done.out
    assert "can be read: 3 printed cells" in done.out
    assert "no sentence of the paper was tried on its tables" in done.err
    [remark] = json.loads(cli.well("check", "--paper", "./paper", "--json").out)["remarks"]
    assert remark["level"] == "warning"
    tried = CLAIMS.replace("reason\n", "reason,literally\n").replace(
        "diabetes,\nC-2", "diabetes,,all(lead > 0)\nC-2"
    )
    (paper / "claims.csv").write_text(tried)
    assert "contradict 0 of the 1 sentence tried" in cli.well("check", "--paper", "./paper").out
