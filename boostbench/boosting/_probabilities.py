"""From scores to class probabilities: their relation at the minimum of each loss.

Every link keeps the order of the classes, sums to 1 up to rounding, and takes any finite scores.
"""

import numpy as np

from boostbench.boosting._types import Floats

# exp of less is 0 in any sum with 1.
_LEAST = -2000.0
_BISECTIONS = 64


def pairwise(scores: Floats, slope: float) -> Floats:
    """Probabilities (n, K) from the scores (n, K) of the loss sum_{y != k} exp(a (F_y - F_k)).

    With p the probabilities of the classes at a point, the expected loss
    ``sum_k p_k sum_{y != k} exp(a (F_y - F_k))`` has the derivatives
    ``a (e_y sum_{k != y} p_k / e_k - p_y / e_y sum_{k != y} e_k)``, where ``e_k = exp(a F_k)``. All
    are 0 at ``e_k = sqrt(p_k)``, and only there, up to a common factor: the loss is convex in F,
    strictly so apart from a common constant. Hence ``F_k = log(p_k) / (2 a) + constant``, and p is
    the softmax of ``slope * F`` with ``slope = 2 a``. For two classes it is the half log-odds of
    Friedman, Hastie, Tibshirani, "Additive logistic regression: a statistical view of boosting",
    Annals of Statistics 28, 2000, Lemma 1.
    """
    with np.errstate(over="ignore"):
        z = slope * (scores - scores.max(axis=1, keepdims=True))
    p = np.exp(z)
    return _normalised(p)


def one_against_rest(scores: Floats) -> Floats:
    """Probabilities (n, K) from the scores (n, K) of each class against the rest.

    The loss of each, ``exp(-label F_k)``, has its minimum at the half log-odds of the class
    (Friedman, Hastie, Tibshirani 2000, Lemma 1), so that ``q_k = 1 / (1 + exp(-2 F_k))`` estimates
    its probability. The q of a fitted model need not sum to 1; of the distributions over the
    classes, the p returned has the least sum of the Kullback-Leibler divergences of
    ``(p_k, 1 - p_k)`` from ``(q_k, 1 - q_k)``: its log-odds are ``2 F_k + c``, with the one c that
    makes them a distribution. Unlike ``q / q.sum()``, it keeps the order of large scores.
    """
    with np.errstate(over="ignore"):
        z = np.maximum(2.0 * (scores - scores.max(axis=1, keepdims=True)), _LEAST)
    n_classes = z.shape[1]
    rest = np.sort(z, axis=1)[:, :-1]
    # At ``low`` no class has more than 1/K; at ``high`` the first two sum to 1 without the others.
    low = np.full(z.shape[0], -np.log(n_classes - 1.0))
    high = -0.5 * rest[:, -1]
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        # The first class's odds, less those that the others leave it, in logarithms.
        others = _log_sum(_log_logistic(rest + middle[:, None]))
        too_high = others > _log_logistic(-middle)
        low = np.where(too_high, low, middle)
        high = np.where(too_high, middle, high)
    return _normalised(np.exp(_log_logistic(z + (0.5 * (low + high))[:, None])))


def inverse_loss(scores: Floats) -> Floats:
    """Probabilities (n, K) in proportion to ``exp(scores)``: one over the loss of a class's code.

    At the minimum of ``exp(-label f)`` on each bit, ``exp(-M_kl f_l)`` is the square root of the
    odds against class k's side of bit l, and the loss of a class is the sum of these over the bits.
    For two classes and one bit, one over it is proportional to the probability; with more classes
    it is larger the likelier the class, but not calibrated.
    """
    return pairwise(scores, 1.0)


def vote_shares(votes: Floats, n_bits: int) -> Floats:
    """Probabilities (n, K) in proportion to the number of bits that agree with each class's code.

    ``votes`` (n, K) are the bits that agree less those that do not.
    """
    return _normalised(0.5 * (n_bits + votes))


def keep_order(probabilities: Floats, scores: Floats) -> Floats:
    """Make the class of the highest score, the first of equals, the likeliest too; in place.

    Scores may differ by less than the rounding of their probabilities, which are then moved by it.
    """
    best, likeliest = np.argmax(scores, axis=1), np.argmax(probabilities, axis=1)
    rows = np.flatnonzero(best != likeliest)
    above = np.nextafter(probabilities[rows, likeliest[rows]], 2.0)
    highest = scores[rows] == scores[rows, best[rows]][:, None]
    probabilities[rows] = np.where(highest, above[:, None], probabilities[rows])
    return probabilities


def _normalised(p: Floats) -> Floats:
    shares: Floats = p / p.sum(axis=1, keepdims=True)
    return shares


def _log_logistic(z: Floats) -> Floats:
    log: Floats = -np.logaddexp(0.0, -z)
    return log


def _log_sum(logs: Floats) -> Floats:
    top = logs.max(axis=1)
    sums: Floats = top + np.log(np.exp(logs - top[:, None]).sum(axis=1))
    return sums
