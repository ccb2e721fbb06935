"""Experiment files: found, read, overridden, checked."""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from pydantic import ValidationError

from boostbench.config.entries import DatasetEntry
from boostbench.config.files import DatasetFiles, ExperimentFiles, ListedRows, ListedSplit
from boostbench.config.messages import config_error, dotted, shown
from boostbench.config.model import Experiment
from boostbench.data.arrays import test_rows_digest
from boostbench.data.cards import Card, Catalog
from boostbench.data.row_files import read_row_files
from boostbench.data.splits import SplitRule
from boostbench.errors import BoostbenchError, ConfigError, DataError
from boostbench.methods import method_names
from boostbench.papers import get_paper, is_folder
from boostbench.papers.paper import Paper
from boostbench.papers.plausible import impossible_values
from boostbench.resources import shipped_dir
from boostbench.suggest import counted, did_you_mean, listing
from boostbench.values import Record
from boostbench.yamltree import Document, parse_yaml, read_yaml

WRITTEN = "# Written by boostbench.run: the experiment of these results.\n"
"""The first line of the file of an experiment that was given from Python."""
EXPERIMENT_FILE = "experiment.yaml"
"""The name of the experiment file in an archive, and in the results of one given from Python."""


def config_names() -> list[str]:
    """Return the names of the shipped experiment files, sorted."""
    return sorted(path.stem for path in shipped_dir("configs").glob("*.yaml"))


def find_config(path_or_name: str | Path) -> Path:
    """Return the experiment file at a path, or in the archive there, or the shipped one of a name.

    Raises ConfigError if there is none.
    """
    path = Path(path_or_name)
    if path.is_file():
        return path
    text = str(path_or_name)
    # A folder of the same name, such as a run's results, does not hide a shipped config.
    if path.is_dir() and text not in config_names():
        if (path / EXPERIMENT_FILE).is_file():
            return path / EXPERIMENT_FILE
        raise ConfigError(f"{text} is a folder; give an experiment file (.yaml) or a config's name")
    if re.fullmatch(r"[A-Za-z0-9_+-]+", text):
        shipped = shipped_dir("configs") / f"{text}.yaml"
        if shipped.is_file():
            return shipped
        names = config_names()
        raise ConfigError(
            f"no config '{text}'{did_you_mean(text, names)}; "
            f"give the path of a file or one of {listing(names)}"
        )
    near = [p.name for p in path.parent.glob("*.y*ml")]
    raise ConfigError(f"no file {text}{did_you_mean(path.name, near)}")


def place_of_config(path_or_name: str | Path, folder: Path) -> str:
    """Return where an experiment file is, seen from its results folder: ``../../mine.yaml``.

    A folder that holds both can be moved and copied. For a shipped experiment it is the name.
    """
    path = find_config(path_or_name).resolve()
    if path.parent == shipped_dir("configs").resolve():
        return path.stem
    return f"{os.path.relpath(path.parent, folder.resolve())}/{path.name}"


def recorded_config(record: Record, folder: Path) -> Path | None:
    """Return where the file of a recorded experiment should be now, None where that is unknown.

    ``record`` is that of a store in ``folder``, or of an archive, which keeps only the name of a
    shipped file, and of any other in an earlier version.
    """
    place: str = record["file"]
    if not place and is_written(folder / EXPERIMENT_FILE):
        return (folder / EXPERIMENT_FILE).resolve()
    if "/" in place:
        home = folder.parent if record["shard"] else folder
        return (home.resolve() / place).resolve()
    named = place or record["config"]
    try:
        return find_config(named).resolve() if named else None
    except ConfigError:
        return None


def shipped_name(path_or_name: str | Path) -> str | None:
    """Return the name of the shipped experiment file that is at a path or equal to the file there.

    None where there is no such shipped file.
    """
    try:
        path = find_config(path_or_name)
        shipped = shipped_dir("configs") / f"{path.stem}.yaml"
        return path.stem if shipped.read_bytes() == path.read_bytes() else None
    except (ConfigError, OSError):
        return None


