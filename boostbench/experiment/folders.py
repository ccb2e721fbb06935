"""Results folders: which one is meant, and a store opened in one."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from boostbench.config.loading import config_names, find_config, load_experiment, recorded_config
from boostbench.errors import ConfigError, StoreError
from boostbench.experiment.request import run_line
from boostbench.outputs import OutputFolder
from boostbench.plan.shard import Shard
from boostbench.plan.trial import Trial
from boostbench.report.build import file_names
from boostbench.store.export import FILES
from boostbench.store.files import (
    ARCHIVE_FILE,
    STORE_FILE,
    has_results,
    is_archive,
    is_archive_only,
)
from boostbench.store.store import Store
from boostbench.user_code import shown_path

ARCHIVE = "archive"
"""The folder below a results folder that keeps its results in git; see ``boostbench archive``."""
RESULTS = Path("results")
PLACE_KEYS = ("results", "name")
"""The keys of an experiment that decide where its results are."""


def results_folders() -> list[Path]:
    """Return the results folders below ``./results``, and their shards, the newest first."""
    found = [path.parent for path in RESULTS.glob(f"*/{STORE_FILE}")]
    found += [shard for folder in RESULTS.glob("*/") for shard in _shards(folder)]
    return sorted(found, key=_written, reverse=True)


def _shards(folder: Path) -> list[Path]:
    """Return the results folders of shards below an experiment's results folder, in order."""
    found = [path.parent for path in folder.glob(f"shard-*-of-*/{STORE_FILE}")]
    order = {path: (s.count, s.index) for path in found if (s := Shard.of_folder(path.name))}
    return sorted(order, key=lambda path: order[path])


def _written(folder: Path) -> float:
    return max(path.stat().st_mtime for path in folder.glob(f"{STORE_FILE}*"))


def find_results(
    target: str | None,
    overrides: Sequence[str] = (),
    note: Callable[[str], object] = lambda _: None,
) -> Path:
    """Return the results folder of an experiment file, a shipped config, or the folder itself.

    ``target`` may also be the name of a folder below ``./results``. Where no run has written to
    the folder, its archive is meant.
    Without ``target`` it is the one below ``./results`` that was written last.
    ``note`` is given a sentence where the results are those of another experiment file.
    Raises StoreError if there are no results there yet, ConfigError if there is no such config, or
    ``overrides`` (``KEY=VALUE``) have nothing to do with where the results are.
    """
    check_overrides(target, overrides)
    if target is None:
        return _newest()
    folder, named = Path(target), _with_results(RESULTS / target)
    if folder.is_dir():
        found = _with_results(folder) or named
        if found is None:
            raise StoreError(
                f"the folder {folder} holds no {STORE_FILE}, so it is no results folder"
                f"{_only_shards(folder)}"
            )
        return found
    is_file = folder.is_file() or folder.suffix in (".yaml", ".yml") or target in config_names()
    if not is_file and named is not None:
        return named
    try:
        folder = load_experiment(target, overrides).results_dir
    except ConfigError as error:
        if is_file:
            raise
        raise ConfigError(f"there is no folder {RESULTS / target}, and {error}") from None
    found = _with_results(folder)
    if found is None:
        line = run_line({"config": target, "overrides": overrides})
        hint = _only_shards(folder) or f"; run it: {line}"
        raise StoreError(f"there are no results of {target} in {folder} yet{hint}")
    if not is_archive_only(found):
        with Store.open(found, create=False, read_only=True) as store:
            if other := other_owner(store, target):
                note(other)
    return found


def _newest() -> Path:
    """Return the results below ``./results`` that were written last."""
    if found := results_folders():
        return found[0]
    kept = sorted(path.parents[1].name for path in RESULTS.glob(f"*/{ARCHIVE}/{ARCHIVE_FILE}"))
    which = f"; name one that is kept there ({', '.join(kept)})" if kept else ""
    raise StoreError(
        f"there are no results {'of a run ' if kept else ''}below {RESULTS}/ yet{which}; "
        "begin with: boostbench run quickstart"
    )


def other_owner(store: Store, config: str, planned: Sequence[Trial] | None = None) -> str:
    """Return a sentence where the results in ``store`` are not those of the file ``config``.

    They are another file's where that is still there with other content or, if it is gone and the
    trials ``planned`` by ``config`` are known, where the store has planned none of these.
    """
    owner, own = recorded_config(store.experiment(), store.folder), find_config(config)
    if owner is None or owner == own.resolve():
        return ""
    gone = not owner.is_file()
    theirs = {trial.key for trial in store.plan()} if gone else set()
    if gone and (planned is None or any(trial.key in theirs for trial in planned)):
        return ""
    if not gone and owner.read_bytes() == own.read_bytes():
        return ""
    return (
        f"the results in {store.folder} are those of {shown_path(str(owner))}"
        f"{', which is gone,' if gone else ''} and not of {config}: give one of them another "
        "`name`, or another folder as `results`"
    )


def _with_results(folder: Path) -> Path | None:
    """Return the folder with the results that are meant by ``folder``: a run's, else an archive."""
    if has_results(folder):
        return folder
    return folder / ARCHIVE if is_archive(folder / ARCHIVE) else None


def complete_archive(folder: Path) -> Path | None:
    """Return the archive in a results folder, None without one that has all its trials."""
    if not is_archive(folder / ARCHIVE):
        return None
    with Store.open(folder / ARCHIVE, create=False, read_only=True) as store:
        return None if store.missing() else folder / ARCHIVE


def check_overrides(target: str | None, overrides: Sequence[str]) -> None:
    """Raise ConfigError unless texts ``KEY=VALUE`` say where the results of ``target`` are."""
    for override in overrides:
        key, _, _ = override.partition("=")
        if key.strip() not in PLACE_KEYS:
            raise ConfigError(
                f"--set {override}: results are read as they are; here --set is for "
                f"{' and '.join(PLACE_KEYS)} only, which say where they are"
            )
        if target is None or Path(target).is_dir():
            raise ConfigError(
                f"--set {override}: name the experiment file whose results are meant, or leave "
                "--set out"
            )


def _only_shards(folder: Path) -> str:
    shards = _shards(folder)
    if not shards:
        return ""
    return (
        f", only shards: name one, such as {shards[0]}, or bring them together: "
        f"boostbench merge {folder}/shard-*"
    )


@contextmanager
def opened_store(folder: Path, name: str) -> Iterator[Store]:
    """Open the store of a results folder; what is created here and gets no plan does not stay.

    ``name``: of the experiment. Raises StoreError where the folder is new to boostbench and holds
    files of the user's by the names of those that a run writes.
    """
    outputs = OutputFolder(folder, "name another folder as `results` in the experiment")
    names = [*FILES, *file_names(name)]
    with Store.open(folder, create=True) as store:
        try:
            outputs.check(names)
            yield store
        except BaseException:
            if store.is_new and not store.has_plan():
                store.discard()
            raise
