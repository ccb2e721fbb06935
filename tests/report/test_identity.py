"""The printed values beside data follow their card, target and rows, not their label."""

from pathlib import Path

import pytest
from pages import cell_of
from parts import store_of

from boostbench.cli.app import main
from boostbench.data.cards import Catalog
from boostbench.papers import get_paper, not_published
from boostbench.report.frames.results import collect
from boostbench.report.verdicts.ledger import make_ledger
from boostbench.store.store import Store

IRIS = """\
name: own
paper: srt
datasets:
  - {name: yacht, file: yacht.csv, target: y}
  - {name: boats, card: yacht}
methods: [srt]
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
        ({"name": "yacht", "card": "housing"}, "0.809"),
        ({"name": "yacht", "card": "yacht", "per_class": 20}, ""),
        ({"name": "c", "card": "computer_hardware", "target": "ERP"}, "0.973"),
        ({"name": "c", "card": "computer_hardware", "target": "PRP"}, ""),
        ({"name": "computer_hardware", "card": "computer_hardware:prp"}, ""),
        ({"name": "ailerons", "card": "ailerons:full"}, ""),
        ({"name": "f", "card": "friedman1"}, "0.937"),
    ],
)
def test_only_the_papers_data_are_compared_with_its_values(entry, expected) -> None:
    results = collect(store_of({(entry["name"], "srt"): [0.9, 0.9]}, datasets=[entry]))
    published = results.cell(entry["name"], "srt").published
    assert ("" if published is None else str(published)) == expected
    assert bool(results.datasets[0].published_as) == bool(expected)


OWN = {"name": "yacht", "file": "yacht.csv", "target": "y"}


def test_claims_on_methods_that_ran_on_other_data_say_so() -> None:
    def reasons(entry: dict[str, str], *methods: str) -> set[str]:
        cells = {("yacht", method): [0.9, 0.9] for method in methods}
        ledger = make_ledger([collect(store_of(cells, datasets=[entry]))])
        assert ledger is not None
        return {one.judged.why for one in ledger.entries}

    card = {"name": "yacht", "card": "yacht"}
    elsewhere = "srt_l2, srt have no finished run on a data set of the paper"
    assert elsewhere in reasons(OWN, "srt", "srt_l2")
    assert elsewhere not in reasons(card, "srt", "srt_l2")
    # A method that did not run at all is not measured.
    assert "srt_l2 is not measured" in reasons(OWN, "srt")


def test_a_data_set_with_the_name_of_a_card_of_the_paper_is_told_from_it() -> None:
    paper = get_paper("srt")
    said = not_published(paper, [OWN], {}, Catalog(), {"yacht": 40})
    assert said == ["'yacht' is not the data set 'yacht' of the paper, which is the card yacht"]
    for entry in ({"name": "yacht", "card": "yacht"}, {**OWN, "name": "mine"}):
        assert not not_published(paper, [entry], {}, Catalog(), {})


def test_the_decision_is_stored_with_the_plan_and_the_page_follows_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cheap
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BOOSTBENCH_CACHE", str(tmp_path / "cache"))
    (tmp_path / "own.yaml").write_text(IRIS)
    rows = "\n".join(f"{n},{n * n % 7},{n + n * n % 7}" for n in range(40))
    (tmp_path / "yacht.csv").write_text(f"a,b,y\n{rows}\n")
    with pytest.raises(SystemExit):
        main(["run", "own.yaml", "--only", "dataset=yacht", "--in-process", "--offline"])
    folder = tmp_path / "results" / "own"
    with Store.read(folder) as store:
        assert store.experiment()["published_as"] == {"boats": "yacht"}
    text = (folder / "table.md").read_text(encoding="utf-8")
    assert "Measured against" not in text
    assert "(0.990)" not in text


@pytest.mark.parametrize("n_samples", [40, 41])
def test_a_file_is_the_papers_with_its_number_of_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cheap, capsys, n_samples
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BOOSTBENCH_CACHE", str(tmp_path / "cache"))
    (tmp_path / "own.yaml").write_text(IRIS.replace("paper: srt", "paper: ./p"))
    rows = "\n".join(f"{n},{n * n % 7},{n + n * n % 7}" for n in range(40))
    (tmp_path / "yacht.csv").write_text(f"a,b,y\n{rows}\n")
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "paper.yaml").write_text("title: T\nauthors: A\n")
    (tmp_path / "p" / "tables.csv").write_text("table,dataset,method,r2_mean\n1,yacht,srt,0.99\n")
    known = f"dataset,n_samples,files\nyacht,{n_samples},yacht.csv\n"
    (tmp_path / "p" / "datasets.csv").write_text(known)
    why = "is not the data set 'yacht' of the paper, which"
    for _ in range(2):  # rows that are not loaded again are remembered
        with pytest.raises(SystemExit):
            main(["run", "own.yaml", "--only", "dataset=yacht", "--in-process", "--offline"])
        text = (tmp_path / "results" / "own" / "table.md").read_text(encoding="utf-8")
        assert ("(0.99)" in text) is (n_samples == 40)
        assert (f"'yacht' {why} has 41 rows, not 40" in text) is (n_samples == 41)
    capsys.readouterr()
    with pytest.raises(SystemExit):
        main(["check", "own.yaml"])
    told = capsys.readouterr().err
    assert (f"'yacht' {why} has 41 rows, not 40" in told) is (n_samples == 41)
    # The card of the name is another data set.
    assert f"'boats' {why} is the file yacht.csv" in told


def test_a_stored_decision_outlives_a_change_of_the_papers_files() -> None:
    entry = {"name": "yacht", "card": "yacht"}
    cells = {("yacht", "srt"): [0.9, 0.9]}
    for decided, expected in (({}, ""), ({"yacht": "housing"}, "0.809")):
        store = store_of(cells, datasets=[entry], published_as=decided)
        assert cell_of(store, "yacht", "srt")["published_r2"] == expected
