"""What becomes of a table's columns: numbers, 0/1 features of their levels, classes, or nothing."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from boostbench.data import bounds
from boostbench.data.problems import Problems, quoted
from boostbench.data.table import PLAIN, Column, Table, TextFormat, check_cells
from boostbench.errors import DataError
from boostbench.suggest import listing

_FEW_LEVELS = 20
# When labels are continuous, see _continuous: counts of different labels, and rows per label.
_FEW_FRACTIONS = 5
_SOME_FRACTIONS = 10
_MANY_FRACTIONS = 100
_ROWS_PER_LABEL = 5
_SPREAD = 1.2
# A number in whichever notation: of another country, in brackets, with a sign of currency...
_NUMBER_LIKE = re.compile(
    r"[-+−–—(='’\"]{0,3}[$¢£¥฿\u20a0-\u20cf]? ?"
    r"(?:\d+(?:[.,'’\s]\d{3})*(?:[.,]\d*)?|[.,]\d+)(?:[eE][-+]?\d+)?"
    r" ?[$¢£¥฿\u20a0-\u20cf%)\"]{0,2}"
)
_CODE = re.compile(r"[^\W_]*[0-9][^\W_]*")
_STANDS_FOR_MISSING = re.compile(
    r"[-–—_.*?x#/\\ ]+|\\N|n[./ ]?a\.?|#[\w/]+[!?]"
    r"|nan|nil|none|null|missing|unknown|undefined|empty",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Encoding:
    """How a table becomes ``X`` and ``y``.

    Parameters
    ----------
    target : a column's name, or its number from 1 (negative: from the end); None takes the one
        output that the file itself names
    columns : names given to the table's columns by position, or none to keep its own
    order : the order of features, where it is not the table's; columns not in it drop out
    codes : nominal columns that become one feature: the position of the level in its list
    onehot : columns that become one 0/1 feature a level, levels sorted
    every_text : whether columns of text become that as well, except those of names
    strict : whether nominal columns in neither must be numbers; else they become one-hot
    missing : ``error`` refuses missing values, ``drop`` leaves out their rows, ``median`` leaves
        numbers missing, to be filled from the training rows, and gives a category that is missing
        none of its levels; a row without a target is left out
    rows : the range of rows that is used, all if None
    classes : the target's labels in the order of their codes, sorted if none are given
    texts : how the table writes numbers that it holds as text
    """

    target: str | int | None = None
    columns: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    codes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    onehot: tuple[str, ...] = ()
    every_text: bool = False
    strict: bool = False
    missing: str = "error"
    rows: tuple[int, int] | None = None
    classes: tuple[str, ...] = ()
    texts: TextFormat = PLAIN


@dataclass
class Features:
    """The columns that become features; those of text become one 0/1 feature a level.

    ``read_as`` lists the columns of text that were read as numbers, by what they hold; ``left_out``
    says which columns are no features, and why.
    """

    columns: list[Column] = field(default_factory=list)
    read_as: dict[str, list[str]] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)

    def take(self, rows: NDArray[np.bool_]) -> "Features":
        """Return the same with these rows only."""
        return replace(self, columns=[column.take(rows) for column in self.columns])

    def arrays(self, where: str) -> tuple[NDArray[np.float64], list[str]]:
        """Return X (n, p), NaN where a number is missing, and the names of the features.

        A column of text gives one 0/1 feature per level, in sorted order; a row without a value has
        none of the levels.
        """
        found: list[tuple[str, NDArray[np.float64]]] = []
        for column in self.columns:
            if column.is_text:
                known = levels(column)
                if len(known) > bounds.MAX_LEVELS:
                    many = f"{len(known):,} levels in column {quoted(column.name)}"
                    limit = f"at most {bounds.MAX_LEVELS:,} become features; drop it"
                    raise DataError(f"{where} has {many}; {limit}")
                texts = column.values
                found += [(f"{column.name}={x}", (texts == x).astype(np.float64)) for x in known]
            else:
                found.append((column.name, column.values))
            check_cells(len(column.values), len(found), where)
        X = np.empty((len(self.columns[0].values), len(found)))
        for j, (_, values) in enumerate(found):
            X[:, j] = values
        return X, [name for name, _ in found]


def choose(
    columns: Sequence[Column], table: Table, encoding: Encoding, problems: Problems
) -> Features:
    """Return what becomes of ``columns`` of ``table``; add those of no use to ``problems``."""
    chosen = Features()
    for column in columns:
        if column.name in encoding.codes:
            column = Column(
                column.name, _to_codes(column, encoding.codes[column.name], table.where)
            )
        elif column.name in encoding.onehot or (column.nominal and not encoding.strict):
            column = replace(column, values=texts_of(column))
        elif column.unnamed and not encoding.strict:
            # R and pandas give the names of rows no name; others end each row with a separator.
            what = "empty" if column.missing.all() else "names of rows"
            at = table.names.index(column.name) + 1
            chosen.left_out.append(f"column {at} (unnamed, {what})")
            continue
        elif column.is_text:
            numbers, how = numbers_in(column.values, encoding.texts, percent=not encoding.strict)
            if numbers is None:
                if not _becomes_levels(column, encoding, chosen, problems):
                    continue
            else:
                column = replace(column, values=numbers)
                if how:
                    chosen.read_as.setdefault(how, []).append(quoted(column.name))
        chosen.columns.append(column)
    if encoding.missing != "error":
        empty = [column for column in chosen.columns if column.missing.all()]
        chosen.columns = [column for column in chosen.columns if not column.missing.all()]
        chosen.left_out += [f"{quoted(column.name)} (empty)" for column in empty]
    return chosen


def _becomes_levels(
    column: Column, encoding: Encoding, chosen: Features, problems: Problems
) -> bool:
    what, odd = _kind_of(column, encoding.texts)
    if what == "names" and encoding.every_text:
        of = f"{len(levels(column)):,} different texts in {(~column.missing).sum():,} values"
        chosen.left_out.append(f"{quoted(column.name)} ({of})")
        return False
    if what == "levels" and encoding.every_text:
        if len(levels(column)) <= bounds.MAX_LEVELS:
            return True
        problems.add("too many levels", column.name, odd, of=~column.missing, values=column.values)
        return False
    _add_texts(column, what, odd, problems)
    if encoding.missing == "error" and what != "names" and column.missing.any():
        problems.add("missing values", column.name, column.missing)
    return False


def levels(column: Column) -> list[str]:
    """Return the different texts of a column, sorted."""
    return sorted({text for text in column.values if text is not None})


def _add_texts(
    column: Column, what: str, odd: NDArray[np.bool_], problems: Problems, *, target: bool = False
) -> None:
    known = ~column.missing
    kind = "text" if 2 * odd.sum() > known.sum() else "text among the numbers"
    kind = "values that are no numbers" if what == "numbers" else kind
    problems.add(kind, column.name, odd, of=known, values=column.values, target=target)


def _kind_of(column: Column, texts: TextFormat) -> tuple[str, NDArray[np.bool_]]:
    """Return what a column of texts holds, and which values are neither missing nor numbers.

    ``numbers``: at least half of the values are, in whichever notation, though they may be levels
    where there are only a few, and codes such as 136 and 136A; ``names``: so many different texts
    that most are never both trained and tested on; ``levels`` else.
    """
    counts = Counter(text for text in column.values if text is not None)
    plain = {text for text in counts if texts.number(text) is not None}
    marked = {text for text in counts.keys() - plain if _NUMBER_LIKE.fullmatch(text)}
    others = counts.keys() - plain - marked
    odd = np.array([text in marked or text in others for text in column.values], dtype=bool)
    total = counts.total()
    numeric = 2 * sum(counts[text] for text in others) <= total
    codes = (
        not marked
        and all(map(_CODE.fullmatch, others))
        and all(float(texts.number(text) or 0).is_integer() for text in plain)
    )
    if codes or not numeric:
        names = len(counts) > max(_FEW_LEVELS, total // 2)
        return ("names" if names else "levels"), odd
    few = len(counts) <= _FEW_LEVELS and not all(map(_STANDS_FOR_MISSING.fullmatch, others))
    return ("levels" if few and not marked else "numbers"), odd


def numbers_in(
    values: NDArray[np.object_], texts: TextFormat, *, percent: bool
) -> tuple[NDArray[np.float64] | None, str]:
    """Return (n,) texts as numbers, None if one is none, and what they are otherwise.

    With ``percent`` those that are all true or false (or 1 and 0) become 1 and 0, and those that
    are all percentages their number.
    """
    numbers = texts.numbers(list(values))
    if numbers is not None or not percent:
        return numbers, ""
    known = {text for text in values if text is not None}
    if any(map(_is_truth, known)):
        as_truth = {"true": "1", "false": "0"}
        bare = [None if x is None else as_truth.get(x.casefold(), x) for x in values]
        numbers = PLAIN.numbers(bare)
        if numbers is not None and np.isin(numbers[~np.isnan(numbers)], (0.0, 1.0)).all():
            return numbers, "true/false read as 1/0"
    elif all(text.endswith("%") for text in known):
        bare = [None if x is None else x[:-1].rstrip() for x in values]
        return texts.numbers(bare), "percentages read as numbers (72 for 72%)"
    return None, ""


def _is_truth(text: str) -> bool:
    return text.casefold() in ("true", "false")


def _to_codes(column: Column, known: Sequence[object], where: str) -> NDArray[np.float64]:
    position = {str(level): float(i) for i, level in enumerate(known)}
    texts = texts_of(column)
    unknown = {text for text in texts if text is not None} - position.keys()
    if unknown:
        odd, known_levels = min(unknown), ", ".join(position)
        raise DataError(f"{where} has {odd!r} in column {column.name!r}, not in {known_levels}")
    return np.array([np.nan if text is None else position[text] for text in texts])


def texts_of(column: Column) -> NDArray[np.object_]:
    """Return (n,) values as text, whole numbers without a point: 6.0000 and 6 are one."""
    if column.is_text:
        return column.values
    values = [
        None if np.isnan(v) else str(int(v)) if np.isfinite(v) and v == int(v) else str(float(v))
        for v in column.values
    ]
    return np.array(values, dtype=object)


@dataclass(frozen=True)
class Target:
    """(n,) float64 with NaN where missing, or int64 codes with -1 there, and their classes."""

    values: NDArray[np.float64] | NDArray[np.int64]
    classes: tuple[str, ...] = ()
    remark: str = ""

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Whether each of the n values is missing."""
        if self.values.dtype.kind == "f":
            return np.isnan(self.values)
        return np.asarray(self.values < 0)


