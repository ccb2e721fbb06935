"""Random forests set as R's randomForest package sets them, for Appendix G."""

import os
import shutil
import subprocess
import tempfile
from functools import cache
from numbers import Integral
from pathlib import Path
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.ensemble import RandomForestRegressor
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _num_features

from boostbench.trees._base import RandomStateLike, TreeRegressor
from boostbench.trees._types import FloatArray


class ForestRegressor(RandomForestRegressor):
    """Random forest of scikit-learn with the defaults of R's randomForest where it has them.

    500 trees, max(p // 3, 1) of p features tried at each split, no split of fewer than 5 samples. R
    stops where none of the drawn features can split, scikit-learn draws further ones: on data with
    few features this forest is better than R's.

    Parameters
    ----------
    n_estimators : int, default=500
        The number of trees.
    max_features : "third", int, float, "sqrt", "log2" or None, default="third"
        How many features are tried at each split: "third" is max(p // 3, 1), the others are as in
        :class:`sklearn.ensemble.RandomForestRegressor`.
    min_samples_split : int or float, default=5
        The least number of samples, or share of them, of a node that is split.
    min_samples_leaf : int or float, default=1
        The least number of samples, or share of them, of a leaf.
    max_depth : int or None, default=None
        The greatest depth of a tree, None for no limit.
    max_samples : int, float or None, default=None
        How many samples, or which share of them, each tree draws; None for as many as there are.
    bootstrap : bool, default=True
        Whether each tree draws its samples, with replacement.
    n_jobs : int or None, default=None
        The number of threads: None for 1 unless in a ``joblib.parallel_config`` context, -1 for all
        processors.
    random_state : int, RandomState instance or None, default=None
        Draws the samples and features.

    Attributes
    ----------
    estimators_ : list of DecisionTreeRegressor
        The trees.
    n_features_in_ : int
        The number p of features; all other attributes, such as ``feature_importances_``, are those
        of :class:`sklearn.ensemble.RandomForestRegressor`.

    See Also
    --------
    RForestRegressor : R's own forest, where R is installed.

    References
    ----------
    A. Consolo, E. Amaldi and A. Manno, "Soft regression trees", 2026, Appendix G.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from boostbench.trees import ForestRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> forest = ForestRegressor(n_estimators=20, random_state=0).fit(X, y)
    >>> forest.predict(X[:2]).shape
    (2,)
    """

    _parameter_constraints: ClassVar[dict[str, list[object]]] = {
        **RandomForestRegressor._parameter_constraints,
        "max_features": [
            *RandomForestRegressor._parameter_constraints["max_features"],
            StrOptions({"third"}),
        ],
    }

    def __init__(
        self,
        n_estimators: int = 500,
        *,
        max_features: int | float | str | None = "third",
        min_samples_split: int | float = 5,
        min_samples_leaf: int | float = 1,
        max_depth: int | None = None,
        max_samples: int | float | None = None,
        bootstrap: bool = True,
        n_jobs: int | None = None,
        random_state: RandomStateLike = None,
    ) -> None:
        self.max_features: int | float | str | None
        super().__init__(
            n_estimators=n_estimators,
            max_features=max_features,
            min_samples_split=min_samples_split,
            min_samples_leaf=min_samples_leaf,
            max_depth=max_depth,
            max_samples=max_samples,
            bootstrap=bootstrap,
            n_jobs=n_jobs,
            random_state=random_state,
        )

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train the forest.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The training samples.
        y : array-like of shape (n_samples,)
            The target of each sample.
        sample_weight : array-like of shape (n_samples,), default=None
            The weight of each sample, None for equal ones. Up to scikit-learn 1.8 a tree weights
            the samples that it draws, from 1.9 on it draws them by their weights.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        ValueError
            For bad input, or a bad parameter.
        """
        if self.max_features != "third":
            super().fit(X, y, sample_weight)
            return self
        try:
            self.max_features = max(_count_features(X) // 3, 1)
            super().fit(X, y, sample_weight)
        finally:
            self.max_features = "third"
        return self


def _count_features(X: ArrayLike) -> int:
    try:
        return int(_num_features(X))
    except TypeError:
        return 1  # not a table: scikit-learn refuses it in its own words


_FIT = """
args <- commandArgs(trailingOnly = TRUE)
suppressMessages(library(randomForest))
read <- function(name, columns) {
  path <- file.path(args[1], name)
  # As many as there are: R allocates what it is asked for.
  matrix(readBin(path, "double", n = file.size(path) / 8, size = 8, endian = "little"),
         ncol = columns)
}
set.seed(as.integer(args[3]))
x <- read("x", as.integer(args[2])); colnames(x) <- paste0("x", seq_len(ncol(x)))
forest <- randomForest(x = x, y = as.vector(read("y", 1)), ntree = as.integer(args[4]))
saveRDS(forest, file.path(args[1], "forest.rds"))
"""

_PREDICT = """
args <- commandArgs(trailingOnly = TRUE)
suppressMessages(library(randomForest))
forest <- readRDS(file.path(args[1], "forest.rds"))
path <- file.path(args[1], "new")
x <- matrix(readBin(path, "double", n = file.size(path) / 8, size = 8, endian = "little"),
            ncol = as.integer(args[2]))
