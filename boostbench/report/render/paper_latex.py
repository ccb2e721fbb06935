"""A table for a paper as LaTeX: one tabular, in the largest type in which it fits."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, product

from boostbench.errors import ConfigError
from boostbench.report.document.for_paper import PaperTable
from boostbench.report.document.table import Item, TextTable
from boostbench.report.render import latex
from boostbench.report.sentences import paper
from boostbench.report.sentences.paper import DAGGER
from boostbench.report.words import in_lines, one_line

POINTS_PER_INCH = 72.27
BOLD, PLUS_MINUS = 1.16, 2.2
"""How much wider bold digits are, and the width of a plus-minus sign, in digits."""
LONGEST_NAME = 22
"""Longer names of rows are broken."""
PAGE = 540.0
CAPTION = 55.0
APART = 2.0
"""The height of a page, of a caption with the rules of a table, and between rows with sds."""
_WIDTHS = {"−": 1.56, "₂": 0.85, "ℓ": 0.84, DAGGER: 0.0} | {
    letter: width
    for letters, width in (
        (".,ijl", 0.56),
        ("f", 0.62),
        (" -", 0.67),
        ("rst()", 0.79),
        ("cez", 0.89),
        ("bdhknpquvxy", 1.12),
        ("w", 1.45),
        ("m", 1.67),
    )
    for letter in letters
}
"""The widths of signs of Computer Modern in digits, where they are not 1."""
_CAPITAL = 1.45


@dataclass(frozen=True)
class Setting:
    """How a table is set: its type, the points of a digit, a line and between columns, the sds."""

    type: str
    digit: float
    line: float
    gap: float
    below: bool


SETTINGS = (
    Setting("small", 4.63, 11.0, 8.0, below=False),
    Setting("footnotesize", 4.25, 9.5, 7.0, below=False),
    Setting("small", 4.63, 11.0, 8.0, below=True),
    Setting("footnotesize", 4.25, 9.5, 6.0, below=True),
    Setting("scriptsize", 3.99, 8.0, 4.0, below=True),
)
"""From the largest type to the smallest that a journal prints, 7 points in text of 10."""
SMALL_DIGIT = 3.99
"""The points of a digit of an sd below its mean."""


@dataclass(frozen=True)
class Place:
    """Where a table stands: its environment, its width and height in points, what it needs."""

    environment: str
    width: float
    height: float = PAGE
    packages: Sequence[str] = ("booktabs",)


def _places(width: float) -> list[Place]:
    """Return where a table can stand in a paper with columns of ``width`` inches.

    It is a column, in papers of two columns the width of both, and a page turned sideways.
    """
    column = POINTS_PER_INCH * width
    if width > WIDEST_OF_TWO:
        turned = Place("sidewaystable", PAGE, column, ("booktabs", "rotating"))
        return [Place("table", column), turned]
    both = 2 * column + BETWEEN_TWO
    turned = Place("sidewaystable*", 1.15 * PAGE, both, ("booktabs", "rotating"))
    return [Place("table", column), Place("table*", both), turned]


WIDEST_OF_TWO, BETWEEN_TWO = 4.0, 10.0
"""The widest column of a paper of two, in inches, and the points between the two."""


def render(made: PaperTable, label: str, width: float) -> str:
    """Return one table for columns of ``width`` inches, with all methods in one tabular.

    It is set in the largest type in which it fits, with the sds below the means where there is no
    room beside them; with data sets as columns where methods are too many; across both columns of
    a paper of two, or turned sideways. One longer than a page goes on with the same number. Raises
    ConfigError where nothing of this fits.
    """
    place, setting, table = _fitting(made.table, width)
    return latex.template_of("paper.tex.j2", _escape).render(
        comments=[paper.needs(place.packages), *map(one_line, made.comments)],
        place=place.environment,
        type=setting.type,
        gap=f"{setting.gap / 2:g}",
        pages=list(_pages(_Tabular(table, setting), place.height - CAPTION)),
        caption=made.caption.text(below=setting.below),
        label=latex.in_label(label),
        notes=made.notes,
    )


def floats(captions: Mapping[str, str], label: str) -> str:
    """Return a float of each figure, by the name of its file."""
    return latex.template_of("figures.tex.j2", _escape).render(
        comments=[paper.needs(["graphicx"])], captions=captions, label=latex.in_label(label)
    )


def _fitting(table: TextTable, width: float) -> tuple[Place, Setting, TextTable]:
    """Return where and how a table fits: on one page, else on several, its rows as columns or not.

    The first that fits is taken: of places, then of the two ways round, then of settings.
    """
    has_sds = any(item.beside for row in table.rows for item in row)
    # Without sds none are below.
    settings = [each for each in SETTINGS if has_sds or each.below]
    ways = [table, _transposed(table)]
    every = list(product(_places(width), ways, settings))
    for on_one_page in (True, False):
        for place, own, setting in every:
            made = _Tabular(own, setting)
            is_high = on_one_page and made.height > place.height - CAPTION
            if made.width <= place.width and not is_high:
                return place, setting, own
    raise ConfigError(
        f"the {len(table.header) - 1} methods fit no page of this width, not even turned sideways: "
        "name fewer by --columns"
    )


def _transposed(table: TextTable) -> TextTable:
    """Return a table with its rows as columns."""
    head, *names = table.header
    columns = [[Item(name), *table.column(place)] for place, name in enumerate(names, start=1)]
    first = head if not names else "Method"
    return replace(
        table, header=[first, *(row[0].text for row in table.rows)], rows=columns, averages=0
    )


@dataclass(frozen=True)
class _Tabular:
    """A table in a setting: its columns with their widths, and all texts as LaTeX."""

    table: TextTable
    setting: Setting

    @property
    def width(self) -> float:
        """The width of all columns in points; nothing lies beside the outer ones."""
        gaps = self.setting.gap * (len(self.table.header) - 1)
        return gaps + sum(map(self._points, range(len(self.table.header))))

    @property
    def height(self) -> float:
        """The height of the header and of all rows in points."""
        return self.setting.line * len(self.header) + sum(map(self.height_of, self.rows))

    def height_of(self, lines: Sequence[object]) -> float:
        """Return the height of the lines of a row, of which several are set apart from others."""
        return self.setting.line * len(lines) + (APART if len(lines) > 1 else 0.0)

    def _points(self, place: int) -> float:
        """Return the width of a column: its name is wrapped, its numbers are not."""
        if place == 0:
            names = [self.table.header[0], *(item.text for item in self.table.column(0))]
            return min(max(map(_digits, names)), LONGEST_NAME) * self.setting.digit
        words = max(map(_digits, self._wrapped(place, 0.0)))
        return max(words * self.setting.digit, self._numbers(place))

    def _numbers(self, place: int) -> float:
        return max(self._number(item) for item in self.table.column(place))

    def _number(self, item: Item) -> float:
        """Return the width of a mean with its sd."""
        mean = _digits(item.text) * (BOLD if item.meaning == "best" else 1.0) * self.setting.digit
        sd = _digits(item.beside)
        if self.setting.below:
            return max(mean, sd * SMALL_DIGIT)
        return mean + (sd + PLUS_MINUS) * self.setting.digit if sd else mean

    @property
    def _has_wide_names(self) -> bool:
        return max(_digits(item.text) for item in self.table.column(0)) > LONGEST_NAME

    @property
    def columns(self) -> str:
        """The formats of all columns."""
        width = LONGEST_NAME * self.setting.digit
        name = f"p{{{width:.0f}pt}}" if self._has_wide_names else "l"
        return name + "r" * (len(self.table.header) - 1)

    @property
    def header(self) -> list[list[str]]:
        """The rows of the header: long names go on below, and all end in the last row."""
        first, *others = range(len(self.table.header))
        rooms = {place: self._points(place) / self.setting.digit for place in others}
        names = [[self.table.header[first]], *(self._wrapped(*item) for item in rooms.items())]
        most = max(map(len, names))
        filled = [[""] * (most - len(lines)) + lines for lines in names]
        return [list(map(_escape, row)) for row in zip(*filled, strict=True)]

    def _wrapped(self, place: int, room: float) -> list[str]:
        """Return the name of a column on as many lines as it needs in so many digits."""
        return in_lines(self.table.header[place], room, _digits)

    @property
    def rows(self) -> list[list[list[str]]]:
        """The texts of each row: a line, and a second one where sds are below."""
        return [list(self._lines(row)) for row in self.table.rows]

    def _lines(self, row: Sequence[Item]) -> Iterator[list[str]]:
        yield [_name(row[0], self._has_wide_names), *(self._mean(item) for item in row[1:])]
        if self.setting.below and any(item.beside for item in row):
            yield ["", *(_small(item.beside) for item in row[1:])]

    def _mean(self, item: Item) -> str:
        text = _escape(item.text)
        mean = rf"\textbf{{{text}}}" if item.meaning == "best" else text
        sd = "" if self.setting.below or not item.beside else rf"\,$\pm$\,{_escape(item.beside)}"
        # The sign hangs over the edge, so that the decimals of the column stay aligned.
        note = rf"\rlap{{{_escape(item.note)}}}" if item.note else ""
        return f"{mean}{sd}{note}"


def _small(text: str) -> str:
    return rf"{{\scriptsize\itshape {_escape(text)}}}" if text else ""


def _digits(text: str) -> float:
    """Return the width of a text in digits."""
    return sum(_WIDTHS.get(sign, _CAPITAL if sign.isupper() else 1.0) for sign in text)


def _pages(tabular: _Tabular, height: float) -> Iterator[Mapping[str, object]]:
    """Yield the parts of a tabular that fill a page of a height in points each."""
    rows, averages = tabular.rows, tabular.table.averages
    room = height - tabular.setting.line * len(tabular.header)
    while rows:
        until = accumulate(map(tabular.height_of, rows))
        number = max(1, sum(points <= room for points in until))
        page, rows = rows[:number], rows[number:]
        yield {
            "columns": tabular.columns,
            "header": tabular.header,
            "rows": page,
            "averages": 0 if rows else averages,
        }


def _name(item: Item, is_wide: bool) -> str:
    if is_wide:
        return rf"\raggedright {_breakable(item.text)}"
    name = _escape(item.text)
    # LaTeX would read these signs at the start of a row as arguments of the end of the last one.
    return f"{{{name}}}" if name.startswith(("[", "*")) else name


def _breakable(text: str) -> str:
    """Return a name that may be broken after each sign, and within long words."""
    words = [map(_escape, re.findall(r"\w{1,8}|\W", word)) for word in text.split()]
    return " ".join(map(r"\allowbreak{}".join, words))


def _escape(text: str) -> str:
    return latex.escape(text).replace(DAGGER, r"$^\dagger$")
