"""What commands write with ``--json``, for other programs to read."""

import json


def test_lists_as_json(cli) -> None:
    datasets, methods, configs = (
        {row["name"]: row for row in json.loads(cli("list", kind, "--json").out)}
        for kind in ("datasets", "methods", "configs")
    )
    assert datasets["yacht"]["n_samples"] == 308
    assert datasets["yacht"]["task"] == "regression"
    assert "ailerons:full" in datasets["ailerons"]["variants"]
    assert {"UCI 1", "OpenML 183"} < set(datasets["abalone"]["sources"])
    assert datasets["iris"]["sources"] == ["scikit-learn's iris"]
    assert methods["srt_l2_best5"]["params"]["n_restarts"] == 5
    assert methods["srt"]["estimator"] == "boostbench.trees:SoftRegressionTree"
    assert configs["smoke"]["n_trials"] == 18
    assert configs["d3"]["paper"] == "srt"


def test_broken_entries_are_listed_with_their_errors(cli, install) -> None:
    install("boostbench.methods", torn=ImportError("no libfoo"))
    methods = json.loads(cli("list", "methods", "--json").out)
    assert methods[-1]["name"] == "torn"
    assert methods[-1]["error"].endswith("cannot be imported: no libfoo")


def test_status_as_json(cli) -> None:
    cli.well("run", "tiny.yaml", "--jobs", "1", "--only", "seed=0", "--only", "method=dummy")
    state = json.loads(cli("status", "tiny", "--json").out)
    assert (state["name"], state["planned"], state["done"]) == ("tiny", 8, 2)
    assert state["statuses"] == {"ok": 2}
    assert {(c["method"], c["planned"], c["done"], c["failed"]) for c in state["cells"]} == {
        ("Ridge", 4, 0, 0),
        ("dummy", 4, 2, 0),
    }
    assert state["resume"] == "boostbench run tiny.yaml --jobs 1"
    cli.well("run", "tiny.yaml", "--set", "name=other", "--set", "seeds=1")
    overview = {row["results"]: row for row in json.loads(cli("status", "--json").out)}
    assert overview["results/other"] == {
        "results": "results/other",
        "planned": 4,
        "done": 4,
        "failed": 0,
        "running": 0,
    }
    assert overview["results/tiny"]["done"] == 2
