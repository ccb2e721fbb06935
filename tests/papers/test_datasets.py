"""The data sets and printed cells of a paper, read from CSV files with as little as they need."""

from pathlib import Path

import pytest

from boostbench.errors import ConfigError
from boostbench.papers.paper import read_datasets, read_paper, read_tables
from boostbench.papers.tables import AskedData, Published, PublishedDataset


def test_a_data_set_needs_its_name_only(tmp_path: Path) -> None:
    path = tmp_path / "datasets.csv"
    path.write_text(
        "dataset,title,n_samples,n_features,cards,targets,per_class\n"
        'iris,Iris,150,4,"iris; iris:uci ",species,20\n'
        "wine,,,,,,\n"
    )
    assert {data.name: data for data in read_datasets(path)} == {
        "iris": PublishedDataset("iris", "Iris", 150, 4, ["iris", "iris:uci"], ["species"], 20),
        "wine": PublishedDataset("wine", "wine"),
    }
    path.write_text("dataset\nwine\n")
    assert read_datasets(path) == [PublishedDataset("wine", "wine")]


def test_a_data_set_is_the_papers_by_card_target_and_rows() -> None:
    one = PublishedDataset("iris", "Iris", cards=["iris", "iris:uci"], targets=["y"], per_class=20)
    asked = {"card": "iris:uci", "target": None, "per_class": 20}
    assert one.is_asked_for(AskedData(asked))
    assert one.is_asked_for(AskedData({**asked, "target": "y"}))
    assert one.is_asked_for(AskedData({**asked, "per_class": None, "splits": {"given": True}}))
    for other in (
        {"card": "iris:other"},
        {"card": None},
        {"target": "x"},
        {"per_class": 21},
        {"drop": ["sepal_length"]},
        {"per_class": None, "splits": {"n": 2}},
        {"per_class": None, "splits": None},
    ):
        assert not one.is_asked_for(AskedData({**asked, **other})), other
    assert PublishedDataset("wine", "Wine").is_asked_for(AskedData({"card": "wine"}))
    assert not PublishedDataset("wine", "Wine").is_asked_for(AskedData({"card": "iris"}))


YACHT = {"name": "yacht", "card": "yacht"}


@pytest.mark.parametrize(
    ("known", "entry", "is_it"),
    [
        ({}, YACHT, True),
        # A data set that is known otherwise is not the card of its name.
        ({"files": ["yacht.csv"]}, YACHT, False),
        ({"fingerprints": ["f1"]}, YACHT, False),
        ({"files": ["yacht.csv"]}, {"name": "x", "file": "here/yacht.csv", "target": "y"}, True),
        ({"files": ["yacht.csv"]}, {"name": "yacht", "file": "here/boats.csv"}, False),
        ({"files": ["yacht.csv"], "cards": ["yacht"]}, YACHT, True),
        ({"fingerprints": ["f2"]}, {"name": "x", "openml": 7}, True),
    ],
)
def test_a_data_set_known_by_a_file_or_fingerprint_is_no_card(known, entry, is_it) -> None:
    one = PublishedDataset("yacht", "Yacht", **known)
    assert one.is_asked_for(AskedData(entry, "f2")) is is_it
    why = one.difference(AskedData(entry, "f2"))
    assert bool(why) is (not is_it), "the name alone is the same"


@pytest.mark.parametrize(
    ("n_samples", "entry", "rows", "is_it"),
    [
        (308, YACHT, None, True),
        (308, YACHT, 308, True),
        (309, YACHT, None, False),
        # What is loaded decides: a card of one's own may not say how many rows it has.
        (308, YACHT, 307, False),
        (None, YACHT, 307, True),
        (13750, {"name": "a", "card": "ailerons:full"}, None, True),
        (7154, {"name": "a", "card": "ailerons:full"}, None, False),
        (40, {"name": "a", "file": "a.csv"}, 40, True),
        (40, {"name": "a", "file": "a.csv"}, 41, False),
        (40, {"name": "a", "file": "a.csv"}, None, True),
        (40, {"name": "a", "openml": 3}, 41, False),
        # Some rows of each class say nothing of all of them.
        (1797, {"name": "a", "card": "digits", "per_class": 9}, 90, True),
    ],
)
def test_a_data_set_has_the_number_of_rows_of_the_papers(n_samples, entry, rows, is_it) -> None:
    one = PublishedDataset(
        "a",
        "A",
        n_samples,
        cards=["yacht", "ailerons:full", "digits"],
        files=["a.csv"],
        fingerprints=["f3"],
        per_class=entry.get("per_class"),
    )
    asked = AskedData(entry, "f3" if "openml" in entry else "", rows=rows)
    assert one.is_asked_for(asked) is is_it
    why = one.difference(asked)
    assert why == (
        "" if is_it else f"which has {n_samples:,} rows, not {rows or ROWS[entry['card']]}"
    )


ROWS = {"yacht": "308", "ailerons:full": "13,750"}


def test_a_cell_needs_its_mean_only(tmp_path: Path) -> None:
    path = tmp_path / "tables.csv"
    path.write_text(
        "table,dataset,method,depth,r2_mean,r2_sd,time_s\n1,iris,m,2,0.913,0.02,3.5\n1,iris,n,,0.5,,\n"
    )
    assert read_tables(path, "r2", [], lambda *_: None, ["depth"]) == [
        Published("1", "iris", "m", 0.913, (2,), 0.02, 3.5, printed="0.913", rounding=0.0005),
        Published("1", "iris", "n", 0.5, (None,), printed="0.5", rounding=0.05),
    ]


@pytest.mark.parametrize(
    ("runs", "design", "roots"),
    [
        # The number of runs that the paper states holds, whatever its design.
        ("runs: 100\n", "design: {split: kfold, folds: 5}\n", [10, 3, 20**0.5]),
        ("runs: 100\n", "", [10, 3, 20**0.5]),
        ("", "design: {split: shuffle, folds: 8, test_size: 0.1, seeds: 2}\n", [4, 3, 20**0.5]),
    ],
)
def test_a_standard_error_is_of_the_runs_behind_its_mean(tmp_path, runs, design, roots) -> None:
    (tmp_path / "paper.yaml").write_text(f"title: T\nauthors: A\nmetric: rmse\n{runs}{design}")
    (tmp_path / "tables.csv").write_text(
        "table,dataset,method,rmse_mean,rmse_se,runs\n"
        "1,iris,m,2.5,0.5,\n1,wine,m,2.5,0.5,9\n1,yacht,m,2.5,0.5,\n"
    )
    # One row of a table, and one data set, have their own number.
    (tmp_path / "datasets.csv").write_text("dataset,folds,seeds\niris,,\nwine,,\nyacht,10,2\n")
    cells = read_paper(tmp_path).cells
    assert [cell.sd for cell in cells] == pytest.approx([0.5 * root for root in roots])


@pytest.mark.parametrize(("second", "is_right"), [("5", True), ("", True), ("10", False)])
def test_rows_of_one_data_set_have_one_design(tmp_path: Path, second: str, is_right: bool) -> None:
    path = tmp_path / "datasets.csv"
    path.write_text(f"dataset,noise,folds\nblobs,0.1,5\nblobs,0.2,{second}\n")
    if is_right:
        assert len(read_datasets(path, {"noise": "noise"})) == 2
    else:
        with pytest.raises(ConfigError, match=r"datasets.csv:3, folds: 'blobs' has one design"):
            read_datasets(path, {"noise": "noise"})
