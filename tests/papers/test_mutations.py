"""Single mistakes in the shipped folders: ``check --paper`` finds each, or it is listed why not."""

import csv
import io
import re
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from boostbench.data.cards import read_card
from boostbench.papers import folder_of
from boostbench.papers.check import check_paper, literally
from boostbench.papers.claims import read_claims
from boostbench.papers.paper import read_paper
from boostbench.yamltree import read_yaml

PAPERS = ("srt", "multiboost")
FILES = ("paper.yaml", "tables.csv", "datasets.csv", "claims.csv")


class Mutation(NamedTuple):
    """A mistake: its file, the kind of its place (a key or a column), the words, the new text."""

    paper: str
    file: str
    place: str
    what: str
    text: str


def misspelt(word: str) -> str:
    """Return a word with two neighbouring letters exchanged, or one left out."""
    for i in range(len(word) // 2, len(word) - 1):
        if word[i] != word[i + 1] and word[i : i + 2].isalpha():
            return word[:i] + word[i + 1] + word[i] + word[i + 2 :]
    return word[:-1] if len(word) > 2 and word.isalpha() else f"{word}x"


def of_yaml(paper: str, text: str) -> Iterator[Mutation]:
    """Yield a mistake in each key, and in each value, of each kind once."""
    document = read_yaml(folder_of(paper) / "paper.yaml")
    lines, seen = text.splitlines(keepends=True), set[tuple[str, str]]()
    for path, places in document.places.items():
        # What the user names, such as methods, is one kind of key.
        kind = ".".join(
            "*" if i and path[0] not in ("design",) else str(step) for i, step in enumerate(path)
        )
        for what, place in zip(("key", "value"), places, strict=True):
            line, column = (int(each) - 1 for each in place.rsplit(":", 2)[1:])
            word = re.match(r"[\w.\-]+", lines[line][column:])
            if not path or word is None or (kind, what) in seen:
                continue
            seen.add((kind, what))
            old = word[0]
            new = str(int(old) + 1) if old.isdecimal() else misspelt(old)
            changed = lines[line][:column] + new + lines[line][column + len(old) :]
            yield Mutation(
                paper,
                "paper.yaml",
                f"{kind} ({what})",
                f"{old} -> {new}",
                "".join([*lines[:line], changed, *lines[line + 1 :]]),
            )


def of_csv(paper: str, file: str, text: str) -> Iterator[Mutation]:
    """Yield a mistake in each column's name, and in one of its cells."""
    rows = list(csv.reader(io.StringIO(text)))
    for column, name in enumerate(rows[0]):
        for row in (0, next((i for i, own in enumerate(rows) if i > 3 and own[column]), None)):
            if row is None or (row and file == "claims.csv" and name in EXPRESSIONS):
                continue
            old = rows[row][column]
            new = f"{old}1" if old.replace(".", "").isdecimal() else misspelt(old)
            what = f"{old[:40]} -> {new[:40]}"
            place = "header" if row == 0 else name
            yield Mutation(paper, file, place, what, changed(rows, row, column, new))


EXPRESSIONS = ("figures", "reproduced_if", "weaker_if", "not_reproduced_if", "literally")


def of_expressions(paper: str, text: str) -> Iterator[Mutation]:
    """Yield a mistake in each word of the language of claims, and in bounds."""
    rows, seen = list(csv.reader(io.StringIO(text))), set[tuple[str, str]]()
    for row, own in enumerate(rows[1:], 1):
        cells = {name: own[rows[0].index(name)] for name in EXPRESSIONS if name in rows[0]}
        for name, cell in cells.items():
            for kind, old, new, start in _slips(cell):
                what = _what(name, kind, old)
                if what not in seen:
                    seen.add(what)
                    mistaken = cell[:start] + new + cell[start + len(old) :]
                    place = f"{name}: {kind}"
                    column = rows[0].index(name)
                    yield Mutation(
                        paper,
                        "claims.csv",
                        place,
                        f"{old} -> {new}",
                        changed(rows, row, column, mistaken),
                    )
        weaker, first = cells["weaker_if"], cells["reproduced_if"]
        if weaker and weaker != first and ("bounds", "changed places") not in seen:
            seen.add(("bounds", "changed places"))
            swapped = [*own]
            swapped[rows[0].index("weaker_if")], swapped[rows[0].index("reproduced_if")] = (
                first,
                weaker,
            )
            yield Mutation(
                paper,
                "claims.csv",
                "bounds",
                "changed places",
                written([*rows[:row], swapped, *rows[row + 1 :]]),
            )


def _what(column: str, kind: str, old: str) -> tuple[str, str]:
    """Return what a mistake is an example of: one name is as good as another."""
    return kind, column if kind in ("name", "bracket", "range") else old


def _slips(cell: str) -> Iterator[tuple[str, str, str, int]]:
    """Yield (kind, old, new, start) of mistakes in an expression."""
    for word in re.finditer(r"[A-Za-z_]\w*", cell):
        if word[0] not in ("and", "or", "not"):
            after = cell[word.end() : word.end() + 1]
            kind = {"(": "function", "=": "option"}.get(after, "name")
            yield kind, word[0], misspelt(word[0]), word.start()
    for chain in re.finditer(r"(-?[\d./]+) (<=?) (\w+|\w+\(.*?\)) (<=?) (-?[\d./]+)", cell):
        low, less, middle, also, high = chain.groups()
        yield "range", chain[0], f"{high} {less} {middle} {also} {low}", chain.start()
    for sign in re.finditer(r"[<>]=?|==", cell):
        yield "sign", sign[0], "=" if sign[0] == "==" else f"={sign[0]}", sign.start()
    for bracket in re.finditer(r"[()]", cell):
        yield "bracket", bracket[0], "", bracket.start()


def shortened(text: str) -> str:
    """Return the claims without those in which every mistake is one of an earlier claim too."""
    rows, seen, kept = list(csv.reader(io.StringIO(text))), set[tuple[str, str]](), []
    for own in rows[1:]:
        cells = {name: cell for name, cell in zip(rows[0], own, strict=True) if name in EXPRESSIONS}
        kinds = {_what(name, kind, old) for name in cells for kind, old, *_ in _slips(cells[name])}
        if cells["weaker_if"] and cells["weaker_if"] != cells["reproduced_if"]:
            kinds.add(("bounds", "changed places"))
        kinds |= {(name, "is filled") for name, cell in zip(rows[0], own, strict=True) if cell}
        if kinds - seen:
            kept.append(own)
            seen |= kinds
    return written([rows[0], *kept])


def text_of(paper: str, file: str) -> str:
    """Return a file of a paper, "" without it; of many alike claims it has only the first."""
    path = folder_of(paper) / file
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    return shortened(text) if file == "claims.csv" else text


def changed(rows: list[list[str]], row: int, column: int, new: str) -> str:
    own = [*rows[row][:column], new, *rows[row][column + 1 :]]
    return written([*rows[:row], own, *rows[row + 1 :]])


def written(rows: list[list[str]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


@cache
def mutations() -> list[Mutation]:
    """Return the mistakes, those in tables and claims in one of the papers only."""
    found: dict[tuple[str, ...], Mutation] = {}
    for paper in PAPERS:
        for file in FILES:
            text = text_of(paper, file)
            made = [] if file == "paper.yaml" else [*of_csv(paper, file, text)] if text else []
            if file == "paper.yaml":
                made = [*of_yaml(paper, text)]
            if file == "claims.csv":
                made += of_expressions(paper, text)
            for one in made:
                own = (one.what,) if one.place == "header" or ": " in one.place else ()
                found.setdefault((file, one.place, *own), one)
    return [*found.values()]


FOR_READERS = "words for readers, which nothing else tells"
AS_PRINTED = "a number of the paper; only a sentence that is tried on it tells whether it is right"
MAY_PASS = {
    ("paper.yaml", "title (value)"): FOR_READERS,
    ("paper.yaml", "authors (value)"): FOR_READERS,
    ("paper.yaml", "journal (value)"): FOR_READERS,
    ("paper.yaml", "version_read (value)"): FOR_READERS,
    ("paper.yaml", "doi (value)"): FOR_READERS,
    ("paper.yaml", "captions.* (value)"): FOR_READERS,
    ("paper.yaml", "choices.* (value)"): FOR_READERS,
    ("paper.yaml", "other_methods.* (value)"): FOR_READERS,
    ("paper.yaml", "printed_names.* (value)"): FOR_READERS,
    ("paper.yaml", "titles.* (key)"): "the label of a method of an experiment is free",
    ("paper.yaml", "readings (value)"): "the name of a reading is free",
    ("paper.yaml", "readings.* (key)"): "the name of a reading is free",
    ("paper.yaml", "implementations (value)"): "the name of an implementation is free",
    ("paper.yaml", "implementations.* (key)"): "the name of an implementation is free",
    ("paper.yaml", "runs (value)"): AS_PRINTED,
    ("paper.yaml", "rounds (value)"): AS_PRINTED,
    ("paper.yaml", "design.folds (value)"): AS_PRINTED,
    ("paper.yaml", "design.seeds (value)"): AS_PRINTED,
    (
        "paper.yaml",
        "roles.*.*.* (key)",
    ): "a value that the estimator refuses only when it is fitted",
    ("paper.yaml", "roles.*.*.* (value)"): "as the one before: an item of a list has two places",
    ("tables.csv", "r2_mean"): AS_PRINTED,
    ("tables.csv", "r2_sd"): AS_PRINTED,
    ("tables.csv", "time_s"): AS_PRINTED,
    ("tables.csv", "gain_percent"): AS_PRINTED,
    ("tables.csv", "saving_percent"): AS_PRINTED,
    ("datasets.csv", "title"): FOR_READERS,
    ("datasets.csv", "division"): FOR_READERS,
    ("datasets.csv", "remark"): FOR_READERS,
    ("datasets.csv", "n_features"): "papers count the columns otherwise than cards",
    ("datasets.csv", "n_classes"): "no card says how many classes there are",
    ("datasets.csv", "per_class"): AS_PRINTED,
    ("claims.csv", "id"): "any id that no other claim has",
    ("claims.csv", "where"): FOR_READERS,
    ("claims.csv", "text"): FOR_READERS,
    ("claims.csv", "stated"): FOR_READERS,
    ("claims.csv", "own_value"): FOR_READERS,
    ("claims.csv", "reason"): FOR_READERS,
    ("claims.csv", "note"): FOR_READERS,
}
"""The places of mistakes that may pass, and why."""


def contradicted(folder: Path) -> set[str]:
    paper = read_paper(folder)
    return {one.claim.id for one in literally(paper, read_claims(paper)) if not one.truth.maybe}


def passes(mutation: Mutation, folder: Path, contradicted_before: set[str]) -> bool:
    """Return whether nothing is said of a mistake."""
    (folder / mutation.file).write_text(mutation.text, encoding="utf-8")
    if check_paper(folder):
        return False
    if mutation.file == "paper.yaml" or mutation.paper == "multiboost":
        return True
    return contradicted(folder) == contradicted_before


@pytest.fixture
def cards_once(monkeypatch) -> None:
    """Read each card once, not for each mistake."""
    monkeypatch.setattr("boostbench.data.cards.read_card", _read_card)


_read_card = cache(read_card)


@pytest.mark.parametrize(("paper", "file"), sorted({(one.paper, one.file) for one in mutations()}))
def test_a_single_mistake_is_found(tmp_path, cards_once, paper: str, file: str) -> None:
    folder = tmp_path / paper
    shutil.copytree(folder_of(paper), folder)
    (folder / "claims.csv").write_text(text_of(paper, "claims.csv"), encoding="utf-8")
    assert check_paper(folder) == []
    before = contradicted(folder)
    silent = []
    for one in mutations():
        if (one.paper, one.file) != (paper, file):
            continue
        if passes(one, folder, before) and (file, one.place) not in MAY_PASS:
            silent.append(f"{one.place}: {one.what}")
        (folder / file).write_text(text_of(paper, file), encoding="utf-8")
    assert silent == []


def test_there_are_mistakes_of_all_kinds() -> None:
    places = {(one.file, one.place) for one in mutations()}
    assert places >= MAY_PASS.keys()
    assert len(places) > 3 * len(MAY_PASS)
    for place in (
        ("paper.yaml", "design.scale_features (value)"), ("paper.yaml", "columns.* (key)"),
        ("paper.yaml", "roles.*.* (key)"), ("tables.csv", "method"), ("datasets.csv", "targets"),
        ("claims.csv", "bounds"), ("claims.csv", "figures: option"),
        ("claims.csv", "reproduced_if: range"),
    ):  # fmt: skip
        assert place in places, place
