"""Claims judged on measured runs: plain arrays in, verdicts out. Nothing here knows a paper.

A figure's 95 % interval is for other seeds and another partition of exactly these data sets: by the
delta method from the means and sds of cells, seeds averaged in folds and folds paired over methods,
or, where the figure jumps, from resampled folds and runs. The verdict is that of the measured
values, and undecided where the intervals let it cross between {reproduced, weaker} and not
reproduced.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property, partial
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from boostbench.papers.claims import Claim
from boostbench.papers.figures import (
    FIGURES,
    TIMES,
    compares_times,
    is_exact,
    is_resampled,
    title,
    uses_spread,
)
from boostbench.papers.language import (
    Array,
    FigureCall,
    Group,
    Scope,
    Truth,
    Unknown,
    Values,
    members,
)
from boostbench.papers.paper import Paper
from boostbench.stats import se_over_partitions
from boostbench.suggest import counted, listing

Depth = int | None
Index = tuple[int, int, int]
"""A run's split seed, fold and seed."""
LEAST_RUNS, LEAST_SHARE, DRAWS, MOST_PARTITIONS = 20, 0.5, 400, 1_000
_STEP, _LEAST, _TAIL = 1e-5, 1e-3, 0.025


class Ruling(StrEnum):
    """What the measured values say of a claim."""

    REPRODUCED = "reproduced"
    WEAKER = "weaker"
    NOT_REPRODUCED = "not reproduced"
    UNDECIDED = "undecided"
    NOT_JUDGED = "not judged"
    NOT_COMPARABLE = "not comparable"


FOR, AGAINST = (Ruling.REPRODUCED, Ruling.WEAKER), Ruling.NOT_REPRODUCED


@dataclass(frozen=True)
class Cell:
    """The runs of a method on a data set of one experiment.

    ``values`` has one number per run of each quantity, NaN where it is not known or left out;
    ``rows`` says which rows and folds these are. ``curves`` has the recorded quantities of each run
    by round.
    """

    index: Sequence[Index]
    values: Mapping[str, Array]
    rows: Hashable = ()
    processors: Sequence[str] = ()
    curves: Sequence[Mapping[str, Array]] = ()

    def only(self, index: Sequence[Index], timed: NDArray[np.bool_]) -> Cell:
        """Return some of the runs, with the times of those that are ``timed``."""
        place = {one: i for i, one in enumerate(self.index)}
        kept = [place[one] for one in index]
        values = {
            of: np.where(timed | (of not in TIMES), own[kept], np.nan)
            for of, own in self.values.items()
        }
        curves = [self.curves[i] for i in kept] if self.curves and timed.all() else ()
        return replace(self, index=index, values=values, curves=curves)


@dataclass(frozen=True)
class Evidence:
    """What there is to judge a paper's claims by: cells by (method, depth, data set).

    ``signs`` has 1 for each quantity of which larger values are better. ``changed`` has, by method,
    why its runs are another one's; ``other_designs``, by data set, how an experiment measured
    otherwise than the paper.
    """

    paper: Paper
    cells: Mapping[tuple[str, Depth, str], Sequence[Cell]]
    depths: Sequence[Depth]
    signs: Mapping[str, int]
    changed: Mapping[str, str] = field(default_factory=dict)
    other_designs: Mapping[str, str] = field(default_factory=dict)
    known: dict[Any, Any] = field(default_factory=dict, repr=False)

    @cached_property
    def methods(self) -> set[str]:
        """The methods of which there are runs."""
        return {method for method, _, _ in self.cells}


@dataclass(frozen=True)
class Shown:
    """A figure as it is shown: its values by depth, and the data sets that it is of."""

    call: FigureCall
    depths: Sequence[Depth]
    values: Values

    @property
    def title(self) -> str:
        """The figure in words."""
        return title(self.call)

    @property
    def unit(self) -> str:
        """What its values are."""
        return FIGURES[self.call.figure].unit


