"""What a claim of a paper is: a sentence, figures of measured values, and rules that judge them.

A claim is data (``read_claims``: one row of a CSV file) with a :class:`Rule`, which says what is
computed and when that counts as reproduced, as the direction only, or as contradicted. ``rules``
has figures and rules that several papers share; the report computes and judges.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from boostbench.errors import ConfigError
from boostbench.papers.paper import Reading
from boostbench.papers.reading import lines, words
from boostbench.papers.results import Curve

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
UNITS = (
    "score", "difference", "percent", "points", "ratio", "count", "sets", "seconds", "share",
)  # fmt: skip


class Ruling(StrEnum):
    """What the measured values say of a claim."""

    REPRODUCED = "reproduced"
    DIRECTION = "direction only"
    CONTRADICTED = "contradicted"
    UNDECIDED = "undecided"
    NOT_JUDGED = "not judged"
    NOT_COMPARABLE = "not comparable"


class RunLike(Protocol):
    """What a quantity of a run may look at; the report's ``Run``."""

    @property
    def stop(self) -> str:
        """Why the training ended."""
        ...

    @property
    def iterations(self) -> int | None:
        """How many iterations it finished."""
        ...

    @property
    def fit_s(self) -> float | None:
        """Seconds of training."""
        ...

    @property
    def solver_s(self) -> float | None:
        """Seconds of these in the solver."""
        ...

    @property
    def curve(self) -> Mapping[str, Sequence[float]]:
        """The recorded quantities, one value per iteration."""
        ...


Quantity = str | Callable[[RunLike], float | None]
"""A number of one run: score, fit_s, solver_s, objective, exploded (0 or 1), or a function."""


class Sets(Protocol):
    """What the methods of a claim measured at one depth, on the data sets that all of them have.

    Arrays have one value per data set, in the order of ``names``. The values of each role are over
    the runs that every role of the claim has.
    """

    @property
    def names(self) -> Sequence[str]:
        """The paper's names of the data sets."""
        ...

    @property
    def depth(self) -> int | None:
        """The depth of the trees, ``None`` where the paper has none."""
        ...

    @property
    def left(self) -> Sequence[str]:
        """The roles that the claim is about."""
        ...

    @property
    def right(self) -> Sequence[str]:
        """The roles that they are compared with."""
        ...

    def mean(self, role: str, quantity: Quantity = "score") -> Array:
        """Return means over runs."""
        ...

    def sd(self, role: str, quantity: Quantity = "score") -> Array:
        """Return sample standard deviations over runs."""
        ...

    def runs(self, role: str) -> Array:
        """Return numbers of runs."""
        ...

    def printed(self, role: str, what: str = "mean", table: str | None = None) -> Array:
        """Return what the paper prints (mean, sd, time_s, exploded_runs), NaN where it does not."""
        ...

    def curves(self, role: str) -> Sequence[Curve | None]:
        """Return the mean learning curves."""
        ...

    def shapes(self) -> Sequence[tuple[int | None, int | None]]:
        """Return the (rows, features) of each data set as the paper lists them, if it does."""
        ...


@dataclass(frozen=True)
class Figure:
    """A number that a claim is judged by: one per depth, or one per depth and data set.

    ``of`` computes it at one depth. Of values per data set, ``summary`` says what is shown
    (such as how many are above 0), under ``title`` and in ``unit``, one of :data:`UNITS`; the
    interval of a ratio is taken on the log scale.
    ``size``: the values are sizes of differences, so that an interval ends at 0. ``exact``: the
    claim is judged by the values as they are, which have no interval (they are taken from mean
    curves) or each a verdict of its own elsewhere.
    """

    name: str
    title: str
    unit: str
    of: Callable[[Sets], Array | float | np.floating[Any]]
    summary: Callable[[Array], float | np.number[Any]] | None = None
    size: bool = False
    exact: bool = False


class Values(dict[str, Array]):
    """The figures of a claim by name, also as attributes: (depths,) or (depths, data sets)."""

    def __getattr__(self, name: str) -> Array:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


Test = Callable[[Values], bool]


