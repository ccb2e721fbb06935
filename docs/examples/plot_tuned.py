"""
A tuned method, and what it chose
=================================

A parameter is chosen on inner splits of the training rows of each split, so that the test rows
remain unseen. What was chosen is recorded.
"""

# %%
# Run
# ---
import matplotlib.pyplot as plt
from sklearn.neighbors import KNeighborsRegressor

import boostbench

numbers = [1, 5, 15, 30, 60]
results = boostbench.run(
    datasets=["diabetes"],
    methods={
        "one_neighbour": KNeighborsRegressor(n_neighbors=1),
        "tuned": {
            "estimator": KNeighborsRegressor(),
            "choose": {"n_neighbors": numbers, "by": "mae", "folds": 3},
        },
    },
    folds=5,
    split_seeds=4,
    seeds=1,
    limits={"time": 60},
    listener=boostbench.Listener(),
)
results.means()[["method", "mean", "low", "high", "best"]]

# %%
# What it chose
# -------------
# One value in each of the 20 splits:
chosen = results.trials.query("method == 'tuned'")["chosen_n_neighbors"].astype(int)
counts = chosen.value_counts().reindex(numbers, fill_value=0)

fig, axes = plt.subplots(figsize=(5, 2.5), layout="constrained")
axes.bar([str(number) for number in numbers], counts)
axes.set(xlabel="number of neighbours", ylabel="splits")
