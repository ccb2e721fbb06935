"""Claims and verdicts in words: as tables of a page, lines of a terminal, and JSON values."""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from boostbench import numbers
from boostbench.grouping import grouped
from boostbench.papers.figures import FIGURES, option, unit
from boostbench.papers.judge import ClaimVerdict, JudgedReading
from boostbench.papers.language import FigureCall
from boostbench.papers.measured import FigureValue
from boostbench.papers.metrics import Metric
from boostbench.papers.readings import ClaimReadings
from boostbench.papers.settings import USUAL, Conditions, Setting, each_of, told_apart
from boostbench.report.appearance import appearance
from boostbench.report.document.table import Item, TextTable, make_table
from boostbench.report.sentences import assertions, one_run
from boostbench.report.verdicts.ledger import JUDGED, Ledger
from boostbench.values import RUN


class _Unit(NamedTuple):
    """How figures of a unit are written, with what, and what they are in words."""

    write: Callable[[float], str]
    template: str
    words: str


_UNITS = {
    "ratio": _Unit(numbers.ratio, "×{}", "a ratio"),
    "count": _Unit(numbers.count, "{}", "a number of runs"),
    "datasets": _Unit(partial(numbers.fixed, digits=0), "{}", "a number of data sets"),
    "percent": _Unit(numbers.percent, "{} %", "a percentage"),
    "seconds": _Unit(numbers.seconds, "{} s", "in seconds"),
    "exponent": _Unit(partial(numbers.fixed, digits=2), "{}", "a power"),
    "rank": _Unit(partial(numbers.fixed, digits=2), "{}", "a rank"),
    "p-value": _Unit(partial(numbers.fixed, digits=4), "{}", "a p-value"),
    "truth": _Unit(lambda value: "yes" if value else "no", "{}", "1 for yes, 0 for no"),
}
"""Figures of other units are scores, or differences of scores."""
COVERS = "other seeds and partitions of these data sets"


def claim_section(
    claims: Sequence[ClaimReadings], metric: Metric
) -> tuple[list[str], list[TextTable]]:
    """Return the claims that are judged, in words, and the table of those that are not.

    Nothing without a paper, or if none of its claims has a verdict.
    """
    with_figures = [claim for claim in claims if claim.judged.shown]
    if not with_figures:
        return [], []
    lines = [assertions.legend(COVERS, each_of(claims[0].judged.conditions))]
    for verdict, entries in by_verdict(with_figures).items():
        if verdict is ClaimVerdict.NOT_JUDGED:
            continue
        signed = f"{appearance(verdict).sign} {verdict.value}".strip()
        for entry in entries:
            quote, figures = in_two_lines(entry, metric)
            lines.append(f"{signed}: {quote} {figures}")
    title = "Claims that are not judged here"
    return lines, [make_table("not-judged", title, unjudged(claims), ("why", "which"))]


def unjudged(claims: Sequence[ClaimReadings]) -> list[dict[str, str]]:
    """Return the reasons why claims are not judged, with their claims, the most frequent first."""
    others = [entry for entry in claims if entry.judged.verdict not in JUDGED]
    ids = grouped((_reason(entry.judged), entry.claim.id) for entry in others)
    return [
        {"why": why, "claims": numbers.count(len(own)), "which": ", ".join(own)}
        for why, own in sorted(ids.items(), key=lambda item: -len(item[1]))
    ]


def _reason(judged: JudgedReading) -> str:
    return f"{judged.verdict.value}: {judged.why}".removesuffix(": ")


def own_contradictions(claims: Sequence[ClaimReadings]) -> list[TextTable]:
    """Return the paper against itself: the claims that its own tables contradict, if any."""
    rows: list[dict[str, Item | str]] = [
        {
            "Id": entry.claim.id,
            "Claim": Item(f"“{entry.claim.text}”", note=entry.claim.where),
            "Stated": entry.claim.stated,
            "Its tables have": entry.claim.own_value,
            "They": entry.claim.own_tables,
        }
        for entry in claims
        if entry.claim.own_tables in ("contradicts", "partly")
    ]
    return [make_table("itself", "The paper against itself", rows, [*rows[0]])] if rows else []


