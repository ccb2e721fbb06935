"""The cards that an experiment can name: shipped ones, those of packages, those beside its file."""

from functools import cached_property
from pathlib import Path

from boostbench.data.cards import Card, read_card
from boostbench.entry_points import entry_points, load_entry_point
from boostbench.errors import CardError, DataError
from boostbench.resources import shipped_dir
from boostbench.suggest import nearest

ENTRY_POINT_GROUP = "boostbench.datasets"


class Catalog:
    """The cards of one experiment, whose file is in the folder ``beside``, if any.

    Cards beside the file are in its folder ``datasets``. The folders are listed, and each card is
    read, when first asked for, and not again.
    """

    def __init__(self, beside: Path | None = None) -> None:
        self._beside = [] if beside is None else [beside.resolve() / "datasets"]
        self._cards: dict[str, Card] = {}

    @cached_property
    def _paths(self) -> dict[str, Path]:
        """The file of each card by name; CardError where two different ones share a name."""
        group = ENTRY_POINT_GROUP
        packages = [load_entry_point(group, name, Path) for name in sorted(entry_points(group))]
        paths: dict[str, Path] = {}
        for place in (shipped_dir("datasets"), *packages, *self._beside):
            for path in sorted(place.glob("*.yaml")):
                first = paths.setdefault(path.stem, path)
                if first != path and first.read_bytes() != path.read_bytes():
                    raise CardError(
                        f"{path}: there is a card {path.stem!r} already; name it otherwise"
                    )
        return paths

    @property
    def files(self) -> list[Path]:
        """The files of all cards; CardError where two different ones share a name."""
        return [*self._paths.values()]

    @property
    def names(self) -> list[str]:
        """The names of all cards, sorted."""
        return sorted(self._paths)

    def card(self, name: str) -> Card:
        """Return the card ``name``, or its variant for ``NAME:VARIANT``.

        Raises
        ------
        DataError
            if there is no such card or variant
        CardError
            if the card is wrong
        """
        base, _, variant = name.partition(":")
        if base not in self._paths:
            near = nearest(base, self.names)
            hint = f"did you mean {near!r}?" if near else f"there are {', '.join(self.names)}"
            raise DataError(f"there is no data set named {base!r}; {hint}")
        if base not in self._cards:
            self._cards[base] = read_card(self._paths[base])
        card = self._cards[base]
        return card.variant(variant) if variant else card
