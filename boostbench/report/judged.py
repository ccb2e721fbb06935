"""Claims as the page shows them: stated against measured, on a small axis, the rest to open."""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from boostbench.methods import method_names
from boostbench.papers.figures import FIGURES
from boostbench.papers.judge import Entry, Shown
from boostbench.papers.metrics import Metric
from boostbench.report.answer import does, judged_claims
from boostbench.report.cards import TONES
from boostbench.report.claims import JUDGED, Ledger, roles_at
from boostbench.report.claimtable import by_verdict, claim_lines, value_text
from boostbench.report.table import Block, block
from boostbench.report.words import names_of, title_of
from boostbench.suggest import counted


def claims_block(results: Any, ledger: Ledger | None) -> Block | None:
    """Return the judged claims by verdict, not reproduced first; nothing where there are none."""
    counts = judged_claims(ledger)
    if ledger is None or not counts:
        return None
    total, (first, number) = sum(counts.values()), next(iter(counts.items()))
    title = f"{number:,} of {counted(total, 'claim')} {does(first, number)}"
    words = {name: title_of(name) for name in method_names()}
    names, roles = names_of(results.methods), roles_at(ledger.paper, results.methods, None)
    words |= {role: names[method.label] for role, method in roles.items()}
    groups = [
        Block(
            key=f"claims-{ruling.value.replace(' ', '-')}",
            title=ruling.value.capitalize(),
            tone=TONES[ruling],
            claims=[_view(entry, results.metric, words) for entry in own],
        )
        for ruling, own in by_verdict(ledger.entries).items()
        if ruling in JUDGED
    ]
    return block("claims", "claims", title, whole=len(ledger.entries), total=total, groups=groups)


def _view(entry: Entry, metric: Metric, words: Mapping[str, str]) -> Block:
    """Return a claim in two lines, the ``bar`` beside them, and what it opens to."""
    claim, first = entry.claim, entry.judged.shown[0]
    return Block(
        id=claim.id,
        quote=claim.text,
        meta=f"{_named(first.title, words)} · {claim.where}",
        stated=claim.stated,
        measured=value_text(first, metric).replace("× ", "×"),
        bar=_bar(first, claim.stated),
        lines=[_named(line, words) for line in claim_lines(entry, metric)[2:]],
    )


def _named(text: str, words: Mapping[str, str]) -> str:
    """Return ``text`` with roles as the names of their methods."""
    return re.sub(r"\b\w+\b", lambda found: words.get(found[0], found[0]), text)


def _bar(one: Shown, stated: str) -> Block | None:
    """Return the first figure on an axis from the least to the largest that is known of it."""
    _, point, low, high = one.rows[0]
    if len(one.depths) > 1 or one.unit == "truth":
        return None
    if len(point) > 1:
        low, point, high = ([found(point)] for found in (np.min, np.median, np.max))
    even = [] if FIGURES[one.call.figure].even is None else [FIGURES[one.call.figure].even]
    numeric = one.unit in ("percent", "count", "ratio", "seconds")
    told = re.findall(r"(?<![\w.])\d+(?:\.\d+)?", stated)[: 3 * numeric]
    known = np.array([point[0], low[0], high[0], *map(float, told), *even])
    if one.unit == "ratio" and known[np.isfinite(known)].min() > 0:
        with np.errstate(divide="ignore"):
            known = np.log(np.maximum(known, 0.0))
    finite = known[np.isfinite(known)]
    if not np.isfinite(known[0]) or np.ptp(finite) < 1e-12:
        return None
    at, *ends = np.nan_to_num((known - finite.min()) / np.ptp(finite)).clip(0, 1)
    return Block(
        stated=ends[2 : 2 + len(told)],
        even=ends[-1] if even else None,
        label=f"{'×' if one.unit == 'ratio' else ''}{even[0]:g}" if even else "",
        interval=ends[:2] if low[0] != high[0] else None,
        at=at,
    )