@dataclass(frozen=True)
class Judged:
    """A claim with its verdict by one reading of its methods.

    ``datasets`` are those judged by, ``missing`` the others of the claim; ``runs`` counts the runs
    that every method has. ``why`` says why it is not judged, or what the verdict leaves open;
    ``partitions`` is how many partitions of the rows would decide, if any number does.
    """

    claim: Claim
    reading: str
    roles: Mapping[str, str]
    ruling: Ruling
    why: str = ""
    shown: Sequence[Shown] = ()
    depths: Sequence[Depth] = ()
    datasets: Sequence[str] = ()
    missing: Sequence[str] = ()
    runs: int = 0
    partitions: int | None = None

    @property
    def measured(self) -> bool:
        """Whether anything was measured that the claim is about."""
        return bool(self.shown)


class Sets:
    """What methods measured on data sets at one depth, as figures look at it.

    ``shifts`` move the statistics that it returns, (..., data sets); ``used`` records which those
    are.
    """

    def __init__(
        self, evidence: Evidence, names: Sequence[str], depth: Depth,
        cells: Mapping[tuple[str, str], Cell],
    ) -> None:  # fmt: skip
        self.evidence, self.names, self.depth, self.cells = evidence, names, depth, cells
        self.used: dict[tuple[str, str], Array] = {}
        self.shifts: Mapping[tuple[str, str], Array] = {}
        self.drawing = False
        self._known: dict[tuple[str, str, str], Array] = {}

    def only(self, names: Sequence[str]) -> Sets:
        """Return these sets with some of the data sets."""
        found = Sets(self.evidence, names, self.depth, self.cells)
        found._known = self._known
        return found

    @property
    def repeats(self) -> int:
        """How many runs the paper has of each cell."""
        return self.evidence.paper.runs or LEAST_RUNS

    def sign(self, of: str) -> int:
        """Return 1 where larger values are better, else -1."""
        return self.evidence.signs.get(of.partition("@")[0], -1)

    def value(self, method: str, of: str) -> Array:
        """Return a statistic of each data set, moved by its shift."""
        key = method, of
        if key not in self.used:
            every = [self.runs(method, name, of) for name in self.names]
            spread = partial(np.nanstd, ddof=1) if of == "sd" else np.nanmean
            self.used[key] = np.array(
                [np.nan if np.isnan(own).all() else spread(own) for own in every]
            )
        return self.used[key] + self.shifts.get(key, 0.0)

    def runs(self, method: str, name: str, of: str) -> Array:
        """Return a quantity of the runs, (partitions, folds, seeds), NaN where there is none."""
        key = method, name, of
        if key not in self._known:
            cell = self.cells[method, name]
            quantity, _, rounds = ("score" if of == "sd" else of).partition("@")
            values = cell.values.get(quantity, np.full(len(cell.index), np.nan))
            if rounds:
                recorded = {"time": "fit_s", "solver": "solver_s"}[quantity]
                curves = [each.get(recorded, np.array([np.nan])) for each in cell.curves]
                at = [own[min(int(rounds), len(own)) - 1] for own in curves]
                values = np.array(at or [np.nan] * len(cell.index))
            self._known[key] = _as_array(cell.index, values)
        return self._known[key]

    def influence(self, key: tuple[str, str], place: int) -> Array:
        """Return how much each run moves a statistic, in proportion to its weight."""
        values = self.runs(key[0], self.names[place], key[1])
        centred = values - np.nanmean(values)
        if key[1] != "sd":
            return centred
        sd = self.used[key][place]
        return (centred**2 - np.nanmean(centred**2)) / (2 * sd) if sd > 0 else 0 * centred

    def printed(self, method: str, table: str | None) -> Array:
        """Return the printed means."""
        column = self.evidence.paper.column(method, self.depth, table)
        cells = column.cells if column and table in (None, column.table) else {}
        return np.array([cells[n].mean if n in cells else np.nan for n in self.names])

    def sizes(self, by: str) -> Array | None:
        """Return the sizes of the data sets, ``None`` where fewer than four differ (or three)."""
        columns = ("n_samples", "n_features") if by == "rows" else ("n_classes",)
        listed = [self.evidence.paper.datasets[name] for name in self.names]
        sizes = np.array([[getattr(d, c) or np.nan for c in columns] for d in listed], dtype=float)
        enough = len({tuple(row) for row in sizes.tolist()}) >= (4 if by == "rows" else 3)
        return sizes if enough and not np.isnan(sizes).any() else None

    def at_common_round(self, of: str, methods: Sequence[str | Group]) -> str:
        """Return the quantity after the rounds that all runs have, at most the paper's."""
        lengths = [
            len(curve["fit_s"])
            for method in methods
            for role in members(method)
            for name in self.names
            for curve in self.cells[role, name].curves
            if "fit_s" in curve
        ]
        return f"{of}@{max(1, min([*lengths, self.evidence.paper.rounds or MOST_ROUNDS]))}"

    def reached(self, a: str, b: str) -> Array:
        """Return solver seconds of b to those of a, until the objective that both reach."""
        found = []
        for place, name in enumerate(self.names):
            cells = [self.cells[role, name] for role in (a, b)]
            if not all(cell.curves and "objective" in cell.curves[0] for cell in cells):
                return np.full(len(self.names), np.nan)
            weights = np.full((1, len(cells[0].index)), 1 / len(cells[0].index))
            if self.drawing:
                weights = _resampled(cells[0].index, np.random.default_rng([place, 11]))
            found.append(_until_common(_curves(cells[0]), _curves(cells[1]), weights))
        values = np.stack(found, axis=-1)
        return values if self.drawing else values[0]

    def draws(self, key: tuple[str, str]) -> Array:
        """Return draws (draws, data sets) of how far other folds and seeds move a statistic.

        Folds are weighted at random, alike in all methods.
        """
        columns = []
        for place in range(len(self.names)):
            folds = _fold_means(self.influence(key, place))
            df = folds.size - len(folds)
            centred = np.nan_to_num(folds - np.nanmean(folds, axis=1, keepdims=True)).ravel()
            random = np.random.default_rng([place, self.depth or 0, 7])
            weights = random.standard_normal((DRAWS, len(centred)))
            scale = (
                np.sqrt(df / random.chisquare(max(df, 1), DRAWS)) if df else np.full(DRAWS, np.inf)
            )
            columns.append(scale * (weights @ centred) / np.sqrt(len(centred) * max(df, 1)))
        return np.stack(columns, axis=-1)


