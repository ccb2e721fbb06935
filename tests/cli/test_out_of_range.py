"""A run says once for each method and data set that the data are unlike the paper's."""

from pathlib import Path

import numpy as np
import pytest
from experiments import write

from boostbench.store.store import Store

METHODS = (
    "{name: srt_d2, method: srt, params: {depth: 2, max_iter: 1}}",
    "{name: srt_l2_d2, method: srt_l2, params: {depth: 2, max_iter: 1}}",
    "{name: ridge, estimator: sklearn.linear_model.Ridge}",
)


def table(name: str, columns: int) -> str:
    numbers = np.random.default_rng(columns).random((48, columns + 1)).round(4)
    names = [f"x{j}" for j in range(columns)] + ["y"]
    rows = [",".join(map(str, row)) for row in [names, *numbers.tolist()]]
    Path(f"{name}.csv").write_text("\n".join(rows) + "\n")
    return f"{{name: {name}, file: {name}.csv, target: y}}"


@pytest.mark.end_to_end
def test_every_trial_records_it_and_the_screen_shows_one(cli, folder: Path, undrawn: None) -> None:
    wide, other, narrow = table("wide", 12), table("other", 16), table("narrow", 3)
    write("d", *METHODS, data=f"{wide}, {other}, {narrow}", folds=2, seeds=2)
    lines = cli.well("run", "d.yaml", "--jobs", "2").err.splitlines()
    told = sorted(line for line in lines if "is not made for such data" in line)
    starts = [f"{data}/{name}/" for data in ("other", "wide") for name in ("srt_d2", "srt_l2_d2")]
    assert len(told) == len(starts)
    for line, start in zip(told, starts, strict=True):
        assert line.startswith(start)
        assert "coefficients, more than the 6 training samples that it gets" in line
    with Store.read(folder / "results" / "d") as store:
        outputs = [outcome.output for outcome in store.outcomes().values()]
    assert sum("OutOfRangeWarning" in text for text in outputs) == 4 * 4
