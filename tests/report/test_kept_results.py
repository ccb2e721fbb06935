"""The results kept in the repository: readable, without local paths, and in the index."""

import json
import lzma
import re
from pathlib import Path

import pandas as pd
import pytest

import boostbench
from boostbench.config.loading import config_names

ROOT = Path(__file__).parents[2]
_NUMBER = re.compile(r"(?<![\w.])\d+\.\d+(?![\w.])")
ARCHIVES = sorted((ROOT / "results").glob("*/archive/record.json"))
SMALL = ("quickstart", "boosting_smoke")

pytestmark = pytest.mark.skipif(not ARCHIVES, reason="not in a clone of the repository")


INDEX = ROOT / "results" / "README.md"


def in_index() -> dict[str, str]:
    pattern = r"^\| \[(\w+)\]\(\1/archive/table\.md\) \| (.*)$"
    return dict(re.findall(pattern, INDEX.read_text(), re.MULTILINE))


def test_every_archive_is_in_the_index() -> None:
    assert list(in_index()) == [path.parents[1].name for path in ARCHIVES]


@pytest.mark.parametrize("path", ARCHIVES, ids=lambda path: path.parents[1].name)
def test_the_index_has_the_findings_of_an_archive(path: Path) -> None:
    name, trials = path.parents[1].name, pd.read_csv(path.with_name("trials.csv"))
    experiment = json.loads(path.read_text())["experiment"]
    assert (trials.status == "ok").any()
    assert experiment["name"] == name
    assert experiment["config"] in config_names()
    for file in path.parent.iterdir():
        content = file.read_bytes()
        text = lzma.decompress(content) if file.suffix == ".xz" else content
        assert not re.search(rb"/(home|Users|tmp|root|work)/", text), file.name
    found, counted, hours, command, _ = in_index()[name].split(" |")
    assert int(counted.replace(",", "")) == len(trials)
    seconds = pd.read_csv(path.with_name("times.csv.xz")).wall_s.sum()
    assert float(hours) == pytest.approx(seconds / 3600, abs=0.0051)
    assert command == f" `boostbench report results/{name}/archive`"
    # The paper's figures and single cells; means over other data sets are not on the page.
    said = set(_NUMBER.findall(found))
    missing = said - set(_NUMBER.findall((path.parent / "table.md").read_text()))
    assert said
    assert len(missing) <= (name in ("d3_grid", "fig6_fcd")), (name, missing)
    if name in ("d2", "d3"):
        runs = trials.query("method == 'srt_l2'")
        assert f"{runs.groupby('dataset').r2.mean().mean():.3f} for SRT-l2" in found


# scripts/results_index.py reads them all too.
@pytest.mark.parametrize(
    "path",
    [
        path if path.parents[1].name in SMALL else pytest.param(path, marks=pytest.mark.long)
        for path in ARCHIVES
    ],
    ids=lambda path: path.parents[1].name,
)
def test_an_archive_is_read_as_its_files_say(path: Path) -> None:
    results, trials = boostbench.load(path.parent), pd.read_csv(path.with_name("trials.csv"))
    assert results.experiment["name"] == path.parents[1].name
    assert list(results.trials.status) == list(trials.status)
    for metric in {"r2", "error"} & set(trials):
        assert results.trials[metric].tolist() == pytest.approx(trials[metric], nan_ok=True)
    seconds = pd.read_csv(path.with_name("times.csv.xz")).wall_s.sum()
    assert results.times.wall_s.sum() == pytest.approx(seconds)
