"""What commands write with ``--json``, for other programs to read."""

import json


def test_lists_as_json(cli) -> None:
    datasets = {card["name"]: card for card in json.loads(cli("list", "datasets", "--json").out)}
    assert datasets["yacht"]["n_samples"] == 308
    assert datasets["yacht"]["task"] == "regression"
    assert "ailerons:full" in datasets["ailerons"]["variants"]
    methods = {
        method["name"]: method for method in json.loads(cli("list", "methods", "--json").out)
    }
    assert methods["srt_l2_best5"]["params"]["n_restarts"] == 5
    assert methods["srt"]["estimator"] == "boostbench.trees:SoftRegressionTree"
    configs = {
        config["name"]: config for config in json.loads(cli("list", "configs", "--json").out)
    }
    assert configs["smoke"]["n_trials"] == 18
    assert configs["d3"]["paper"] == "srt"


def test_what_cannot_be_loaded_is_listed_with_its_error(cli, install) -> None:
    install("boostbench.methods", torn=ImportError("no libfoo"))
    methods = json.loads(cli("list", "methods", "--json").out)
    assert methods[-1]["name"] == "torn"
    assert methods[-1]["error"].endswith("cannot be imported: no libfoo")


def test_status_as_json(cli, folder) -> None:
    done = cli("run", "tiny.yaml", "--jobs", "1", "--only", "seed=0", "--only", "method=dummy")
    assert done.code == 0
    state = json.loads(cli("status", "tiny", "--json").out)
    assert (state["name"], state["planned"], state["done"]) == ("tiny", 8, 2)
    assert state["statuses"] == {"ok": 2}
    assert {(c["method"], c["planned"], c["done"], c["failed"]) for c in state["cells"]} == {
        ("Ridge", 4, 0, 0), ("dummy", 4, 2, 0),
    }  # fmt: skip
    assert state["resume"] == "boostbench run tiny.yaml --jobs 1"
    assert cli("run", "tiny.yaml", "--set", "name=other", "--set", "seeds=1").code == 0
    overview = {row["results"]: row for row in json.loads(cli("status", "--json").out)}
    assert overview["results/other"] == {
        "results": "results/other", "planned": 4, "done": 4, "failed": 0, "running": 0,
    }  # fmt: skip
    assert overview["results/tiny"]["done"] == 2
