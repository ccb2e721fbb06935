"""Two invented papers unlike ours: RMSE over random splits, AUC over repeated folds."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pages import Page

from boostbench.cli.app import main
from boostbench.data.splits import SplitRule
from boostbench.errors import ConfigError
from boostbench.methods import Method
from boostbench.papers.design import Design
from boostbench.papers.paper import Paper, PublishedDataset, read_datasets, read_paper, read_tables
from boostbench.papers.tables import AskedData
from results import rows

BESIDE = "Measured beside printed"


@pytest.fixture
def run(tmp_path: Path, monkeypatch, install, cheap) -> Callable[..., Path]:
    """Return a function that runs an experiment of a paper in this process, and its folder."""
    install(
        "boostbench.methods",
        ridge=Method("ridge", "sklearn.linear_model.Ridge"),
        lasso=Method("lasso", "sklearn.linear_model.Lasso", {"alpha": 0.01}),
        bayes=Method("bayes", "sklearn.naive_bayes.GaussianNB", task="classification"),
        stump=Method(
            "stump", "sklearn.tree.DecisionTreeClassifier", {"max_depth": 1}, "classification"
        ),
    )
    monkeypatch.setenv("BOOSTBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)

    def start(text: str, *more: str) -> Path:
        Path("x.yaml").write_text(text)
        with pytest.raises(SystemExit) as ended:
            main(["run", "x.yaml", "--in-process", "--offline", *more])
        assert ended.value.code == 0
        return tmp_path / "results" / "x"

    return start


HEAD = "title: An invented paper\nauthors: A. Author\njournal: Journal of Inventions 1, 2030\n"


def _paper(path: Path, text: str, **files: str) -> Paper:
    """Return the paper of these files, in the folder ``invented`` beside the experiment."""
    folder = path / "invented"
    folder.mkdir()
    (folder / "paper.yaml").write_text(HEAD + text)
    for name, content in files.items():
        (folder / f"{name}.csv").write_text(content)
    return read_paper(folder)


def _page(folder: Path) -> Page:
    return Page((folder / "table.md").read_text(encoding="utf-8"))


def test_errors_in_the_targets_unit_over_random_splits(run, tmp_path: Path, capsys) -> None:
    tables = (
        "table,dataset,method,rmse_mean,rmse_se,neg_median_absolute_error_mean,gain_percent\n"
        "1,diabetes,ridge,54.70,0.60,,\n1,diabetes,lasso,81.3,0.5,,\n"
        "2,diabetes,ridge,,,-40,\n3,diabetes,ridge,,,,48.6\n3,diabetes,lasso,,,,-48.6\n"
    )
    _paper(
        tmp_path,
        "metric: rmse\nmetrics: [neg_median_absolute_error]\n"
        "design: {split: shuffle, folds: 20, test_size: 0.1, units: original}\n",
        tables=tables,
    )
    config = (
        "name: x\npaper: ./invented\ndatasets: [diabetes]\nmethods: [ridge, lasso]\n"
        "splits: {n: 20, test_size: 0.1}\nseeds: 1\nunits: original\n"
    )
    folder = run(config)
    (row,) = _page(folder).rows(BESIDE)
    assert row["ridge"].endswith(" ? (54.70)")
    assert row["lasso"].endswith(" ≠ (81.3)")
    assert "The paper prints standard errors" in _page(folder).text
    assert _page(folder).rows("Table 3")[0]["RMSE"].startswith("ridge 1.0 (ridge 48.6")
    ridge, lasso = (r for r in rows(folder / "table.csv") if r["row"] == "cell")
    assert float(ridge["published_sd"]) == pytest.approx(0.6 * math.sqrt(20))
    assert 50 < float(ridge["rmse_mean"]) < 60
    assert (ridge["verdict"], lasso["verdict"]) == ("undecided", "differs")
    trials = rows(folder)
    assert len(trials) == 40
    assert {t["units"] for t in trials} == {"original"}
    assert all(-70 < float(t["neg_median_absolute_error"]) < -20 for t in trials)
    capsys.readouterr()
    for name, found in (("neg_median_absolute_error", "(−40)"), ("mae", "43.")):
        with pytest.raises(SystemExit) as ended:
            main(["report", "x.yaml", "--metric", name])
        out = capsys.readouterr().out
        assert (ended.value.code, found in out) == (0, True), out


def test_accuracy_and_auc_over_ten_partitions_into_ten_folds(run, tmp_path: Path, capsys) -> None:
    tables = (
        "table,dataset,method,accuracy_percent_mean,roc_auc_mean,roc_auc_ovr_mean\n"
        "1,iris,bayes,95.3,,\n1,iris,stump,66.7,,\n1,mean_rank,bayes,1.0,,\n"
        "2,iris,bayes,,0.994,0.994\n"
    )
    data = "dataset,cards,folds,stratified,partitions\niris,iris,10,yes,10\n"
    claims = (
        "id,where,text,figures,reproduced_if\n"
        'A,abstract,Better.,"lead = lead(bayes, stump)",all(lead > 0)\n'
        'B,abstract,Better.,"auc = lead(bayes, stump, of=roc_auc_ovr)",all(auc > 0)\n'
    )
    text = "metric: accuracy\nmetrics: [roc_auc, roc_auc_ovr]\ndesign: {split: kfold, folds: 4}\n"
    paper = _paper(tmp_path, text, tables=tables, datasets=data, claims=claims)
    design = paper.design_of("iris")
    assert design == Design(SplitRule("stratified", 10), 1, partitions=10)
    assert (design.parts, design.runs, paper.runs) == (100, 100, 4)
    config = (
        "name: x\npaper: ./invented\ndatasets: [iris]\nmethods: [bayes, stump]\nfolds: 10\n"
        "split_seeds: 5\nseeds: 1\ncurves: false\n"
    )
    folder = run(config)
    (row,) = _page(folder).rows(BESIDE)
    assert row == {"Data set": "iris", "bayes": "95.47 ≈ (95.3)", "stump": "66.67 ≈ (66.7)"}
    cell = next(r for r in rows(folder / "table.csv") if r["method"] == "bayes")
    assert cell["verdict"] == "agrees"
    # The design is that of the data set, not the paper's usual one.
    assert _page(folder).claims()["A"].startswith("✓ reproduced: A ")
    # Larger values of a scorer are better, and are written in its own unit.
    better = _page(folder).claims()["B"]
    assert better.startswith("✓ reproduced: B ")
    assert "lead of bayes over stump: +0.161 [" in better
    capsys.readouterr()
    with pytest.raises(SystemExit):
        main(["report", "x.yaml", "--metric", "roc_auc"])
    assert "(0.994)" in capsys.readouterr().out


def test_a_printed_standard_error_needs_its_number_of_runs(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    head = "table,dataset,method,rmse_mean,rmse_se"
    path.write_text(f"{head},runs\n1,a,m,2.46,0.5,16\n1,mean_rank,m,1.50,,\n")
    first, rank = read_tables(path, "rmse", [], lambda *_: None)
    assert (first.sd, first.se, first.printed, first.rounding) == (2.0, 0.5, "2.46", 0.005)
    assert (rank.mean, rank.rounding) == (1.5, 0.005)
    path.write_text(f"{head}\n1,a,m,2.46,0.5\n")
    assert read_tables(path, "rmse", [], lambda *_: 4)[0].sd == 1.0
    for text, message in (
        (f"{head}\n1,a,m,2.46,0.5\n", r"t\.csv:2, rmse_se: this needs 'runs'"),
        (f"{head},rmse_sd\n1,a,m,2.46,0.5,1\n", r"t\.csv:2, .* and no sd beside it"),
    ):
        path.write_text(text)
        with pytest.raises(ConfigError, match=message):
            read_tables(path, "rmse", [], lambda *_: None)


def test_ranks_in_percent_tables_are_ranks(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("table,dataset,method,error_percent_mean\n1,a,m,5.20\n1,mean_rank,m,1.25\n")
    cell, rank = read_tables(path, "error", [], lambda *_: None)
    assert (cell.mean, cell.rounding) == pytest.approx((0.052, 0.00005))
    assert (rank.mean, rank.rounding) == (1.25, 0.005)
    cells = _paper(tmp_path, "metric: error\nprints_zeros: false\n", tables=path.read_text()).cells
    assert ([each.printed for each in cells], cells[0].rounding) == (["", "1.25"], cell.rounding)


@pytest.mark.parametrize(
    ("row", "design"),
    [
        ("8,,,,", Design(SplitRule("kfold", 8), 20, "none", partitions=3)),
        (",5,0.1,1,2", Design(SplitRule("shuffle", 5, 0.1), 2, "none")),
        (",,,4,", Design(SplitRule("kfold", 4), 20, "none", partitions=4)),
        (",,,,7", Design(SplitRule("kfold", 4), 7, "none", partitions=3)),
        (",,,,", None),
    ],
)
def test_what_a_data_set_does_not_say_of_its_design_is_as_usual(
    tmp_path: Path, row: str, design: Any
) -> None:
    path = tmp_path / "datasets.csv"
    head = "dataset,folds,splits,test_size,partitions,seeds"
    path.write_text(f"{head}\na,{row}\n")
    papers = Design(SplitRule("kfold", 4), 20, "none", partitions=3)
    paper = Paper("", "", design=papers, folder=tmp_path)
    assert paper.design_of("a") == (design or papers)
    path.write_text(f"{head}\na,8,5,,,\n")
    with pytest.raises(
        ConfigError, match=r"datasets\.csv:2: give 'folds', or 'splits' and 'test_size'"
    ):
        read_datasets(path)


def test_data_are_recognised_by_fingerprint_and_by_file(tmp_path: Path) -> None:
    path = tmp_path / "datasets.csv"
    path.write_text("dataset,fingerprints,files,targets\na,f1;f2,a.csv,\nb,,b.csv,y\nc,,,\n")
    paper = Paper("", "", folder=tmp_path)
    assert paper.published_as(AskedData({"openml": 3}, "f2")) == "a"
    assert paper.published_as(AskedData({"openml": 3}, "f3")) == ""
    assert paper.published_as(AskedData({"file": "data/a.csv", "target": "x"})) == "a"
    assert paper.published_as(AskedData({"file": "data/b.csv", "target": "x"})) == ""
    assert paper.published_as(AskedData({"file": "data/b.csv", "target": "y"})) == "b"
    assert paper.published_as(AskedData({"file": "c"})) == ""
    assert paper.published_as(AskedData({"card": "c"})) == "c"
    assert PublishedDataset("yacht").is_asked_for(
        AskedData({"card": "yacht", "target": "resistance"})
    )
