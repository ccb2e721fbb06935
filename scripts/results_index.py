"""Write results/README.md: the index of the kept results, from their archives.

Run it after ``boostbench archive``: ``python scripts/results_index.py``; with ``--check`` it writes
nothing and exits with 1 if the index is not up to date.
"""

import argparse
import difflib
import gc
import sys
from collections.abc import Mapping
from pathlib import Path

from boostbench.papers.metrics import average
from boostbench.papers.plausible import averaged_sets
from boostbench.report.frames.results import ReportData, collect
from boostbench.report.verdicts.ledger import make_ledger
from boostbench.store.files import ARCHIVE_FILE
from boostbench.store.store import Store

ROOT = Path(__file__).parents[1] / "results"
TOGETHER = (
    (
        "d3",
        "d2",
        "forests",
        "d3_partitions",
        "d2_partitions",
        "forests_partitions",
        "d2_grid",
        "d3_grid",
        "hyperplanes",
        "hyperplanes_partitions",
        "best_starts",
    ),
    (
        "fig1_uci",
        "fig2_digits",
        "fig3_images",
        "fig4_scenes",
        "fig5_gtsrb",
        "fig6_fcd",
        "ten_splits",
    ),
)
"""The results on which each paper's claims are judged."""
# In braces the mean score of a method over the data sets that all methods have, and over which the
# paper averages, DATASET/METHOD on one, and METHOD/s its mean seconds of training; paper/METHOD is
# what the paper prints, averaged over the same data sets, and sets is their number. without/METHOD
# is the mean without the one run that moves it by more than its margin, with its place.
FINDINGS = {
    "best_starts": "Table F.8: on four data sets the runs of SRT have a mean R2 of {srt_d3} at "
    "depth 3 (paper {paper/srt_d3}), those of SRT-l2 {srt_l2_d3} ({paper/srt_l2_d3}); of "
    "randomized trees {orrt_d3} ({paper/orrt_d3}), the best of each {orrt_best_d3} "
    "({paper/orrt_best_d3})",
    "boosting_smoke": "A first look: on digits CW-1 errs on {digits/multiboost_cw1} % of the test "
    "rows, MultiBoost on {digits/multiboost} %",
    "choices": "What the paper leaves open, at depth 3 on five partitions: SRT has {srt}, with 20 "
    "iterations in a branch step {srt_stop_20}, with starts from clusters of (x, y) {srt_xy}; "
    "SRT-l2 {srt_l2}, {srt_l2_stop_20} and {srt_l2_xy}",
    "d2": "Table C.4: at depth 2 a single start falls short, {srt_l2} for SRT-l2 (paper "
    "{paper/srt_l2}); the best of five starts has {srt_l2_best5}",
    "d2_partitions": "Table C.4 on five partitions: SRT {srt}, SRT-l2 {srt_l2}, ORT-L {ort_l} "
    "({without/ort_l}); ORRT as published {orrt}, trained {orrt_trained} ({without/orrt_trained}); "
    "starts from clusters of (x, y) give SRT-l2 {srt_l2_xy}",
    "d2_grid": "Table D.5: a grid search takes ORT-L from {ort_l} to {ort_l_grid} at depth 2 "
    "(paper {paper/ort_l} to {paper/ort_l_grid})",
    "d3": "Table 2: soft regression trees come near print: {srt} for SRT (paper {paper/srt}) and "
    "{srt_l2} for SRT-l2 ({paper/srt_l2}), ORT-L {ort_l} ({paper/ort_l}), ORRT {orrt} "
    "({paper/orrt})",
    "d3_grid": "Table D.6: a grid search takes ORT-L from {ort_l} to {ort_l_grid} at depth 3 "
    "(paper {paper/ort_l} to {paper/ort_l_grid}), on the {sets} data sets of the paper's average",
    "d3_partitions": "Table 2 on five partitions: SRT {srt}, SRT-l2 {srt_l2}, ORT-L {ort_l}; ORRT "
    "as published {orrt}, trained with mu = 1 and no bounds {orrt_trained}, its runs below 0 "
    "included, random forest {random_forest}; starts from clusters of (x, y) give SRT-l2 "
    "{srt_l2_xy}",
    "early_stop": "Where a branch step stops decides SRT's figures: on {sets} data sets 10 "
    "iterations give {srt}, 300 give {srt_300}",
    "fig1_uci": "Figure 1: on VOWEL AdaBoost.ECC has the lowest error, {vowel/adaboost_ecc} %, "
    "CW-1 {vowel/multiboost_cw1} %, MultiBoost {vowel/multiboost} %; on ISOLET CW-1, "
    "{isolet/multiboost_cw1} %, AdaBoost.MH {isolet/adaboost_mh} %, MultiBoost {isolet/multiboost} "
    "%",
    "fig2_digits": "Figure 2: CW-1 has the lowest errors, {usps/multiboost_cw1} % on USPS "
    "(MultiBoost {usps/multiboost} %), {pendigits/multiboost_cw1} % on PENDIGITS "
    "({pendigits/multiboost} %), {mnist/multiboost_cw1} % on MNIST with 1,000 training rows per "
    "class ({mnist/multiboost} %)",
    "fig3_images": "Figure 3, on JPEG copies of CIFAR-10: AdaBoost.MO, which the paper did not "
    "run, has the lowest error, {cifar10_jpeg_gist/adaboost_mo} % with GIST, MultiBoost-cw "
    "{cifar10_jpeg_gist/multiboost_cw} %, MultiBoost {cifar10_jpeg_gist/multiboost} %; with pixel "
    "values {cifar10_jpeg_pixels/adaboost_mo} %, {cifar10_jpeg_pixels/multiboost_cw} % and "
    "{cifar10_jpeg_pixels/multiboost} %",
    "fig4_scenes": "Figure 4: on SCENE15, with histograms of SIFT words, CW-1 has the lowest "
    "error, {scene15_images/multiboost_cw1} %, MultiBoost {scene15_images/multiboost} %; with 119 "
    "other features AdaBoost.MO, which the paper did not run, {scene15/adaboost_mo} %, CW-1 "
    "{scene15/multiboost_cw1} %, MultiBoost {scene15/multiboost} %",
    "fig5_gtsrb": "Figure 5, on 32 x 32 copies of GTSRB: AdaBoost.MH has the lowest error, "
    "{gtsrb_images/adaboost_mh} %, AdaBoost.MO, which the paper did not run, "
    "{gtsrb_images/adaboost_mo} %, MultiBoost-cw {gtsrb_images/multiboost_cw} %, MultiBoost "
    "{gtsrb_images/multiboost} %",
    "fig6_fcd": "Figure 6: coordinate descent with two working sets trains in {FCD-2/s} s on "
    "average, L-BFGS-B in {LBFGS-B/s} s; they err on {FCD-2} % and {LBFGS-B} %",
    "forests": "Table G.9: the paper's forest is R's, mean R2 {random_forest_r} (paper "
    "{paper/random_forest_r}); on airfoil it has {airfoil/random_forest_r} "
    "({paper/airfoil/random_forest_r}), scikit-learn's {airfoil/random_forest}",
    "forests_partitions": "Table G.9 on five partitions: R's forest has {random_forest_r} (paper "
    "{paper/random_forest_r}), scikit-learn's {random_forest}, SRT-l2 {srt_l2_d2} at depth 2 and "
    "{srt_l2_d3} at depth 3",
    "hyperplanes": "Table E.7: oblique splits have {ort_lh_d2} at depth 2 (paper "
    "{paper/ort_lh_d2}) and {ort_lh_d3} at depth 3 ({paper/ort_lh_d3}) on three data sets, "
    "parallel ones {ort_l_d2} ({paper/ort_l_d2}) and {ort_l_d3} ({paper/ort_l_d3})",
    "hyperplanes_partitions": "Table E.7 on five partitions: oblique splits have {ort_lh_d2} at "
    "depth 2 and {ort_lh_d3} at depth 3, parallel ones {ort_l_d2} ({without/ort_l_d2}) and "
    "{ort_l_d3}",
    "improvements": "Table 3: SRT-l2 has {srt_l2_d2} where ORT-L has {ort_l_d2} at depth 2 (paper "
    "{paper/srt_l2_d2} and {paper/ort_l_d2}), {srt_l2_d3} and {ort_l_d3} at depth 3 "
    "({paper/srt_l2_d3} and {paper/ort_l_d3})",
    "peers": "Beside what one would take instead, at depth 3 on five partitions: SRT-l2 has "
    "{srt_l2}, its best of five {srt_l2_best5}, LightGBM with linear leaves "
    "{lightgbm_linear_l2} with a penalty and {lightgbm_linear} without "
    "({elevators/lightgbm_linear} on elevators), Cubist {cubist}, five of its models {cubist_5}, "
    "STreeD {streed}, Perpetual {perpetual}",
    "quickstart": "A first look: on Friedman #1 SRT has {friedman1/srt} (paper "
    "{paper/friedman1/srt}), SRT-l2 {friedman1/srt_l2} ({paper/friedman1/srt_l2})",
    "ten_splits": "Figures 1 and 2 on ten splits: CW-1 errs on {usps/multiboost_cw1} % on USPS, "
    "{pendigits/multiboost_cw1} % on PENDIGITS, {mnist/multiboost_cw1} % on MNIST, "
    "{isolet/multiboost_cw1} % on ISOLET, MultiBoost on {usps/multiboost} %, "
    "{pendigits/multiboost} %, {mnist/multiboost} % and {isolet/multiboost} %; on VOWEL "
    "AdaBoost.ECC on {vowel/adaboost_ecc} %, CW-1 on {vowel/multiboost_cw1} %",
    "vowel_rows": "The authors' VOWEL has its 462 test rows twice: MultiBoost-cw's error falls "
    "from {vowel/multiboost_cw} % to {vowel_doubled/multiboost_cw} % on that file",
}
HEAD = """\
# Results

Each folder `NAME/archive` has an experiment's trials as plain text, its times and learning curves,
`table.md` to be read here, and the main figure. `boostbench report results/NAME/archive` makes all
tables, figures and the page, in `results/NAME`; `verify`, `compare`, `run --reuse` and
`boostbench.load("results/NAME/archive")` read it too, and
`boostbench verify results/NAME/archive --sample 50` runs 50 of its trials again. R2 and errors are
means on test rows, over the data sets that all methods have; "without housing 4/2/1" is without
that one run (split seed, fold, seed), which decides a mean. The lowest error is that of the means;
the page says which differences are decided. This page is written by `scripts/results_index.py`.

| results | what was found | trials | core hours | its page |
| --- | --- | --: | --: | --- |
"""


