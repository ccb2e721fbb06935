"""The paper's claims, each put to the measured means and to the printed ones by one formula."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from boostbench.papers import get_paper, published_datasets, published_for
from boostbench.report import numbers
from boostbench.report.page import Item, Table
from boostbench.report.stats import TOLERANCE, Cell, Summary

if TYPE_CHECKING:
    from boostbench.papers import Published
    from boostbench.report.frame import MethodInfo


class Finding(StrEnum):
    """What the measured figures say of a claim."""

    HOLDS = "holds"
    PARTLY = "partly"
    FAILS = "fails"


MARKS = {Finding.HOLDS: "✓", Finding.PARTLY: "◐", Finding.FAILS: "✗"}


@dataclass(frozen=True)
class Point:
    """One method on one data set: mean R2, its sd, seconds of training, share of runs with R2 < 0.

    Unknown values are NaN, and a statistic of them is NaN: nothing is claimed of it.
    """

    r2: float
    sd: float
    time_s: float
    negative: float


Points = Sequence[Point]


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper and how it is checked.

    ``left`` names the role that is judged ("srt" or "srt_l2", with one start and with five),
    ``right`` a method it is set against or "". ``statistic(left, right)`` is evaluated on the
    measured and on the published figures of the same data sets; ``judge(measured, published)``
    says what follows.
    """

    text: str
    where: str
    left: str
    right: str
    statistic: Callable[[Points, Points], float]
    show: Callable[[float], str]
    judge: Callable[[float, float], Finding]


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan


def _mean_r2(left: Points, right: Points) -> float:
    return _mean([point.r2 for point in left])


def _gain(left: Points, right: Points) -> float:
    base = _mean_r2(right, left)
    return _mean_r2(left, right) / base - 1 if base > 0 else math.nan


def _gap(left: Points, right: Points) -> float:
    return _mean_r2(left, right) - _mean_r2(right, left)


def _wins(left: Points, right: Points) -> float:
    return float(sum(a.r2 > b.r2 for a, b in zip(left, right, strict=True)))


def _sd_ratio(left: Points, right: Points) -> float:
    base = _mean([point.sd for point in left])
    return _mean([point.sd for point in right]) / base if base else math.nan


def _time_ratio(left: Points, right: Points) -> float:
    base = _mean([point.time_s for point in left])
    return _mean([point.time_s for point in right]) / base if base else math.nan


def _negative_left(left: Points, right: Points) -> float:
    return _mean([point.negative for point in left])


def _percent(value: float) -> str:
    return f"{numbers.difference(100 * value)[:-2]} %"


def _share(value: float) -> str:
    return f"{100 * value:.1f} %"


def _times(value: float) -> str:
    return f"× {value:.3g}" if value < 1000 else f"× {value:,.0f}"


def _grade(full: bool, part: bool) -> Finding:
    return Finding.HOLDS if full else Finding.PARTLY if part else Finding.FAILS


def _reaches(measured: float, published: float) -> Finding:
    return _grade(measured >= published - TOLERANCE, False)


def _positive(measured: float, published: float) -> Finding:
    return _grade(measured > 0, False)


def _most_of_it(measured: float, published: float) -> Finding:
    return _grade(measured >= 0.8 * published, measured > 0)


def _as_many(measured: float, published: float) -> Finding:
    return _grade(measured >= published, measured >= 0.8 * published)


def _half_as_much(measured: float, published: float) -> Finding:
    return _grade(measured >= published / 2, measured > 1)


def _half_as_often(measured: float, published: float) -> Finding:
    return _grade(measured >= published / 2, measured > 0)


def _never(measured: float, published: float) -> Finding:
    return _grade(measured == 0, False)


def _above_one(measured: float, published: float) -> Finding:
    return _grade(measured > 1, False)


def _below_one(measured: float, published: float) -> Finding:
    return _grade(measured < 1, False)


