"""The expected number of wrong verdicts in a report, by their rates on simulated runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from boostbench.papers.reading import columns_of, lines, read_rows, typed
from boostbench.papers.readings import ClaimReadings
from boostbench.report.document.answer import cells_by_verdict, judged_claims
from boostbench.report.frames.results import ReportData
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


def calibrated(results: ReportData, claims: Sequence[ClaimReadings]) -> list[str]:
    """Return a sentence if the paper's folder has a calibration for such runs.

    Raises ConfigError for wrong columns or values.
    """
    counts = _verdicts(results, claims)
    known = [(rate, counts.get((rate.what, rate.said), 0)) for rate in _rates_of(results)]
    total = sum(number for _, number in known)
    too_favourable = sum(number * rate.too_favourable for rate, number in known)
    too_strict = sum(number * rate.too_strict for rate, number in known)
    return [findings.probably_wrong(total, too_favourable, too_strict)] if total else []


def _rates_of(results: ReportData) -> list[Rate]:
    """Return the rates of the paper's calibration, if any, for such runs of its table."""
    paper = results.paper
    path = paper.file(FILE) if paper else None
    if paper is None or path is None or results.metric.name != paper.metric:
        return []
    runs, table = results.done, results.experiment.get("table")
    shape = runs.split_seed.nunique(), runs.seed.nunique()
    return [r for r in _rates(path) if r.table == table and DESIGNS.get(r.design) == shape]


def _rates(path: Path) -> list[Rate]:
    rows = lines(path, columns_of(Rate))
    return read_rows(rows, ["table", "design", "what", "said"], lambda _, row: typed(row, Rate))


def _verdicts(results: ReportData, claims: Sequence[ClaimReadings]) -> dict[tuple[str, str], int]:
    """Return the numbers of verdicts on cells and on claims, by what they are on and their word."""
    of_cells = {("cells", str(word)): n for word, n in cells_by_verdict(results).items()}
    of_claims = {("claims", str(word)): n for word, n in judged_claims(claims).items()}
    return of_cells | of_claims
