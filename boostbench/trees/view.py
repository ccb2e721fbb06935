"""A fitted tree as text and as a picture."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from boostbench.trees._types import FloatArray
from boostbench.trees.optimal import LinearTree
from boostbench.trees.randomized import RandomizedRegressionTree
from boostbench.trees.soft import SoftRegressionTree
from boostbench.trees.stacking import StackedRegressionTree
from boostbench.trees.structure import route

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SoftTree = SoftRegressionTree | RandomizedRegressionTree
Tree = SoftTree | LinearTree
Point = tuple[float, float]
Texts = dict[int, str]

FONT = 7.0  # points
PAD = 0.35  # of a box, times the font's size
GAP = 0.12  # inches between boxes side by side
BETWEEN = 0.45  # inches between levels


def _names(tree: Tree, feature_names: Sequence[str] | None) -> list[str]:
    if isinstance(tree, StackedRegressionTree):
        raise TypeError(
            f"a {type(tree).__name__} cannot be shown: show the trees that it is made of"
        )
    if not isinstance(tree, Tree):
        raise TypeError(f"{type(tree).__name__} is not a tree of this package")
    check_is_fitted(tree)
    p = tree.n_features_in_
    if feature_names is None:
        feature_names = getattr(tree, "feature_names_in_", [f"x{j}" for j in range(p)])
    if len(feature_names) != p:
        raise ValueError(f"feature_names has {len(feature_names)} names; the tree has {p} features")
    return [str(name) for name in feature_names]


def _formula(coef: FloatArray, names: Sequence[str], max_terms: int, decimals: int) -> str:
    order = np.argsort(-np.abs(coef[1:]), kind="stable")
    shown = [j for j in order[:max_terms] if coef[j + 1] != 0.0]
    parts = [f"{coef[0]:.{decimals}f}"]
    for j in shown:
        sign = "-" if coef[j + 1] < 0 else "+"
        parts.append(f"{sign} {abs(coef[j + 1]):.{decimals}f} {names[j]}")
    if np.count_nonzero(coef[1:]) > len(shown):
        parts.append("+ ...")
    return " ".join(parts)


def _weighted(coef: FloatArray, names: Sequence[str], max_terms: int, decimals: int) -> str:
    """Return the sum of the features times ``coef`` (p,), without an intercept."""
    if np.count_nonzero(coef) == 1 and coef.max() == 1.0:
        return names[int(np.argmax(coef))]
    text = _formula(np.r_[0.0, coef], names, max_terms, decimals).split(" ", 1)
    return text[1].removeprefix("+ ") if len(text) > 1 else "0"


def _threshold(value: float, decimals: int) -> str:
    """Return a threshold with four significant digits, large ones with ``decimals``."""
    whole = len(f"{abs(value):.0f}") if abs(value) >= 1 else 0
    return f"{value:.{max(4, whole + decimals)}g}"


def _hard_rules(tree: LinearTree, names: Sequence[str], max_terms: int, decimals: int) -> Texts:
    """Return the text of each node of a tree with hard splits, by its number."""
    rules = {}
    for t in np.flatnonzero(~np.isnan(tree.threshold_)).tolist():
        value = _weighted(tree.split_coef_[t], names, max_terms, decimals)
        rules[t] = f"{value} < {_threshold(float(tree.threshold_[t]), decimals)}"
    for k, t in enumerate(tree.leaves_.tolist()):
        coef = np.r_[tree.intercept_[k], tree.coef_[k]]
        rules[t] = f"y = {_formula(coef, names, max_terms, decimals)}"
    return rules


def _soft_rules(tree: SoftTree, names: Sequence[str], max_terms: int, decimals: int) -> Texts:
    """Return the text of each node of a soft tree, by its number."""
    slopes = tree.branch_coef_.copy()
    slopes[:, 1:] /= tree.n_features_in_
    n_leaves = len(tree.leaf_coef_)
    rules = {
        t: f"{_formula(slopes[t - 1], names, max_terms, decimals)} >= 0" for t in range(1, n_leaves)
    }
    for k, coef in enumerate(tree.leaf_coef_):
        rules[n_leaves + k] = f"y = {_formula(coef, names, max_terms, decimals)}"
    return rules


def _rules(tree: Tree, names: Sequence[str], max_terms: int, decimals: int) -> Texts:
    if isinstance(tree, LinearTree):
        return _hard_rules(tree, names, max_terms, decimals)
    return _soft_rules(tree, names, max_terms, decimals)


def export_text(
    tree: Tree,
    feature_names: Sequence[str] | None = None,
    *,
    max_terms: int = 4,
    decimals: int = 2,
) -> str:
    """Return the rules of a fitted tree as text: one line per branch and leaf.

    A soft branch's line gives the sum whose sign decides, with the 1/p of equation (1) multiplied
    in; a hard one's gives the sum and its threshold.

    Parameters
    ----------
    tree : SoftRegressionTree, RandomizedRegressionTree or OptimalRegressionTree
        The fitted tree.
    feature_names : sequence of str, of length n_features, default=None
        Names in place of those seen in ``fit``, or of x0, x1 and so on.
    max_terms : int, default=4
        How many coefficients of each node are shown, the largest first.
    decimals : int, default=2
        The number of their decimals.

    Returns
    -------
    str
        The lines, of which those of a subtree are indented.

    Raises
    ------
    TypeError
        For another class, such as a stacked tree.
    NotFittedError
        Before ``fit``.
    ValueError
        For the wrong number of names.

    Examples
    --------
    >>> from boostbench.trees import OptimalRegressionTree, export_text
    >>> X = [[0.0], [0.1], [0.2], [0.6], [0.8], [1.0]]
    >>> tree = OptimalRegressionTree(depth=1, l1=0.0, random_state=0)
    >>> print(export_text(tree.fit(X, [0.0, 0.1, 0.2, 2.0, 1.0, 0.0]), ["size"]))
    node 1: if size < 0.4
    |   leaf 2: y = 0.00 + 1.00 size
    node 1: else
    |   leaf 3: y = 5.00 - 5.00 size
    """
    names = _names(tree, feature_names)
    rules = _rules(tree, names, max_terms, decimals)
    lines: list[str] = []

    def visit(t: int, indent: str) -> None:
        if 2 * t not in rules:
            lines.append(f"{indent}leaf {t}: {rules[t]}")
            return
        lines.append(f"{indent}node {t}: if {rules[t]}")
        visit(2 * t, indent + "|   ")
        lines.append(f"{indent}node {t}: else")
        visit(2 * t + 1, indent + "|   ")

    visit(1, "")
    return "\n".join(lines)


def _shares(tree: Tree, X: ArrayLike, numbers: Sequence[int]) -> dict[int, float]:
    """Return the share of the rows of ``X`` that reaches each node."""
    leaves = tree.apply(X) if isinstance(tree, LinearTree) else route(tree.branch_coef_, X)
    level = np.frompyfunc(int.bit_length, 1, 1)(leaves.astype(object)).astype(int)
    shares = {}
    for t in numbers:
        up = level - t.bit_length()
        shares[t] = float(np.mean((up >= 0) & (leaves >> np.maximum(up, 0) == t)))
    return shares


def plot(
    tree: Tree,
    feature_names: Sequence[str] | None = None,
    *,
    X: ArrayLike | None = None,
    y: ArrayLike | None = None,
    max_terms: int = 3,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw a fitted tree.

    Each node shows its largest coefficients. With ``X`` it also shows the share of these samples
    that reaches it, which the width of the lines follows, and in a leaf their number and the mean
    of their predictions, or with ``y`` that of ``y``.

    Parameters
    ----------
    tree : SoftRegressionTree, RandomizedRegressionTree or OptimalRegressionTree
        The fitted tree.
    feature_names : sequence of str, of length n_features, default=None
        Names in place of those seen in ``fit``, or of x0, x1 and so on.
    X : array-like of shape (n_samples, n_features), default=None
        Samples to send through the tree.
    y : array-like of shape (n_samples,), default=None
        Their targets.
    max_terms : int, default=3
        How many coefficients of each node are shown, the largest first.
    ax : matplotlib.axes.Axes, default=None
        Where to draw; boxes are set smaller until they fit. Without it the figure is new and as
        large as the boxes need.

    Returns
    -------
    matplotlib.axes.Axes
        The axes with the tree.

    Raises
    ------
    TypeError
        For another class, such as a stacked tree.
    NotFittedError
        Before ``fit``.
    ValueError
        For the wrong number of names, and for ``y`` without ``X`` or of another length.
    """
    import matplotlib.pyplot as plt

    names = _names(tree, feature_names)
    rules = _rules(tree, names, max_terms, 2)
    if X is None and y is not None:
        raise ValueError("y is the target of the samples in X, and there is no X")
    shares = {} if X is None else _shares(tree, X, list(rules))
    means = {} if X is None else _leaf_means(tree, X, y)
    texts = {t: _text(t, rules, shares, means) for t in rules}
    place, size = _layout(texts)
    scale = 1.0
    if ax is None:
        figure, ax = plt.subplots(figsize=size)
        figure.subplots_adjust(left=0, right=1, bottom=0, top=1)
    else:
        box = ax.get_window_extent().transformed(ax.figure.dpi_scale_trans.inverted())
        scale = min(1.0, box.width / size[0], box.height / size[1])
    for t in rules:
        if 2 * t not in rules:
            continue
        for child, label in ((2 * t, "yes"), (2 * t + 1, "no")):
            _draw_line(ax, place[t], place[child], label, shares.get(child), scale)
    for t, text in texts.items():
        _draw_box(ax, place[t], text, 2 * t not in rules, shares.get(t, 1.0) == 0.0, scale)
    ax.set_xlim(0, size[0])
    ax.set_ylim(0, size[1])
    ax.set_axis_off()
    return ax