def _claims_of_srt() -> list[Claim]:
    claims = [
        Claim("mean R² of SRT", "Tables 2, C.4", "srt", "", _mean_r2, numbers.r2, _reaches),
        Claim("mean R² of SRT-ℓ₂", "Tables 2, C.4", "srt_l2", "", _mean_r2, numbers.r2, _reaches),
        Claim(
            "SRT never has a run with R² < 0", "Table 2", "srt", "", _negative_left, _share, _never
        ),
        Claim(
            "SRT-ℓ₂ never has a run with R² < 0",
            "Table 2",
            "srt_l2",
            "",
            _negative_left,
            _share,
            _never,
        ),
        Claim(
            "ℓ₂ raises the mean R² by about 1 %",
            "Section 6.2",
            "srt_l2",
            "srt",
            _gain,
            _percent,
            _positive,
        ),
        Claim(
            "ℓ₂ makes the sd smaller (sd of SRT to that of SRT-ℓ₂)",
            "Section 6.2",
            "srt_l2",
            "srt",
            _sd_ratio,
            _times,
            _above_one,
        ),
    ]
    for orrt in ("orrt", "orrt_trained"):
        claims += [
            Claim(
                f"SRT-ℓ₂ has a mean R² 29 % higher than ORRT (D = 3), here {orrt}",
                "Section 6.2",
                "srt_l2",
                orrt,
                _gain,
                _percent,
                _most_of_it,
            ),
            Claim(
                f"SRT-ℓ₂ beats ORRT on nearly every data set, here {orrt}",
                "Section 6.2",
                "srt_l2",
                orrt,
                _wins,
                numbers.count,
                _as_many,
            ),
            Claim(
                f"ORRT's sd is over three times that of SRT-ℓ₂ (D = 3), here {orrt}",
                "Section 6.2",
                "srt_l2",
                orrt,
                _sd_ratio,
                _times,
                _half_as_much,
            ),
            Claim(
                f"ORRT takes several times as long to train as SRT-ℓ₂, here {orrt}",
                "Section 6.2",
                "srt_l2",
                orrt,
                _time_ratio,
                _times,
                _half_as_much,
            ),
            Claim(
                f"share of ORRT's runs with R² < 0, here {orrt}",
                "Section 6.2",
                "srt_l2",
                orrt,
                lambda left, right: _negative_left(right, left),
                _share,
                _half_as_often,
            ),
        ]
    for forest in ("random_forest", "random_forest_r"):
        claims += [
            Claim(
                f"SRT-ℓ₂ has a slightly higher mean R² than a random forest, here {forest}",
                "Appendix G",
                "srt_l2",
                forest,
                _gap,
                numbers.difference,
                _positive,
            ),
            Claim(
                f"SRT-ℓ₂ beats the forest on more than half of the data sets, here {forest}",
                "Appendix G",
                "srt_l2",
                forest,
                _wins,
                numbers.count,
                _as_many,
            ),
            Claim(
                f"a random forest trains much faster than SRT-ℓ₂ (its time to ours), here {forest}",
                "Appendix G",
                "srt_l2",
                forest,
                _time_ratio,
                _times,
                _below_one,
            ),
        ]
    return claims


CLAIMS = {"srt": _claims_of_srt()}
STARTS = (("Single start", ""), ("Best of 5 starts", "_best5"))


def claim_tables(summary: Summary) -> list[Table]:
    """Return a table of claims for each tree depth of the plan; none without a known paper."""
    if summary.paper is None or summary.paper.key not in CLAIMS:
        return []
    names = {claim.left for claim in CLAIMS[summary.paper.key]}
    judged = {name + ending for name in names for _, ending in STARTS}
    depths = {m.depth for m in summary.methods if m.registered in judged and m.depth is not None}
    tables = (_table(summary, summary.paper.key, depth) for depth in sorted(depths))
    return [table for table in tables if table.rows]