@dataclass(frozen=True)
class Rule:
    """How a claim is judged: the first of the three tests that is true of its figures decides.

    Without ``contradicted`` all that is left is. Where no test is true the claim is undecided: its
    figures lie between the bands. ``least_runs`` and ``least_share`` (of the claim's data sets) are
    what must be measured, by default 20 runs, or fewer where the paper's own protocol has fewer;
    ``needed`` are data sets, and ``depths_needed`` depths, that must be among what is.
    """

    figures: Sequence[Figure]
    reproduced: Test
    direction: Test | None = None
    contradicted: Test | None = None
    least_runs: int | None = None
    least_share: float = 0.5
    needed: Sequence[str] = ()
    depths_needed: Sequence[int] = ()

    def judge(self, values: Values) -> Ruling:
        """Return what follows from the figures as they are, uncertainty aside."""
        if self.reproduced(values):
            return Ruling.REPRODUCED
        if self.direction is not None and self.direction(values):
            return Ruling.DIRECTION
        if self.contradicted is None or self.contradicted(values):
            return Ruling.CONTRADICTED
        return Ruling.UNDECIDED


@dataclass(frozen=True)
class Claim:
    """A sentence of a paper, and how it is judged.

    ``text`` is quoted, ``where`` its place; ``stated`` is the number in it and ``own`` what the
    paper's own tables say: the statistic computed from them, with ``agreement`` (supports, partly,
    contradicts, not printed, ...). ``left`` are the roles that it is about, ``right`` those that
    they are compared with; a role is a registered method or a name that ``Paper.roles`` gives one.
    Without ``datasets`` it is about all of the paper's, without ``depths`` about any or no depth of
    trees. ``seconds``: whether it compares times. ``counts_as`` says in words what counts as
    reproduced, direction only and contradicted. Without a ``rule`` it is not judged, for a
    ``reason``.
    """

    id: str
    text: str
    where: str
    left: Sequence[str] = ()
    right: Sequence[str] = ()
    rule: Rule | None = None
    kind: str = ""
    stated: str = ""
    datasets: Sequence[str] = ()
    depths: Sequence[int] = ()
    seconds: bool = False
    statistic: str = ""
    counts_as: tuple[str, str, str] = ("", "", "")
    agreement: str = ""
    own: str = ""
    remarks: str = ""
    reason: str = ""

    @property
    def contradicts_itself(self) -> bool:
        """Whether the paper's own tables do not bear it out, or only in part."""
        return self.agreement.partition(" ")[0].rstrip(",;") in ("contradicts", "partly")


_COLUMNS = (
    "id", "place", "kind", "quote", "printed", "datasets", "depths", "left", "right", "statistic",
    "reproduced_if", "direction_only_if", "contradicted_if", "seconds", "own_tables", "own_value",
    "reason", "remarks",
)  # fmt: skip
_NEEDED = ("id", "place", "quote")


def read_claims(path: Path, rules: Mapping[str, Rule]) -> list[Claim]:
    """Return the claims of a CSV file, one per row, each with its rule by ``id``.

    Its columns are those of the files beside this module; lists have semicolons. Raises ConfigError
    for a column or an id that is missing, for an id that occurs twice, a rule that no row has, and
    a row with neither a rule nor a ``reason`` not to judge it.
    """
    found: dict[str, Claim] = {}
    for line, row in lines(path):
        for name in _COLUMNS:
            if row.get(name) is None:
                raise ConfigError(f"{path}:{line}: there is no column '{name}'")
        key, where, text = words(path, line, row, _NEEDED)
        if key in found:
            raise ConfigError(f"{path}:{line}: the claim '{key}' occurs twice")
        if key not in rules and not row["reason"]:
            raise ConfigError(f"{path}:{line}: the claim '{key}' has neither a rule nor a reason")
        found[key] = Claim(
            id=key,
            text=text,
            where=where,
            left=_listed(row["left"]),
            right=_listed(row["right"]),
            rule=rules.get(key),
            kind=row["kind"],
            stated=row["printed"],
            datasets=_listed(row["datasets"]),
            depths=tuple(int(part) for part in _listed(row["depths"])),
            seconds=row["seconds"].startswith("yes"),
            statistic=row["statistic"],
            counts_as=(row["reproduced_if"], row["direction_only_if"], row["contradicted_if"]),
            agreement=row["own_tables"],
            own=row["own_value"],
            remarks=row["remarks"],
            reason=row["reason"],
        )
    unknown = sorted(set(rules) - set(found))
    if unknown:
        raise ConfigError(f"{path}: there is no claim {', '.join(unknown)}, which has a rule")
    return list(found.values())


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(";") if part.strip())


def read_as(claim: Claim, reading: Reading) -> Claim:
    """Return a claim with the roles that a reading puts in for others."""
    left, right = (
        tuple(reading.roles.get(role, role) for role in roles)
        for roles in (claim.left, claim.right)
    )
    return replace(claim, left=left, right=right)
