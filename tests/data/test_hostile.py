"""Hostile answers and files end in a sentence, in bounded memory and time."""

import itertools
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hostile import ALLOWED_MIB, CONTENTS, DOWNLOADS, FILES, drip
from shelf import files_in

from boostbench.data import DataRequest, bounds, load_dataset
from boostbench.errors import DataError

HELPERS = Path(__file__).parents[1] / "helpers"
EXPECTED = {
    "endless": "the file is over the limit of 21.0 MB",
    "drip": "the download takes more than 1 s",
    "gzip bomb on the way": "the file is over the limit of 21.0 MB",
    "to a file": "broke off (InvalidSchema)",
    "to itself": "the server answers HTTP 302",
    "longer than it says": "broke off (ChunkedEncodingError)",
    "a length in words": "invalid literal",
    "open braces": "w:1 gives attribute 'a' the type",
    "open quotes": "",
    "zip bomb": "larger than 21.0 MB unpacked",
    "gzip bomb": "larger than 21.0 MB unpacked",
    "gzip in zip": "larger than 21.0 MB unpacked",
    "levels": "at most 3,000,000 values are allowed",
}


@pytest.fixture
def tried(tmp_path: Path) -> dict[str, object]:
    done = subprocess.run(
        [sys.executable, str(HELPERS / "hostile.py"), str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
        env={**os.environ, "PYTHONPATH": str(HELPERS)},
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_every_hostile_thing_has_its_sentence_in_bounded_memory(tried) -> None:
    assert tried["found"].keys() == EXPECTED.keys() == {**DOWNLOADS, **CONTENTS, **FILES}.keys()
    for name, words in EXPECTED.items():
        assert words in tried["found"][name], name
        assert "\n" not in tried["found"][name]
        assert len(tried["found"][name]) < 1000
    assert tried["grown"] < ALLOWED_MIB
    assert tried["kept"] == []


@pytest.mark.parametrize(
    ("which", "pieces", "words"),
    [
        (1, lambda: itertools.repeat(b"1," * 500_000), "over the limit of 21.0 MB"),
        (0, drip, "no answer in time"),
    ],
)
def test_openml_that_never_ends(server, tmp_path, monkeypatch, which, pieces, words) -> None:
    path = server.add_openml(5, b"@relation x\n@attribute a real\n@data\n1\n")[which]
    server.replies[path].stream = pieces
    monkeypatch.setattr(bounds, "READ_TIMEOUT_S", 2.0)
    monkeypatch.setattr(bounds, "MAX_DOWNLOAD_BYTES", 20 << 20)
    started = time.monotonic()
    with pytest.raises(DataError, match=words):
        load_dataset(
            DataRequest(name="x", openml=5, target="a"), server.access(tmp_path, attempts=1)
        )
    assert time.monotonic() - started < 90
    assert files_in(tmp_path) == []
