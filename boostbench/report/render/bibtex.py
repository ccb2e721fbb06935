"""The references of an experiment as BibTeX: the paper, this program, the data sets used.

Data sets are cited as their cards say. An entry has the fields that are written there: nothing is
added to them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import boostbench
from boostbench.data.cards import load_card
from boostbench.errors import DataError
from boostbench.papers import Paper
from boostbench.papers.results import Dataset
from boostbench.report.render.latextext import escape

FILE = "references.bib"
_HEAD = "% The paper, this program and the data sets of {name}.\n"
# A. Author, B. Author (1994). Title. Where.
_DATED = re.compile(
    r"(?P<authors>[^()]+) \((?P<year>\d{4})\)\. (?P<title>[^.]+)\.(?: (?P<where>.+))?"
)
# A. Author, Title, where[, 1996] or where (1996)
_LISTED = re.compile(
    r"(?P<authors>(?:[A-Z]\.[ -]?)+[A-Z][\w' -]*?(?: et al\.)?), (?P<title>[^,]+), (?P<where>.+)"
)
_YEAR = re.compile(r"\(?\b((?:19|20)\d\d)\b\)?")
_NOT_TITLES = {"UCI Machine Learning Repository"}


@dataclass(frozen=True)
class Entry:
    """An entry: its kind, its key, its fields in order, and the data sets that it is of."""

    kind: str
    key: str
    fields: Mapping[str, str]
    of: Sequence[str] = ()

    def text(self) -> str:
        """Return the entry as BibTeX."""
        lines = [f"% data: {', '.join(self.of)}"] if self.of else []
        lines.append(f"@{self.kind}{{{self.key},")
        lines += [f"  {name} = {{{value}}}," for name, value in self.fields.items() if value]
        return "\n".join([*lines, "}\n"])


def render(name: str, paper: Paper | None, datasets: Sequence[Dataset]) -> str:
    """Return the file for the experiment ``name``; a data set without a card is not in it."""
    found = [_paper(paper)] if paper is not None else []
    found += [_program(), *_data(datasets)]
    return "\n".join([_HEAD.format(name=name), *(entry.text() for entry in found)])


def _paper(paper: Paper) -> Entry:
    # Such as "European Journal of Operational Research 328(2), 607-619, 2026".
    year = (_YEAR.findall(paper.journal) or [""])[-1]
    where = _YEAR.sub("", paper.journal).strip(" ,") if year else paper.journal
    volume = re.fullmatch(r"(\D+?) (\d+)(?:\((\d+)\))?(?:, (\d+)-(\d+))?", where)
    meeting = re.search(r"\b(Conference|Symposium|Workshop|Proceedings)\b", where)
    fields = {"author": _authors(paper.authors), "title": _title(paper.title)}
    if meeting:
        fields["booktitle"] = escape(where)
    elif volume:
        journal, number, issue, first, last = volume.groups()
        fields |= {"journal": escape(journal), "volume": number, "number": issue or ""}
        fields["pages"] = f"{first}--{last}" if first else ""
    else:
        fields["journal"] = escape(where)
    fields |= {"year": year, "doi": paper.doi}
    if paper.arxiv:
        fields |= {"eprint": paper.arxiv, "archiveprefix": "arXiv"}
    return Entry("inproceedings" if meeting else "article", _key(fields), fields)


def _program() -> Entry:
    return Entry(
        "misc",
        "boostbench",
        {
            "author": "{The boostbench developers}",
            "title": "{boostbench}",
            "note": f"Version {boostbench.__version__}",
        },
    )


def _data(datasets: Sequence[Dataset]) -> list[Entry]:
    """Return the sources that the cards of ``datasets`` cite, each once."""
    found: dict[str, tuple[Entry, list[str]]] = {}
    for data in datasets:
        if not data.card:
            continue
        try:
            card = load_card(data.card)
        except DataError:
            continue
        for citation in card.citation.split("; "):
            entry = _cited(citation, card.title, card.name)
            _, labels = found.setdefault(citation.rstrip("."), (entry, []))
            labels.append(data.label)
    taken: set[str] = {"boostbench"}
    entries = []
    for entry, labels in found.values():
        key, count = entry.key, 2
        while key in taken:
            key, count = f"{entry.key}_{count}", count + 1
        taken.add(key)
        entries.append(Entry(entry.kind, key, entry.fields, labels))
    return entries


def _cited(citation: str, title: str, name: str) -> Entry:
    """Return a citation of a card as an entry, whole as a note where it has another form."""
    text = citation.strip()
    dated, listed = _DATED.fullmatch(text), _LISTED.fullmatch(text)
    if dated is not None:
        printed, where = dated["title"], (dated["where"] or "").rstrip(".")
        if printed in _NOT_TITLES:
            printed, where = title, printed
        fields = {"author": _authors(dated["authors"]), "title": _title(printed)}
        fields |= {"howpublished": escape(where), "year": dated["year"]}
    elif listed is not None:
        where = listed["where"].rstrip(".")
        year = (_YEAR.findall(where) or [""])[-1]
        where = _YEAR.sub("", where).strip(" ,") if year else where
        fields = {"author": _authors(listed["authors"]), "title": _title(listed["title"])}
        fields |= {"howpublished": escape(where), "year": year}
    else:
        return Entry("misc", name, {"title": _title(title), "note": escape(text)})
    return Entry("misc", _key(fields), fields)


def _authors(text: str) -> str:
    """Return "A. B, C. D et al." as BibTeX separates names."""
    others = text.endswith(" et al.")
    names = [escape(name) for name in text.removesuffix(" et al.").split(", ")]
    return " and ".join([*names, *(["others"] if others else [])])


def _title(text: str) -> str:
    # Braces keep the capitals.
    return f"{{{escape(text)}}}"


def _key(fields: Mapping[str, str]) -> str:
    """Return the usual key: last name of the first author, year, first long word of the title."""
    last = fields["author"].split(" and ")[0].split(" ")[-1]
    words = [word for word in re.findall(r"[A-Za-z]+", fields["title"]) if len(word) > 3]
    parts = [last, fields.get("year", ""), *words[:1]]
    return re.sub(r"[^a-z0-9]", "", "".join(parts).lower())