def measured(judged: JudgedReading, metric: Metric) -> str:
    """Return a claim's figures with their intervals."""
    return "; ".join(_titled(judged.shown, metric))


def _titled(figures: Sequence[FigureValue], metric: Metric) -> list[str]:
    return [f"{one.title}: {value_text(one, metric)}" for one in figures]


def value_text(one: FigureValue, metric: Metric) -> str:
    """Return a figure in each setting with its interval; values by data set as their range."""
    if one.metric and one.metric.name != metric.name:
        metric = one.metric
    metric = metric.compared_in(one.scale)
    parts = []
    for setting, point, low, high in one.rows:
        if len(point) > 1:
            ends = [unit_text(one.unit, end, metric) for end in (point.min(), point.max())]
            text, even = " to ".join(dict.fromkeys(ends)), FIGURES[one.call.figure].even
            if even is not None:
                line = _unit(one.unit, metric).template.format(f"{even:g}")
                text = f"{np.count_nonzero(point > even)} of {len(point)} above {line}: {text}"
        else:
            text = with_interval(one.unit, point[0], low[0], high[0], metric)
        where = told_apart(one.conditions, setting, one.settings)
        parts.append(f"{where}: {text}" if where else text)
    return "; ".join(parts)


def with_interval(unit: str, value: float, low: float, high: float, metric: Metric) -> str:
    """Return a figure in its unit with its interval, if it has one."""
    text = unit_text(unit, value, metric)
    if low == high:
        return text
    ends = [unit_text(unit, end, metric, bare=True) for end in (low, high)]
    return f"{text} [{', '.join(ends)}]"


def unit_text(unit: str, value: float, metric: Metric, bare: bool = False) -> str:
    """Return a figure in its unit, or, if ``bare``, without the unit for brackets."""
    if math.isnan(value):
        return numbers.DASH
    if math.isinf(value):
        return "∞" if value > 0 else f"{numbers.MINUS}∞"
    write, template, _ = _unit(unit, metric)
    return write(value) if bare else template.format(write(value))


def _unit(name: str, metric: Metric) -> _Unit:
    if name == "score":
        return _Unit(metric.text, "{}", "a mean of")
    return _UNITS.get(name) or _Unit(metric.difference, "{}", "a difference of")


def counts_text(ledger: Ledger) -> str:
    """Return how many claims have each verdict, in words."""
    counts = ledger.counts()
    return ", ".join(f"{number:,} {verdict.value}" for verdict, number in counts.items() if number)


def by_verdict(entries: Sequence[ClaimReadings]) -> dict[ClaimVerdict, list[ClaimReadings]]:
    """Return claims by verdict, those that are not reproduced first."""
    groups: dict[ClaimVerdict, list[ClaimReadings]] = {
        verdict: [] for verdict in [*JUDGED, *ClaimVerdict]
    }
    for entry in entries:
        groups[entry.judged.verdict].append(entry)
    return {verdict: group for verdict, group in groups.items() if group}


def in_two_lines(entry: ClaimReadings, metric: Metric) -> tuple[str, str]:
    """Return a claim's id and words, and its stated and measured figures with open points."""
    judged, stated = entry.judged, entry.claim.stated
    figures = measured(judged, metric)
    parts = [f"stated {stated}" if stated else "", f"measured {figures}" if figures else ""]
    few = figures and 0 < len(judged.missing) <= 3
    parts += [judged.why, f"without {', '.join(judged.missing)}" if few else ""]
    parts.append(_without_one_run(entry, metric))
    return f"{entry.claim.id}  “{entry.claim.text}”", "; ".join(filter(None, parts))


def _without_one_run(entry: ClaimReadings, metric: Metric) -> str:
    """Return the verdict and the figures that are others without one run, "" where none are."""
    left = entry.without_one_run
    if left is None:
        return ""
    verdict = left.judged.verdict
    before = _titled(entry.judged.shown, metric)
    changed = [text for text in _titled(left.changed, metric) if text not in before]
    is_other = verdict is not entry.judged.verdict
    if not is_other and not changed:
        return ""
    return one_run.of_claim(left, verdict.value if is_other else "", "; ".join(changed))


