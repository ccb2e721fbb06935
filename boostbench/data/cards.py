"""Cards: the description of a data set, and its sources; and the cards that an experiment can name.

``keys.yaml`` describes the values that each key allows and the purpose of the key.
"""

import codecs
import re
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal, NamedTuple, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from boostbench.data.access import place_of
from boostbench.entry_points import entry_points, load_entry_point
from boostbench.errors import CardError, ConfigError, DataError
from boostbench.resources import shipped_dir
from boostbench.suggest import did_you_mean, nearest
from boostbench.yamltree import Document, read_yaml


def _check_encoding(name: str) -> str:
    try:
        # Refuses encodings of Python that are not for text, such as base64.
        "".encode(name)
    except LookupError:
        raise ValueError(f"{name!r} is not an encoding of texts") from None
    if codecs.lookup(name).name in ("idna", "punycode"):
        raise ValueError(f"{name!r} encodes the names of hosts, not files")
    return name


TextEncoding = Annotated[str, Field(min_length=1), AfterValidator(_check_encoding)]
Format = Literal["delimited", "arff", "keel", "idx", "mat"]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class SourceFile(_Model):
    """One file of a source."""

    name: str = ""
    urls: tuple[str, ...] = ()
    sha256: str | None = Field(default=None, pattern=r"^[0-9a-f]{64}$")

    @property
    def names(self) -> list[str]:
        """The names that a copy of the file may have."""
        of_address = self.urls[0].rpartition("/")[2] if self.urls else ""
        return [name for name in (self.name, of_address) if name]


class _SourceKind(NamedTuple):
    """A kind of source: its label in messages, and the keys that it needs."""

    label: str
    needs: tuple[str, ...]


_KINDS = {
    "file": _SourceKind("mirror {0.files[0].names[0]}", ("files",)),
    "url": _SourceKind("{0.files[0].urls[0]}", ("files",)),
    "uci": _SourceKind("UCI {0.id}", ("files", "id", "slug")),
    "keel": _SourceKind("KEEL {0.dataset}", ("dataset",)),
    "openml": _SourceKind("OpenML {0.id}", ("id",)),
    "sklearn": _SourceKind("scikit-learn's {0.dataset}", ("dataset",)),
    "generated": _SourceKind("generator {0.dataset}", ("dataset",)),
    "images": _SourceKind("images in {0.folder}", ("folder", "features")),
}


class Source(_Model):
    """One source of the data, and the format of its files.

    Features of images are made by :mod:`boostbench.data.image_features` and
    :mod:`boostbench.data.visual_words`.
    """

    kind: Literal["file", "uci", "keel", "url", "openml", "sklearn", "generated", "images"]
    files: tuple[SourceFile, ...] = ()
    id: int | None = None
    slug: str = ""
    dataset: str = ""
    group: Literal["regression", "classification"] = "regression"
    format: Format = "delimited"
    separator: str | None = Field(default=None, max_length=1, pattern=r"[^\r\n]")
    header: bool = False
    encoding: TextEncoding = "utf-8"
    columns: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    rows: tuple[int, int] | None = None
    params: dict[str, int | float] = {}
    join: tuple[int, ...] = ()
    folder: str = ""
    features: Literal["", "pixels", "hog", "gist", "gtsrb_hog", "bag_of_words"] = ""
    layout: Literal["folders", "cifar", "gtsrb"] = "folders"
    per_folder: int | None = None
    n_classes: int | None = None
    image_size: tuple[int, int] | None = None
    images_sha256: str = ""
    refused: dict[str, str] = {}

    @model_validator(mode="after")
    def _is_complete(self) -> Self:
        missing = [key for key in _KINDS[self.kind].needs if not getattr(self, key)]
        if self.kind != "openml" and self.join:
            raise ValueError("join is for sources of kind openml")
        if missing:
            raise ValueError(f"a source of kind {self.kind} needs {' and '.join(missing)}")
        key = "urls" if self.kind == "url" else "name"
        if not all(getattr(file, key) for file in self.files):
            raise ValueError(f"each file of a source of kind {self.kind} needs {key}")
        return self

    @property
    def openml_ids(self) -> tuple[int, ...]:
        """The OpenML ids of the source."""
        return () if self.kind != "openml" or self.id is None else (self.id, *self.join)

    @property
    def label(self) -> str:
        """A few words for messages, such as ``OpenML 564``."""
        more = "".join(f" + OpenML {number}" for number in self.join)
        return _KINDS[self.kind].label.format(self) + more


