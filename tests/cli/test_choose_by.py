"""``choose`` with ``by`` and ``folds`` in an experiment file: refusals, records and the report."""

import dataclasses
from pathlib import Path

import pytest
from experiments import write

import boostbench
from boostbench.config.entries import MethodEntry
from boostbench.experiment.listener import Listener
from boostbench.store.store import Store
from results import rows

RIDGE = "{{name: ridge, estimator: sklearn.linear_model.Ridge, choose: {{{}}}}}"
VALUES = "alpha: [0.01, 1.0, 100.0]"


def method(choose: str) -> str:
    return RIDGE.format(choose)


def plan(name: str) -> list:
    with Store.read(Path("results", name)) as store:
        return list(store.plan())


def test_how_values_were_chosen_is_recorded_and_shown(cli) -> None:
    cli.well("run", write("x", method(f"{VALUES}, by: mae, folds: 3")), "-j", "1")
    first = rows("results/x")[0]
    assert float(first["chosen_alpha"]) in (0.01, 1.0, 100.0)
    assert (first["choose_by"], first["choose_folds"]) == ("-mae", "3")
    text = Path("results/x/table.md").read_text()
    assert "alpha chosen from 0.01, 1, 100, by mae, in 3 inner folds" in text
    shown = cli.well("show", "diabetes/ridge/0/0").out
    assert "mae" in shown.partition("choose by")[2].partition("\n")[0]


def test_a_search_is_shown_as_a_choice_is(cli, folder: Path) -> None:
    (folder / "searched_models.py").write_text(
        "from sklearn.linear_model import Ridge\n"
        "from sklearn.model_selection import GridSearchCV\n\n"
        "def search():\n    return GridSearchCV(Ridge(), {'alpha': [0.25, 0.5]})\n"
    )
    cli.well("run", write("x", "{name: grid, estimator: searched_models.search}"), "-j", "1")
    assert {row["chosen_alpha"] for row in rows("results/x")} <= {"0.25", "0.5"}
    text = Path("results/x/table.md").read_text()
    assert "Chosen" in text
    assert "alpha" in text


@pytest.mark.parametrize(
    ("choose", "place", "words"),
    [
        (f"{VALUES}, by: roc_auk", "3:", "no metric 'roc_auk' (did you mean 'roc_auc'?)"),
        (f"{VALUES}, by: roc_auc", "3:", "roc_auc is for classification, a data set for regress"),
        (f"{VALUES}, by: nowhere_at_all:score", "3:", "nowhere_at_all:score cannot be imported"),
        (f"{VALUES}, folds: 1", "3:", "'folds', a whole number of at least 2, not"),
        (f"{VALUES}, folds: true", "3:", "'folds', a whole number of at least 2, not"),
        (f"{VALUES}, by: 3", "3:", "'by', the name of a metric"),
        ("by: r2, folds: 3", "3:", "each with a list of at least one value"),
        (f"{VALUES}, fit_intercept: true", "3:", "each with a list of at least one value"),
        (f"{VALUES}, folds: [2, 3]", "3:", "Ridge has no parameter 'folds'"),
    ],
)
def test_a_choice_that_makes_no_sense_is_refused(cli, choose, place, words) -> None:
    text = cli.refused("check", write("x", method(choose)))
    assert f"x.yaml:{place}" in text
    assert words in text


def test_a_list_is_that_of_a_parameter_whatever_its_name() -> None:
    entry = MethodEntry.model_validate(
        {"estimator": "a:B", "choose": {"by": [1, 2], "folds": [3], "depth": [1]}}
    )
    assert entry.values_to_choose == {"by": [1, 2], "folds": [3], "depth": [1]}
    assert (entry.choose_by, entry.choose_folds) == ("", 0)


def test_without_by_and_folds_the_key_has_neither(cli) -> None:
    cli.run_only(write("plain", method(VALUES)), "-j", "1")
    cli.run_only(write("other", method(f"{VALUES}, folds: 3")), "-j", "1")
    plain, other = plan("plain")[0], plan("other")[0]
    newer = {"features", "weighted", "rows", "choose_by", "choose_folds"}
    assert not newer & plain.key_parts().keys()
    assert not newer & plain.to_dict().keys()
    assert newer & other.key_parts().keys() == {"choose_folds"}
    assert dataclasses.replace(other, choose_folds=0).key == plain.key
    assert "choose_by" not in rows("results/plain")[0]


OWN = "def score(estimator, X, y):\n    return -abs(estimator.alpha - {})\n"


def test_values_are_chosen_by_a_function_of_ones_own_and_again_after_an_edit(cli, folder) -> None:
    module = folder / "metric_to_choose_by.py"
    module.write_text(OWN.format(1.0))
    config = write("x", method(f"{VALUES}, by: 'metric_to_choose_by:score'"))
    cli.run_only(config, "-j", "1")
    assert {row["chosen_alpha"] for row in rows("results/x")} == {"1.0"}
    assert "nothing was missing" in cli.run_only(config, "-j", "1").out
    module.write_text(OWN.format(100.0) + "# edited\n")
    boostbench.run(config, listener=Listener(), jobs=1, offline=True)
    assert {row["chosen_alpha"] for row in rows("results/x")} == {"100.0"}


def test_a_metric_that_the_experiment_describes_says_which_way_is_better(cli, folder) -> None:
    (folder / "metric_of_distance.py").write_text(OWN.format(1.0).replace("-abs", "abs"))
    entry = "[{name: distance, function: 'metric_of_distance:score', greater_is_better: false}]"
    config = write("x", method(f"{VALUES}, by: distance"), metrics=entry)
    cli.run_only(config, "-j", "1")
    assert {row["chosen_alpha"] for row in rows("results/x")} == {"1.0"}