MOST_ROUNDS = 10**9


def _as_array(index: Sequence[Index], values: Array) -> Array:
    axes = [sorted({one[i] for one in index}) for i in range(3)]
    found = np.full([len(axis) for axis in axes], np.nan)
    places = [{name: i for i, name in enumerate(axis)} for axis in axes]
    for one, value in zip(index, values, strict=True):
        found[tuple(where[name] for where, name in zip(places, one, strict=True))] = value
    return found


def _fold_means(runs: Array) -> Array:
    known = ~np.isnan(runs)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.nansum(runs, axis=-1) / known.sum(axis=-1))


def _curves(cell: Cell) -> tuple[Array, Array]:
    """Return objectives and solver seconds (runs, rounds), the last values kept to the end."""
    length = max(len(curve["objective"]) for curve in cell.curves)
    objective, solver = (
        np.array([np.pad(c[of], (0, length - len(c[of])), mode="edge") for c in cell.curves])
        for of in ("objective", "solver_s")
    )
    return objective, solver


def _resampled(index: Sequence[Index], random: np.random.Generator) -> Array:
    """Return weights (draws, runs): folds drawn within partitions, and seeds within folds."""
    groups: dict[tuple[int, int], list[int]] = {}
    for place, (partition, fold, _) in enumerate(index):
        groups.setdefault((partition, fold), []).append(place)
    by_partition: dict[int, list[list[int]]] = {}
    for (partition, _), places in groups.items():
        by_partition.setdefault(partition, []).append(places)
    several = list(by_partition.values())
    if len(several) >= len(groups):
        # One fold in each partition, as with random splits: these are what is drawn.
        several = [[places for folds in several for places in folds]]
    weights = np.zeros((DRAWS, len(index)))
    for row in weights:
        for folds in several:
            for fold in random.integers(len(folds), size=len(folds)):
                own = folds[fold]
                np.add.at(row, [own[i] for i in random.integers(len(own), size=len(own))], 1.0)
    return weights / weights.sum(axis=1, keepdims=True)


