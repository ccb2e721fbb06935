"""What commands write with ``--json`` is what one schema, and one page of the docs, describe."""

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from experiments import DUMMY, write

from boostbench.resources import shipped_dir

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "json.md"
jsonschema = pytest.importorskip("jsonschema")


@cache
def _schema() -> dict[str, Any]:
    return json.loads((shipped_dir("configs") / "output-schema.json").read_text(encoding="utf-8"))


def _check(value: object, name: str) -> None:
    """Raise ValidationError where a value is not as the schema says of ``name``."""
    schema = _schema() | {"anyOf": [{"$ref": f"#/$defs/{name}"}]}
    jsonschema.Draft202012Validator(schema).validate(value)


def test_the_schema_itself_is_right() -> None:
    jsonschema.Draft202012Validator.check_schema(_schema())


def _written(cli, name: str, *words: str, code: int = 0) -> Any:
    """Return what a command writes, which is as the schema says."""
    done = cli(*words, "--json")
    assert done.code == code, done.err
    value = json.loads(done.out)
    _check(value, name)
    return value


def test_the_command_writes_the_schema(cli) -> None:
    assert json.loads(cli.well("check", "--json", "--schema").out) == _schema()
    assert "datasets" in json.loads(cli.well("check", "--schema").out)["properties"]


def test_a_check_has_its_remarks_and_its_errors(cli, folder: Path) -> None:
    found = _written(cli, "check", "check", "tiny.yaml")
    assert (found["right"], found["errors"], found["n_trials"]) == (True, [], 8)
    assert (found["datasets"], found["seeds"]) == (["diabetes"], [0, 1])
    assert found["methods"] == ["Ridge", "dummy"]
    fixed = write("fixed", DUMMY, seeds=2)
    remarks = _written(cli, "check", "check", fixed)["remarks"]
    assert {remark["level"] for remark in remarks} <= {"info", "warning"}
    (folder / "bad.yaml").write_text("name: bad\ndatasets: [diabets]\nmethods: [stt]\nfolds: x\n")
    bad = _written(cli, "check", "check", "bad.yaml", code=2)
    assert bad["right"] is False
    assert any(re.match(r"bad\.yaml:4:\d+: ", error) for error in bad["errors"])
    assert "n_trials" not in bad
    paper = _written(cli, "check", "check", "--paper", "srt")
    assert (paper["checked"], paper["right"]) == ("srt", True)
    assert _written(cli, "check", "check", "--paper", "nothing", code=2)["errors"]
    assert "--json tells of a check" in cli.refused("check", "--json")


def test_a_report_has_the_numbers_of_the_frames(cli, tiny_run: Path) -> None:
    found = _written(cli, "report", "report", "tiny", "--format", "md")
    assert found["written"] == ["results/tiny/table.md"]
    means = {row["method"]: row for row in found["means"]}
    assert means["Ridge"]["best"] is True
    assert means["dummy"]["mean"] < means["Ridge"]["mean"] < means["Ridge"]["high"]
    (pair,) = found["pairs"]
    assert (pair["method"], pair["against"], pair["splits"]) == ("Ridge", "dummy", 2)
    assert found["ranks"] == []
    assert found["metric"] == "r2"
    assert found["table"]["header"][0] == "Data set"
    part = _written(cli, "report", "report", "tiny", "--only", "fold=0", "--metric", "mae")
    assert (part["written"], part["metric"], part["greater_is_better"]) == ([], "mae", False)
    assert part["pairs"][0]["verdict"] == "one split"
    assert part["pairs"][0]["p"] is None
    assert cli("report", "tiny", "--only", "fold=7", "--json").out == ""


def test_a_status_and_trials_are_of_what_is_chosen(cli, tiny_run: Path) -> None:
    whole = _written(cli, "status", "status", "tiny")
    assert (whole["planned"], whole["done"]) == (8, 8)
    part = _written(cli, "status", "status", "tiny", "--only", "method=dummy")
    assert (part["planned"], part["unplanned"]) == (4, [])
    both = _written(cli, "statuses", "status", "tiny", "results/tiny")
    assert [one["done"] for one in both] == [8, 8]
    assert "there is no method 'x'" in cli.refused("status", "tiny", "--only", "method=x")
    (trial,) = _written(cli, "show", "show", "diabetes/dummy/1/0", "tiny")["trials"]
    assert (trial["fold"], trial["seed"], trial["status"]) == (1, 0, "ok")
    assert trial["run"].startswith("boostbench run tiny.yaml")
    for words in (("diabetes/dummy",), ("tiny", "--only", "method=dummy"), ("--only", "method=d*")):
        found = _written(cli, "show", "show", *words)
        assert [one["method"] for one in found["trials"]] == ["dummy"] * 4


