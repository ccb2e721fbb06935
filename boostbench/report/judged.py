"""Claims as the page shows them: stated against measured, on a small axis, the rest to open."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from boostbench import numbers
from boostbench.methods import method_names
from boostbench.papers.figures import FIGURES
from boostbench.papers.judge import Entry, Judged, Ruling, Shown
from boostbench.papers.metrics import Metric
from boostbench.report.claims import JUDGED, roles_at
from boostbench.report.claimtable import (
    by_verdict,
    own_text,
    plan_text,
    reasons,
    unit_text,
    with_interval,
)
from boostbench.report.words import series, title_of
from boostbench.suggest import counted

TONES = {
    Ruling.NOT_REPRODUCED: "no", Ruling.WEAKER: "weak", Ruling.UNDECIDED: "open",
    Ruling.REPRODUCED: "yes", Ruling.NOT_JUDGED: "none", Ruling.NOT_COMPARABLE: "none",
}  # fmt: skip
_HINTS = {Ruling.WEAKER: "as claimed, but not by as much"}
_LONG = 130
_LEFT, _RIGHT = 8.0, 156.0


@dataclass(frozen=True)
class Bar:
    """Stated against measured as coordinates of an SVG 164 wide: ticks, interval and point."""

    stated: Sequence[float]
    even: tuple[float, str] | None
    interval: tuple[float, float] | None
    point: float
    end: str = ""


@dataclass(frozen=True)
class ClaimView:
    """A claim in two lines, ``bar`` beside them, and what it opens to."""

    id: str
    quote: str
    meta: str
    stated: str
    measured: str
    bar: Bar | None
    whole: str
    facts: Sequence[tuple[str, str]]
    others: Sequence[tuple[str, str, str]]
    basis: str


@dataclass(frozen=True)
class ClaimGroup:
    """The claims with one verdict."""

    key: str
    title: str
    tone: str
    hint: str
    claims: Sequence[ClaimView]


def claim_groups(ledger: Any, results: Any, names: Mapping[str, str]) -> list[ClaimGroup]:
    """Return the judged claims by verdict, not reproduced first."""
    words = _role_names(ledger, results, names)
    return [
        ClaimGroup(
            f"claims-{ruling.value.replace(' ', '-')}",
            ruling.value.capitalize(),
            TONES[ruling],
            _HINTS.get(ruling, ""),
            [_view(entry, results.metric, words) for entry in own],
        )
        for ruling, own in by_verdict(ledger.entries).items()
        if ruling in JUDGED
    ]


def _role_names(ledger: Any, results: Any, names: Mapping[str, str]) -> dict[str, str]:
    """Return the names of the methods that play a role; the registry's of all others."""
    registered = method_names()
    found = {name: title_of(name) for name in registered}
    for role, method in roles_at(ledger.paper, results.methods, None).items():
        if role not in registered:
            found[role] = names[method.label]
    return found


def _view(entry: Entry, metric: Metric, words: Mapping[str, str]) -> ClaimView:
    claim, judged = entry.claim, entry.judged
    first = judged.shown[0] if judged.shown else None
    quote = claim.text if len(claim.text) <= _LONG else _cut(claim.text)
    depths = f"depth {series(map(str, judged.depths))}" if any(judged.depths) else ""
    meta = [_named(first.title, words) if first else "", depths, claim.where]
    facts = [(_named(one.title, words), value_text(one, metric)) for one in judged.shown]
    facts += [
        ("In the paper’s own tables", own_text(claim)),
        ("Reproduced if", _named(claim.reproduced_if, words)),
        ("Weaker if", _named(claim.weaker_if, words)),
        ("Not reproduced if", _named(claim.not_reproduced_if, words)),
        ("What it leaves open", "; ".join(filter(None, (_why(judged), plan_text(judged))))),
        ("Note", claim.note),
    ]
    return ClaimView(
        claim.id, quote, " · ".join(filter(None, meta)), claim.stated,
        value_text(first, metric) if first else "",
        _bar(first, claim.stated) if first else None,
        claim.text if quote != claim.text else "",
        [(label, text) for label, text in facts if text],
        [
            (TONES[other.ruling], f"{other.reading}: {other.ruling.value}",
             "; ".join(f"{_named(one.title, words)} {value_text(one, metric)}"
                       for one in other.shown[:1]))
            for other in entry.others if other.ruling is not Ruling.NOT_JUDGED
        ],
        f"On {counted(len(judged.datasets), 'data set')}, {counted(judged.runs, 'run')} a method"
        + (f", without {series(judged.missing)}" if judged.missing else "") + ".",
    )  # fmt: skip


