"""
A fitted soft tree, and the path of one sample
==============================================

A soft regression tree of depth 2 is fitted to scikit-learn's diabetes data. One sample goes down
the branch of higher probability at each node; its prediction is that of the single leaf it reaches.
"""

# %%
# Fit
# ---
# Features in about [0, 1], the target standardised, as in the paper.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.preprocessing import MinMaxScaler, scale

from boostbench.trees import SoftRegressionTree, branch_probabilities, export_text, plot

data = load_diabetes()
X, y = MinMaxScaler().fit_transform(data.data), scale(data.target)
tree = SoftRegressionTree(depth=2, regularization="l2", n_restarts=5, random_state=0).fit(X, y)
print(export_text(tree, data.feature_names))

# %%
# The tree
# --------
# The width of a line is the share of the samples that take it.
plot(tree, data.feature_names, X=X, y=y)

# %%
# The path of one sample
# ----------------------
# ``branch_probabilities`` gives, node by node in heap order, the probability of going left.
sample = X[[7]]
left = branch_probabilities(tree.branch_coef_, sample, tree.mu)[0]
node, path = 1, []
while node <= len(left):
    goes_left = left[node - 1] >= 0.5
    path.append((node, left[node - 1] if goes_left else 1 - left[node - 1], goes_left))
    node = 2 * node + (not goes_left)
for number, probability, goes_left in path:
    print(f"node {number}: {'left' if goes_left else 'right'} with probability {probability:.3f}")
print(f"leaf: node {node}, as apply says: {tree.apply(sample)[0]}")
print(f"prediction: {tree.predict(sample)[0]:.3f}")

# %%
# The same path drawn: the probabilities of all branches, those taken in full colour.
fig, ax = plt.subplots(figsize=(6, 3))
xy = {1: (0.5, 2), 2: (0.25, 1), 3: (0.75, 1)}
xy |= {4 + leaf: (0.125 + 0.25 * leaf, 0) for leaf in range(4)}
taken = {n for n, _, _ in path} | {node}
for n in (1, 2, 3):
    for child, p in ((2 * n, left[n - 1]), (2 * n + 1, 1 - left[n - 1])):
        on = child in taken and n in taken
        ax.plot(
            *zip(xy[n], xy[child], strict=True), lw=1 + 5 * p, color="C0" if on else "0.8", zorder=1
        )
        ax.annotate(
            f"{p:.2f}",
            np.mean([xy[n], xy[child]], axis=0),
            ha="center",
            va="center",
            bbox={"boxstyle": "round", "fc": "white", "ec": "none"},
            zorder=2,
        )
for n, at in xy.items():
    ax.scatter(*at, s=500, color="C0" if n in taken else "0.8", zorder=3)
    ax.annotate(str(n), at, ha="center", va="center", fontsize=7, zorder=4)
ax.margins(0.08, 0.15)
ax.set_axis_off()
