"""One claim in full, as lines of text: its words, bounds and figures, and the methods compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from boostbench import numbers
from boostbench.papers.claim import Claim
from boostbench.report.claimtable import MARKS, measured, plan_text
from boostbench.report.comparisons import PairComparison, compare_pair
from boostbench.report.comparisontables import sentences
from boostbench.report.paired import common
from boostbench.report.reference import repeated
from boostbench.report.sources import roles_of
from boostbench.suggest import counted

if TYPE_CHECKING:
    from boostbench.report.ledger import Entry, Judged
    from boostbench.report.summary import Summary


def claim_lines(entry: Entry, summaries: Sequence[Summary]) -> list[str]:
    """Return everything about a claim in lines of text, its words first."""
    claim, metric = entry.claim, summaries[0].metric
    reproduced, direction, contradicted = claim.counts_as
    lines = [
        f"{claim.id}, {claim.where}: “{claim.text}”",
        *_labelled("stated", claim.stated),
        *_labelled("statistic", claim.statistic),
        *_labelled("reproduced if", reproduced),
        *_labelled("direction only if", direction),
        *_labelled("contradicted if", contradicted),
        *_labelled("the paper's own tables", own_text(claim)),
        *_labelled("remark", claim.remarks),
    ]
    for judged in (entry.judged, *entry.others):
        roles = " against ".join(
            ", ".join(side) for side in (judged.claim.left, judged.claim.right) if side
        )
        mark = MARKS[judged.ruling]
        lines.append(f"{judged.reading.title} ({roles}): {mark} {judged.ruling.value}".rstrip())
        if judged.measured:
            lines.append(f"  {measured(judged, metric)}")
        on = f"  on {_on(judged)}" if judged.measured else "  "
        why = "; ".join(
            text for text in (judged.why, plan_text(judged.plan) if judged.plan else "") if text
        )
        if on.strip() or why:
            lines.append("; ".join(part for part in (on.rstrip(), why) if part.strip()))
        for pair in _pairs(judged, summaries):
            lines += [f"  {sentence}" for sentence in [*sentences(pair), answer(pair)]]
    return lines


def _pairs(judged: Judged, summaries: Sequence[Summary]) -> Iterator[PairComparison]:
    """Yield the two methods of a claim on all data sets compared, at each depth judged."""
    claim = judged.claim
    if claim.datasets or not judged.measured or (len(claim.left), len(claim.right)) != (1, 1):
        return
    if claim.seconds and not any(shown.figure.unit == "difference" for shown in judged.shown):
        # What follows is on scores, and the claim on times alone.
        return
    for depth in judged.depths:
        found = [(each, labels) for each in summaries if (labels := _labels(each, claim, depth))]
        # The verdict takes each data set from the results that have most runs of it.
        most = max(found, key=lambda pair: _in_common(*pair), default=None)
        if most is not None and _in_common(*most):
            yield compare_pair(most[0], *most[1])


def _labels(summary: Summary, claim: Claim, depth: int | None) -> list[str]:
    """Return the labels of the two methods of a claim, none where one is not there."""
    roles = roles_of(summary.paper, summary.methods, depth) if summary.paper else {}
    both = (claim.left[0], claim.right[0])
    return [roles[role].label for role in both] if all(role in roles for role in both) else []


def _in_common(summary: Summary, labels: Sequence[str]) -> int:
    """Return how many runs two methods have in common, on data sets that count."""
    collected = summary.collected
    again = repeated(collected)
    return sum(
        len(common(*(collected.finished.get((data.label, label), {}) for label in labels)))
        for data in collected.datasets
        if data.label not in again
    )


def answer(pair: PairComparison) -> str:
    """Return what a comparison says in one sentence: better by how much, or what it leaves open."""
    left, right, ratio = pair.left, pair.right, pair.ratio
    words = f"mean {pair.metric.words}"
    if ratio is None or not ratio.low > 0:
        return f"In words: nothing follows for the ratio of the {words} of {left} and {right}."
    if ratio.low > 1 or ratio.high < 1:
        ends = sorted((ratio.low, ratio.high), key=lambda end: abs(end - 1))
        text = (
            f"In words: the {words} of {left} is {_gain(ratio.ratio)} than that of {right}, and on "
            f"data sets like these {' to '.join(map(_percent, ends))}"
        )
        if pair.without is not None:
            dataset, rest = pair.without
            text += f"; without {dataset} {_gain(rest.ratio)}"
        return f"{text}."
    return (
        f"In words: no difference between {left} and {right} is shown; these data sets do not rule "
        f"out that the {words} of {left} is {_gain(ratio.low)} or {_gain(ratio.high)}."
    )


def _gain(ratio: float) -> str:
    return f"{_percent(ratio)} {'higher' if ratio >= 1 else 'lower'}"


def _percent(ratio: float) -> str:
    return f"{numbers.fixed(100 * abs(ratio - 1), 1)} %"


def own_text(claim: Claim) -> str:
    """Return what the paper's own tables say of a claim."""
    return f"{claim.own} ({claim.agreement})" if claim.own else ""


def _labelled(label: str, text: str) -> list[str]:
    return [f"  {label}: {text}"] if text else []


def _on(judged: Judged) -> str:
    sets = counted(len(judged.datasets), "data set")
    without = f" (without {', '.join(judged.missing)})" if judged.missing else ""
    return f"{sets}{without}, {counted(judged.runs, 'run')} per method"
