"""An invented third paper: classification, printed accuracies, claims and one figure."""

from pathlib import Path

import numpy as np

from boostbench.papers.claim import Claim, Figure, Rule
from boostbench.papers.paper import Paper
from boostbench.papers.rules import GAP, WINS, above, bands, count, left

_AWAY = Figure(
    "away",
    "mean minus the printed one",
    "difference",
    lambda sets: np.mean(left(sets) - sets.printed("multiboost")),
)
_OURS, _OTHER = ("multiboost",), ("adaboost_mh",)
CLAIMS = (
    Claim(
        "mean",
        "mean accuracy of ours",
        "Table 1",
        _OURS,
        rule=bands(_AWAY, (-0.01, 0.01), (-0.03, 0.03), None, least_runs=4),
    ),
    Claim(
        "better",
        "ours is better on average",
        "Section 4",
        _OURS,
        _OTHER,
        rule=bands(GAP, (0.05, 1.0), (0.0, 1.0), None, least_runs=4),
    ),
    Claim(
        "wins",
        "ours wins everywhere",
        "Table 1",
        _OURS,
        _OTHER,
        rule=Rule(
            (WINS,),
            lambda values: above(values.gaps, 0),
            lambda values: above(count(values.gaps > 0), 0),
            least_runs=4,
        ),
    ),
    Claim("faster", "ours is faster than light", "Section 5", _OURS, reason="nothing was timed"),
)

PAPER = Paper(
    key="third",
    title="A third paper",
    authors="A. Author, B. Author",
    journal="Journal of Inventions 1, 2030",
    metric="accuracy",
    tables=Path(__file__).with_suffix(".csv"),
    names={"adaboost_mh": "boosting", "multiboost": "ours"},
    printed_names={"multiboost": "Ours", "adaboost_mh": "Boosting"},
    figures=("Figure 1",),
    load_claims=lambda: CLAIMS,
)