def load_experiment(path_or_name: str | Path, overrides: Sequence[str] = ()) -> Experiment:
    """Read an experiment file; ``overrides`` are texts ``KEY=VALUE``, KEY with dots, VALUE in YAML.

    Checks the file's shape and that every data set card and method it names exists; methods'
    parameters are checked by :func:`boostbench.plan.check.check_experiment`.

    Raises ConfigError, whose every line begins with ``file:line:column:`` or ``--set KEY:``.
    """
    path = find_config(path_or_name)
    document = read_yaml(path)
    if document.value is None:
        raise ConfigError(f"{path}:1:1: the file is empty; it must have name, datasets, methods")
    if is_written(path):
        _name_places(document)
    for override in overrides:
        _override(document, override)
    folder = path.resolve().parent
    catalog = Catalog(folder)
    names = {"card": catalog.names, "method": method_names()}
    try:
        experiment = Experiment.model_validate(document.value, context=names)
    except ValidationError as error:
        raise config_error(error, document) from None
    experiment._files = ExperimentFiles(document, folder, catalog)
    complaints = _wrong_names(experiment)
    try:
        paper = _paper_of(experiment)
    except ConfigError as error:
        complaints.append(str(error))
    if complaints:
        raise ConfigError("\n".join(complaints))
    files = {entry.name: _files_of(entry, experiment) for entry in experiment.datasets}
    experiment._files = replace(experiment._files, paper=paper, datasets=files)
    return experiment


def is_written(path: Path) -> bool:
    """Return whether an experiment file was written for one that was given from Python."""
    try:
        with path.open(encoding="utf-8") as file:
            return file.readline() == WRITTEN
    except (OSError, UnicodeDecodeError):
        return False


def _name_places(document: Document) -> None:
    """Let messages name the parts of a file that its user has not written, not the lines."""
    document.override((), "boostbench.run")
    for key, one in (("datasets", "data set"), ("methods", "method")):
        for number, entry in enumerate(_entries(document, key)):
            name = entry.get("name", number + 1) if isinstance(entry, Mapping) else entry
            document.override((key, number), f"boostbench.run, {one} '{name}'")


def _entries(document: Document, part: str) -> list[object]:
    """Return the entries of a part of an experiment, none where it is no list."""
    entries = document.value.get(part) if isinstance(document.value, Mapping) else None
    return entries if isinstance(entries, list) else []


def _files_of(entry: DatasetEntry, experiment: Experiment) -> DatasetFiles:
    """Return what the files say that an entry names, or the errors that they have."""
    card: Card | BoostbenchError | None = None
    try:
        card = experiment.catalog.card(entry.card) if entry.card else None
    except BoostbenchError as error:
        card = error
    folder = experiment.folder or Path()
    try:
        paths = _files_of_test_rows(entry, folder)
        rows = read_row_files(paths)
        splits = tuple(_listed_splits(entry, folder))
    except DataError as error:
        return DatasetFiles(card, listed=error)
    listed = None
    if rows:
        listed = SplitRule("listed", len(rows), test_rows=test_rows_digest(rows))
    elif splits:
        listed = SplitRule("files", len(splits))
    return DatasetFiles(card, tuple(map(ListedRows, paths, rows)), splits, listed)


def _listed_splits(entry: DatasetEntry, folder: Path) -> list[ListedSplit]:
    """Return the splits that an entry's files list; DataError if a file is missing or wrong."""
    own = entry.splits
    if own is None or own.files is None:
        return []
    pairs, n = own.files, own.n
    if n is not None and len(pairs) < n:
        raise DataError(
            f"data set '{entry.name}': {n} splits, but {counted(len(pairs), 'pair')} of files"
        )
    splits: list[ListedSplit] = []
    for pair in pairs:
        paths = [folder / Path(name).expanduser() for name in (pair.train, pair.test)]
        train, test = map(ListedRows, paths, read_row_files(paths))
        common = np.intersect1d(train.rows, test.rows)
        if len(common):
            raise DataError(
                f"data set '{entry.name}': {pair.train} and {pair.test} both list the row "
                f"{common[0]:,}, from 0 ({counted(len(common), 'row')} in all); a row is for "
                "training or for the test"
            )
        splits.append(ListedSplit(train, test))
    return splits


