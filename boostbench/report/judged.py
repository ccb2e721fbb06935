"""Claims as the page shows them: stated against measured, on a small axis, the rest to open."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import SimpleNamespace as Block
from typing import Any

import numpy as np

from boostbench.methods import method_names
from boostbench.papers.figures import FIGURES
from boostbench.papers.judge import Entry, Judged, Ruling, Shown
from boostbench.papers.metrics import Metric
from boostbench.report.claims import JUDGED, roles_at
from boostbench.report.claimtable import (
    by_verdict,
    own_text,
    plan_text,
    value_text,
)
from boostbench.report.words import series, title_of

TONES = {
    Ruling.NOT_REPRODUCED: "no", Ruling.WEAKER: "weak", Ruling.UNDECIDED: "open",
    Ruling.REPRODUCED: "yes", Ruling.NOT_JUDGED: "none", Ruling.NOT_COMPARABLE: "none",
}  # fmt: skip
_LONG = 130


def claim_groups(ledger: Any, results: Any, names: Mapping[str, str]) -> list[Block]:
    """Return the judged claims by verdict, not reproduced first."""
    words = _role_names(ledger, results, names)
    return [
        Block(
            key=f"claims-{ruling.value.replace(' ', '-')}",
            title=ruling.value.capitalize(),
            tone=TONES[ruling],
            claims=[_view(entry, results.metric, words) for entry in own],
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


def _view(entry: Entry, metric: Metric, words: Mapping[str, str]) -> Block:
    """Return a claim in two lines, the ``bar`` beside them, and what it opens to."""
    claim, judged = entry.claim, entry.judged
    first = judged.shown[0] if judged.shown else None
    quote = claim.text if len(claim.text) <= _LONG else _cut(claim.text)
    depths = f"depth {series(map(str, judged.depths))}" if any(judged.depths) else ""
    meta = [_named(first.title, words) if first else "", depths, claim.where]
    facts = [
        *((_named(one.title, words), value_text(one, metric)) for one in judged.shown),
        ("In the paper’s own tables", own_text(claim)),
        ("Reproduced if", _named(claim.reproduced_if, words)),
        ("Weaker if", _named(claim.weaker_if, words)),
        ("Not reproduced if", _named(claim.not_reproduced_if, words)),
        ("What it leaves open", "; ".join(filter(None, (_why(judged), plan_text(judged))))),
        ("Note", claim.note),
    ]
    return Block(
        id=claim.id,
        quote=quote,
        whole=claim.text if quote != claim.text else "",
        meta=" · ".join(filter(None, meta)),
        stated=claim.stated,
        measured=value_text(first, metric) if first else "",
        bar=_bar(first, claim.stated) if first else None,
        facts=[(label, text) for label, text in facts if text],
        others=[
            (TONES[one.ruling], f"{one.reading}: {one.ruling.value}", "; ".join(
                f"{_named(shown.title, words)} {value_text(shown, metric)}"
                for shown in one.shown[:1]))
            for one in entry.others if one.ruling is not Ruling.NOT_JUDGED
        ],
        sets=len(judged.datasets),
        runs=judged.runs,
        missing=judged.missing,
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


def _bar(one: Shown, stated: str) -> Block | None:
    """Return the first figure on an axis from the least to the largest that is known of it."""
    if len(one.depths) > 1 or one.unit == "truth":
        return None
    _, point, low, high = one.rows[0]
    even = FIGURES[one.call.figure].even
    if len(point) > 1 and even is not None:
        share = np.count_nonzero(point > even) / len(point)
        return Block(stated=(), even=0, label="0", interval=None, at=share,
                     end=f"{len(point)} sets")  # fmt: skip
    if len(point) > 1:
        low, point, high = ([found(point)] for found in (np.min, np.median, np.max))
    told = _numbers(stated) if one.unit in ("percent", "count", "ratio", "seconds") else []
    known = np.array([point[0], low[0], high[0], *told, *([] if even is None else [even])])
    if one.unit == "ratio" and known[np.isfinite(known)].min() > 0:
        with np.errstate(divide="ignore"):
            known = np.log(np.maximum(known, 0.0))
    finite = known[np.isfinite(known)]
    if not np.isfinite(known[0]) or np.ptp(finite) < 1e-12:
        return None
    at, *ends = np.nan_to_num((known - finite.min()) / np.ptp(finite)).clip(0, 1)
    return Block(
        stated=ends[2 : 2 + len(told)],
        even=None if even is None else ends[-1],
        label="" if even is None else f"{'×' if one.unit == 'ratio' else ''}{even:g}",
        interval=ends[:2] if low[0] != high[0] else None,
        at=at,
        end="",
    )


def _numbers(stated: str) -> list[float]:
    """Return the numbers that a sentence states, none where these are many."""
    found = [float(n) for n in re.findall(r"(?<![\w.])[−-]?\d*\.?\d+(?![\w.]*\d)", stated)]
    return found if len(found) <= 3 else []
