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
