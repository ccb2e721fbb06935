"""
A frame with categories, missing values and groups
==================================================

Several rows of one customer belong together: no customer may be in the training and in the test
rows.
"""

# %%
import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingRegressor

import boostbench

draw = np.random.default_rng(0)
n, customers = 600, 60
customer = draw.integers(0, customers, n)
level = draw.normal(scale=3, size=customers)[customer]
frame = pd.DataFrame(
    {
        "customer": [f"c{i:02d}" for i in customer],
        "age": np.where(draw.random(n) < 0.1, np.nan, 30 + customer + draw.normal(size=n)),
        "town": draw.choice(["Rome", "Milan", "Turin"], n),
    }
)
frame["spend"] = 10 + level + 2 * (frame["town"] == "Rome") + draw.normal(size=n)
frame.head()

# %%
# With and without the groups
# ---------------------------
# ``age`` nearly names the customer. Folds of rows let a method recognise customers it has trained
# on.
common = {"target": "spend", "features": "frame", "missing": "keep"}
results = boostbench.run(
    datasets={
        "by_rows": boostbench.Data(frame.drop(columns="customer"), **common),
        "by_customer": boostbench.Data(frame, group="customer", **common),
    },
    methods={"hgb": HistGradientBoostingRegressor(categorical_features="from_dtype", max_iter=50)},
    folds=5,
    seeds=1,
    limits={"time": 60},
    listener=boostbench.Listener(),
)
means = results.means()
means[["dataset", "method", "mean", "low", "high"]]

# %%
axes = results.plot("means")
