"""What a claim of a paper is: a sentence, a statistic of measured values, and how it is judged."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from boostbench.papers.results import Measured

TOLERANCE = 0.01
ALL = "*"
"""As the right side of a claim: every other method that is measured."""


class Finding(StrEnum):
    """What the measured values say of a claim."""

    HOLDS = "holds"
    PARTLY = "partly"
    FAILS = "fails"


class Comparison(NamedTuple):
    """The judged method and those it is compared with, on one data set."""

    left: Measured
    right: Sequence[Measured] = ()


Statistic = Callable[[Sequence[Comparison]], float | None]
Judge = Callable[[float, float | None], Finding | None]


@dataclass(frozen=True)
class Claim:
    """A sentence of a paper, and how it is checked.

    ``left`` is the role that is judged, ``right`` the roles it is compared with (:data:`ALL`: all
    others); a role is a registered method or a name that ``Paper.roles`` gives one. The
    ``statistic`` is evaluated on the measured values and, where there are any, on the published
    ones of the same data sets; ``None`` means unknown, and ``unknown`` says why. ``judge(measured,
    published)`` says what follows, ``None`` if nothing does. ``unit`` is how the value is written:
    score, difference, percent, gain (a signed percentage), points (of error), count, ratio or
    seconds.

    With ``each`` the claim is judged on each data set, and holds if it does on all of them, or
    with ``most`` on more than half. ``datasets`` are the published data sets and ``depth`` the
    depth of the trees that it is about, where it is not about all. ``step`` returns the iteration
    at which times are compared.
    """

    text: str
    where: str
    left: str
    right: Sequence[str] | str
    statistic: Statistic
    unit: str
    judge: Judge
    each: bool = False
    most: bool = False
    datasets: Sequence[str] = ()
    depth: int | None = None
    step: Callable[[Comparison], int | None] | None = None
    unknown: str = "not known"

    def overall(self, findings: Sequence[Finding]) -> Finding:
        """Return the verdict over data sets."""
        holding = sum(finding is Finding.HOLDS for finding in findings)
        if holding == len(findings) or (self.most and 2 * holding > len(findings)):
            return Finding.HOLDS
        some = holding or any(finding is Finding.PARTLY for finding in findings)
        return Finding.PARTLY if some else Finding.FAILS


@dataclass(frozen=True)
class Variant:
    """A column of the table of claims: ``roles`` says which role stands in for another one."""

    title: str
    roles: Mapping[str, str] = field(default_factory=dict)


def mean(values: Iterable[float | None]) -> float | None:
    """Return the arithmetic mean, ``None`` without values or if one is unknown."""
    every = list(values)
    known = [value for value in every if value is not None]
    return math.fsum(known) / len(known) if known and len(known) == len(every) else None


def quotient(above: float | None, below: float | None) -> float | None:
    """Return ``above / below``, ``None`` where one is unknown or ``below`` is zero."""
    return above / below if above is not None and below else None


def grade(full: bool, part: bool = False) -> Finding:
    """Return the finding of a claim that holds fully, in part, or not."""
    return Finding.HOLDS if full else Finding.PARTLY if part else Finding.FAILS


def mean_score(pairs: Sequence[Comparison]) -> float | None:
    """Mean score of the judged method over data sets."""
    return mean(pair.left.score for pair in pairs)


def score_gap(pairs: Sequence[Comparison]) -> float | None:
    """Mean score of the judged method minus that of the other."""
    left, right = mean_score(pairs), mean(pair.right[0].score for pair in pairs)
    return None if left is None or right is None else left - right


def wins(pairs: Sequence[Comparison]) -> float | None:
    """Number of data sets on which the judged method has the higher score."""
    scores = [(pair.left.score, pair.right[0].score) for pair in pairs]
    known = [(a, b) for a, b in scores if a is not None and b is not None]
    return float(sum(a > b for a, b in known)) if known and len(known) == len(scores) else None


def gain(pairs: Sequence[Comparison]) -> float | None:
    """Share by which the mean score is higher than the other's; unknown where that is not positive.

    Both means are over data sets.
    """
    ours, base = mean_score(pairs), mean(pair.right[0].score for pair in pairs)
    return ours / base - 1 if ours is not None and base is not None and base > 0 else None


def sd_ratio(pairs: Sequence[Comparison]) -> float | None:
    """Mean sd of the other method to that of the judged one."""
    return quotient(mean(pair.right[0].sd for pair in pairs), mean(pair.left.sd for pair in pairs))


def time_ratio(pairs: Sequence[Comparison]) -> float | None:
    """Mean seconds of training of the other method to those of the judged one."""
    return quotient(
        mean(pair.right[0].times.get("fit_s") for pair in pairs),
        mean(pair.left.times.get("fit_s") for pair in pairs),
    )


def reaches(measured: float, published: float | None) -> Finding | None:
    """Holds where a score, of which more is better, reaches the published one less 0.01."""
    return None if published is None else grade(measured >= published - TOLERANCE)


def half_as_much(measured: float, published: float | None) -> Finding | None:
    """Holds for at least half of a published ratio, in part for one above one.

    Not judged where the published ratio is not above one itself.
    """
    if published is None or published <= 1:
        return None
    return grade(measured >= published / 2 and measured > 1, measured > 1)


def positive(measured: float, published: float | None) -> Finding:
    """Holds for a value above zero."""
    return grade(measured > 0)


def above_one(measured: float, published: float | None) -> Finding:
    """Holds for a ratio above one."""
    return grade(measured > 1)


def below_one(measured: float, published: float | None) -> Finding:
    """Holds for a ratio below one."""
    return grade(measured < 1)


def never(measured: float, published: float | None) -> Finding:
    """Holds for a share of zero."""
    return grade(measured == 0)


def as_many(measured: float, published: float | None) -> Finding | None:
    """Holds for a count as published, in part for four fifths of it; not judged for none."""
    if not published:
        return None
    return grade(measured >= published, measured >= 0.8 * published)