def _cut(text: str) -> str:
    return text[:_LONG].rsplit(" ", 1)[0].rstrip(" ,;") + " …"


def _named(text: str, words: Mapping[str, str]) -> str:
    """Return ``text`` with roles as the names of their methods."""
    return re.sub(r"\b\w+\b", lambda found: words.get(found[0], found[0]), text)


def _why(judged: Judged) -> str:
    found = re.fullmatch(r"([a-z ]+) at depth (\d+) only", judged.why)
    if found:
        return f"it is also about other depths than {found[2]}; at depth {found[2]} {found[1]}"
    return judged.why


def value_text(one: Shown, metric: Metric) -> str:
    """Return a figure's value with its interval, of several data sets their range."""
    parts = []
    for depth, point, low, high in one.rows:
        if len(point) > 1:
            ends = [unit_text(one.unit, end, metric) for end in (point.min(), point.max())]
            text = " to ".join(dict.fromkeys(ends))
            even = FIGURES[one.call.figure].even
            if even is not None:
                text = f"{np.count_nonzero(point > even)} of {len(point)} above {even:g}: {text}"
        else:
            text = with_interval(one.unit, point[0], low[0], high[0], metric)
        parts.append(f"depth {depth}: {text}" if len(one.depths) > 1 else text)
    return "; ".join(parts).replace("× ", "×")


def _bar(one: Shown, stated: str) -> Bar | None:
    """Return the first figure on an axis from the least to the largest that is known of it."""
    if len(one.depths) > 1 or one.unit == "truth":
        return None
    _, point, low, high = one.rows[0]
    even = FIGURES[one.call.figure].even
    if len(point) > 1:
        if even is None:
            low, high, middle = point.min(), point.max(), float(np.median(point))
        else:
            count = int(np.count_nonzero(point > even))
            share = _LEFT + (_RIGHT - _LEFT) * count / len(point)
            return Bar((), (_LEFT, "0"), None, round(share, 1), f"{len(point)} sets")
    else:
        middle, low, high = float(point[0]), float(low[0]), float(high[0])
    told = _numbers(stated) if one.unit in ("percent", "count", "ratio", "seconds") else []
    known = [middle, low, high, *told, *([even] if even is not None else [])]
    log = one.unit == "ratio" and min(x for x in known if math.isfinite(x)) > 0
    finite = [math.log(x) if log else x for x in known if math.isfinite(x)]
    if not math.isfinite(middle) or max(finite) - min(finite) < 1e-12:
        return None

    def place(value: float) -> float:
        value = math.log(value) if log and math.isfinite(value) else value
        share = (value - min(finite)) / (max(finite) - min(finite))
        return round(_LEFT + (_RIGHT - _LEFT) * min(1.0, max(0.0, share)), 1)

    unit = "×" if one.unit == "ratio" else ""
    return Bar(
        [place(x) for x in told],
        None if even is None else (place(even), f"{unit}{even:g}"),
        (place(low), place(high)) if low != high else None,
        place(middle),
    )


def _numbers(stated: str) -> list[float]:
    """Return the numbers that a sentence states, none where these are many."""
    found = [float(n) for n in re.findall(r"(?<![\w.])[−-]?\d*\.?\d+(?![\w.]*\d)", stated)]
    return found if len(found) <= 3 else []


def unjudged(ledger: Any) -> list[dict[str, str]]:
    """Return why claims are not judged, how many, and which: the most frequent reason first."""
    found = reasons(e for e in (ledger.entries if ledger else ()) if e.judged.ruling not in JUDGED)
    return [
        {
            "why": f"{ruling.value}: {why}".removesuffix(": "),
            "claims": numbers.count(len(ids)),
            "which": ", ".join(ids),
        }
        for (ruling, why), ids in sorted(found.items(), key=lambda item: -len(item[1]))
    ]