class Variant(_Model):
    """A variant of a card: fields that are set here replace the card's own."""

    title: str
    fingerprint: str = ""
    target: str = ""
    columns: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    n_samples: int = 0
    n_features: int = 0
    sources: tuple[Source, ...] = ()


class Card(_Model):
    """A data set.

    Nominal columns are encoded by :mod:`boostbench.data.encode`, and the order of its rows is
    checked by :func:`boostbench.plan.division.check_order`.
    """

    name: str
    title: str
    task: Literal["regression", "classification"] = "regression"
    n_samples: int
    n_features: int
    target: str
    obtain: str = ""
    columns: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    codes: dict[str, tuple[str, ...]] = {}
    onehot: tuple[str, ...] = ()
    missing: Literal["error", "drop"] = "error"
    train_rows: int | None = None
    order: Literal["file", "canonical"] = "file"
    splits: dict[str, int | float] = {}
    class_counts: tuple[tuple[int, ...], ...] = ()
    licence: str
    citation: str
    bibtex: str = ""
    notes: str = ""
    fingerprint: str = ""
    sources: tuple[Source, ...]
    variants: dict[str, Variant] = {}

    @model_validator(mode="after")
    def _adds_up(self) -> Self:
        parts, train_rows = [sum(part) for part in self.class_counts], self.train_rows
        if parts and sum(parts) != self.n_samples:
            raise ValueError(f"class_counts add up to {sum(parts)}, not to {self.n_samples}")
        said = {"class_counts": sum(parts[:-1]), "splits": self.splits.get("train_rows", 0)}
        for key, rows in said.items():
            if rows and train_rows is not None and rows != train_rows:
                raise ValueError(f"{key} has {rows} training rows, but train_rows is {train_rows}")
        return self

    def variant(self, key: str) -> "Card":
        """Return the card with the variant's values in place of its own.

        Raises
        ------
        DataError
            if it has no such variant
        """
        if key not in self.variants:
            known = ", ".join(f"{self.name}:{name}" for name in self.variants) or "none"
            raise DataError(f"data set {self.name!r} has no variant {key!r}; it has {known}")
        variant = self.variants[key]
        values = {field: getattr(variant, field) for field in variant.model_fields_set}
        return self.model_copy(update={**values, "name": f"{self.name}:{key}", "variants": {}})


_PARTS: Mapping[str | int, type[_Model]]
_PARTS = {"sources": Source, "files": SourceFile, "variants": Variant}


def places(card: Card) -> list[str]:
    """Return the places that have the card's data, in the order of its sources, each once.

    Such as ``UCI 1``, ``OpenML 183``, ``github.com/renatopp/arff-datasets``.
    """
    names: dict[str, None] = {}
    for source in card.sources:
        urls = [url for file in source.files for url in file.urls]
        if source.kind != "file":
            names |= dict.fromkeys(map(place_of, urls) if urls else [source.label])
    return list(names) or ["your own files"]


def read_card(path: Path) -> Card:
    """Return the card in a file; CardError, with file, line and column, where it is wrong."""
    try:
        document = read_yaml(path)
        card = Card.model_validate(document.value)
    except ConfigError as error:
        raise CardError(str(error)) from None
    except ValidationError as error:
        raise CardError(_first_complaint(error, document)) from None
    if card.name != path.stem:
        place = document.where(["name"])
        raise CardError(f"{place}: a card has the name of its file, {path.stem!r}")
    return card


def _first_complaint(error: ValidationError, document: Document) -> str:
    # A misspelt key is the reason of a missing one.
    first = min(error.errors(), key=lambda complaint: complaint["type"] == "missing")
    at = first["loc"]
    if first["type"] == "extra_forbidden":
        part = next((_PARTS[step] for step in reversed(at[:-1]) if step in _PARTS), Card)
        hint = did_you_mean(str(at[-1]), part.model_fields)
        return f"{document.where(at, key=True)}: unknown key '{at[-1]}' in a card{hint}"
    expected = re.findall("'(.*?)'", first.get("ctx", {}).get("expected", ""))
    number = first["type"] == "string_type" and isinstance(first["input"], int | float)
    text = f"{first['input']} is no text: write it in quotes" if number else first["msg"]
    return (
        f"{document.where(at)}: {'.'.join(map(str, at)) or 'the card'}: "
        f"{text.removeprefix('Value error, ')}{did_you_mean(str(first['input']), expected)}"
    )


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
