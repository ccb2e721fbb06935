"""The errors that ``check`` finds before a run, and the files that it accepts."""

from pathlib import Path

import pytest
from experiments import write, write_model

from boostbench.engine.interface import TrialLimits


def test_parameters_of_an_estimator_that_takes_any_pass_with_a_word(cli) -> None:
    pytest.importorskip("xgboost")
    pytest.importorskip("lightgbm")
    text = cli.well(
        "check",
        write(
            "x",
            "{estimator: xgboost.XGBRegressor, params: {max_dept: 3, verbosity: 0}}",
            "{estimator: lightgbm.LGBMRegressor, params: {num_leafs: 3, verbose: -1}}",
            "{name: right, estimator: lightgbm.LGBMRegressor, params: "
            "{max_bin: 63, num_leaves: 7}}",
            # LightGBM says of an alias that another parameter is ignored.
            "{name: alias, estimator: lightgbm.LGBMRegressor, params: {lambda_l1: 0.3}}",
        ),
    )
    assert "is right" in text.out
    assert "XGBRegressor: max_dept (did you mean 'max_depth'?): passed" in text.err
    assert "LGBMRegressor: num_leafs (did you mean 'num_leaves'?), verbose" in text.err
    assert "right: max_bin: passed on as given" in text.err


@pytest.mark.end_to_end
def test_a_trial_fit_that_is_given_up_is_named(cli, monkeypatch) -> None:
    monkeypatch.setattr("boostbench.engine.probe._LIMITS", TrialLimits(time_s=1.0))
    slow = write_model("check_slow", "import time; time.sleep(60)")
    text = cli.well("check", write("x", slow)).err
    assert "own: the trial fit was given up, over the time limit of 1 s" in text


def test_an_estimator_that_fails_at_any_fit(cli) -> None:
    text = cli.refused("check", write("x", write_model("check_fails", "raise RuntimeError('no')")))
    assert "a trial fit of 'own' on random numbers, 442 rows of 10: RuntimeError: no" in text


def test_a_trial_fit_is_on_the_users_own_data(cli, folder: Path) -> None:
    rows = "\n".join(f"{2 * i},{i * i % 7}" for i in range(40))
    (folder / "own.csv").write_text(f"a,y\n{rows}\n")
    own = "{name: ours, file: own.csv, target: y}"
    fits = "{estimator: sklearn.neighbors.KNeighborsRegressor, params: {n_neighbors: 30}}"
    cli.well("check", write("x", fits, data=own, folds=4))
    text = cli.refused("check", write("x", fits.replace("30", "31"), data=own, folds=4))
    assert "on the data set 'ours': ValueError: Expected n_neighbors" in text
