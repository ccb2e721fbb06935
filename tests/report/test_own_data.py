"""Reports of experiments without a paper say nothing of one, and describe the runs."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from boosting_parts import ok as boosting_ok

from boostbench.report.build import build_report
from boostbench.store.types import Outcome

WORDS = re.compile(r"(?i)\b(paper|paper's|published|printed|registered as)\b")


class Words(HTMLParser):
    """The text of a page and what its attributes say to those who listen."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.text, self._style = "", False
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self._style = tag == "style"
        self.text += " ".join(value or "" for name, value in attrs if name == "aria-label")

    def handle_data(self, data):
        self.text += "" if self._style else data


def texts(folder: Path) -> dict[str, str]:
    pages = {
        name: (folder / name).read_text(encoding="utf-8") for name in ("table.md", "table.tex")
    }
    return {**pages, "table.html": Words((folder / "table.html").read_text(encoding="utf-8")).text}


def run(r2: float, depth: int) -> Outcome:
    metrics = {"r2": r2, "n_train": 75, "n_test": 25, "chosen_max_depth": depth}
    return Outcome("ok", metrics=metrics, times={"fit_s": 0.1})


@pytest.fixture
def regression(make_store, tmp_path: Path) -> Path:
    cells = {
        ("mine", "forest"): [run(0.5, 3), run(0.6, 4)],
        ("other", "forest"): [run(0.7, 4), run(0.8, 4)],
        ("mine", "line"): [0.3, 0.4],
        ("other", "line"): [0.3, 0.4],
    }
    store = make_store(cells, paper=None, splits={"n": 2, "test_size": 0.25}, seeds=1)
    build_report(store, tmp_path / "out", ["md", "latex", "html"])
    return tmp_path / "out"


def test_a_regression_report_speaks_of_no_paper(regression: Path) -> None:
    for name, text in texts(regression).items():
        assert not WORDS.search(text), (name, WORDS.search(text))
        assert "Fingerprint" in text


def test_a_classification_report_speaks_of_no_paper(make, tmp_path: Path) -> None:
    cells = {("mine", "forest"): [boosting_ok([0.5, 0.3]), boosting_ok([0.5, 0.2])]}
    build_report(make(cells, paper=None, splits=None, folds=2), tmp_path, ["md", "latex", "html"])
    for name, text in texts(tmp_path).items():
        assert not WORDS.search(text), (name, WORDS.search(text))
    page = texts(tmp_path)["table.md"]
    assert "over folds × seeds" in page
    assert "over all finished folds × seeds" in page
    assert "splits" not in page


def test_what_a_regressor_chose_is_shown(regression: Path) -> None:
    lines = texts(regression)["table.md"].splitlines()
    headers = [line for line in lines if "Measured: Runs" in line and "Chosen" in line]
    assert len(headers) == 1
    start = lines.index(headers[0])
    rows = [line.strip("| ").split("|") for line in lines[start : start + 5]]
    place = [cell.strip() for cell in rows[0]].index("Measured: Chosen")
    assert [row[place].strip() for row in rows[2:4]] == ["max_depth = 3 ×1, 4 ×1", "max_depth = 4"]
