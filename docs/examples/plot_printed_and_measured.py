"""
A printed table beside a rerun
==============================

Table 2 of the paper on soft regression trees has the data set Friedman. Here a part of it is run
again, and each measured mean is set beside the printed one.
"""

# %%
# Run
# ---
# ``quickstart`` comes with boostbench. Two of its methods on one of its data sets, with one seed:
import matplotlib.pyplot as plt

import boostbench

results = boostbench.run(
    "quickstart",
    overrides={"results": "results/printed"},
    only=["dataset=friedman1", "method=srt", "method=srt_l2", "seed=0"],
    listener=boostbench.Listener(),
)
means = results.means().dropna(subset="printed")
means[["method", "mean", "low", "high", "printed", "agreement"]]

# %%
# Agreement
# ---------
# *Agrees* says that the interval of measured minus printed lies within the margin: 0.01, or a
# quarter of the printed standard deviation, whichever is larger. *Undecided* says that these few
# runs do not decide it. The bar is another interval: that of the measured mean, for new rows.
fig, axes = plt.subplots(figsize=(6, 2), layout="constrained")
width = [means["mean"] - means["low"], means["high"] - means["mean"]]
axes.errorbar(means["mean"], means["method"], xerr=width, fmt="o", label="measured")
axes.plot(means["printed"], means["method"], "D", color="C1", mfc="none", label="printed")
axes.set(xlabel="mean test R2", ylim=(-0.5, len(means) - 0.5))
axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
