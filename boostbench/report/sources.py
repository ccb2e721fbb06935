"""Where the runs of a claim's roles come from: which methods, depths and data sets have them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from boostbench.papers.claim import Claim, Rule
from boostbench.papers.paper import Paper
from boostbench.papers.results import Dataset, Method
from boostbench.report.evidence import CellRuns, MeasuredSets, paired
from boostbench.report.paired import common
from boostbench.report.reference import repeated
from boostbench.suggest import counted, listing

if TYPE_CHECKING:
    from boostbench.report.summary import Summary

Depth = int | None
LEAST_RUNS = 20


@dataclass(frozen=True)
class Found:
    """What there is to judge a claim by: measured sets per depth, on the same data sets.

    ``missing`` are the claim's other data sets, ``runs`` how many runs each role has in all, at the
    depth that has the fewest. ``too_little`` says why they are not enough, ``remark`` what the
    verdict leaves out.
    """

    sets: Sequence[MeasuredSets]
    missing: Sequence[str]
    runs: int
    too_little: str = ""
    remark: str = ""

    @property
    def depths(self) -> list[Depth]:
        """The depths judged at."""
        return [sets.depth for sets in self.sets]


@dataclass(frozen=True)
class Nothing:
    """Why there is nothing to judge a claim by; ``incomparable``: what was run is another thing."""

    why: str
    incomparable: bool = False


@dataclass(frozen=True)
class _Cell:
    """The runs of a role on a data set of one experiment; ``rows`` says which rows and folds.

    ``timed_on`` counts the runs by processor.
    """

    cell: CellRuns
    rows: tuple[object, ...]
    timed_on: Counter[str]


@dataclass(frozen=True)
class Sources:
    """The cells of several experiments, by (role, depth, the paper's name of the data set).

    ``changed`` has, by role, methods that are not run as registered, so that they do not play it;
    ``other_designs`` say, by data set, how an experiment measured otherwise than the paper;
    ``known`` are the sets of claims that were found before.
    """

    paper: Paper
    cells: Mapping[tuple[str, Depth, str], Sequence[_Cell]]
    depths: Sequence[Depth]
    changed: Mapping[str, str]
    other_designs: Mapping[str, str]
    known: dict[object, MeasuredSets] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, paper: Paper, summaries: Sequence[Summary]) -> Sources:
        """Return the cells of ``summaries``."""
        cells: dict[tuple[str, Depth, str], list[_Cell]] = {}
        depths: dict[Depth, None] = {}
        changed: dict[str, str] = {}
        other_designs: dict[str, str] = {}
        for summary in summaries:
            again = repeated(summary.collected)
            # A data set that occurs under two labels counts once.
            datasets = [d for d in summary.datasets if d.published_as and d.label not in again]
            others = {d.published_as: _other_design(paper, summary, d) for d in datasets}
            for method in summary.methods:
                if not method.as_registered:
                    changed.setdefault(method.registered, _changes(method))
            for depth in dict.fromkeys(_depths(paper, summary)):
                depths[depth] = None
                for role, method in roles_of(paper, summary.methods, depth).items():
                    for data in datasets:
                        if others[data.published_as]:
                            other_designs[data.published_as] = others[data.published_as]
                        elif (own := _cell(summary, data, method)).cell.runs:
                            key = role, depth, data.published_as
                            cells.setdefault(key, []).append(own)
        ordered = sorted(depths, key=lambda depth: (depth is None, depth or 0))
        return cls(paper, cells, ordered, changed, other_designs)

    def find(self, claim: Claim, rule: Rule) -> Found | Nothing:
        """Return what there is to judge a claim by, or why there is nothing."""
        roles = list(dict.fromkeys((*claim.left, *claim.right)))
        claimed = list(claim.datasets) or list(self.paper.datasets)
        by_depth = {
            depth: own
            for depth in self.depths
            if (not claim.depths or depth in claim.depths)
            and (own := self._sets(roles, depth, claimed))
        }
        if not by_depth:
            return self._nothing(roles, claim, claimed)
        if not any(map(self.paper.has_depth, roles)):
            # Methods without a depth have the same runs at every depth of an experiment.
            most = max(by_depth, key=lambda depth: len(by_depth[depth]))
            by_depth = {most: by_depth[most]}
        share = rule.least_share * len(claimed)
        enough = {d: own for d, own in by_depth.items() if len(own) >= share}
        used = enough or {max(by_depth, key=lambda d: len(by_depth[d])): {}}
        if not enough:
            used = {depth: by_depth[depth] for depth in used}
        names = [name for name in claimed if all(name in own for own in used.values())]
        if not names:
            return Nothing("the depths were run on different data sets")
        sets = []
        runs = []
        for depth, own in used.items():
            key = tuple(claim.left), tuple(claim.right), depth, tuple(names)
            if key not in self.known:
                cells = {(role, name): own[name][role] for name in names for role in roles}
                both = paired(cells, roles, names)
                self.known[key] = MeasuredSets(
                    self.paper, names, depth, claim.left, claim.right, both
                )
            sets.append(self.known[key])
            runs.append(int(sets[-1].runs(roles[0]).sum()))
        missing = [name for name in claimed if name not in names]
        return Found(
            sets=sets,
            missing=missing,
            runs=min(runs),
            too_little=self._too_little(rule, claim, names, claimed, min(runs), used),
            remark=_remark(claim, list(used)),
        )

    def _sets(
        self, roles: Sequence[str], depth: Depth, claimed: Sequence[str]
    ) -> dict[str, dict[str, CellRuns]]:
        """Return the cells of the roles, by data set, where all have runs on the same rows."""
        found = {}
        for name in claimed:
            candidates = [self.cells.get((role, depth, name), ()) for role in roles]
            chosen = _same_rows(roles, candidates)
            if chosen is not None:
                found[name] = chosen
        return found

    def _too_little(
        self,
        rule: Rule,
        claim: Claim,
        names: Sequence[str],
        claimed: Sequence[str],
        runs: int,
        used: Mapping[Depth, object],
    ) -> str:
        least = rule.least_runs
        if least is None:
            planned = (self.paper.runs or LEAST_RUNS) * len(names)
            least = min(LEAST_RUNS, planned)
        if len(names) < rule.least_share * len(claimed):
            return f"{len(names)} of {counted(len(claimed), 'data set')}"
        if runs < least:
            kind = "paired run" if len({*claim.left, *claim.right}) > 1 else "run"
            return f"{counted(runs, kind)} of at least {least}"
        if not set(rule.depths_needed) <= set(used):
            return f"needs trees of depth {' and '.join(map(str, rule.depths_needed))}"
        lacking = [name for name in rule.needed if name not in names]
        if lacking:
            return f"needs {listing(lacking)}"
        return ""

    def _nothing(self, roles: Sequence[str], claim: Claim, claimed: Sequence[str]) -> Nothing:
        here = {role for role, _, _ in self.cells}
        absent = [role for role in roles if role not in here]
        changed = [role for role in absent if role in self.changed]
        if changed:
            texts = [f"{role} is run with {self.changed[role]}" for role in changed]
            return Nothing("; ".join(texts), incomparable=True)
        designs = dict.fromkeys(d for n, d in self.other_designs.items() if n in claimed)
        if designs:
            return Nothing("; ".join(designs), incomparable=True)
        if absent:
            return Nothing(f"{listing(absent)} {'is' if len(absent) == 1 else 'are'} not measured")
        if claim.depths and not set(claim.depths) & set(self.depths):
            return Nothing(f"no trees of depth {' or '.join(map(str, claim.depths))}")
        return Nothing("its methods have no finished run in common on its data sets")


def roles_of(paper: Paper, methods: Sequence[Method], depth: Depth) -> dict[str, Method]:
    """Return the methods that play a role at a depth, the first one of several in the same role.

    A method plays its registered name's role only as registered: other parameters make another
    method of it.
    """
    if paper.roles is not None:
        return dict(paper.roles(methods))
    roles: dict[str, Method] = {}
    for method in methods:
        fits = depth is None or method.depth == depth or not paper.has_depth(method.registered)
        if method.registered and method.as_registered and fits:
            roles.setdefault(method.registered, method)
    return roles


def _other_design(paper: Paper, summary: Summary, data: Dataset) -> str:
    return paper.design.difference(data.rule, summary.experiment) if paper.design else ""


def _depths(paper: Paper, summary: Summary) -> list[Depth]:
    with_depth = [
        method.depth
        for method in summary.methods
        if method.registered and paper.has_depth(method.registered)
    ]
    return with_depth or [method.depth for method in summary.methods]


def _changes(method: Method) -> str:
    return ", ".join(f"{name} = {value}" for name, value in sorted(method.changed.items()))


def _cell(summary: Summary, data: Dataset, method: Method) -> _Cell:
    own = summary.collected.finished.get((data.label, method.label), {})
    out = frozenset(own.keys() - summary.kept(data.label, method.label).keys())
    experiment = summary.experiment
    folds = str(experiment.get("splits") or experiment.get("folds"))
    curve = summary.curves.get((data.label, method.label))
    return _Cell(
        CellRuns(own, out, curve),
        (data.fingerprint, folds, data.rule.words if data.rule else ""),
        Counter(run.processor for run in own.values()),
    )


def _same_rows(
    roles: Sequence[str], candidates: Sequence[Sequence[_Cell]]
) -> dict[str, CellRuns] | None:
    """Return a cell per role, all on the same rows and folds, with the most runs in common.

    Of several such choices, the one in which the most runs were timed on the same processor.
    """
    best: dict[str, CellRuns] | None = None
    most = (0, 0)
    first = candidates[0] if candidates else ()
    for rows in dict.fromkeys(own.rows for own in first):
        fitting = [[own for own in cells if own.rows == rows] for cells in candidates]
        if not all(fitting):
            continue
        for processor in dict.fromkeys(name for own in fitting[0] for name in own.timed_on):
            chosen = [max(cells, key=partial(_rank, processor)) for cells in fitting]
            shared = common(*(own.cell.runs for own in chosen))
            together = min(own.timed_on[processor] for own in chosen)
            if shared and (len(shared), together) > most:
                best = {role: own.cell for role, own in zip(roles, chosen, strict=True)}
                most = len(shared), together
    return best


def _rank(processor: str, own: _Cell) -> tuple[int, int]:
    return len(own.cell.runs), own.timed_on[processor]


def _remark(claim: Claim, depths: Sequence[Depth]) -> str:
    if len(claim.depths) > len(depths):
        return f"at depth {' and '.join(str(depth) for depth in depths)} only"
    return ""
