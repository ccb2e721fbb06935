"""How many of a report's verdicts are wrong, by how often such verdicts were on made-up runs."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from boostbench.report.answer import counted_cells, judged_claims
from boostbench.report.claims import Ledger
from boostbench.report.evidence import LEAST_PARTITIONS
from boostbench.report.runs import records
from boostbench.report.words import say

FILE = "calibration.csv"
"""In a paper's folder: of verdicts of a kind, the shares that were too favourable, too strict."""


def calibrated(results: Any, ledger: Ledger | None) -> list[str]:
    """Return a sentence, where the paper's folder has a calibration of such runs."""
    path = results.paper.file(FILE) if results.paper else None
    if path is None or results.metric.name != results.paper.metric:
        return []
    several = results.runs.split_seed.nunique() >= LEAST_PARTITIONS
    rates = pd.read_csv(path)
    rates = rates[rates.design == ("five partitions" if several else "one partition")]
    counts: dict[str, Mapping[str, int]] = {
        "cells": counted_cells(results),
        "claims": {str(ruling): number for ruling, number in judged_claims(ledger).items()},
    }
    number = [counts[row.what].get(row.said, 0) for row in records(rates)]
    total, wrong = sum(number), rates[["too_favourable", "too_strict"]].mul(number, axis=0).sum()
    return say("calibrated", total=total, wrong=[f"{each:.0f}" for each in wrong]) if total else []
