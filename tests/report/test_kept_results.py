"""The results kept in the repository: readable, without local paths, and in the index."""

import lzma
import re
from pathlib import Path

import pytest

import boostbench
from boostbench.config.loading import config_names

ROOT = Path(__file__).parents[2]
_NUMBER = re.compile(r"(?<![\w.])\d+\.\d+(?![\w.])")
ARCHIVES = sorted((ROOT / "results").glob("*/archive/record.json"))

pytestmark = pytest.mark.skipif(not ARCHIVES, reason="not in a clone of the repository")


@pytest.mark.parametrize("path", ARCHIVES, ids=lambda path: path.parents[1].name)
def test_an_archive_is_read_and_is_of_a_shipped_experiment(path: Path) -> None:
    results = boostbench.load(path.parent)
    assert (results.trials["status"] == "ok").any()
    assert results.experiment["name"] == path.parents[1].name
    assert results.experiment["config"] in config_names()
    for file in path.parent.iterdir():
        content = file.read_bytes()
        text = lzma.decompress(content) if file.suffix == ".xz" else content
        assert not re.search(rb"/(home|Users|tmp|root|work)/", text), file.name


def test_the_index_says_what_was_found_in_every_archive() -> None:
    index = (ROOT / "results" / "README.md").read_text()
    lines = dict(re.findall(r"^\| \[(\w+)\]\(\1/archive/table\.md\) \| (.*)$", index, re.MULTILINE))
    assert list(lines) == [path.parents[1].name for path in ARCHIVES]
    for path in ARCHIVES:
        name = path.parents[1].name
        found, trials, hours, command, _ = lines[name].split(" |")
        results = boostbench.load(path.parent)
        assert int(trials.replace(",", "")) == len(results.trials)
        assert float(hours) == pytest.approx(results.times["wall_s"].sum() / 3600, abs=0.0051)
        assert command == f" `boostbench report results/{name}/archive`"
        # The paper's figures and single cells; means over other data sets are not on the page.
        said = set(_NUMBER.findall(found))
        missing = said - set(_NUMBER.findall((path.parent / "table.md").read_text()))
        assert said
        assert len(missing) <= (name in ("d3_grid", "fig6_fcd")), (name, missing)


def test_the_index_has_the_means_of_the_trials() -> None:
    index = (ROOT / "results" / "README.md").read_text()
    for name in ("d2", "d3"):
        runs = boostbench.load(ROOT / "results" / name / "archive").trials.query(
            "method == 'srt_l2'"
        )
        mean = runs.groupby("dataset").r2.mean().mean()
        (line,) = (line for line in index.splitlines() if line.startswith(f"| [{name}]"))
        assert f"{mean:.3f} for SRT-l2" in line
