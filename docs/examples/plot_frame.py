"""
A frame with categories and gaps
================================

A method that takes a pandas frame gets it as it is: names, categories and missing values. Methods
that need numbers get a matrix of the same rows, with the same splits.
"""

# %%
# The frame
# ---------
import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingRegressor

import boostbench

draw = np.random.default_rng(0)
n = 400
frame = pd.DataFrame(
    {
        "age": np.where(draw.random(n) < 0.1, np.nan, draw.integers(18, 80, n)),
        "town": draw.choice(["Milan", "Rome", "Turin"], n),
        "member": draw.random(n) < 0.5,
    }
)
of_town = frame["town"].map({"Milan": 6, "Rome": 2, "Turin": 0})
frame["spend"] = of_town + 0.1 * frame["age"].fillna(70) + draw.normal(size=n)
frame.head()

# %%
# Two methods
# -----------
# ``missing="keep"`` leaves the gaps in the frame. The soft tree gets the towns one-hot encoded, and
# the median of the training rows in place of a gap.
data = boostbench.Data(frame, target="spend", features="frame", missing="keep")
results = boostbench.run(
    datasets={"customers": data},
    methods={
        "boosted_trees": HistGradientBoostingRegressor(
            categorical_features="from_dtype", max_iter=50
        ),
        "soft_tree": {"method": "srt_l2", "params": {"depth": 2}},
    },
    folds=4,
    split_seeds=3,
    seeds=1,
    limits={"time": 60},
    listener=boostbench.Listener(),
)
results.means()[["method", "mean", "low", "high", "best"]]

# %%
# Each mean with its interval of 95 %, for new customers of the same kind:
axes = results.plot("means")