def regression_target(column: Column, texts: TextFormat, problems: Problems) -> Target:
    """Return the numbers of ``column``; add it to ``problems`` if it holds something else."""
    if not column.is_text:
        return Target(column.values)
    numbers, how = numbers_in(column.values, texts, percent=True)
    if numbers is not None and not how.startswith("true"):
        return Target(numbers, remark=how and f"{how} in the target {quoted(column.name)}")
    _add_texts(column, *_kind_of(column, texts), problems, target=True)
    return Target(np.zeros(len(column.values)))


def class_target(column: Column, order: Sequence[str], problems: Problems) -> Target:
    """Return the codes of the classes in ``column``, sorted (numbers as such) or as in ``order``.

    A column whose labels are continuous is added to ``problems``, unless the file declares them as
    levels. Raises DataError if there are too many classes, or one that is not in ``order``.
    """
    where, name = problems.where, quoted(column.name)
    texts = texts_of(column)
    known = np.array([text is not None for text in texts], dtype=bool)
    found = set(texts[known])
    continuous = ""
    if not order and not column.nominal:
        continuous = _continuous(found, int(known.sum()), numbers=not column.is_text)
    if continuous == "yes":
        problems.add("continuous values", column.name, known, values=texts, target=True)
        return Target(np.zeros(len(texts), dtype=np.int64))
    if not order and any(map(_is_truth, found)) and found & {"0", "1"}:
        both = "both true/false and 1/0 in the target column"
        raise DataError(f"{where} has {both} {name}; write its classes in one way")
    if len(found) > bounds.MAX_LEVELS:
        limit = f"at most {bounds.MAX_LEVELS:,} are allowed"
        raise DataError(f"{where} has {len(found):,} classes in column {name}; {limit}")
    if order and not found <= set(order):
        odd = f"the class {min(found - set(order))!r} in column {column.name!r}"
        raise DataError(f"{where} has {odd}; {listing(order)} are expected")
    numeric = all(PLAIN.number(text) is not None for text in found)
    classes = list(order) or (sorted(found, key=float) if numeric else sorted(found))
    position = {label: i for i, label in enumerate(classes)}
    codes = np.array([position.get(text, -1) for text in texts], dtype=np.int64)
    remark = (
        f"{len(found):,} different numbers in the {known.sum():,} rows of the target "
        f"{name}: set 'task: regression' if it is continuous"
    )
    return Target(codes, tuple(classes), remark if continuous else "")


