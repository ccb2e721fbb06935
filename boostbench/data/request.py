"""An experiment's request for a data set."""

from typing import Literal

from pydantic import ConfigDict, Field, model_validator

from boostbench.data.cards import Card, Catalog
from boostbench.data.options import DatasetOptions
from boostbench.errors import DataError


class DataRequest(DatasetOptions):
    """A data set that is wanted, with all that decides its arrays.

    ``assumed_task`` says that no task was given, so that it is regression. ``catalog`` has the
    cards among which ``card`` is looked for, by default without any beside an experiment.
    """

    # Python's callers may give any sequence of names.
    model_config = ConfigDict(strict=False, arbitrary_types_allowed=True)

    name: str
    task: Literal["regression", "classification"] = "regression"
    assumed_task: bool = False
    catalog: Catalog = Field(default_factory=Catalog, repr=False)

    @model_validator(mode="after")
    def _check_classes(self) -> "DataRequest":
        if self.per_class is not None and self.task != "classification":
            raise DataError(
                f"data set {self.name!r} is for {self.task}, which has no classes; leave per_class "
                "out"
            )
        return self


def known_fingerprint(request: DataRequest) -> str | None:
    """Return the fingerprint pinned on the request's card, or None where there is none.

    That of the rows that ``per_class`` selects is not pinned, nor that of a frame.

    Raises
    ------
    DataError
        if there is no such card
    """
    pinned = "" if request.card is None else requested_card(request).fingerprint
    has_another = request.per_class is not None or request.features == "frame"
    return None if has_another else pinned or None


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
        raise DataError(
            f"data set {request.name!r}: drop, categorical, decimal, thousands, na_values, "
            "missing, dates, group, time and weights are for openml and file; a card itself says "
            "how its columns are used"
        )
    if request.target is None or request.target == card.target:
        return card
    for key, variant in card.variants.items():
        if variant.target == request.target:
            return card.variant(key)
    offered = {card.target, *(v.target for v in card.variants.values() if v.target)}
    raise DataError(
        f"the card {card.name!r} has no target {request.target!r}; "
        f"it offers {', '.join(sorted(offered))}"
    )