def _until_common(a: tuple[Array, Array], b: tuple[Array, Array], weights: Array) -> Array:
    found = []
    for weight in weights:
        (mine, spent), (theirs, other) = ((weight @ o, weight @ s) for o, s in (a, b))
        common = max(mine[-1], theirs[-1]) * 1.001
        found.append(other[np.argmax(theirs <= common)] / spent[np.argmax(mine <= common)])
    return np.array(found)


@np.errstate(all="ignore")
def estimate(call: FigureCall, every: Sequence[Sets]) -> Values:
    """Return a figure's values and intervals, by depth; Unknown where a value is not measured."""
    kind = FIGURES[call.figure]
    options = {k: v for k, v in call.options.items() if k not in ("on", "without")}
    rows, drawn = [], []
    for sets in every:
        of = partial(evaluated, kind.of, sets, call.methods, options)
        point = of({})
        if np.isnan(point).any():
            raise Unknown(f"{title(call)}: not known of all runs")
        if is_resampled(call):
            draws = of({key: sets.draws(key) for key in sets.used}, drawing=True)
            drawn.append(np.broadcast_to(draws, (DRAWS, len(point))))
            rows.append([point] * 3)
        elif is_exact(call):
            rows.append([point] * 3)
        else:
            half = _half(of, sets, point)
            if uses_spread(call):
                half = half * _spread_correction(sets, call)
            rows.append([point, *_ends(point, half, kind.log)])
    found = [np.stack(each) for each in zip(*rows, strict=True)]
    if kind.across is not None:
        if len(every) < 2:
            raise Unknown("needs trees of several depths")
        found[0] = kind.across(found[0])
        if drawn:
            drawn = [kind.across(np.stack(drawn))[0]]
        else:
            low, high = found[1][1:] / found[2][:-1], found[2][1:] / found[1][:-1]
            found[1:] = [each.min(axis=0, keepdims=True) for each in (low, high)]
    if drawn:
        low, high = (
            np.stack([np.nanquantile(each, q, axis=0) for each in drawn])
            for q in (_TAIL, 1 - _TAIL)
        )
        found[1:] = [np.minimum(low, found[0]), np.maximum(high, found[0])]
    wide = found[0].shape[-1]
    point, low, high = (np.broadcast_to(each, (len(every), wide)) for each in found)
    return Values(point, low, high, log=kind.log)


def evaluated(
    figure: Callable[..., Array], sets: Sets, methods: Sequence[str | Group],
    options: Mapping[str, Any], shifts: Mapping[tuple[str, str], Array], drawing: bool = False,
) -> Array:  # fmt: skip
    sets.shifts, sets.drawing = shifts, drawing
    try:
        return np.asarray(figure(sets, *methods, **options), dtype=np.float64)
    finally:
        sets.shifts, sets.drawing = {}, False


def _ends(point: Array, half: Array, log: bool) -> Iterator[Array]:
    for sign in (-1.0, 1.0):
        scaled = point * np.exp(sign * half / point)
        yield np.where(log & (point > 0), scaled, point + sign * half)


