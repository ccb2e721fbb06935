"""
Shards, merged
==============

Two machines share one experiment: each runs every second trial, and ``boostbench merge`` makes one
results folder of both. Here the two are one machine, one after the other.
"""

# %%
# Two shards
# ----------
# ``smoke`` comes with boostbench. The same from the shell is ``boostbench run smoke --shard 1/2``.
import subprocess
import sys

import matplotlib.pyplot as plt

import boostbench

quiet = boostbench.Listener()
keys = {"results": "results/shared"}
shards = [
    boostbench.run("smoke", overrides=keys, shard=f"{number}/2", jobs=1, listener=quiet)
    for number in (1, 2)
]
for shard in shards:
    print(len(shard.trials), "trials in", shard.folder.name)

# %%
# Merged
# ------
merge = [sys.executable, "-m", "boostbench", "merge", *(str(shard.folder) for shard in shards)]
subprocess.run(merge, check=True, capture_output=True)
merged = boostbench.load("results/shared")
merged.means()[["method", "mean", "low", "high", "runs"]]

# %%
# Each trial is in one of the shards, and has the same bits as in an undivided run.
of_shard = {key: number for number, shard in enumerate(shards, 1) for key in shard.trials["key"]}
trials = merged.trials.assign(shard=merged.trials["key"].map(of_shard))

fig, axes = plt.subplots(figsize=(6, 2.5), layout="constrained")
for number, rows in trials.groupby("shard"):
    axes.plot(rows["r2"], rows["method"], "os"[number - 1], alpha=0.7, label=f"shard {number}")
axes.set(xlabel="test R2 of a trial")
axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