def _continuous(labels: Collection[str], n_rows: int, *, numbers: bool) -> str:
    """Return ``yes`` if ``labels`` cannot be classes, ``maybe`` if they are hardly, or "".

    No classes are:

    - texts and whole numbers, halves and quarters, of which most occur once, if more than 20;
    - whole numbers (halves, quarters) of which there are more than 20, with fewer than five rows
      per label, and gaps between them: codes of classes such as 0, 1, 2, ... have none;
    - other fractions, if more than 100, or more than five with fewer than five rows per label.
    """
    n_labels = len(labels)
    few_rows = n_rows < _ROWS_PER_LABEL * n_labels
    if not numbers:
        return "yes" if n_labels > _FEW_LEVELS and 2 * n_labels > n_rows else ""
    quarters = 4.0 * np.array(sorted(map(float, labels)))
    if not np.isfinite(quarters).all():
        return ""
    if (quarters != np.floor(quarters)).any():
        if n_labels > _MANY_FRACTIONS or (n_labels > _FEW_FRACTIONS and few_rows):
            return "yes"
        return "maybe" if n_labels > _SOME_FRACTIONS else ""
    if n_labels <= _FEW_LEVELS or not few_rows:
        return ""
    steps = np.diff(quarters)
    gaps = (quarters[-1] - quarters[0]) / steps.min() + 1 > _SPREAD * n_labels
    return "yes" if gaps or 2 * n_labels > n_rows else "maybe"
