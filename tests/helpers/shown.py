"""What a report shows in each of its forms: tables taken apart, and numbers as they are written."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from html import unescape
from html.parser import HTMLParser
from itertools import takewhile
from typing import Any

NUMBER = re.compile(r"[-+]?(?:\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?|∞)")
_SIGNS = {
    "−": "-",
    "$-$": "-",
    r"$\infty$": "∞",
    "R^2": "R²",
    "{[}": "[",
    "{]}": "]",
    r"\,": " ",
}
_PART = re.compile(r"^(.*), part \d+$")


@dataclass(frozen=True)
class Table:
    """A table as it is shown; ``numeric`` are the columns of numbers, of Markdown alone."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    numeric: Sequence[int] = ()

    @property
    def records(self) -> list[dict[str, str]]:
        """The rows by the names of their columns."""
        return [dict(zip(self.header, row, strict=True)) for row in self.rows]


def plain(text: str) -> str:
    """Return a text without its markup, with a minus that Python reads."""
    for sign, other in _SIGNS.items():
        text = text.replace(sign, other)
    text = re.sub(r"\\(?:textbf|mathbf)\{([^{}]*)\}", r"\1", text)
    return re.sub(r"\\(.)", r"\1", text.replace("**", "")).strip()


def numbers(text: str) -> list[str]:
    """Return all numbers in a text, as they are written."""
    return [number.replace(",", "") for number in NUMBER.findall(plain(text))]


def is_written(text: str, value: float) -> bool:
    """Return whether a number is the value, rounded to the digits that are written."""
    (written,) = numbers(text)
    exponent = Decimal(written).as_tuple().exponent
    assert isinstance(exponent, int)
    return abs(float(written) - value) <= 0.5 * 10.0**exponent * (1 + 1e-6) + 1e-12


def markdown_tables(text: str) -> list[Table]:
    """Return the tables of ``table.md``, each with the heading above it."""
    tables, heading, lines = [], "", list[str]()
    for line in [*text.splitlines(), ""]:
        if line.startswith("#"):
            heading = plain(line.lstrip("# "))
        if line.startswith("|"):
            lines.append(line)
        elif lines:
            rows = [[plain(c) for c in re.split(r"(?<!\\)\|", own)[1:-1]] for own in lines]
            numeric = [place for place, rule in enumerate(rows[1]) if rule == "--:"]
            tables.append(Table(heading, rows[0], rows[2:], numeric))
            lines = []
    return tables


def latex_tables(text: str) -> list[Table]:
    """Return the tables of a LaTeX file, those in several parts as one."""
    parts = []
    for block in text.split(r"\caption{")[1:]:
        title = plain(block.partition(r"}\label")[0])
        body = block.partition(r"\bottomrule")[0]
        lines = [line.removesuffix(r" \\") for line in body.splitlines() if line.endswith(r" \\")]
        rows = [[plain(cell) for cell in re.split(r"(?<!\\) & ", line)] for line in lines]
        # A table that goes on has its header twice.
        header, body_rows = rows[0], [row for row in rows[1:] if row != rows[0]]
        parts.append(Table(title, header, body_rows))
    return _joined(parts)


def _joined(parts: Sequence[Table]) -> list[Table]:
    """Return tables with their further parts; each part repeats the columns that name its rows."""
    tables: list[Table] = []
    for part in parts:
        title = part.title.partition(". ")[0].rstrip(".")
        if not (tables and (found := _PART.match(title)) and found[1] == tables[-1].title):
            tables.append(Table(title, part.header, part.rows))
            continue
        whole = tables[-1]
        both = zip(whole.header, part.header, strict=False)
        keys = len(list(takewhile(lambda two: two[0] == two[1], both)))
        rows = [[*a, *b[keys:]] for a, b in zip(whole.rows, part.rows, strict=True)]
        tables[-1] = Table(whole.title, [*whole.header, *part.header[keys:]], rows)
    return tables


class _Tables(HTMLParser):
    """Reads the tables of a page, with titles of groups of columns before their names."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[dict[str, Any]] = []
        self._text: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag == "table":
            self.found.append({"title": "", "head": [], "rows": []})
        elif tag in ("thead", "tbody") and self.found:
            self._part = "head" if tag == "thead" else "rows"
        elif tag == "tr" and self.found:
            self.found[-1][self._part].append([])
        elif tag in ("th", "td", "caption"):
            self._text, self._span = [], int(dict(attrs).get("colspan", 1))

    def handle_data(self, data: str) -> None:
        if self._text is not None:
            self._text.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag not in ("th", "td", "caption") or self._text is None or not self.found:
            return
        text, self._text = plain("".join(self._text)), None
        if tag == "caption":
            self.found[-1]["title"] = text
        else:
            self.found[-1][self._part][-1] += [text] * self._span


def page_tables(html: str) -> list[Table]:
    """Return the tables of a page, those in several parts as one."""
    reader = _Tables()
    reader.feed(html)
    return _joined([Table(t["title"], _header(t["head"]), t["rows"]) for t in reader.found])


def _header(lines: Sequence[Sequence[str]]) -> list[str]:
    """Return the names of columns, with those of their groups."""
    if len(lines) < 2:
        return list(lines[0]) if lines else []
    groups, names = lines
    return [f"{a}: {b}" if a else b for a, b in zip(groups, names, strict=True)]


def page_claims(html: str) -> dict[str, tuple[str, str]]:
    """Return the group and the measured figure of each claim on a page, by its id."""
    found = {}
    for group in html.split('<details class="group ')[1:]:
        verdict = re.search(r'id="claims-([a-z-]+)"', group)
        for claim in group.split('<details class="claim" id="claim-')[1:]:
            measured = re.search(r'<dd class="me">(.*?)</dd>', claim)
            text = unescape(re.sub("<[^>]*>", "", measured[1])) if measured else ""
            found[claim.partition('"')[0]] = (verdict[1] if verdict else "", text)
    return found


def cards(html: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the key of each cell's card on a page, and its facts by name."""
    for key, card in re.findall(
        r'<article class="card[^"]*" id="([^"]*)"(.*?)</article>', html, re.S
    ):
        facts = re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", card, re.S)
        yield key, {name: plain(text) for name, text in facts}
