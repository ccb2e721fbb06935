"""What the results say, in the sentences that the page and the terminal begin with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from boostbench import numbers
from boostbench.papers.judge import Ruling
from boostbench.report.claims import JUDGED, Ledger
from boostbench.report.convergence import NEAR
from boostbench.report.winners import Standing, certainty, champions
from boostbench.report.words import every, names_of, plural, series, spelt

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
_FEW = 3


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
    total = sum(counts.values())
    return _counts("printed cell", total, [(n, *_CELLS[v]) for v, n in counts.items()])


def claims_sentence(ledger: Ledger | None) -> str:
    """Return how many claims have which verdict, "" where none is judged."""
    counts = judged_claims(ledger)
    parts = [(counts[each], f"is {each.value}", f"are {each.value}") for each in IN_SENTENCES]
    return _counts("claim", sum(counts.values()), parts, " judged")


def _counts(what: str, total: int, parts: Sequence[tuple[int, str, str]], which: str = "") -> str:
    known = [(n, one if n == 1 else many) for n, one, many in parts if n]
    if not known:
        return ""
    if len(known) == 1:
        words = known[0][1]
        whole = f"The only {what}" if total == 1 else every(total, what, start=True)
        return f"{whole}{which} {words}."
    return f"Of {total:,} {what}s{which} {series(f'{n:,} {words}' for n, words in known)}."


def averages(results: Any, kind: str = "arithmetic") -> list[Mapping[str, Any]]:
    """Return the averages over data sets that have a printed one beside them, by method."""
    cells = results.cells
    meant = set(cells.method[cells.counts])
    rows = cells[(cells.kind == kind) & cells.published.notna() & cells.compared.notna()]
    rows = rows[rows.method.isin(meant) & ~rows.common.map(bool)]
    return rows[rows.row == rows.row.iloc[0]].to_dict("records") if len(rows) else []


def _averages(results: Any) -> list[str]:
    metric, names = results.metric, names_of(results.methods)
    near, far, away = [], [], []
    for each in averages(results):
        name, mean, printed = names[each["method"]], each["compared"], each["published"]
        gap = mean - printed
        if abs(gap) <= metric.least_difference(printed) + 1e-12:
            near.append(f"{name} {metric.text(mean)} (printed {metric.text(printed)})")
        else:
            away.append(abs(gap))
            where = "above" if gap > 0 else "below"
            distance = metric.text(abs(gap))
            far.append(
                f"{name}’s {metric.text(mean)} lies {distance} {where} the printed "
                f"{metric.text(printed)}"
            )
    total = len(near) + len(far)
    if not total:
        return []
    sentences = [f"{series(far)}."] if far else []
    if len(far) > _FEW:
        ends = [metric.text(each) for each in (min(away), max(away))]
        sentences = [f"The others lie {ends[0]} to {ends[1]} away."]
    if near:
        which = "The average agrees" if total == 1 else f"{every(total, 'average', True)} agree"
        if far:
            verb = "agrees" if len(near) == 1 else "agree"
            which = f"{spelt(len(near), True)} of the {spelt(total)} averages {verb}"
        sentences.insert(0, f"{which}: {series(near)}.")
    return [" ".join(sentences)]


def winners_sentence(results: Any) -> str:
    """Return which method is best where."""
    return _winners(results)[0]


def _winners(results: Any) -> list[str]:
    every_one, names, metric = champions(results), names_of(results.methods), results.metric
    found = {data: own for data, own in every_one.items() if own[1:]}
    alone = {data: own[0] for data, own in every_one.items() if data not in found}
    value = f"{metric.words.removeprefix('test ') if metric.is_share else metric.words} "
    unit = f" {metric.unit}" if metric.unit else ""
    best = {data: own[0] for data, own in found.items()}

    def score(own: Standing) -> str:
        return f"{metric.text(own.mean)}{unit}"

    if not found:
        parts = [
            f"{names[own.method]} has a mean {metric.words} of {score(own)} on {data}"
            for data, own in list(alone.items())[:_FEW]
        ]
        return [
            f"{series(parts)}.",
            "Nothing is compared: only one method has finished runs there.",
        ]
    sure = {data: certainty(own) for data, own in found.items()}
    # Means that are written alike are best together.
    first = {data: [each.method for each in own if each.best] for data, own in found.items()}
    won: dict[str, list[str]] = {}
    for data, labels in first.items():
        for label in labels:
            won.setdefault(label, []).append(data)
    total, (most, sets) = len(best), max(won.items(), key=lambda item: len(item[1]))

    def best_on(data: str) -> str:
        who = series(names[label] for label in first[data])
        return f"{who} {'is' if len(first[data]) == 1 else 'are'} best on {data}"

    if total == 1:
        text = f"{best_on(sets[0])}, {value}{score(best[sets[0]])}"
    elif len(won) == 1:
        text = f"{names[most]} is best on {every(total, 'data set')}"
        if total <= _FEW:
            text += f": {value}{series(f'{score(own)} on {data}' for data, own in best.items())}"
    elif total <= _FEW:
        parts = [f"{best_on(data)}, {value}{score(own)}" for data, own in best.items()]
        head = "" if len(sets) == total else f"No method wins on {every(total, 'data set')}: "
        text = f"{head}{series(parts, ', and')}"
    else:
        order = sorted(won.items(), key=lambda item: -len(item[1]))
        parts = [f"{names[label]} on {spelt(len(own))}" for label, own in order[1:4]]
        rest = f", {series(parts)}" if len(order) < 5 else f", {', '.join(parts)} and others"
        text = f"{names[most]} is best on {spelt(len(sets))} of {total} data sets{rest}"
    only = [f"On {data} only {names[own.method]} has finished runs." for data, own in alone.items()]
    return [f"{text}.", *_sure(found, sure), *only[:_FEW]]


def _sure(found: Mapping[str, Sequence[Standing]], sure: Mapping[str, str]) -> list[str]:
    if len(found) > _FEW:
        parts = []
        for words in ("sure", "partly sure", "not sure"):
            names = [data for data, each in sure.items() if each == words]
            if names:
                where = f" ({series(names)})" if len(names) <= _FEW else ""
                parts.append(f"{words} on {spelt(len(names))} of them{where}")
        if set(sure.values()) == {"not sure"}:
            return ["That is not sure on any of them: no test of fold means separates the best."]
        return [f"That is {series(parts)}: a test of the fold means separates the others."]
    made = []
    for data, own in found.items():
        others, apart = len(own) - 1, sum(each.separate for each in own)
        runs = f"{plural(own[0].runs, 'run')} a method"
        verb, does = ("separates", "does") if own[0].runs == 1 else ("separate", "do")
        rest = f"all {spelt(others)} others" if others > 1 else "the other"
        if apart == others:
            text = f"{runs} {verb} it from {rest}"
        elif apart:
            text = f"{runs} {verb} it from {spelt(apart)} of the {spelt(others)} others"
        else:
            which = "either" if others == 2 else "any"
            rest = f"{which} of the {spelt(others)} others" if others > 1 else rest
            text = f"{runs} {does} not separate it from {rest}"
        made.append(f"On {data} that is {sure[data]}: {text}.")
    return made


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
