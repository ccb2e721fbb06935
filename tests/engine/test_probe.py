"""One small fit per estimator finds those that fail."""

import dataclasses
from pathlib import Path

import pytest
from support import trial

from boostbench.engine.probe import probe, synthetic

MODULE = '''
from sklearn.dummy import DummyRegressor

class Loose(DummyRegressor):
    """Take any parameter."""
    def __init__(self, known=1, **others):
        super().__init__()
        self.known, self.others = known, others
    def get_params(self, deep=True):
        return {"known": self.known, **self.others}
    def set_params(self, **params):
        return self

class Fails(DummyRegressor):
    def fit(self, X, y):
        raise RuntimeError("not this one")

class Odd(DummyRegressor):
    """Fails where a choice or learning curves are asked for."""
    def staged_predict(self, X):
        raise RuntimeError("no stages here")
'''


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    name = "module_that_is_probed"
    (tmp_path / f"{name}.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    return name


@pytest.mark.usefixtures("cheap")
def test_errors_of_methods_are_reported_by_label(own: str) -> None:
    datasets = [synthetic("regression", (40, 3)), synthetic("regression", (30, 2))]
    marks = [dataset.fingerprint for dataset in datasets]

    def one(method: str, name: str, mark: str = marks[0], **params: object):
        return dataclasses.replace(trial(mark, f"{own}:{name}", **params), method=method)

    odd = one("odd", "Odd", quantile=0.5)
    trials = [
        one("good", "Loose", known=2, used=1),
        # No split of the real rows can be made of these few.
        dataclasses.replace(one("given", "Loose"), split="given", train_rows=60_000),
        dataclasses.replace(one("listed", "Loose"), split="listed", test_rows="0" * 64),
        one("failing", "Fails"),
        one("elsewhere", "Fails", marks[1]),
        one("wrong", "Odd", strategy="none of them"),
        dataclasses.replace(
            odd, curves=True, choose={"quantile": [0.2, 5.0]}, choose_with={"constant": 1}
        ),
    ]
    wrong, given_up = probe(trials, datasets)
    assert given_up == {}
    assert set(wrong) == {"failing", "elsewhere", "wrong"}
    assert "not this one" in wrong["failing"]
    assert "not this one" in wrong["elsewhere"]
    assert "strategy" in wrong["wrong"]
