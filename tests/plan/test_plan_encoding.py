"""What is encoded in bulk is what each trial would be by itself."""

from dataclasses import replace
from itertools import product

from boostbench.plan.encoding import fill_keys, texts
from boostbench.plan.trial import Trial, canonical_json

_ONE = Trial(
    dataset="a", method="m", estimator="x:Y", method_version="1", fingerprint="f" * 64,
    task="regression", folds=4, fold=0, split_seed=7, seed=0, scale_features="minmax",
    scale_target="standard", params={"fold": 5, "z": [1, None], "seed": {"fold": "é"}},
)  # fmt: skip
_KINDS = [
    _ONE,
    replace(_ONE, dataset='quo"te'),
    replace(_ONE, params={}),
    replace(_ONE, params={"depth": 3}),
    replace(_ONE, split="shuffle", test_size=0.25),
    replace(_ONE, choose={"C": [1.0, 1e5]}, curves=True),
    replace(_ONE, choose={"C": [1.0, 1e5]}, choose_with={"seed": {"fold": 1}}),
    replace(_ONE, split="shuffle", test_size=0.25, choose={"a": [1]}, task="classification"),
]


def _trials() -> list[Trial]:
    spread = [
        replace(kind, fold=fold, seed=seed)
        for kind, fold, seed in product(_KINDS, (0, 3), (0, 12345678901))
    ]
    # Kinds in turns as well, so that what is shared has to be seen to change.
    return spread + [replace(kind, fold=1) for kind in _KINDS * 2]


def test_texts_are_the_canonical_json() -> None:
    trials = _trials()
    assert texts(trials) == [canonical_json(trial.to_dict()) for trial in trials]
    assert texts([]) == []


def test_keys_are_those_of_single_trials() -> None:
    trials = _trials()
    alone = [replace(trial).key for trial in trials]
    fill_keys(trials)
    assert [trial.__dict__["key"] for trial in trials] == alone
    assert len(set(alone)) == 7 * 4 + 7


def test_a_trial_comes_back_from_its_json_with_what_older_stores_lack() -> None:
    for trial in _trials():
        values = trial.to_dict()
        assert Trial.from_dict(values) == trial
        assert Trial.from_dict(values).key == trial.key
    old = {
        k: v
        for k, v in _ONE.to_dict().items()
        if k not in ("split", "test_size", "choose", "choose_with")
    }
    assert Trial.from_dict(old) == _ONE
    assert Trial.from_dict(old, "known").key == "known"
