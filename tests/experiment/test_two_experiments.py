"""Several experiments in one process: each has the cards and the paper beside its own file."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from experiments import RIDGE, experiment

import boostbench
from boostbench.cli.app import main
from boostbench.config.loading import load_experiment
from boostbench.data import known_fingerprint
from boostbench.resources import shipped_dir

PAPER = """\
title: A paper
authors: A. Author
metric: r2
columns: {ridge: ridge}
roles: {ridge: {estimator: sklearn.linear_model.Ridge}}
"""
# A card of fewer rows, whose fingerprint is not known.
FEWER = {"n_samples: 40768": "n_samples: 200", "fingerprint: ": "# "}
TABLE = "table,dataset,method,r2_mean\n1,diabetes,ridge,{}\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cheap: None) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BOOSTBENCH_CACHE", str(tmp_path / "cache"))
    return tmp_path


def _write(
    name: str, data: str, shipped: str = "", edits: Mapping[str, str] = {}, **keys: object
) -> Path:
    """Write an experiment into a folder of its own, with a copy of a shipped card as ``data``."""
    home = Path(name)
    (home / "datasets").mkdir(parents=True)
    if shipped:
        card = (shipped_dir("datasets") / f"{shipped}.yaml").read_text()
        for old, new in {f"name: {shipped}\n": f"name: {data}\n", **edits}.items():
            card = card.replace(old, new)
        (home / "datasets" / f"{data}.yaml").write_text(card)
    path = home / f"{name}.yaml"
    path.write_text(experiment(name, RIDGE, data=data, **keys))
    return path


def _run(path: Path, listener: boostbench.Listener | None = None) -> boostbench.Results:
    return boostbench.run(path, listener=listener or boostbench.Listener(), in_process=True)


def test_an_experiment_keeps_its_cards_when_another_is_loaded() -> None:
    first = load_experiment(_write("first", "sugar", "diabetes"))
    # A copy of a shipped card is the same card.
    other = load_experiment(_write("other", "diabetes", "diabetes"))
    assert first.request(first.datasets[0]).task == "regression"
    (own,), (shipped,) = first.requests(), other.requests()
    assert known_fingerprint(own) == known_fingerprint(shipped) is not None
    assert ("sugar" in first.catalog.names, "sugar" in other.catalog.names) == (True, False)


def test_cards_of_one_name_beside_two_experiments_differ() -> None:
    paths = [_write("one", "mine", "diabetes"), _write("two", "mine", "friedman1", FEWER)]
    rows = [442, 200]
    experiments = [load_experiment(path) for path in paths]
    sizes = [each.catalog.card("mine").n_samples for each in experiments]
    assert sizes == rows
    for path, expected in zip([*paths, paths[0]], [*rows, rows[0]], strict=True):
        trials = _run(path).trials
        assert (trials["n_train"] + trials["n_test"]).tolist() == [expected] * 2


def test_another_experiment_may_be_loaded_while_one_runs() -> None:
    inside = _write("inside", "salt", "friedman1")
    outer = _write("outer", "sugar", "diabetes", splits="{n: 2, test_size: 0.25, given: true}")

    class Loading(boostbench.Listener):
        def dataset_loaded(self, dataset: object) -> None:
            load_experiment(inside)

    results = _run(outer, Loading())
    assert results.trials["status"].tolist() == ["ok"] * 2
    assert "efron2004least" in (results.folder / "references.bib").read_text()
    # A report on the folder, from Python or the command line, finds the cards beside the file.
    with pytest.raises(SystemExit) as ended:
        main(["report", str(results.folder), "--format", "latex", "--out", "again"])
    assert not ended.value.code
    assert "efron2004least" in Path("again/references.bib").read_text()


def test_a_paper_that_is_edited_is_read_again(folder: Path) -> None:
    paper = folder / "sugars" / "mine"
    path = _write("sugars", "diabetes", paper="./mine")
    paper.mkdir()
    (paper / "paper.yaml").write_text(PAPER)
    (paper / "tables.csv").write_text(TABLE.format("0.123"))
    results = _run(path)
    assert "0.123" in boostbench.load(results.folder).table().loc["diabetes", "Ridge"]
    # Of the same length, and perhaps within the same tick of the clock.
    (paper / "tables.csv").write_text(TABLE.format("0.321"))
    assert "0.321" in boostbench.load(results.folder).table().loc["diabetes", "Ridge"]
    (paper / "paper.yaml").write_text(PAPER.replace("metric: r2", "metric: mae"))
    (paper / "tables.csv").write_text(TABLE.format("0.321").replace("r2_mean", "mae_mean"))
    assert set(load_experiment(path).asked_metrics) == {"mae"}
    (paper / "paper.yaml").write_text(PAPER.replace("metric: r2", "metrik: mae"))
    with pytest.raises(boostbench.ConfigError, match=r"paper\.yaml:3:1: 'metrik'"):
        _run(path)
