"""Finding results folders, and opening their stores."""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from boostbench.config.loading import config_names, find_config, load_experiment, recorded_config
from boostbench.errors import ConfigError, StoreError
from boostbench.outputs import BY_RESULTS, OutputFolder
from boostbench.plan.trial import Trial
from boostbench.store.export import FILES
from boostbench.store.files import STORE_FILE, has_results, is_archive, is_archive_only
from boostbench.store.store import Store
from boostbench.user_code import shown_path

ARCHIVE = "archive"
"""The folder below a results folder that keeps its results in git; see ``boostbench archive``."""
RESULTS = Path("results")


def results_folders() -> list[Path]:
    """Return the results folders below ``./results``, and their shards, the newest first."""
    stores = [*RESULTS.glob(f"*/{STORE_FILE}"), *RESULTS.glob(f"*/shard-*-of-*/{STORE_FILE}")]
    return sorted((path.parent for path in stores), key=_modified, reverse=True)


def _modified(folder: Path) -> float:
    times = [0.0]
    for path in folder.glob(f"{STORE_FILE}*"):
        with suppress(FileNotFoundError):  # a run that ends removes some
            times.append(path.stat().st_mtime)
    return max(times)


def find_results(target: str | None, note: Callable[[str], object] = lambda _: None) -> Path:
    """Return the results folder of an experiment file, a shipped config, or the folder itself.

    ``target`` may also be the name of a folder below ``./results``. A folder without results of a
    run is replaced by its archive. Without ``target`` it is the folder below ``./results`` that was
    written last. ``note`` is called with a sentence where the results are those of another
    experiment file. Raises StoreError if there are no results there yet, ConfigError if there is no
    such config.
    """
    if target is None:
        return _newest_results()
    folder, named = Path(target), with_results(RESULTS / target)
    if folder.is_dir() and (there := with_results(folder) or named):
        return there
    is_file = folder.is_file() or folder.suffix in (".yaml", ".yml") or target in config_names()
    if named is not None and not is_file:
        return named
    if not folder.is_dir():
        folder = _results_of_file(target, is_file)
    there = with_results(folder)
    if there is None:
        raise _no_results(folder)
    return _noting_other_owner(there, target, note)


def _newest_results() -> Path:
    for folder in results_folders():
        return folder
    raise StoreError(
        f"there are no results of a run below {RESULTS}/ yet; begin with: boostbench run quickstart"
    )


def _results_of_file(config: str, is_file: bool) -> Path:
    """Return the results folder of an experiment file, or of a shipped config."""
    if is_file and config.endswith(".csv"):
        raise ConfigError(
            f"{config} is a table and no results of a run; runs made elsewhere are judged by: "
            f"boostbench verify {config} --paper PAPER"
        )
    try:
        return load_experiment(config).results_dir
    except ConfigError as error:
        if is_file:
            raise
        raise ConfigError(f"there is no folder {RESULTS / config}, and {error}") from None


def _no_results(folder: Path) -> StoreError:
    for place in (folder, folder / ARCHIVE):
        if any(place.glob("*.csv.xz")):
            return StoreError(f"the archive {place} is damaged: it lacks record.json")
    shards = f", or merge shards: boostbench merge {folder}/shard-*"
    more = shards if any(folder.glob("shard-*")) else ""
    return StoreError(f"there are no results in {folder} yet: run the experiment{more}")


def _noting_other_owner(folder: Path, target: str, note: Callable[[str], object]) -> Path:
    """Return a results folder, with a note where its results are those of another file."""
    if not is_archive_only(folder):
        with Store.read(folder) as store:
            if other := other_owner(store, target):
                note(other)
    return folder


def other_owner(store: Store, config: str, planned: Collection[Trial] | None = None) -> str:
    """Return a sentence where the results in ``store`` are not those of the file ``config``.

    They are another file's if that still exists with other content or, if it is gone and the trials
    ``planned`` by ``config`` are known, if none of these are in the store's plan.
    """
    owner, own = recorded_config(store.record_of_run(), store.folder), find_config(config)
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


def with_results(folder: Path) -> Path | None:
    """Return ``folder`` if it has the results of a run, else its archive, if any."""
    if has_results(folder):
        return folder
    return folder / ARCHIVE if is_archive(folder / ARCHIVE) else None


def complete_archive(folder: Path) -> Path | None:
    """Return the archive in a results folder, None without one that has all its trials."""
    if not is_archive(folder / ARCHIVE):
        return None
    with Store.read(folder / ARCHIVE) as store:
        return None if store.missing() else folder / ARCHIVE


@contextmanager
def opened_store(folder: Path, name: str) -> Iterator[Store]:
    """Open the store of a results folder; remove what this creates if it gets no plan.

    ``name`` is the experiment's. Raises StoreError where the folder is new to boostbench and holds
    files of the user's with the names of files that a run writes.
    """
    # A command that only reads results need not import all that writes a report.
    from boostbench.report.render.formats import file_names

    outputs = OutputFolder(folder, BY_RESULTS)
    with Store.open(folder) as store:
        try:
            outputs.check([*FILES, *file_names(name)])
            yield store
        except BaseException:  # raised again
            if store.is_new and not store.plan():
                store.discard()
            raise