def _half(
    of: Callable[[Mapping[tuple[str, str], Array]], Array], sets: Sets, point: Array
) -> Array:
    """Return half the widths of the intervals of a figure's values, by the delta method."""
    used = dict(sets.used)
    total, squares = np.zeros_like(point), np.zeros_like(point)
    unknown = np.zeros(point.shape, dtype=bool)
    slopes = slopes_of(of, used, point)
    for place in range(len(sets.names)):
        moves: dict[str, Array] = {}
        for key in used:
            slope = slopes[key][place]
            if slope.any():
                own = slope[:, None, None, None] * sets.influence(key, place)
                moves[key[0]] = moves[key[0]] + own if key[0] in moves else own
        if not moves:
            continue
        folds = np.sum([_fold_means(each) for each in moves.values()], axis=0)
        for row in np.flatnonzero(np.any([slopes[key][place] != 0 for key in used], axis=0)):
            kept = folds[row][~np.isnan(folds[row]).all(axis=1)][..., None]
            error = se_over_partitions(kept) if len(kept) else None
            if error is None or not error.df:
                unknown[row] = True
                continue
            total[row] += error.se**2
            squares[row] += error.se**4 / error.df
    df = np.divide(total**2, squares, out=np.ones_like(total), where=squares > 0)
    half = scipy.special.stdtrit(df, 1 - _TAIL) * np.sqrt(total)
    return np.where(unknown, np.inf, np.where(total > 0, half, 0.0))


def slopes_of(
    of: Callable[[Mapping[tuple[str, str], Array]], Array],
    used: Mapping[tuple[str, str], Array],
    point: Array,
) -> Mapping[tuple[str, str], Array]:
    """Return the slopes (data sets, values) of a figure by each statistic, all in one batch."""
    n = len(next(iter(used.values())))
    steps = {key: _STEP * np.maximum(np.abs(base), _LEAST) for key, base in used.items()}
    shifts = {}
    for i, key in enumerate(used):
        moved = np.zeros((2, len(used), n, n))
        moved[:, i] = np.array([1.0, -1.0])[:, None, None] * np.diag(np.nan_to_num(steps[key]))
        shifts[key] = moved.reshape(-1, n)
    values = np.broadcast_to(of(shifts), (2 * len(used) * n, len(point)))
    above, below = values.reshape(2, len(used), n, len(point))
    wide = np.array([2 * steps[key] for key in used])[..., None]
    slopes = np.nan_to_num((above - below) / wide, posinf=0.0, neginf=0.0)
    return dict(zip(used, slopes, strict=True))


def _spread_correction(sets: Sets, call: FigureCall) -> float:
    """Return by how much wider an interval of sds is, where a data set has one partition only."""
    shapes = [sets.runs(role, name, "score").shape for role in call.roles for name in sets.names]
    return ONE_PARTITION if any(shape[0] == 1 for shape in shapes) else 1.0


ONE_PARTITION = 2.0


