"""The judged claims on the page: by verdict, each with its figure on an axis."""

import re
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from boostbench.methods import method_names
from boostbench.papers.figures import FIGURES
from boostbench.papers.judge import ClaimVerdict
from boostbench.papers.measured import FigureValue
from boostbench.papers.metrics import Metric
from boostbench.papers.readings import ClaimReadings
from boostbench.papers.roles import roles_at
from boostbench.report.appearance import appearance
from boostbench.report.document import answer
from boostbench.report.document.claim_tables import by_verdict, claim_lines, value_text
from boostbench.report.frames.results import ReportData
from boostbench.report.page.views import (
    Bar,
    ClaimGroup,
    ClaimsView,
    ClaimView,
)
from boostbench.report.sentences import assertions
from boostbench.report.verdicts.ledger import JUDGED
from boostbench.report.words import title_of


def claims_view(results: ReportData, claims: Sequence[ClaimReadings]) -> ClaimsView | None:
    """Return the judged claims by verdict, not reproduced first; None if there are none."""
    counts = answer.judged_claims(claims)
    if not counts or results.paper is None:
        return None
    total, (first, number) = sum(counts.values()), next(iter(counts.items()))
    words = {name: title_of(name) for name in method_names()}
    names, roles = results.names, roles_at(results.paper, results.methods)
    words |= {role: names[method.label] for role, method in roles.items()}
    return ClaimsView(
        key="claims",
        title=assertions.claims_with_verdict(number, total, first),
        whole=len(claims),
        total=total,
        groups=[
            _group(verdict, own, results.metric, words)
            for verdict, own in by_verdict(claims).items()
            if verdict in JUDGED
        ],
        lacking=answer.lacking_settings(claims),
    )


def _group(
    verdict: ClaimVerdict,
    entries: Sequence[ClaimReadings],
    metric: Metric,
    words: Mapping[str, str],
) -> ClaimGroup:
    return ClaimGroup(
        key=f"claims-{verdict.value.replace(' ', '-')}",
        title=verdict.value.capitalize(),
        colour=appearance(verdict).colour,
        claims=[_view(entry, metric, words) for entry in entries],
    )


def _view(entry: ClaimReadings, metric: Metric, words: Mapping[str, str]) -> ClaimView:
    """Return a claim in two lines, the ``bar`` beside them, and its details."""
    claim, first = entry.claim, entry.judged.shown[0]
    return ClaimView(
        id=claim.id,
        quote=claim.text,
        meta=f"{_named(first.title, words)} · {claim.where}",
        stated=claim.stated,
        measured=value_text(first, metric),
        bar=_bar(first, claim.stated),
        lines=[_named(line, words) for line in claim_lines(entry, metric)[2:]],
    )


def _named(text: str, words: Mapping[str, str]) -> str:
    """Return ``text`` with roles replaced by the names of their methods."""
    return re.sub(r"\b\w+\b", lambda found: words.get(found[0], found[0]), text)


def _bar(one: FigureValue, stated: str) -> Bar | None:
    """Return the first figure on an axis from the least to the largest of its known values."""
    if len(one.settings) > 1 or one.unit == "truth":
        return None
    point, low, high = _ends(one)
    even = FIGURES[one.call.figure].even
    is_numeric = one.unit in ("percent", "count", "datasets", "ratio", "seconds")
    quoted = re.findall(r"(?<![\w.])\d+(?:\.\d+)?", stated)[:3] if is_numeric else []
    others = [*map(float, quoted), *([] if even is None else [even])]
    places = _places(np.array([point, low, high, *others]), is_ratio=one.unit == "ratio")
    if places is None:
        return None
    at, *ends = places
    return Bar(
        at=at,
        interval=ends[:2] if low != high else None,
        stated=ends[2 : 2 + len(quoted)],
        even=None if even is None else ends[-1],
        label="" if even is None else f"{'×' if one.unit == 'ratio' else ''}{even:g}",
    )


def _ends(one: FigureValue) -> tuple[float, float, float]:
    """Return a figure with the ends of its interval; of values by data set median and range."""
    _, point, low, high = one.rows[0]
    if len(point) > 1:
        return float(np.median(point)), float(np.min(point)), float(np.max(point))
    return float(point[0]), float(low[0]), float(high[0])


def _places(values: NDArray[np.float64], *, is_ratio: bool) -> NDArray[np.float64] | None:
    """Return values as parts of their axis, ``None`` where the first is unknown or all are equal.

    Positive ratios have a logarithmic axis.
    """
    if is_ratio and values[np.isfinite(values)].min() > 0:
        with np.errstate(divide="ignore"):
            values = np.log(np.maximum(values, 0.0))
    finite = values[np.isfinite(values)]
    if not np.isfinite(values[0]) or np.ptp(finite) < 1e-12:
        return None
    places = (values - finite.min()) / np.ptp(finite)
    return np.nan_to_num(places).clip(0, 1)
