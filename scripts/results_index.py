"""Write results/README.md: the index of the results that are kept, from their archives.

Run it after ``boostbench archive``: ``python scripts/results_index.py``; with ``--check`` it writes
nothing and exits with 1 where the index is not what the archives and the program say today.
"""

import argparse
import difflib
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from boostbench.experiment.archiving import summary_of
from boostbench.experiment.claims import Claims, judge_claims
from boostbench.experiment.folders import ARCHIVE
from boostbench.papers.claim import Ruling
from boostbench.report.cells import Cell
from boostbench.report.summary import Summary
from boostbench.store.files import ARCHIVE_FILE

ROOT = Path(__file__).parents[1] / "results"
DEPTHS = ("d3", "d2")
TOGETHER = (*DEPTHS, "forests")
HEADLINE = (
    "srt", "srt_l2", "srt_best5", "srt_l2_best5", "orrt", "orrt_trained", "ort_l", "random_forest",
)  # fmt: skip
FIGURES = ("fig1_uci", "fig2_digits", "fig4_scenes", "fig6_fcd")
BOOSTERS = (
    "multiboost_cw", "multiboost_cw1", "multiboost", "adaboost_ecc", "adaboost_mh", "adaboost_mo",
)  # fmt: skip
CLAIM_COUNTS = (Ruling.REPRODUCED, Ruling.DIRECTION, Ruling.CONTRADICTED, Ruling.UNDECIDED)
HEAD = """\
# Results

What is kept in git: each folder `NAME/archive` has the trials and learning curves as compressed
CSV, the report (`table.md` to be read here, `table.html` in a browser), the paper's claims as
judged on these results, and in its README the command, versions and machine. `boostbench report
NAME`, `verify`, `compare` and `boostbench.load("results/NAME")` read them, and
`boostbench verify NAME --sample 50` runs 50 trials again. A run of your own writes beside them,
never over them.

This page is written by `scripts/results_index.py`.
"""
TAIL = """\
## What a run writes

`boostbench run CONFIG` writes to `results/NAME/`, or to where `results:` in the config says:

| file | what it is |
|---|---|
| `store.sqlite` | every trial's outcome, committed one by one |
| `trials.csv`, `times.csv` | the same as tables: results (identical for identical runs) and times |
| `table.md`, `.csv`, `.tex`, `.html` | the paper's table, measured beside published |
| `table-KEY.tex`, `references.bib` | one table each, to be read into a paper; what to cite |
| `figure.png`, `.svg`, `.pdf` | measured minus published means; means where nothing is published |
| `means.png`, `.svg`, `.pdf` | means by data set with their intervals, beside `figure.*` |
| `ranks.png`, `.svg`, `.pdf` | critical-difference diagram, from three methods on five data sets |
| `curves.csv`, `curve_times.csv` | learning curves of each trial: errors and objective; seconds |
| `NAME.png`, `.svg`, `.pdf` | the learning curves, in the panels of the paper's figure |
| `NAME-curves.csv`, `NAME-times.csv` | the means and bands behind those panels |

None of these is kept in git. `boostbench archive NAME` makes the folder that is.
"""


