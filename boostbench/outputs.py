"""Files written for the user: whole or not at all, and never in place of a file of the user's."""

import contextlib
import errno
import os
import uuid
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

from boostbench.errors import StoreError

RECORD = ".boostbench-files"
_HEAD = "# The files in this folder that boostbench wrote, and may replace or remove."


class OutputFolder:
    """A folder with a record, in the file :data:`RECORD`, of the files that boostbench wrote there.

    A file that is not in the record is the user's: it is neither replaced nor removed.
    """

    def __init__(self, folder: Path, hint: str = "choose another folder with --out") -> None:
        self.folder = Path(folder)
        self._hint = hint
        self._record = self.folder / RECORD

    def names(self) -> list[str]:
        """Return the names of the files that boostbench wrote there, sorted."""
        return sorted(self._own())

    def check(self, names: Iterable[str]) -> None:
        """Raise StoreError for the first of ``names`` that is a file of the user's."""
        own = self._own()
        for name in names:
            path = self.folder / name
            if name not in own and os.path.lexists(path):
                raise StoreError(
                    f"{path} is in the way: boostbench did not write it and does not replace it; "
                    f"move it away, or {self._hint}"
                )

    def claim(self, names: Iterable[str]) -> None:
        """Record ``names`` as files that boostbench writes here, existing ones included."""
        own = self._own()
        new = [name for name in names if name not in own]
        lines = ([] if self._record.is_file() else [_HEAD]) + new
        if new:
            with self._writing(), self._record.open("a", encoding="utf-8") as file:
                # One write that appends: another process may add names at the same time.
                file.write("".join(f"{line}\n" for line in lines))

    def write(self, files: Mapping[str, bytes]) -> list[Path]:
        """Write the files, each by its name; return their paths.

        Raises StoreError, before anything is written, where one is the user's, and where the folder
        cannot be written to.
        """
        self.check(files)
        with self._writing():
            self.folder.mkdir(parents=True, exist_ok=True)
        # Recorded first: a process that is killed in between leaves no file without an owner.
        self.claim(files)
        return [self._replace(name, content) for name, content in files.items()]

    def remove(self, names: Iterable[str]) -> None:
        """Remove those of ``names`` that boostbench wrote."""
        own = self._own()
        with self._writing():
            for name in names:
                if name in own:
                    (self.folder / name).unlink(missing_ok=True)

    def _own(self) -> set[str]:
        try:
            # Two processes that begin at once may write the head twice, or after a name.
            return set(self._record.read_text(encoding="utf-8").splitlines()) - {_HEAD}
        except (OSError, UnicodeDecodeError):
            return set()

    def _replace(self, name: str, content: bytes) -> Path:
        with self._writing(), whole_file(self.folder / name) as file:
            file.write(content)
        return self.folder / name

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise os_sentence(self.folder, error) from error


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Give a file that takes its place at ``path`` when all is written to it, or not at all."""
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


def os_sentence(folder: Path, error: OSError) -> StoreError:
    """Say why the folder cannot be written to."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return full_disk(folder)
    return StoreError(
        f"results cannot be written to {folder}: {error.strerror or error}; name another folder as "
        "`results` in the experiment"
    )


def full_disk(folder: Path) -> StoreError:
    """Say that there is no space left for ``folder``."""
    return StoreError(
        f"the disk that holds {folder} is full; what had been recorded is kept: free some space "
        "and run again"
    )
