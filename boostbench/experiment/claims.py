"""The claims of a paper judged on results folders: the ledger that ``verify`` shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boostbench.errors import ConfigError
from boostbench.papers.judge import Entry
from boostbench.report.claims import Ledger, make_ledger
from boostbench.report.claimtable import judged_json, measured
from boostbench.report.results import Results, collect
from boostbench.store.store import Store
from boostbench.suggest import did_you_mean


@dataclass(frozen=True)
class Claims:
    """The ledger of the results in ``folders``."""

    folders: Sequence[Path]
    results: Sequence[Results]
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
    found: list[Results] = []
    for folder in folders:
        with Store.open(folder, create=False, read_only=True) as store:
            results = collect(store)
        paper = results.paper
        if paper is None:
            named = results.experiment.get("paper")
            why = f"measures another metric than {named}" if named else "names no `paper`"
            raise ConfigError(f"the experiment in {folder} {why}, so there are no claims to judge")
        if found and paper is not found[0].paper:
            raise ConfigError(
                f"{folder} is measured against the paper {paper.key}, {folders[0]} against another "
                "one: judge them one by one"
            )
        found.append(results)
    ledger = make_ledger(found)
    assert ledger is not None
    return Claims(list(folders), found, ledger)


def as_rows(claims: Claims) -> list[dict[str, Any]]:
    """Return one row per claim and reading that it was judged by, as Python values."""
    metric = claims.results[0].metric
    return [
        {
            "id": entry.claim.id,
            "reading": judged.reading,
            "claim": entry.claim.text,
            "where": entry.claim.where,
            "stated": entry.claim.stated,
            "paper_tables": entry.claim.own_value,
            "agreement": entry.claim.own_tables,
            "measured": measured(judged, metric),
            **judged_json(judged),
        }
        for entry in claims.ledger.entries
        for judged in (entry.judged, *entry.others)
    ]
