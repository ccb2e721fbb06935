"""The answer: the sentences with which the page and the terminal begin."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from boostbench.papers.judge import Ruling
from boostbench.report.averages import less
from boostbench.report.cell import DECIDED_OR_NOT, Cell, CellVerdict, RemarkKind, missing_text
from boostbench.report.claims import JUDGED, Ledger
from boostbench.report.curves import TOLERANCE
from boostbench.report.results import Results
from boostbench.report.runs import NO_SCORE
from boostbench.report.winners import ONE_SPLIT, certainty
from boostbench.report.words import names_of, say, series, times
from boostbench.suggest import counted

MOST_GAPS = 4
"""The most groups of methods without a score that are named one by one."""


def purpose(results: Results) -> str:
    """Return the purpose of an experiment.

    Parameters
    ----------
    results : Results
        The runs and cells of a results folder.

    Returns
    -------
    str
        ``table`` (of a paper), ``curves`` (a figure of one) or ``runs`` (neither).
    """
    wanted, paper = results.experiment.get("table"), results.paper
    if paper is None or not wanted:
        return "runs"
    if wanted in paper.figures:
        return "curves" if results.recorded_curves else "runs"
    return "table" if results.counted_cells else "runs"


def answer(results: Results, ledger: Ledger | None) -> list[str]:
    """Return the result in sentences, the answer first.

    Parameters
    ----------
    results : Results
        The runs and cells of a results folder.
    ledger : Ledger or None
        The paper's claims as judged on them.

    Returns
    -------
    list of str
        Plain text; what follows the first one says how sure it is, or gives the averages.
    """
    gaps = without_score(results)
    if not (results.runs.status == "ok").any():
        return gaps or ["No run has finished yet."]
    kind, claims = purpose(results), _sentence("claim", " judged", judged_claims(ledger))
    claims = f"{claims} {at_one_depth(ledger)}".strip()
    if kind == "table":
        return [f"{cells_sentence(results)} {claims}".strip(), *_averages(results), *gaps]
    finding = who_converges_first(results) if kind == "curves" else ""
    first, *rest = [f"{finding}."] if finding else winners(results)
    return [f"{claims} {first}".strip() if kind == "curves" else first, *rest, *gaps]


def cells_by_verdict(results: Results) -> dict[CellVerdict, int]:
    """Return how many cells with a printed value have each verdict."""
    counts = Counter(cell.verdict for cell in results.counted_cells)
    return {verdict: counts[verdict] for verdict in DECIDED_OR_NOT if counts[verdict]}


def judged_claims(ledger: Ledger | None) -> dict[Ruling, int]:
    """Return how many claims have each of the verdicts :data:`JUDGED`, not reproduced first."""
    counts = ledger.counts() if ledger else {}
    return {ruling: counts[ruling] for ruling in JUDGED if counts.get(ruling)}


def at_one_depth(ledger: Ledger | None) -> str:
    """Return how many claims are undecided for want of trees of another depth, in a sentence."""
    number = sum(entry.judged.lacks_depths for entry in ledger.entries) if ledger else 0
    return f"For {number:,} of the undecided, trees of other depths are missing." if number else ""


def cells_sentence(results: Results) -> str:
    """Return the numbers of printed cells by verdict in a sentence, "" if none is compared."""
    return _sentence("printed cell", "", cells_by_verdict(results))


def _sentence(
    what: str, which: str, counts: Mapping[CellVerdict, int] | Mapping[Ruling, int]
) -> str:
    parts = [f"{number:,} {verb(verdict, number)}" for verdict, number in counts.items()]
    return f"Of {counted(sum(counts.values()), what)}{which} {series(parts)}." if parts else ""


def verb(verdict: str, number: int) -> str:
    """Return a verdict as a verb in singular or plural: agrees, agree, is or are undecided."""
    if verdict.endswith("s"):
        return verdict if number == 1 else verdict[:-1]
    return f"{'is' if number == 1 else 'are'} {verdict}"


@dataclass(frozen=True)
class AverageBesidePrint:
    """A measured and a printed average, and their difference, as they are written.

    ``is_near`` says that the difference is within the metric's tolerance.
    """

    measured: str
    printed: str
    difference: str
    is_near: bool


def averages(results: Results) -> dict[str, AverageBesidePrint]:
    """Return the averages with a printed one, by method."""
    methods = {cell.method for cell in results.counted_cells}
    return {
        cell.method: _beside_print(results, cell)
        for cell in results.cells
        if cell.average == "arithmetic" and not cell.common
        if cell.method in methods and less(cell.compared, cell.published) is not None
    }


def _beside_print(results: Results, cell: Cell) -> AverageBesidePrint:
    metric, away = results.metric, less(cell.compared, cell.published) or 0.0
    is_elsewhere = cell.about_print and cell.about_print.kind is RemarkKind.ELSEWHERE
    return AverageBesidePrint(
        measured=metric.text(cell.compared),
        printed=metric.text(cell.published) + " over the same data sets" * bool(is_elsewhere),
        difference=metric.difference(away),
        is_near=abs(away) <= metric.least_difference(cell.published) + 1e-12,
    )


def _averages(results: Results) -> list[str]:
    names, found = names_of(results.methods), averages(results)
    texts = {
        label: f"{names[label]} {one.measured} (printed {one.printed})"
        for label, one in found.items()
    }
    near = [text for label, text in texts.items() if found[label].is_near]
    far = [text for text in texts.values() if text not in near]
    return say("averages", near=near, far=far, metric=results.metric)


def winners(results: Results) -> list[str]:
    """Return the best method of each data set, and how certain that is."""
    names, metric, alone = names_of(results.methods), results.metric, []
    found, won, sure = [], Counter[str](), defaultdict(list)
    for data, own in results.champions.items():
        # Means that are equal as written share the first place.
        best = [names[each.method] for each in own if each.best]
        score = f"{metric.text(own[0].mean)} {metric.unit}".strip()
        found.append((data, best, score, len(own) > 1))
        won.update(best)
        sure[certainty(own)].append(data)
        if apart := [each for each in own if each.apart_alone]:
            compared = sum(not each.best for each in own)
            least = min(each.p for each in apart)
            alone.append((data, [names[each.method] for each in apart], least, compared))
    order = {word: sure[word] for word in ("sure", "partly sure", "not sure") if word in sure}
    several = [data for own in order.values() for data in own]
    same_rows = [data for data in results.on_same_test_rows if data in several]
    gaps = bool((results.runs.status == NO_SCORE).any())
    return say("winners", found=found, won=won.most_common(4), sure=order, metric=metric,
               alone=alone, gaps=gaps, single=sure.get(ONE_SPLIT, []),
               same_rows=same_rows)  # fmt: skip


def without_score(results: Results) -> list[str]:
    """Return which finished runs have no score, and why, in sentences; none where all have one."""
    found: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for cell in results.only_cells:
        why = missing_text(one for one in cell.missing if one.status == NO_SCORE)
        if why:
            found[cell.dataset, why, cell.fewer].append(names_of(results.methods)[cell.method])
    nowhere = bool(found) and not (results.runs.status == "ok").any()
    return say("without_score", found=[*found.items()], nowhere=nowhere, metric=results.metric,
               most=MOST_GAPS)  # fmt: skip


def who_converges_first(results: Results) -> str:
    """Return which method comes near the lowest objective sooner, "" if that is unknown."""
    found, names = results.convergence.time_to_tolerance, names_of(results.methods)
    if found is None:
        return ""
    first, last = found.index
    ratios = found.loc[last] / found.loc[first]
    ends = dict.fromkeys([times(ratios.min()), times(ratios.max())])
    return (
        f"{names[first]} comes within {TOLERANCE:g} % of the lowest objective "
        f"{' to '.join(ends)} times sooner than {names[last]}"
    )
