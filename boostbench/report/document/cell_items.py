"""What readers see of a cell in a table or on a card."""

from collections.abc import Iterator

from boostbench import numbers
from boostbench.papers.metrics import Metric
from boostbench.report.appearance import appearance
from boostbench.report.document.table import Item, Meaning
from boostbench.report.frames.cell import Cell, missing_text
from boostbench.report.sentences import beside_print, one_run

NOT_PLANNED = Item(numbers.DASH, note="not planned", meaning="empty")


def score(cell: Cell, metric: Metric, compares: bool, best: bool = False) -> Item:
    """Return the score of a cell or an average beside the printed one, or with its sd."""
    beside = printed(cell, metric)
    if cell.compared is None:
        beside = "" if cell.average else beside
        return Item(
            numbers.DASH, beside=beside, note=cell.problem, meaning="empty", runs=_runs_of(cell)
        )
    is_alone = not (cell.average or compares)
    shown = None if is_alone else cell.verdict
    return Item(
        with_sd(metric, cell.compared, cell.compared_sd if is_alone else None),
        mark="*" if best else appearance(shown).sign,
        beside=beside,
        note=", ".join(_remarks(cell, metric)),
        meaning="best" if best else shown or "",
        runs=_runs_of(cell),
    )


def _runs_of(cell: Cell) -> tuple[str, str] | None:
    """Return the data set and the method of a cell, ``None`` for an average."""
    return None if cell.average else (cell.dataset, cell.method)


def printed(cell: Cell, metric: Metric) -> str:
    """Return the printed mean."""
    return metric.printed(cell.printed.value) if cell.printed else metric.text(cell.published)


def _remarks(cell: Cell, metric: Metric) -> Iterator[str]:
    """Yield how many runs are behind a mean, how many of them exploded, and if one decides it."""
    if 0 < cell.finished < cell.planned:
        yield cell.fewer or f"{cell.finished:,.0f}/{cell.planned:,.0f}"
    if cell.exploded and not cell.average:
        out = " out" if cell.leaves_out else ""
        yield f"{int(cell.exploded)} {metric.exploded_label}{out}"
    if left := cell.by_one_run:
        yield one_run.in_brackets(cell, left, metric)


def with_sd(metric: Metric, mean: float | None, sd: float | None) -> str:
    """Return ``mean ± sd``, blank if the mean is unknown."""
    if mean is None:
        return ""
    text = metric.sd(sd, mean)
    return f"{metric.text(mean)} ± {text}" if text else metric.text(mean)


def interval(cell: Cell, metric: Metric) -> str:
    """Return the 95 % interval of the mean that stands beside the printed one."""
    if cell.compared is None or cell.compared_half_width is None:
        return ""
    ends = metric.interval(cell.compared, cell.compared_half_width)
    return f"[{', '.join(map(metric.text, ends))}]"


def sd_beside_print(cell: Cell, metric: Metric) -> Item:
    """Return the sd where one is printed, with that beside it."""
    sd = cell.published_sd
    own = "" if sd is None else metric.sd(cell.compared_sd, cell.compared)
    return Item(own, beside=metric.sd(sd, cell.published))


def time_beside_print(cell: Cell) -> Item:
    """Return the seconds of a training where some are printed, with these beside them."""
    seconds = cell.published_time_s
    own = "" if seconds is None else numbers.seconds(cell.fit_s.mean)
    return Item(own, beside=numbers.seconds(seconds))


def objective(cell: Cell) -> str:
    """Return the mean objective; runs that chose different values minimised different functions."""
    if cell.objective.mean is None:
        return ""
    return numbers.DASH if cell.mixed else numbers.objective(cell.objective.mean)


def runs(cell: Cell) -> Item:
    """Return how many of the planned runs or data sets are behind a mean."""
    if cell.average:
        return Item(f"{cell.finished} of {cell.planned} sets")
    meaning: Meaning = "partial" if cell.finished < cell.planned else ""
    return Item(f"{cell.finished:,}/{cell.planned:,}", meaning=meaning, runs=_runs_of(cell))


def difference_interval(cell: Cell, metric: Metric, form: str) -> str:
    """Return the 90 % interval of the difference from print in a ``form`` for its ends."""
    ends = [metric.difference(end) for end in (cell.low, cell.high)]
    return form.format(*ends) if all(ends) else ""


def verdict(cell: Cell) -> Item:
    """Return what the runs say of the printed mean, with its sign."""
    word = cell.verdict
    return Item(word or "", mark=appearance(word).sign, meaning=word or "")


def reasons(cell: Cell) -> str:
    """Return why a cell is not decided, or what would decide it, and which runs are missing."""
    to_decide = beside_print.would_decide(cell.to_decide)
    why = cell.not_comparable or cell.undecided_reason or to_decide
    return "; ".join(filter(None, (why, missing_text(cell.missing))))


def meant(cell: Cell) -> str:
    """Return whether a cell is the main reading of a printed one, "" if nothing is printed."""
    if cell.average or cell.published is None:
        return ""
    return "yes" if cell.primary else "no"
