"""Where the bands of the boosting claims' rules lie: their words written down a second time."""

from typing import Any

import numpy as np
import pytest

from boostbench.papers import get_paper
from boostbench.papers.claim import Ruling, Values

RULES = {claim.id: claim.rule for claim in get_paper("multiboost").claims if claim.rule is not None}
LETTERS = {
    "r": Ruling.REPRODUCED, "d": Ruling.DIRECTION, "c": Ruling.CONTRADICTED, "u": Ruling.UNDECIDED,
}  # fmt: skip
LOG = np.log
# Values by data set; what is won, lost or level in one.
WON, LOST = [1.0, 1.0, 1.0], [-1.0, -1.0, -1.0]
MOST, FEW = [1.0, 1.0, -1.0], [1.0, -1.0, -1.0]
CASES: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "M-ABS-2": [
        ("r", {"search": [0.8, 1.25], "total": [0.1, 1.25]}),
        ("d", {"search": [0.8, 1.25], "total": [1, 1.26]}),
        ("d", {"search": [0.79, 2], "total": [1, 1]}),
        ("d", {"search": [0.5, 1], "total": [9, 9]}),
        ("u", {"search": [0.4, 1], "total": [1, 1]}),
        ("c", {"search": [1, 2.1], "total": [1, 1]}),
    ],
    "M-ABS-4": [
        ("r", {"areas": MOST, "finals": [0, 0, -1]}),
        ("d", {"areas": FEW, "finals": MOST}),
        ("d", {"areas": MOST, "finals": FEW}),
        ("c", {"areas": FEW, "finals": FEW}),
        # Half is not most, and as small an area is not a smaller one.
        ("c", {"areas": [1, -1], "finals": [1, -1]}),
        ("c", {"areas": [0, 0, 0], "finals": FEW}),
    ],
    "M-ABS-5": [
        ("r", {"times": [1.6, 2]}),
        ("d", {"times": [1.4, 2]}),
        ("d", {"times": [0.9, 1.1, 2]}),
        ("c", {"times": [0.9, 2]}),
    ],
    "M-INT-2": [
        ("r", {"areas": MOST, "finals": MOST, "times": [1 / 1.1, 2, 2]}),
        ("d", {"areas": MOST, "finals": [0, 0, 0], "times": [1, 1, 1]}),
        ("d", {"areas": MOST, "finals": MOST, "times": [0.9, 2, 2]}),
        ("c", {"areas": MOST, "finals": FEW, "times": [0.9, 2, 2]}),
    ],
    "M-INT-3": [
        ("r", {"times": [10.1, 20, 30], "slope": [0.1], "areas": MOST}),
        ("d", {"times": [9.9, 20, 30], "slope": [0.1], "areas": MOST}),
        ("d", {"times": [11, 20, 30], "slope": [0], "areas": MOST}),
        ("d", {"times": [11, 20, 30], "slope": [0.1], "areas": FEW}),
        ("d", {"times": [2.1, 3, 3], "slope": [-1], "areas": LOST}),
        ("u", {"times": [1.9, 3, 3], "slope": [1], "areas": WON}),
        ("c", {"times": [1, 3, 3], "slope": [1], "areas": WON}),
    ],
    "M-INT-6": [("r", {"times": [5, 1]}), ("d", {"times": [5.1, 20]}), ("c", {"times": [1, 20.1]})],
    "M-SUB": [
        ("r", {"search": [0.8, 1.25]}),
        ("d", {"search": [0.5, 1]}),
        ("d", {"search": [1, 2]}),
        ("c", {"search": [0.49, 1]}),
        ("c", {"search": [1, 2.1]}),
    ],
    "M-ALL-1": [
        ("r", {"areas": MOST, "finals": MOST, "times": [1.6, 2, 2]}),
        ("d", {"areas": MOST, "finals": MOST, "times": [1.4, 2, 2]}),
        ("d", {"areas": FEW, "finals": MOST, "times": [1.6, 2, 2]}),
        ("c", {"areas": FEW, "finals": FEW, "times": [1.6, 2, 2]}),
        ("c", {"areas": FEW, "finals": MOST, "times": [1.4, 2, 2]}),
    ],
    "M-MO-1": [
        ("r", {"factor": [0, LOG(1.5), 0.1]}),
        ("d", {"factor": [0, LOG(2.9), LOG(9)]}),
        ("c", {"factor": [0, LOG(3.1), LOG(9)]}),
        # On half of them it is more than three times the other's.
        ("u", {"factor": [0, LOG(9)]}),
    ],
    "M-MO-2": [
        ("r", {"times": [10.1, 20]}),
        ("d", {"times": [9.9, 20]}),
        ("u", {"times": [0.9, 2, 2]}),
        ("c", {"times": [1, 2]}),
    ],
    "M-MO-3": [("r", {"times": [2.1, 3]}), ("d", {"times": [1.1, 3]}), ("c", {"times": [1, 3]})],
    "M-F1": [
        ("r", {"areas": WON, "behind": [2, 0, 0]}),
        ("d", {"areas": WON, "behind": [2.1, 0, 0]}),
        ("d", {"areas": MOST, "behind": [2, 0, 0]}),
        ("c", {"areas": MOST, "behind": [2.1, 0, 0]}),
    ],
    "M-F1-T": [
        ("r", {"times": [1.6, 2], "solver": [1.6, 2]}),
        ("d", {"times": [1.4, 2], "solver": [1.6, 2]}),
        ("d", {"times": [1.6, 2], "solver": [0.5, 2]}),
        ("c", {"times": [1, 2], "solver": [2, 2]}),
    ],
    **{
        name: [
            ("r", {"areas": WON, "finals": [0, 0, 0], "times": [1.6, 2, 2]}),
            ("d", {"areas": MOST, "finals": MOST, "times": [1, 1, 1]}),
            ("d", {"areas": MOST, "finals": LOST, "times": [1.6, 2, 1]}),
            ("c", {"areas": MOST, "finals": LOST, "times": [1.4, 2, 1]}),
            ("c", {"areas": FEW, "finals": WON, "times": [1.4, 2, 1]}),
        ]
        for name in ("M-F2", "M-F3", "M-F4", "M-F5")
    },
    "M-F2-MO": [
        ("r", {"factor": [LOG(1.5)], "times": [10.1]}),
        ("d", {"factor": [LOG(1.6)], "times": [10.1]}),
        ("d", {"factor": [LOG(1.5)], "times": [9]}),
        ("c", {"factor": [LOG(1.6)], "times": [9]}),
    ],
    "M-F6-1": [("r", {"times": [1.1, 2]}), ("d", {"times": [1, 2, 2]}), ("c", {"times": [1, 2]})],
    "M-F6-2": [("r", {"times": [2.1, 3]}), ("d", {"times": [0.9, 2, 2]}), ("c", {"times": [1, 3]})],
    "M-F6-3": [("r", {"excess": [1, 0]}), ("d", {"excess": [5, 0]}), ("c", {"excess": [5.1, 0]})],
    "M-F6-4": [("r", {"times": [2.1, 3]}), ("d", {"times": [0.9, 2, 2]}), ("c", {"times": [1, 3]})],
    "M-CON-1": [("r", {"behind": 1}), ("d", {"behind": 3}), ("c", {"behind": 3.1})],
    "M-CON-2": [
        ("r", {"times": [2.1, 3]}),
        ("d", {"times": [0.9, 2, 2]}),
        ("c", {"times": [1, 3]}),
    ],
}


@pytest.mark.parametrize(
    ("name", "letter", "figures"),
    [(name, letter, figures) for name, cases in CASES.items() for letter, figures in cases],
)
def test_a_rule_judges_by_the_bands_of_its_words(name, letter, figures) -> None:
    rule = RULES[name]
    values = Values({key: np.array([value], dtype=float) for key, value in figures.items()})
    assert rule.judge(values) is LETTERS[letter]
    assert set(figures) <= {figure.name for figure in rule.figures}


def test_every_rule_is_written_down_here() -> None:
    assert set(CASES) == set(RULES)
