"""The references of an experiment as BibTeX: the paper, this program, the data sets used.

Papers and cards have their own entries, which are copied as they are.
"""

import re
from collections.abc import Sequence
from contextlib import suppress

import boostbench
from boostbench.data.catalog import Catalog
from boostbench.errors import DataError
from boostbench.papers import Paper
from boostbench.papers.planned import PlannedDataset
from boostbench.report.render.latex import escape

FILE = "references.bib"
_PROGRAM = f"""\
@misc{{boostbench,
  author = {{{{The boostbench developers}}}},
  title = {{{{boostbench}}}},
  note = {{Version {boostbench.__version__}}},
}}"""


def render(
    name: str, paper: Paper | None, datasets: Sequence[PlannedDataset], catalog: Catalog
) -> str:
    """Return the file for the experiment ``name``, without data sets that have no card."""
    parts = [f"% The paper, this program and the data sets of {name}."]
    if paper is not None:
        parts.append(paper.bibtex.strip() or _note(paper.key, paper.title, paper.authors))
    parts.append(_PROGRAM)
    for data in datasets:
        # A card may have been removed since.
        with suppress(DataError):
            card = catalog.card(data.card)
            text = card.bibtex or _note(card.name, card.title, card.citation)
            parts += [entry.strip() for entry in re.split("^(?=@)", text, flags=re.MULTILINE)]
    return "\n\n".join(filter(None, dict.fromkeys(parts))) + "\n"


def _note(key: str, title: str, note: str) -> str:
    fields = f"  title = {{{{{escape(title)}}}}},\n  note = {{{escape(note)}}},\n"
    return f"@misc{{{key.replace(':', '_')},\n{fields}}}"