def _files_of_test_rows(entry: DatasetEntry, folder: Path) -> list[Path]:
    """Return the files that list the test rows of each split; DataError if one is missing."""
    splits = entry.splits
    if splits is None or splits.test_rows is None:
        return []
    paths: list[Path] = []
    for pattern in splits.test_rows:
        try:
            matching = sorted(folder.glob(pattern), key=_numbers_in)
        except (NotImplementedError, ValueError):
            raise DataError(
                f"data set '{entry.name}': {pattern!r} is no pattern of test_rows; give files "
                "relative to the experiment file's folder, such as rows/test_*.txt"
            ) from None
        if not matching:
            raise DataError(f"data set '{entry.name}': there is no file {pattern} of test rows")
        paths += matching
    if splits.n is not None and len(paths) < splits.n:
        raise DataError(
            f"data set '{entry.name}' has {splits.n} splits, but its test_rows are only "
            f"{counted(len(paths), 'file')}; give as many files, or leave out splits.n"
        )
    return paths


def _numbers_in(path: Path) -> list[int | str]:
    """Return a sort key that puts test_2.txt before test_10.txt."""
    parts = re.split(r"(\d+)", path.name)
    return [int(part) if part.isdigit() else part for part in parts]


def _override(document: Document, override: str) -> None:
    key, equals, text = override.partition("=")
    key = key.strip()
    source = f"--set {key}"
    if not equals or not key:
        raise ConfigError(f"--set {override}: give KEY=VALUE, such as --set seeds=3")
    value = parse_yaml(text, source).value
    steps: list[str | int] = [int(s) if s.isascii() and s.isdigit() else s for s in key.split(".")]
    target = document.value
    for n, step in enumerate(steps):
        at: object = step
        if isinstance(target, dict):
            at = str(step)
            target.setdefault(at, {})
        elif not (isinstance(target, list) and isinstance(step, int) and step < len(target)):
            raise ConfigError(f"{source}: there is no {dotted(steps[: n + 1])} in the file")
        if n == len(steps) - 1:
            target[at] = value
        target = target[at]
    document.override(tuple(steps), source)


def _wrong_names(experiment: Experiment) -> list[str]:
    """Return complaints about repeated names, and about keys that exclude others."""
    complaints = _repeated_names(experiment)
    if experiment.splits is None:
        complaints += [
            f"{experiment.where('datasets', i, 'splits')}: 'n' says how many splits the data set "
            "has, but neither it nor the experiment says how to make them: add test_size, such as "
            f"splits: {{n: {entry.splits.n}, test_size: 0.25}}"
            for i, entry in enumerate(experiment.datasets)
            if entry.splits is not None and entry.splits.says_only_how_many
        ]
    if experiment.units == "scaled" and experiment.has_frames:
        complaints.append(
            f"{experiment.where('units')}: with 'features: frame' errors are in the target's own "
            "unit; leave 'units: scaled' out"
        )
    for one, several in (("folds", "splits"), ("split_seed", "split_seeds")):
        if one in experiment.model_fields_set and getattr(experiment, several) is not None:
            complaints.append(
                f"{experiment.where(several, key=True)}: '{one}' and '{several}' are both given; "
                "leave one of them out"
            )
    return complaints


def _repeated_names(experiment: Experiment) -> list[str]:
    """Return complaints about data sets, and about methods, with the name of another."""
    complaints = []
    for part in ("datasets", "methods"):
        names = [entry.name for entry in getattr(experiment, part)]
        for i, name in enumerate(names):
            if (first := names.index(name)) < i:
                complaints.append(
                    f"{experiment.where(part, i, 'name')}: {part}[{i}] has the name '{name}' of "
                    f"{part}[{first}]; give each its own name"
                )
    return complaints


def _paper_of(experiment: Experiment) -> Paper | None:
    """Return the paper of an experiment, if any; ConfigError if it or the ``table`` is wrong."""
    table = experiment.table
    if experiment.paper is None:
        if table is not None:
            raise ConfigError(
                f"{experiment.where('table')}: 'table' is one of a paper's tables; "
                "name the paper, or leave it out"
            )
        return None
    try:
        paper = get_paper(experiment.paper, experiment.folder)
        known = paper.tables_and_figures
        if is_folder(experiment.paper):
            # Claims are read with pandas and scipy, which other experiments do not need.
            from boostbench.papers.claims import read_claims

            read_claims(paper)
            if wrong := impossible_values(paper):
                raise ConfigError("\n".join(wrong))
    except ConfigError as error:
        raise ConfigError(f"{experiment.where('paper')}: {error}") from None
    if table not in (None, *known):
        raise ConfigError(
            f"{experiment.where('table')}: the paper {experiment.paper} has no table or figure "
            f"{shown(table)}{did_you_mean(str(table), known)}; choose one of {listing(known)}"
        )
    return paper
