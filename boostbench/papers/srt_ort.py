"""What the soft regression tree paper says of ORT-L, its variants, and the best starts of ORRT."""

from __future__ import annotations

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
