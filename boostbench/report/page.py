"""The page: its contents for a results folder, in order, as plain data.

A page is a list of blocks, each of a ``kind`` for which a template has a macro; the purpose of an
experiment decides which of them are open. Text that all pages share is in the templates.
"""

import math
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from boostbench import numbers
from boostbench.config.loading import config_names
from boostbench.methods import get_method, method_names
from boostbench.papers.figures import FIGURES
from boostbench.papers.judge import ClaimReadings, FigureValue
from boostbench.papers.metrics import Metric
from boostbench.papers.results import Method
from boostbench.papers.roles import roles_at
from boostbench.report import answer
from boostbench.report.cards import TONES, card_key, cards
from boostbench.report.claims import JUDGED, Ledger
from boostbench.report.claimtable import by_verdict, claim_lines, value_text
from boostbench.report.document import Document, document
from boostbench.report.figures.charts import methods_charts, runs_chart
from boostbench.report.figures.rows import limit
from boostbench.report.figures.traces import colours, groups
from boostbench.report.results import Elsewhere, Results
from boostbench.report.table import Block, Item, Section, Table, block, make_table
from boostbench.report.tables import agreements, overview
from boostbench.report.winners import Standing, champions
from boostbench.report.words import cited, names_of, say, series, title_of
from boostbench.suggest import counted

Found = Mapping[str, Sequence[Standing]]
MOST_CHARTS = 4
"""The most data sets with a chart each; more are rows of one table."""
MORE = ["seeds_to_decide", "partitions_to_decide"]
MOST_COLUMNS = 6
"""The most printed columns with marks beside the numbers."""
_ABOVE = {"results", "claims"}
_ELSEWHERE = {"table": _ABOVE | {"agreement"}, "curves": _ABOVE, "runs": _ABOVE | {"itself"}}
"""The sections in the open part of a page; a first run is not about the paper itself."""


def make_page(
    results: Results,
    ledger: Ledger | None,
    text: Document | None = None,
    when: str = "",
    elsewhere: Elsewhere | None = None,
) -> Block:
    """Return the page of ``results`` with the tables of ``text`` in its closed parts.

    ``text`` is their report as text, ``when`` says when they ran, and ``elsewhere`` are undecided
    cells that other results decide.
    """
    kind, done = answer.purpose(results), (results.runs.status == "ok").any()
    text = text or document(results, ledger)
    intro, *warnings, source = text.remarks
    closed = [
        block("tables", each.key, each.title, tables=each.tables, notes=each.paragraphs)
        for each in text.sections
        if each.key not in _ELSEWHERE[kind]
    ]
    # An experiment on choices shows them first.
    first = [each for each in closed if each and each.key == "choices"]
    closed = [each for each in closed if each not in first]
    return Block(
        name=str(results.experiment.get("name") or "results"),
        title=text.title,
        intro=intro,
        warnings=warnings,
        answer=text.answer or answer.answer(results, ledger),
        stacks=list(_stacks(results, ledger, kind)),
        blocks=[*first, *filter(None, _open(results, ledger, kind, elsewhere))] if done else [],
        metric=results.metric,
        compares=results.compares,
        judges=bool(answer.judged_claims(ledger)),
        closed=[*_closed(results, text.sections, kind), *closed] if done else closed,
        footer=[*filter(None, (source, when))],
        names=names_of(results.methods),
    )


def _stacks(results: Results, ledger: Ledger | None, kind: str) -> Iterator[Block]:
    """Return the bars of counts below the answer: (tone, number, verdict) of each part."""
    cells, claims = answer.counted_cells(results), answer.judged_claims(ledger)
    for what, counts in (("printed cell", cells), ("judged claim", claims)):
        if counts and kind != "runs":
            parts = [(TONES[verdict], number, verdict) for verdict, number in counts.items()]
            yield Block(title=counted(sum(counts.values()), what), parts=parts)


