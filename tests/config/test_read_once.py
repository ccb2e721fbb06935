"""A loaded experiment is plain data: no file is read when something of it is asked for."""

import shutil
from pathlib import Path

import pytest

from boostbench.config.loading import load_experiment
from boostbench.config.model import Experiment
from boostbench.data.cards import Catalog
from boostbench.errors import DataError

CARD = """
name: sugar
title: Sugar
n_samples: 10
n_features: 2
target: y
task: classification
train_rows: 6
licence: CC0
citation: none
sources: [{kind: generated, dataset: friedman1}]
"""
PAPER = "title: Paper\nauthors: A\nmetric: error\nmetrics: [f1_macro]\n"


def _load(folder: Path, splits: str = "given", test_rows: str = "rows_*.txt") -> Experiment:
    (folder / "datasets").mkdir()
    (folder / "datasets" / "sugar.yaml").write_text(CARD)
    (folder / "p").mkdir()
    (folder / "p" / "paper.yaml").write_text(PAPER)
    for split, rows in {"2": "0 1", "10": "4 5"}.items():
        (folder / f"rows_{split}.txt").write_text(rows)
    (folder / "x.yaml").write_text(
        f"name: x\npaper: ./p\nsplits: {splits}\n"
        "datasets:\n"
        "  - sugar\n"
        f"  - {{file: d.csv, target: y, splits: {{test_rows: ['{test_rows}']}}}}\n"
        "methods: [{estimator: sklearn.linear_model.RidgeClassifier}]\n"
    )
    return load_experiment(folder / "x.yaml")


def _all_of(experiment: Experiment) -> tuple[object, ...]:
    requests = experiment.requests()
    return (
        [(request.name, request.task, request.file) for request in requests],
        [experiment.split_rule(request.name, "classification") for request in requests],
        [listed.rows.tolist() for listed in experiment.listed_test_rows("d")],
        experiment.n_parts,
        experiment.n_trials,
        experiment.asked_metrics,
    )


def test_all_is_known_when_the_files_are_gone(tmp_path, monkeypatch) -> None:
    experiment = _load(tmp_path)
    before = _all_of(experiment)
    shutil.rmtree(tmp_path)

    def read(*_: object) -> None:
        raise AssertionError("a card is read")

    monkeypatch.setattr(Catalog, "card", read)
    assert _all_of(experiment) == before
    requests, rules, rows, n_parts, *_, metrics = before
    assert [task for _, task, _ in requests] == ["classification", "regression"]
    assert [rule.split for rule in rules] == ["given", "listed"]
    assert rows == [[0, 1], [4, 5]], "rows_2 is before rows_10"
    assert n_parts == {"sugar": 1, "d": 2}
    assert set(metrics) == {"error", "f1_macro"}


def test_a_missing_file_of_test_rows_counts_for_its_data_set_alone(tmp_path: Path) -> None:
    experiment = _load(tmp_path, test_rows="none.txt")
    assert experiment.split_rule("sugar", "classification").train_rows == 6
    for _ in range(2):
        with pytest.raises(DataError, match=r"data set 'd': there is no file none\.txt of test"):
            experiment.split_rule("d", "regression")


@pytest.mark.parametrize("pattern", ["/rows.txt", "a/**b"])
def test_a_pattern_that_is_none_is_refused_in_a_sentence(tmp_path: Path, pattern: str) -> None:
    experiment = _load(tmp_path, test_rows=pattern)
    with pytest.raises(
        DataError, match=r"data set 'd': (.* is no pattern of test_rows|there is no)"
    ):
        experiment.split_rule("d", "regression")


def test_a_wrong_card_counts_for_who_needs_it(tmp_path: Path) -> None:
    (tmp_path / "datasets").mkdir()
    (tmp_path / "datasets" / "sugar.yaml").write_text(CARD.replace("licence", "license"))
    path = tmp_path / "x.yaml"
    text = "name: x\ndatasets: [{{card: sugar{task}}}]\nmethods: [srt]\n"
    path.write_text(text.format(task=""))
    with pytest.raises(DataError, match="unknown key 'license'"):
        load_experiment(path).requests()
    path.write_text(text.format(task=", task: regression"))
    assert load_experiment(path).n_trials == 4 * 20