colnames(x) <- paste0("x", seq_len(ncol(x)))
writeBin(as.double(predict(forest, x)), file.path(args[1], "out"), size = 8, endian = "little")
"""


@cache
def _r_reason() -> str | None:
    if shutil.which("Rscript") is None:
        return "Rscript is not installed; install R and its randomForest package"
    probe = subprocess.run(
        ["Rscript", "-e", "library(randomForest)"], capture_output=True, text=True, check=False
    )
    if probe.returncode != 0:
        return "R's package randomForest is not installed"
    return None


class RForestRegressor(TreeRegressor):
    """R's own randomForest with its defaults, run by ``Rscript``.

    Parameters
    ----------
    n_estimators : int, default=500
        The number of trees, R's ntree.
    random_state : int, RandomState instance or None, default=None
        Seeds R's generator.

    Attributes
    ----------
    forest_ : bytes
        R's forest, as R saves it.
    n_features_in_ : int
        The number of features.

    See Also
    --------
    ForestRegressor : A forest of scikit-learn with the same defaults, which needs no R.

    Notes
    -----
    Training and prediction raise RuntimeError, with R's own words, where R fails.

    References
    ----------
    A. Liaw and M. Wiener, "Classification and regression by randomForest", R News 2(3), 2002.
    """

    _parameter_constraints: ClassVar[dict[str, list[object]]] = {
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    _least_samples = 2

    def __init__(self, n_estimators: int = 500, *, random_state: RandomStateLike = None) -> None:
        self.n_estimators = n_estimators
        self.random_state = random_state

    @staticmethod
    def unavailable() -> str | None:
        """Return why this method cannot run here.

        Returns
        -------
        str or None
            A sentence where R or its package is not installed, None where the method can run.
        """
        return _r_reason()

    def _fit(self, X: FloatArray, y: FloatArray) -> None:
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        with tempfile.TemporaryDirectory() as folder:
            _write(folder, "x", X)
            _write(folder, "y", y)
            _run_r(_FIT, folder, X.shape[1], seed, self.n_estimators)
            self.forest_ = Path(folder, "forest.rds").read_bytes()

    def predict(self, X: ArrayLike) -> FloatArray:
        """Return the means of the trees' predictions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            The predictions, in the unit of the target.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            For another number of features, or values that are not finite.
        RuntimeError
            Where R fails, with its words.
        """
        X = self._new_data(X)
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "forest.rds").write_bytes(self.forest_)
            _write(folder, "new", X)
            _run_r(_PREDICT, folder, X.shape[1])
            return np.fromfile(Path(folder, "out"), dtype="<f8")


def _write(folder: str, name: str, values: FloatArray) -> None:
    np.asarray(values, dtype="<f8").ravel(order="F").tofile(Path(folder, name))


def _run_r(script: str, folder: str, *arguments: int) -> None:
    done = subprocess.run(
        ["Rscript", "--vanilla", "-e", script, folder, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    if done.returncode != 0:
        lines = [line.strip() for line in done.stderr.splitlines()]
        messages = [line for line in lines if line and line != "Execution halted"]
        raise RuntimeError(f"R's randomForest failed: {' '.join(messages[-2:]) or 'no message'}")
