"""Hostile answers and files end in a sentence, in bounded memory and time."""

import itertools
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from helpers.servers import LoopbackServer
from hostile import ALLOWED_MIB, CONTENTS, DOWNLOADS, FILES, drip

from boostbench.data import DataRequest, bounds, load_dataset
from boostbench.errors import DataError

EXPECTED = {
    "endless": "the file is larger than 21.0 MB",
    "drip": "the download takes more than 1 s",
    "gzip bomb on the way": "the file is larger than 21.0 MB",
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


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("hostile.py")),
         str(tmp_path_factory.mktemp("hostile"))],
        capture_output=True, text=True, timeout=200, check=False,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_every_hostile_thing_has_its_sentence(tried: dict[str, dict[str, str]]) -> None:
    assert tried["found"].keys() == EXPECTED.keys() == {**DOWNLOADS, **CONTENTS, **FILES}.keys()
    for name, words in EXPECTED.items():
        assert words in tried["found"][name], name
        assert "\n" not in tried["found"][name]
        assert len(tried["found"][name]) < 1000


def test_memory_stays_bounded_and_nothing_is_kept(tried: dict[str, object]) -> None:
    assert tried["grown"] < ALLOWED_MIB
    assert tried["kept"] == []


@pytest.mark.parametrize(
    ("which", "pieces", "words"),
    [
        (1, lambda: itertools.repeat(b"1," * 500_000), "the file is larger than 21.0 MB"),
        (0, drip, "no answer in time"),
    ],
)
def test_openml_that_never_ends(
    server: LoopbackServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    which: int, pieces: object, words: str,
) -> None:  # fmt: skip
    path = server.add_openml(5, b"@relation x\n@attribute a real\n@data\n1\n")[which]
    server.replies[path].stream = pieces
    monkeypatch.setattr(bounds, "READ_TIMEOUT_S", 2.0)
    monkeypatch.setattr(bounds, "MAX_DOWNLOAD_BYTES", 20 << 20)
    started = time.monotonic()
    with pytest.raises(DataError) as caught:
        load_dataset(DataRequest("x", openml=5, target="a"), server.access(tmp_path, attempts=1))
    assert words in str(caught.value)
    assert time.monotonic() - started < 90
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