def test_the_rest_of_a_part_is_what_resumes_it(cli, folder: Path) -> None:
    cli.run_only("tiny.yaml", "--jobs", "1", "--only", "seed=0")
    state = _written(cli, "status", "status", "tiny", "--only", "fold=1", "--only", "method=dummy")
    assert (state["planned"], state["done"]) == (2, 1)
    line = "boostbench run tiny.yaml --jobs 1 --only fold=1 --only method=dummy"
    assert state["resume"] == line
    statuses = [one["status"] for one in _written(cli, "show", "show", "tiny")["trials"]]
    assert sorted(set(statuses)) == ["not run yet", "ok"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["show"], "give a trial as DATASET/METHOD/FOLD/SEED"),
        (["show", "diabetes/nobody"], "no trial 'diabetes/nobody'"),
        (["show", "diabetes/dummy", "tiny", "--in", "tiny"], "--in tiny names the results again"),
        (["show", "tiny", "--metric", "rsme"], "no trial here has recorded 'rsme' (did you mean"),
        (["show", "--only", "method=zzz"], "there is no method 'zzz'"),
        (["list", "methods", "nothing"], "no config 'nothing'"),
        (["list", "method"], "nothing to list by the name 'method' (did you mean 'methods'?)"),
    ],
)
def test_what_is_not_there_is_one_sentence(cli, tiny_run: Path, words, sentence: str) -> None:
    assert sentence in cli.refused(*words)


def test_a_list_shows_the_score_asked_for(cli, tiny_run: Path) -> None:
    shown = cli.well("show", "tiny", "--metric", "mae").out
    assert "results/tiny: 8 of 8 trials done" in shown
    header = next(line for line in shown.splitlines() if "key" in line)
    assert header.split() == ["trial", "key", "status", "mae", "fit_s", "printed", "reason"]
    assert " r2 " in cli.well("show", "tiny").out
    cli.run_only("tiny.yaml", "--jobs", "1", "--set", "name=other", "--set", "metric=mae")
    assert " mae " in cli.well("show", "other").out


def test_lists_are_of_everything_or_of_one_experiment(cli, tiny_run: Path) -> None:
    for what in ("datasets", "methods", "configs", "papers"):
        assert len(_written(cli, "list", "list", what)) >= 2
    for config in ("tiny.yaml", "tiny", "results/tiny"):
        methods = _written(cli, "list", "list", "methods", config)
        assert [one["name"] for one in methods] == ["Ridge", "dummy"]
        assert methods[0]["params"]["alpha"] == 0.1
    (dataset,) = _written(cli, "list", "list", "datasets", "tiny.yaml")
    assert (dataset["name"], dataset["n_samples"]) == ("diabetes", 442)
    assert _written(cli, "list", "list", "papers", "tiny.yaml") == []
    assert [one["name"] for one in _written(cli, "list", "list", "papers", "d3")] == ["srt"]
    (config,) = _written(cli, "list", "list", "configs", "tiny.yaml")
    assert (config["name"], config["n_trials"]) == ("tiny", 8)
    Path("u.csv").write_text("u,y\n" + "".join(f"{n},{n * 3 % 7}\n" for n in range(20)))
    own = write("own", DUMMY, data="{name: ours, file: u.csv, target: y}")
    (dataset,) = _written(cli, "list", "list", "datasets", own)
    assert (dataset["name"], dataset["n_samples"]) == ("ours", None)
    assert dataset["sources"] == ["u.csv"]
    assert "ours" in cli.well("list", "datasets", own).out
    Path("tiny.yaml").unlink()
    assert "the experiment file of results/tiny is gone" in cli.refused("list", "methods", "tiny")


def test_runs_compared_and_sampled(cli, tiny_run: Path) -> None:
    cli.run_only("tiny.yaml", "--jobs", "1", "--set", "name=other", "--set", "seeds=1")
    _written(cli, "compare", "compare", "tiny", "other")
    _written(cli, "verify_sample", "verify", "tiny", "--sample", "2", "--jobs", "1")


def test_claims_as_json(cli, folder: Path) -> None:
    archive = Path(__file__).parents[2] / "results" / "quickstart" / "archive"
    if not archive.is_dir():
        pytest.skip("not in a clone of the repository")
    found = _written(cli, "verify", "verify", str(archive))
    assert sum(found["counts"].values()) == len(found["claims"])
    margins = _written(cli, "verify_margins", "verify", str(archive), "--margins")
    assert [row["factor"] for row in margins] == [0.5, 1.0, 2.0]
    _written(cli, "report", "report", str(archive))


def test_a_key_that_the_schema_lacks_is_refused() -> None:
    empty = {"results": "r", "trials": []}
    _check(empty, "show")
    with pytest.raises(jsonschema.ValidationError):
        _check({**empty, "more": 1}, "show")
    with pytest.raises(jsonschema.ValidationError):
        _check({"results": "r"}, "show")


def _objects(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield each part of a schema that has properties."""
    if isinstance(schema, dict):
        if "properties" in schema:
            yield schema
        for part in schema.values():
            yield from _objects(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from _objects(part)


def test_each_key_is_described_and_no_other_is_allowed() -> None:
    objects = list(_objects(_schema()["$defs"]))
    assert len(objects) > 15
    for each in objects:
        assert each["additionalProperties"] is False
        assert each["description"]
        assert [name for name, own in each["properties"].items() if not own["description"]] == []


@pytest.mark.skipif(not PAGE.is_file(), reason="not in a clone of the repository")
def test_the_page_names_the_keys_of_each_command() -> None:
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line[:3] == "| `"]
    described = {}
    for line in lines:
        _, _, name, keys, _ = line.split("|")
        described[name.strip().strip("`")] = set(re.findall(r"`(\w+)`", keys))
    schemas = _schema()["$defs"]
    assert set(described) == set(schemas)
    for name, own in schemas.items():
        if name != "list":
            assert described[name] == set(own.get("items", own)["properties"]), name
