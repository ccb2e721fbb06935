"""Data sets from memory: frames, arrays and Bunches of scikit-learn, with the options of a file."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from boostbench.data.options import DatasetOptions
from boostbench.data.problems import quoted
from boostbench.data.table import TEXT
from boostbench.errors import ConfigError
from boostbench.suggest import did_you_mean, listing

_OF_ROWS = ("group", "time", "weights")
_OF_A_FILE = frozenset({"name", "card", "openml", "file", "encoding", "header"})


class Data:
    """A data set from memory, for :func:`boostbench.run`.

    Parameters
    ----------
    X : object
        A pandas frame, anything with ``to_pandas()`` such as a polars frame, an array of rows and
        columns, or a Bunch of scikit-learn, which has its target itself. The index of a frame is
        left out; ``reset_index()`` makes a column of it. What the mask of an array hides is
        missing.
    y : object, optional
        The target of each row, where it is no column of ``X``. Where both have an index it is the
        same one.
    **options : object
        The keys that an experiment file has for a data set
        (:doc:`/docs/reference/experiment-keys`), such as ``target`` (a column's name, or its number
        counted from 1 where no column has a number as its name), ``task``, ``categorical``,
        ``missing``, ``drop`` or ``splits``.

    Raises
    ------
    ConfigError
        For an unknown option, a ``target`` beside ``y``, or values in place of the name of a
        column.

    Examples
    --------
    >>> import boostbench
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"size": [1.0, 2.0, 3.0], "price": [2.0, 4.1, 6.2]})
    >>> boostbench.Data(frame, target="price")
    Data(3 rows of 2 columns, target='price')
    """

    def __init__(self, X: object, y: object = None, /, **options: object) -> None:
        _check_options(options)
        self._X, self._y = X, y
        self._options = options
        if is_bunch(X):
            if y is not None:
                raise ConfigError("a Bunch has its target itself: leave y out of boostbench.Data")
            self._X, self._y, task = _parts_of_bunch(X)
            self._options = {"task": task, **options} if task else options
        if isinstance(self._y, pd.DataFrame) and self._y.shape[1] == 1:
            self._y = self._y.iloc[:, 0]
        if self._y is not None and "target" in options:
            raise ConfigError("boostbench.Data has both y and target: leave one of them out")

    def frame(self, name: str) -> pd.DataFrame:
        """Return all columns of the data set, the values of ``y`` as the last one.

        Parameters
        ----------
        name : str
            The name of the data set, for messages.

        Returns
        -------
        pandas.DataFrame
            One row per sample, with an index from 0.

        Raises
        ------
        ConfigError
            Where these are not rows and columns of one length, the rows of one are labelled
            otherwise than those of the other, or a column has the name of the target.
        """
        frame = _as_frame(self._X, name)
        if self._y is None:
            return frame
        target = _as_target(self._y, name)
        if len(target) != len(frame):
            raise ConfigError(
                f"the data set '{name}' has {len(frame):,} rows, but y has {len(target):,} values"
            )
        _check_labels(self._X, self._y, name)
        if str(target.name) in map(str, frame.columns):
            raise ConfigError(
                f"the data set '{name}' has a column named {target.name!r} like its target y: give "
                "one of them another name"
            )
        return pd.concat([frame, target], axis=1)

    @property
    def options(self) -> Mapping[str, object]:
        """The options by name, as an experiment file has them."""
        if self._y is None:
            return self._options
        return {**self._options, "target": _name_of(self._y)}

    @property
    def dropped(self) -> Collection[str]:
        """The names of the columns that are left out."""
        names = self._options.get("drop")
        return {str(name) for name in names} if isinstance(names, Collection) else ()

    def __repr__(self) -> str:
        shape: tuple[int, ...] = getattr(self._X, "shape", ())
        rows, columns = shape if len(shape) == 2 else ("?", "?")
        options = "".join(f", {name}={value!r}" for name, value in self._options.items())
        return f"Data({rows} rows of {columns} columns{options})"


def is_bunch(value: object) -> bool:
    """Return whether a value is a Bunch of scikit-learn: a mapping with data and target."""
    return isinstance(value, Mapping) and {"data", "target"} <= value.keys()


def _check_options(options: Mapping[str, object]) -> None:
    """Raise ConfigError for unknown options, and for values in place of a column's name."""
    known = [name for name in (*DatasetOptions.model_fields, "splits") if name not in _OF_A_FILE]
    unknown = [f"'{name}'{did_you_mean(name, known)}" for name in options if name not in known]
    if unknown:
        raise ConfigError(
            f"boostbench.Data has no option {listing(unknown)}; the options are {listing(known)}"
        )
    for name in _OF_ROWS:
        if not isinstance(options.get(name), str | int | None):
            raise ConfigError(
                f"boostbench.Data: {name} must be the name of a column: put the values into "
                f"the frame, as X.assign({name}=values), and give {name}='{name}'"
            )


