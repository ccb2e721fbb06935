"""What the page's script reads: runs as recorded, short, and never more than JSON can say."""

import itertools
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import boosting_parts
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pages import files_of
from report_parts import ok

from boostbench.report import embedded
from boostbench.store.types import Outcome


def data_of(store) -> dict:
    page = files_of(store, "html")["table.html"].decode()
    return json.loads(re.search(r'id="data">(.*?)</script>', page, flags=re.DOTALL)[1])


def test_every_planned_run_is_there_with_its_state_and_reason(make_store) -> None:
    cells = {
        ("yacht", "srt"): [0.123456789, Outcome("timeout", "over the limit of 10 s")],
        ("yacht", "orrt"): [None, ok(-3.0, 0.123456)],
    }
    found = data_of(make_store(cells))
    runs = {(dataset, method): rows for dataset, method, rows in found["cells"]}
    assert runs["yacht", "srt"] == [[0, 0, 0, 0, 0.123457, None, 0.5], [0, 0, 1, 1]]
    assert runs["yacht", "orrt"] == [[0, 0, 0, 2], [0, 0, 1, 0, -3, None, 0.1235]]
    assert found["states"] == [["ok", ""], ["timeout", "over the limit of 10 s"], ["pending", ""]]
    assert (found["part"], found["partitions"], found["score"]) == ("fold", False, "R²")


@pytest.mark.parametrize(
    ("record", "line"),
    [
        ({"name": "small"}, "boostbench run small"),
        ({"name": "small", "config": "mine.yaml"}, "boostbench run mine.yaml"),
        ({"config": "/home/someone/mine.yaml"}, "boostbench run mine.yaml"),
        ({"config": "my file.yaml", "overrides": ["seeds=3"]},
         "boostbench run 'my file.yaml' --set seeds=3"),
        ({"config": "d3", "mirror": "/data", "jobs": 4, "cluster": "tcp://h:1", "shard": "1/3"},
         "boostbench run d3 --shard 1/3"),
        ({"config": "d3", "offline": True}, "boostbench run d3 --offline"),
        ({}, ""),
    ],
)  # fmt: skip
def test_the_command_names_no_folder_of_this_machine(record, line: str) -> None:
    folders = "/" in str(record.get("config", ""))
    assert embedded.rerun_command(record) == (line, folders)


@given(st.integers(1, 20_000))
def test_long_curves_keep_both_ends_and_steps_for_either_axis(length: int) -> None:
    kept = embedded.kept_iterations(length)
    assert kept == sorted(set(kept))
    assert (kept[0], kept[-1]) == (1, length)
    assert len(kept) <= embedded.MOST_POINTS
    if length > embedded.MOST_POINTS:
        pairs = list(itertools.pairwise(kept))
        assert max(after - before for before, after in pairs) <= length / 50 + 1
        assert max(after / before for before, after in pairs) <= 2


def test_curves_are_means_at_the_kept_iterations(make) -> None:
    errors = [1 / (step + 1) for step in range(300)]
    store = make({("vowel", "multiboost"): [boosting_parts.ok(errors), boosting_parts.ok(errors)]})
    found = data_of(store)["curves"]
    (curve,) = found["curves"]
    dataset, method, runs, steps, values = curve
    assert (dataset, method, runs) == ("vowel", "multiboost", 2)
    expected = [100 * errors[step - 1] for step in steps]
    for line in values["test_error"]:
        assert line == pytest.approx(expected, rel=1e-4)
    assert len(values["test_error"]) == 3
    assert [name for name, *_ in found["quantities"]] == [
        "test_error", "train_error", "objective", "fit_s", "solver_s",
    ]  # fmt: skip


def test_scores_have_a_band_of_one_sd_and_times_one_of_extremes(make) -> None:
    runs = [boosting_parts.ok([0.5, 0.4], 0.01), boosting_parts.ok([0.3, 0.2], 0.03)]
    (curve,) = data_of(make({("vowel", "multiboost"): runs}))["curves"]["curves"]
    values = curve[4]
    sd = 20 / 2**0.5
    means = [40.0, 30.0]
    expected = [means, [m - sd for m in means], [m + sd for m in means]]
    for line, wanted in zip(values["test_error"], expected, strict=True):
        assert line == pytest.approx(wanted, rel=1e-4)
    assert values["fit_s"] == [[0.02, 0.04], [0.01, 0.02], [0.03, 0.06]]


PAGE = """
import sys
from pathlib import Path
from boostbench.report.build import build_report
from boostbench.store.store import Store
with Store.open(Path(sys.argv[1]), create=False, read_only=True) as store:
    build_report(store, Path(sys.argv[2]), ["html"])
"""


def test_the_page_is_the_same_under_two_hash_seeds(make_store, cells, tmp_path: Path) -> None:
    store = make_store(cells)
    pages = []
    for seed in ("1", "2"):
        out = tmp_path / seed
        words = [sys.executable, "-P", "-c", PAGE, str(store.folder), str(out)]
        subprocess.run(words, check=True, env={**os.environ, "PYTHONHASHSEED": seed})
        pages.append((out / "table.html").read_bytes())
    assert pages[0] == pages[1]
