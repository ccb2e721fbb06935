"""The rivals of MultiBoost-cw: AdaBoost.MH and .MO (Schapire, Singer), .ECC (Guruswami, Sahai)."""

import math
from numbers import Integral, Real
from time import perf_counter
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval, StrOptions

from boostbench.boosting._adaboost_kernels import (
    coloured_masses,
    coloured_step,
    coloured_sums,
    label_masses,
    orient,
    split_all,
    step_all,
)
from boostbench.boosting._fcd_kernels import shuffle
from boostbench.boosting._pair_kernels import pair_masses
from boostbench.boosting._slots import Slots, aligned_empty, make_slots
from boostbench.boosting.base import History, StumpBooster, Update, round_seed, seed_from
from boostbench.boosting.codes import code_matrix
from boostbench.boosting.errors import ParameterError
from boostbench.boosting.stumps import StumpSearch, stump_outputs

# Below this share of the initial loss, rounding decides what is learnt.
_NO_LOSS = float(np.finfo(np.float64).eps)
_NO_EDGE = 1e-12


class _Booster(StumpBooster):
    """Rounds that add stumps with coefficients that never change again."""

    max_iter: int
    time_limit: float | None
    warm_start: bool
    coef_: NDArray[np.float64]

    _parameter_constraints: dict[str, Any] = {  # noqa: RUF012
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "time_limit": [None, Interval(Real, 0, None, closed="neither")],
        "warm_start": ["boolean"],
    }

    def _signs(self) -> NDArray[np.float64]:
        """(K, L) labels of the classes in the binary problems."""
        raise NotImplementedError

    def _search_signs(self) -> NDArray[np.float64]:
        """(K, S) the same for the columns of the search."""
        return self._signs()

    def _round(self, state: "_State") -> tuple[Update, str | None]:
        """One round: what it adds, and a reason to stop after it."""
        raise NotImplementedError

    def _objective(self, state: "_State") -> float:
        """The exponential loss per pair that the rounds descend."""
        return state.loss / state.initial

    def _start(self, state: "_State") -> None:
        """Fill ``state.masses`` and ``state.loss`` from ``state.agreement``."""
        raise NotImplementedError

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : (n_samples, n_features) finite real numbers; float32 and integers are used as they are
        y : (n_samples,) labels of at least two classes
        sample_weight : (n_samples,) not negative; a weight of 2 is a sample given twice

        Raises
        ------
        InputError
            If X is not finite or y has one class. ParameterError if a warm start or a code matrix
            does not fit.
        """
        start = perf_counter()
        resuming = self.warm_start and hasattr(self, "stumps_")
        data, codes, weight = self._check_training(X, y, sample_weight)
        if resuming:
            self._check_resumable()
            history = self._history
        else:
            history = History()
            self._prepare()
        slots = make_slots(codes, self.classes_.shape[0], weight)
        state = _State(data, slots, self._signs().shape[1], self._search_signs())
        if resuming:
            self._replay(state, data, history)
        self._start(state)
        self.stop_reason_ = self._run(state, history, start)
        found = np.array(state.found, dtype=np.intp).reshape(-1, 5)
        new = state.search.decode(found, np.array(state.found_for, dtype=np.intp))
        self.stumps_ = np.concatenate([self.stumps_, new]) if resuming else new
        self._fitted_classes = self.classes_
        self._finish(history)
        self._set_coef()
        return self

    def _prepare(self) -> None:
        self._n_columns = self.classes_.shape[0]

    def _check_resumable(self) -> None:
        if not np.array_equal(self._fitted_classes, self.classes_):
            raise ParameterError(
                f"warm_start=True goes on with the classes {self._fitted_classes.tolist()} of the "
                f"earlier fit, but y now has {self.classes_.tolist()}."
            )
        if self.n_iter_ > self.max_iter:
            raise ParameterError(
                f"max_iter={self.max_iter} is less than the {self.n_iter_} rounds already fitted; "
                "with warm_start=True give the number of rounds in all."
            )

    def _sample_signs(self, state: "_State") -> NDArray[np.float64]:
        """(L, n_slots) labels of the slots in the columns of the agreement."""
        classes = np.repeat(np.arange(state.slots.n_classes), np.diff(state.slots.starts))
        return np.ascontiguousarray(self._signs()[classes].T)

    _agreement_scale = 1.0

    def _replay(self, state: "_State", X: NDArray[Any], history: History) -> None:
        """Bring a fresh state to where the rounds of ``history`` left off."""
        signs = self._sample_signs(state) * self._agreement_scale
        filled = np.flatnonzero(state.slots.rows >= 0)
        rows = state.slots.rows[filled]
        for update in history.updates:
            numbers, which = np.unique(update.stumps, return_inverse=True)
            h = stump_outputs(self.stumps_[numbers], X)[:, rows]
            for place, column, step in zip(which, update.columns, update.steps, strict=True):
                gain = step * h[place]
                if update.offsets is not None:
                    gain += update.offsets[column]
                state.agreement[column, filled] += signs[column, filled] * gain
        state.n = len(history.updates)
        state.n_stumps = self.stumps_.shape[0]

    def _run(self, state: "_State", history: History, start: float) -> str:
        earlier = history.time[-1] if history.time else 0.0
        before = history.solver_time[-1] if history.solver_time else 0.0
        while state.n < self.max_iter:
            update, stop = self._round(state)
            state.n += 1
            history.updates.append(update)
            elapsed = perf_counter() - start
            history.objective.append(self._objective(state))
            history.time.append(earlier + elapsed)
            history.solver_time.append(before + state.solver_time)
            if stop is not None:
                return stop
            if state.loss <= _NO_LOSS * state.initial:
                return "separated"
            if self.time_limit is not None and elapsed >= self.time_limit:
                return "time"
        return "max_iter"

    def _set_coef(self) -> None:
        coef = np.zeros((self.stumps_.shape[0], self._n_columns))
        for update in self._history.updates:
            coef[update.stumps, update.columns] = update.steps
        self.coef_ = coef


class _State:
    """Training state of one fit."""

    def __init__(
        self, X: NDArray[Any], slots: Slots, n_columns: int, search_signs: NDArray[np.float64]
    ) -> None:
        self.slots = slots
        self.search = StumpSearch(X, slots, search_signs.copy())
        self.n_columns = n_columns
        n_searched = search_signs.shape[1]
        self.agreement = aligned_empty((n_columns, slots.n_slots), np.float64)
        self.agreement[:] = 0.0
        self.masses = aligned_empty((n_columns, slots.n_slots), np.float64)
        self.searched = np.zeros((n_searched, slots.n_slots))
        self.bits = np.empty((n_searched, 1, slots.n_slots // 8), dtype=np.uint8)
        self.stumps = np.zeros((n_searched, 5), dtype=np.intp)
        self.scores = np.zeros(n_searched)
        self.initial = float(slots.weights.sum()) * self.n_columns
        self.loss = 0.0
        self.solver_time = 0.0
        self.n = 0
        self.n_stumps = 0
        self.found: list[NDArray[np.intp]] = []
        self.found_for: list[int] = []

    def keep(self, stumps: NDArray[np.intp], columns: list[int]) -> NDArray[np.intp]:
        """Record stumps (s, 5) as part of the model; their numbers in ``stumps_``."""
        self.found.extend(stumps.copy())
        self.found_for.extend(columns)
        self.n_stumps += stumps.shape[0]
        return np.arange(self.n_stumps - stumps.shape[0], self.n_stumps)


class _HammingBooster(_Booster):
    """AdaBoost.MH on L binary problems: the loss is the mean of ``exp(-label * score)``."""

    def _start(self, state: _State) -> None:
        state.loss = label_masses(state.agreement, state.slots.weights, state.masses)

    def _find(self, state: _State) -> Update:
        """Set ``state.bits``, and return the round's stumps with steps of +-1."""
        raise NotImplementedError

    def _round(self, state: _State) -> tuple[Update, str | None]:
        update = self._find(state)
        start = perf_counter()
        right, wrong = split_all(state.masses, state.bits, 0)
        if wrong <= 0.0:
            # Nothing is left to weigh: any positive coefficient will do, this one is what an
            # error of one part in a million would give.
            alpha = 0.5 * math.log(1e6)
        else:
            alpha = max(0.0, 0.5 * (math.log(right) - math.log(wrong)))
        step_all(state.agreement, state.bits, 0, alpha)
        state.loss = label_masses(state.agreement, state.slots.weights, state.masses)
        state.solver_time += perf_counter() - start
        reason = "separated" if wrong <= 0.0 else "no edge" if alpha <= _NO_EDGE else None
        return Update(update.stumps, update.columns, alpha * update.steps), reason


