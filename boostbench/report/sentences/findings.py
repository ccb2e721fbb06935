"""The answer: cells and claims by verdict, averages, the best methods, and how sure they are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from boostbench import numbers
from boostbench.papers.judge import ClaimVerdict
from boostbench.papers.metrics import Metric
from boostbench.report.frames.cell import CellVerdict
from boostbench.report.words import datasets_in_words, one_line, series, verb
from boostbench.suggest import counted

NO_RUN = "No run has finished yet."
MOST_BEST_ON = 3
"""With more data sets than these, wins are counted instead of named one by one."""
MOST_APART = 3
"""The most data sets where an interval alone excludes 0 that are named one by one."""
MOST_ORDERS = 12
"""The most orders of two methods that are named one by one."""


@dataclass(frozen=True)
class BestOn:
    """The ``methods`` with the best mean, ``score``, of a data set.

    ``is_compared`` is false where only one method has runs.
    """

    dataset: str
    methods: Sequence[str]
    score: str
    is_compared: bool


@dataclass(frozen=True)
class ApartAlone:
    """The ``methods`` whose interval excludes 0 by itself, though the adjusted p does not decide.

    ``least_p`` is the least of their adjusted p, over so many ``comparisons`` with the best.
    """

    dataset: str
    methods: Sequence[str]
    least_p: float
    comparisons: int


@dataclass(frozen=True)
class WithoutScore:
    """The ``methods`` with finished runs without a score on a data set, ``why``, and how many.

    ``fewer`` says over how many folds the mean is, if it lacks some.
    """

    dataset: str
    methods: Sequence[str]
    why: str
    fewer: str


def verdicts_on_cells(counts: Mapping[CellVerdict, int]) -> str:
    """Return how many printed cells have each verdict."""
    return f"Of {counted(sum(counts.values()), 'printed cell')} {_by_verdict(counts)}."


def verdicts_on_claims(counts: Mapping[ClaimVerdict, int]) -> str:
    """Return how many judged claims have each verdict."""
    return f"Of {counted(sum(counts.values()), 'claim')} judged {_by_verdict(counts)}."


def _by_verdict(counts: Mapping[CellVerdict, int] | Mapping[ClaimVerdict, int]) -> str:
    return series(f"{number:,} {verb(verdict, number)}" for verdict, number in counts.items())


def lacking(claims: int, others: Sequence[str]) -> str:
    """Return how many claims are undecided only since ``others`` were not run."""
    return f"For {claims:,} of the undecided, {series(others)} are missing."


def averages_beside_print(near: Sequence[str], far: Sequence[str], metric: Metric) -> str:
    """Return which averages lie near the printed ones, and which do not."""
    sentences = []
    if near:
        lie = "lies" if len(near) == 1 else "lie"
        averages = counted(len(near) + len(far), "average")
        sentences.append(
            f"{len(near)} of {averages} {lie} within {metric.least_words} of print: {series(near)}."
        )
    if far:
        sentences.append(f"Further from print: {series(far)}.")
    return " ".join(sentences)


def best_methods(best: Sequence[BestOn], wins: Mapping[str, int], metric: Metric) -> str:
    """Return the best method of each data set, or of many data sets the ``wins`` of methods."""
    if len(best) <= MOST_BEST_ON:
        return f"{'; '.join(_best_on(each, metric) for each in best)}."
    (first, won), *others = wins.items()
    more = f", {series(f'{name} on {number}' for name, number in others)}" if others else ""
    return f"{first} is best on {won} of {len(best)} data sets{more}."


def _best_on(best: BestOn, metric: Metric) -> str:
    if not best.is_compared:
        return f"{best.methods[0]} has a mean {metric.words} of {best.score} on {best.dataset}"
    are = "is" if len(best.methods) == 1 else "are"
    score = f"{metric.words.removeprefix('test ')} {best.score}"
    return f"{series(best.methods)} {are} best on {best.dataset}, {score}"


def no_best_method(of_runs: str) -> str:
    """Return that no method is the best; ``of_runs`` is "score" or "finished run"."""
    return f"No method is the best: on each data set two of them have no {of_runs} in common."


def nothing_compared(of_runs: str) -> str:
    """Return that only one method has results; ``of_runs`` is "score" or "finished run"."""
    return f"Nothing is compared: only one method has {of_runs}s there."


def how_sure(datasets: Mapping[str, Sequence[str]]) -> str:
    """Return on which data sets it is sure, partly sure or not sure which method is the best."""
    each = series(
        f"{certainty} on {datasets_in_words(names)}" for certainty, names in datasets.items()
    )
    return (
        f"That is {each}: a test of fold means separates all others from the best (sure), some "
        "of them (partly sure) or none (not sure)."
    )


def apart_alone(datasets: Sequence[ApartAlone]) -> str:
    """Return where an interval by itself says more than the adjusted p, which decides."""
    if len(datasets) > MOST_APART:
        return (
            f"On {len(datasets)} data sets a method's 95 % interval excludes 0 by itself, and yet, "
            "after Holm's correction for all that are compared with the best, the test does not "
            "separate it: the adjusted p decides."
        )
    return (
        "By itself the 95 % interval of the difference excludes 0 for "
        f"{series(map(_apart_on, datasets))}, but not after Holm's correction for all that are "
        "compared with the best: the adjusted p decides."
    )


def _apart_on(alone: ApartAlone) -> str:
    least = "the" if len(alone.methods) == 1 else "the least"
    p, comparisons = numbers.p(alone.least_p), counted(alone.comparisons, "comparison")
    methods = f"{series(alone.methods)} on {alone.dataset}"
    return f"{methods} ({least} adjusted p is {p}, of {comparisons})"


def no_scores(metric: Metric) -> str:
    """Return that no finished run has a score."""
    return f"The runs that have finished have no {metric.words}."


def without_score(lacking: WithoutScore) -> str:
    """Return which methods lack scores on a data set, and why."""
    fewer = f"; the mean is over {lacking.fewer}" if lacking.fewer else ""
    return f"{series(lacking.methods)} on {lacking.dataset}: {one_line(lacking.why)}{fewer}."


def more_without_score(groups: int) -> str:
    """Return how many further groups of cells have runs without a score."""
    cells = counted(groups, "other group")
    return f"Runs without a score are also in {cells} of cells, which say why."


def reaches_objective_sooner(first: str, last: str, percent: float, times: Sequence[str]) -> str:
    """Return how many ``times`` sooner a method comes near the lowest objective, as a title."""
    return (
        f"{first} comes within {percent:g} % of the lowest objective {' to '.join(times)} times "
        f"sooner than {last}"
    )


def probably_wrong(verdicts: int, too_favourable: float, too_strict: float) -> str:
    """Return how many of so many ``verdicts`` are expected to be wrong."""
    favourable = f"{too_favourable:.0f}"
    are = "is" if favourable == "1" else "are"
    return (
        f"Of {verdicts:,} verdicts that decide, about {favourable} {are} too favourable and "
        f"{too_strict:.0f} too strict, by how often such verdicts were wrong on made-up runs "
        "(`results/calibration`)."
    )


def fragile_orders(
    orders: int, without_one: Sequence[str], without_two: int, not_tried: int
) -> str:
    """Return how many ``orders`` of two methods reverse ``without_one`` data set, or two."""
    if without_one or without_two:
        reverse = "reverses" if len(without_one) == 1 else "reverse"
        which = f" ({'; '.join(without_one)})" if 0 < len(without_one) <= MOST_ORDERS else ""
        return (
            f"Of {counted(orders, 'order')} of two methods by their means, {len(without_one)} "
            f"{reverse} without one data set{which}, {without_two} more without two."
        )
    if not_tried:
        return (
            f"Of {counted(orders, 'order')} of two methods by their means, none reverses without "
            "one or two data sets."
        )
    return "No order of two methods by their means reverses without one or two data sets."


def orders_by_one_run(orders: Sequence[str]) -> str:
    """Return which orders of two methods, and without which run each, are reversed by one run."""
    some = "; ".join(orders[:MOST_ORDERS])
    more = f"; and {len(orders) - MOST_ORDERS} more" if len(orders) > MOST_ORDERS else ""
    return f"Orders that one run reverses: {some}{more}."


def orders_not_tried(pairs: int, least: int) -> str:
    """Return how many pairs of methods have fewer than ``least`` data sets in common."""
    return (
        f"Not tried: {counted(pairs, 'pair')} of methods with fewer than {least} data sets in "
        "common."
    )
