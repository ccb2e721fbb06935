"""The legends of tables: what their numbers, marks and brackets mean."""

from collections.abc import Sequence
from dataclasses import replace

from boostbench import numbers
from boostbench.papers.metrics import Metric
from boostbench.report.sentences.caveats import Caveats, on_these_test_rows
from boostbench.report.words import datasets_in_words, series

P_OVER_METHODS = "p, adjusted over methods"
"""The header of the p on a data set after Holm, blank where nothing is adjusted."""
P_OVER_PAIRS = "p, adjusted over pairs"
"""The header of the p over data sets after Holm, blank where nothing is adjusted."""
DECIDED = "Decided, Holm over data sets"
COUNTS = "[k/n] counts finished of planned runs, or the data sets behind an average."
STANDARD_ERRORS = (
    "The paper prints standard errors: its sds are these times the root of the number of its runs."
)
DETAIL = (
    "The interval is the 90 % interval of measured − printed, widened by half a unit of the last "
    "printed decimal and not cut at the bounds of possible means. By folds (one or two partitions) "
    "it takes all of the printed variance to be between folds; by partitions (three or more) it "
    "takes the printed mean for one of a further partition that varies as these do. How many more "
    "decide is a plan for the next run: fix it before, and do not stop once a verdict is reached."
)
COMMANDS = (
    "Folders are left out of the commands. Commit: that of the repository that holds the "
    "experiment file, where there is one."
)


def means(metric: Metric, *, last_iteration: bool, beside_print: bool, marks_best: bool) -> str:
    """Return what the numbers of the main table are."""
    unit = " in percent" if metric.unit else ""
    sd = "" if beside_print else " ± sd"
    model = ", with the model of the last iteration" if last_iteration else ""
    printed = ", printed in parentheses" if beside_print else ""
    text = f"Mean {metric.words}{unit}{sd} over all runs{model}{printed}"
    if marks_best:
        best = "highest" if metric.greater_is_better else "lowest"
        text += (
            f"; *: the {best} mean of the data set, pair by pair over the runs that both methods "
            "have"
        )
    return f"{text}."


def verdict_signs(metric: Metric) -> str:
    """Return when a cell agrees, differs, or is undecided."""
    share = numbers.setting(100 * metric.spread_tolerance)
    left_out = ", or more than a tenth of the printed runs are left out"
    return (
        "≈ agrees: the 90 % interval of measured − printed lies within a margin of "
        f"{metric.least_words} or {share} % of the printed sd, whichever is larger; ≠ differs: it "
        f"lies outside; ? undecided: these runs decide neither"
        f"{left_out if metric.exploded_label else ''}."
    )


def exploded_left_out(metric: Metric) -> str:
    """Return that a mean leaves exploded runs out where the printed one does."""
    return (
        f"[k {metric.exploded_label} out]: left out of the mean, as the printed mean must leave "
        "them out; methods are compared with one another over all runs."
    )


def compared_without(metric: Metric) -> str:
    """Return that a difference is not that of the mean of all runs."""
    return (
        f"Difference: of the mean without runs with {metric.exploded_label}, where the printed one "
        "leaves them out."
    )


def not_comparable(methods: Sequence[str], reason: str) -> str:
    """Return why ``methods``, all if there are none, are not comparable with printed values."""
    of_methods = f" of {series(methods)}" if methods else ""
    return f"Not comparable with the printed values{of_methods}: {reason}."


def published_twice(dataset: str, first: str) -> str:
    """Return that a data set is published as an earlier one, with which it counts once."""
    return (
        f"{dataset} is published as the same data as {first}: only the first is averaged and "
        "counted."
    )


def divided_otherwise(datasets: Sequence[str], first: str) -> str:
    """Return that data sets are the table of an earlier one, with which they count once."""
    is_or_are = "is" if len(datasets) == 1 else "are"
    return (
        f"{datasets_in_words(datasets)} {is_or_are} the same table as {first}, divided otherwise: "
        f"only {first} is averaged and counted."
    )


def common_averages(datasets: Sequence[str]) -> str:
    """Return what averages of common runs are over; ``datasets`` are empty where all have some."""
    only_on = f", on {', '.join(datasets)}" if datasets else ""
    return (
        f"Averages of common runs are over the runs that all methods have{only_on}; only these "
        "compare methods with one another."
    )


