"""The references of an experiment as BibTeX: the paper, this program, the data sets used.

Papers and cards have their own entries, which are copied as they are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import boostbench
from boostbench.data.cards import load_card
from boostbench.errors import DataError
from boostbench.papers import Paper
from boostbench.papers.results import Dataset
from boostbench.report.render.latex import escape

FILE = "references.bib"
_PROGRAM = f"""\
@misc{{boostbench,
  author = {{{{The boostbench developers}}}},
  title = {{{{boostbench}}}},
  note = {{Version {boostbench.__version__}}},
}}"""


def render(name: str, paper: Paper | None, datasets: Sequence[Dataset]) -> str:
    """Return the file for the experiment ``name``; a data set without a card is not in it."""
    found: dict[str, list[str]] = {}
    for data in datasets:
        for entry in _entries(data.card) if data.card else ():
            found.setdefault(entry, []).append(data.label)
    parts = [f"% The paper, this program and the data sets of {name}."]
    if paper is not None:
        parts.append(paper.bibtex.strip() or _note(paper.key, paper.title, paper.authors))
    parts.append(_PROGRAM)
    parts += [f"% data: {', '.join(labels)}\n{entry}" for entry, labels in found.items()]
    return "\n\n".join(parts) + "\n"


def _entries(name: str) -> list[str]:
    """Return the entries of a card, of one without them its citation as a note."""
    try:
        card = load_card(name)
    except DataError:
        return []
    text = card.bibtex or _note(card.name, card.title, card.citation)
    return [entry.strip() for entry in re.split("^(?=@)", text, flags=re.MULTILINE) if entry]


def _note(key: str, title: str, note: str) -> str:
    fields = f"  title = {{{{{escape(title)}}}}},\n  note = {{{escape(note)}}},\n"
    return f"@misc{{{key.replace(':', '_')},\n{fields}}}"