def _leaf_means(tree: Tree, X: ArrayLike, y: ArrayLike | None) -> dict[int, tuple[int, str]]:
    """Return the number of samples of each leaf that has any, and in words their mean."""
    leaves = np.asarray(tree.apply(X))
    values = np.asarray(tree.predict(X) if y is None else y, dtype=float)
    if values.shape != leaves.shape:
        raise ValueError(f"y has the shape {values.shape}; X has {len(leaves)} samples")
    title = "mean prediction" if y is None else "mean"
    means = {}
    for leaf in np.unique(leaves).tolist():
        own = values[leaves == leaf]
        mean = f"{float(np.mean(own)):.3g}".replace("-", "\N{MINUS SIGN}")
        means[leaf] = (len(own), f"{title} {mean}")
    return means


def _text(
    t: int,
    rules: Mapping[int, str],
    shares: Mapping[int, float],
    means: Mapping[int, tuple[int, str]],
) -> str:
    leaf = 2 * t not in rules
    text = _wrapped(f"{'leaf' if leaf else 'node'} {t}", rules[t])
    if leaf and shares:
        count, mean = means.get(t, (0, ""))
        text += f"\nn = {count:,}" + (f"\n{mean}" if mean else "")
    return f"{text}\n{100 * shares[t]:.0f} %" if shares else text