class AdaBoostMH(_HammingBooster):
    """AdaBoost.MH with one decision stump a round, shared by all classes, which vote on its sign.

    The round's weak learner is ``v_l h(x)`` for class l, with votes v in +-1 and the stump h that
    has the largest edge over all classes together. Source: Schapire, Singer, "Improved boosting
    algorithms using confidence-rated predictions", Machine Learning 37, 1999, section 6.

    Parameters
    ----------
    max_iter : most rounds
    time_limit : seconds after which no new round starts, None for no limit
    warm_start : go on from the last fit up to ``max_iter`` rounds in all

    Attributes
    ----------
    stumps_ : (n_iter_,) structured array: class (always 0), feature, threshold, polarity
    coef_ : (n_iter_, K): the votes times the round's coefficient
    objective_history_ : (n_iter_,) mean of ``exp(-label * score)`` over samples and classes
    time_history_, solver_time_history_, fit_time_, solver_time_ : seconds
    stop_reason_ : "max_iter", "time", "separated" (no error left, or loss below 2e-16 of the first)
        or "no edge" (no stump better than chance)
    """

    def __init__(
        self,
        max_iter: int = 500,
        time_limit: float | None = None,
        warm_start: bool = False,
    ) -> None:
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.warm_start = warm_start

    def _signs(self) -> NDArray[np.float64]:
        return 2.0 * np.eye(self.classes_.shape[0]) - 1.0

    def _find(self, state: _State) -> Update:
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

    Source: Schapire, Singer 1999, section 8. With ``code="one_vs_all"`` it is AdaBoost.MH with a
    stump of its own for every class.

    Parameters
    ----------
    code : "exhaustive" (2**(K-1) - 1 bits, as in the comparison of the ACCV paper), "random"
        (ceil(10 log2 K) bits), "one_vs_all", a (K, L) matrix of +-1, or "auto": exhaustive below
        12 classes, else random
    decoding : "loss", the class whose code has the least exponential loss, or "hamming"
    max_iter, time_limit, warm_start : as in ``AdaBoostMH``
    random_state : draws the random code

    Attributes
    ----------
    code_ : (K, L) of +-1
    stumps_ : (n_iter_ * L,) structured array, ``class`` being the bit
    coef_ : (n_iter_ * L, L), one column set in each row
    others : as in ``AdaBoostMH``
    """

    def __init__(
        self,
        code: Literal["auto", "exhaustive", "random", "one_vs_all"] | NDArray[Any] = "auto",
        decoding: Literal["loss", "hamming"] = "loss",
        max_iter: int = 500,
        random_state: int | np.random.RandomState | None = None,
        time_limit: float | None = None,
        warm_start: bool = False,
    ) -> None:
        self.code = code
        self.decoding = decoding
        self.max_iter = max_iter
        self.random_state = random_state
        self.time_limit = time_limit
        self.warm_start = warm_start

    _parameter_constraints: dict[str, Any] = {  # noqa: RUF012
        **_Booster._parameter_constraints,
        "random_state": ["random_state"],
        "code": [StrOptions({"auto", "exhaustive", "random", "one_vs_all"}), "array-like"],
        "decoding": [StrOptions({"loss", "hamming"})],
    }

    def _prepare(self) -> None:
        self._seed = seed_from(self.random_state)
        self.code_ = code_matrix(self.code, self.classes_.shape[0], self._seed)
        self._n_columns = self.code_.shape[1]

    def _signs(self) -> NDArray[np.float64]:
        return self.code_

    def _find(self, state: _State) -> Update:
        state.search.best(state.masses, state.stumps, state.scores)
        state.search.write_bits(state.stumps, state.bits, 0)
        columns = np.arange(state.n_columns)
        numbers = state.keep(state.stumps, columns.tolist())
        return Update(numbers, columns, np.ones(state.n_columns))

    def _set_coef(self) -> None:
        self.coef_ = np.concatenate([u.steps for u in self._history.updates])

    def _class_scores(self, raw: NDArray[np.float64]) -> NDArray[np.float64]:
        if self.decoding == "hamming":
            votes: NDArray[np.float64] = np.sign(raw).T @ self.code_.T
            return votes
        # -log sum_l exp(-code * score), for each class.
        scores = np.empty((raw.shape[1], self.code_.shape[0]))
        for k, row in enumerate(self.code_):
            z = -row[:, None] * raw
            top = z.max(axis=0)
            scores[:, k] = -(top + np.log(np.exp(z - top).sum(axis=0)))
        return scores


class AdaBoostECC(_Booster):
    """AdaBoost.ECC with one stump a round, on a random split of the classes into two halves.

    Source: Guruswami, Sahai, "Multiclass learning, boosting, and error-correcting codes", COLT
    1999, with a coefficient for each side of the stump, smoothed by 1/m as Schapire and Singer
    (1999, section 4.2) do.

    Parameters
    ----------
    max_iter, time_limit, warm_start : as in ``AdaBoostMH``
    random_state : draws the splits

    Attributes
    ----------
    stumps_ : (n_iter_,) structured array: class (always 0), feature, threshold, polarity
    coef_, intercept_ : (n_iter_, K), (K,): the scores are ``h @ coef_ + intercept_``
    objective_history_ : (n_iter_,) mean over pairs (i, y) of ``exp((F_y - F_own) / 2)``
    others : as in ``AdaBoostMH``
    """

    # Pair weights are exp((F_y - F_own) / 2).
    _agreement_scale = 0.5

    def __init__(
        self,
        max_iter: int = 500,
        random_state: int | np.random.RandomState | None = None,
        time_limit: float | None = None,
        warm_start: bool = False,
    ) -> None:
        self.max_iter = max_iter
        self.random_state = random_state
        self.time_limit = time_limit
        self.warm_start = warm_start

    def _signs(self) -> NDArray[np.float64]:
        return 2.0 * np.eye(self.classes_.shape[0]) - 1.0

    _parameter_constraints: dict[str, Any] = {  # noqa: RUF012
        **_Booster._parameter_constraints,
        "random_state": ["random_state"],
    }

    def _prepare(self) -> None:
        super()._prepare()
        self._seed = seed_from(self.random_state)

    def _search_signs(self) -> NDArray[np.float64]:
        return np.ones((self.classes_.shape[0], 1))

    def _start(self, state: _State) -> None:
        state.initial = state.slots.n_pairs
        state.loss, _ = pair_masses(
            state.agreement, state.slots.weights, state.slots.starts, state.masses
        )

    def _colours(self, round_index: int) -> NDArray[np.float64]:
        """(K,) +-1: half of the classes, rounded down, are -1, picked at random."""
        K = self.classes_.shape[0]
        order = np.arange(K)
        if K > 2:
            shuffle(order, K, round_seed(self._seed, round_index))
        colours = np.ones(K)
        colours[order[: K // 2]] = -1.0
        return colours

    def _round(self, state: _State) -> tuple[Update, str | None]:
        slots, search = state.slots, state.search
        colours = self._colours(state.n)
        search.signs[:, 0] = colours
        coloured_masses(state.masses, colours, slots.starts, state.searched[0])
        search.best(state.searched, state.stumps, state.scores)
        search.write_bits(state.stumps, state.bits, 0)
        start = perf_counter()
        sums = coloured_sums(state.searched[0], colours, state.bits[0, 0], slots.starts)
        total = sums.sum()
        if total <= 0.0:
            sums[:], total = 1.0, 4.0
        smooth = total / slots.weights.sum()
        low, high = 0.5 * np.log((sums[:, 1] + smooth) / (sums[:, 0] + smooth))
        # The round's vote is offset + step * h.
        step, offset = 0.5 * (high - low), 0.5 * (high + low)
        coloured_step(
            state.agreement,
            colours,
            state.bits[0, 0],
            slots.starts,
            offset + step,
            offset - step,
        )
        state.loss, _ = pair_masses(state.agreement, slots.weights, slots.starts, state.masses)
        state.solver_time += perf_counter() - start
        numbers = np.repeat(state.keep(state.stumps, [0]), state.n_columns)
        update = Update(numbers, np.arange(state.n_columns), step * colours, offset * colours)
        return update, None

    def _set_coef(self) -> None:
        super()._set_coef()
        offsets = [u.offsets for u in self._history.updates if u.offsets is not None]
        self.intercept_ = np.sum(offsets, axis=0)
