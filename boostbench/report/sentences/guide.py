"""How to read a report: verdicts, marks, sds, curves and times."""

import math
from collections.abc import Mapping, Sequence

from boostbench.papers.judge import ClaimVerdict
from boostbench.papers.metrics import Metric
from boostbench.report.figures.axes import MOST_DOTS
from boostbench.report.frames.cell import DECIDED_OR_NOT, CellVerdict
from boostbench.suggest import counted

SDS = (
    "The sd (±) is the sample standard deviation (n − 1) over all finished runs together. Their "
    "training rows overlap, so that it understates the uncertainty of the mean."
)
CURVES = (
    "A curve of scores is the mean over runs. On logarithmic axes (times, objectives) it is the "
    "median. The score after an iteration is that of the model with the coefficients of that "
    "iteration. A training that stopped early keeps its last values; where trainings were cut off "
    "by a time budget, the curve ends where the first of them does. A method that recorded no "
    "stages has its final score or time. The CSV files have all values."
)
WALL_TIMES = "Times are of training only, one thread per run: the wall time of all of `fit`."
SEPARATE = (
    "“Separate” means that the test of the fold means decides at 5 %, after Holm’s correction for "
    "all that are compared with the best."
)
VERDICTS_IN_SHORT = {
    CellVerdict.AGREES: "interval inside the margin",
    CellVerdict.DIFFERS: "wholly outside",
    CellVerdict.UNDECIDED: "over its edge",
}
CELLS = "mean of each method on each data set, printed value and verdict"
SCROLL = "Scroll the table sideways →"
CHOOSE_A_CELL = (
    "Choose a cell to see its runs, and why it has its verdict; *: runs are missing, or one run "
    "decides."
)
MARKS = "bar: 90 % interval of measured minus printed; band: margin; arrow: it continues"
LOOK_BEHIND = "Lists its single runs, and how to run each again."
TRY_ONE_SEED = (
    "Runs it with one seed, in results of its own. --set methods=… and datasets=… take "
    "scikit-learn estimators and CSV files: no code is needed."
)
TRY_YOUR_OWN = (
    "Add a scikit-learn estimator or a CSV file to the experiment file first: no code is needed, "
    "and only what is new is run."
)
KEEP_NUMBERS = "Writes every number to table.csv, and the figures as PNG, SVG and PDF."


def times_by_own_clock(without_clock: Sequence[str]) -> str:
    """Return what the times of methods with clocks of their own are; some may be without."""
    text = (
        "Times are of training only, one thread per run, and the same in figures and tables: what "
        "the method's own clock shows at the end of its last iteration. It starts with `fit`, so "
        "that checking and sorting the data are inside. Outside are the choice of parameters, "
        "errors after each iteration, and what `fit` does after the last one: certificates of the "
        "optimum, putting the model together."
    )
    if not without_clock:
        return text
    methods = ", ".join(f"`{name}`" for name in without_clock)
    return f"{text} Of {methods}, without such a clock, it is the wall time of all of `fit`."


def several_processors(names: Sequence[str]) -> str:
    """Return on which processors runs were timed, and which times are compared."""
    return (
        f"The runs were timed on {counted(len(names), 'processor')}: {'; '.join(names)}. Means of "
        "times, and figures of them, take them together; claims and gains compare only times of "
        "runs of the same data set, fold and seed on the same processor."
    )


def exploded_runs(metric: Metric) -> str:
    """Return that exploded runs decide means."""
    return (
        f"One run with {metric.exploded_label} can decide a mean: where their count is not zero, "
        "read the median and the mean without them, in `table.csv`, beside it."
    )


def runs_beside_print(metric: Metric) -> str:
    """Return that exploded runs are left out beside print alone."""
    return (
        "Every finished run counts where methods are compared with one another: for the best, "
        "pairs, ranks, and a table for a paper of one's own. A mean beside a printed one, and a "
        f"claim of the paper, is without runs with {metric.exploded_label} where the printed mean "
        "leaves them out."
    )


def cell_verdicts(metric: Metric) -> dict[CellVerdict, str]:
    """Return what each verdict on a cell means."""
    return {
        CellVerdict.AGREES: (
            "The 90 % interval of measured minus printed lies inside the margin: "
            f"{metric.least_words} or {metric.spread_tolerance:g} times the printed sd, the larger "
            "one."
        ),
        CellVerdict.DIFFERS: "The interval lies wholly outside the margin.",
        CellVerdict.UNDECIDED: (
            "The interval reaches over the edge of the margin: these runs decide neither."
        ),
        CellVerdict.NOT_COMPARABLE: (
            "Another setting or other data than the printed cell; the reason is in the cell."
        ),
    }


def margins(counts: Mapping[float, Mapping[CellVerdict, int]]) -> str:
    """Return how many cells have each verdict by the factor of their margin."""
    names = {0.5: "half the margin", 1.0: "the margin", 2.0: "twice the margin"}
    cells = counted(sum(counts[1.0].values()), "cell")
    each = [
        f"{', '.join(f'{n:,}' for n in own.values())} at {names[factor]}"
        for factor, own in counts.items()
    ]
    return (
        f"How far the verdicts on {cells} hang on the margin ({', '.join(DECIDED_OR_NOT)}): "
        f"{'; '.join(each)}."
    )


def claim_verdicts(settings: Sequence[str]) -> dict[ClaimVerdict, str]:
    """Return what each verdict on a claim means, of a paper with such ``settings``."""
    return {
        ClaimVerdict.REPRODUCED: "A claim whose figures lie within the bounds set for it.",
        ClaimVerdict.WEAKER: "The claim holds in part, but not by its figure.",
        ClaimVerdict.NOT_REPRODUCED: "The claim does not hold.",
        ClaimVerdict.UNDECIDED: (
            "The interval reaches from figures that contradict the claim to figures that do not, "
            f"or {' or '.join(settings or ['data sets'])} that it is about were not run."
        ),
    }


def runs_and_intervals(metric: Metric) -> str:
    """Return what a run, a partition and the interval of a mean are."""
    is_cut = any(map(math.isfinite, metric.bounds))
    bound = ", cut at the bounds of possible means; those of differences are not cut"
    return (
        "A run is one fit: one method, one data set, one part of the rows held out, one seed. All "
        "methods see the same parts. A partition is one way to split the rows into folds. The "
        "interval of a mean is for other rows of the same kind (corrected resampled t, 95 %)"
        f"{bound if is_cut else ''}."
    )


def claims_of_paper(paper: str) -> str:
    """Return what the command that judges a paper's claims shows."""
    return f"What these runs say of {paper}, claim by claim."


def runs_in_lines(runs: int, lines: int, most: int) -> str:
    """Return what a strip of single runs shows, at ``most`` so many on a line."""
    text = f"{runs} single run{'s' if runs != 1 else ''}"
    text += f" in {lines} lines" if lines > 1 else ""
    if most > MOST_DOTS:
        text += f"; a line shows {MOST_DOTS} at most, at even ranks"
    return text


def runs_outside(runs: int) -> str:
    """Return how many runs a strip does not show."""
    return f"{runs} run{'s' if runs > 1 else ''} outside"