def _layout(texts: Mapping[int, str]) -> tuple[dict[int, Point], Point]:
    """Where the middle of each box is and the size of the whole, in inches."""
    sizes = {t: _box_size(text) for t, text in texts.items()}
    position = _positions(texts)
    levels: dict[float, list[int]] = {}
    for t in sorted(position, key=lambda t: position[t]):
        levels.setdefault(-position[t][1], []).append(t)
    # Neighbouring leaves are one unit apart: as many inches as the boxes of any level need.
    needed = [
        (0.5 * (sizes[a][0] + sizes[b][0]) + GAP) / (position[b][0] - position[a][0])
        for row in levels.values()
        for a, b in pairwise(row)
    ]
    unit = max(needed, default=0.0)
    left = max(0.5 * sizes[t][0] - unit * position[t][0] for t in texts) + GAP
    width = left + max(0.5 * sizes[t][0] + unit * position[t][0] for t in texts) + GAP
    heights = [max(sizes[t][1] for t in levels[level]) for level in sorted(levels)]
    tops = [GAP + sum(heights[:level]) + level * BETWEEN for level in range(len(heights))]
    height = tops[-1] + heights[-1] + GAP
    place = {
        t: (left + unit * x, height - tops[round(-level)] - 0.5 * heights[round(-level)])
        for t, (x, level) in position.items()
    }
    return place, (width, height)


def _box_size(text: str) -> Point:
    """How wide and high a box with ``text`` is, in inches."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(dpi=100)
    canvas = FigureCanvasAgg(figure)
    drawn = figure.text(0, 0, text, fontsize=FONT, parse_math=False)
    extent = drawn.get_window_extent(canvas.get_renderer())
    pad = 2 * PAD * FONT / 72
    return extent.width / 100 + pad, extent.height / 100 + pad


def _positions(rules: Mapping[int, str]) -> dict[int, Point]:
    """Where each node is drawn: leaves side by side, a branch halfway between its children."""
    position: dict[int, Point] = {}
    n_leaves = 0

    def place(t: int) -> float:
        nonlocal n_leaves
        if 2 * t in rules:
            x = 0.5 * (place(2 * t) + place(2 * t + 1))
        else:
            x, n_leaves = float(n_leaves), n_leaves + 1
        position[t] = (x, 1.0 - t.bit_length())
        return x

    place(1)
    return position


def _wrapped(title: str, rule: str) -> str:
    rule = rule.replace(" + ...", " …").replace(" + ", "\n+ ").replace(" - ", "\n- ")
    rule = rule.replace("-", "\N{MINUS SIGN}").replace(" >= 0", "\n≥ 0 ?").replace(" < ", "\n< ")
    return f"{title}\n{rule}"


def _draw_line(
    ax: "Axes", start: Point, end: Point, label: str, share: float | None, scale: float
) -> None:
    (x0, y0), (x1, y1) = start, end
    width = scale * (1.0 if share is None else 0.4 + 6.0 * share)
    ax.plot([x0, x1], [y0, y1], color="0.65", linewidth=width, zorder=1)
    ax.text(
        0.5 * (x0 + x1),
        0.5 * (y0 + y1),
        label,
        ha="center",
        va="center",
        fontsize=FONT * scale,
        color="0.3",
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.0},
    )


def _draw_box(ax: "Axes", place: Point, text: str, leaf: bool, faint: bool, scale: float) -> None:
    ax.text(
        *place,
        text,
        ha="center",
        va="center",
        fontsize=FONT * scale,
        parse_math=False,
        zorder=2,
        alpha=0.45 if faint else 1.0,
        bbox={
            "boxstyle": f"round,pad={PAD}",
            "facecolor": "#e8f1fa" if leaf else "#fdf1dc",
            "edgecolor": "#0072b2" if leaf else "#d55e00",
        },
    )
