"""An experiment's request for a data set."""

from dataclasses import dataclass, field
from typing import Literal

from boostbench.data.cards import Card
from boostbench.data.catalog import Catalog
from boostbench.data.text_format import EMPTY, MISSING, PLAIN, TextFormat
from boostbench.errors import DataError


@dataclass(frozen=True)
class DataRequest:
    """A data set by exactly one of ``card``, ``openml`` (id) or ``file`` (path).

    ``card`` is a card's name or ``NAME:VARIANT``. ``target`` is a column's name or its number
    counted from 1 (from the end where negative); ``drop`` and ``categorical`` hold column names,
    where ``auto`` means every column of text. ``decimal`` is the decimal mark, ``.`` or ``,``, and
    ``thousands`` the mark between groups of digits, a key of ``table.THOUSANDS`` or None;
    ``na_values`` are texts that mean missing values, beside the usual ones; None leaves it at
    these, and an empty tuple at empty cells. ``missing`` is how these are handled: ``error``,
    ``drop`` (their rows) or ``median`` (of the training rows). A card has its own target, and takes
    another one only where one of its variants has it.
    ``per_class`` is the number of rows of each class, None for all. ``assumed_task`` says that no
    task was given, so that it is regression. ``encoding`` is that of a text file, and ``header``
    says whether the first row of a file holds names, None that it is to be found out. ``catalog``
    has the cards among which ``card`` is looked for, by default without any beside an experiment.
    """

    name: str
    card: str | None = None
    openml: int | None = None
    file: str | None = None
    target: str | int | None = None
    drop: tuple[str, ...] = ()
    task: str = "regression"
    categorical: tuple[str, ...] | Literal["auto"] = ()
    per_class: int | None = None
    assumed_task: bool = False
    encoding: str = "utf-8"
    header: bool | None = None
    decimal: str = "."
    thousands: str | None = None
    na_values: tuple[str, ...] | None = None
    missing: str = "error"
    catalog: Catalog = field(default_factory=Catalog, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.per_class is not None and self.task != "classification":
            without = "which has no classes; leave per_class out"
            raise DataError(f"data set {self.name!r} is for {self.task}, {without}")

    @property
    def texts(self) -> TextFormat:
        """The notation of numbers and missing values in texts."""
        missing = EMPTY if self.na_values == () else MISSING.union(self.na_values or ())
        return TextFormat(self.decimal, self.thousands or "", missing)

    @property
    def reads_columns(self) -> bool:
        """Whether it has keys for columns, which only a card may specify for itself."""
        return bool(self.drop or self.categorical or self.texts != PLAIN or self.missing != "error")


def known_fingerprint(request: DataRequest) -> str | None:
    """Return the fingerprint pinned on the request's card, or None where there is none.

    The fingerprint of the rows that ``per_class`` selects is not pinned.

    Raises
    ------
    DataError
        if there is no such card
    """
    pinned = "" if request.card is None else requested_card(request).fingerprint
    return None if request.per_class is not None else pinned or None


def requested_card(request: DataRequest) -> Card:
    """Return the card, or the variant of it, that ``request`` asks for.

    Raises
    ------
    DataError
        if there is none, or the request asks for more than a card can give
    """
    assert request.card is not None
    card = request.catalog.card(request.card)
    if request.reads_columns:
        keys = "drop, categorical, decimal, thousands, na_values and missing"
        itself = "a card itself says how its columns are used"
        raise DataError(f"data set {request.name!r}: {keys} are for openml and file; {itself}")
    if request.target is None or request.target == card.target:
        return card
    for key, variant in card.variants.items():
        if variant.target == request.target:
            return card.variant(key)
    offered = {card.target, *(v.target for v in card.variants.values() if v.target)}
    has = f"has no target {request.target!r}; it offers {', '.join(sorted(offered))}"
    raise DataError(f"the card {card.name!r} {has}")
