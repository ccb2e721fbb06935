"""A report's tables as LaTeX for ``input``, with booktabs, adjustbox and longtable."""

import re
from collections.abc import Mapping, Sequence
from itertools import chain, count

from jinja2 import Environment, PackageLoader

from boostbench.report.document import ReportDocument
from boostbench.report.table import Item, TextTable
from boostbench.report.words import one_line

FILE = "table.tex"
PREAMBLE = r"""% Read this file in with \input{table}, or copy tables from it. The preamble needs
% \usepackage{adjustbox,array,booktabs,longtable,amssymb}"""
ROOM, MOST_ROWS, WORDS = 90, 40, 28
"""A wider table is divided; one with more rows, or with sentences, may break across pages."""
_GREEK = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi o pi rho varsigma "
    "sigma tau upsilon phi chi psi omega"
)
_LETTERS = {chr(ord("α") + i): f"\\{name}" for i, name in enumerate(_GREEK.split())}
SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "`": r"\textasciigrave{}", "“": "``", "”": "''", "‘": "`", "’": "'", "–": "--", "—": "---",
    "…": r"\ldots{}", "✗": r"\textsf{x}", "R²": "$R^2$",
} | {
    sign: f"${command}$"
    for sign, command in {
        "<": "<", ">": ">", "|": "|", "²": "^2", "−": "-", "≥": r"\ge", "≤": r"\le",
        "≈": r"\approx", "×": r"\times", "·": r"\cdot", "±": r"\pm", "ℓ": r"\ell", "₂": "_2",
        "µ": r"\mu", "→": r"\to", "✓": r"\checkmark",
        "◐": r"\circ", "●": r"\bullet", "≠": r"\ne", "∞": r"\infty",
        **_LETTERS,
    }.items()
}  # fmt: skip
_PATTERN = re.compile("R²|" + "|".join(map(re.escape, SPECIAL)))
# Where a long word may be broken; a number never is.
_BREAKS = re.compile(r"(?<=[_:/@])(?=\w)|(?<=[.,;=+-])(?=[A-Za-z])")


def render(document: ReportDocument, name: str) -> str:
    """Return the tables of a report; ``name`` is the experiment's.

    Each has a caption and the label ``tab:NAME-KEY``, further parts with a number. One wider than
    :data:`ROOM` letters is divided into parts, each with the columns that name its rows.
    """
    environment = Environment(
        loader=PackageLoader("boostbench.report.render"), trim_blocks=True, autoescape=False
    )
    environment.filters["tex"] = escape
    template = environment.get_template("table.tex.j2")
    made: dict[str, str] = {}
    for table in chain.from_iterable(section.tables for section in document.sections):
        for part in table.parts(ROOM):
            label = re.sub("[^A-Za-z0-9-]+", "-", f"{name}-{part.key}")
            if label in made:
                label = next(each for n in count(2) if (each := f"{label}-{n}") not in made)
            made[label] = template.render(_part(part), label=label)
    return "\n".join([PREAMBLE, f"% {escape(document.title)}", *made.values()])


def _part(table: TextTable) -> Mapping[str, object]:
    """Return the template's values for a part of a table."""
    widths = _widths(table)
    formats = [_column_format(i in table.left, widths.get(i)) for i in range(len(table.header))]
    texts = [text.rstrip(".") for text in (table.title, table.legend) if text]
    return {
        "table": table,
        "caption": f"{'. '.join(texts)}.",
        "long": len(table.rows) > MOST_ROWS or len(widths) > 1,
        "columns": "".join(formats),
        "rows": [_row(row, widths) for row in table.rows],
    }


def _widths(table: TextTable) -> dict[int, float]:
    """Return the widths of columns whose text must be broken, as shares of the page's width."""
    longest = {i: max(len(row[i].text) for row in table.rows) for i in table.left}
    wide = [i for i, letters in longest.items() if letters > WORDS]
    share = max(0.1, 0.9 - 0.1 * (len(table.header) - len(wide))) / max(1, len(wide))
    # Names of rows are no sentences: they are broken before figures get too narrow.
    most = WORDS if max(wide, default=0) < table.keys else ROOM
    return {i: min(share, min(longest[i], most) / ROOM) for i in wide}


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
    return _PATTERN.sub(lambda match: SPECIAL[match[0]], one_line(text))


def breakable(text: str) -> str:
    """Return ``text`` as LaTeX whose long words may be broken after their signs."""
    return r"\allowbreak{}".join(escape(piece) for piece in _BREAKS.split(one_line(text)))
