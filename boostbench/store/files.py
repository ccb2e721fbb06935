"""Kinds of results folders: with a store that runs write to, or with an archive of one."""

from pathlib import Path

STORE_FILE = "store.sqlite"
ARCHIVE_FILE = "record.json"
RECEIPT_FILE = "receipt.json"
"""The digests of all that is in an archive."""


def is_archive(folder: Path) -> bool:
    """Return whether there is an archive in ``folder``."""
    return (folder / ARCHIVE_FILE).is_file()


def is_archive_only(folder: Path) -> bool:
    """Return whether the results in ``folder`` are an archive, not those of a run there."""
    return is_archive(folder) and not (folder / STORE_FILE).is_file()


def has_results(folder: Path) -> bool:
    """Return whether ``folder`` has results, of either kind."""
    return is_archive(folder) or (folder / STORE_FILE).is_file()
