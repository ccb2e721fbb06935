"""Whether two installations, such as of pandas 2.3 and 3.1, read the same bits from the same files.

    python scripts/check_pandas.py OTHER_PYTHON [--files 200] [--mirror DIR]

Reads generated CSV files, each in several ways, Parquet files, the files of ``DIR`` as they are,
and each card whose files are in ``DIR``: once with this Python and once with ``OTHER_PYTHON``,
which needs boostbench too. Features of images, in which pandas has no part, are not computed.
Compares fingerprints, the names of features, classes, remarks and messages of errors; exits with 1
where one differs, and names it.
"""

import argparse
import hashlib
import json
import math
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import parquet

from boostbench.data.access import DataAccess
from boostbench.data.cards import Catalog
from boostbench.data.loading import load_dataset
from boostbench.data.readers import read_table
from boostbench.data.request import DataRequest
from boostbench.errors import BoostbenchError

SEED = 20261127
WAYS: tuple[dict[str, object], ...] = (
    {"missing": "median", "categorical": "auto"},
    {"missing": "drop", "categorical": "auto", "task": "classification"},
    {"missing": "error"},
    {"missing": "drop", "na_values": ["7", "x1"], "categorical": "auto"},
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("python", nargs="?", help="the Python of the other installation")
    parser.add_argument("--files", type=int, default=200, help="generated CSV files")
    parser.add_argument("--mirror", type=Path, help="a folder with copies of the cards' files")
    parser.add_argument("--print", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.print:
        for name, found in readings(options.files, options.mirror):
            print(json.dumps([name, found]), flush=True)
        return 0
    if options.python is None:
        parser.error("name the Python of the other installation")
    mine, theirs = (said(python, options) for python in (sys.executable, options.python))
    different = [name for name in mine | theirs if mine.get(name) != theirs.get(name)]
    for name in different:
        print(f"{name}:\n  {mine.get(name)}\n  {theirs.get(name)}", file=sys.stderr)
    versions = f"pandas {mine['pandas']} and {theirs['pandas']}"
    differ = [name for name in different if name != "pandas"]
    loaded = sum("fingerprint" in str(found) for found in mine.values())
    print(f"{versions}: {len(mine) - 1} readings, {loaded} of them data sets; {len(differ)} differ")
    return 1 if differ else 0


def said(python: str, options: argparse.Namespace) -> dict[str, object]:
    """Return what a Python reads, by name."""
    command = [python, __file__, "--print", "--files", str(options.files)]
    command += ["--mirror", str(options.mirror)] if options.mirror else []
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return dict(json.loads(line) for line in done.stdout.splitlines())


def readings(n_files: int, mirror: Path | None) -> Iterator[tuple[str, object]]:
    """Yield the name of each reading, and what was found."""
    yield "pandas", pd.__version__
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        access = DataAccess(here / "cache", mirror=mirror, offline=True, may_compute=False)
        for i in range(n_files):
            path = here / f"{i}.csv"
            notation = write_csv(path, random.Random(SEED + i))
            yield from of_file(path, access, notation)
        for i in range(n_files // 10):
            path = here / f"{i}.parquet"
            write_parquet(path, random.Random(SEED + i))
            yield from of_file(path, access, {})
        if mirror is None:
            return
        for path in sorted(mirror.glob("*/*")):
            if {*path.suffixes} & {".arff", ".dat", ".data"}:
                yield from of_file(path, access, {})
        yield from of_cards(access)


def of_file(
    path: Path, access: DataAccess, notation: dict[str, object]
) -> Iterator[tuple[str, object]]:
    """Read a file in each way, with its last column as the target."""
    yield f"{path.name} as a table", attempt(lambda: digest(path))
    for i, way in enumerate(WAYS):
        asked = {"name": "it", "file": str(path), "target": -1, **notation, **way}

        def load(asked: dict[str, object] = asked) -> object:
            return described(DataRequest(**asked), access)

        yield f"{path.name} in way {i + 1}", attempt(load)


def of_cards(access: DataAccess) -> Iterator[tuple[str, object]]:
    """Load each card and each of its variants."""
    catalog = Catalog()
    for name in catalog.names:
        for variant in ("", *catalog.card(name).variants):
            card = f"{name}:{variant}" if variant else name
            request = DataRequest(name=name, card=card, task=catalog.card(card).task)

            def load(request: DataRequest = request) -> object:
                return described(request, access)

            yield card, attempt(load)


def attempt(call: Callable[[], object]) -> object:
    """Return what ``call`` returns, or what its error says."""
    try:
        return call()
    except BoostbenchError as error:
        return f"{type(error).__name__}: {error}"


def described(request: DataRequest, access: DataAccess) -> object:
    """Return all that is seen of a data set."""
    found = load_dataset(request, access)
    return {
        "fingerprint": found.fingerprint,
        "bits": hashlib.sha256(found.X.tobytes() + found.y.tobytes()).hexdigest(),
        "shape": list(found.X.shape),
        "features": list(found.feature_names),
        "classes": list(found.classes),
        "remarks": list(found.remarks),
        "left_out": list(found.left_out),
    }


def digest(path: Path) -> object:
    """Return a digest of each column of a file's table, by name, and what the table says of it."""
    table = read_table(path)
    columns = {}
    for name in table.names:
        column = table.frame[name]
        if column.dtype == np.float64:
            data = column.to_numpy().tobytes()
        else:
            values = column.astype(object).where(column.notna(), None)
            data = json.dumps([None if value is None else str(value) for value in values]).encode()
        kind = str(column.dtype)
        columns[name] = [kind, hashlib.sha256(data).hexdigest()]
    marks = {name: dict(counts) for name, counts in table.marks.items()}
    return [columns, marks, list(table.lines or ()), sorted(table.dates)]


# -- generated files ---------------------------------------------------------------------------

_Column = Callable[[random.Random, str], str]


def _float(rng: random.Random, decimal: str) -> str:
    value = math.ldexp(rng.uniform(-1, 1), rng.randint(-80, 80))
    forms = (repr(value), f"{value:.17g}", f"{value:.6f}", f"{value:.25e}", f"{value:.3g}")
    return rng.choice(forms).replace(".", decimal)


def _long(rng: random.Random, decimal: str) -> str:
    digits = "".join(rng.choices("0123456789", k=rng.randint(16, 40)))
    place = rng.randint(1, len(digits) - 1)
    return f"{digits[:place]}{decimal}{digits[place:]}"


def _mean(rng: random.Random, decimal: str) -> str:
    return f"{rng.randint(1, 99_999) / rng.choice((3, 7, 10, 1000)):.15g}".replace(".", decimal)


def _integer(rng: random.Random, decimal: str) -> str:
    return str(rng.randint(-5, 5) if rng.random() < 0.9 else rng.randint(-(2**62), 2**62))


def _large(rng: random.Random, decimal: str) -> str:
    return str(rng.randint(2**53, 2**70))


def _odd(rng: random.Random, decimal: str) -> str:
    return rng.choice(("1e400", "-inf", "+3", "1_0", "0x1A", "1e-330", ".5", "5.", "1E5", "00012"))


def _among(*words: str) -> _Column:
    return lambda rng, decimal: rng.choice(words)


COLUMNS: tuple[_Column, ...] = (
    *(_float, _float, _long, _mean, _mean, _integer, _large, _odd),
    _among("true", "false"),
    _among("True", "FALSE", "1", "0"),
    _among("red", "green", "blau ", " blue", "Ünïcode"),
    _among("a", "b", "1", "2.50", "None"),
    _among("007", "7", "7.0", "+7", "-0"),
    _among("2020-01-03", "4.5.2021", "12 May 1999"),
    _among("10%", "20 %", "7.5%"),
    _among('"say ""hi"""', '"x, y; z"', "plain", "O'Neill"),
    _among("", "NA", "nan", "x1"),
    _among("yes", "no", "Yes", "y"),
    _among("10", "20", "3O", "40"),
    _among("5"),
    lambda rng, decimal: f"item {rng.randint(0, 10**6)}",
)
MARKS = ("", "NA", "?", "NaN", "null", "n/a", "#N/A")


def write_csv(path: Path, rng: random.Random) -> dict[str, object]:
    """Write a made-up CSV file; return the options that its notation needs."""
    decimal = rng.choice("...,")
    separator = rng.choice(";\t" if decimal == "," else ",,;\t|")
    kinds = rng.choices(COLUMNS, k=rng.randint(1, 9))
    kinds.append(rng.choice((_float, _mean, _integer, COLUMNS[8], COLUMNS[10], COLUMNS[12])))
    gaps = [rng.choice((0, 0, 0, 0.1, 0.5)) for _ in kinds]
    gaps[-1] = 0 if rng.random() < 0.8 else 0.1
    lines = [separator.join(f"{'name' if j % 3 else 'x y'} {j}" for j in range(len(kinds)))]
    for _ in range(rng.choice((3, 12, 40, 400))):
        cells = [
            rng.choice(MARKS) if rng.random() < gap else kind(rng, decimal)
            for kind, gap in zip(kinds, gaps, strict=True)
        ]
        lines.append(separator.join(cells))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return {} if decimal == "." else {"decimal": ","}


def write_parquet(path: Path, rng: random.Random) -> None:
    """Write a made-up Parquet file with columns of many types, some with gaps."""
    n = 40

    def gaps(values: list[object]) -> list[object]:
        return [None if rng.random() < 0.1 else value for value in values]

    def drawn(draw: Callable[[], object]) -> list[object]:
        return [draw() for _ in range(n)]

    def normal() -> float:
        return rng.gauss(0, 1)

    columns = {
        "f8": pa.array(gaps(drawn(normal)), pa.float64()),
        "f4": pa.array(drawn(normal), pa.float32()),
        "i8": pa.array(gaps(drawn(lambda: rng.randint(0, 2**60))), pa.int64()),
        "u1": pa.array(drawn(lambda: rng.randint(0, 9)), pa.uint8()),
        "truth": pa.array(gaps(drawn(lambda: rng.random() < 0.5)), pa.bool_()),
        "word": pa.array(gaps(drawn(lambda: rng.choice(("a ", "b", "NA")))), pa.string()),
        "level": pa.array(gaps(drawn(lambda: rng.choice("uvw")))).dictionary_encode(),
        "code": pa.array(drawn(lambda: rng.choice((1, 2, 3)))).dictionary_encode(),
        "day": pa.array(drawn(lambda: rng.randint(0, 9999)), pa.int32()).cast(pa.date32()),
        "time": pa.array(drawn(lambda: rng.randint(0, 10**15)), pa.timestamp("us")),
        "y": pa.array(drawn(normal), pa.float64()),
    }
    names = [name for name in columns if name == "y" or rng.random() < 0.6]
    parquet.write_table(pa.table({name: columns[name] for name in names}), path)


if __name__ == "__main__":
    raise SystemExit(main())
