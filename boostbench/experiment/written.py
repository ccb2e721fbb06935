"""An experiment given as values of Python, written as a file that commands run and report alike."""

import contextlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from boostbench.config.loading import EXPERIMENT_FILE, WRITTEN, recorded_config
from boostbench.config.model import Experiment
from boostbench.config.writing import plain, yaml_text
from boostbench.data.given import Data, is_bunch
from boostbench.data.stored import stored_frame
from boostbench.errors import ConfigError
from boostbench.experiment.given_splits import splits_entry
from boostbench.objects.entries import StoredObjects, estimator_entry, function_path
from boostbench.objects.names import FOLDER, table_name
from boostbench.objects.trust import note_made_here
from boostbench.outputs import BY_RESULTS, OutputFolder
from boostbench.papers import is_folder
from boostbench.store.files import STORE_FILE
from boostbench.store.store import Store
from boostbench.suggest import did_you_mean, listing
from boostbench.user_code import shown_path

_DEFAULT_NAME = "experiment"


@dataclass
class WrittenExperiment:
    """An experiment file in its results folder, which may be temporary.

    ``made`` are the folders that were made for it, the innermost first.
    """

    path: Path
    temporary: "tempfile.TemporaryDirectory[str] | None" = None
    made: Sequence[Path] = ()

    def discard(self) -> None:
        """Remove the folders that were made for a run that recorded nothing."""
        if self.temporary is not None:
            self.temporary.cleanup()
        elif self.made and not (self.path.parent / STORE_FILE).is_file():
            shutil.rmtree(self.path.parent, ignore_errors=True)
            for folder in self.made[1:]:
                with contextlib.suppress(OSError):  # it has other results by now
                    folder.rmdir()


def write_experiment(keys: Mapping[str, object]) -> WrittenExperiment:
    """Write an experiment, given by the keys of an experiment file, into its results folder.

    The values may be objects of Python: see :func:`boostbench.run`. Without a ``name`` or
    ``results`` the folder is a temporary one. Raises ConfigError for an unknown key, and for what
    cannot be written, identified or sent, and StoreError where a file of the user's is in the way;
    then nothing is written.
    """
    _refuse_unknown(keys)
    name, results = _names(keys)
    temporary = None
    if results is None and name is None:
        temporary = tempfile.TemporaryDirectory(prefix="boostbench-")
        results = temporary.name
    name = name or _DEFAULT_NAME
    folder = Path(results or Path("results", name)).expanduser()
    try:
        _refuse_others(folder)
        contents = _Contents(folder)
        values: dict[str, object] = {"name": name}
        values |= {key: contents.value(key, given) for key, given in keys.items()}
        values["name"] = name
        _move_pairs_to_datasets(values)
        if results is None:
            values.pop("results", None)
        else:
            values["results"] = str(folder)
        made = [each for each in (folder, *folder.parents) if not each.exists()]
        contents.write(values)
    except BaseException:  # raised again
        if temporary is not None:
            temporary.cleanup()
        raise
    return WrittenExperiment(folder / EXPERIMENT_FILE, temporary, made)


def _refuse_unknown(keys: Iterable[str]) -> None:
    """Raise ConfigError for a key that no experiment has."""
    known = list(Experiment.model_fields)
    for key in keys:
        if key not in known:
            raise ConfigError(
                f"an experiment has no key '{key}'{did_you_mean(key, known)}; its keys are "
                f"{listing(known, 30)}"
            )


def _names(keys: Mapping[str, object]) -> tuple[str | None, str | None]:
    """Return the name of an experiment and its results folder, as far as they are given.

    A results folder without a path is a name below ``./results``.
    """
    name, results = keys.get("name"), keys.get("results")
    if not isinstance(name, str | None):
        raise ConfigError(f"name must be a text, not {name!r}")
    if results is None:
        return name, None
    if not isinstance(results, str | os.PathLike):
        raise ConfigError(f"results must be a name or the path of a folder, not {results!r}")
    place = os.fspath(results)
    if isinstance(results, str) and Path(place).name == place and place not in ("", ".", ".."):
        return name or place, str(Path("results", place)) if name else None
    return name or re.sub(r"[^A-Za-z0-9_.+-]+", "_", Path(place).resolve().name), place