def claim_lines(entry: ClaimReadings, metric: Metric) -> list[str]:
    """Return everything about a claim in lines of text, its verdicts first."""
    claim = entry.claim
    readings = [
        assertions.Reading(judged, appearance(judged.verdict).sign, measured(judged, metric))
        for judged in (entry.judged, *entry.others)
    ]
    figures = [call.text for call in claim.figures]
    units = [_unit_of_bounds(call, metric) for call in claim.figures if call.name]
    own = f"{claim.own_value} ({claim.own_tables})" if claim.own_value else ""
    lines = list(assertions.claim_in_full(claim, readings, figures, units, own))
    left = _without_one_run(entry, metric)
    return [*lines, left] if left else lines


def _unit_of_bounds(call: FigureCall, metric: Metric) -> str:
    """Return in which unit the bounds of a figure are, in words."""
    of, words = str(option(call, "of") or "score"), _unit(unit(call), metric).words
    if unit(call) not in _UNITS:
        words += f" {'scores' if of == 'score' else of}"
    return f"{call.name} is {words}"


def as_json(entry: ClaimReadings) -> dict[str, object]:
    """Return a claim and its verdicts as JSON values."""
    claim = entry.claim
    same = ("id", "where", "stated", "reproduced_if", "weaker_if", "not_reproduced_if")
    return {
        **{name: getattr(claim, name) for name in same},
        "claim": claim.text,
        "paper_tables": {"value": claim.own_value, "agreement": claim.own_tables},
        **judged_json(entry.judged),
        "without_one_run": _without_one_run_json(entry),
        "readings": [{"reading": other.reading, **judged_json(other)} for other in entry.others],
    }


def _without_one_run_json(entry: ClaimReadings) -> dict[str, object] | None:
    """Return a claim's verdict without one run as JSON values, ``None`` where none changes it."""
    left = entry.without_one_run
    if left is None:
        return None
    return {
        "dataset": left.run.dataset,
        "method": left.run.method,
        **_setting_json(left.judged.conditions, left.setting),
        **dict(zip(RUN, left.run.index, strict=True)),
        "verdict": left.judged.verdict.value,
    }


def judged_json(judged: JudgedReading) -> dict[str, object]:
    """Return a verdict with its figures as JSON values."""
    return {
        "verdict": judged.verdict.value,
        "why": judged.why,
        **_values_json(judged),
        "datasets": list(judged.datasets),
        "missing": list(judged.missing),
        "runs": judged.runs,
        "figures": [
            {
                "name": one.call.name,
                "figure": one.title,
                "unit": one.unit,
                **_setting_json(one.conditions, setting),
                "value": _finite(point),
                "low": _finite(low),
                "high": _finite(high),
            }
            for one in judged.shown
            for setting, point, low, high in one.rows
        ],
        "interval_covers": COVERS,
    }


def _values_json(judged: JudgedReading) -> dict[str, object]:
    """Return the values of each condition at which a claim is judged."""
    values = [list(dict.fromkeys(own)) for own in zip(*judged.settings, strict=True)]
    names = list(judged.conditions)
    return _by_condition(dict(zip(names, values or [[] for _ in names], strict=True)), "s")


def _setting_json(conditions: Conditions, setting: Setting) -> dict[str, object]:
    """Return the value of each condition in a setting."""
    return _by_condition(dict(zip(conditions, setting, strict=True)))


def _by_condition(values: Mapping[str, object], ending: str = "") -> dict[str, object]:
    """Return values by condition, those of the usual ones also by their names with an ending."""
    usual = {f"{name}{ending}": values[name] for name in USUAL if name in values}
    return {"conditions": values, **usual}


def _finite(row: Sequence[float]) -> list[float | None] | float | None:
    """Return the values of a figure as JSON: one, or those of several data sets."""
    values = list(map(numbers.known, row))
    return values if len(values) > 1 else values[0]
