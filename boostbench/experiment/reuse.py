"""Outcomes of other results folders taken over: a trial that ran there need not run here again."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from boostbench.errors import ConfigError
from boostbench.suggest import counted

if TYPE_CHECKING:
    from boostbench.store.store import Store
    from boostbench.store.types import OutcomeRow


def reusable(
    folders: Sequence[Path], wanted: Collection[str], here: Path
) -> "dict[Path, list[OutcomeRow]]":
    """Return the outcomes that are ``ok``, of the trials ``wanted`` (keys), by the folder.

    A trial that several folders have is taken from the first of them. Raises ConfigError for the
    folder ``here`` itself, StoreError where one cannot be read.
    """
    from boostbench.store.merge import contents_of
    from boostbench.store.store import Store

    left = set(wanted)
    found: dict[Path, list[OutcomeRow]] = {}
    for folder in folders:
        if folder.resolve() == here.resolve():
            raise ConfigError(f"--reuse {folder}: these are the results of this very experiment")
        with Store.open(folder, create=False, read_only=True) as store:
            rows = contents_of(store).outcomes
        taken = [row for key, row in rows.items() if key in left and row.status == "ok"]
        left -= {row.key for row in taken}
        found[folder] = taken
    return found


def take_over(
    store: "Store", folders: Sequence[Path], wanted: Collection[str], here: Path
) -> tuple[set[str], list[str]]:
    """Write to ``store`` what of ``wanted`` other folders have, with its environments and runs.

    Returns the keys of these trials and a sentence per folder.
    """
    from boostbench.store.merge import contents_of, write_rows
    from boostbench.store.store import Store

    keys: set[str] = set()
    sentences = []
    for folder, rows in reusable(folders, wanted, here).items():
        sentences.append(f"{counted(len(rows), 'trial')} taken over from {folder}")
        if rows:
            with Store.open(folder, create=False, read_only=True) as other:
                contents = contents_of(other)
            environments = {row.environment_id for row in rows}
            runs = {row.run_id for row in rows}
            write_rows(
                store,
                store.experiment(),
                plan=[],
                outcomes=rows,
                environments=[row for row in contents.environments if row[0] in environments],
                runs=[row for row in contents.runs if row[0] in runs],
            )
            keys |= {row.key for row in rows}
    return keys, sentences
