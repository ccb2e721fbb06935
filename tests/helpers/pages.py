"""A report as its reader sees it: the page in Markdown, taken apart into sections and tables."""

import csv
import io
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boostbench.report.build import build_report


@dataclass(frozen=True)
class Page:
    """The text of ``table.md``."""

    text: str

    def section(self, title: str) -> str:
        """Return the text under a heading, up to the next one; "" without the heading."""
        _, found, rest = self.text.partition(f"# {title}\n")
        return re.split(r"^#+ ", rest, maxsplit=1, flags=re.MULTILINE)[0] if found else ""

    def headings(self) -> list[str]:
        return re.findall(r"^#+ (.*)$", self.text, flags=re.MULTILINE)

    def rows(self, title: str) -> list[dict[str, str]]:
        """Return the rows of the table under a heading, by the names of its columns.

        A column that is measured or compared is named without its group.
        """
        lines = [line for line in self.section(title).splitlines() if line.startswith("|")]
        cells = [
            [plain(cell.strip()) for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines
        ]
        names = [short(name) for name in cells[0]] if cells else []
        return [dict(zip(names, row, strict=True)) for row in cells[2:]]

    def row(self, title: str, **where: str) -> dict[str, str]:
        """Return the one row of a table whose cells are as ``where`` says (``_`` for blanks)."""
        wanted = {(name.replace("_", " "), text) for name, text in where.items()}
        (found,) = (row for row in self.rows(title) if wanted <= set(row.items()))
        return found

    def claims(self) -> dict[str, str]:
        """Return the line of each claim, by its id: the verdict, the claim, its figures."""
        lines = self.section("The paper's claims").splitlines()
        return {line.split(": ")[1].split()[0]: plain(line) for line in lines if "“" in line}

    def column(self, title: str, name: str) -> list[str]:
        return [row[name] for row in self.rows(title)]


def short(name: str) -> str:
    return name.removeprefix("Measured: ").removeprefix("Compared: ")


def plain(cell: str) -> str:
    return re.sub(r"\\(.)", r"\1", cell.replace("**", ""))


def files_of(store: Any, *formats: str) -> dict[str, bytes]:
    """Return the files of a store's report by name."""
    with tempfile.TemporaryDirectory() as folder:
        build_report(store, Path(folder), formats)
        return {path.name: path.read_bytes() for path in Path(folder).glob("[!.]*")}


def page_of(store: Any) -> Page:
    return Page(files_of(store, "md")["table.md"].decode())


def csv_of(store: Any) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(files_of(store, "csv")["table.csv"].decode())))


def cell_of(store: Any, dataset: str, method: str) -> dict[str, str]:
    """Return a cell's row of ``table.csv``."""
    (row,) = (r for r in csv_of(store) if (r["dataset"], r["method"]) == (dataset, method))
    return row
