"""What an experiment needs elsewhere to be judged and run: its file, paper, code, data, cards."""

import copy
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from boostbench.config.entries import DatasetEntry
from boostbench.config.loading import EXPERIMENT_FILE, WRITTEN, is_written
from boostbench.config.model import Experiment
from boostbench.config.writing import yaml_text
from boostbench.experiment.freshness import experiment_now
from boostbench.experiment.paper_changes import is_read
from boostbench.experiment.preparation import imported_paths
from boostbench.objects.trust import files_of
from boostbench.papers import is_folder
from boostbench.plan.check import import_from_folder_of
from boostbench.store.archive_format import NAMES
from boostbench.store.files import RECEIPT_FILE
from boostbench.store.store import Store
from boostbench.user_code import own_sources
from boostbench.yamltree import read_yaml

LARGEST = 10 * 2**20
"""The size in bytes above which a file is left out of an archive."""
FIGURE = "figure.png"
"""The main figure of an archive."""
_TAKEN = frozenset({*NAMES, FIGURE, "table.md", RECEIPT_FILE})
_OUTSIDE = "outside"
"""The folder of files that lie elsewhere than below the experiment file."""


@dataclass
class Inputs:
    """Files by their places in a copy, and the names of those that are too large for it.

    ``paper`` is the paper as the experiment file of the copy names it, and ``is_written`` says
    whether boostbench.run wrote that file.
    """

    files: dict[str, bytes] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    paper: str | None = None
    is_written: bool = False


def inputs_of(store: Store) -> Inputs:
    """Return what the experiment of a store needs elsewhere; nothing where its file is gone.

    A file keeps its place below the experiment file. The experiment file is as it was written,
    unless it names files elsewhere, or a results folder, or was run with ``--set``.
    """
    found = experiment_now(store)
    if found is None:
        return Inputs()
    path, experiment = found
    assert experiment.folder is not None
    copies = _Copies(experiment.folder)
    values = _renamed(experiment, copies)
    _add_cards(experiment, copies)
    _add_code(experiment, copies)
    content = path.read_bytes()
    if values != read_yaml(path).value:
        content = f"{WRITTEN if is_written(path) else ''}{yaml_text(values)}".encode()
    files = {EXPERIMENT_FILE: content, **copies.files}
    return Inputs(files, copies.left_out, values.get("paper"), is_written(path))


class _Copies:
    """Copies of files that lie below a folder, or elsewhere."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._outside: dict[Path, int] = {}
        self.files: dict[str, bytes] = {}
        self.left_out: list[str] = []

    def add_named(self, text: str, *, is_paper: bool = False) -> str:
        """Add a file that the experiment file names, or a paper's files; return its new name."""
        path = Path(os.path.normpath(self._folder / Path(text).expanduser()))
        place = self._place(path)
        if is_paper:
            for file in filter(is_read, sorted(path.iterdir())):
                self.add(file, f"{place}/{file.name}")
        else:
            self.add(path, place)
        return text if text in (place, f"./{place}") else f"./{place}"

    def _place(self, path: Path) -> str:
        """Return where a file or folder is in the copy."""
        if path.is_relative_to(self._folder):
            place = path.relative_to(self._folder).as_posix()
            if place not in _TAKEN:
                return place
        number = self._outside.setdefault(path.parent, len(self._outside) + 1)
        return f"{_OUTSIDE}/{number}/{path.name}"

    def add(self, path: Path, place: str) -> None:
        """Add a file, unless it is too large; a folder, such as one of images, is left out too."""
        if path.is_file() and path.stat().st_size <= LARGEST:
            self.files[place] = path.read_bytes()
        elif path.exists():
            self.left_out.append(path.name)


def _renamed(experiment: Experiment, copies: _Copies) -> dict[str, Any]:
    """Return the values of the file of the copy, and add the paper, the data and rows it names."""
    values = {name: value for name, value in experiment.values.items() if name != "results"}
    if experiment.paper and is_folder(experiment.paper):
        values["paper"] = copies.add_named(experiment.paper, is_paper=True)
    values["datasets"] = [
        _renamed_entry(given, entry, experiment, copies)
        for given, entry in zip(values["datasets"], experiment.datasets, strict=True)
    ]
    return values


def _renamed_entry(
    given: object, entry: DatasetEntry, experiment: Experiment, copies: _Copies
) -> object:
    if not isinstance(given, dict):
        return given
    renamed = copy.deepcopy(given)
    if entry.file:
        renamed["file"] = copies.add_named(entry.file)
    splits = entry.splits
    if splits is not None and splits.test_rows:
        paths = [rows.path for rows in experiment.listed_test_rows(entry.name)]
        names = [copies.add_named(str(path)) for path in paths]
        if any(".." in Path(pattern).parts for pattern in splits.test_rows):
            renamed["splits"]["test_rows"] = names
    if splits is not None and splits.files:
        renamed["splits"]["files"] = [
            {"train": copies.add_named(pair.train), "test": copies.add_named(pair.test)}
            for pair in splits.files
        ]
    return renamed


def _add_cards(experiment: Experiment, copies: _Copies) -> None:
    """Add the cards beside the experiment file that it names."""
    assert experiment.folder is not None
    used = {entry.card.partition(":")[0] for entry in experiment.datasets if entry.card}
    for path in experiment.catalog.files:
        if path.stem in used and path.parent == experiment.folder / "datasets":
            copies.add(path, f"datasets/{path.name}")


def _add_code(experiment: Experiment, copies: _Copies) -> None:
    """Add the user's own modules, and stored objects, that the experiment file names."""
    assert experiment.folder is not None
    import_from_folder_of(experiment)
    for name in imported_paths(experiment):
        for place, path in own_sources(name).files.items():
            copies.add(path, place)
        for path in files_of(name, experiment.folder):
            copies.add(path, path.relative_to(experiment.folder).as_posix())