def _table(summary: Summary, paper: str, depth: int) -> Table:
    rows = []
    for claim in CLAIMS[paper]:
        measured = [_measured(summary, claim, ending, depth) for _, ending in STARTS]
        if any(measured):
            said = _published_statistic(paper, claim, depth, tuple(published_datasets(paper)))
            rows.append(
                [
                    Item(claim.text),
                    Item(claim.where),
                    Item(numbers.DASH if math.isnan(said) else claim.show(said)),
                    *(item or Item("") for item in measured),
                ]
            )
    return Table(
        key=f"claims-{depth}",
        title=f"Trees of depth {depth}",
        header=("Claim", "In the paper", "Published", *(title for title, _ in STARTS)),
        rows=rows,
        left=frozenset({0, 1}),
        legend=(
            "✓ holds on the measured data sets; ◐ holds in direction, but by less than published; "
            "✗ does not hold. [k/n sets] says on how many of the paper's data sets both sides are "
            "measured; the verdict sets them against the published figures of the same ones. "
            "Times were taken on other machines: only their ratios within one are compared."
        ),
    )


def _measured(summary: Summary, claim: Claim, ending: str, depth: int) -> Item | None:
    left = _find(summary, claim.left + ending, depth)
    name = claim.right + ending if claim.right in ("srt", "srt_l2") else claim.right
    right = _find(summary, name, depth) if name else None
    if left is None or (name and right is None) or summary.paper is None:
        return None
    pairs = [
        (
            data.published_as,
            summary.cell(data.label, left.label),
            _other(summary, data.label, right),
        )
        for data in summary.datasets
        if data.published_as in published_datasets(summary.paper.key)
    ]
    pairs = [pair for pair in pairs if pair[1].finished and (right is None or pair[2].finished)]
    if not pairs:
        return Item(numbers.DASH, note="no finished run", tone="empty")
    mine = [_point(cell) for _, cell, _ in pairs]
    theirs = [_point(cell) for _, _, cell in pairs] if right else []
    value = claim.statistic(mine, theirs)
    said = _published_statistic(summary.paper.key, claim, depth, [pair[0] for pair in pairs])
    total = len(published_datasets(summary.paper.key))
    note = "" if len(pairs) == total else f"{len(pairs)}/{total} sets"
    if math.isnan(value):
        return Item(numbers.DASH, note=note or "not known", tone="empty")
    finding = claim.judge(value, said)
    return Item(claim.show(value), mark=MARKS[finding], note=note, tone=finding)


def _find(summary: Summary, registered: str, depth: int) -> MethodInfo | None:
    return next(
        (
            method
            for method in summary.methods
            if method.registered == registered
            and (method.depth == depth or registered.startswith("random_forest"))
        ),
        None,
    )


def _other(summary: Summary, dataset: str, method: MethodInfo | None) -> Cell:
    return summary.cell(dataset, method.label if method else "")


def _point(cell: Cell) -> Point:
    return Point(
        r2=_or_nan(cell.compared),
        sd=_or_nan(cell.r2_sd),
        time_s=_or_nan(cell.fit_s),
        negative=cell.negative / cell.finished if cell.finished else math.nan,
    )


def _published_statistic(paper: str, claim: Claim, depth: int, datasets: Sequence[str]) -> float:
    left = [_printed(paper, claim.left, name, depth) for name in datasets]
    right = [_printed(paper, claim.right, name, depth) for name in datasets] if claim.right else []
    return claim.statistic(left, right)


def _printed(paper: str, method: str, dataset: str, depth: int) -> Point:
    cell: Published | None = published_for(paper, method, dataset, depth)
    if cell is None:
        return Point(math.nan, math.nan, math.nan, math.nan)
    runs = None if cell.negative_runs is None else cell.negative_runs / get_paper(paper).runs
    return Point(cell.r2_mean, _or_nan(cell.r2_sd), _or_nan(cell.time_s), _or_nan(runs))


def _or_nan(value: float | None) -> float:
    return math.nan if value is None else value
