"""Metrics that a paper declares itself: direction, range and function, each said once."""

from pathlib import Path

import pytest

from boostbench.errors import ConfigError
from boostbench.papers.check import check_paper, literally
from boostbench.papers.claims import read_claims
from boostbench.papers.metrics import known_metrics, metric_from, metric_of
from boostbench.papers.paper import Paper, read_paper

FOLDERS = Path(__file__).with_name("folders")
HEAD = "title: T (invented)\nauthors: A\nmetric: nll\nmetrics:\n"


def folder(tmp_path: Path, metrics: str, mean: str = "2.41") -> Path:
    (tmp_path / "paper.yaml").write_text(HEAD + metrics)
    (tmp_path / "tables.csv").write_text(f"table,dataset,method,nll_mean\n1,yacht,a,{mean}\n")
    return tmp_path


@pytest.mark.parametrize("name", ["renyi", "clustering", "noise"])
def test_papers_of_other_fields_are_right_and_their_sentences_follow(name: str) -> None:
    assert check_paper(FOLDERS / name) == []
    paper = read_paper(FOLDERS / name)
    tried = literally(paper, read_claims(paper))
    assert len(tried) == sum(bool(claim.literally) for claim in read_claims(paper))
    assert all(one.truth.point for one in tried)


def test_a_direction_and_a_range_are_those_of_the_metric() -> None:
    nll = metric_from({"name": "nll", "direction": "lower"})
    assert (nll.sign, nll.limits, nll.is_measured) == (-1, (-float("inf"), float("inf")), False)
    ari = metric_from({"name": "ari", "direction": "higher", "range": [-0.5, 1]})
    assert (ari.sign, ari.limits) == (1, (-0.5, 1))
    c_index = metric_from({"name": "c_index", "direction": "higher", "range": [0, 1]})
    assert (c_index.limits, c_index.interval(0.98, 0.1)) == ((0, 1), (0.88, 1))
    measured = metric_from({"name": "nll", "direction": "lower", "of": "own:nll"})
    assert (measured.function, measured.is_measured) == ("own:nll", True)


@pytest.mark.parametrize(
    ("metrics", "said"),
    [
        ("  nll: {direction: down}\n", "paper.yaml:5:8: the metric 'nll' has 'direction: down'"),
        ("  nll: {range: [0, 1]}\n", "needs its direction"),
        ("  nll: {direction: lower, range: [1, 0]}\n", "'range: [1, 0]'; write its least"),
        ("  nll: {direction: lower, range: 3}\n", "'range: 3'; write its least"),
        ("  nll: {directon: lower}\n", "has no 'directon' (did you mean 'direction'?)"),
        ("  nll: {direction: lower, of: metrics}\n", "metrics"),
        ("  nll: {digits: 2}\n", "needs only its direction"),
        ("  nll: lower\n  rmse: higher\n", "the metric 'rmse' has no"),
    ],
)
def test_a_wrong_declaration_is_told_with_its_place(tmp_path: Path, metrics, said) -> None:
    wrong = "\n".join(check_paper(folder(tmp_path, metrics)))
    assert said in wrong
    assert "paper.yaml:" in wrong


@pytest.mark.parametrize("metrics", ["  nll: {direction: lower}\n", "  nll: lower\n"])
def test_a_metric_without_a_function_is_right(tmp_path: Path, metrics: str) -> None:
    assert check_paper(folder(tmp_path, metrics)) == []


def test_a_printed_value_beyond_the_range_is_impossible(tmp_path: Path) -> None:
    wrong = check_paper(folder(tmp_path, "  nll: {direction: lower, range: [null, 2]}\n"))
    assert "2.41 is impossible" in "\n".join(wrong)


def test_runs_have_the_paper_s_other_metric_where_the_main_one_has_no_function() -> None:
    paper = read_paper(FOLDERS / "renyi")
    assert metric_of("regression", paper, {}).name == "rmse"
    assert metric_of("regression", paper, {"metric": "nll"}).name == "nll"
    alone = Paper("T", "A", metric="nll", metrics={"nll": "lower"})
    assert metric_of("regression", alone, {}).name == "r2"
    assert known_metrics({}, alone)["nll"].sign == -1


def test_an_experiment_cannot_turn_the_direction_of_a_paper_s_metric() -> None:
    paper = Paper("T", "A", metric="nll", metrics={"nll": "lower"})
    turned = {"metrics": [{"name": "nll", "function": "own:f", "greater_is_better": True}]}
    with pytest.raises(ConfigError, match="the metric 'nll' of the paper has"):
        known_metrics(turned, paper)
