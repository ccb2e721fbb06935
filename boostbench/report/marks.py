"""How a verdict on a mean is written: marks in tables, words beside them."""

from boostbench.papers.metrics import Verdict
from boostbench.stats import Verdict as Statistical

MARKS = {Verdict.WITHIN: "✓", Verdict.ABOVE: "▲", Verdict.BELOW: "▼", Verdict.NONE: ""}

WORDS = {
    Verdict.WITHIN: "within tolerance", Verdict.ABOVE: "above", Verdict.BELOW: "below",
    Verdict.NONE: "",
}  # fmt: skip
SIGNS = {Statistical.EQUIVALENT: "≈", Statistical.DIFFERENT: "≠", Statistical.INCONCLUSIVE: "?"}