def main() -> int:
    """Write the index, or compare it with the existing one; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; 1 if it has changed")
    options = parser.parse_args()
    path = ROOT / "README.md"
    # All of the millions of objects are kept; to look for garbage takes a fifth of the time.
    gc.disable()
    text = index(ROOT)
    if not options.check:
        path.write_text(text, encoding="utf-8")
        return 0
    before, after = path.read_text(encoding="utf-8").splitlines(), text.splitlines()
    changes = [*difflib.unified_diff(before, after, "results/README.md", "as it is now", n=0)]
    print(*changes, sep="\n")
    return int(bool(changes))


def index(root: Path) -> str:
    """Return the text of the index of the archives below ``root``."""
    found, lines = {}, []
    for path in sorted(root.glob(f"*/*/{ARCHIVE_FILE}")):
        with Store.read(path.parent) as store:
            results = found[path.parts[-3]] = collect(store)
            hours = sum(run.times["wall_s"] for run in store.outcomes().values()) / 3600
        lines.append(_line(path.parts[-3], results, hours))
    accounts = [_account(names, found) for names in TOGETHER]
    return HEAD + "\n".join([*lines, "", *accounts])


def _line(name: str, results: ReportData, hours: float) -> str:
    runs, digits = results.runs, 2 if results.metric.name == "error" else 3
    cells = results.metric.scale * runs.groupby(["dataset", "method"]).score.mean()
    names = _averaged(results)
    averaged = cells.unstack().loc[list(names)].dropna()
    means = {label: average("arithmetic", own) for label, own in averaged.items()}
    means |= dict(zip(cells.index.map("/".join), cells, strict=True))
    means |= {f"paper/{key}": mean for key, mean in _printed(results, names).items()}
    values = {key: f"{mean:.{digits}f}" for key, mean in means.items()} | {"sets": str(len(names))}
    for cell in results.cells:
        if cell.average == "arithmetic" and (left := cell.without) and left.moves:
            place = "/".join(map(str, left.run))
            mean = f"{left.cell.compared:.{digits}f}"
            values[f"without/{cell.method}"] = f"{mean} without {left.dataset} {place}"
    values |= {f"{label}/s": f"{s:.2g}" for label, s in runs.groupby("method").fit_s.mean().items()}
    command = f"`boostbench report results/{name}/archive`"
    found = FINDINGS[name].format_map(values)
    page = f"[{name}]({name}/archive/table.md)"
    return f"| {page} | {found} | {len(runs):,} | {hours:.2f} | {command} |"


def _averaged(results: ReportData) -> dict[str, str]:
    """Return the data sets over which the paper averages, by label, all if it averages none."""
    names = {data.label: data.published_as for data in results.counted}
    table = str(results.experiment.get("table"))
    averaged = results.paper.averaged(table) if results.paper else []
    return {label: name for label, name in names.items() if name in averaged} or names


def _printed(results: ReportData, names: Mapping[str, str]) -> dict[str, float]:
    """Return the printed mean of each cell, and their average over ``names`` where all are printed.

    The printed average counts where it is over these data sets.
    """
    paper, printed = results.paper, {}
    for method in results.methods if paper else ():
        setting = paper.setting_of(method.conditions)
        column = paper.column(method.registered, setting, results.experiment.get("table"))
        own = column.cells if column else {}
        cells = {label: own[name].mean for label, name in names.items() if name in own}
        printed |= {f"{label}/{method.label}": mean for label, mean in cells.items()}
        if len(cells) == len(names):
            whole = "arithmetic_mean" in own and averaged_sets(paper, column, "arithmetic")
            is_over_these = whole and set(whole) == set(names.values())
            printed[method.label] = (
                own["arithmetic_mean"].mean
                if is_over_these
                else average("arithmetic", cells.values())
            )
    return printed


def _account(names: tuple[str, ...], found: dict[str, ReportData]) -> str:
    """Return the numbers of a paper's claims by verdict."""
    ledger = make_ledger([found[name] for name in names])
    counts = ", ".join(f"{n} {verdict.value}" for verdict, n in ledger.counts().items())
    return f"Claims of {ledger.paper.authors} (`boostbench verify {' '.join(names)}`): {counts}.\n"


if __name__ == "__main__":
    sys.exit(main())
