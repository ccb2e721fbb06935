"""A whole page in Markdown, against the file in ``snapshots``.

``BOOSTBENCH_UPDATE_SNAPSHOTS=1 pytest tests/report/test_snapshots.py`` writes it again: read the
difference before it is committed.
"""

import os
from pathlib import Path

from pages import files_of
from parts import boosted, boosting_of

from boostbench.store.types import Outcome

SNAPSHOT = Path(__file__).with_name("snapshots") / "boosting.md"
SLOW = [0.8, 0.7, 0.6, 0.5, 0.4, 0.35, 0.3, 0.25, 0.2, 0.2]
FAST = [0.8, 0.4, 0.2, 0.15, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]


def test_the_page_is_as_it_was() -> None:
    cells = {
        ("vowel", "multiboost_cw"): [boosted(FAST, chosen_C=1e4), boosted(FAST, chosen_C=100)],
        ("vowel", "multiboost"): [boosted(SLOW, 0.1), boosted(SLOW, 0.1)],
        ("vowel", "adaboost_mh"): [None, Outcome("timeout", "over the limit of 10 s")],
        ("usps", "multiboost_cw"): [boosted(FAST), boosted([*FAST[:-1], 0.12], stop="optimal")],
        ("usps", "multiboost"): [boosted(FAST, 0.1), Outcome("killed", "by SIGKILL")],
        ("usps", "adaboost_mh"): [Outcome("skipped", "not today")] * 2,
    }
    text = files_of(boosting_of(cells, table="Figure 1"), "md")["table.md"].decode()
    if os.environ.get("BOOSTBENCH_UPDATE_SNAPSHOTS"):
        SNAPSHOT.write_text(text, encoding="utf-8")
    assert text == SNAPSHOT.read_text(encoding="utf-8")
