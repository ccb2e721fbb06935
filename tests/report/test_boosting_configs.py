"""The shipped boosting experiments get the figures and claims that they are for."""

import pytest
from boosting_parts import ok

from boostbench.config.loading import load_experiment
from boostbench.plan.expand import expand
from boostbench.report.classification.claimtable import claim_tables
from boostbench.report.classification.curves import curves
from boostbench.report.classification.layout import display_name, layouts
from boostbench.report.classification.runs import Results, load_results
from boostbench.report.classification.stats import summarise
from boostbench.report.frame import Snapshot
from boostbench.report.listings import methods


def as_if_run(name: str) -> Results:
    experiment = load_experiment(name)
    fingerprints = {
        entry.name: f"{number:064x}" for number, entry in enumerate(experiment.datasets)
    }
    plan = expand(experiment, fingerprints)
    assert {trial.task for trial in plan} == {"classification"}
    outcomes = {steps: ok([0.2] * steps) for steps in {t.params["max_iter"] for t in plan}}
    recorded = {trial.key: outcomes[trial.params["max_iter"]] for trial in plan}
    return load_results(Snapshot(plan, recorded, experiment.model_dump(mode="json")))


@pytest.mark.parametrize(
    ("name", "panels"),
    [
        ("fig1_uci", [("", 2, 3)]),
        ("fig2_digits", [("", 3, 3)]),
        ("fig6_fcd", [("", 2, 3), ("-errors", 3, 3)]),
        ("boosting_smoke", [("", 2, 3)]),
    ],
)
def test_panels_as_in_the_paper(name: str, panels: list[tuple[str, int, int]]) -> None:
    results = as_if_run(name)
    found = layouts(results, curves(results))
    assert [(each.suffix, len(each.rows), len(each.rows[0])) for each in found] == panels


def test_parameters_tell_what_was_chosen_and_how() -> None:
    table = methods(summarise(as_if_run("fig1_uci")))
    told = {row[0].text: row[table.header.index("Parameters")].text for row in table.rows}
    chosen = "; C chosen from 100, 1e3, 1e4, 1e5"
    assert told["multiboost_cw"].endswith(chosen)
    assert told["multiboost"].endswith(f"{chosen}, with solver = fcd")
    assert told["adaboost_mh"] == "max_iter = 500"


def test_methods_have_the_names_of_the_papers_legends() -> None:
    names = [display_name(method) for method in as_if_run("fig2_digits").methods]
    assert [name for name in names if name != "lbfgsb_200"] == [
        "CW", "CW-1", "MultiBoost (FCD)", "Ada.ECC", "Ada.MH", "Ada.MO",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "claims"), [("fig1_uci", 19), ("fig2_digits", 20), ("fig6_fcd", 7)]
)
def test_every_claim_of_the_figure_is_judged(name: str, claims: int) -> None:
    results = as_if_run(name)
    (table,) = claim_tables(summarise(results), curves(results))
    assert len(table.rows) == claims
