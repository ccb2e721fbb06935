"""What can be said of a data set: where it is, how its file is read, how its columns are used."""

from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
)

from boostbench.data.cards import TextEncoding
from boostbench.data.text_format import EMPTY, MISSING, PLAIN, TextFormat


def _check_local_file(file: str) -> str:
    if "://" in file:
        raise ValueError
    return file


def _as_text(value: object) -> object:
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def _as_label(value: object) -> object:
    return str(value).lower() if isinstance(value, bool) else _as_text(value)


Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.+-]*$", max_length=100)]
Text = Annotated[str, StringConstraints(min_length=1)]
NumberOrText = Annotated[Text, BeforeValidator(_as_text, json_schema_input_type=Text | float)]
Label = Annotated[Text, BeforeValidator(_as_label, json_schema_input_type=str | float | bool)]
AtLeast1 = Annotated[int, Field(ge=1)]
Form = Literal["matrix", "frame"]
"""What an estimator gets: a scaled array, or a frame of the table's columns."""


class DatasetOptions(BaseModel):
    """A data set by exactly one of ``card``, ``openml`` (id) or ``file`` (path), and its options.

    ``card`` is a card's name or ``NAME:VARIANT``. ``target`` is a column's name or, where no column
    has a number as its name, its number counted from 1 (from the end where negative); ``drop`` and
    ``categorical`` hold column names, where ``auto`` means every column of text or of codes.
    ``positive`` is the positive one of two classes.
    ``decimal`` is the decimal mark, and ``thousands`` the mark between groups of digits;
    ``na_values`` are texts that mean missing values, beside the usual ones; None leaves it at
    these, and an empty list at empty cells. ``missing`` is how these are handled: ``error``,
    ``drop`` (their rows), ``median`` (of the training rows) or, in a frame, ``keep``. ``features``
    is what estimators get: scaled arrays, or a frame of the file's columns. ``dates`` is what
    becomes of columns of dates, which are refused where it is None. ``group``, ``time`` and
    ``weights`` name columns that are no features: rows of one group are never divided, training
    rows are never later than test rows, and each row has a weight in the fit. A card has its own
    target, and takes another one only where one of its variants has it.
    ``per_class`` is the number of rows of each class, None for all. ``encoding`` is that of a text
    file, and ``header`` says whether the first row of a file holds names, None that it is to be
    found out.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    name: Name = ""
    card: Text | None = None
    openml: AtLeast1 | None = None
    file: Annotated[Text, AfterValidator(_check_local_file)] | None = None
    encoding: TextEncoding = "utf-8"
    header: bool | None = None
    target: Text | int | None = None
    drop: list[NumberOrText] = Field(default=[])
    task: Literal["regression", "classification"] | None = None
    positive: Label | None = None
    categorical: list[NumberOrText] | Literal["auto"] = Field(default=[])
    decimal: Literal[".", ","] = "."
    thousands: Literal[",", ".", " ", "'"] | None = None
    na_values: list[NumberOrText] | None = None
    missing: Literal["error", "drop", "median", "keep"] = "error"
    features: Form = "matrix"
    dates: Literal["parts", "ordinal", "drop"] | None = None
    group: NumberOrText | None = None
    time: NumberOrText | None = None
    weights: NumberOrText | None = None
    per_class: AtLeast1 | None = None

    @property
    def texts(self) -> TextFormat:
        """The notation of numbers and missing values in texts."""
        missing = EMPTY if self.na_values == [] else MISSING.union(self.na_values or ())
        return TextFormat(self.decimal, self.thousands or "", missing)

    @property
    def onehot(self) -> list[str]:
        """The columns that are named to become one 0/1 feature per level, levels sorted."""
        return [] if self.categorical == "auto" else self.categorical

    @property
    def every_text(self) -> bool:
        """Whether other columns of text are encoded so too, except those of names.

        In a frame all of them are categories.
        """
        return self.categorical == "auto" or self.features == "frame"

    @property
    def of_rows(self) -> dict[str, str]:
        """The columns that are named for groups, times and weights, by the key."""
        named = {"group": self.group, "time": self.time, "weights": self.weights}
        return {key: name for key, name in named.items() if name is not None}

    @property
    def reads_columns(self) -> bool:
        """Whether it has keys for columns, which only a card may specify for itself."""
        is_read = bool(self.drop or self.categorical or self.dates or self.of_rows)
        return is_read or self.texts != PLAIN or self.missing != "error"
