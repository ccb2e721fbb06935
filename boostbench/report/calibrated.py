"""The expected number of wrong verdicts in a report, by their rates on simulated runs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from boostbench.papers.reading import columns_of, lines, read_rows, typed
from boostbench.report.answer import counted_cells, judged_claims
from boostbench.report.claims import Ledger
from boostbench.report.sentences import findings

FILE = "calibration.csv"
"""A file in a paper's folder: the shares of verdicts that were too favourable and too strict."""
DESIGNS = {"one partition": (1, 20), "five partitions": (5, 4)}
"""The partitions and seeds of runs for which a calibration holds."""


@dataclass(frozen=True)
class Rate:
    """How often a verdict was wrong, and the number of cells or claims (``what``) of a table."""

    table: str
    design: str
    what: str
    said: str
    number: int
    too_favourable: float
    too_strict: float


def calibrated(results: Any, ledger: Ledger | None) -> list[str]:
    """Return a sentence if the paper's folder has a calibration for such runs.

    Raises ConfigError for wrong columns or values.
    """
    path = results.paper.file(FILE) if results.paper else None
    if path is None or results.metric.name != results.paper.metric:
        return []
    runs, table = results.runs[results.runs.status == "ok"], results.experiment.get("table")
    shape = runs.split_seed.nunique(), runs.seed.nunique()
    rows = lines(path, columns_of(Rate))
    rates = read_rows(rows, ["table", "design", "what", "said"], lambda _, row: typed(row, Rate))
    counts: dict[str, Mapping[str, int]] = {
        "cells": counted_cells(results),
        "claims": {str(ruling): number for ruling, number in judged_claims(ledger).items()},
    }
    own = [r for r in rates if r.table == table and DESIGNS.get(r.design) == shape]
    known = [(r, number) for r in own if (number := counts.get(r.what, {}).get(r.said, 0))]
    total = sum(number for _, number in known)
    too_favourable = sum(number * rate.too_favourable for rate, number in known)
    too_strict = sum(number * rate.too_strict for rate, number in known)
    return [findings.probably_wrong(total, too_favourable, too_strict)] if total else []