def _open(
    results: Results, ledger: Ledger | None, kind: str, elsewhere: Elsewhere | None
) -> Iterator[Block | None]:
    """Return the open blocks in order: the experiment's purpose, claims, and the methods."""
    found = champions(results)
    few = kind == "runs" and len(found) <= MOST_CHARTS
    objective = _panels(results, "objective") if kind == "curves" else None
    if kind == "table":
        yield _matrix(results)
        yield _differences(results, elsewhere)
    elif kind == "curves":
        yield objective or _panels(results, "score")
    elif few and found:
        charts = [runs_chart(results, dataset, own) for dataset, own in found.items()]
        notes = say("runs", metric=results.metric.name, printed=results.compares)
        yield block("charts", "figure", "Who won", charts=charts, notes=notes)
    if kind == "runs":
        yield _numbers(results, found)
    yield _claims(results, ledger)
    if kind == "curves":
        yield block("tables", "ends", "Where each method ends", tables=[overview(results)])
    if not objective and not few and (charts := methods_charts(results)):
        yield block("charts", "methods", "The methods side by side", charts=charts)
    if kind == "runs" and found:
        dataset, own = list(found.items())[-1]
        yield _next(results, f"{dataset}/{own[0].method}")


def _next(results: Results, cell: str) -> Block:
    """Return what to do next, as commands that work as they are printed."""
    record = results.experiment
    name = str(record.get("name") or "")
    config = _without_folders(str(record.get("config") or name))
    # Results elsewhere than below ./results are not found by the experiment's name.
    of = _without_folders(str(record.get("results") or name))
    overrides = [str(override) for override in record.get("overrides") or []]
    is_shipped = config in config_names()
    if is_shipped:
        # Its file is not the user's to edit.
        kept = [text for text in overrides if not text.startswith(("name=", "results=", "seeds="))]
        overrides = [*kept, "name=mine", "seeds=1"]
    run = ["boostbench", "run", config]
    for key, equals, value in (text.partition("=") for text in overrides):
        run += ["--set", f"{key}{equals}{_without_folders(value)}"]
    return block(
        "steps", "next", "What to do next", shipped=is_shipped, run=shlex.join(run),
        show=shlex.join(["boostbench", "show", cell, "--in", of]),
        verify=shlex.join(["boostbench", "verify", of]),
        report=shlex.join(["boostbench", "report", of, "--format", "csv,figure"]),
        paper=cited(results.paper) if results.paper else "",
    )  # fmt: skip


def _without_folders(path: str) -> str:
    """Return the name of a file or folder that is given by a path of this machine."""
    return Path(path).name if path.startswith(("/", "~", "..")) else path


def _matrix(results: Results) -> Block:
    """Return measured beside printed values of the main readings; all marks share a scale."""
    cells, metric, names = results.only_cells, results.metric, names_of(results.methods)
    methods = [m.label for m in results.methods if cells.counts[cells.method == m.label].any()]
    own = cells[cells.method.isin(methods) & cells.published.notna()]
    end = limit(cells[cells.counts].difference)
    text = f"{metric.scale * end:g}".removeprefix("0")
    return block(
        "matrix",
        "table",
        f"Table {results.experiment['table']}: {metric.title}, measured beside printed",
        columns=[names[label] for label in methods],
        mean=[answer.averages(results).get(label, ("", "", "", False)) for label in methods],
        rows=[
            (data.label, [_cell(results, data.label, label, end) for label in methods])
            for data in results.datasets
            if data.label in set(own.dataset)
        ],
        ends=(f"{numbers.MINUS}{text}", "0", f"+{text}"),
        marked=len(methods) <= MOST_COLUMNS,
        notes=say("agreements", found=agreements(results), names=names, metric=metric),
    )


def _cell(results: Results, dataset: str, label: str, end: float) -> Block | None:
    cell, metric = results.cell(dataset, label), results.metric
    if cell is None or cell.published is None:
        return None
    mark = None
    if cell.margin is not None and cell.difference is not None:
        # As parts of the axis; no interval exceeds the highest possible mean.
        top = (metric.bounds[1] / metric.scale - cell.published) / end
        ends = [x / end for x in (cell.low, cell.high) if x is not None]
        mark = Block(top=top, interval=ends, at=cell.difference / end, margin=cell.margin / end)
    return Block(
        card=card_key(dataset, label),
        tone=TONES[cell.verdict],
        verdict=cell.verdict or "no result",
        measured=metric.text(cell.compared) or numbers.DASH,
        printed=metric.printed(cell.printed.value),
        away=metric.difference(cell.difference),
        mark=mark,
        note=f"{cell.finished:,} of {cell.planned:,} runs" if cell.finished < cell.planned else "",
    )


