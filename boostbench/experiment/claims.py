"""The claims of a paper judged on results folders: the ledger that ``verify`` shows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boostbench.errors import ConfigError
from boostbench.suggest import did_you_mean

if TYPE_CHECKING:
    from boostbench.report.ledger import Entry, Judged, Ledger
    from boostbench.report.summary import Summary


@dataclass(frozen=True)
class Claims:
    """The ledger of the results in ``folders``, and the summaries that it was made from."""

    folders: Sequence[Path]
    summaries: Sequence[Summary]
    ledger: Ledger

    def entries(self, ids: Sequence[str] = ()) -> list[Entry]:
        """Return the claims of these ids, or all; ConfigError for an id that there is not."""
        known = {entry.claim.id: entry for entry in self.ledger.entries}
        for name in ids:
            if name not in known:
                raise ConfigError(
                    f"the paper {self.ledger.paper.key} has no claim '{name}'"
                    f"{did_you_mean(name, known)}; `boostbench verify --all` lists them"
                )
        return [known[name] for name in ids] if ids else list(self.ledger.entries)


def judge_claims(folders: Sequence[Path]) -> Claims:
    """Return the claims of the paper that the results in ``folders`` are measured against.

    Several folders are taken together, since some claims are on trees of two depths. Raises
    ConfigError where an experiment names no paper, or another one than the first.
    """
    from boostbench.report.collect import collect
    from boostbench.report.ledger import make_ledger
    from boostbench.report.summary import summarise
    from boostbench.store.store import Store

    summaries: list[Summary] = []
    for folder in folders:
        with Store.open(folder, create=False, read_only=True) as store:
            summary = summarise(collect(store))
        paper = summary.paper
        if paper is None:
            named = summary.experiment.get("paper")
            why = f"measures another metric than {named}" if named else "names no `paper`"
            raise ConfigError(f"the experiment in {folder} {why}, so there are no claims to judge")
        if summaries and paper is not summaries[0].paper:
            raise ConfigError(
                f"{folder} is measured against the paper {paper.key}, {folders[0]} against another "
                "one: judge them one by one"
            )
        summaries.append(summary)
    ledger = make_ledger(summaries)
    assert ledger is not None
    return Claims(list(folders), summaries, ledger)


def as_json(entry: Entry) -> dict[str, Any]:
    """Return a claim and its verdicts as JSON values."""
    claim = entry.claim
    return {
        "id": claim.id,
        "claim": claim.text,
        "where": claim.where,
        "stated": claim.stated,
        "statistic": claim.statistic,
        "paper_tables": {"value": claim.own, "agreement": claim.agreement},
        **_judged(entry.judged),
        "readings": [{"reading": other.reading.title, **_judged(other)} for other in entry.others],
    }


def as_rows(claims: Claims) -> list[dict[str, Any]]:
    """Return one row per claim and reading that it was judged by, as Python values."""
    from boostbench.report.claimtable import measured

    metric = claims.summaries[0].metric
    return [
        {
            "id": entry.claim.id,
            "reading": judged.reading.title,
            "claim": entry.claim.text,
            "where": entry.claim.where,
            "stated": entry.claim.stated,
            "paper_tables": entry.claim.own,
            "agreement": entry.claim.agreement,
            "measured": measured(judged, metric),
            **_judged(judged),
        }
        for entry in claims.ledger.entries
        for judged in (entry.judged, *entry.others)
    ]


def _judged(judged: Judged) -> dict[str, Any]:
    return {
        "verdict": judged.ruling.value,
        "why": judged.why,
        "depths": list(judged.depths),
        "datasets": list(judged.datasets),
        "missing": list(judged.missing),
        "runs": judged.runs,
        "figures": [
            {
                "figure": shown.figure.title,
                "unit": shown.figure.unit,
                "depth": depth,
                **{
                    name: _finite(number)
                    for name, number in zip(("value", "low", "high"), values, strict=True)
                },
            }
            for shown in judged.shown
            for depth, values in zip(shown.depths, shown.values, strict=True)
        ],
        "seeds_to_decide": judged.plan.seeds if judged.plan else None,
        "partitions_to_decide": judged.plan.partitions if judged.plan else None,
    }


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None
