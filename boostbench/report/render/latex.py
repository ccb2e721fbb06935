"""A report's tables as LaTeX for ``input``, with booktabs, adjustbox and longtable."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import chain, count

from jinja2 import Environment, PackageLoader, Template

from boostbench.report.document.report import Report
from boostbench.report.document.table import Item, TextTable
from boostbench.report.render.formats import Renderer, register
from boostbench.report.words import one_line

PREAMBLE = r"""% Read this file in with \input{table}, or copy tables from it. The preamble needs
% \usepackage{adjustbox,array,booktabs,longtable,amssymb}"""
ROOM = 90
MOST_ROWS = 40
WORDS = 28
"""A wider table is divided; one with more rows, or with sentences, may break across pages."""
_LETTERS_OF_LINE, _SMALL_LETTERS_OF_LINE = 68, 78
"""How many letters a line surely holds, and in the small type of tables that break across pages."""
_GREEK = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi o pi rho varsigma "
    "sigma tau upsilon phi chi psi omega"
)
_LETTERS = {chr(ord("α") + i): f"\\{name}" for i, name in enumerate(_GREEK.split())}
SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "`": r"\textasciigrave{}",
    "“": "``",
    "”": "''",
    "‘": "`",
    "’": "'",
    "–": "--",
    "—": "---",
    "…": r"\ldots{}",
    "✗": r"\textsf{x}",
    "R²": "$R^2$",
} | {
    sign: f"${command}$"
    for sign, command in {
        "<": "<",
        ">": ">",
        "|": "|",
        "²": "^2",
        "−": "-",
        "≥": r"\ge",
        "≤": r"\le",
        "≈": r"\approx",
        "×": r"\times",
        "·": r"\cdot",
        "±": r"\pm",
        "ℓ": r"\ell",
        "₂": "_2",
        "µ": r"\mu",
        "→": r"\to",
        "✓": r"\checkmark",
        "◐": r"\circ",
        "●": r"\bullet",
        "≠": r"\ne",
        "∞": r"\infty",
        **_LETTERS,
    }.items()
}
_NEW_LINE = r"\\"
_PATTERN = re.compile("R²|" + "|".join(map(re.escape, SPECIAL)))
# A letter and its index are one formula; a second index, as in R²², would be an error in one.
_BETWEEN_SIGNS = re.compile(r"(?<!\\)(?<![_^]2)\$\$(?=[_^])")
# Where a long word may be broken; a number never is.
_BREAKS = re.compile(r"(?<=[_:/@])(?=\w)|(?<=[.,;=+-])(?=[A-Za-z])")


def render(tables: Iterable[TextTable], title: str, name: str) -> str:
    """Return the tables of a report with this title; ``name`` is the experiment's.

    Each has a caption and the label ``tab:NAME-KEY``, further parts with a number. One wider than
    :data:`ROOM` letters is divided into parts, each with the columns that name its rows.
    """
    template = template_of("table.tex.j2", escape)
    made: dict[str, str] = {}
    for table in tables:
        for part in table.parts(ROOM):
            label = in_label(f"{name}-{part.key}")
            if label in made:
                label = next(each for n in count(2) if (each := f"{label}-{n}") not in made)
            made[label] = template.render(_part(part), label=label)
    return "\n".join([PREAMBLE, f"% {escape(title)}", *made.values()])


def in_label(name: str) -> str:
    """Return a name as it may be in a label."""
    return re.sub("[^A-Za-z0-9-]+", "-", name)


@cache
def template_of(name: str, tex: Callable[[str], str]) -> Template:
    """Return a template, which is compiled once; ``tex`` makes LaTeX of its texts."""
    environment = Environment(
        loader=PackageLoader("boostbench.report.render"),
        trim_blocks=True,
        autoescape=False,
        keep_trailing_newline=True,
    )
    environment.filters["tex"] = tex
    return environment.get_template(name)


def _part(table: TextTable) -> Mapping[str, object]:
    """Return the template's values for a part of a table."""
    wide = _wide_columns(table)
    is_long = len(table.rows) > MOST_ROWS or len(wide) > 1
    widths = _widths(table, wide, _SMALL_LETTERS_OF_LINE if is_long else _LETTERS_OF_LINE)
    formats = [_column_format(i in table.left, widths.get(i)) for i in range(len(table.header))]
    texts = [text.rstrip(".") for text in (table.title, table.legend) if text]
    header = [escape(text) for text in table.grouped_header]
    if is_long:
        header = [text if i in wide else _stacked(text) for i, text in enumerate(header)]
    return {
        "table": table,
        "header": header,
        "caption": f"{'. '.join(texts)}.",
        "long": is_long,
        "columns": "".join(formats),
        "rows": [_row(row, widths) for row in table.rows],
    }


