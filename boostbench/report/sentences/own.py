"""Whether an own method is better than the others, how certain that is, on how many data sets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from boostbench.grouping import grouped
from boostbench.report.sentences.caveats import on_these_test_rows
from boostbench.report.sentences.legends import adjusted_over_methods, adjusted_over_pairs
from boostbench.report.words import datasets_in_words, series

BETTER, WORSE = "better", "worse"
DECISION = "below 0.05 it decides that the method is better, or worse"


@dataclass(frozen=True)
class Against:
    """An own method against an ``other`` one: the verdict on each data set, by its name."""

    other: str
    verdicts: Mapping[str, str]

    def count(self, verdict: str) -> int:
        """Return on how many data sets this is the verdict."""
        return list(self.verdicts.values()).count(verdict)


def title(methods: Sequence[str]) -> str:
    """Return the title of the part about own methods."""
    return f"{'Is' if len(methods) == 1 else 'Are'} {series(methods)} better?"


def no_result(method: str) -> str:
    """Return that an own method has no result to compare."""
    return f"{method} has no finished run, so it is compared with nothing."


def verdicts(method: str, found: Sequence[Against]) -> str:
    """Return than which methods an own one is better or worse, and on how many data sets."""
    said = grouped((clause, each.other) for each in found if (clause := _decided(each)))
    undecided = [each for each in found if not _decided(each)]
    open_on = grouped((_all(list(each.verdicts)), each.other) for each in undecided)
    sentences = []
    if said:
        clauses = [text.format(series(others)) for text, others in said.items()]
        sentences.append(f"{method} is {series(clauses)}.")
    for where, others in open_on.items():
        name = "it" if said else method
        sentences.append(f"Whether {name} is better than {series(others)} is undecided {where}.")
    return " ".join(sentences)


def _decided(against: Against) -> str:
    """Return where it is better or worse with ``{}`` for the other, "" if nothing is decided."""
    better, worse = against.count(BETTER), against.count(WORSE)
    datasets = list(against.verdicts)
    if better and worse:
        return f"better than {{}} {_on(better, datasets)} and worse on {worse}"
    if better:
        return f"better than {{}} {_on(better, datasets)}"
    return f"worse than {{}} {_on(worse, datasets)}" if worse else ""


def _on(number: int, datasets: Sequence[str]) -> str:
    if len(datasets) == 1:
        return f"on {datasets[0]}"
    return f"on {number} of {len(datasets)} data sets"


def _all(datasets: Sequence[str]) -> str:
    if len(datasets) <= 3:
        return f"on {datasets_in_words(datasets)}"
    return f"on all {len(datasets)} data sets"


def legend_on_datasets(same_rows: Sequence[str], *, is_adjusted: bool) -> str:
    """Return what the differences, intervals and p of the table by data set mean."""
    these_rows = on_these_test_rows(same_rows)
    others = "it on the data set, or with the best there, if that is one of the two"
    adjusted = adjusted_over_methods(others) if is_adjusted else ""
    return (
        "Better by: the difference of the two means over common runs, positive where the method is "
        f"better. In brackets: its 95 % interval by itself, not cut{these_rows}. p: of the "
        f"corrected resampled t-test of fold means{adjusted}; {DECISION}, on other rows of the "
        "same kind. An interval that excludes 0 beside a larger p decides nothing."
    )


def legend_over_datasets(least: int, *, is_adjusted: bool) -> str:
    """Return what the counts, ratios and p of the table over data sets mean."""
    adjusted = adjusted_over_pairs("that are compared here") if is_adjusted else ""
    return (
        "Better, worse and undecided on: numbers of data sets, by the verdict on each. Ratio: "
        "of the two means over data sets, with Fieller's interval for data sets like these. p: of "
        f"Wilcoxon's exact signed-rank test over data sets, {least} or more{adjusted}; {DECISION}, "
        "on other data sets like these."
    )
