"""Reports of experiments without a paper say nothing of one, and describe the runs."""

import re

import pytest
from pages import Page, files_of
from parts import boosted, boosting_of, ok, store_of

WORDS = re.compile(r"(?i)\b(paper|paper's|published|printed|registered as)\b")


def texts(store) -> dict[str, str]:
    """Return the text of the pages; of that in HTML without its style and script."""
    found = files_of(store, "md", "latex", "html")
    pages = {n: c.decode() for n, c in found.items() if n in ("table.md", "table.tex")}
    html = re.sub(r"<(style|script).*?</\1>", "", found["table.html"].decode(), flags=re.DOTALL)
    labels = re.findall(r'aria-label="(.*?)"', html)
    return {**pages, "table.html": " ".join([re.sub("<.*?>", " ", html), *labels])}


@pytest.mark.parametrize("task", ["regression", "classification"])
def test_a_report_without_a_paper_mentions_none(task: str) -> None:
    if task == "regression":
        forest = [ok(0.5, chosen_max_depth=3), ok(0.6, chosen_max_depth=4)]
        runs = {"line": [0.3, 0.4], "forest": forest}
        cells = {(name, label): own for name in ("mine", "other") for label, own in runs.items()}
        store = store_of(cells, paper=None, splits={"n": 2, "test_size": 0.25}, seeds=1)
    else:
        cells = {("mine", "forest"): [boosted([0.5, 0.3]), boosted([0.5, 0.2])]}
        store = boosting_of(cells, paper=None, splits=None, folds=2)
    found = texts(store)
    for name, text in found.items():
        assert not WORDS.search(text), (name, WORDS.search(text))
        assert "ingerprint" in text
    page = Page(found["table.md"])
    assert ("2 splits" if task == "regression" else "2 folds") in page.text
    if task == "regression":
        assert page.column("forest", "Chosen")[:2] == ["max_depth = 3 ×1, 4 ×1"] * 2
