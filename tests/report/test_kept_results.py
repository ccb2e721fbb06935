"""The results kept in the repository: readable, without local paths, and what the README says."""

import gzip
import re
from pathlib import Path

import pytest

import boostbench
from boostbench.config.loading import config_names

ROOT = Path(__file__).parents[2]
ARCHIVES = sorted((ROOT / "results").glob("*/archive/archive.json"))

pytestmark = pytest.mark.skipif(not ARCHIVES, reason="not in a clone of the repository")


@pytest.mark.parametrize("path", ARCHIVES, ids=lambda path: path.parents[1].name)
def test_an_archive_is_read_and_is_of_a_shipped_experiment(path: Path) -> None:
    results = boostbench.load(path.parent)
    assert (results.trials["status"] == "ok").any()
    assert results.experiment["name"] == path.parents[1].name
    assert results.experiment["config"] in config_names()
    for file in path.parent.iterdir():
        content = file.read_bytes()
        text = gzip.decompress(content) if file.suffix == ".gz" else content
        assert not re.search(rb"/(home|Users|tmp|root|work)/", text), file.name


@pytest.mark.parametrize("heading", ["Soft regression trees", "Multi-class boosting"])
def test_the_index_has_the_means_of_the_trials(heading: str) -> None:
    part = (ROOT / "results" / "README.md").read_text().partition(f"## {heading}")[2]
    part = part.partition("\n## ")[0]
    rows = [re.split(r" *\| *", line)[1:-1] for line in part.splitlines() if line[:1] == "|"]
    (_, *columns), _, *rows = rows
    names = re.findall(r"\]\((\w+)/archive\)", part)
    trials = [boostbench.load(ROOT / "results" / name / "archive").trials for name in names]
    left_out = part.partition("Runs with R2 < 0 of ")[2].partition(" are left out")[0]
    checked = 0
    for label, *cells in rows:
        for column, cell in zip(columns, cells, strict=True):
            if heading == "Soft regression trees":
                runs = trials[columns.index(column)].query(f"method == {label.strip('`')!r}")
                scores = runs.r2[runs.r2 >= 0] if label in left_out else runs.r2
                mean = f"{scores.groupby(runs.dataset).mean().mean():.3f}"
            elif cell:
                wanted = f"dataset == {label!r} and method == {column.strip('`')!r}"
                runs = next(runs for table in trials if len(runs := table.query(wanted)))
                mean = f"{100 * runs.error.mean():.2f}"
            else:
                continue
            assert cell.partition(" ")[0] == mean, (label, column)
            checked += 1
    assert checked >= 16
