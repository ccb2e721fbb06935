"""A third paper is a folder of data and a config; all else follows."""

import shutil
from pathlib import Path

import pytest
from boosting_parts import ok
from pages import cell_of, page_of

from boostbench.cli.app import main
from boostbench.config.loading import load_experiment
from boostbench.errors import ConfigError
from boostbench.papers import Published, get_paper, paper_names
from boostbench.papers.metrics import METRICS
from boostbench.papers.paper import read_datasets, read_tables

FOLDER = Path(__file__).with_name("third_paper")
CONFIG = Path(__file__).with_name("third_paper.yaml")
BESIDE = "Measured beside printed"


@pytest.fixture
def third(register):
    register(third=FOLDER)


@pytest.fixture
def store(third, make):
    def runs(error: float):
        return [ok([0.5, error - 0.001]), ok([0.5, error + 0.001])]

    cells = {
        ("iris", "multiboost"): runs(0.05), ("iris", "adaboost_mh"): runs(0.049),
        ("wine", "multiboost"): runs(0.027), ("wine", "adaboost_mh"): runs(0.2),
    }  # fmt: skip
    return make(cells, paper="third", table="1")


def test_its_printed_accuracies_are_beside_the_measured_ones(store) -> None:
    page = page_of(store)
    assert page.rows(BESIDE) == [
        {"Data set": "iris", "multiboost": "95.00 ? (96.2)", "adaboost_mh": "95.10 ? (95.1)"},
        {"Data set": "wine", "multiboost": "97.30 ? (97.3)", "adaboost_mh": "80.00 ? (93.0)"},
        {
            "Data set": "Arithmetic mean",
            "multiboost": "96.15 (96.75)",
            "adaboost_mh": "87.55 (94.05)",
        },
    ]
    assert "in percent" in page.section(BESIDE)
    cell = cell_of(store, "iris", "multiboost")
    assert (cell["published_table"], float(cell["published_accuracy"])) == ("1", 0.962)
    assert float(cell["margin"]) == 0.01
    assert float(cell["accuracy_mean"]) == pytest.approx(0.95)
    source = "Table 1 of A. Author, B. Author: A third paper. Journal of Inventions 1, 2030."
    assert source in page.text
    row = page.row("multiboost, beside Table 1", Data_set="iris")
    assert row["Test accuracy, %"] == "95.00"
    assert (row["Difference"], row["Margin"]) == ("−1.20", "1.00")


def test_printed_shares_are_beside_percentages_with_their_digits() -> None:
    assert (
        METRICS["accuracy"].printed(Published("1", "iris", "m", 0.962, printed="0.962")) == "96.2"
    )
    assert METRICS["accuracy"].printed(Published("1", "iris", "m", 0.962, printed="96.2")) == "96.2"
    assert METRICS["r2"].printed(Published("1", "iris", "m", -0.9, printed="-0.90")) == "−0.90"


def test_its_claims_are_judged(store) -> None:
    page = page_of(store)
    claims = page.claims()
    assert set(claims) == {"mean", "better", "wins"}
    assert claims["mean"].startswith("✓ reproduced: mean ")
    assert "measured multiboost minus the printed average: −0.60 [" in claims["mean"]
    assert claims["better"].startswith("✓ reproduced: better ")
    assert "multiboost better than adaboost_mh by, mean: +8.60 [" in claims["better"]
    # On iris both have nearly the same: that one data set is won is all that the runs decide.
    assert claims["wins"].startswith("◐ weaker: wins ")
    figures = "multiboost better than adaboost_mh by: 1 of 2 above 0: −0.10 to +17.30"
    assert figures in claims["wins"]
    others = page.rows("Claims that are not judged here")
    assert others[0]["why"] == "not judged: nothing was timed"


def test_its_config_runs_from_end_to_end(third, tmp_path, monkeypatch, cheap) -> None:
    experiment = load_experiment(CONFIG)
    assert (experiment.paper, experiment.table) == ("third", "1")
    with pytest.raises(ConfigError, match="no table or figure '2'; choose one of 1, Figure 1"):
        load_experiment(CONFIG, ["table='2'"])
    monkeypatch.setenv("BOOSTBENCH_CACHE", str(tmp_path / "cache"))
    results = tmp_path / "results"
    with pytest.raises(SystemExit) as ended:
        main(["run", str(CONFIG), "--set", f"results={results}", "--jobs", "1", "--offline"])
    assert ended.value.code == 0
    page = (results / "table.md").read_text(encoding="utf-8")
    assert "(96.2)" in page
    # Its methods are not run as registered, so that they play no role in its claims.
    assert "## The paper's claims" not in page
    assert (results / "third.svg").is_file()


