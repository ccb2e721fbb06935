"""The receipt of an archive: one digest of all of it, and the digests of its parts."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from boostbench.experiment.inputs import FIGURE
from boostbench.plan.trial import json_digest
from boostbench.store.files import RECEIPT_FILE
from boostbench.store.types import Contents

_REPORT = ("table.md", FIGURE)
"""The files that can be made again from the others."""


@dataclass(frozen=True)
class Receipt:
    """The digests of the parts of an archive.

    ``files`` are those of its files by name, without the report: the results, the experiment, the
    user's own paper and code, and small data files. ``data`` are the fingerprints of the data sets.
    """

    files: Mapping[str, str]
    data: Mapping[str, str]
    plan: str
    outcomes: str
    environments: str

    @property
    def digest(self) -> str:
        """The digest of all of it."""
        return json_digest(asdict(self))

    @property
    def content(self) -> bytes:
        """The file of an archive."""
        return f"{json.dumps({'digest': self.digest, **asdict(self)}, indent=1)}\n".encode()

    def differences(self, other: Mapping[str, object]) -> list[str]:
        """Return what is not as ``other``, the contents of a receipt file, says."""
        own = asdict(self)
        theirs = other.get("files")
        files = theirs if isinstance(theirs, Mapping) else {}
        names = sorted({*self.files, *files})
        found = [name for name in names if self.files.get(name) != files.get(name)]
        found += [part for part in own if part != "files" and own[part] != other.get(part)]
        return found or ([] if other.get("digest") == self.digest else ["digest"])


def receipt_differences(folder: Path, receipt: Receipt) -> list[str]:
    """Return what of an archive is not as its receipt file says; nothing where it has none."""
    try:
        written = json.loads((folder / RECEIPT_FILE).read_bytes())
    except FileNotFoundError:
        return []
    except ValueError:
        return [RECEIPT_FILE]
    return receipt.differences(written) if isinstance(written, dict) else [RECEIPT_FILE]


def make_receipt(contents: Contents, files: Mapping[str, bytes]) -> Receipt:
    """Return the receipt of results, as they are read, and of the files of their archive."""
    trials = [json.loads(text) for _, text in contents.plan]
    kept = {name: hashlib.sha256(files[name]).hexdigest() for name in sorted(files)}
    return Receipt(
        {name: digest for name, digest in kept.items() if name not in (*_REPORT, RECEIPT_FILE)},
        {trial["dataset"]: trial["fingerprint"] for trial in trials},
        json_digest(contents.plan),
        json_digest(contents.outcomes),
        json_digest(contents.environments),
    )


def read_files(folder: Path) -> dict[str, bytes]:
    """Return the files of an archive by name, hidden ones and compiled modules left out."""
    names = {path: path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}
    return {
        name.as_posix(): path.read_bytes()
        for path, name in names.items()
        if not any(part.startswith((".", "__pycache__")) for part in name.parts)
    }
