"""The claims of a paper judged on results folders: the ledger that ``verify`` shows."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from boostbench.errors import ConfigError
from boostbench.experiment.folders import complete_archive
from boostbench.experiment.freshness import changed_paper
from boostbench.papers.metrics import Metric
from boostbench.papers.readings import ClaimReadings
from boostbench.report.document.claim_tables import as_json, judged_json, measured
from boostbench.report.for_python import means, records
from boostbench.report.frames.cell import CellVerdict
from boostbench.report.frames.results import ReportData, collect
from boostbench.report.verdicts.ledger import Ledger, make_ledger
from boostbench.report.verdicts.margins import by_margin
from boostbench.store.store import Store
from boostbench.suggest import counted, did_you_mean
from boostbench.user_code import shown_path


@dataclass(frozen=True)
class Claims:
    """The ledger of the results in ``folders``."""

    folders: Sequence[Path]
    results: Sequence[ReportData]
    ledger: Ledger

    @property
    def metric(self) -> Metric:
        """The metric of the claims."""
        return self.results[0].metric

    @property
    def changed(self) -> list[str]:
        """What has changed of the paper since the runs began, in words."""
        return [text for results in self.results for text in results.changed]

    def entries(self, ids: Sequence[str] = ()) -> list[ClaimReadings]:
        """Return the claims of these ids, or all; ConfigError for an unknown id."""
        known = {entry.claim.id: entry for entry in self.ledger.entries}
        folders = shlex.join(map(str, self.folders))
        for name in ids:
            if name not in known:
                raise ConfigError(
                    f"the paper {self.ledger.paper.key} has no claim '{name}'"
                    f"{did_you_mean(name, known)}; `boostbench verify {folders} --all` lists them"
                )
        return [known[name] for name in ids] if ids else list(self.ledger.entries)

    def provisional(self) -> list[str]:
        """Return sentences on missing runs, and on archives that have all of them."""
        missing = [one.all_planned - len(one.done) for one in self.results]
        if not any(missing):
            return []
        text = f"{counted(sum(missing), 'run')} not finished: the verdicts are provisional"
        kept = [complete_archive(f) for f, n in zip(self.folders, missing, strict=True) if n]
        return [text, *(f"{name} is complete: boostbench verify {name}" for name in kept if name)]

    def annotations(self, entries: Sequence[ClaimReadings]) -> list[str]:
        """Return a line for GitHub's actions at the row of each claim, which is not reproduced."""
        places = {row["id"]: place for place, row in self.ledger.paper.rows("claims.csv")}
        lines = []
        for claim in (entry.claim for entry in entries):
            file, _, number = places[claim.id].rpartition(":")
            text = f"{claim.id} is not reproduced: {claim.text}".replace("%", "%25")
            lines.append(f"::error file={shown_path(file)},line={number}::{text}")
        return lines

    def as_json(self, entries: Sequence[ClaimReadings]) -> dict[str, object]:
        """Return the verdicts as values of JSON's types, of some claims in full."""
        [first, *_] = self.results
        cells = {"measured_elsewhere": first.elsewhere, "cells": records(means(first))}
        return {
            "results": [str(folder) for folder in self.folders],
            "paper": self.ledger.paper.key,
            **(cells if first.elsewhere else {}),
            "changed": self.changed,
            "counts": {verdict.value: n for verdict, n in self.ledger.counts().items()},
            "claims": [as_json(entry) for entry in entries],
        }

    def rows(self) -> list[dict[str, object]]:
        """Return one row per claim and reading that it was judged by, as Python values."""
        return [
            {
                "id": entry.claim.id,
                "reading": judged.reading,
                "claim": entry.claim.text,
                "where": entry.claim.where,
                "stated": entry.claim.stated,
                "paper_tables": entry.claim.own_value,
                "agreement": entry.claim.own_tables,
                "measured": measured(judged, self.metric),
                **judged_json(judged),
            }
            for entry in self.ledger.entries
            for judged in (entry.judged, *entry.others)
        ]


def judge_claims(folders: Sequence[Path]) -> Claims:
    """Return the claims of the paper that the results in ``folders`` are measured against.

    Several folders are taken together, since some claims are on trees of two depths. Raises
    ConfigError where an experiment names no paper, or another one than the first.
    """
    every: list[ReportData] = []
    for folder in folders:
        with Store.read(folder) as store:
            results = _on_a_paper(store)
        if every and results.paper != every[0].paper:
            assert results.paper is not None
            raise ConfigError(
                f"{folder} is measured against the paper {results.paper.key}, {folders[0]} against "
                "another one: judge them one by one"
            )
        every.append(results)
    return _judged(folders, every)


def judge_store(store: Store, *, needs_claims: bool = True) -> Claims:
    """Return the claims judged on results that have been read; see :func:`judge_claims`."""
    return _judged([store.folder], [_on_a_paper(store)], needs_claims=needs_claims)


def _on_a_paper(store: Store) -> ReportData:
    """Return the results of a store; ConfigError where they are not measured against a paper."""
    results = collect(store)
    if results.paper is None:
        named = results.experiment.get("paper")
        why = f"measures another metric than {named}" if named else "names no `paper`"
        raise ConfigError(
            f"the experiment in {store.folder} {why}, so there are no claims to judge"
        )
    return replace(results, changed=changed_paper(store))


def _judged(
    folders: Sequence[Path], every: Sequence[ReportData], *, needs_claims: bool = True
) -> Claims:
    ledger = make_ledger(every)
    assert ledger is not None
    if needs_claims and not ledger.entries:
        key = ledger.paper.key
        raise ConfigError(f"the paper {key} has no claims to judge: write claims.csv")
    return Claims(folders, every, ledger)


def cells_by_margin(folder: Path) -> Mapping[float, Mapping[CellVerdict, int]]:
    """Return how many cells agree with print, differ, and are undecided, by factor of the margin.

    Raises ConfigError where no cell stands beside a printed one.
    """
    with Store.read(folder) as store:
        counts = by_margin(collect(store).counted_cells)
    if not counts:
        raise ConfigError(f"the results in {folder} have no cell beside a printed one")
    return counts
