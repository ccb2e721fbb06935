"""The rivals of MultiBoost-cw: AdaBoost.MH and .MO (Schapire, Singer), .ECC (Guruswami, Sahai)."""

import math
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils._param_validation import StrOptions

from boostbench.boosting._adaboost_rounds import (
    coloured_masses,
    coloured_step,
    coloured_sums,
    orient,
    split_all,
    step_all,
)
from boostbench.boosting._additive import AdditiveBooster, State
from boostbench.boosting._coordinate_descent import shuffle
from boostbench.boosting._pair_loss import pair_masses
from boostbench.boosting._probabilities import inverse_loss, one_against_rest, pairwise, vote_shares
from boostbench.boosting._seeds import round_seed, seed_from
from boostbench.boosting._types import Floats, RandomStateLike
from boostbench.boosting.base import Update, joined
from boostbench.boosting.output_codes import code_matrix
from boostbench.kernels.clock import clock

# Share of the round's total mass added to each of the four sums that give the coefficients.
_SMOOTHING = 1e-3

# exp(-2 * score) is far from the smallest number.
_MOST_SAFE_SCORE = 300.0


class _HammingBooster(AdditiveBooster):
    """AdaBoost.MH on L binary problems: the loss is the mean of ``exp(-label * score)``."""

    def _start(self, state: State) -> None:
        state.loss = state.label_masses()

    def _find(self, state: State) -> Update:
        """Set ``state.bits``, and return the round's stumps with steps of +-1."""
        raise NotImplementedError

    def _round(self, state: State) -> Update:
        update = self._find(state)
        start = clock()
        right, wrong = split_all(state.masses, state.bits, 0, state.column_sums)
        state.separated = wrong <= 0.0
        if state.separated:
            # No sample is wrong, so that any positive coefficient would do: this one is that of an
            # error of one part in a million.
            alpha = 0.5 * math.log(1e6)
        else:
            alpha = max(0.0, 0.5 * (math.log(right) - math.log(wrong)))
        step_all(state.agreement, state.bits, 0, alpha)
        state.loss = state.label_masses()
        state.solver_time += clock() - start
        return Update(update.stumps, update.columns, alpha * update.steps)


class AdaBoostMH(_HammingBooster):
    """AdaBoost.MH with one decision stump a round, shared by all classes, which vote on its sign.

    The round's weak learner is ``v_l h(x)`` for class l, with votes v in +-1 and the stump h that
    has the largest edge over all classes together.

    The score of a class estimates half its log-odds against the rest (Friedman, Hastie and
    Tibshirani). ``predict_proba`` has the distribution that is nearest to these odds, whose
    log-odds are ``2 F_k + c`` with one c for all classes.

    Parameters
    ----------
    max_iter : int, default=500
        The greatest number of rounds.
    time_limit : float or None, default=None
        Seconds after which no new round starts, None for no limit.
    warm_start : bool, default=False
        Resume the last fit up to ``max_iter`` rounds in all. On the same data a fit that has
        stopped for another reason than "max_iter" or "time" stays as it is.
    objective_tol : float, default=0.0
        Stop when a round changes the objective by at most this share of it; 0 for never.

    Attributes
    ----------
    stumps_ : structured ndarray of shape (n_rounds,)
        The fields class (always 0), feature, threshold and polarity.
    coef_ : ndarray of shape (n_rounds, K)
        The votes times the round's coefficient.
    classes_ : ndarray of shape (K,)
        The labels.
    n_iter_ : int
        The number of rounds.
    n_features_in_ : int
        The number of features.
    objective_history_ : ndarray of shape (n_rounds,)
        The mean of ``exp(-label * score)`` over samples and classes after each round.
    time_history_, solver_time_history_ : ndarray of shape (n_rounds,)
        Seconds of training until the end of each round, in all and in the solver, without the
        compilation of kernels.
    fit_time_, solver_time_ : float
        The last of these.
    stop_reason_ : str
        "max_iter", "time", "separated" (no error left, or loss below 2e-16 of the first), "no edge"
        (no stump better than chance; with random splits of the classes, in 2K rounds on end), or
        "objective" (no more change).

    References
    ----------
    R. E. Schapire and Y. Singer, "Improved boosting algorithms using
    confidence-rated predictions", Machine Learning 37, 1999, section 6. J. Friedman, T. Hastie and
    R. Tibshirani, "Additive logistic regression: a statistical view of boosting", Annals of
    Statistics 28, 2000.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from boostbench.boosting import AdaBoostMH
    >>> X, y = load_iris(return_X_y=True)
    >>> model = AdaBoostMH(max_iter=20).fit(X, y)
    >>> model.coef_.shape, bool(model.score(X, y) > 0.9)
    ((20, 3), True)
    """

    def _link(self, scores: Floats) -> Floats:
        return one_against_rest(scores)

    def _find(self, state: State) -> Update:
        search, stump = state.search, state.stumps[0]
        search.best_shared(state.masses, state.loss, stump)
        state.stumps[1:] = stump
        search.write_bits(state.stumps, state.bits, 0)
        votes = np.empty(state.n_columns)
        orient(state.masses, state.bits, 0, votes)
        columns = np.arange(state.n_columns)
        stumps = np.repeat(state.keep(state.stumps[:1], [0]), state.n_columns)
        return Update(stumps, columns, votes)


