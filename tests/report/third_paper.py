"""An invented third paper: classification, printed accuracies, claims and one figure."""

from pathlib import Path

from boostbench.papers.claim import Claim, as_many, mean_score, positive, reaches, score_gap, wins
from boostbench.papers.paper import Paper

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
    claims=(
        Claim("mean accuracy of ours", "Table 1", "multiboost", (), mean_score, "score", reaches),
        Claim(
            "ours is better on average",
            "Section 4",
            "multiboost",
            ("adaboost_mh",),
            score_gap,
            "difference",
            positive,
        ),
        Claim("ours wins", "Table 1", "multiboost", ("adaboost_mh",), wins, "count", as_many),
    ),
)
