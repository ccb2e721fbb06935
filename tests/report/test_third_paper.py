"""A third paper is a folder of data and a config; all else follows."""

import shutil
from pathlib import Path

import pytest
from pages import cell_of, page_of
from parts import boosted, boosting_of, store_of

from boostbench.config.loading import load_experiment
from boostbench.errors import ConfigError
from boostbench.papers import get_paper, paper_names
from boostbench.papers.metrics import METRICS
from boostbench.papers.paper import read_tables
from boostbench.papers.tables import Published

FOLDER = Path(__file__).with_name("third_paper")
CONFIG = Path(__file__).with_name("third_paper.yaml")
BESIDE = "Measured beside printed"
METHODS = ("multiboost", "adaboost_mh")


@pytest.fixture
def third(install):
    install("boostbench.papers", third=FOLDER)


@pytest.fixture
def store(third):
    def runs(error: float):
        return [boosted([0.5, error - 0.001]), boosted([0.5, error + 0.001])]

    cells = {
        ("iris", "multiboost"): runs(0.05),
        ("iris", "adaboost_mh"): runs(0.049),
        ("wine", "multiboost"): runs(0.027),
        ("wine", "adaboost_mh"): runs(0.2),
    }
    return boosting_of(cells, paper="third", table="1")


def test_its_printed_accuracies_are_beside_the_measured_ones(store) -> None:
    page = page_of(store)
    assert [list(row.values()) for row in page.rows(BESIDE)] == [
        ["iris", "95.00 ? (96.2)", "95.10 ? (95.1)"],
        ["wine", "97.30 ? (97.3)", "80.00 ? (93.0)"],
        ["Arithmetic mean", "96.15 (96.75)", "87.55 (94.05)"],
    ]
    assert "in percent" in page.section(BESIDE)
    cell = cell_of(store, "iris", "multiboost")
    assert (cell["published_table"], float(cell["published_accuracy"])) == ("1", 0.962)
    assert (float(cell["margin"]), float(cell["accuracy_mean"])) == (0.01, pytest.approx(0.95))
    source = "Table 1 of A. Author, B. Author: A third paper. Journal of Inventions 1, 2030."
    assert source in page.text
    row = page.row("multiboost, beside Table 1", Data_set="iris")
    assert (row["Test accuracy, %"], row["Difference"], row["Margin"]) == ("95.00", "−1.20", "1.00")


def test_printed_shares_are_beside_percentages_with_their_digits() -> None:
    for metric, text, scale, shown in (
        ("accuracy", "0.962", 1.0, "96.2"), ("accuracy", "96.2", 0.01, "96.2"),
        ("error", "0.00", 0.01, "0.00"), ("r2", "-0.90", 1.0, "−0.90"), ("r2", "40", 0.01, "0.40"),
    ):  # fmt: skip
        assert METRICS[metric].printed(Published("", "", "", printed=text, scale=scale)) == shown


def test_its_claims_are_judged(store) -> None:
    page = page_of(store)
    claims = page.claims()
    assert set(claims) == {"mean", "better", "wins"}
    assert claims["mean"].startswith("✓ reproduced: mean ")
    assert "measured multiboost minus the printed average: −0.60 [" in claims["mean"]
    assert claims["better"].startswith("✓ reproduced: better ")
    assert "lead of multiboost over adaboost_mh, mean: +8.60 [" in claims["better"]
    # On iris both have nearly the same: that one data set is won is all that the runs decide.
    assert claims["wins"].startswith("◐ weaker: wins ")
    figures = "lead of multiboost over adaboost_mh: 1 of 2 above 0: −0.10 to +17.30"
    assert figures in claims["wins"]
    others = page.rows("Claims that are not judged here")
    assert others[0]["why"] == "not judged: nothing was timed"


def test_methods_with_other_parameters_play_no_role_in_claims(third) -> None:
    cells = {(name, m): [boosted([0.1])] * 2 for name in ("iris", "wine") for m in METHODS}
    assert "The paper's claims" in page_of(boosting_of(cells, paper="third")).headings()
    changed = boosting_of(cells, {name: {"max_iter": 3} for name in METHODS}, paper="third")
    assert "The paper's claims" not in page_of(changed).headings()


def test_only_a_paper_of_the_task_is_compared(third) -> None:
    page = page_of(store_of({("iris", "multiboost"): [0.9]}, paper="third"))
    assert "Test R²" in page.headings()
    page = page_of(boosting_of({("yacht", "srt"): [boosted([0.2])]}, paper="srt"))
    assert page.rows("Test error, %") == [{"Data set": "yacht", "srt": "20.00"}]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("table,dataset,method\n1,iris,m\n", r"t\.csv:1: there must be a column 'error_mean' or"),
        ("table,dataset,method,error_mean\n", r"t\.csv:1: .* and rows"),
        (None, r"there is no file .*t\.csv"),
    ],
)
def test_an_unknown_table_is_refused(tmp_path, text, message) -> None:
    path = tmp_path / "t.csv"
    if text is not None:
        path.write_text(text)
    with pytest.raises(ConfigError, match=message):
        read_tables(path, "error", [], lambda *_: None)


def test_papers_of_other_packages_are_checked(install, tmp_path) -> None:
    module = type("module", (), {"__file__": str(FOLDER / "__init__.py")})
    (tmp_path / "paper.yaml").write_text("title: x\nauthers: y\n")
    papers = {"third": FOLDER, "module": module, "other": 3, "odd": str(tmp_path)}
    install("boostbench.papers", broken=ImportError("no module x"), **papers)
    assert paper_names() == ["multiboost", "srt", "broken", "module", "odd", "other", "third"]
    assert get_paper("third") == get_paper("module") == get_paper(str(FOLDER))
    for key, message in (
        ("broken", "cannot be imported: no module x"),
        ("other", "'other': there is no paper in 3: it has no file paper.yaml"),
        ("odd", r"paper.yaml:2:1: 'authers': Unexpected .* .did you mean 'authors'"),
        ("thrid", "not known here .did you mean 'third'"),
        ("./gone", "there is no paper in .*gone: it has no file paper.yaml"),
    ):
        with pytest.raises(ConfigError, match=message):
            get_paper(key)


def test_a_folder_beside_the_experiment_is_a_paper(tmp_path) -> None:
    shutil.copytree(FOLDER, tmp_path / "mine")
    config = tmp_path / "mine.yaml"
    config.write_text(CONFIG.read_text().replace("paper: third", "paper: ./mine"))
    assert load_experiment(config).paper == "./mine"
    claims = tmp_path / "mine" / "claims.csv"
    claims.write_text(claims.read_text().replace("<= 1,", "<< 1,"))
    with pytest.raises(ConfigError, match=r"mine.yaml:3:8: .*claims.csv:2, "):
        load_experiment(config)
