"""One trial as a function of its key: the same in this process, in a worker, in any order."""

import json
import os

import numpy as np
import pytest
from driving import processes_of
from sklearn.linear_model import Ridge
from sklearn.metrics import mean_absolute_error, mean_squared_error, r2_score
from support import TrialLimits, run, save, trial

from boostbench.data import kfold_indices, load_arrays, prepare_split
from boostbench.engine.execution import run_trial

RIDGE = "sklearn.linear_model:Ridge"


def test_the_metrics_are_those_of_the_test_fold_on_the_trained_scale(tmp_path, mark):
    outcome = run_trial(trial(mark, RIDGE, fold=2, alpha=0.5), tmp_path / "arrays")
    dataset = load_arrays(mark, tmp_path / "arrays")
    train, test = kfold_indices(40, 4, 2, 0)
    data = prepare_split(dataset, train, test)
    model = Ridge(alpha=0.5).fit(data.X_train, data.y_train)
    predicted, fitted = model.predict(data.X_test), model.predict(data.X_train)
    assert outcome.status == "ok"
    assert outcome.metrics == pytest.approx(
        {
            "r2": r2_score(data.y_test, predicted),
            "mse": mean_squared_error(data.y_test, predicted),
            "rmse": mean_squared_error(data.y_test, predicted) ** 0.5,
            "mae": mean_absolute_error(data.y_test, predicted),
            "train_r2": r2_score(data.y_train, fitted),
            "train_rmse": mean_squared_error(data.y_train, fitted) ** 0.5,
            "train_mae": mean_absolute_error(data.y_train, fitted),
            "n_train": 30,
            "n_test": 10,
        },
        rel=1e-12,
    )
    assert set(outcome.times) == {"fit_s", "fit_cpu_s", "predict_s", "wall_s", "peak_rss_mib"}
    assert 0 <= outcome.times["fit_s"] < outcome.times["wall_s"]
    json.dumps(vars(outcome), allow_nan=False)


def test_workers_order_and_limits_leave_no_trace_in_the_results(tmp_path, mark):
    tree, forest = "boostbench.trees:SoftRegressionTree", "sklearn.ensemble:RandomForestRegressor"
    trials = []
    for i in range(6):
        trials.append(trial(mark, tree, i % 4, i // 4, max_iter=3, depth=2))
        trials.append(trial(mark, forest, i % 4, i // 4, n_estimators=5))
    here = [run_trial(one, tmp_path / "arrays") for one in trials]
    limits = TrialLimits(time_s=60, memory_bytes=2**30)
    seen = set()

    def look(event):
        if event.kind == "end":
            seen.update(processes_of(os.getpid()))

    there, _ = run(tmp_path, trials[::-1], jobs=2, limits=limits, listener=look)
    assert [o.status for o in here] == ["ok"] * 12
    assert [o.metrics for o in here] == [o.metrics for o in there[::-1]]
    # Trials of boostbench and scikit-learn share processes: the warm one, and two forks of it.
    assert len(seen) == 3


def test_missing_arrays_and_a_constant_target_are_the_trial_s_error(tmp_path):
    constant = save(tmp_path, np.random.default_rng(0).normal(size=(20, 2)), np.ones(20))
    for mark, words in (("0" * 64, "are missing"), (constant, "constant target 'y'")):
        outcome = run_trial(trial(mark), tmp_path)
        assert outcome.status == "error"
        assert words in outcome.reason
        assert "\n" not in outcome.reason