def judge(claim: Claim, reading: str, roles: Mapping[str, str], evidence: Evidence) -> Judged:
    """Return a claim's verdict, with ``roles`` in place of the methods it names."""
    calls = [call.read_as(roles) for call in claim.figures]
    judged = Judged(claim, reading, roles, Ruling.NOT_JUDGED)
    if claim.reason:
        comparable = not claim.reason.startswith(Ruling.NOT_COMPARABLE)
        why = claim.reason.removeprefix(Ruling.NOT_COMPARABLE).strip(": ")
        return replace(
            judged, ruling=Ruling.NOT_JUDGED if comparable else Ruling.NOT_COMPARABLE, why=why
        )
    methods = list(dict.fromkeys(role for call in calls for role in call.roles))
    claimed = list(claim.datasets or evidence.paper.datasets)
    by_depth = {
        depth: own
        for depth in evidence.depths
        if (not claim.depths or depth in claim.depths)
        and (own := _found(evidence, methods, depth, claimed))
    }
    if not by_depth:
        ruling, why = _nothing(evidence, methods, claim, claimed)
        return replace(judged, ruling=ruling, why=why)
    if not any(map(evidence.paper.has_depth, methods)):
        # Methods without a depth have the same runs at every depth of an experiment.
        most = max(by_depth, key=lambda depth: len(by_depth[depth]))
        by_depth = {most: by_depth[most]}
    least = LEAST_SHARE * len(claimed)
    used = {depth: own for depth, own in by_depth.items() if len(own) >= least}
    used = used or dict([max(by_depth.items(), key=lambda item: len(item[1]))])
    names = [name for name in claimed if all(name in own for own in used.values())]
    runs = min(sum(len(own[name][0].index) for name in names) for own in used.values())
    judged = replace(
        judged,
        depths=list(used),
        datasets=names,
        missing=[name for name in claimed if name not in names],
        runs=runs,
    )
    planned = (evidence.paper.runs or LEAST_RUNS) * len(names)
    lacking = ""
    if len(names) < least or not names:
        lacking = f"{len(names)} of {counted(len(claimed), 'data set')}"
    elif runs < min(LEAST_RUNS, planned):
        lacking = f"{counted(runs, 'run')} of at least {min(LEAST_RUNS, planned)}"
    every = [
        Sets(
            evidence, names, depth,
            {(role, n): own[n][i] for n in names for i, role in enumerate(methods)},
        )
        for depth, own in used.items()
    ]  # fmt: skip
    shown, unknown = [], []
    for call in calls if names else ():
        try:
            shown.append(Shown(call, list(used), _estimated(call, every)))
        except Unknown as error:
            unknown.append(str(error))
    judged = replace(judged, shown=shown)
    if lacking or unknown:
        return replace(judged, why=lacking or f"{'; '.join(unknown)}{_apart(every)}")
    if apart := _implementations(evidence.paper, calls):
        return replace(judged, ruling=Ruling.NOT_COMPARABLE, why=apart)
    try:
        return _decided(judged, every)
    except Unknown as error:
        return replace(judged, why=str(error))


def _estimated(call: FigureCall, every: Sequence[Sets]) -> Values:
    known = every[0].evidence.known
    names = every[0].names
    if absent := [name for name in call.options.get("on", ()) if name not in names]:
        raise Unknown(f"needs {listing(absent)}")
    kept = _kept(call, names) or names
    cells = tuple(id(cell) for sets in every for cell in sets.cells.values())
    key = str(call), tuple(kept), tuple(sets.depth for sets in every), cells
    if key not in known:
        known[key] = estimate(call, [sets.only(kept) for sets in every])
    found: Values = known[key]
    return found


def _kept(call: FigureCall, names: Sequence[str]) -> list[str]:
    """Return the data sets that a figure is of."""
    options = call.options
    return [
        n for n in names if n in options.get("on", names) and n not in options.get("without", ())
    ]


def _found(
    evidence: Evidence, methods: Sequence[str], depth: Depth, claimed: Sequence[str]
) -> dict[str, list[Cell]]:
    """Return the cells of the methods, by data set, where all have runs on the same rows."""
    found = {}
    for name in claimed:
        key = ("same rows", *methods, depth, name)
        if key not in evidence.known:
            cells = [evidence.cells.get((role, depth, name), ()) for role in methods]
            evidence.known[key] = _same_rows(cells) if all(cells) else None
        if evidence.known[key] is not None:
            found[name] = evidence.known[key]
    return found


def _same_rows(candidates: Sequence[Sequence[Cell]]) -> list[Cell] | None:
    """Return a cell per method: of the same rows, with the most runs in common.

    Of several such choices, the one in which the most runs were timed on one processor. Runs that
    were timed on different ones are without their times.
    """
    best: list[Cell] | None = None
    most, shared = (0, 0), []
    for rows in dict.fromkeys(cell.rows for cell in candidates[0]):
        fitting = [[cell for cell in cells if cell.rows == rows] for cells in candidates]
        if not all(fitting):
            continue
        for processor in dict.fromkeys(p for cell in fitting[0] for p in cell.processors or [""]):
            rank = partial(_rank, processor)
            chosen = [max(cells, key=rank) for cells in fitting]
            common = sorted(set(chosen[0].index).intersection(*(c.index for c in chosen[1:])))
            together = min(rank(cell)[1] for cell in chosen)
            if common and (len(common), together) > most:
                best, most, shared = chosen, (len(common), together), common
    if best is None:
        return None
    timed = np.ones(len(shared), dtype=bool)
    if all(cell.processors for cell in best):
        where = [dict(zip(cell.index, cell.processors, strict=True)) for cell in best]
        timed = np.array([len({w[one] for w in where} - {""}) < 2 for one in shared])
    return [cell.only(shared, timed) for cell in best]


