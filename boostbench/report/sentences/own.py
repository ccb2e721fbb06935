"""Whether an own method is better than the others, how certain that is, on how many data sets."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from boostbench.report.sentences.caveats import on_these_test_rows
from boostbench.report.words import datasets_in_words, series

BETTER, WORSE, UNDECIDED = "better", "worse", "undecided"
MOST_ON_DATASETS = 4
"""The most comparisons on one data set each that are written out."""
MOST_OVER_DATASETS = 4
"""The most comparisons over data sets that are written out."""
DECISION = "below 0.05 it decides that the method is better, or worse"


@dataclass(frozen=True)
class Against:
    """An own method against an ``other`` one: the verdict on each data set, by its name."""

    other: str
    verdicts: Mapping[str, str]

    def count(self, verdict: str) -> int:
        """Return on how many data sets this is the verdict."""
        return list(self.verdicts.values()).count(verdict)


@dataclass(frozen=True)
class OnDataset:
    """The difference from an ``other`` method on a data set, its interval, p and verdict."""

    other: str
    dataset: str
    difference: str
    interval: str
    p: str
    verdict: str


@dataclass(frozen=True)
class OverDatasets:
    """The means of the method and an ``other`` one over data sets, as they are written."""

    other: str
    datasets: int
    means: tuple[str, str]
    ratio: str
    p: str
    verdict: str


def title(methods: Sequence[str]) -> str:
    """Return the title of the part about own methods."""
    return f"{'Is' if len(methods) == 1 else 'Are'} {series(methods)} better?"


def no_result(method: str) -> str:
    """Return that an own method has no result to compare."""
    return f"{method} has no finished run, so it is compared with nothing."


def verdicts(method: str, found: Sequence[Against]) -> str:
    """Return than which methods an own one is better or worse, and on how many data sets."""
    said: dict[str, list[str]] = {}
    open_on: dict[str, list[str]] = {}
    for against in found:
        if clause := _decided(against):
            said.setdefault(clause, []).append(against.other)
        else:
            open_on.setdefault(_all(list(against.verdicts)), []).append(against.other)
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


def on_datasets(found: Sequence[OnDataset]) -> str:
    """Return by how much an own method is better on each data set, and how certain that is."""
    return (
        "Better by, with its 95 % interval and the adjusted p, which decides: "
        f"{'; '.join(map(_on_one, found))}."
    )


def _on_one(one: OnDataset) -> str:
    by = f"{one.difference} {one.interval}" if one.interval else one.difference
    certainty = f"p {one.p}, {one.verdict}" if one.p else one.verdict
    return f"than {one.other} on {one.dataset} {by}, {certainty}"


def over_datasets(found: Sequence[OverDatasets]) -> str:
    """Return the means over data sets, their ratios with intervals, and the adjusted p."""
    return f"Over data sets: {'; '.join(map(_over, found))}."


def _over(one: OverDatasets) -> str:
    mine, theirs = one.means
    ratio = f", ratio {one.ratio}" if one.ratio else ""
    return (
        f"mean {mine} against {theirs} of {one.other} on {one.datasets}{ratio} "
        f"(adjusted p {one.p}, {one.verdict})"
    )


def legend_on_datasets(same_rows: Sequence[str]) -> str:
    """Return what the differences, intervals and p of the table by data set mean."""
    these_rows = on_these_test_rows(same_rows)
    return (
        "Better by: the difference of the two means over common runs, positive where the method is "
        f"better. In brackets: its 95 % interval by itself{these_rows}. p, adjusted: of the "
        "corrected resampled t-test of fold means, by Holm for all methods that are compared with "
        "it on the data set, or with the best there, if that is one of the two; "
        f"{DECISION}, on other rows of the same kind. An interval that excludes 0 beside a larger "
        "p decides nothing."
    )


def legend_over_datasets(least: int) -> str:
    """Return what the counts, ratios and p of the table over data sets mean."""
    return (
        "Better, worse and undecided on: numbers of data sets, by the adjusted p on each. Ratio: "
        "of the two means over data sets, with Fieller's interval for data sets like these. p, "
        f"adjusted: of Wilcoxon's exact signed-rank test over data sets, {least} or more, by Holm "
        f"for all pairs of methods that are compared here; {DECISION}, on other data sets like "
        "these."
    )


def clauses(found: Sequence[OnDataset], over: Sequence[OverDatasets]) -> Iterator[str]:
    """Yield how certain it is; what would be too many sentences is left to the table."""
    if 0 < len(over) <= MOST_OVER_DATASETS:
        yield over_datasets(over)
    if 0 < len(found) <= MOST_ON_DATASETS:
        yield on_datasets(found)
    elif not 0 < len(over) <= MOST_OVER_DATASETS:
        yield "The table has the interval and the adjusted p of each comparison."