def main() -> int:
    """Write the index, or compare it with what is there; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; 1 if it has changed")
    arguments = parser.parse_args()
    path = ROOT / "README.md"
    text = index(ROOT)
    if not arguments.check:
        path.write_text(text, encoding="utf-8")
        return 0
    before = path.read_text(encoding="utf-8")
    sys.stdout.writelines(
        difflib.unified_diff(
            before.splitlines(keepends=True),
            text.splitlines(keepends=True),
            "results/README.md",
            "as the archives are judged now",
        )
    )
    return int(before != text)


def index(root: Path) -> str:
    """Return the text of the index of the archives below ``root``."""
    folders = {
        path.parent.parent.name: path.parent for path in root.glob(f"*/{ARCHIVE}/{ARCHIVE_FILE}")
    }
    parts = [HEAD]
    together = [folders[name] for name in TOGETHER if name in folders]
    if together:
        claims = judge_claims(together)
        parts += [_headline(_of_depths(claims)), _ledger(claims)]
    figures = [folders[name] for name in FIGURES if name in folders]
    if figures:
        claims = judge_claims(figures)
        parts += [_errors(claims), _ledger(claims)]
    if folders:
        parts.append(_experiments(folders))
    return "\n".join([*parts, TAIL])


def _experiments(folders: Mapping[str, Path]) -> str:
    rows = [_experiment(name, folders[name]) for name in sorted(folders)]
    header = (
        "experiment", "what", "of the paper", "trials",
        "published cells: equivalent / different / inconclusive",
        "claims: reproduced / direction only / contradicted / undecided",
    )  # fmt: skip
    return "\n".join(["## Experiments", "", *_table(header, rows), ""])


def _experiment(name: str, folder: Path) -> list[str]:
    about = summary_of(folder)
    cells, claims = about["cells"], about["claims"]
    table = about["table"]
    return [
        f"[{name}]({name}/archive)",
        about["title"],
        table if not table or table.startswith("Fig") else f"Table {table}",
        about["trials"].partition(" (")[0],
        _counts(cells, ("equivalent", "different", "inconclusive")),
        _counts(claims, [ruling.value for ruling in CLAIM_COUNTS]),
    ]


def _counts(counts: Mapping[str, int], names: Sequence[str]) -> str:
    found = [counts.get(name, 0) for name in names]
    return " / ".join(map(str, found)) if any(found) else ""


def _names(claims: Claims) -> list[str]:
    return [path.parent.name for path in claims.folders]


def _links(claims: Claims) -> list[str]:
    return [f"[{name}]({name}/archive)" for name in _names(claims)]


def _of_depths(claims: Claims) -> Claims:
    """Return what the means of all methods are taken from."""
    kept = [place for place, name in enumerate(_names(claims)) if name in DEPTHS]
    return replace(
        claims,
        folders=[claims.folders[place] for place in kept],
        summaries=[claims.summaries[place] for place in kept],
    )


def _headline(claims: Claims) -> str:
    """Return the means over all data sets, measured and published, of each depth."""
    rows = []
    for method in HEADLINE:
        cells = [_mean(summary, method) for summary in claims.summaries]
        if any(cells):
            rows.append([f"`{method}`", *cells])
    header = ["method", *(f"{_depth(summary)}" for summary in claims.summaries)]
    links = " and ".join(_links(claims))
    intro = (
        f"Mean test R2 over the 15 data sets of {links}, the paper's in parentheses: for "
        "`srt_best5` and `srt_l2_best5` (the best of five starts) that of SRT and SRT-l2, for "
        "`orrt_trained` (another setting than the paper's) that of ORRT."
    )
    left_out = _left_out(claims)
    if left_out:
        intro += f" Runs with R2 < 0 of {' and '.join(left_out)} are left out, as the paper's are."
    return "\n".join(["## Soft regression trees", "", intro, "", *_table(header, rows), ""])


def _errors(claims: Claims) -> str:
    """Return the mean test errors of the figures' data sets."""
    rows = []
    for summary in claims.summaries:
        kept = {
            (cell.dataset, cell.method): f"{cell.metric.scale * cell.kept.mean:.2f}"
            for cell in summary.cells.values()
            if cell.kept and cell.finished == cell.planned
        }
        for dataset in summary.datasets:
            errors = [kept.get((dataset.label, method), "") for method in BOOSTERS]
            if any(errors):
                rows.append([dataset.label, *errors])
    links = ", ".join(_links(claims))
    intro = (
        f"Mean test error in percent over 5 splits, after at most 500 iterations, of {links}; the "
        "paper prints curves, no figures. `isolet_partial` is a part of ISOLET, and the features "
        "of `scene15` are not the paper's."
    )
    header = ["data set", *(f"`{method}`" for method in BOOSTERS)]
    return "\n".join(["## Multi-class boosting", "", intro, "", *_table(header, rows), ""])


def _depth(summary: Summary) -> str:
    return f"depth {summary.experiment['defaults']['depth']}"


def _mean(summary: Summary, method: str) -> str:
    cells = [cell for cell in summary.cells.values() if cell.method == method]
    kept = [cell for cell in cells if cell.compared and cell.published]
    if not kept or len(kept) < len(summary.datasets):
        return ""
    return f"{_average(kept):.3f} ({_published(kept):.3f})"


def _left_out(claims: Claims) -> list[str]:
    """Return how many exploded runs the headline's means leave out, per method."""
    found = []
    for method in HEADLINE:
        counts = [(_depth(summary), _exploded(summary, method)) for summary in claims.summaries]
        where = [f"{runs} at {depth}" for depth, runs in counts if runs]
        if where:
            found.append(f"`{method}` ({', '.join(where)})")
    return found


def _exploded(summary: Summary, method: str) -> int:
    cells = [cell for cell in summary.cells.values() if cell.method == method]
    return sum(cell.exploded for cell in cells if cell.leaves_out_exploded)


def _average(cells: Sequence[Cell]) -> float:
    return sum(cell.compared.mean for cell in cells if cell.compared) / len(cells)


def _published(cells: Sequence[Cell]) -> float:
    return sum(cell.published.mean for cell in cells if cell.published) / len(cells)


def _ledger(claims: Claims) -> str:
    counts = claims.ledger.counts()
    judged = sum(counts[ruling] for ruling in CLAIM_COUNTS)
    words = ", ".join(f"{counts[ruling]} {ruling.value}" for ruling in CLAIM_COUNTS)
    names = " ".join(_names(claims))
    lines = [
        f"Of {len(claims.ledger.entries)} claims of the paper, {judged} are judged on these "
        f"(`boostbench verify {names}`): {words}. Contradicted are:",
        "",
    ]
    lines += [
        f"- {entry.claim.id}: “{entry.claim.text}” ({entry.claim.where})"
        for entry in claims.ledger.entries
        if entry.judged.ruling is Ruling.CONTRADICTED
    ]
    return "\n".join([*lines, ""])


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [header, ["---"] * len(header), *rows]
    return [
        f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |" for cells in lines
    ]


if __name__ == "__main__":
    sys.exit(main())