def _refuse_others(folder: Path) -> None:
    """Raise ConfigError where a folder has the results of another experiment file."""
    if not (folder / STORE_FILE).is_file():
        return
    with Store.read(folder) as store:
        owner = recorded_config(store.record_of_run(), folder)
    if owner is not None and owner != (folder / EXPERIMENT_FILE).resolve():
        raise ConfigError(
            f"the results in {folder} are those of {shown_path(str(owner))}: give this experiment "
            "another `name`, or another folder as `results`"
        )


class _Contents:
    """What is written into the results ``folder`` of an experiment: its file, objects, tables."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._objects = StoredObjects()
        self._stored: dict[str, bytes] = {}
        """The data sets and the rows of splits that are kept beside the objects, by file."""

    def value(self, key: str, given: object) -> object:
        """Return the value of a key as the file has it."""
        match key:
            case "datasets":
                return [self._dataset(name, each) for name, each in _named(key, given)]
            case "methods":
                return [self._method(name, each) for name, each in _named(key, given)]
            case "metrics":
                return [self._metric(name, each) for name, each in _named(key, given)]
            case "splits":
                return splits_entry(given, key, self._objects, self._stored)
            case "paper" if isinstance(given, str | os.PathLike) and is_folder(os.fspath(given)):
                return self._beside(given)
        return plain(given, key)

    def write(self, values: Mapping[str, object]) -> None:
        """Write all files, the experiment file last."""
        outputs = OutputFolder(self._folder, BY_RESULTS)
        objects = OutputFolder(self._folder / FOLDER, BY_RESULTS)
        file = {EXPERIMENT_FILE: (WRITTEN + yaml_text(values)).encode()}
        outputs.check([*self._objects.modules, EXPERIMENT_FILE])
        kept = {**self._objects.pickles, **self._stored}
        objects.check(kept)
        # What has a digest in its name is never written twice: trials may be reading it.
        missing = {n: each for n, each in kept.items() if not (objects.folder / n).exists()}
        modules = {
            n: each for n, each in self._objects.modules.items() if not (self._folder / n).exists()
        }
        if missing:
            objects.write(missing)
        outputs.write(modules | file)
        for name, content in {**missing, **modules}.items():
            if name not in self._stored:
                note_made_here(content)

    def _dataset(self, name: str | None, given: object) -> object:
        if isinstance(given, Mapping) and not is_bunch(given):
            return self._with_files(name, given)
        if isinstance(given, os.PathLike):
            return self._with_files(name, {"file": given})
        if isinstance(given, str):
            return given if name is None else {"name": name, "card": given}
        if name is None:
            raise ConfigError(
                f"the data set of type {type(given).__name__} has no name: give datasets as a "
                'mapping, such as {"mine": boostbench.Data(frame, target="y")}'
            )
        data = given if isinstance(given, Data) else _data_of(given, name)
        where = f"the data set '{name}'"
        content, digest = stored_frame(data.frame(name), where, data.dropped)
        file = table_name(digest)
        self._stored[file] = content
        return self._with_files(name, {"file": f"{FOLDER}/{file}", **data.options})

    def _with_files(self, name: str | None, given: Mapping[str, object]) -> dict[str, object]:
        """Return an entry whose own files are named as seen from the folder of the experiment."""
        where = f"datasets.{name or given.get('name', '')}"
        keys = dict(given)
        if "splits" in keys:
            keys["splits"] = splits_entry(
                keys["splits"], f"{where}.splits", self._objects, self._stored
            )
        entry = _with_name(name, keys, where)
        if isinstance(file := entry.get("file"), str):
            entry["file"] = self._beside(file)
        if isinstance(splits := entry.get("splits"), dict):
            if isinstance(patterns := splits.get("test_rows"), list):
                splits["test_rows"] = [self._beside(str(pattern)) for pattern in patterns]
            if isinstance(pairs := splits.get("files"), list):
                splits["files"] = [self._pair_beside(pair) for pair in pairs]
        return entry

    def _pair_beside(self, pair: object) -> object:
        """Return a pair of files with training and test rows as seen from that folder."""
        if not isinstance(pair, dict):
            return pair
        return {part: self._beside(str(file)) for part, file in pair.items()}

    def _beside(self, path: "str | os.PathLike[str]") -> str:
        """Return a path as seen from the folder of the experiment file."""
        place = os.fspath(path)
        is_stored = Path(place).parent == Path(FOLDER) and Path(place).name in self._stored
        if "://" in place or is_stored:
            return place
        return os.path.relpath(Path(path).expanduser(), self._folder)

    def _method(self, name: str | None, given: object) -> object:
        if isinstance(given, str):
            return given if name is None else {"name": name, "method": given}
        if isinstance(given, Mapping):
            estimator = given.get("estimator")
            if isinstance(estimator, str | None):
                return _with_name(name, given, f"methods.{name or ''}")
            label = name or str(given.get("name") or _name_of(estimator))
            return self._method_with_keys(label, estimator, given)
        label = name or _name_of(given)
        return {"name": label, **estimator_entry(given, label, self._objects)}

    def _method_with_keys(
        self, label: str, estimator: object, given: Mapping[str, object]
    ) -> dict[str, object]:
        """Return the entry of an estimator that is given beside other keys of a method."""
        made = estimator_entry(estimator, label, self._objects)
        rest = {key: value for key, value in given.items() if key != "estimator"}
        own = plain(rest.pop("params", {}), f"methods.{label}.params")
        if not isinstance(own, dict) or not isinstance(params := made.get("params", {}), dict):
            raise ConfigError(f"methods.{label}.params must be a mapping of parameters")
        chosen = rest.get("choose")
        chosen = chosen if isinstance(chosen, Mapping) else {}
        merged = {key: v for key, v in {**params, **own}.items() if key not in chosen}
        return _with_name(label, {**made, "params": merged, **rest}, f"methods.{label}")

    def _metric(self, name: str | None, given: object) -> object:
        if name is None and isinstance(given, str):
            return given
        entry = dict(given) if isinstance(given, Mapping) else {"function": given}
        label = name or str(entry.get("name") or _name_of(entry.get("function")))
        function = entry.get("function")
        if not isinstance(function, str | None):
            entry["function"] = function_path(function, label, self._objects)
        return _with_name(label, entry, f"metrics.{label}")


def _move_pairs_to_datasets(values: dict[str, object]) -> None:
    """Give pairs of rows to each data set without splits of its own: a file lists them there."""
    splits, datasets = values.get("splits"), values.get("datasets")
    if not (isinstance(splits, dict) and "files" in splits and isinstance(datasets, list)):
        return
    if "folds" in values:
        raise ConfigError("'folds' and 'splits' are both given; leave one of them out")
    del values["splits"]
    entries = [{"card": entry} if isinstance(entry, str) else entry for entry in datasets]
    values["datasets"] = [{"splits": splits, **entry} for entry in entries]


def _named(key: str, given: object) -> Iterable[tuple[str | None, object]]:
    """Return the entries of a mapping by name, or those of a list without names."""
    if isinstance(given, Mapping) and not is_bunch(given):
        for name in given:
            if not isinstance(name, str):
                raise ConfigError(f"{key}: the name {name!r} must be a text")
        return list(given.items())
    if isinstance(given, Sequence) and not isinstance(given, str | bytes):
        return [(None, each) for each in given]
    raise ConfigError(
        f"{key} must be a mapping of names, or a list, not an object of type {type(given).__name__}"
    )


def _with_name(name: str | None, entry: Mapping[str, object], where: str) -> dict[str, object]:
    """Return an entry of plain values with its name first, where it has one."""
    if name is not None and entry.get("name") not in (None, name):
        raise ConfigError(f"{where} has the name '{entry['name']}': leave `name` out")
    named: dict[str, object] = {} if name is None else {"name": name}
    values = {str(key): plain(value, f"{where}.{key}") for key, value in entry.items()}
    return {**named, **values}


def _data_of(given: object, name: str) -> Data:
    """Return data without options: a Bunch, or rows with their target."""
    if is_bunch(given):
        return Data(given)
    if isinstance(given, tuple) and len(given) == 2:
        return Data(given[0], given[1])
    raise ConfigError(
        f"the data set '{name}' is of type {type(given).__name__}, of which the target is not "
        "known: give boostbench.Data(frame, target=...), a tuple (X, y), a Bunch, or a name"
    )


def _name_of(thing: object) -> str:
    """Return the name of a method or metric that is given none: that of its class or function."""
    made_by = thing if hasattr(thing, "__name__") else type(thing)
    name = str(getattr(made_by, "__name__", ""))
    if not re.fullmatch(r"[A-Za-z]\w*", name):
        raise ConfigError(
            f'{thing!r} has no name: give methods as a mapping, such as {{"mine": ...}}'
        )
    return name
