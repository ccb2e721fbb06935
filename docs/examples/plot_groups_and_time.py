"""
Groups and time
===============

Rows of one customer resemble each other, and tomorrow is not known today. Folds of single rows
ignore both, and promise too much.
"""

# %%
# Groups
# ------
# Each customer has a level of spending of its own, which ``age`` nearly gives away.
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import LinearRegression

import boostbench

draw = np.random.default_rng(0)
customer = draw.integers(0, 60, 600)
level = draw.normal(scale=3, size=60)[customer]
customers = pd.DataFrame(
    {
        "customer": [f"c{number:02d}" for number in customer],
        "age": 30 + customer + draw.normal(scale=0.1, size=600),
        "spend": 10 + level + draw.normal(size=600),
    }
)

# %%
# Time
# ----
# Sales grow from day to day. A tree that has never seen so late a day cannot know that.
day = np.arange(400)
sales = pd.DataFrame({"day": day, "weekday": day % 7, "sold": 50 + 0.2 * day + 5 * (day % 7 == 5)})
sales["sold"] += draw.normal(scale=4, size=400)
sales["date"] = pd.date_range("2024-01-01", periods=400).strftime("%Y-%m-%d")

# %%
# The same rows, divided in two ways
# ----------------------------------
without_names = customers.drop(columns="customer")
without_dates = sales.drop(columns="date")
results = boostbench.run(
    datasets={
        "customers_by_rows": boostbench.Data(without_names, target="spend"),
        "customers_by_groups": boostbench.Data(customers, target="spend", group="customer"),
        "sales_by_rows": boostbench.Data(without_dates, target="sold"),
        "sales_by_time": boostbench.Data(sales, target="sold", time="date"),
    },
    methods={
        "boosted_trees": HistGradientBoostingRegressor(max_iter=50),
        "linear": LinearRegression(),
    },
    folds=4,
    seeds=1,
    limits={"time": 60},
    listener=boostbench.Listener(),
)
means = results.means().pivot(index="dataset", columns="method", values="mean")
means.round(2)

# %%
# R2 of 0 is that of predicting the mean; below it a method is worse than that. ``group`` and
# ``time`` show what a method is worth for new customers, and for later days.
fig, axes = plt.subplots(figsize=(7, 3), layout="constrained")
means.clip(lower=-1).plot.barh(ax=axes)
axes.axvline(0, color="0.3", lw=0.8)
axes.set(xlabel="mean test R2, cut at -1", ylabel="")
axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