def _rank(processor: str, cell: Cell) -> tuple[int, int]:
    return len(cell.index), Counter(cell.processors)[processor]


def _nothing(
    evidence: Evidence, methods: Sequence[str], claim: Claim, claimed: Sequence[str]
) -> tuple[Ruling, str]:
    absent = [role for role in methods if role not in evidence.methods]
    changed = [f"{role} is run with {evidence.changed[role]}" for role in absent
               if role in evidence.changed]  # fmt: skip
    if changed:
        return Ruling.NOT_COMPARABLE, "; ".join(changed)
    designs = dict.fromkeys(d for name, d in evidence.other_designs.items() if name in claimed)
    if designs:
        return Ruling.NOT_COMPARABLE, "; ".join(designs)
    if absent:
        return (
            Ruling.NOT_JUDGED,
            f"{listing(absent)} {'is' if len(absent) == 1 else 'are'} not measured",
        )
    if claim.depths and not set(claim.depths) & set(evidence.depths):
        return Ruling.NOT_JUDGED, f"no trees of depth {' or '.join(map(str, claim.depths))}"
    return Ruling.NOT_JUDGED, "its methods have no finished run in common on its data sets"


def _implementations(paper: Paper, calls: Sequence[FigureCall]) -> str:
    """Return between which implementations times would be compared, "" within one."""
    for call in calls:
        groups = dict.fromkeys(paper.implementation(role) for role in call.roles)
        if compares_times(call) and len(groups) > 1:
            return f"times of different implementations: {'; '.join(groups)}"
    return ""


def _apart(every: Sequence[Sets]) -> str:
    cells = [cell for sets in every for cell in sets.cells.values()]
    apart = len({name for cell in cells for name in cell.processors} - {""}) > 1
    return ", times of runs on different processors left out" if apart else ""


def _decided(judged: Judged, every: Sequence[Sets]) -> Judged:
    named = {one.call.name: one.values for one in judged.shown if one.call.name}
    known = list(every[0].evidence.paper.datasets)
    scope = Scope(judged.datasets, judged.depths, known)
    decision = decide(judged.claim, scope, named)
    lacking = [depth for depth in judged.claim.depths if depth not in judged.depths]
    depths = " and ".join(map(str, judged.depths))
    if decision.ruling is Ruling.UNDECIDED:
        return replace(judged, ruling=Ruling.UNDECIDED, why="the values lie between the bands")
    if decision.crosses:
        return replace(
            judged,
            ruling=Ruling.UNDECIDED,
            why=f"measured: {decision.ruling}, but the interval reaches beyond",
            partitions=_partitions(judged.claim, scope, named, every),
        )
    remark = f"at depth {depths} only" if lacking else ""
    if remark and decision.ruling in FOR:
        # What is said of two depths is not shown at one of them.
        return replace(judged, ruling=Ruling.UNDECIDED, why=f"{decision.ruling} {remark}")
    reach = "the interval reaches into weaker" if decision.reaches else ""
    alone = _alone(judged, decision.ruling, every, known)
    why = "; ".join(text for text in (remark or reach, alone) if text)
    return replace(judged, ruling=decision.ruling, why=why)


