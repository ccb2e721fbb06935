"""What a reader must know to judge the figures: two readings of one method, and what follows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from boostbench.report import numbers
from boostbench.report.frame import parts
from boostbench.report.stats import Cell, Summary

if TYPE_CHECKING:
    from boostbench.report.frame import MethodInfo

ORRT = (
    "The published ORRT column is the setting of Blanquero et al.: mu = 512, coefficients within "
    "[-1, 1], SLSQP with ftol 1e-5. Its sigmoids are steps, and it stays close to plain linear "
    "regression. `orrt` is that reading; `orrt_trained` is the same model with mu = 1, free "
    "coefficients and the analytic gradient. A claim against ORRT holds for the reading it was "
    "measured with."
)
ORRT_NEGATIVE = (
    "The published ORRT averages leave out the runs with R² < 0: ailerons has 44 of 80 such runs "
    "and still a mean of 0.784. So the comparison leaves them out as well, in cells where the "
    "paper counts such runs; the mean over all runs, the median and the count stand in the "
    "method's own table."
)
FOREST = (
    "The published random forest is R's randomForest, which stops splitting where the features it "
    "drew cannot improve a node; scikit-learn's draws more and goes on, most visibly on airfoil. "
    "`random_forest` is scikit-learn's forest set as near to R's defaults as it goes; "
    "`random_forest_r` runs the R package where it is installed."
)
BEST5 = (
    "`_best5` trains five times from other initial clusterings and keeps the tree with the lowest "
    "training objective; no test data are involved, and the time of training covers all five. The "
    "paper describes a single start, so both are shown."
)
LITERAL = (
    "`srt_l2_literal` adds both penalties to the mean loss, as (7) is printed, with the paper's "
    "lambdas; `srt_l2` puts lambda_beta beside the sum of the losses and nearly nothing on omega. "
    "The paper's figures are compared with both."
)
NEGATIVE = (
    "One run with R² < 0 can decide a mean, and without ℓ₂ a training explodes now and then: "
    "{cells}. "
    "Read the median and the count of runs with R² < 0 beside the mean."
)
TIMES = (
    "Training times are means over the finished runs on the machines listed below, one thread a "
    "run; the published ones were taken on an {hardware}. Their ratio says as much about the "
    "machines as about the methods."
)
SPREAD = (
    "The sd is the sample standard deviation (n − 1) over all finished {parts} × seeds together."
)
UNSAID = "The paper does not say how it takes its own."


def notes(summary: Summary) -> list[str]:
    """Return the paragraphs that apply to the methods of ``summary``."""
    spread = SPREAD.format(parts=parts(summary.results.experiment))
    if summary.paper is None or not summary.compares:
        return [spread]
    present = {method.registered for method in summary.methods}
    texts = [f"{spread} {UNSAID}"]
    if present & {"srt_best5", "srt_l2_best5"}:
        texts.append(" ".join([BEST5, *_best5_gain(summary)]))
    if "srt_l2_literal" in present:
        texts.append(LITERAL)
    if present & {"orrt", "orrt_trained"}:
        texts.append(" ".join([ORRT, *_orrt_wins(summary)]))
        texts.append(ORRT_NEGATIVE)
    if present & {"random_forest", "random_forest_r"}:
        texts.append(" ".join([FOREST, *_forest_on_airfoil(summary)]))
    exploded = [cell for cell in summary.cells.values() if cell.exploded]
    if exploded:
        texts.append(NEGATIVE.format(cells="; ".join(_describe(cell) for cell in exploded)))
    texts.append(TIMES.format(hardware=summary.paper.hardware))
    return texts


def _describe(cell: Cell) -> str:
    return (
        f"{cell.method} on {cell.dataset}, {cell.negative} of {cell.finished} runs, "
        f"mean {numbers.r2(cell.r2_mean)}, median {numbers.r2(cell.r2_median)}"
        + (
            f", mean without them {numbers.r2(cell.kept_mean)}"
            if cell.kept_mean is not None
            else ""
        )
    )


def _by_name(summary: Summary, registered: str) -> MethodInfo | None:
    return next((m for m in summary.methods if m.registered == registered), None)


def _both(summary: Summary, first: str, second: str) -> list[tuple[str, float, float]]:
    """Return (data set, mean R2, mean R2) of two methods, over their runs with R2 >= 0."""
    left, right = _by_name(summary, first), _by_name(summary, second)
    if left is None or right is None or left.depth != right.depth:
        return []
    pairs = []
    for data in summary.datasets:
        a = summary.cell(data.label, left.label).kept_mean
        b = summary.cell(data.label, right.label).kept_mean
        if a is not None and b is not None:
            pairs.append((data.label, a, b))
    return pairs


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _orrt_wins(summary: Summary) -> list[str]:
    sentences = []
    for name in ("srt_l2_best5", "srt_l2", "srt_best5", "srt"):
        pairs = _both(summary, "orrt_trained", name)
        if pairs:
            better = [data for data, trained, srt in pairs if trained > srt]
            where = f" ({', '.join(better)})" if better else ""
            sentences.append(
                f"Measured here, `orrt_trained` has a higher mean R² than `{name}` on "
                f"{len(better)} of {len(pairs)} data sets{where}."
            )
            break
    pairs = _both(summary, "orrt_trained", "orrt")
    if pairs:
        sentences.append(
            f"Its mean over {_sets(len(pairs))} is {numbers.r2(_mean([p[1] for p in pairs]))}, "
            f"against {numbers.r2(_mean([p[2] for p in pairs]))} for `orrt`."
        )
    return sentences


def _forest_on_airfoil(summary: Summary) -> list[str]:
    airfoil = next((d.label for d in summary.datasets if d.published_as == "airfoil"), "")
    measured = []
    for name in ("random_forest", "random_forest_r"):
        method = _by_name(summary, name)
        cell = summary.cell(airfoil, method.label) if method else None
        if cell and cell.compared is not None and cell.published:
            measured.append(
                f"`{name}` has {numbers.r2(cell.compared)} there, "
                f"{numbers.r2(cell.published.r2_mean)} is published"
            )
    return [f"Measured here, {'; '.join(measured)}."] if measured else []


def _best5_gain(summary: Summary) -> list[str]:
    sentences = []
    for name in ("srt_l2", "srt"):
        pairs = _both(summary, f"{name}_best5", name)
        if pairs:
            sentences.append(
                f"Measured here, runs with R² < 0 left out, the mean over {_sets(len(pairs))} goes "
                "from "
                f"{numbers.r2(_mean([p[2] for p in pairs]))} (`{name}`) to "
                f"{numbers.r2(_mean([p[1] for p in pairs]))} (`{name}_best5`)."
            )
    return sentences


def _sets(number: int) -> str:
    return f"{number} data set{'' if number == 1 else 's'}"