def _differences(results: Any, elsewhere: Elsewhere | None) -> Block | None:
    """Return the cells that differ from print, and why others are undecided."""
    names, own = names_of(results.methods), results.only_cells[results.only_cells.counts]
    differ, open_ = own[own.verdict == "differs"], own[own.verdict == "undecided"]
    if not len(differ) and not len(open_):
        return None
    end = limit(differ.difference)
    title = f"{counted(len(differ), 'cell')} {answer.verb('differs', len(differ))}, on "
    title = title + series(dict.fromkeys(differ.dataset)) if len(differ) else "No cell differs"
    return block(
        "differences", "differs", title,
        rows=[(each.dataset, names[each.method], _cell(results, each.dataset, each.method, end))
              for each in differ.itertuples()],
        aside=f"Why {len(open_)} {answer.verb('undecided', len(open_))}",
        why=say("undecided", total=len(open_), never=int((open_.because != "").sum()),
                near=int((open_.difference.abs() <= open_.margin).sum()),
                more=int(open_[MORE].notna().any(axis=1).sum()), elsewhere=elsewhere),
    )  # fmt: skip


def _claims(results: Results, ledger: Ledger | None) -> Block | None:
    """Return the judged claims by verdict, not reproduced first; None if there are none."""
    counts = answer.judged_claims(ledger)
    if ledger is None or not counts:
        return None
    total, (first, number) = sum(counts.values()), next(iter(counts.items()))
    title = f"{number:,} of {counted(total, 'claim')} {answer.verb(first, number)}"
    words = {name: title_of(name) for name in method_names()}
    names, roles = names_of(results.methods), roles_at(ledger.paper, results.methods, None)
    words |= {role: names[method.label] for role, method in roles.items()}
    groups = [
        Block(
            key=f"claims-{ruling.value.replace(' ', '-')}",
            title=ruling.value.capitalize(),
            tone=TONES[ruling],
            claims=[_view(entry, results.metric, words) for entry in own],
        )
        for ruling, own in by_verdict(ledger.entries).items()
        if ruling in JUDGED
    ]
    return block("claims", "claims", title, whole=len(ledger.entries), total=total, groups=groups,
                 depths=answer.at_one_depth(ledger))  # fmt: skip


def _view(entry: ClaimReadings, metric: Metric, words: Mapping[str, str]) -> Block:
    """Return a claim in two lines, the ``bar`` beside them, and its details."""
    claim, first = entry.claim, entry.judged.shown[0]
    return Block(
        id=claim.id,
        quote=claim.text,
        meta=f"{_named(first.title, words)} · {claim.where}",
        stated=claim.stated,
        measured=value_text(first, metric).replace("× ", "×"),
        bar=_bar(first, claim.stated),
        lines=[_named(line, words) for line in claim_lines(entry, metric)[2:]],
    )


def _named(text: str, words: Mapping[str, str]) -> str:
    """Return ``text`` with roles replaced by the names of their methods."""
    return re.sub(r"\b\w+\b", lambda found: words.get(found[0], found[0]), text)


def _bar(one: FigureValue, stated: str) -> Block | None:
    """Return the first figure on an axis from the least to the largest of its known values."""
    _, point, low, high = one.rows[0]
    if len(one.depths) > 1 or one.unit == "truth":
        return None
    if len(point) > 1:
        low, point, high = ([found(point)] for found in (np.min, np.median, np.max))
    even = [] if FIGURES[one.call.figure].even is None else [FIGURES[one.call.figure].even]
    numeric = one.unit in ("percent", "count", "ratio", "seconds")
    quoted = re.findall(r"(?<![\w.])\d+(?:\.\d+)?", stated)[: 3 * numeric]
    known = np.array([point[0], low[0], high[0], *map(float, quoted), *even])
    if one.unit == "ratio" and known[np.isfinite(known)].min() > 0:
        with np.errstate(divide="ignore"):
            known = np.log(np.maximum(known, 0.0))
    finite = known[np.isfinite(known)]
    if not np.isfinite(known[0]) or np.ptp(finite) < 1e-12:
        return None
    at, *ends = np.nan_to_num((known - finite.min()) / np.ptp(finite)).clip(0, 1)
    return Block(
        stated=ends[2 : 2 + len(quoted)],
        even=ends[-1] if even else None,
        label=f"{'×' if one.unit == 'ratio' else ''}{even[0]:g}" if even else "",
        interval=ends[:2] if low[0] != high[0] else None,
        at=at,
    )


