"""The base of all boosted stump classifiers: input checks, scores, and scores by rounds."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context
from sklearn.utils._param_validation import Interval
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from boostbench.boosting._probabilities import keep_order
from boostbench.boosting._scores import add_scores
from boostbench.boosting._terms import Terms, merge
from boostbench.boosting._types import Floats, Integers, Labels, Samples, Stumps
from boostbench.boosting.errors import InputError, ParameterError
from boostbench.kernels.clock import clock

_CHUNK = 8192
_NO_EDGE = 1e-12
# Why a fit ends that may find more in further rounds on the same data.
_RESUMED_AFTER = ("max_iter", "time", "stalled")
_EXACT_IN_FLOAT32 = {np.dtype(t) for t in ("?", "i1", "u1", "i2", "u2", "f2", "f4")}


@dataclass(frozen=True)
class Update:
    """The change of scores by a round: ``steps[q]`` times stump ``stumps[q]`` in ``columns[q]``.

    ``offsets`` (L,), if any, is added to every sample's scores.
    """

    stumps: Integers
    columns: Integers
    steps: Floats
    offsets: Floats | None = None

    @property
    def is_idle(self) -> bool:
        """Whether the round found no stump better than chance."""
        offsets = 0.0 if self.offsets is None else self.offsets
        return bool(np.abs(self.steps).max() <= _NO_EDGE and np.max(np.abs(offsets)) <= _NO_EDGE)


def joined(updates: list[Update]) -> Update:
    """Return the one update that changes the scores as all of ``updates`` do."""
    offsets = [each.offsets for each in updates if each.offsets is not None]
    return Update(
        np.concatenate([each.stumps for each in updates]),
        np.concatenate([each.columns for each in updates]),
        np.concatenate([each.steps for each in updates]),
        np.sum(offsets, axis=0) if offsets else None,
    )


class Round(NamedTuple):
    """A finished round; ``time`` and ``solver_time`` are the seconds until its end.

    They do not contain the compilation of kernels.
    """

    update: Update
    objective: float
    time: float
    solver_time: float


@dataclass
class History:
    """The finished rounds of a fit that began at ``start``.

    ``earlier`` are the seconds of the fits that it resumes, whose rounds come first.
    """

    start: float
    rounds: list[Round] = field(default_factory=list)
    earlier: float = 0.0

    @property
    def updates(self) -> list[Update]:
        """The updates of the rounds."""
        return [each.update for each in self.rounds]

    @property
    def elapsed(self) -> float:
        """The seconds since the fit began."""
        return clock() - self.start

    def add(self, update: Update, objective: float, solver_time: float) -> None:
        """Note a round that ends now."""
        self.rounds.append(Round(update, objective, self.earlier + self.elapsed, solver_time))


def check_finite(X: Samples) -> None:
    """Raise InputError at the first NaN or infinity of ``X`` (n_samples, n_features)."""
    if X.dtype.kind != "f":
        return
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(X.sum(dtype=np.float64)):
            return
    bad = np.argwhere(~np.isfinite(X))
    if bad.size:
        row, column = bad[0]
        value = "NaN" if np.isnan(X[row, column]) else "infinity"
        raise InputError(
            f"X has {value} at row {row}, column {column} (counted from 0); "
            "decision stumps need finite numbers, so fill in or drop missing values first."
        )


def digest(*arrays: NDArray[np.generic] | None) -> bytes:
    """Return a hash of the shapes, types and values of ``arrays``."""
    state = hashlib.blake2b()
    for array in arrays:
        if array is not None:
            state.update(f"{array.shape}{array.dtype}".encode())
            state.update(np.ascontiguousarray(array).data)
        state.update(b"|")
    return state.digest()


class Begun(NamedTuple):
    """The checked input of a fit, its digest, and whether the fit resumes an earlier one.

    The digest, which takes its time, is empty without ``warm_start``.
    """

    X: Samples
    y: Integers
    weight: Floats | None
    digest: bytes
    resuming: bool


class StumpBooster(ClassifierMixin, BaseEstimator):
    """Base of the boosted stump classifiers; subclasses fit ``stumps_`` and a ``History``."""

    classes_: Labels
    stumps_: Stumps
    n_iter_: int
    stop_reason_: str
    max_iter: int
    time_limit: float | None
    objective_tol: float
    warm_start: bool
    _history: History
    _n_columns: int
    _finished: tuple[object, ...] | None = None

    _parameter_constraints: ClassVar[dict[str, list[object]]] = {
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "time_limit": [None, Interval(Real, 0, None, closed="neither")],
        "warm_start": ["boolean"],
        "objective_tol": [Interval(Real, 0, None, closed="left")],
    }

    def _begin(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> Begun:
        """Check the input of ``fit``, and prepare for it."""
        resuming = self.warm_start and hasattr(self, "stumps_")
        fitted = (self.classes_, self.n_features_in_) if resuming else None
        data, codes, weight = self._check_training(X, y, sample_weight)
        if fitted is not None:
            self._check_resumable(*fitted)
        else:
            self._prepare()
        data_digest = digest(data, codes, weight) if self.warm_start else b""
        return Begun(data, codes, weight, data_digest, resuming)

    def _prepare(self) -> None:
        """Set what stays the same in later rounds, and draw the random choices."""
        self._n_columns = len(self.classes_)

    def _check_resumable(self, fitted_classes: Labels, n_features: int) -> None:
        """Raise ParameterError if a model of these cannot be resumed on the data of this fit."""
        if self.n_features_in_ != n_features:
            raise ParameterError(
                f"warm_start=True resumes a fit with the {n_features} features it had, "
                f"but X now has {self.n_features_in_}."
            )
        if not np.array_equal(fitted_classes, self.classes_):
            raise ParameterError(
                f"warm_start=True resumes a fit with the classes {fitted_classes.tolist()} of the "
                f"earlier fit, but y now has {self.classes_.tolist()}."
            )
        if self.n_iter_ > self.max_iter:
            raise ParameterError(
                f"max_iter={self.max_iter} is less than the {self.n_iter_} rounds already fitted; "
                "with warm_start=True give the number of rounds in all."
            )

    def _check_training(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None
    ) -> tuple[Samples, Integers, Floats | None]:
        """Return validated X (n, d), class codes (n,) and weights (n,); sets ``classes_``.

        Samples of weight 0 get code 0 if no other sample has their class.
        """
        data, labels = validate_data(self, X, y, dtype="numeric", ensure_all_finite=False)
        check_finite(data)
        try:
            np.unique(labels)
        except TypeError as error:
            kinds = sorted({type(label).__name__ for label in labels})
            raise InputError(
                f"y mixes labels of the types {', '.join(kinds)}, which have no common order; "
                "give all labels as text, or all as numbers."
            ) from error
        check_classification_targets(labels)
        weight = None
        counted = labels
        if sample_weight is not None:
            weight = _check_sample_weight(sample_weight, data, dtype=np.float64)
            if (weight < 0).any():
                row = int(np.argmax(weight < 0))
                raise InputError(
                    f"sample_weight is {weight[row]:g} at row {row} (counted from 0); "
                    "weights must not be negative."
                )
            counted = labels[weight > 0]
            if counted.shape[0] == 0:
                raise InputError("sample_weight must contain at least one non-zero number.")
        self.classes_ = np.unique(counted)
        if len(self.classes_) < 2:
            raise InputError(
                f"{type(self).__name__} needs at least two classes in y, but all "
                f"{counted.shape[0]} samples are of class {self.classes_[0]!s}."
            )
        codes = np.searchsorted(self.classes_, labels)
        if weight is not None:
            codes = np.where(weight > 0, codes, 0)
        return data, codes.astype(np.intp), weight

    def _check_test(self, X: ArrayLike) -> Samples:
        check_is_fitted(self, "stumps_")
        data: Samples = validate_data(
            self, X, dtype="numeric", reset=False, ensure_all_finite=False
        )
        check_finite(data)
        return data

    def _finish(self, history: History) -> None:
        self._history = history
        rounds = history.rounds
        self.n_iter_ = len(rounds)
        self.objective_history_ = np.array([each.objective for each in rounds])
        self.time_history_ = np.array([each.time for each in rounds])
        self.solver_time_history_ = np.array([each.solver_time for each in rounds])
        self.fit_time_ = rounds[-1].time
        self.solver_time_ = rounds[-1].solver_time

    # --- scores ---------------------------------------------------------------------------

    def _class_scores(self, raw: Floats) -> Floats:
        """From the (L, n) scores of the columns to the (n, K) scores of the classes."""
        return np.ascontiguousarray(raw.T)

    def _final_update(self) -> Update:
        """Return the whole model as one update."""
        return joined(self._history.updates)

    def _terms(self) -> Terms:
        """Return the whole model, each feature and threshold of a column once."""
        update = self._final_update()
        offsets = np.zeros(self._n_columns) if update.offsets is None else update.offsets
        return merge(self.stumps_[update.stumps], update.columns, update.steps, offsets)

    def _column_titles(self) -> list[str]:
        """Return the class or classes that each column of the scores is for."""
        return [f"class {label}" for label in self.classes_]

    def _used_values(self, X: Samples) -> tuple[Samples, Integers]:
        """Return the columns of ``X`` that stumps read, one a row, and each stump's row of them."""
        feature = self.stumps_["feature"]
        used = np.unique(feature[feature >= 0])
        places = np.where(feature >= 0, np.searchsorted(used, feature), -1).astype(np.intp)
        exact = X.dtype in _EXACT_IN_FLOAT32
        values = np.ascontiguousarray(X[:, used].T, dtype=np.float32 if exact else np.float64)
        return values, places

    def _add(self, update: Update, values: Samples, places: Integers, scores: Floats) -> None:
        # numba would compile the kernel again for each other layout of the arrays.
        add_scores(
            values,
            places,
            np.ascontiguousarray(self.stumps_["threshold"]),
            self.stumps_["polarity"].astype(np.float64),
            np.ascontiguousarray(update.stumps),
            np.ascontiguousarray(update.columns),
            np.ascontiguousarray(update.steps),
            scores,
        )
        if update.offsets is not None:
            scores += update.offsets[:, None]

    def _scores(self, X: ArrayLike) -> Floats:
        data = self._check_test(X)
        raw = np.zeros((self._n_columns, len(data)))
        update = self._final_update()
        for first in range(0, len(data), _CHUNK):
            part = slice(first, first + _CHUNK)
            chunk = np.zeros((self._n_columns, len(data[part])))
            self._add(update, *self._used_values(data[part]), chunk)
            raw[:, part] = chunk
        return self._class_scores(raw)

    def _public_scores(self, scores: Floats) -> Floats:
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def _labels(self, scores: Floats) -> Labels:
        best: Labels = self.classes_[np.argmax(scores, axis=1)]
        return best

    def _staged_scores(self, X: ArrayLike) -> Iterator[Floats]:
        data = self._check_test(X)
        values, places = self._used_values(data)
        raw = np.zeros((self._n_columns, data.shape[0]))
        for update in self._history.updates:
            self._add(update, values, places, raw)
            yield self._class_scores(raw)

    def _link(self, scores: Floats) -> Floats:
        """Probabilities (n, K) from the scores (n, K) of the classes."""
        raise NotImplementedError

    def _probabilities(self, scores: Floats) -> Floats:
        return keep_order(self._link(scores), scores)

    def decision_function(self, X: ArrayLike) -> Floats:
        """Return the scores of the classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples, finite real numbers.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) with two classes
            The scores; with two classes, as scikit-learn wants it, the score of ``classes_[1]``
            less that of ``classes_[0]``.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        InputError
            If ``X`` is not finite.
        ValueError
            If its number of features is not that of ``fit``.
        """
        return self._public_scores(self._scores(X))

    def predict(self, X: ArrayLike) -> Labels:
        """Return the class of the highest score of each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples, finite real numbers.

        Returns
        -------
        ndarray of shape (n_samples,)
            The labels; of equal scores the first class of ``classes_``.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        InputError
            If ``X`` is not finite.
        ValueError
            If its number of features is not that of ``fit``.
        """
        return self._labels(self._scores(X))

    def predict_proba(self, X: ArrayLike) -> Floats:
        """Return the probabilities of the classes; the likeliest is the one of ``predict``.

        They follow from the scores at the minimum of the loss, as the class's docstring describes.
        A fit of finite length and C estimates them, and may need calibration.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples, finite real numbers.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            The probabilities, in the order of ``classes_``; rows sum to 1.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        InputError
            If ``X`` is not finite.
        ValueError
            If its number of features is not that of ``fit``.
        """
        return self._probabilities(self._scores(X))

    def staged_decision_function(self, X: ArrayLike) -> Iterator[Floats]:
        """Yield ``decision_function(X)`` after each round, with the coefficients of that round.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples, finite real numbers.

        Yields
        ------
        ndarray of shape (n_samples, n_classes), or (n_samples,) with two classes
            The scores after round 1, 2 and so on.
        """
        for scores in self._staged_scores(X):
            yield self._public_scores(scores)

    def staged_predict(self, X: ArrayLike) -> Iterator[Labels]:
        """Yield ``predict(X)`` after each round, with the coefficients of that round.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples, finite real numbers.

        Yields
        ------
        ndarray of shape (n_samples,)
            The labels after round 1, 2 and so on.
        """
        for scores in self._staged_scores(X):
            yield self._labels(scores)

    def staged_predict_proba(self, X: ArrayLike) -> Iterator[Floats]:
        """Yield ``predict_proba(X)`` after each round, with the coefficients of that round.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples, finite real numbers.

        Yields
        ------
        ndarray of shape (n_samples, n_classes)
            The probabilities after round 1, 2 and so on.
        """
        for scores in self._staged_scores(X):
            yield self._probabilities(scores)

    @property
    def feature_importances_(self) -> Floats:
        """The share of each feature in the sum of the stumps' absolute weights.

        Stumps of the same class, feature and threshold count as the one that they amount to;
        constant ones do not count.

        Returns
        -------
        ndarray of shape (n_features,)
            The shares. They sum to 1, or are all 0 if every stump is constant.

        Raises
        ------
        NotFittedError
            Before ``fit``; it is an AttributeError too.
        """
        check_is_fitted(self, "stumps_")
        terms = self._terms()
        sums = np.bincount(
            terms.features, weights=np.abs(terms.weights), minlength=self.n_features_in_
        )
        total = sums.sum()
        shares: Floats = sums / total if total > 0.0 else np.zeros_like(sums)
        return shares

    def benchmark_metrics_(self) -> dict[str, float | int | str]:
        """Return deterministic numbers about the fit, for a benchmark's record.

        Returns
        -------
        dict
            The numbers of rounds ``n_iter`` and of stumps ``n_stumps``, the final ``objective`` and
            the ``stop_reason``.
        """
        check_is_fitted(self, "stumps_")
        return {
            "n_iter": self.n_iter_,
            "n_stumps": len(self.stumps_),
            "objective": float(self.objective_history_[-1]),
            "stop_reason": self.stop_reason_,
        }

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The training samples, finite real numbers; float32 and integers are used as they are.
        y : array-like of shape (n_samples,)
            Their labels, of at least two classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of at least 0; a weight of 2 is a sample given twice. None for equal ones.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        InputError
            If ``X`` is not finite, ``y`` has one class, or a weight is negative.
        ParameterError
            If parameters contradict each other, or a warm start or a code matrix does not fit the
            data.
        ValueError
            If the shapes do not fit, or a parameter is out of its range.
        """
        start = clock()
        before = dict(vars(self))
        try:
            begun = self._begin(X, y, sample_weight)
            # Before the state is given up, as parameters that do not go together are refused here.
            conditions = self._conditions(begun)
            # Training changes it in place, so it cannot be restored.
            before.pop("_state", None)
            if not begun.resuming or conditions != self._finished:
                self._train(begun, History(start))
                self._finished = None if self.stop_reason_ in _RESUMED_AFTER else conditions
            return self
        except BaseException:  # raised again
            self.__dict__ = before
            raise

    def _conditions(self, begun: Begun) -> tuple[object, ...]:
        """Return what decides that a finished fit stays as it is, whatever ``max_iter``."""
        return begun.digest, self.objective_tol

    def _train(self, begun: Begun, history: History) -> None:
        if begun.resuming:
            history.rounds.extend(self._history.rounds)
            history.earlier = history.rounds[-1].time
        new = self._boost(begun, history)
        self.stumps_ = np.concatenate([self.stumps_, new]) if begun.resuming else new
        self._finish(history)

    def _reason_to_stop(self, change: float, allowed: float, history: History) -> str | None:
        """Return why no round follows one that changed the objective by ``change``."""
        if self.objective_tol > 0 and change <= allowed:
            return "objective"
        if self.time_limit is not None and history.elapsed >= self.time_limit:
            return "time"
        return None

    def _boost(self, begun: Begun, history: History) -> Stumps:
        """Run the rounds, extending ``history``; return the new stumps.

        Sets the fitted attributes that do not follow from the stumps and the history alone.
        """
        raise NotImplementedError
