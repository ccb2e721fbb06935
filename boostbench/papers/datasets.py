"""The data sets of a paper's ``datasets.csv``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Any

from boostbench.data.splits import SplitRule
from boostbench.errors import ConfigError
from boostbench.papers.design import Design
from boostbench.papers.reading import Listed, check_columns, columns_of, lines, typed


@dataclass(frozen=True)
class PublishedDataset:
    """A data set of the paper: its printed name, rows, features and classes, and its identity.

    The data that a paper published on are those with one of the ``fingerprints``, in a file of one
    of the names ``files``, or those of one of the ``cards`` (``NAME`` or ``NAME:VARIANT``), all
    rows of it or ``per_class`` of each class, with one of the ``targets``, which are those that the
    cards have without being asked. With ``splits: given`` the card says how many rows of each class
    are used. ``division`` says how the paper divides the rows, and
    ``design`` how the means on it were measured, where that is not the paper's usual way.
    """

    name: str
    title: str = ""
    n_samples: int | None = None
    n_features: int | None = None
    cards: Listed[str] = field(default_factory=list)
    targets: Listed[str] = field(default_factory=list)
    per_class: int | None = None
    n_classes: int | None = None
    division: str = ""
    fingerprints: Listed[str] = field(default_factory=list)
    files: Listed[str] = field(default_factory=list)
    design: Design | None = None

    def is_asked_for(self, entry: Mapping[str, Any], fingerprint: str = "") -> bool:
        """Return whether an experiment's data set, as JSON values, is this one."""
        if fingerprint in self.fingerprints:
            return True
        target = entry.get("target")
        if entry.get("file"):
            named = PurePath(entry["file"]).name in self.files
            return named and (not self.targets or str(target) in self.targets)
        given = bool((entry.get("splits") or {}).get("given"))
        return (
            entry.get("card") in (self.cards or [self.name])
            and target in (None, *self.targets)
            and not entry.get("drop")
            and (given or entry.get("per_class") == self.per_class)
        )


@dataclass(frozen=True)
class _OwnDesign:
    """The columns that say how the means on one data set were measured."""

    folds: int = 0
    stratified: bool = False
    splits: int = 0
    test_size: float | None = None
    partitions: int | None = None
    seeds: int | None = None


_NAMES = {"name": "dataset"}
_COLUMNS = [*columns_of(PublishedDataset, _NAMES)[:-1], *columns_of(_OwnDesign)]


def read_datasets(path: Path, design: Design | None = None) -> dict[str, PublishedDataset]:
    """Return the data sets of a CSV file by name.

    Its columns are ``dataset`` and, where known, ``title``, ``n_samples``, ``n_features``,
    ``n_classes``, ``cards``, ``targets``, ``fingerprints`` and ``files`` (with semicolons),
    ``per_class`` and ``division``. A design of its own has ``folds``, with ``stratified``, or
    ``splits`` and ``test_size``, and ``partitions`` and ``seeds``; scalings are those of the
    paper's ``design``. Raises ConfigError, with file and line, where a column is unknown, a data
    set occurs twice, or a value is not what it must be.
    """
    found: dict[str, PublishedDataset] = {}
    for line, row in lines(path):
        check_columns(path, row, _COLUMNS)
        data = typed(path, line, row, PublishedDataset, _NAMES)
        own = typed(path, line, row, _OwnDesign)
        if data.name in found:
            raise ConfigError(f"{path}:{line}: the data set '{data.name}' occurs twice")
        if (own.folds and own.splits) or bool(own.splits) != (own.test_size is not None):
            raise ConfigError(f"{path}:{line}: give 'folds', or 'splits' and 'test_size'")
        title = data.title or data.name
        found[data.name] = replace(data, title=title, design=_design(own, design))
    return found


def _design(own: _OwnDesign, usual: Design | None) -> Design | None:
    """Return the design of one data set, ``None`` where it has none of its own."""
    if own.folds:
        split = SplitRule("stratified" if own.stratified else "kfold", own.folds)
    elif own.splits:
        split = SplitRule("shuffle", own.splits, own.test_size)
    elif usual is not None and (own.partitions or own.seeds):
        split = usual.split
    else:
        return None
    design = usual or Design(split)
    return replace(design, split=split, seeds=own.seeds or 1, partitions=own.partitions or 1)