def _parts_of_bunch(bunch: object) -> tuple[object, object, str]:
    """Return the rows and the target of a Bunch, and its task where that is clear."""
    assert isinstance(bunch, Mapping)
    X, y = bunch["data"], bunch["target"]
    names = bunch.get("feature_names")
    if isinstance(X, np.ndarray) and X.ndim == 2 and names is not None and len(names) == X.shape[1]:
        X = _frame_of(X, list(map(str, names)))
    labels = bunch.get("target_names")
    words = None if labels is None else _words_of(y, list(map(str, labels)))
    if words is not None:
        return X, words, "classification"
    is_of_classes = isinstance(y, pd.Series) and isinstance(y.dtype, pd.CategoricalDtype)
    return X, y, "classification" if is_of_classes else ""


def _words_of(y: object, labels: Sequence[str]) -> pd.Series | None:
    """Return the labels of codes, None where a target has others, or its own values."""
    codes = np.asarray(y)
    are_codes = len(labels) > 1 and codes.ndim == 1 and codes.dtype.kind in "iu"
    if not are_codes or not set(np.unique(codes)) <= set(range(len(labels))):
        return None
    return pd.Series(np.array(labels, dtype=object)[codes], name=_name_of(y), dtype=TEXT)


def _as_frame(X: object, name: str) -> pd.DataFrame:
    """Return rows and columns as a frame with an index of its own."""
    if hasattr(X, "to_pandas"):
        X = X.to_pandas()
    if isinstance(X, pd.DataFrame):
        return X.reset_index(drop=True)
    if hasattr(X, "tocsr"):
        raise ConfigError(
            f"the data set '{name}' is a sparse matrix, which is not taken: give its .toarray()"
        )
    if not isinstance(X, np.ndarray | Sequence) or isinstance(X, str):
        raise ConfigError(
            f"the data set '{name}' is of type {type(X).__name__}: give a frame, an array of rows "
            "and columns, or a Bunch"
        )
    try:
        array = np.asanyarray(X)
    except ValueError:
        array = np.empty(0)
    if array.ndim != 2:
        raise ConfigError(
            f"the data set '{name}' has no rows and columns: give an array of two axes, such as "
            "X.reshape(len(X), -1)"
        )
    return _frame_of(array, [f"x{j}" for j in range(1, array.shape[1] + 1)])


def _frame_of(array: NDArray[np.generic], names: Sequence[str]) -> pd.DataFrame:
    """Return an array (n, p) as a frame, in which what the array's mask hides is missing."""
    frame = pd.DataFrame(np.ma.getdata(array), columns=list(names))
    mask = np.ma.getmaskarray(array)
    # As objects whole numbers keep their digits beside gaps.
    return frame.astype(object).mask(mask) if mask.any() else frame


def _check_labels(X: object, y: object, name: str) -> None:
    """Raise ConfigError where X and y both have an index, and their rows have different labels."""
    mine, theirs = (getattr(each, "index", None) for each in (X, y))
    if not isinstance(mine, pd.Index) or not isinstance(theirs, pd.Index) or mine.equals(theirs):
        return
    row, first, other = next(
        (row, first, other)
        for row, (first, other) in enumerate(zip(mine, theirs, strict=True), 1)
        if first != other
    )
    remedy = "give both the same index, or"
    if set(mine) == set(theirs):
        remedy = "give y.loc[X.index] where labels belong together, and"
    raise ConfigError(
        f"the rows of the data set '{name}' and of its target y have different labels: row {row} "
        f"is {quoted(first, 40)} in X, but {quoted(other, 40)} in y; {remedy} y.to_numpy() where "
        "rows belong together in their order"
    )


def _as_target(y: object, name: str) -> pd.Series:
    """Return the target of each row as a column."""
    if hasattr(y, "to_pandas"):
        y = y.to_pandas()
    if isinstance(y, pd.Series | pd.Index | pd.api.extensions.ExtensionArray):
        return pd.Series(y).reset_index(drop=True).rename(_name_of(y))
    try:
        array = np.asanyarray(y)
    except ValueError:
        array = np.empty((0, 0))
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ConfigError(
            f"the target y of the data set '{name}' must be one value a row, not an array of shape "
            f"{array.shape}"
        )
    return _frame_of(array[:, np.newaxis], [_name_of(y)]).iloc[:, 0]


def _name_of(y: object) -> str:
    """Return the name of a target, "target" where it has none."""
    named = getattr(y, "name", None)
    is_name = isinstance(named, str | int | np.integer) and named != ""
    return str(named) if is_name else "target"
