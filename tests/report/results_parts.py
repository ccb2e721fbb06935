"""Results of runs made by hand, without a store."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from boostbench.data.splits import SplitRule
from boostbench.papers import Paper
from boostbench.papers.design import Design
from boostbench.papers.metrics import R2, Metric
from boostbench.papers.results import Dataset, Method
from boostbench.report.results import Results

Scores = Sequence[Any]
"""(folds, seeds) or (partitions, folds, seeds), None where a run has not finished."""
A = [[.80, .82, .81], [.75, .77, .79], [.85, .84, .86], [.78, .80, .79]]  # fmt: skip
B = [[.78, .79, .77], [.76, .74, .75], [.80, .82, .81], [.79, .77, .78]]  # fmt: skip
"""The arrays of the specification of the statistics, folds in rows."""
FOUR_FOLDS = SplitRule("kfold", 4)
_UNKNOWN = ("train", "objective", "iterations", "solver_s", "choose_s")


def runs_of(dataset: str, method: str, scores: Scores, n_rows: int = 400) -> list[dict[str, Any]]:
    parts = scores if isinstance(scores[0][0], list | tuple) else [scores]
    same = {
        "dataset": dataset, "method": method, "reason": "", "stop": "", "processor": "",
        "chosen": {}, "clocked": False, "fit_s": 1.0, "n_rows": n_rows, "n_test": 100,
    }  # fmt: skip
    return [
        {
            **same,
            "status": "pending" if score is None else "ok",
            "score": np.nan if score is None else float(score),
            "split_seed": partition,
            "fold": fold,
            "seed": seed,
        }
        for partition, folds in enumerate(parts)
        for fold, seeds in enumerate(folds)
        for seed, score in enumerate(seeds)
    ]


def data(label: str, published_as: str = "", rule: SplitRule = FOUR_FOLDS) -> Dataset:
    return Dataset(label, published_as or label, "0" * 64, card=label, rule=rule)


def method(label: str, registered: str = "", changed: Mapping[str, Any] | None = None) -> Method:
    return Method(label, registered or label, "p:M", "1", {}, 3, changed=changed or {})


def results_of(
    cells: Mapping[tuple[str, str], Scores],
    paper: Paper | None = None,
    metric: Metric = R2,
    datasets: Sequence[Dataset] = (),
    methods: Sequence[Method] = (),
    n_rows: int = 400,
    **experiment: Any,
) -> Results:
    runs = pd.DataFrame([run for key, own in cells.items() for run in runs_of(*key, own, n_rows)])
    return Results(
        runs=runs.assign(run=runs.index, **dict.fromkeys(_UNKNOWN, np.nan)),
        datasets=datasets or [data(name) for name in dict.fromkeys(name for name, _ in cells)],
        methods=methods or [method(name) for name in dict.fromkeys(name for _, name in cells)],
        experiment={"name": "t", **experiment},
        paper=paper,
        metric=metric,
    )


def paper_of(folder: Path, rows: Sequence[Mapping[str, Any]], **fields: Any) -> Paper:
    """Return a paper whose Table 1 prints ``rows``, to three decimals, over 4 folds x 20 seeds."""
    rows = [*rows, row("another", rows[0]["method"], 0.123)]
    file = folder / "tables.csv"
    names = ("table", "dataset", "depth", "method", "r2_mean", "r2_sd", "negative_r2_runs")
    lines = [",".join(str({"table": 1, **row}.get(name, "")) for name in names) for row in rows]
    file.write_text("\n".join([",".join(names), *lines]) + "\n")
    given = {"runs": 80, "design": Design(FOUR_FOLDS, 20), "default_depth": 3, **fields}
    given.setdefault("names", {row["method"]: row["method"] for row in rows})
    return Paper("A paper", "A. Author", "p", "J. 1", folder=folder, **given)


def row(dataset: str = "d", method: str = "srt", mean: float = 0.8, sd: Any = 0.03, out: Any = 0):
    return {
        "dataset": dataset, "method": method, "depth": 3, "r2_sd": sd,
        "r2_mean": mean if isinstance(mean, str) else f"{mean:.3f}", "negative_r2_runs": out,
    }  # fmt: skip
