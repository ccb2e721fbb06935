"""The page: what it shows of a results folder, and in which order, as plain data.

There are three kinds of it: of a printed table, of a printed figure of curves, and of a first run.
A page is a list of blocks, each of a ``kind`` for which a template has a macro; what is the same on
every page stands in the templates.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import SimpleNamespace as Block
from typing import Any

from boostbench.report.answer import IN_SENTENCES, answer, counted_cells, judged_claims, purpose
from boostbench.report.cards import TONES, cards
from boostbench.report.claimtable import unjudged
from boostbench.report.curvepage import blocks_of_curves, score_block
from boostbench.report.document import intro, warnings
from boostbench.report.firstpage import blocks_of_runs
from boostbench.report.judged import TONES as RULING_TONES
from boostbench.report.printedpage import MOST_COLUMNS, blocks_of_table, matrix
from boostbench.report.table import Section, make_table
from boostbench.report.words import names_of, plural
from boostbench.suggest import counted

_BLOCKS = {"table": blocks_of_table, "curves": blocks_of_curves, "runs": blocks_of_runs}
_ABOVE = {"results", "claims"}
_ELSEWHERE = {"table": _ABOVE, "curves": _ABOVE, "runs": _ABOVE | {"itself"}}
"""The sections that the open part of a page has; a first run is not about the paper itself."""
LEAST_CLAIMS = 5
"""Fewer judged claims than these need no bar."""


def make_page(
    results: Any, ledger: Any, sections: Sequence[Section] = (), footer: Sequence[str] = ()
) -> Block:
    """Return the page of ``results`` with the tables of ``sections`` in its closed parts."""
    names, kind = names_of(results.methods), purpose(results)
    name = str(results.experiment.get("name") or "results")
    done = (results.runs.status == "ok").any()
    blocks = _BLOCKS[kind](results, ledger, names) if done else []
    shown = [each for each in sections if each.key not in _ELSEWHERE[kind]]
    return Block(
        name=name,
        title=str(results.experiment.get("title") or name),
        intro=intro(results),
        warnings=warnings(results),
        answer=answer(results, ledger),
        stacks=list(_stacks(results, ledger, kind)),
        blocks=[block for block in blocks if block is not None],
        reading=done,
        metric=results.metric,
        compares=results.compares,
        judges=any(judged_claims(ledger).values()),
        closed=[
            *(_closed(results, ledger, kind, names) if done else ()),
            *(
                _part(each.key, each.title, paragraphs=each.paragraphs, tables=each.tables)
                for each in shown
            ),
        ],
        footer=footer,
        names=names,
    )


def _part(key: str, title: str, hint: str = "", **content: Any) -> Block:
    """Return a part of the page that is closed at first."""
    empty = dict.fromkeys(("paragraphs", "tables", "blocks", "cards"), ())
    return Block(key=key, title=title, hint=hint, **{**empty, **content})


def _stacks(results: Any, ledger: Any, kind: str) -> Iterator[Block]:
    """Return the bars of counts below the answer: (tone, number, word) of each part."""
    cells, claims = counted_cells(results), judged_claims(ledger)
    total = sum(claims.values())
    if kind == "table":
        words = {"agrees": "agree", "differs": "differ", "undecided": "undecided"}
        parts = [(TONES[v], number, words[v]) for v, number in cells.items() if number]
        yield Block(title=counted(sum(cells.values()), "printed cell"), parts=parts)
    if total >= LEAST_CLAIMS and kind != "runs":
        parts = [(RULING_TONES[r], claims[r], r.value) for r in IN_SENTENCES if claims[r]]
        title = f"{counted(total, 'claim')} judged, of {len(ledger.entries):,}"
        yield Block(title=title, parts=parts)


def _closed(results: Any, ledger: Any, kind: str, names: Mapping[str, str]) -> Iterator[Block]:
    """Return the closed parts that are made of cells, claims and curves."""
    cells = results.only_cells
    printed, counts = set(cells.method[cells.published.notna()]), set(cells.method[cells.counts])
    others = [label for label in names if label in printed - counts]
    for place in range(0, len(others) if kind == "table" else 0, MOST_COLUMNS):
        block = matrix(results, names, others[place : place + MOST_COLUMNS], "variants", "Variants")
        hint = f"{plural(len(others), 'other reading')}, not counted above"
        yield _part(f"variants-{place}", "Variants of the methods, cell by cell", hint,
                    blocks=[block])  # fmt: skip
    if len(results.curves):
        curves = results.convergence
        scores = score_block(curves, names) if kind != "curves" or curves.excess else None
        if scores is not None:
            title = f"The {scores.groups[0].quantity} along the way"
            yield _part("scores", title, "by iterations and by seconds", blocks=[scores])
    rest = unjudged(ledger) if kind != "runs" else []
    if rest:
        count = len(ledger.entries) - sum(judged_claims(ledger).values())
        table = make_table("not-judged", "", rest, ("why", "which"))
        yield _part("not-judged", "Claims that are not judged here",
                    f"{count:,} of {len(ledger.entries):,}", tables=[table])  # fmt: skip
    every = cards(results, names)
    hint = f"{plural(len(every), 'cell')} with {'its' if len(every) == 1 else 'their'} runs"
    yield _part("cells", "Every cell in full", hint, cards=every)
