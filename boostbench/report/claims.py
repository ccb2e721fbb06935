"""The paper's claims, each put to the measured means and to the printed ones by one formula."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from boostbench.report import numbers
from boostbench.report.stats import TOLERANCE


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


def _negative_share(left: Points, right: Points) -> float:
    return _mean([point.negative for point in left])


def _negative_share_right(left: Points, right: Points) -> float:
    return _negative_share(right, left)


def _percent(value: float) -> str:
    return f"{numbers.difference(100 * value)[:-2]} %"


def _share(value: float) -> str:
    return f"{100 * value:.1f} %"


def _times(value: float) -> str:
    return f"× {value:.3g}" if value < 1000 else f"× {numbers.r2(value)}"


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


_L2 = "SRT-ℓ₂"


def _claims_of_srt() -> list[Claim]:
    tables, section, appendix = "Tables 2, C.4", "Section 6.2", "Appendix G"
    r2, count, more = numbers.r2, numbers.count, numbers.difference
    return [
        Claim("mean R² of SRT", tables, "srt", "", _mean_r2, r2, _reaches),
        Claim(f"mean R² of {_L2}", tables, "srt_l2", "", _mean_r2, r2, _reaches),
        Claim("SRT: no run with R² < 0", tables, "srt", "", _negative_share, _share, _never),
        Claim(f"{_L2}: no run with R² < 0", tables, "srt_l2", "", _negative_share, _share, _never),
        Claim(
            "ℓ₂ raises the mean R² by about 1 %",
            section,
            "srt_l2",
            "srt",
            _gain,
            _percent,
            _positive,
        ),
        Claim(
            "ℓ₂ lowers the sd (sd without to sd with it)",
            section,
            "srt_l2",
            "srt",
            _sd_ratio,
            _times,
            _above_one,
        ),
        *(
            Claim(text, section, "srt_l2", orrt, statistic, show, judge)
            for orrt in ("orrt", "orrt_trained")
            for text, statistic, show, judge in (
                (
                    f"{_L2} has a mean R² 29 % higher than ORRT's (D = 3)",
                    _gain,
                    _percent,
                    _most_of_it,
                ),
                (f"{_L2} beats ORRT on nearly every data set", _wins, count, _as_many),
                (
                    f"ORRT's sd is over three times {_L2}'s (D = 3)",
                    _sd_ratio,
                    _times,
                    _half_as_much,
                ),
                (f"ORRT trains several times as long as {_L2}", _time_ratio, _times, _half_as_much),
                ("ORRT's share of runs with R² < 0", _negative_share_right, _share, _half_as_often),
            )
        ),
        *(
            Claim(text, appendix, "srt_l2", forest, statistic, show, judge)
            for forest in ("random_forest", "random_forest_r")
            for text, statistic, show, judge in (
                (f"{_L2}'s mean R² is slightly above the forest's", _gap, more, _positive),
                (f"{_L2} beats the forest on most data sets", _wins, count, _as_many),
                (
                    f"the forest trains much faster (its time to {_L2}'s)",
                    _time_ratio,
                    _times,
                    _below_one,
                ),
            )
        ),
    ]


CLAIMS: Mapping[str, Sequence[Claim]] = {"srt": _claims_of_srt()}
