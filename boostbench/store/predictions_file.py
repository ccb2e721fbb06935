"""The predictions of an archive as one file, equal bytes for equal predictions."""

import io
import zipfile
from pathlib import Path, PurePosixPath

from boostbench.errors import StoreError
from boostbench.store.predictions import KeptRows, PredictionRow

PREDICTIONS_FILE = "predictions.zip"
_TRIALS, _TESTS = "trials", "tests"


def zipped(kept: KeptRows) -> bytes:
    """Return a ZIP file of ``tests/ID.npz`` and, for each trial, ``trials/KEY/ID.npz``."""
    members = {f"{_TESTS}/{name}.npz": content for name, content in kept.tests.items()}
    for key, row in kept.predicted.items():
        members[f"{_TRIALS}/{key}/{row.test}.npz"] = row.content
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in sorted(members):
            # Without a date of its own a member is of 1980. The arrays are compressed already.
            archive.writestr(zipfile.ZipInfo(name), members[name])
    return file.getvalue()


def unzipped(path: Path) -> KeptRows:
    """Return the predictions in a file of :func:`zipped`; StoreError where it is damaged."""
    predicted: dict[str, PredictionRow] = {}
    tests: dict[str, bytes] = {}
    try:
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                kind, *rest = PurePosixPath(name).with_suffix("").parts
                if kind == _TESTS:
                    tests[rest[0]] = archive.read(name)
                else:
                    predicted[rest[0]] = PredictionRow(rest[1], archive.read(name))
    except (OSError, LookupError, ValueError, zipfile.BadZipFile) as error:
        raise StoreError(f"{path} is damaged ({error}): restore it from a copy") from error
    return KeptRows(predicted, tests)
