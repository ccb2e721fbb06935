"""What ``check`` finds before anything is run, and what it lets pass."""

from pathlib import Path

import pytest

from boostbench.engine.types import Limits

HEAD = "name: x\ndatasets: [{datasets}]\nfolds: 4\nseeds: 1\nmethods:\n"


def _config(folder: Path, method: str, datasets: str = "diabetes") -> str:
    (folder / "x.yaml").write_text(f"{HEAD.format(datasets=datasets)}  - {method}\n")
    return "x.yaml"


@pytest.mark.end_to_end
def test_a_misspelt_parameter_of_an_estimator_that_takes_any(cli, folder: Path) -> None:
    pytest.importorskip("xgboost")
    pytest.importorskip("lightgbm")
    xgboost = "{estimator: xgboost.XGBRegressor, params: {max_dept: 3, verbosity: 0}}"
    lightgbm = "{estimator: lightgbm.LGBMRegressor, params: {num_leafs: 3, verbose: -1}}"
    done = cli("check", _config(folder, f"{xgboost}\n  - {lightgbm}"))
    assert (done.code, "is right" in done.out) == (0, True)
    assert "XGBRegressor: max_dept (did you mean 'max_depth'?): passed" in done.err
    assert "LGBMRegressor: num_leafs (did you mean 'num_leaves'?), verbose" in done.err


@pytest.mark.end_to_end
def test_a_right_parameter_that_is_not_named_passes_with_a_word(cli, folder: Path) -> None:
    pytest.importorskip("lightgbm")
    method = "{name: lgb, estimator: lightgbm.LGBMRegressor, params: {max_bin: 63, num_leaves: 7}}"
    # LightGBM says of an alias that another parameter is ignored.
    alias = "{name: alias, estimator: lightgbm.LGBMRegressor, params: {lambda_l1: 0.3}}"
    done = cli("check", _config(folder, f"{method}\n  - {alias}"))
    assert (done.code, "is right" in done.out) == (0, True)
    assert "lgb: max_bin: passed on as given" in done.err


@pytest.mark.end_to_end
def test_a_trial_fit_that_is_given_up_is_named(
    cli, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("boostbench.engine.probe._LIMITS", Limits(time_s=1.0))
    (folder / "check_slow.py").write_text(
        "import time\nfrom sklearn.dummy import DummyRegressor\n"
        "class Slow(DummyRegressor):\n"
        "    def fit(self, X, y):\n        time.sleep(60)\n"
    )
    done = cli("check", _config(folder, "{name: slow, estimator: check_slow.Slow}"))
    assert done.code == 0
    assert "slow: the trial fit was given up, over the time limit of 1 s" in done.err


def test_an_estimator_that_fails_at_any_fit(cli, folder: Path) -> None:
    (folder / "check_fails.py").write_text(
        "from sklearn.dummy import DummyRegressor\n"
        "class Fails(DummyRegressor):\n"
        "    def fit(self, X, y):\n"
        "        raise RuntimeError('not this one')\n"
    )
    done = cli("check", _config(folder, "{estimator: check_fails.Fails}"))
    assert done.code == 2
    assert (
        "a trial fit of 'Fails' on random numbers, 442 rows of 10: RuntimeError: not this one"
        in done.err
    )


def test_a_trial_fit_is_on_the_users_own_data(cli, folder: Path) -> None:
    rows = "\n".join(f"{i},{i * i % 7}" for i in range(40))
    (folder / "own.csv").write_text(f"a,y\n{rows}\n")
    own = "{name: ours, file: own.csv, target: y}"
    fits = "{estimator: sklearn.neighbors.KNeighborsRegressor, params: {n_neighbors: 30}}"
    assert cli("check", _config(folder, fits, own)).code == 0
    too_many = fits.replace("30", "31")
    done = cli("check", _config(folder, too_many, own))
    assert done.code == 2
    assert "on the data set 'ours': ValueError: Expected n_neighbors" in done.err
