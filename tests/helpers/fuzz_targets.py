"""Targets of fuzzing: each takes any bytes and fails only if the code under test is wrong.

A target returns quietly for input that is read and for input that is refused in one sentence.
"""

import atexit
import itertools
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from boostbench.config.loading import load_experiment
from boostbench.data import bounds
from boostbench.data.binary import parse_idx, table_of_idx
from boostbench.data.cards import Catalog
from boostbench.data.columns import Encoding
from boostbench.data.content import unpack
from boostbench.data.encode import encode
from boostbench.data.options import DatasetOptions
from boostbench.data.readers import parse_bytes
from boostbench.data.table import Table
from boostbench.errors import ConfigError, DataError

SAMPLES = Path(__file__).parents[1] / "fuzz" / "samples"
_FOLDER = tempfile.TemporaryDirectory(prefix="boostbench-fuzz-")
atexit.register(_FOLDER.cleanup)
_SCRATCH = Path(_FOLDER.name)


def small_bounds() -> None:
    """Lower the bounds, so that small inputs reach them."""
    bounds.MAX_CELLS = 5_000
    bounds.MAX_LEVELS = 30
    bounds.MAX_UNPACKED_BYTES = 50_000


def _sentence(error: Exception, *, lines: int = 1) -> None:
    text = str(error)
    assert text.strip(), "an empty sentence"
    assert len(text.split("\n")) <= lines, f"more than a line: {text!r}"
    text.encode("utf-8", "surrogatepass")


def _use(table: Table) -> None:
    """Encode the table for both tasks, as a request for it would."""
    assert len(table.frame) >= 1
    assert len(set(table.names)) == len(table.names)
    for task, missing in itertools.product(
        ("regression", "classification"), ("error", "drop", "median")
    ):
        categorical = [] if missing == "error" else "auto"
        options = DatasetOptions(target=-1, missing=missing, categorical=categorical)
        try:
            data = encode(table, Encoding(options), name="d", task=task, source="s")
        except DataError as error:
            _sentence(error)
            continue
        assert data.X.shape == (len(data.y), len(data.feature_names))
        assert np.isfinite(data.X[~np.isnan(data.X)]).all()
        assert np.isnan(data.X).any() == (data.missing == "median")
        assert np.isfinite(data.y).all()
        assert len(data.fingerprint) == 64
        assert "\n" not in data.remarks_line


def _text_target(kind: str) -> Callable[[bytes], None]:
    def target(content: bytes) -> None:
        try:
            table = parse_bytes(content, "w", kind)
        except DataError as error:
            _sentence(error)
            return
        _use(table)

    return target


def _idx(content: bytes) -> None:
    try:
        array = parse_idx(content, "w")
        assert array.dtype == np.float64
        table = table_of_idx([array, np.arange(float(len(array)))], "w")
    except DataError as error:
        _sentence(error)
        return
    _use(table)


def _config(content: bytes) -> None:
    path = _SCRATCH / "boostbench-fuzzed.yaml"
    path.write_bytes(content)
    try:
        experiment = load_experiment(path)
    except ConfigError as error:
        _sentence(error, lines=10_000)
        lines = str(error).split("\n")
        assert all(line.startswith(f"{path}:") for line in lines), lines
        return
    assert experiment.n_trials >= 1
    try:
        experiment.requests()
    except DataError as error:
        _sentence(error)


def _card(content: bytes) -> None:
    path = _SCRATCH / "datasets" / "boostbench-fuzzed-card.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    try:
        Catalog(_SCRATCH).card(path.stem)
    except DataError as error:
        _sentence(error)


def _archive(content: bytes) -> None:
    try:
        inner = unpack(content, "w", "a.data")
    except DataError as error:
        _sentence(error)
        return
    assert len(inner) <= max(bounds.MAX_UNPACKED_BYTES, len(content))


TARGETS: dict[str, Callable[[bytes], None]] = {
    "arff": _text_target("arff"),
    "keel": _text_target("keel"),
    "csv": _text_target("delimited"),
    "idx": _idx,
    "config": _config,
    "card": _card,
    "archive": _archive,
}

WORDS: dict[str, list[bytes]] = {
    "arff": [
        b"@relation r\n", b"@attribute ", b"@data\n", b"'a b'", b" numeric", b" real", b" {a,b}",
        b" string", b" date", b"{0 1}", b"?", b"%", b"\\", b"\"", b"'", b",", b"\n", b"\r", b"\t",
        b"1e999", b"nan", b"-0.0", b"1_0", b"\x1c", b"\xc2\x85", b"\xe2\x80\xa8", b"\xef\xbb\xbf",
        b"\x00", b"\xff", b"\xd9\xa3", b"0x1p3", b" ",
    ],
    "keel": [b"@inputs ", b"@outputs ", b"@output a", b" real [1, 2]", b" integer[0,9]", b"<null>"],
    "csv": [
        b";", b"\t", b"\"\"", b"NA", b"inf", b"1,2\n", b"a,b\n", b"'1','2'\n", b"sep=;\n", b"|",
        b"\"x\ny\"", b"True", b"72%", b"1,5", b"$1", b"'t", b"-", b"2020-01-31", b",\n", b"\\\"",
    ],
    "idx": [b"\x00\x00\x08\x01", b"\x00\x00\x0d\x03", b"\x00\x00\x00\x00", b"\xff\xff\xff\xff"],
    "config": [
        b"name: x\n", b"datasets: ", b"[diabetes]\n", b"methods: ", b"[srt]\n", b"- ", b"? ",
        b"&a ",
        b"*a", b"<<: ", b"!!python/object/apply:os.system [id]", b"!!binary ", b"!!set ", b"!t ",
        b"---\n", b"...\n", b"%YAML 1.1\n", b"|2-\n", b">+\n", b"'", b"\"", b"\\ud800",
        b"\\U00110000",
        b"{", b"}", b"[", b"]", b": ", b"# ", b"0x", b"0o8", b"1e400", b".inf", b".nan", b"~",
        b"seeds: ", b"limits: {memory: 1", b" GiB}\n", b"splits: {n: 2}\n", b"params: {a: 1}",
        b"choose: {C: [1]}", b"card: ", b"openml: ", b"file: ", b"target: ", b"\x85",
        b"\xef\xbb\xbf",
    ],
    "card": [b"sources: ", b"kind: url", b"files: [{path: a}]", b"variants: ", b"rows: [1, 2]"],
    "archive": [b"PK\x03\x04", b"PK\x05\x06", b"PK\x01\x02", b"\x1f\x8b\x08", b"\x1f\x9d\x90",
                b"../", b"a.data"],
}  # fmt: skip
for _name, _base in [("keel", "arff"), ("csv", "arff"), ("card", "config")]:
    WORDS[_name] = WORDS[_name] + WORDS[_base]


def samples(name: str) -> list[bytes]:
    """Return valid inputs of a target and those that once broke it."""
    return [path.read_bytes() for path in sorted((SAMPLES / name).iterdir())]
