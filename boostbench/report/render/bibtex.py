"""The references of an experiment as BibTeX: the paper, this program, the data sets used.

Papers and cards have their own entries, which are copied as they are.
"""

import re
from contextlib import suppress

import boostbench
from boostbench.errors import DataError
from boostbench.report.document.report import Report
from boostbench.report.render.formats import Renderer, register
from boostbench.report.render.latex import escape

_PROGRAM = f"""\
@misc{{boostbench,
  author = {{{{The boostbench developers}}}},
  title = {{{{boostbench}}}},
  note = {{Version {boostbench.__version__}}},
}}"""


def _render(report: Report) -> str:
    """Return the references, without those of data sets that have no card."""
    paper = report.results.paper
    parts = [f"% The paper, this program and the data sets of {report.name}."]
    if paper is not None:
        parts.append(paper.bibtex.strip() or _note(paper.key, paper.title, paper.authors))
    parts.append(_PROGRAM)
    for data in report.results.datasets:
        # A card may have been removed since.
        with suppress(DataError):
            card = report.results.catalog.card(data.card)
            text = card.bibtex or _note(card.name, card.title, card.citation)
            parts += [entry.strip() for entry in re.split("^(?=@)", text, flags=re.MULTILINE)]
    return "\n\n".join(filter(None, dict.fromkeys(parts))) + "\n"


def _note(key: str, title: str, note: str) -> str:
    fields = f"  title = {{{{{escape(title)}}}}},\n  note = {{{escape(note)}}},\n"
    return f"@misc{{{key.replace(':', '_')},\n{fields}}}"


register(Renderer("latex", ".bib", _render, stem="references"))
