"""A fitted soft tree as text and as a picture."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

if TYPE_CHECKING:
    from boostbench.trees.randomized import RandomizedRegressionTree
    from boostbench.trees.soft import SoftRegressionTree

    Tree = SoftRegressionTree | RandomizedRegressionTree


def _names(tree: "Tree", feature_names: Sequence[str] | None) -> list[str]:
    if not hasattr(type(tree), "leaf_probabilities"):
        raise TypeError(f"{type(tree).__name__} is not a soft tree of this package")
    check_is_fitted(tree)
    p = tree.n_features_in_
    if feature_names is None:
        feature_names = getattr(tree, "feature_names_in_", [f"x{j}" for j in range(p)])
    if len(feature_names) != p:
        raise ValueError(f"feature_names has {len(feature_names)} names; the tree has {p} features")
    return [str(name) for name in feature_names]


def _formula(coef: NDArray[np.float64], names: Sequence[str], max_terms: int, decimals: int) -> str:
    order = np.argsort(-np.abs(coef[1:]), kind="stable")
    shown = [j for j in order[:max_terms] if coef[j + 1] != 0.0]
    parts = [f"{coef[0]:.{decimals}f}"]
    for j in shown:
        sign = "-" if coef[j + 1] < 0 else "+"
        parts.append(f"{sign} {abs(coef[j + 1]):.{decimals}f} {names[j]}")
    if np.count_nonzero(coef[1:]) > len(shown):
        parts.append("+ ...")
    return " ".join(parts)


def export_text(
    tree: "Tree",
    feature_names: Sequence[str] | None = None,
    *,
    max_terms: int = 4,
    decimals: int = 2,
) -> str:
    """Return the tree's rules as text: one line per branch, the largest coefficients first.

    ``max_terms`` coefficients are shown of each node; a branch's line gives the sum whose sign
    decides, with the 1/p of eq. (1) multiplied in.

    Raises NotFittedError before ``fit`` and ValueError for the wrong number of names.
    """
    names = _names(tree, feature_names)
    slopes = tree.branch_coef_.copy()
    slopes[:, 1:] /= tree.n_features_in_
    first_leaf = len(tree.leaf_coef_)
    lines: list[str] = []

    def visit(t: int, indent: str) -> None:
        if t >= first_leaf:
            formula = _formula(tree.leaf_coef_[t - first_leaf], names, max_terms, decimals)
            lines.append(f"{indent}leaf {t}: y = {formula}")
            return
        formula = _formula(slopes[t - 1], names, max_terms, decimals)
        lines.append(f"{indent}node {t}: if {formula} >= 0")
        visit(2 * t, indent + "|   ")
        lines.append(f"{indent}node {t}: else")
        visit(2 * t + 1, indent + "|   ")

    visit(1, "")
    return "\n".join(lines)


def plot(
    tree: "Tree",
    feature_names: Sequence[str] | None = None,
    *,
    X: Any = None,
    max_terms: int = 3,
    ax: Any = None,
) -> Any:
    """Draw the tree and return the matplotlib axes.

    Each node shows its largest coefficients; with ``X`` (n_samples, n_features) also the share of
    these samples that reaches it, which the width of the lines follows.

    Raises NotFittedError before ``fit`` and ValueError for the wrong number of names.
    """
    import matplotlib.pyplot as plt

    from boostbench.trees.structure import route

    names = _names(tree, feature_names)
    slopes = tree.branch_coef_.copy()
    slopes[:, 1:] /= tree.n_features_in_
    n_leaves = len(tree.leaf_coef_)
    depth = n_leaves.bit_length() - 1
    shares: dict[int, float] = {}
    if X is not None:
        leaves = route(tree.branch_coef_, X)
        for t in range(1, 2 * n_leaves):
            down = depth - (t.bit_length() - 1)
            shares[t] = float(np.mean((leaves >> down) == t))
    if ax is None:
        longest = max(len(name) for name in names)
        width = max(5.0, (1.1 + 0.055 * longest) * n_leaves)
        figure, ax = plt.subplots(figsize=(width, 1.6 * (depth + 1)))
        figure.subplots_adjust(left=0.01, right=0.99, bottom=0.01, top=0.99)
    position: dict[int, tuple[float, float]] = {}
    for t in range(2 * n_leaves - 1, 0, -1):
        level = t.bit_length() - 1
        if t >= n_leaves:
            position[t] = (float(t - n_leaves), -float(level))
        else:
            position[t] = (0.5 * (position[2 * t][0] + position[2 * t + 1][0]), -float(level))
    for t in range(1, n_leaves):
        for child, label in ((2 * t, "yes"), (2 * t + 1, "no")):
            (x0, y0), (x1, y1) = position[t], position[child]
            width = 1.0 if not shares else 0.4 + 6.0 * shares[child]
            ax.plot([x0, x1], [y0, y1], color="0.65", linewidth=width, zorder=1)
            ax.text(
                0.5 * (x0 + x1),
                0.5 * (y0 + y1),
                label,
                ha="center",
                va="center",
                fontsize=7,
                color="0.3",
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.0},
            )
    for t, (x, y) in position.items():
        leaf = t >= n_leaves
        coef = tree.leaf_coef_[t - n_leaves] if leaf else slopes[t - 1]
        formula = _formula(coef, names, max_terms, 2)
        formula = formula.replace(" + ...", " …").replace(" + ", "\n+ ").replace(" - ", "\n- ")
        formula = formula.replace("-", "\N{MINUS SIGN}")
        text = f"leaf {t}\ny = {formula}" if leaf else f"node {t}\n{formula}\n≥ 0 ?"
        if shares:
            text += f"\n{100 * shares[t]:.0f} %"
        ax.text(
            x,
            y,
            text,
            ha="center",
            va="center",
            fontsize=7,
            zorder=2,
            alpha=0.45 if shares and shares[t] == 0.0 else 1.0,
            bbox={
                "boxstyle": "round,pad=0.35",
                "facecolor": "#e8f1fa" if leaf else "#fdf1dc",
                "edgecolor": "#0072b2" if leaf else "#d55e00",
            },
        )
    ax.set_xlim(-0.6, n_leaves - 0.4)
    ax.set_ylim(-depth - 0.55, 0.5)
    ax.set_axis_off()
    return ax
