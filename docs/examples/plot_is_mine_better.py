"""
Is my method better?
====================

Two methods on one data set, by the same folds and seeds. The answer is an interval and a p-value,
not which of two means is larger.
"""

# %%
# Run
# ---
# A class that is written here is sent to the worker processes.
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import RidgeCV
from sklearn.preprocessing import PolynomialFeatures

import boostbench
from boostbench import stats


class Squares(RegressorMixin, BaseEstimator):
    """Ridge regression with squares and products of the features."""

    def __init__(self, degree=2):
        self.degree = degree

    def fit(self, X, y):
        self.features_ = PolynomialFeatures(self.degree)
        self.model_ = RidgeCV([1, 10, 100]).fit(self.features_.fit_transform(X), y)
        return self

    def predict(self, X):
        return self.model_.predict(self.features_.transform(X))


results = boostbench.run(
    datasets=["diabetes"],
    methods={"mine": Squares(), "srt_l2": {"method": "srt_l2", "params": {"depth": 2}}},
    folds=5,
    split_seeds=2,
    seeds=2,
    limits={"time": 60},
    listener=boostbench.Listener(),
)
results.means()[["method", "mean", "low", "high", "runs", "best"]]

# %%
# The verdict
# -----------
pairs = results.pairs()
pairs[["method", "against", "difference", "low", "high", "p_adjusted", "verdict"]]

# %%
# The same by hand
# ----------------
# The corrected resampled t-test of Nadeau and Bengio, on differences of fold means.
rows = results.trials.groupby("method")
scores = {n: t.pivot(index=["split_seed", "fold"], columns="seed", values="r2") for n, t in rows}
differences = stats.paired_differences(scores["mine"], scores["srt_l2"]).differences
print(stats.corrected_ttest(differences, test_ratio=1 / 4))

# %%
axes = results.plot("pairs")