@np.errstate(all="ignore")
def _alone(judged: Judged, ruling: Ruling, every: Sequence[Sets], known: Sequence[str]) -> str:
    """Return on which data set alone the verdict hangs, "" where it is none or several."""
    turned = {}
    for out in judged.datasets if len(judged.datasets) > 3 else ():
        named = {}
        for call in (one.call for one in judged.shown if one.call.name):
            kind, kept = FIGURES[call.figure], [n for n in _kept(call, judged.datasets) if n != out]
            options = {k: v for k, v in call.options.items() if k not in ("on", "without")}
            sets = [one.only(kept) for one in every]
            if not kept or kind.across is not None:
                return ""
            rows = [evaluated(kind.of, one, call.methods, options, {}) for one in sets]
            named[call.name] = Values.exact(np.stack(rows))
        scope = Scope([n for n in judged.datasets if n != out], judged.depths, known)
        other = decide(judged.claim, scope, named).ruling
        if (other in FOR) != (ruling in FOR):
            turned[out] = other
    return "".join(f"without {out}: {other}" for out, other in turned.items() if len(turned) == 1)


@dataclass(frozen=True)
class Decision:
    """What conditions say of figures: the ruling of the values as measured.

    ``crosses``: whether the intervals allow the opposite; ``reaches``: whether what is reproduced
    may be weaker.
    """

    ruling: Ruling
    crosses: bool = False
    reaches: bool = False


def decide(claim: Claim, scope: Scope, named: Mapping[str, Values]) -> Decision:
    """Return what a claim's conditions say of its figures; the first that is true decides."""
    never = Truth(*(np.array(False) for _ in range(3)))
    reproduced, weaker = (
        scope.condition(text, named) if text else never
        for text in (claim.reproduced_if, claim.weaker_if)
    )
    against = ~(reproduced | weaker)
    if claim.not_reproduced_if:
        against = scope.condition(claim.not_reproduced_if, named, any_depth=True)
    ruling = next(
        (
            ruling
            for ruling, truth in zip((*FOR, AGAINST), (reproduced, weaker, against), strict=True)
            if truth.point
        ),
        Ruling.UNDECIDED,
    )
    # A condition that surely holds leaves nothing to those after it.
    may_be_weaker = bool(weaker.maybe and not reproduced.sure)
    may_fail = bool(against.maybe and not (reproduced | weaker).sure)
    crosses = may_fail if ruling in FOR else bool(reproduced.maybe or may_be_weaker)
    return Decision(ruling, crosses, ruling is Ruling.REPRODUCED and may_be_weaker)


def _partitions(
    claim: Claim, scope: Scope, named: Mapping[str, Values], every: Sequence[Sets]
) -> int | None:
    """Return with how many partitions the interval would no longer reach beyond."""
    cells = [cell for sets in every for cell in sets.cells.values()]
    now = min(len({one[0] for one in cell.index}) for cell in cells)

    def crosses(partitions: int) -> bool:
        by = np.sqrt(now / partitions)
        narrowed = {name: values.narrowed(by) for name, values in named.items()}
        return decide(claim, scope, narrowed).crosses

    if crosses(MOST_PARTITIONS):
        return None
    low, high = now, MOST_PARTITIONS
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if crosses(middle) else (low, middle)
    return high


@dataclass(frozen=True)
class Entry:
    """A claim judged by the reading that is meant as the paper's, and by ``others``."""

    judged: Judged
    others: Sequence[Judged] = ()

    @property
    def claim(self) -> Claim:
        """The claim."""
        return self.judged.claim


def judge_all(
    claims: Sequence[Claim], readings: Mapping[str, Mapping[str, str]], evidence: Evidence
) -> list[Entry]:
    """Return each claim judged as it is meant, and by the readings that put in other methods."""
    meant = {
        role: next((name for name in names if name in evidence.methods), names[0])
        for role, names in evidence.paper.meant.items()
    }
    entries = []
    for claim in claims:
        others = []
        for name, roles in readings.items():
            used = {**meant, **roles}
            if any(used.get(role, role) != meant.get(role, role) for role in claim.roles):
                others.append(judge(claim, name, used, evidence))
        measured = [judged for judged in others if judged.measured]
        entries.append(Entry(judge(claim, "as described", meant, evidence), measured))
    return entries
