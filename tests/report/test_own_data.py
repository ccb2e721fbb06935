"""Reports of experiments without a paper say nothing of one, and describe the runs."""

import re

import pytest
from boosting_parts import ok as boosting_ok
from pages import Page, files_of

from boostbench.store.types import Outcome

WORDS = re.compile(r"(?i)\b(paper|paper's|published|printed|registered as)\b")


def texts(store) -> dict[str, str]:
    """Return the text of the pages; of that in HTML without its style and script."""
    found = files_of(store, "md", "latex", "html")
    pages = {n: c.decode() for n, c in found.items() if n in ("table.md", "table.tex")}
    html = re.sub(r"<(style|script).*?</\1>", "", found["table.html"].decode(), flags=re.DOTALL)
    labels = re.findall(r'aria-label="(.*?)"', html)
    return {**pages, "table.html": " ".join([re.sub("<.*?>", " ", html), *labels])}


def run(r2: float, depth: int) -> Outcome:
    metrics = {"r2": r2, "n_train": 75, "n_test": 25, "chosen_max_depth": depth}
    return Outcome("ok", metrics=metrics, times={"fit_s": 0.1})


@pytest.mark.parametrize("task", ["regression", "classification"])
def test_a_report_without_a_paper_speaks_of_none(make, make_store, task: str) -> None:
    if task == "regression":
        cells = {(name, "line"): [0.3, 0.4] for name in ("mine", "other")}
        cells |= {(name, "forest"): [run(0.5, 3), run(0.6, 4)] for name in ("mine", "other")}
        store = make_store(cells, paper=None, splits={"n": 2, "test_size": 0.25}, seeds=1)
    else:
        cells = {("mine", "forest"): [boosting_ok([0.5, 0.3]), boosting_ok([0.5, 0.2])]}
        store = make(cells, paper=None, splits=None, folds=2)
    found = texts(store)
    for name, text in found.items():
        assert not WORDS.search(text), (name, WORDS.search(text))
        assert "ingerprint" in text
    page = Page(found["table.md"])
    assert ("2 splits" if task == "regression" else "2 folds") in page.text
    if task == "regression":
        assert page.column("forest", "Chosen")[:2] == ["max_depth = 3 ×1, 4 ×1"] * 2
