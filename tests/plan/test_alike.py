"""Trials that are alike: made from one of them, each is what its own fields make of it."""

import copy
import pickle
from dataclasses import replace

import pytest
from trials import make_trial

from boostbench.plan.trial import Trial, canonical_json

PLAIN = make_trial()
ODD = make_trial(
    params={"text": '100 % "so"', "none": None, "tiny": 1e-300},
    choose={"C": [1, 2.5]},
    metrics={"own": "mine:score"},
    labels=("a", "b"),
    keep=("predictions",),
    split_seed=3,
)
GIVEN = make_trial(split="shuffle", folds=9, test_size=0.25)
LISTED = make_trial(split="group", rows="0" * 64)


@pytest.mark.parametrize("first", [PLAIN, ODD, GIVEN, LISTED])
@pytest.mark.parametrize("rows", ["", "f" * 64])
def test_a_trial_at_another_place_is_as_its_fields_make_it(first: Trial, rows: str) -> None:
    made = first.at(7, 2, 11, rows)
    own = replace(first, split_seed=7, fold=2, seed=11, rows=rows)
    assert made == own
    assert (made.key, made.text) == (own.key, canonical_json(own.to_dict()))
    assert (made.random_state, made.name) == (own.random_state, own.name)
    assert Trial.from_dict(made.to_dict()) == own
    assert made.key != first.key


def test_trials_of_trials_copies_and_places_are_alike() -> None:
    made = ODD.at(7, 2, 11)
    assert made.at(0, 1, 2).key == ODD.at(0, 1, 2).key
    for other in (copy.deepcopy(made), pickle.loads(pickle.dumps(made)), made.planned.trial):
        assert (other, other.key, other.text) == (made, made.key, made.text)
    # What is changed is another trial, whatever it was made from.
    assert replace(made, params={}).key == replace(ODD, params={}).at(7, 2, 11).key != made.key
