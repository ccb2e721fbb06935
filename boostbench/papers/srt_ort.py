"""What the soft regression tree paper says of ORT-L, its variants, and the best starts of ORRT."""

from __future__ import annotations

from boostbench.papers.claim import (
    Claim,
    Finding,
    above_one,
    as_many,
    gain,
    grade,
    half_as_much,
    mean_score,
    reaches,
    score_gap,
    sd_ratio,
    time_ratio,
    wins,
)
from boostbench.papers.results import Results

_ORT = (
    "The published ORT-L comes from a commercial package; `ort_l` is Dunn's local search, in the "
    "reading nearest to its column. On elevators the paper prints the same figure at both depths "
    "and with the grid, about that of a single linear leaf, and on ailerons one close to it: a "
    "search that finds splits there is above it."
)
_BEST = (
    "`orrt_best` keeps, of 20 starts, the one of least training objective. The published ORRT* is "
    "the best of 20 starts of each fold, averaged over folds; the paper does not say by what it is "
    "best."
)


def ort_notes(results: Results) -> list[str]:
    """Return the paragraphs on the methods of these that a report has."""
    present = {method.registered for method in results.methods}
    texts = []
    if present & {"ort_l", "ort_l_min20", "ort_l_grid", "ort_lh"}:
        texts.append(" ".join([_ORT, *_above(results)]))
    if "orrt_best" in present:
        texts.append(_BEST)
    return texts


def _above(results: Results) -> list[str]:
    found = []
    for data in results.datasets:
        for method in results.methods:
            cell = results.measured(data.label, method.label)
            if (
                data.published_as in ("elevators", "ailerons")
                and method.registered == "ort_l"
                and cell is not None
                and cell.published is not None
            ):
                found.append(
                    f"{results.text(cell.score)} on {data.label} (`{method.label}`; "
                    f"{results.text(cell.published)} is published)"
                )
    return [f"Measured here: {', '.join(found)}."] if found else []


def _about_3_percent(measured: float, published: float | None) -> Finding:
    return grade(0.015 <= measured <= 0.05, measured > 0)


def _nothing(measured: float, published: float | None) -> Finding:
    return grade(abs(measured) <= 0.01, abs(measured) <= 0.02)


def _comparable(measured: float, published: float | None) -> Finding:
    return grade(abs(measured) <= 0.03, abs(measured) <= 0.05)


def _twice(measured: float, published: float | None) -> Finding:
    return grade(measured > 2, measured > 1.1)


def _hundred_times(measured: float, published: float | None) -> Finding:
    return grade(measured >= 100, measured > 2)


_L2 = "SRT-ℓ₂"
_SECTION = "Section 6.2"
ORT_CLAIMS = (
    Claim("mean R² of ORT-L", "Tables 2, C.4", "ort_l", (), mean_score, "score", reaches),
    Claim(
        f"{_L2} has a mean R² 3 % higher than ORT-L's (D = 3)",
        _SECTION, "srt_l2", ("ort_l",), gain, "gain", _about_3_percent, depth=3,
    ),
    Claim(
        f"{_L2} beats ORT-L on most data sets",
        _SECTION, "srt_l2", ("ort_l",), wins, "count", as_many,
    ),
    Claim(
        f"ORT-L's sd is larger than {_L2}'s",
        _SECTION, "srt_l2", ("ort_l",), sd_ratio, "ratio", above_one,
    ),
    Claim(
        f"ORT-L trains many times as long as {_L2}",
        _SECTION, "srt_l2", ("ort_l",), time_ratio, "ratio", half_as_much,
    ),
    Claim(
        "a grid search does not change ORT-L's mean R²",
        "Appendix D", "ort_l_grid", ("ort_l",), score_gap, "difference", _nothing,
    ),
    Claim(
        "a grid search takes over twice as long",
        "Appendix D", "ort_l", ("ort_l_grid",), time_ratio, "ratio", _twice,
    ),
    Claim(
        "oblique splits (ORT-LH) give a comparable mean R²",
        "Appendix E", "ort_lh", ("ort_l",), score_gap, "difference", _comparable,
        datasets=("auto_mpg", "computer_hardware", "housing"),
    ),
    Claim(
        "ORT-LH trains at least 100 times as long as ORT-L",
        "Appendix E", "ort_l", ("ort_lh",), time_ratio, "ratio", _hundred_times,
        datasets=("auto_mpg", "computer_hardware", "housing"),
    ),
    Claim(
        "SRT beats the best of ORRT's starts on each data set",
        "Appendix F", "srt", ("orrt_best",), wins, "count", as_many,
        datasets=("airfoil", "cpu_small", "puma32h", "yacht"),
    ),
)  # fmt: skip