class AdaBoostMO(_HammingBooster):
    """AdaBoost.MO: AdaBoost.MH on the bits of an output code, one stump a bit and round.

    With ``code="one_vs_all"`` it is AdaBoost.MH with a separate stump for every class.

    ``predict_proba`` is, with "loss" decoding, in proportion to one over the loss of each class's
    code, which for two classes equals the half log-odds of the bits; with "hamming", to the number
    of bits that agree. Both follow ``predict``; neither is calibrated for more classes.

    Parameters
    ----------
    code : str or array-like of shape (K, L), default="auto"
        "exhaustive" (2**(K-1) - 1 bits), "random" (ceil(10 log2 K) bits), "one_vs_all", a matrix of
        +-1 with a row for each class, or "auto": exhaustive below 12 classes, else random.
    decoding : {"loss", "hamming"}, default="loss"
        Predict the class whose code has the least exponential loss, or the least Hamming distance.
    max_iter : int, default=500
        The greatest number of rounds.
    random_state : int, RandomState instance or None, default=None
        Draws the random code.
    time_limit : float or None, default=None
        Seconds after which no new round starts, None for no limit.
    warm_start : bool, default=False
        Resume the last fit up to ``max_iter`` rounds in all, as in :class:`AdaBoostMH`.
    objective_tol : float, default=0.0
        Stop when a round changes the objective by at most this share of it; 0 for never.

    Attributes
    ----------
    code_ : ndarray of shape (K, L)
        The code, of +-1.
    stumps_ : structured ndarray of shape (n_rounds * L,)
        The fields class (the bit), feature, threshold and polarity.
    coef_ : ndarray of shape (n_rounds * L,)
        The coefficients of the stumps.
    classes_ : ndarray of shape (K,)
        The labels; all other attributes are those of :class:`AdaBoostMH` too.

    References
    ----------
    R. E. Schapire and Y. Singer, "Improved boosting algorithms using confidence-rated predictions",
    Machine Learning 37, 1999, section 8.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from boostbench.boosting import AdaBoostMO
    >>> X, y = load_iris(return_X_y=True)
    >>> AdaBoostMO(code="exhaustive", max_iter=5).fit(X, y).code_
    array([[ 1.,  1.,  1.],
           [-1.,  1., -1.],
           [-1., -1.,  1.]])
    """

    def __init__(
        self,
        code: Literal["auto", "exhaustive", "random", "one_vs_all"] | ArrayLike = "auto",
        decoding: Literal["loss", "hamming"] = "loss",
        max_iter: int = 500,
        random_state: RandomStateLike = None,
        time_limit: float | None = None,
        warm_start: bool = False,
        objective_tol: float = 0.0,
    ) -> None:
        super().__init__(max_iter, time_limit, warm_start, objective_tol)
        self.code = code
        self.decoding = decoding
        self.random_state = random_state

    _parameter_constraints: ClassVar[dict[str, list[object]]] = {
        **AdditiveBooster._parameter_constraints,
        "random_state": ["random_state"],
        "code": [StrOptions({"auto", "exhaustive", "random", "one_vs_all"}), "array-like"],
        "decoding": [StrOptions({"loss", "hamming"})],
    }

    def _prepare(self) -> None:
        self._seed = seed_from(self.random_state)
        self.code_ = code_matrix(self.code, len(self.classes_), self._seed)
        self._n_columns = self.code_.shape[1]

    def _signs(self) -> Floats:
        return self.code_

    def _find(self, state: State) -> Update:
        state.search.best(state.masses, state.stumps, state.scores)
        state.search.write_bits(state.stumps, state.bits, 0)
        columns = np.arange(state.n_columns)
        numbers = state.keep(state.stumps, columns.tolist())
        return Update(numbers, columns, np.ones(state.n_columns))

    def _set_coef(self, updates: list[Update], n_stumps: int) -> None:
        self.coef_ = joined(updates).steps

    def _link(self, scores: Floats) -> Floats:
        if self.decoding == "hamming":
            return vote_shares(scores, self.code_.shape[1])
        return inverse_loss(scores)

    def _column_titles(self) -> list[str]:
        sides = [
            " against ".join(
                ", ".join(str(label) for label in self.classes_[bit == side]) for side in (1, -1)
            )
            for bit in self.code_.T
        ]
        return [f"bit {number}, classes {text}" for number, text in enumerate(sides)]

    def _class_scores(self, raw: Floats) -> Floats:
        if self.decoding == "hamming":
            votes: Floats = np.sign(raw).T @ self.code_.T
            return votes
        # -log sum_l exp(-code * score), for each class; two exponentials serve all classes.
        top = np.abs(raw).max(axis=0)
        losses = np.exp(raw - top).T @ np.where(self.code_ < 0.0, 1.0, 0.0).T
        losses += np.exp(-raw - top).T @ np.where(self.code_ > 0.0, 1.0, 0.0).T
        with np.errstate(divide="ignore"):
            scores: Floats = -(top[:, None] + np.log(losses))
        # Beyond this, the terms of a class that is right about all bits underflow.
        for i in np.flatnonzero(top > _MOST_SAFE_SCORE):
            z = -self.code_ * raw[:, i]
            most = z.max(axis=1)
            scores[i] = -(most + np.log(np.exp(z - most[:, None]).sum(axis=1)))
        return scores


