"""Reusing outcomes of other results folders, so that their trials need not run again."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from boostbench.errors import ConfigError
from boostbench.store.database_rows import insert
from boostbench.store.merge_stores import contents_of
from boostbench.store.predictions import read_kept, write_predictions
from boostbench.store.store import Store
from boostbench.store.types import Contents


def reusable(folders: Sequence[Path], wanted: Collection[str], here: Path) -> dict[Path, Contents]:
    """Return the ``ok`` outcomes of the trials ``wanted`` (keys), by folder.

    Their environments and runs are included. A trial that several folders have comes from the first
    of them. Raises ConfigError for the folder ``here`` itself, StoreError if one cannot be read.
    """
    left = set(wanted)
    reused: dict[Path, Contents] = {}
    for folder in folders:
        if folder.resolve() == here.resolve():
            raise ConfigError(f"--reuse {folder}: these are the results of this very experiment")
        with Store.read(folder) as store:
            contents = contents_of(store)
        rows = contents.outcomes
        taken = {key: row for key, row in rows.items() if key in left and row.status == "ok"}
        left -= taken.keys()
        reused[folder] = contents._replace(outcomes=taken)
    return reused


def insert_all(store: Store, reused: Mapping[Path, Contents]) -> None:
    """Write the reused outcomes, with their predictions, to ``store``."""
    for folder, contents in reused.items():
        if contents.outcomes:
            with Store.read(folder) as other:
                kept = read_kept(other.database).of(contents.outcomes)
            with store.database.transaction() as db:
                insert(db, contents._replace(experiment=store.experiment(), plan=[]))
                write_predictions(db, kept, contents.outcomes)