def _wide_columns(table: TextTable) -> list[int]:
    """Return the columns of words whose text must be broken."""
    return [i for i in sorted(table.left) if _longest(table, i) > WORDS]


def _longest(table: TextTable, place: int) -> int:
    return max(len(row[place].text) for row in table.rows)


def _widths(table: TextTable, wide: Sequence[int], line: int) -> dict[int, float]:
    """Return the widths of the ``wide`` columns, as shares of a line of so many letters.

    They have what the other columns leave, and at least the room of their longest word.
    """
    others = [i for i in range(len(table.header)) if i not in wide]
    taken = 2 * len(table.header) + sum(_least_letters(table, i) for i in others)
    share = (1 - taken / line) / max(1, len(wide))
    # Names of rows are no sentences: they are broken before figures get too narrow.
    most = WORDS if max(wide, default=0) < table.keys else ROOM
    return {
        i: max(min(share, min(_longest(table, i), most) / ROOM), _longest_word(table, i) / line)
        for i in wide
    }


def _least_letters(table: TextTable, place: int) -> int:
    """Return the width of a column that is not broken, below a header of a word a line."""
    words = max(map(len, table.grouped_header[place].split()), default=0)
    return max(words, *(len(str(item)) for item in table.column(place)))


def _longest_word(table: TextTable, place: int) -> int:
    """Return the length of the longest piece of a column's texts that is not broken."""
    texts = [table.grouped_header[place], *map(str, table.column(place))]
    return max(len(piece) for text in texts for word in text.split() for piece in _pieces(word))


def _stacked(header: str) -> str:
    """Return a header in LaTeX with a word a line."""
    words = header.split()
    return rf"\shortstack{{{_NEW_LINE.join(words)}}}" if len(words) > 1 else header


def _column_format(is_text: bool, width: float | None) -> str:
    if width is not None:
        return f">{{\\raggedright\\arraybackslash}}p{{{width:.3f}\\textwidth}}"
    return "l" if is_text else "r"


def _row(row: Sequence[Item], widths: Mapping[int, float]) -> list[str]:
    return [_item(item, i in widths) for i, item in enumerate(row)]


def _item(item: Item, wide: bool) -> str:
    first, *others = [(breakable if wide else escape)(part) for part in item.parts] or [""]
    parts = [f"\\textbf{{{first}}}" if item.meaning == "best" else first, *others]
    # LaTeX would read a bracket at the start of a row as an argument of the preceding \\.
    return "\\,".join(parts).replace("[", "{[}").replace("]", "{]}")


def escape(text: str) -> str:
    """Return ``text`` as LaTeX that prints it; blanks of any kind become one."""
    written = _PATTERN.sub(lambda match: SPECIAL[match[0]], one_line(text))
    return _BETWEEN_SIGNS.sub("", written)


def breakable(text: str) -> str:
    """Return ``text`` as LaTeX whose long words may be broken after their signs."""
    return r"\allowbreak{}".join(map(escape, _pieces(text)))


def _pieces(text: str) -> list[str]:
    """Return the pieces of ``text`` between which a line may be broken, other than at blanks."""
    return _BREAKS.split(one_line(text))


def _render(report: Report) -> str:
    tables = chain.from_iterable(section.tables for section in report.sections)
    return render(tables, report.title, report.name)


register(Renderer("latex", ".tex", _render))
