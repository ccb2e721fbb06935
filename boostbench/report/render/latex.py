"""A page's tables as LaTeX, to be read in with \\input: booktabs, no other layout package."""

import re
from collections.abc import Iterator, Sequence

from boostbench.report.page import Item, Page, Table

HEAD = """\
% Read this file in with \\input{table}. The preamble needs
%   \\usepackage{booktabs,amssymb,graphicx}
"""
METHODS_A_TABLE = 4
_SPECIAL = {
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
    "<": r"$<$",
    ">": r"$>$",
    "|": r"$|$",
    "²": r"$^2$",
    "−": r"$-$",
    "–": r"--",
    "“": "``",
    "”": "''",
    "≥": r"$\ge$",
    "×": r"$\times$",
    "±": r"$\pm$",
    "ℓ": r"$\ell$",
    "₂": r"$_2$",
    "τ": r"$\tau$",
    "✓": r"$\checkmark$",
    "▲": r"$\uparrow$",
    "▼": r"$\downarrow$",
    "◐": r"$\circ$",
    "✗": r"\textsf{x}",
    "≈": r"$\approx$",
    "≠": r"$\ne$",
}
_PATTERN = re.compile("R²|" + "|".join(re.escape(character) for character in _SPECIAL))
LONG, WIDE = 45, 88


def render(page: Page) -> str:
    """Return the tables of ``page`` as LaTeX, each a ``table`` float with caption and label."""
    tables = [
        _float(part)
        for section in page.sections
        for table in section.tables
        for part in _split(table)
    ]
    return "\n".join([HEAD, f"% {escape(page.title)}\n", *tables])


def escape(text: str) -> str:
    """Return ``text`` as LaTeX that prints it; blanks of any kind become one."""
    return _PATTERN.sub(
        lambda match: "$R^2$" if match[0] == "R²" else _SPECIAL[match[0]], " ".join(text.split())
    )


def _split(table: Table) -> Iterator[Table]:
    """Yield a table with measured and published values in columns of their own, few a table."""
    if table.groups or not any(item.beside for row in table.rows for item in row):
        yield table
        return
    methods = range(1, len(table.header))
    for start in range(0, len(methods), METHODS_A_TABLE):
        chosen = methods[start : start + METHODS_A_TABLE]
        yield Table(
            key=table.key if start == 0 else f"{table.key}-{start // METHODS_A_TABLE + 1}",
            title=table.title if start == 0 else f"{table.title}, continued",
            header=["Data set", *(name for _ in chosen for name in ("measured", "paper"))],
            rows=[[row[0], *_pairs([row[column] for column in chosen])] for row in table.rows],
            averages=table.averages,
            groups=[("", 1), *((table.header[column], 2) for column in chosen)],
            legend=table.legend.replace("published in parentheses", "published beside it"),
        )


def _pairs(items: Sequence[Item]) -> Iterator[Item]:
    for item in items:
        yield Item(item.text, mark=item.mark, note=item.note)
        yield Item(item.beside)


def _float(table: Table) -> str:
    columns = "".join(_column(table, column) for column in range(len(table.header)))
    body = [
        f"\\begin{{tabular}}{{{columns}}}",
        "\\toprule",
        *_groups(table),
        " & ".join(escape(text) for text in table.header) + " \\\\",
        "\\midrule",
        *_rows(table),
        "\\bottomrule",
        "\\end{tabular}",
    ]
    if _characters(table) > WIDE:
        body = ["\\resizebox{\\textwidth}{!}{%", *body, "}"]
    caption = f"{table.title}. {table.legend}" if table.legend else f"{table.title}."
    return "\n".join(
        [
            "\\begin{table}[htbp]",
            "\\centering\\small",
            f"\\caption{{{escape(caption)}}}",
            f"\\label{{tab:{re.sub('[^A-Za-z0-9-]', '-', table.key)}}}",
            *body,
            "\\end{table}\n",
        ]
    )


def _characters(table: Table) -> int:
    """Return about how many characters wide a table is, to see whether it fits a page."""
    return sum(min(_width(table, column), LONG) + 2 for column in range(len(table.header)))


def _width(table: Table, column: int) -> int:
    cells = [row[column] for row in table.rows]
    texts = (len(f"{cell.text}{cell.mark}{cell.note}{cell.beside}") for cell in cells)
    return max(len(table.header[column]), *texts) if cells else len(table.header[column])


def _column(table: Table, column: int) -> str:
    if column in table.left and _width(table, column) > LONG:
        return "p{7.5cm}"
    return "l" if column in table.left else "r"


def _groups(table: Table) -> list[str]:
    if not table.groups:
        return []
    titles, rules, first = [], [], 1
    for title, span in table.groups:
        titles.append(f"\\multicolumn{{{span}}}{{c}}{{{escape(title)}}}" if title else "")
        if title:
            rules.append(f"\\cmidrule(lr){{{first}-{first + span - 1}}}")
        first += span
    return [" & ".join(titles) + " \\\\", " ".join(rules)]


def _rows(table: Table) -> Iterator[str]:
    plain = len(table.rows) - table.averages
    for index, row in enumerate(table.rows):
        if index == plain and index > 0:
            yield "\\midrule"
        yield " & ".join(_item(item) for item in row) + " \\\\"


def _item(item: Item) -> str:
    text = escape(item.text)
    parts = [f"\\textbf{{{text}}}" if item.tone == "best" else text]
    if item.mark:
        parts.append(escape(item.mark))
    if item.beside:
        parts.append(f"({escape(item.beside)})")
    if item.note:
        parts.append(f"{{\\scriptsize [{escape(item.note)}]}}")
    # A bracket that opens a row would be taken for the argument of the \\ before it.
    return "\\,".join(part for part in parts if part).replace("[", "{[}").replace("]", "{]}")
