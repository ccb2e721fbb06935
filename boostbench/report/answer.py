"""What the results say, in the sentences that the page and the terminal begin with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from boostbench import numbers
from boostbench.papers.judge import Ruling
from boostbench.report.claims import JUDGED, Ledger
from boostbench.report.convergence import NEAR
from boostbench.report.winners import certainty, champions
from boostbench.report.words import names_of, say

__all__ = [
    "IN_SENTENCES",
    "answer",
    "averages",
    "cells_sentence",
    "counted_cells",
    "judged_claims",
    "purpose",
    "sooner",
    "winners_sentence",
]

IN_SENTENCES = (Ruling.REPRODUCED, Ruling.WEAKER, Ruling.NOT_REPRODUCED, Ruling.UNDECIDED)
"""The verdicts of claims that are judged, in the order in which sentences have them."""
_CELLS = {
    "agrees": ("agrees", "agree"),
    "differs": ("differs", "differ"),
    "undecided": ("is undecided", "are undecided"),
}


def purpose(results: Any) -> str:
    """Return what an experiment is for.

    Parameters
    ----------
    results : Results
        The runs and cells of a results folder.

    Returns
    -------
    str
        ``table`` (of a paper), ``curves`` (a figure of one) or ``runs`` (neither).
    """
    wanted, paper = results.experiment.get("table"), results.paper
    if paper is None or not wanted:
        return "runs"
    if wanted in paper.figures:
        return "curves" if len(results.curves) else "runs"
    return "table" if results.cells.counts.any() else "runs"


def answer(results: Any, ledger: Ledger | None) -> list[str]:
    """Return the result in sentences, the answer first.

    Parameters
    ----------
    results : Results
        The runs and cells of a results folder.
    ledger : Ledger or None
        The paper's claims as judged on them.

    Returns
    -------
    list of str
        Plain text; what follows the first one says how sure it is, or gives the averages.
    """
    if not (results.runs.status == "ok").any():
        return ["No run has finished yet."]
    kind = purpose(results)
    claims = claims_sentence(ledger)
    if kind == "table":
        return [f"{cells_sentence(results)} {claims}".strip(), *_averages(results)]
    finding = sooner(results) if kind == "curves" else ""
    found = [f"{finding}."] if finding else _winners(results)
    if kind == "curves" and claims:
        found[0] = f"{claims} {found[0]}"
    return found


def counted_cells(results: Any) -> dict[str, int]:
    """Return how many cells with a printed value have each verdict."""
    found = results.cells[results.cells.counts].verdict.value_counts()
    return {verdict: int(found.get(verdict, 0)) for verdict in _CELLS}


def judged_claims(ledger: Ledger | None) -> dict[Ruling, int]:
    """Return how many claims have each of the verdicts :data:`JUDGED`."""
    counts = ledger.counts() if ledger else {}
    return {ruling: counts.get(ruling, 0) for ruling in JUDGED}


def cells_sentence(results: Any) -> str:
    """Return how many printed cells have which verdict, "" where none is compared."""
    counts = counted_cells(results)
    return _counts("printed cell", [(n, *_CELLS[verdict]) for verdict, n in counts.items()])


def claims_sentence(ledger: Ledger | None) -> str:
    """Return how many claims have which verdict, "" where none is judged."""
    counts = judged_claims(ledger)
    parts = [(counts[each], f"is {each.value}", f"are {each.value}") for each in IN_SENTENCES]
    return _counts("claim", parts, " judged")


def _counts(what: str, parts: Sequence[tuple[int, str, str]], which: str = "") -> str:
    known = [part for part in parts if part[0]]
    total = sum(number for number, *_ in known)
    return " ".join(say("counts", what=what, which=which, parts=known, total=total))


def averages(results: Any, kind: str = "arithmetic") -> list[Mapping[str, Any]]:
    """Return the averages over data sets that have a printed one beside them, by method."""
    cells = results.cells
    meant = set(cells.method[cells.counts])
    rows = cells[(cells.kind == kind) & cells.published.notna() & cells.compared.notna()]
    rows = rows[rows.method.isin(meant) & ~rows.common.map(bool)]
    return rows[rows.row == rows.row.iloc[0]].to_dict("records") if len(rows) else []


def _averages(results: Any) -> list[str]:
    metric, names = results.metric, names_of(results.methods)
    near: list[tuple[str, float, float]] = []
    far: list[tuple[str, float, float]] = []
    for each in averages(results):
        mean, printed = each["compared"], each["published"]
        close = abs(mean - printed) <= metric.least_difference(printed) + 1e-12
        (near if close else far).append((names[each["method"]], mean, printed))
    return say("averages", near=near, far=far, metric=metric)


def winners_sentence(results: Any) -> str:
    """Return which method is best where."""
    return _winners(results)[0]


def _winners(results: Any) -> list[str]:
    names, metric = names_of(results.methods), results.metric
    found, alone, won = [], [], Counter[str]()
    sure: dict[str, list[str]] = {word: [] for word in ("sure", "partly sure", "not sure")}
    for data, own in champions(results).items():
        # Means that are written alike are best together.
        best = [names[each.method] for each in own if each.best]
        one = SimpleNamespace(
            data=data,
            best=best,
            score=f"{metric.text(own[0].mean)} {metric.unit}".strip(),
            sure=certainty(own),
            runs=own[0].runs,
            others=len(own) - 1,
            apart=sum(each.separate for each in own),
        )
        if one.others:
            found.append(one)
            won.update(best)
            sure[one.sure].append(data)
        else:
            alone.append(one)
    value = metric.words.removeprefix("test ") if metric.is_share else metric.words
    sure = {word: own for word, own in sure.items() if own}
    return say("winners", found=found, alone=alone, order=won.most_common(), sure=sure,
               metric=metric, value=value)  # fmt: skip


def sooner(results: Any) -> str:
    """Return which method comes near the lowest objective sooner, "" where none is known."""
    found, names = results.convergence.sooner, names_of(results.methods)
    if found is None:
        return ""
    first, last, ratios = found
    ends = [numbers.ratio(end).removeprefix("× ") for end in (min(ratios), max(ratios))]
    ends = [f"{float(end.replace(',', '')):.2g}" if "." in end else end for end in ends]
    return (
        f"{names[first]} comes within {NEAR:g} % of the lowest objective "
        f"{' to '.join(dict.fromkeys(ends))} times sooner than {names[last]}"
    )
