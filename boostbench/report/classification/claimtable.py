"""The table of the paper's claims on this experiment: a row a claim, a column a data set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from boostbench.papers.multiboost import PROTOCOL
from boostbench.report import numbers
from boostbench.report.claims import MARKS, Finding
from boostbench.report.classification.claims import ALL, CLAIMS, Claim, Measured
from boostbench.report.classification.layout import same_objective
from boostbench.report.page import Item, Table

if TYPE_CHECKING:
    from boostbench.report.classification.curves import Curve
    from boostbench.report.classification.stats import ErrorSummary
    from boostbench.report.frame import MethodInfo

Curves = Mapping[tuple[str, str], "Curve"]
# With one bit a class, AdaBoost.MO is AdaBoost.MH: nothing is claimed of that.
MO_CODES = ("auto", "exhaustive")


def claim_tables(summary: ErrorSummary, curves: Curves) -> list[Table]:
    """Return the table of claims; none without the paper or anything to say of its claims."""
    if summary.paper is None or summary.paper.key not in CLAIMS:
        return []
    roles = _roles(summary)
    rows = []
    for claim in CLAIMS[summary.paper.key]:
        row = _row(summary, curves, roles, claim)
        if row is not None:
            rows.append(row)
    if not rows:
        return []
    table = Table(
        key="claims",
        title="The paper's claims",
        header=("Claim", "In the paper", "Verdict", *(data.label for data in summary.datasets)),
        rows=rows,
        left=frozenset({0, 1, 2}),
        legend=_legend(summary),
    )
    return [table]


def _legend(summary: ErrorSummary) -> str:
    missing = summary.planned - summary.finished
    so_far = (
        f" {missing:,} of {summary.planned:,} runs are missing: the verdicts are so far."
        if missing
        else ""
    )
    return (
        "✓ holds; ◐ holds in part: on some data sets, or by less than claimed; ✗ does not "
        "hold. Verdicts compare means over runs and do not look at their spread."
        f"{so_far} “Much” is taken for twice, “about as” for at most twice either way. × k is "
        "what the other method needs over what the judged one does; “the same” error is the worse "
        "of the two at their ends, “the same” objective 0.1 % above that; pp are percentage points "
        "of test error. Training, running and solver times are compared after the same number of "
        "iterations, the most that all runs of the methods reached: [at n] says how many. Times "
        "of whole trainings stand in the tables below. The paper's times were taken on another "
        "machine: only ratios are compared."
    )


def _roles(summary: ErrorSummary) -> dict[str, MethodInfo]:
    """Return the methods by their role in the claims: a registered name, or a solver.

    The first of a name has its role; claims on MultiBoost's times are on it with L-BFGS-B.
    """
    roles: dict[str, MethodInfo] = {}
    solvers = same_objective(summary.results)
    for method in summary.methods:
        role = method.registered
        if role == "adaboost_mo" and method.params.get("code", "auto") not in MO_CODES:
            continue
        if solvers and role == "multiboost_cw":
            lbfgsb = method.params.get("solver") == "lbfgsb"
            role = "lbfgsb" if lbfgsb else f"fcd_{method.params.get('max_sweeps', 2)}"
        if role == "multiboost" and method.params.get("solver", "lbfgsb") == "lbfgsb":
            roles.setdefault("multiboost_lbfgsb", method)
        if role:
            roles.setdefault(role, method)
    return roles


def _row(
    summary: ErrorSummary, curves: Curves, roles: Mapping[str, MethodInfo], claim: Claim
) -> list[Item] | None:
    if claim.left not in roles:
        return None
    right = claim.right if claim.right != ALL else _others(roles, claim.left)
    if not all(role in roles for role in right):
        return None
    items, findings = [], []
    for data in summary.datasets:
        if claim.published_as and data.published_as not in claim.published_as:
            items.append(Item(numbers.DASH, note="not claimed"))
            continue
        item, finding = _on_dataset(summary, curves, roles, claim, right, data.label)
        items.append(item)
        findings += [] if finding is None else [finding]
    if not findings:
        return None
    verdict = claim.overall(findings)
    return [
        Item(claim.text),
        Item(claim.where),
        Item(verdict.value, mark=MARKS[verdict], tone=verdict),
        *items,
    ]


def _others(roles: Mapping[str, MethodInfo], left: str) -> list[str]:
    """Return all roles but ``left``, one for each method."""
    methods = {method.label: role for role, method in roles.items() if role != left}
    return [role for label, role in methods.items() if label != roles[left].label]


def _on_dataset(
    summary: ErrorSummary,
    curves: Curves,
    roles: Mapping[str, MethodInfo],
    claim: Claim,
    right: Sequence[str],
    dataset: str,
) -> tuple[Item, Finding | None]:
    left = _measured(summary, curves, claim.left, roles[claim.left], dataset)
    others = [_measured(summary, curves, role, roles[role], dataset) for role in right]
    if not left.cell.finished or not all(other.cell.finished for other in others):
        return Item(numbers.DASH, note="not finished", tone="empty"), None
    value = claim.statistic(left, others)
    if value is None:
        return Item(numbers.DASH, note=claim.unknown, tone="empty"), None
    finding = claim.judge(value)
    step = claim.at(left, others) if claim.at else None
    note = "" if step is None else f"at {step:,}"
    return Item(claim.show(value), mark=MARKS[finding], note=note, tone=finding), finding


def _measured(
    summary: ErrorSummary, curves: Curves, role: str, method: MethodInfo, dataset: str
) -> Measured:
    return Measured(
        role=role,
        cell=summary.cell(dataset, method.label),
        curve=curves.get((dataset, method.label)),
        max_iter=int(method.params.get("max_iter", PROTOCOL.iterations)),
        time_limit=method.params.get("time_limit"),
    )
