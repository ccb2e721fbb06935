"""Files written for the user: whole or not at all, and never in place of a file of the user's."""

import contextlib
import os
import uuid
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

from boostbench.errors import StoreError

RECORD = ".boostbench-files"
BY_OUT = "name another folder by --out"
BY_RESULTS = "name another folder as `results` in the experiment file"


class OutputFolder:
    """A folder with a record, in the file :data:`RECORD`, of the files that boostbench wrote there.

    A file that is not in the record is the user's: it is neither replaced nor removed. A name may
    be that of a file in a folder below. ``remedy`` says how the user names another folder, as not
    every command has an option for that.
    """

    def __init__(self, folder: Path, remedy: str = BY_OUT) -> None:
        self.folder, self.remedy = folder, remedy

    def names(self) -> list[str]:
        """Return the names of the files that boostbench wrote there, sorted."""
        with contextlib.suppress(OSError, UnicodeDecodeError):
            return sorted({*(self.folder / RECORD).read_text("utf-8").splitlines()})
        return []

    def check(self, names: Iterable[str]) -> None:
        """Raise StoreError for the first of ``names`` that is a file of the user's.

        Also where the folder itself is a file.
        """
        if self.folder.exists() and not self.folder.is_dir():
            raise StoreError(f"{self.folder} is a file: {self.remedy}")
        own = self.names()
        for name in names:
            path = self.folder / name
            if name not in own and os.path.lexists(path):
                raise StoreError(
                    f"{path} is in the way: boostbench did not write it and does not replace it; "
                    f"move it away, or {self.remedy}"
                )

    def write(self, files: Mapping[str, bytes | Iterable[bytes]]) -> list[Path]:
        """Write the files, each by its name, some in parts; return their paths.

        Raises StoreError, before anything is written, where one is the user's, and where the folder
        cannot be written to.
        """
        self.check(files)
        own = self.names()
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            # Recorded first: a process that is killed in between leaves no file without an owner.
            with (self.folder / RECORD).open("a", encoding="utf-8") as record:
                # One write that appends: another process may add names at the same time.
                record.write("".join(f"{name}\n" for name in files if name not in own))
            for name, content in files.items():
                path = self.folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                with whole_file(path) as file:
                    file.writelines([content] if isinstance(content, bytes) else content)
        except OSError as error:
            raise os_sentence(self.folder, error, self.remedy) from error
        return [self.folder / name for name in files]

    def remove(self, names: Iterable[str]) -> None:
        """Remove those of ``names`` that boostbench wrote."""
        try:
            for name in {*names}.intersection(self.names()):
                (self.folder / name).unlink(missing_ok=True)
        except OSError as error:
            raise os_sentence(self.folder, error, self.remedy) from error


def folder_for(target: Path, results: Path) -> OutputFolder:
    """Return the folder for files that are made of the ``results`` in a folder."""
    return OutputFolder(target, BY_RESULTS if target == results else BY_OUT)


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file that replaces ``path`` once it is written completely, or never."""
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}")
    try:
        with temporary.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def os_sentence(folder: Path, error: OSError, remedy: str = BY_RESULTS) -> StoreError:
    """Say why the folder cannot be written to, such as for a full disk."""
    return StoreError(
        f"results cannot be written to {folder}: {error.strerror or error}; recorded results "
        f"are kept: fix that, or {remedy}"
    )
