"""The data sets and printed cells of a paper, read from CSV files with as little as they need."""

from pathlib import Path

from boostbench.papers.paper import read_datasets, read_tables
from boostbench.papers.tables import Published, PublishedDataset


def test_a_data_set_needs_its_name_only(tmp_path: Path) -> None:
    path = tmp_path / "datasets.csv"
    path.write_text(
        "dataset,title,n_samples,n_features,cards,targets,per_class\n"
        'iris,Iris,150,4,"iris; iris:uci ",species,20\n'
        "wine,,,,,,\n"
    )
    assert read_datasets(path) == {
        "iris": PublishedDataset("iris", "Iris", 150, 4, ["iris", "iris:uci"], ["species"], 20),
        "wine": PublishedDataset("wine", "wine"),
    }
    path.write_text("dataset\nwine\n")
    assert read_datasets(path) == {"wine": PublishedDataset("wine", "wine")}


def test_a_data_set_is_the_papers_by_card_target_and_rows() -> None:
    one = PublishedDataset("iris", "Iris", cards=["iris", "iris:uci"], targets=["y"], per_class=20)
    asked = {"card": "iris:uci", "target": None, "per_class": 20}
    assert one.is_asked_for(asked)
    assert one.is_asked_for({**asked, "target": "y"})
    assert one.is_asked_for({**asked, "per_class": None, "splits": {"given": True}})
    for other in (
        {"card": "iris:other"},
        {"card": None},
        {"target": "x"},
        {"per_class": 21},
        {"drop": ["sepal_length"]},
        {"per_class": None, "splits": {"n": 2}},
        {"per_class": None, "splits": None},
    ):
        assert not one.is_asked_for({**asked, **other}), other
    assert PublishedDataset("wine", "Wine").is_asked_for({"card": "wine"})
    assert not PublishedDataset("wine", "Wine").is_asked_for({"card": "iris"})


def test_a_cell_needs_its_mean_only(tmp_path: Path) -> None:
    path = tmp_path / "tables.csv"
    path.write_text(
        "table,dataset,method,depth,r2_mean,r2_sd,time_s\n1,iris,m,2,0.913,0.02,3.5\n1,iris,n,,0.5,,\n"
    )
    assert read_tables(path, "r2", [], {}.get) == [
        Published("1", "iris", "m", 0.913, 2, 0.02, 3.5, printed="0.913", rounding=0.0005),
        Published("1", "iris", "n", 0.5, printed="0.5", rounding=0.05),
    ]