def test_only_a_paper_of_the_task_is_compared(third, make, make_store) -> None:
    page = page_of(make_store({("iris", "multiboost"): [0.9]}, paper="third"))
    assert "Test R²" in page.headings()
    page = page_of(make({("yacht", "srt"): [ok([0.2])]}, paper="srt"))
    assert page.rows("Test error, %") == [{"Data set": "yacht", "srt": "20.00"}]


def test_a_paper_whose_file_is_wrong_says_where(tmp_path) -> None:
    path = tmp_path / "t.csv"
    head = "table,dataset,method,error_mean,depth\n"
    for text, message in (
        (
            head + "1,iris,m,0.2,\n1,iris,n,o.3,\n",
            r"t\.csv:3: 'mean': Input should be a valid number",
        ),
        (head + "1,iris,m,,\n", r"t\.csv:2: 'error_mean' is empty; every row needs one"),
        (head + "1,iris,,0.2,\n", r"t\.csv:2: 'method': Field required"),
        (head + "1,iris,m,0.2,two\n", r"t\.csv:2: 'depth': Input should be a valid integer"),
        ("table,dataset,method\n1,iris,m\n", r"t\.csv:1: there must be a column 'error_mean' or"),
        (head, r"t\.csv:1: .* and rows"),
    ):
        path.write_text(text)
        with pytest.raises(ConfigError, match=message):
            read_tables(path, "error", [], {}.get)
    with pytest.raises(ConfigError, match=r"gone\.csv cannot be read"):
        read_tables(tmp_path / "gone.csv", "error", [], {}.get)
    path.write_text("dataset,n_samples\niris,many\n")
    with pytest.raises(
        ConfigError, match=r"t\.csv:2: 'n_samples': Input should be a valid integer"
    ):
        read_datasets(path)


def test_papers_of_other_packages_are_checked(register, tmp_path) -> None:
    module = type("module", (), {"__file__": str(FOLDER / "__init__.py")})
    odd = tmp_path / "odd"
    shutil.copytree(FOLDER, odd)
    (odd / "paper.yaml").write_text("title: x\nauthers: y\nruns: many\n")
    register(third=FOLDER, module=module, broken=ImportError("no module x"), other=3, odd=str(odd))
    assert paper_names() == ["multiboost", "srt", "broken", "module", "odd", "other", "third"]
    assert get_paper("third") is get_paper("module") is get_paper(str(FOLDER))
    for key, message in (
        ("broken", "cannot be imported: no module x"),
        ("other", "'other': there is no paper in 3: it has no file paper.yaml"),
        ("odd", r"paper.yaml:2:1: 'authers': Unexpected .* .did you mean 'authors'"),
        ("odd", r"paper.yaml:3:7: 'runs': Input should be a valid integer"),
        ("odd", r"paper.yaml:1:1: 'authors': Field required"),
        ("thrid", "not known here .did you mean 'third'"),
        ("./gone", "there is no paper in .*gone: it has no file paper.yaml"),
    ):
        with pytest.raises(ConfigError, match=message):
            get_paper(key)


def test_a_folder_beside_the_experiment_is_a_paper(tmp_path, monkeypatch) -> None:
    shutil.copytree(FOLDER, tmp_path / "mine")
    config = tmp_path / "mine.yaml"
    config.write_text(CONFIG.read_text().replace("paper: third", "paper: ./mine"))
    assert load_experiment(config).paper == "./mine"
    claims = tmp_path / "mine" / "claims.csv"
    right = claims.read_text()
    claims.write_text(right.replace("<= 0.01", "<< 0.01"))
    with pytest.raises(ConfigError, match=r"mine.yaml:\d+:\d+: .*claims.csv:2, "):
        load_experiment(config)
    claims.write_text(right)
    config.write_text(config.read_text().replace("./mine", "./yours"))
    with pytest.raises(ConfigError, match=r"mine.yaml:3:8: .*: there is no paper in .*yours"):
        load_experiment(config)