class AdaBoostECC(AdditiveBooster):
    """AdaBoost.ECC with one stump a round, on a random split of the classes into two halves.

    Each side of the stump has a coefficient, smoothed as Schapire and Singer (1999, section 4.2)
    do, but by a thousandth of the total weight where they take 1/m: with weighted samples no m is
    both free of the weights' unit and the same for a sample given twice.

    The loss is that of :class:`MultiBoostCW` with scores half as large, so that ``predict_proba``
    is the softmax of the scores.

    Parameters
    ----------
    max_iter : int, default=500
        The greatest number of rounds.
    random_state : int, RandomState instance or None, default=None
        Draws the splits.
    time_limit : float or None, default=None
        Seconds after which no new round starts, None for no limit.
    warm_start : bool, default=False
        Resume the last fit up to ``max_iter`` rounds in all, as in :class:`AdaBoostMH`.
    objective_tol : float, default=0.0
        Stop when a round changes the objective by at most this share of it; 0 for never.

    Attributes
    ----------
    stumps_ : structured ndarray of shape (n_rounds,)
        The fields class (always 0), feature, threshold and polarity.
    coef_ : ndarray of shape (n_rounds, K)
        The scores are ``h @ coef_ + intercept_``, with the stumps' outputs h.
    intercept_ : ndarray of shape (K,)
        What is added to the scores of every sample.
    objective_history_ : ndarray of shape (n_rounds,)
        The mean over pairs (i, y) of ``exp((F_y - F_own) / 2)`` after each round.
    classes_ : ndarray of shape (K,)
        The labels; all other attributes are those of :class:`AdaBoostMH` too.

    References
    ----------
    V. Guruswami and A. Sahai, "Multiclass learning, boosting, and
    error-correcting codes", COLT 1999. R. E. Schapire and Y. Singer, "Improved boosting algorithms
    using confidence-rated predictions", Machine Learning 37, 1999.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from boostbench.boosting import AdaBoostECC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = AdaBoostECC(max_iter=20, random_state=0).fit(X, y)
    >>> model.coef_.shape, bool(model.score(X, y) > 0.9)
    ((20, 3), True)
    """

    # Pair weights are exp((F_y - F_own) / 2).
    _agreement_scale = 0.5

    def __init__(
        self,
        max_iter: int = 500,
        random_state: RandomStateLike = None,
        time_limit: float | None = None,
        warm_start: bool = False,
        objective_tol: float = 0.0,
    ) -> None:
        super().__init__(max_iter, time_limit, warm_start, objective_tol)
        self.random_state = random_state

    _parameter_constraints: ClassVar[dict[str, list[object]]] = {
        **AdditiveBooster._parameter_constraints,
        "random_state": ["random_state"],
    }

    def _prepare(self) -> None:
        super()._prepare()
        self._seed = seed_from(self.random_state)

    def _link(self, scores: Floats) -> Floats:
        return pairwise(scores, 2.0 * self._agreement_scale)

    def _most_idle(self) -> int:
        # Other splits may have an edge where this one has none.
        K = len(self.classes_)
        return 1 if K == 2 else 2 * K

    def _search_signs(self) -> Floats:
        return np.ones((len(self.classes_), 1))

    def _start(self, state: State) -> None:
        state.initial = state.slots.n_pairs
        state.loss, _ = pair_masses(*state.pairs)

    def _colours(self, round_index: int) -> Floats:
        """(K,) +-1: half of the classes, rounded down, are -1, picked at random."""
        K = len(self.classes_)
        order = np.arange(K)
        if K > 2:
            shuffle(order, K, round_seed(self._seed, round_index))
        colours = np.ones(K)
        colours[order[: K // 2]] = -1.0
        return colours

    def _round(self, state: State) -> Update:
        slots, search = state.slots, state.search
        colours = self._colours(state.n)
        search.signs[:, 0] = colours
        mass = state.searched[0]
        coloured_masses(state.masses, colours, slots.starts, mass)
        search.best(state.searched, state.stumps, state.scores)
        search.write_bits(state.stumps, state.bits, 0)
        start = clock()
        bits, parts = state.bits[0, 0], state.colour_sums
        sums = coloured_sums(mass, colours, bits, slots.starts, parts)
        total = sums.sum()
        if total <= 0.0:
            sums[:], total = 1.0, 4.0
        smooth = _SMOOTHING * total
        low, high = 0.5 * np.log((sums[:, 1] + smooth) / (sums[:, 0] + smooth))
        # The round's vote is offset + step * h.
        step, offset = 0.5 * (high - low), 0.5 * (high + low)
        up, down = offset + step, offset - step
        coloured_step(state.agreement, colours, bits, slots.starts, up, down)
        state.loss, _ = pair_masses(*state.pairs)
        state.solver_time += clock() - start
        numbers = np.repeat(state.keep(state.stumps, [0]), state.n_columns)
        return Update(numbers, np.arange(state.n_columns), step * colours, offset * colours)

    def _set_coef(self, updates: list[Update], n_stumps: int) -> None:
        super()._set_coef(updates, n_stumps)
        self.intercept_ = joined(updates).offsets
