"""A report's tables as LaTeX, to be read in with \\input: booktabs, adjustbox and longtable."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from boostbench.report.document import Document
from boostbench.report.render.latextext import breakable, escape
from boostbench.report.table import Item, Table

STEM = "table"
MOST_COLUMNS, MOST_ROWS, WORDS = 11, 40, 28
"""A table with more columns is divided; one with more rows, or of sentences, runs over pages."""
_CHARACTERS = 95
_STYLES = {"best": "textbf", "close": "textit", "": ""}
_STANDINGS = (
    "Bold: the best mean of the data set, pair by pair over the runs that both methods have; "
    "italics: not significantly worse by the corrected resampled t-test (5 %, Holm)."
)
_HEAD = """\
% Read this file in with \\input{{{stem}}}. The preamble needs
%   \\usepackage{{adjustbox,array,booktabs,longtable,amssymb}}
"""


def files(document: Document, name: str) -> dict[str, str]:
    """Return the tables of a report as LaTeX files: ``table.tex`` has all, ``table-KEY.tex`` one.

    Each has a caption and the label ``tab:NAME-KEY``, ``name`` being the experiment's. A table of
    more than :data:`MOST_COLUMNS` columns is divided into parts, each with the first column.
    """
    made: dict[str, str] = {}
    for section in document.sections:
        for table in section.tables:
            stem, count = f"{STEM}-{_key(table.key)}", 2
            while stem in made:
                stem, count = f"{STEM}-{_key(table.key)}-{count}", count + 1
            label = f"{_key(name)}-{stem.removeprefix(f'{STEM}-')}"
            made[stem] = "\n".join(_part(table, places, label) for places in _parts(table))
    whole = "\n\\clearpage\n".join([f"% {escape(document.title)}", *made.values()])
    return {f"{stem}.tex": _HEAD.format(stem=stem) + text
            for stem, text in {STEM: whole, **made}.items()}  # fmt: skip


def _key(text: str) -> str:
    return re.sub("[^A-Za-z0-9-]+", "-", text).strip("-") or "x"


def _parts(table: Table) -> list[list[int]]:
    """Return the columns of each part, divided where a group begins if there are any."""
    spans = [span for _, span in table.groups] or [1] * len(table.header)
    parts, start = [[0]], spans[0]
    for span in spans[1:]:
        for first in range(start, start + span, MOST_COLUMNS - 1):
            own = [*range(first, min(first + MOST_COLUMNS - 1, start + span))]
            if len(parts[-1]) > 1 and len(parts[-1]) + len(own) > MOST_COLUMNS:
                parts.append([0])
            parts[-1] += own
        start += span
    return parts


def _part(table: Table, places: Sequence[int], label: str) -> str:
    first = places[:2] in ([0], [0, 1])
    texts = [table.title + ("" if first else ", continued"), table.legend if first else ""]
    if first and any(item.standing for row in table.rows for item in row):
        texts.append(_STANDINGS)
    caption = f"\\caption{{{escape('. '.join(text.rstrip('.') for text in texts if text))}.}}"
    caption += f"\\label{{tab:{label}{'' if first else f'-{places[1]}'}}}"
    wide = {p for p in places if p in table.left and _longest(table, p) > WORDS}
    words = _widths(table, places) if len(wide) > 1 else {}
    # Without room for its longest words a table is set in natural widths, and made smaller.
    several = bool(words)
    widths = words or {place: 0.4 / len(wide) for place in wide}
    columns = "".join(
        f">{{\\raggedright\\arraybackslash}}p{{{widths[p]:.3f}\\textwidth}}" if p in widths
        else "l" if p in table.left else "r"
        for p in places
    )  # fmt: skip
    head = [*_groups(table, places), _line(map(escape, (table.header[p] for p in places)))]
    head = ["\\toprule", *head, "\\midrule"]
    rows = [*_rows(table, places, set(widths))]
    if len(rows) > MOST_ROWS or several:
        start = [
            "{\\scriptsize\\setlength{\\tabcolsep}{3pt}",
            f"\\begin{{longtable}}{{@{{}}{columns}@{{}}}}",
        ]
        start += [f"{caption}\\\\", *head, "\\endfirsthead", *head, "\\endhead"]
        return "\n".join([*start, *rows, "\\bottomrule", "\\end{longtable}}\n"])
    return "\n".join(
        [
            "\\begin{table}[htbp]",
            "\\centering",
            caption,
            "\\begin{adjustbox}{max width=\\textwidth}",
            f"\\begin{{tabular}}{{@{{}}{columns}@{{}}}}",
            *head,
            *rows,
            "\\bottomrule",
            "\\end{tabular}",
            "\\end{adjustbox}",
            "\\end{table}\n",
        ]
    )


def _widths(table: Table, places: Sequence[int]) -> dict[int, float]:
    """Return the widths of columns: each its longest word, the rest by their lengths.

    None where the longest words leave no room.
    """
    texts = {p: [_plain(row[p]) for row in table.rows] + [table.header[p]] for p in places}
    least = {p: max(len(word) for text in own for word in [*text.split(), ""]) + 1
             for p, own in texts.items()}  # fmt: skip
    means = {p: sum(map(len, own)) / len(own) for p, own in texts.items()}
    room = 1 - 0.018 * (len(places) - 1)
    rest = room * _CHARACTERS - sum(least.values())
    if rest < 0:
        return {}
    wanted = {p: least[p] + rest * means[p] / sum(means.values()) for p in places}
    return {p: room * width / sum(wanted.values()) for p, width in wanted.items()}


def _plain(item: Item) -> str:
    # Nothing is broken between the parts.
    return ",".join(part for part in (item.text, item.mark, item.beside, item.note) if part)


def _longest(table: Table, place: int) -> int:
    return max((len(row[place].text) for row in table.rows), default=0)


def _line(cells: Iterator[str]) -> str:
    return " & ".join(cells) + " \\\\"


def _groups(table: Table, places: Sequence[int]) -> list[str]:
    if not table.groups:
        return []
    titles = [title for title, span in table.groups for _ in range(span)]
    cells, rules, first = [], [], 1
    while first <= len(places):
        title = titles[places[first - 1]]
        span = 1
        while title and first + span <= len(places) and titles[places[first + span - 1]] == title:
            span += 1
        cells.append(f"\\multicolumn{{{span}}}{{c}}{{{escape(title)}}}" if title else "")
        rules += [f"\\cmidrule(lr){{{first}-{first + span - 1}}}"] if title else []
        first += span
    return [_line(iter(cells)), " ".join(rules)]


def _rows(table: Table, places: Sequence[int], wide: set[int]) -> Iterator[str]:
    plain = len(table.rows) - table.averages
    for index, row in enumerate(table.rows):
        if index == plain and index > 0:
            yield "\\midrule"
        yield _line(_item(row[place], place in wide) for place in places)


def _item(item: Item, wide: bool) -> str:
    text = (breakable if wide else escape)(item.text)
    style = _STYLES[item.standing]
    parts = [f"\\{style}{{{text}}}" if style else text, escape(item.mark)]
    parts += [f"({escape(item.beside)})"] if item.beside else []
    parts += [f"{{\\scriptsize [{escape(item.note)}]}}"] if item.note else []
    # A bracket that opens a row would be taken for the argument of the \\ before it.
    return "\\,".join(part for part in parts if part).replace("[", "{[}").replace("]", "{]}")
