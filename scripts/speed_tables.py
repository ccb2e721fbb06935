"""Tables of measured speeds, as the ``bench_*.py`` scripts print and keep them.

A script declares ``--out`` and ``--date`` with ``add_arguments``, fills a ``SpeedTable`` row by row
(each row is printed at once) and writes it: ``NAME.md`` with the machine, the versions and the
command, and ``NAME.csv`` with the medians, quartiles and extremes of the repetitions. The date is
an argument, so that the same measurements give the same files.
"""

import argparse
import csv
import os
import platform
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).resolve().parents[1] / "results" / "speed"
# Libraries that every table names; a script adds its peers.
PACKAGES = ("boostbench", "numpy", "scipy", "numba", "llvmlite", "scikit-learn")
SpeedCell = str | int | float | Sequence[float] | np.ndarray | None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add ``--out`` and ``--date`` to a script's options."""
    parser.add_argument("--out", type=Path, default=FOLDER, help="folder of the tables")
    parser.add_argument("--date", default="", help="day of the measurement, for the tables")


class SpeedTable:
    """A table of measured values; a cell with several values is the repetitions of one figure.

    ``columns`` maps the keys of a row to the headings in ``NAME.md``; units belong there.
    ``packages`` are the peers' distributions, named with their versions.
    """

    def __init__(
        self,
        name: str,
        title: str,
        text: str,
        columns: Mapping[str, str],
        packages: Sequence[str] = (),
    ) -> None:
        self.name = name
        self.title = title
        self.text = text
        self.columns = dict(columns)
        self.packages = (*PACKAGES, *packages)
        self.rows: list[dict[str, SpeedCell]] = []

    def add(self, **cells: SpeedCell) -> None:
        """Add a row and print it; keys that are left out are empty cells."""
        if unknown := set(cells) - set(self.columns):
            raise ValueError(f"table {self.name} has no column {', '.join(sorted(unknown))}")
        if not self.rows:
            print(f"{self.name}: {self._line(self.columns.values())}", flush=True)
        self.rows.append({key: cells.get(key) for key in self.columns})
        print(f"{self.name}: {self._line(map(shown, self.rows[-1].values()))}", flush=True)

    def write(self, options: argparse.Namespace) -> None:
        """Write ``NAME.md`` and ``NAME.csv`` to ``options.out``; nothing if there is no row."""
        if not self.rows:
            return
        options.out.mkdir(parents=True, exist_ok=True)
        page = options.out / f"{self.name}.md"
        page.write_text(self._page(options.date), encoding="utf-8")
        with (options.out / f"{self.name}.csv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows(self._cells())

    def _page(self, date: str) -> str:
        """Return the table in Markdown, with the machine, the versions and the command."""
        lines = [f"# {self.title}", "", self.text, ""]
        lines += [self._line(self.columns.values())]
        lines += ["|" + "---|" * len(self.columns)]
        lines += [self._line(map(shown, row.values())) for row in self.rows]
        lines += ["", "Several repetitions: their median and, in brackets, their quartiles.", ""]
        if date:
            lines += [f"- Date: {date}"]
        lines += [f"- Machine: {machine()}", f"- Versions: {versions(self.packages)}"]
        return "\n".join([*lines, f"- Command: `{command()}`", ""])

    def _cells(self) -> Iterator[list[str | int]]:
        """Yield the header and the rows of the CSV file; repetitions have several columns."""
        repeated = [key for key in self.columns if any(_many(row[key]) for row in self.rows)]
        header: list[str | int] = []
        for key in self.columns:
            header += [f"{key}_{part}" for part in _PARTS] if key in repeated else [key]
        yield header
        for row in self.rows:
            cells: list[str | int] = []
            for key, cell in row.items():
                cells += _summary(cell) if key in repeated else [_plain(cell)]
            yield cells

    @staticmethod
    def _line(cells: Iterable[str]) -> str:
        return f"| {' | '.join(cells)} |"


_FOLDERS = ("--authors", "--mirror", "--out")
_PARTS = ("median", "q1", "q3", "min", "max", "n")


def _many(cell: SpeedCell) -> bool:
    return cell is not None and not isinstance(cell, str | int | float)


def _summary(cell: SpeedCell) -> list[str | int]:
    if cell is None:
        return [""] * len(_PARTS)
    values = np.atleast_1d(np.asarray(cell, dtype=float))
    summary = [*np.quantile(values, [0.5, 0.25, 0.75]), values.min(), values.max()]
    return [*(_plain(float(value)) for value in summary), values.size]


def _plain(cell: Any) -> Any:
    if isinstance(cell, float):
        return f"{cell:.6g}"
    return "" if cell is None else cell


def digits(value: float) -> str:
    """Three significant digits, without an exponent."""
    if not np.isfinite(value):
        return str(value)
    size = 0 if value == 0 else int(np.floor(np.log10(abs(value))))
    return f"{value:,.{max(2 - size, 0)}f}"


def shown(cell: SpeedCell) -> str:
    """Return a cell as text: repetitions as their median and quartiles."""
    if cell is None:
        return "-"
    if isinstance(cell, str):
        return cell
    if isinstance(cell, int):
        return f"{cell:,}"
    values = np.atleast_1d(np.asarray(cell, dtype=float))
    low, middle, high = (digits(value) for value in np.quantile(values, [0.25, 0.5, 0.75]))
    return middle if values.size == 1 else f"{middle} ({low} to {high})"


def machine() -> str:
    """Return the processor, its cores and caches, the memory and the system."""
    import psutil

    from boostbench.engine.environment import processor

    memory = psutil.virtual_memory().total / 2**30
    parts = [processor(), f"{os.cpu_count()} cores", *_caches(), f"{memory:.0f} GiB of memory"]
    return ", ".join([*parts, f"{platform.system()} {platform.machine()}"])


def _caches() -> list[str]:
    found = []
    for folder in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        names = ("level", "type", "size")
        level, kind, size = ((folder / name).read_text().strip() for name in names)
        if kind != "Instruction":
            found.append(f"L{level} {size.removesuffix('K')} KiB")
    return found


def versions(packages: Sequence[str]) -> str:
    """Return Python and the distributions with their versions."""
    found = [f"Python {platform.python_version()}"]
    for name in packages:
        try:
            found.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            found.append(f"{name} not installed")
    return ", ".join(found)


def command() -> str:
    """Return the command of this process, with the names of folders left out."""
    words = [f"scripts/{Path(sys.argv[0]).name}"]
    for before, word in zip(sys.argv, sys.argv[1:], strict=False):
        option, is_given, _ = word.partition("=")
        hidden = f"{option}=DIR" if is_given and option in _FOLDERS else word
        words.append("DIR" if before in _FOLDERS else hidden)
    return f"python {' '.join(words)}"
