"""Which results folder a command is about."""

from collections.abc import Sequence
from pathlib import Path

from boostbench.errors import StoreError

STORE_FILE = "store.sqlite"
RESULTS = Path("results")


def results_folders(root: Path = RESULTS) -> list[Path]:
    """Return the results folders directly below ``root``, the one written last first."""
    return sorted(
        (path.parent for path in root.glob(f"*/{STORE_FILE}")), key=_written, reverse=True
    )


def _written(folder: Path) -> float:
    return max(path.stat().st_mtime for path in folder.glob(f"{STORE_FILE}*"))


def find_results(target: str | None, overrides: Sequence[str] = ()) -> Path:
    """Return the results folder of an experiment file, a shipped config, or the folder itself.

    Without ``target`` it is the one below ``./results`` that was written last.
    Raises StoreError if there are no results there yet, ConfigError if there is no such config.
    """
    if target is None:
        found = results_folders()
        if not found:
            raise StoreError(
                f"there are no results below {RESULTS}/ yet; begin with: boostbench run quickstart"
            )
        return found[0]
    folder = Path(target)
    if folder.is_dir():
        if (folder / STORE_FILE).is_file():
            return folder
        raise StoreError(f"the folder {folder} holds no {STORE_FILE}, so it is no results folder")
    from boostbench.config.loading import load_experiment

    folder = load_experiment(target, overrides).results_dir
    if not (folder / STORE_FILE).is_file():
        raise StoreError(
            f"there are no results of {target} in {folder} yet; run it: boostbench run {target}"
        )
    return folder
