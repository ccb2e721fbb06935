"""A fitted booster as text."""

from collections.abc import Sequence

import numpy as np
from sklearn.utils.validation import check_is_fitted

from boostbench.boosting.base import StumpBooster


def export_text(
    model: StumpBooster,
    feature_names: Sequence[str] | None = None,
    *,
    max_stumps: int | None = 10,
    decimals: int = 3,
) -> str:
    """Return the stumps of a fitted booster as text, a block for each class.

    A line ``+1.500 if x2 > 2.45, else -1.500`` is one feature and threshold with the sum of its
    weights over all rounds, the largest weights first; a block's first line has the constant that
    every sample gets. The score of a class is the sum of its block, and the class of the highest
    score is predicted. AdaBoost.MO has a block for each bit of its code, named after the classes on
    either side.

    Parameters
    ----------
    model : MultiBoostCW, MultiBoost, AdaBoostMH, AdaBoostMO or AdaBoostECC
        The fitted booster.
    feature_names : sequence of str, of length n_features, default=None
        Names in place of those seen in ``fit``, or of x0, x1 and so on.
    max_stumps : int or None, default=10
        How many lines of each block to show, None for all.
    decimals : int, default=3
        Digits of weights after the decimal point; thresholds have four significant digits more.

    Returns
    -------
    str
        The blocks.

    Raises
    ------
    TypeError
        If ``model`` is not a booster of this package.
    NotFittedError
        Before ``fit``.
    ValueError
        For the wrong number of names or a negative ``max_stumps`` or ``decimals``.

    Examples
    --------
    >>> from boostbench.boosting import AdaBoostMH, export_text
    >>> model = AdaBoostMH(max_iter=1).fit([[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "a"])
    >>> print(export_text(model, ["size"]))
    class a: 1 stump, constant +0.000
    |   -0.549 if size > 1.5, else +0.549
    class b: 1 stump, constant +0.000
    |   +0.549 if size > 1.5, else -0.549
    """
    names = _names(model, feature_names)
    if decimals < 0 or (max_stumps is not None and max_stumps < 0):
        raise ValueError(f"max_stumps={max_stumps} and decimals={decimals} must not be negative")
    terms = model._terms()
    lines: list[str] = []
    for column, title in enumerate(model._column_titles()):
        first, last = np.searchsorted(terms.columns, [column, column + 1])
        weights = terms.weights[first:last]
        order = np.argsort(-np.abs(weights), kind="stable")
        order = order[weights[order] != 0.0]
        count = f"{order.shape[0]} stump{'' if order.shape[0] == 1 else 's'}"
        lines.append(f"{title}: {count}, constant {terms.constants[column]:+.{decimals}f}")
        shown = order[:max_stumps]
        for q in first + shown:
            weight, threshold = terms.weights[q], terms.thresholds[q]
            lines.append(
                f"|   {weight:+.{decimals}f} if {names[terms.features[q]]} > "
                f"{threshold:.{decimals + 4}g}, else {-weight:+.{decimals}f}"
            )
        if shown.shape[0] < order.shape[0]:
            largest = abs(weights[order[shown.shape[0]]])
            hidden = order.shape[0] - shown.shape[0]
            lines.append(f"|   {hidden} more, up to {largest:.{decimals}f}")
    return "\n".join(lines)


def _names(model: StumpBooster, feature_names: Sequence[str] | None) -> list[str]:
    if not hasattr(type(model), "_column_titles"):
        raise TypeError(f"{type(model).__name__} is not a booster of this package")
    check_is_fitted(model, "stumps_")
    n_features = model.n_features_in_
    if feature_names is None:
        default = [f"x{j}" for j in range(n_features)]
        feature_names = getattr(model, "feature_names_in_", default)
    if len(feature_names) != n_features:
        raise ValueError(
            f"feature_names has {len(feature_names)} names; the model has {n_features} features"
        )
    return [str(name) for name in feature_names]