def _numbers(results: Results, found: Found) -> Block | None:
    """Return the means, their distances from the best, and descriptions of the methods."""
    if not any(len(own) > 1 for own in found.values()):
        return None
    few = len(found) <= MOST_CHARTS
    tables = [_standing(results, dataset, own) for dataset, own in found.items()]
    notes = say("standing", same_rows=results.on_same_test_rows) if few else ()
    return block(
        "tables", "numbers", "The numbers, and how sure they are",
        tables=tables if few else [overview(results)], notes=notes,
        glossary=[(names_of(results.methods)[method.label], _described(method))
                  for method in results.methods],
    )  # fmt: skip


def _described(method: Method) -> str:
    known = method.registered in method_names()
    text = get_method(method.registered).description if known else method.estimator
    return text.replace(" l2", " ℓ₂")


def _standing(results: Results, dataset: str, own: Sequence[Standing]) -> Table:
    names, metric, rows = names_of(results.methods), results.metric, []
    done = {each.method: each for each in own}
    for label in dict.fromkeys([*done, *names]):
        cell, each, away = results.cell(dataset, label), done.get(label), Item(numbers.DASH)
        if cell is None:
            continue
        if each and math.isfinite(each.low):
            ends = f"[{metric.text(each.low)}, {metric.text(each.high)}]"
            away = Item(metric.text(each.behind), note=ends)
        elif each and each.best:
            away = Item("best", tone="best")
        # If no run has a result, the card says why.
        text = metric.text(each.mean) if each else "no result"
        mean = Item(text, note=cell.fewer, runs=(dataset, label))
        printed = metric.printed(cell.printed.value) if cell.counts else ""
        verdict = cell.verdict if cell.counts or cell.not_comparable else ""
        beside = Item(printed, note=verdict, tone=verdict)
        title = f"mean {metric.label.removeprefix('Test ')}"
        row = {"method": names[label], title: mean, "behind the best": away,
               "p, adjusted": numbers.p(each.p) if each else "", "printed": beside}  # fmt: skip
        rows.append(row)
    return make_table(f"numbers-{dataset}", dataset, rows, ("method",))


def _panels(results: Results, kind: str) -> Block | None:
    """Return the panels of curves, of the objective or the score, None if there are none."""
    names, found = names_of(results.methods), groups(results.convergence, kind)
    if not found:
        return None
    quantity = next(iter(found.values()))[0].quantity
    table = results.experiment.get("table") or "Learning curves"
    title = f"{table}: {quantity} by {series(found)}"
    return block(
        "panels", "figure", (kind == "objective" and answer.sooner(results)) or title,
        groups=found, curve=kind, quantity=quantity, notes=say(kind, words=quantity),
        legend=[(colour, names[label]) for label, colour in colours(results).items()],
    )  # fmt: skip


def _closed(results: Results, sections: Sequence[Section], kind: str) -> Iterator[Block]:
    """Return the closed parts with cells, claims and curves."""
    shown = _panels(results, "score") if results.recorded_curves else None
    if shown and (kind != "curves" or groups(results.convergence, "objective")):
        shown.key, shown.title = "scores", f"The {shown.quantity} along the way"
        yield shown
    for table in (table for each in sections if each.key == "claims" for table in each.tables):
        if kind != "runs":
            yield block("tables", table.key, table.title, tables=[table])
    every = cards(results)
    yield block("cards", "cells", "Every cell in full", counted(len(every), "cell"), cards=every)
