"""The named tuples of arrays that the kernels of the trees pass to each other.

Nodes are numbered in heap order: root 1, children 2t (left) and 2t + 1, leaves from 2**D on.
Branch coefficients are the inner ones, v of z = v0 + v.x, which absorb mu and 1/p of eq. (1):
v0 = mu * omega0, v_j = mu * omega_j / p. Losses are sums over points, not means.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


class Points(NamedTuple):
    """``n`` points with targets ``y`` and ``weights``, both (n,); arrays may be longer.

    ``blocks`` (n_blocks, p + 1, BLOCK) are the features (see ``_blocks``), ``total`` is the sum of
    the weights. A weight of 2 is a point given twice.
    """

    blocks: FloatArray
    n: int
    y: FloatArray
    weights: FloatArray
    total: float


class Tree(NamedTuple):
    """``branch`` (2**depth - 1, p + 1) and ``leaf`` (2**depth, p + 1), intercepts first."""

    depth: int
    branch: FloatArray
    leaf: FloatArray


class Penalty(NamedTuple):
    """Weights, beside the sum of losses, of v0**2 / 2, v_j**2 / 2 and |beta|**2.

    ``lsmr`` solves for beta by LSMR in place of Cholesky.
    """

    intercept: float
    slope: float
    ridge: float
    lsmr: bool


class BranchStep(NamedTuple):
    """How a branch step is minimised, by at most ``max_iter`` quasi-Newton iterations.

    They are those of SLSQP, or of L-BFGS where ``slsqp`` is False. Steps are measured in
    (v0, v_j / slope_scale), ``first_step`` is the greatest length of the first one of L-BFGS. The
    step ends early when the gradient's largest entry is at most ``tol`` times the sum of the
    points' weights.
    """

    max_iter: int
    first_step: float
    slope_scale: float
    tol: float
    slsqp: bool


class Imbalance(NamedTuple):
    """The reassignment heuristic's epsilon_1, epsilon_2, epsilon_3 and zeta."""

    threshold: float
    high_threshold: float
    reassigned_share: float
    decay: float


class Convergence(NamedTuple):
    """The parameters of conditions (15) and (16).

    ``omega_scale`` (p + 1,) is v / omega: mu and mu / p. ``skip_factor`` is theta_omega;
    ``armijo_step``, ``armijo_slope``, ``armijo_shrink`` are a, gamma, delta of Armijo's rule;
    ``sufficient_decrease`` is tau.
    """

    omega_scale: FloatArray
    skip_factor: float
    armijo_step: float
    armijo_slope: float
    armijo_shrink: float
    sufficient_decrease: float


class Expected(NamedTuple):
    """Probabilities of going left and expected losses, not weighted, on all points.

    ``probability`` (2**D, n): row t is node t's probability of going left (row 0 unused).
    ``loss`` (2**(D+1), n): row t is the expected loss of the subtree below node t; the rows from
    2**D on are the squared residuals of the leaves.
    """

    probability: FloatArray
    loss: FloatArray


class TreeChange(NamedTuple):
    """What changed from node ``top`` on: some levels of branches, and the leaves or not."""

    top: int
    levels: int
    leaves: bool


class Subtree(NamedTuple):
    """The problem of a branch step: ``n`` points and how they weigh at the subtree's root.

    ``blocks`` are those of the points; ``reach`` (n,) is the probability of arriving times the
    weight; ``bottoms`` (k + 1, n) are the losses of the nodes below the k branch nodes, from left
    to right.
    """

    blocks: FloatArray
    n: int
    reach: FloatArray
    bottoms: FloatArray


class Workspace(NamedTuple):
    """Scratch arrays for n points and a tree of depth D.

    ``local`` holds the points of one node, ``chosen`` (n,) their numbers, ``goes_left`` and
    ``residual`` (n,) their sides and error terms (18); ``store`` (2**D * n,) one number for each
    point and leaf; ``nodes`` (4, 2**(D+1), BLOCK) four numbers for each node and point of a block;
    ``equations`` (m, (p + 1) (p + 2)) the normal equations of the leaves that are fitted at once.
    """

    local: Points
    chosen: IntArray
    goes_left: FloatArray
    residual: FloatArray
    store: FloatArray
    nodes: FloatArray
    equations: FloatArray
