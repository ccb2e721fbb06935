"""The printed values beside data follow their card, target and rows, not their label."""

from pathlib import Path

import pytest
from pages import cell_of

from boostbench.cli.app import main
from boostbench.errors import ConfigError
from boostbench.papers import get_paper, published_as
from boostbench.report.results import collect
from boostbench.store.store import Store

IRIS = """\
name: own
paper: srt
datasets:
  - {name: yacht, file: yacht.csv, target: y}
  - {name: boats, card: yacht}
methods: [{name: srt, method: srt}]
defaults: {depth: 3}
folds: 2
seeds: 1
"""


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({"name": "yacht", "card": "yacht"}, "0.99"),
        ({"name": "boats", "card": "yacht"}, "0.99"),
        ({"name": "boats", "card": "yacht", "target": "resistance"}, "0.99"),
        ({"name": "yacht", "file": "yacht.csv", "target": "y"}, ""),
        ({"name": "yacht", "openml": 1234}, ""),
        ({"name": "yacht", "card": "housing"}, "0.809"),
        ({"name": "yacht", "card": "yacht", "per_class": 20}, ""),
        ({"name": "c", "card": "computer_hardware"}, "0.973"),
        ({"name": "c", "card": "computer_hardware", "target": "ERP"}, "0.973"),
        ({"name": "c", "card": "computer_hardware", "target": "PRP"}, ""),
        ({"name": "computer_hardware", "card": "computer_hardware:prp"}, ""),
        ({"name": "a", "card": "ailerons"}, "0.826"),
        ({"name": "ailerons", "card": "ailerons:full"}, ""),
        ({"name": "f", "card": "friedman"}, "0.937"),
        ({"name": "f", "card": "friedman1"}, "0.937"),
        ({"name": "f", "card": "friedman:generated"}, "0.937"),
        ({"name": "f", "card": "friedman", "target": "target"}, "0.937"),
    ],
)
def test_only_the_papers_data_are_compared_with_its_values(make_store, entry, expected) -> None:
    results = collect(make_store({(entry["name"], "srt"): [0.9, 0.9]}, datasets=[entry]))
    published = results.cell(entry["name"], "srt").published
    assert ("" if published is None else str(published)) == expected
    assert bool(results.datasets[0].published_as) == bool(expected)


def test_a_part_of_each_class_is_published_only_where_the_paper_takes_it() -> None:
    entries = [
        {"name": "mnist", "card": "mnist", "per_class": 1000},
        {"name": "less", "card": "mnist", "per_class": 500},
        {"name": "all", "card": "mnist", "per_class": None},
        {"name": "usps", "card": "usps", "per_class": None},
        {"name": "some", "card": "usps", "per_class": 1000},
        {"name": "given", "card": "mnist", "splits": {"given": True}},
        {"name": "random", "card": "mnist", "splits": {"given": False, "test_size": 0.25}},
    ]
    assert published_as(get_paper("multiboost"), entries, {}) == {
        "mnist": "mnist", "usps": "usps", "given": "mnist",
    }  # fmt: skip
    assert published_as(None, entries, {}) == {}
    with pytest.raises(ConfigError, match="'unknown'"):
        get_paper("unknown")


def test_the_decision_is_stored_with_the_plan_and_the_page_follows_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make_store, cheap
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BOOSTBENCH_CACHE", str(tmp_path / "cache"))
    (tmp_path / "own.yaml").write_text(IRIS)
    rows = "\n".join(f"{n},{n * n % 7},{n + n * n % 7}" for n in range(40))
    (tmp_path / "yacht.csv").write_text(f"a,b,y\n{rows}\n")
    arguments = ["--only", "dataset=yacht", "--jobs", "1", "--offline"]
    with pytest.raises(SystemExit) as ended:
        main(["run", "own.yaml", *arguments])
    assert ended.value.code == 0
    folder = tmp_path / "results" / "own"
    with Store.open(folder, create=False, read_only=True) as store:
        assert store.experiment()["published_as"] == {"boats": "yacht"}
    text = (folder / "table.md").read_text(encoding="utf-8")
    assert "Measured against" not in text
    assert "(0.990)" not in text


def test_a_stored_decision_outlives_a_change_of_the_papers_files(make_store) -> None:
    entry = {"name": "yacht", "card": "yacht"}
    cells = {("yacht", "srt"): [0.9, 0.9]}
    for decided, expected in (({}, ""), ({"yacht": "housing"}, "0.809")):
        store = make_store(cells, datasets=[entry], published_as=decided)
        assert cell_of(store, "yacht", "srt")["published_r2"] == expected
