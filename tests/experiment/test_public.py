"""Contents of results without the folders of the machine that they are from."""

import json
from pathlib import Path
from typing import Any

import pytest

from boostbench.config.loading import find_config
from boostbench.experiment.archiving import public
from boostbench.store.types import Contents


def shown(*words: str, **experiment: Any) -> tuple[dict[str, Any], list[str]]:
    """Return what is kept of an experiment, and of the words of a command."""
    run = ("1", "e1", json.dumps(["boostbench", "run", *words]), 1.7e9, "", "", "{}")
    kept = public(Contents({"name": "tiny", **experiment}, [], {}, [], [run]))
    (row,) = kept.runs
    assert (row[:2], row[3:]) == (run[:2], run[3:])
    return dict(kept.experiment), json.loads(row[2])[2:]


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (["d3", "-j", "2", "--only", "method=srt*"], ["d3", "-j", "2", "--only", "method=srt*"]),
        (["/home/me/d3.yaml", "--offline"], ["d3.yaml"]),
        (["d3", "--mirror", "/home/me/data", "--seeds", "1"], ["d3", "--seeds", "1"]),
        (["d3", "--mirror=/home/me/data", "-v"], ["d3", "-v"]),
        (["d3", "--reuse", "../other", "--cluster=tcp://10.0.0.7:1"], ["d3"]),
        (["d3", "--set", "results=/x/y", "--set", "seeds=2"], ["d3", "--set", "seeds=2"]),
        (["d3", "--set", "mirrors=/x/y z/a"], ["d3", "--set", "mirrors=a"]),
    ],
)
def test_words_of_a_command(given: list[str], kept: list[str]) -> None:
    assert shown(*given)[1] == kept


def test_texts_of_the_record() -> None:
    record, _ = shown(
        config="/home/me/my work/d3.yaml",
        results="/home/me/my work/out",
        mirror="/data/my mirror",
        jobs=4,
        sources={"own": {"/home/me/own.py": "digest"}},
        overrides=["results = /x/y", "datasets=[{file: /data/my mirror/a.csv}]"],
        datasets=[{"name": "a", "file": "/home/me/a=1/a.csv"}, {"name": "b", "card": "b"}],
        data_remarks={"a": ["'/srv/their own/a.csv' has 3/4 of the rows", "as it was"]},
        without_data={"b": "no /data/my mirror/sub/b.csv, see https://a.b/c/d"},
    )
    assert record == {
        "name": "tiny",
        "config": "d3.yaml",
        "results": "results/tiny",
        "mirror": None,
        "jobs": None,
        "overrides": ["datasets=[{file: a.csv}]"],
        "datasets": [{"name": "a", "file": "a.csv"}, {"name": "b", "card": "b"}],
        "data_remarks": {"a": ["'a.csv' has 3/4 of the rows", "as it was"]},
        "without_data": {"b": "no b.csv, see https://a.b/c/d"},
    }


def test_a_shipped_experiment_is_named_whatever_its_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("configs").mkdir()
    here = Path("configs/smoke.yaml")
    here.write_bytes(find_config("smoke").read_bytes())
    for config in ("smoke", str(here), str(here.absolute()), str(find_config("smoke"))):
        assert shown(config=config)[0]["config"] == "smoke", config
    # Another experiment of that name, a name that is not shipped, and a file that is gone.
    here.rename("configs/other.yaml")
    here.write_text("name: mine\n")
    for config in ("configs/smoke.yaml", "configs/other.yaml", "configs/d3.yaml"):
        assert shown(config=config)[0]["config"] == config
