"""A plan makes its trials when they are asked for, and a store knows it by what it is made of."""

from pathlib import Path

import pytest

from boostbench.config.loading import load_experiment
from boostbench.config.model import Experiment
from boostbench.plan.expand import expand
from boostbench.plan.selection import Selection
from boostbench.store.plan_rows import MADE_OF
from boostbench.store.sqlite import read_meta, write_meta
from boostbench.store.store import Store
from boostbench.store.types import Outcome

PRINTS = {"diabetes": "d" * 64, "friedman1": "f" * 64}
TEXT = """\
name: x
datasets: [friedman1, diabetes]
methods:
  - {estimator: sklearn.linear_model.Ridge, params: {alpha: 0.5}}
  - {name: dummy, estimator: sklearn.dummy.DummyRegressor}
folds: 3
seeds: [4, 2]
split_seeds: [0, 5]
"""


@pytest.fixture
def experiment(tmp_path: Path) -> Experiment:
    path = tmp_path / "x.yaml"
    path.write_text(TEXT)
    return load_experiment(path)


@pytest.mark.parametrize(
    "only", [[], ["dataset=d*"], ["method=dummy", "fold=1,2"], ["split_seed=5", "seed=2"]]
)
def test_a_selected_part_has_the_trials_that_match(experiment: Experiment, only) -> None:
    plan, chosen = expand(experiment, PRINTS), Selection.of(only, experiment)
    part = plan.where(chosen.matches)
    assert part == [trial for trial in plan if trial in chosen]
    assert len(part) == len(list(part))


def test_a_plan_is_known_by_its_trials(experiment: Experiment) -> None:
    plan = expand(experiment, PRINTS)
    assert plan.digest == expand(experiment, PRINTS).digest
    others = [
        expand(experiment.model_copy(update=changed), PRINTS)
        for changed in ({"seeds": [4]}, {"seeds": [2, 4]}, {"folds": 4}, {"split_seeds": [0]})
    ]
    others.append(expand(experiment, {**PRINTS, "diabetes": "e" * 64}))
    assert len({plan.digest, *(other.digest for other in others)}) == 6


def test_a_store_knows_the_plan_that_it_has(experiment: Experiment, tmp_path: Path) -> None:
    plan, less = (expand(experiment.model_copy(update={"seeds": s}), PRINTS) for s in ([4, 2], [4]))
    with Store.open(tmp_path / "results") as store:
        store.set_plan({}, plan)
        store.record(list(plan)[1], Outcome("ok"))
        digest = store.digest()
        assert store.is_made_of(plan)
        assert store.plan() == plan
        assert not store.is_planned(less)
        assert store.recorded_of(plan) == {list(plan)[1].key}
        assert store.recorded_of(less) == set()
        # A store that was written earlier does not know what its plan was made of.
        store.set_plan({}, list(plan))
        assert not store.is_made_of(plan)
        assert store.is_planned(plan)
        assert store.recorded_of(plan) == {list(plan)[1].key}
        assert store.digest() == digest
        store.set_plan({}, less)
        assert store.is_made_of(less)
        assert store.plan() == less


def test_a_plan_of_a_version_that_does_not_say_what_it_made_it_of_is_seen(
    experiment: Experiment, tmp_path: Path
) -> None:
    plan, less = (expand(experiment.model_copy(update={"seeds": s}), PRINTS) for s in ([4, 2], [4]))
    with Store.open(tmp_path / "results") as store:
        store.set_plan({}, plan)
        made_of = read_meta(store.database, MADE_OF)
        store.set_plan({}, list(less))
        with store.database.transaction() as db:
            write_meta(db, MADE_OF, made_of)
        assert not store.is_planned(plan)
        store.set_plan({}, plan)
        assert store.plan() == plan