def printed_table(
    left_out: Sequence[str], not_run: Sequence[str], remarks: Sequence[str], coverage: str
) -> str:
    """Return the legend of a table of the paper.

    ``left_out`` are the data sets that its averages leave out, ``not_run`` its methods without
    runs, and ``remarks`` are on its averages.
    """
    sentences = ["Measured, printed in parentheses; marks and brackets as in the first table."]
    if left_out:
        sentences.append(f"As in the paper, the averages leave out {', '.join(left_out)}.")
    if not_run:
        sentences.append(f"Not run here: {', '.join(not_run)}.")
    return " ".join(filter(None, [*sentences, *remarks, coverage]))


def improvements(label: str, coverage: str) -> str:
    """Return the legend of a table of improvements in a score with this ``label``, and in time."""
    text = (
        "The better method of the two, and by how much over the runs that both have; printed in "
        f"parentheses. {label}: in percent of the lower mean; time saved: in percent of the longer "
        "time, on one processor."
    )
    return f"{text} {coverage}".rstrip()


def datasets_run(here: int, printed: int) -> str:
    """Return how many data sets of a printed table were run, "" if all were."""
    return f"Run here: {here} of the table's {printed} data sets." if here < printed else ""


def adjusted_over_methods(reference: str) -> str:
    """Return over which methods the p on a data set is adjusted: those compared with one."""
    return (
        f". {P_OVER_METHODS}: by Holm for all methods that are compared with {reference}, where "
        "these are several"
    )


def adjusted_over_pairs(which: str) -> str:
    """Return over which pairs of methods the p over data sets is adjusted."""
    return f". {P_OVER_PAIRS}: by Holm for all pairs of methods {which}"


def standings(caveats: Caveats, *, is_adjusted: bool) -> str:
    """Return what the differences from the best method and their p mean."""
    these_rows = on_these_test_rows(caveats.same_test_rows)
    adjusted = adjusted_over_methods("the best") if is_adjusted else ""
    text = (
        "Choose a mean to see its runs. In brackets: the 95 % interval of the difference by "
        f"itself, not cut{these_rows}. p: of the corrected resampled t-test of fold means"
        f"{adjusted}; it decides, below 0.05 the method is worse than the best on other rows of "
        "the same kind. An interval above 0 beside a larger p decides nothing."
    )
    return " ".join([text, *replace(caveats, one_split=(), same_test_rows=()).sentences])


def pairs(
    metric: Metric,
    least: int,
    nothing_in_common: Sequence[str],
    caveats: Caveats,
    *,
    is_adjusted: bool,
) -> str:
    """Return the legend of the table of pairs; ``least`` data sets are needed for its p."""
    sentences = ["Over the (split seed, fold, seed) runs that both methods have."]
    averaged = "arithmetic" in metric.averages
    if averaged:
        favours = "" if metric.greater_is_better else " (below 1 it favours the method on the left)"
        sentences.append(
            f"Ratio: of the two means over data sets{favours}, with Fieller's interval for data "
            "sets like these (of 98 %, since that of 95 % held the truth too rarely), and by the "
            "delta method the 95 % interval on exactly these."
        )
    sentences.append(
        "Wins, ties and losses of the method on the left, a tie being at most "
        f"{metric.least_words}. {DECIDED}: on how many of them the corrected resampled t-test on "
        "fold means decides at 5 % after Holm's adjustment for the pair's data sets, for the left "
        "and for the right method."
    )
    if averaged:
        adjusted = adjusted_over_pairs("of this table") if is_adjusted else ""
        sentences.append(
            f"p: Wilcoxon's exact signed-rank test over data sets, {least} or more{adjusted}. "
            "Reversed without: the fewest data sets without which the order of the two means is "
            "the other one. Without: the ratio without the data set that changes it most."
        )
    if nothing_in_common:
        sentences.append(
            "Left out where two methods have no finished run in common: "
            f"{', '.join(nothing_in_common)}."
        )
    return " ".join([*sentences, *caveats.sentences])


def mean_ranks(
    datasets: int, chi2: float, p: float, critical_difference: float, left_out: Sequence[str]
) -> str:
    """Return the result of Friedman's test, and over which runs ranks are."""
    text = (
        f"Friedman's test over {datasets} data sets: χ² = {numbers.fixed(chi2, 2)}, p = "
        f"{numbers.p(p)}. Nemenyi's critical difference at 5 % is "
        f"{numbers.fixed(critical_difference, 2)}; mean ranks of two methods depend on the others. "
        "Ranks are of means over the runs that all methods have."
    )
    if left_out:
        text += f" Not all methods have runs of {', '.join(left_out)}."
    return text


PRINTED_RANKS = "Printed ranks are among the paper's methods, over its data sets."
