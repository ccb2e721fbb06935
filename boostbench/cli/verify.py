"""``boostbench verify``: a paper's claims judged on results, and trials run again to compare."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from boostbench.experiment import options
from boostbench.experiment.options import argument, option, refuse_given
from boostbench.suggest import counted

if TYPE_CHECKING:
    from boostbench.cli.screen import Screen
    from boostbench.experiment.drawn import SampleCheck
    from boostbench.experiment.verifying import Claims
    from boostbench.papers.readings import ClaimReadings


def verify(
    configs: Annotated[
        list[str] | None,
        argument(
            "[CONFIG]...",
            "Experiment files, shipped configs' names, results folders or their names below "
            "./results; several are judged together. Default: the newest results below ./results. "
            "With --paper: a table (CSV) of runs that others made.",
        ),
    ] = None,
    paper: Annotated[str | None, option("paper", "KEY|FOLDER")] = None,
    metric: options.Metric = None,
    out: Annotated[Path | None, option("out", "DIR")] = None,
    claim: Annotated[list[str] | None, option("claim", "ID")] = None,
    all_: Annotated[bool, option("all")] = False,
    fail: Annotated[bool, option("fail")] = False,
    annotate: Annotated[bool, option("annotate")] = False,
    margins: Annotated[bool, option("margins")] = False,
    sample: Annotated[int | None, option("sample", "N", least=1)] = None,
    nonce: Annotated[str | None, option("nonce", "TEXT")] = None,
    minutes: Annotated[float | None, option("minutes", "M")] = None,
    any_processor: Annotated[bool, option("any_processor")] = False,
    trust: Annotated[bool, option("trust")] = False,
    jobs: options.Jobs = None,
    mirror: options.Mirror = None,
    offline: options.Offline = False,
    as_json: options.Json = False,
) -> None:
    """Judge the paper's claims on results, one line per claim.

    Each has its figure with a 95 % interval, the paper's figure, and a verdict: reproduced,
    weaker, not reproduced, undecided (and how many partitions would decide), not judged or not
    comparable.

    With --margins, how many means agree with the printed ones at half the margin, at the margin
    and at twice the margin.

    With --sample, planned trials are drawn and run again, and nothing that the results say of
    themselves is believed. Nothing is written to the results. Exits with 3 if anything is not as it
    was recorded. Times are not checked.

    A table with the columns dataset, method, split, seed and score, named as the --paper names
    them, is judged without a run: its cells and claims are shown, and with --out the page written.
    """
    from boostbench.cli.screen import Screen
    from boostbench.experiment.elsewhere import table_of
    from boostbench.experiment.verifying import judge_claims

    screen = Screen(live=False)
    shown = Shown(claim or [], all_, fail, annotate, as_json)
    if (table := table_of(configs or [], paper)) is not None:
        of_runs = {
            "--sample is": sample,
            "--nonce is": nonce,
            "--minutes is": minutes,
            "--any-processor is": any_processor,
            "--trust is": trust,
            "--margins is": margins,
        }
        refuse_given(of_runs, f"not for runs that others made, as those in {table}: leave it out")
        raise typer.Exit(_judge_table(screen, table, str(paper), metric, out, shown))
    refuse_given(
        {"--metric is": metric, "--out is": out}, "for a table of runs: give its --paper too"
    )
    folders = list({f.resolve(): f for f in map(screen.find, configs or (None,))}.values())
    of_claims = {"--claim is": claim, "--all is": all_, "--fail is": fail}
    of_claims |= {"--annotate is": annotate}
    if sample is None:
        needs = "the trials of --sample: give --sample N too"
        of_sample = {"--nonce draws": nonce, "--minutes is for": minutes, "--trust is for": trust}
        refuse_given({**of_sample, "--any-processor is for": any_processor}, needs)
        if margins:
            refuse_given(of_claims, "not for --margins: leave it out")
            raise typer.Exit(_show_margins(screen, folders, as_json))
        raise typer.Exit(_show_claims(screen, judge_claims(folders), shown))
    of_claims |= {"--margins is": margins}
    refuse_given(of_claims, "not for --sample, which runs trials again: leave it out")
    refuse_given(
        {"--json is": as_json and len(folders) > 1}, "for --sample of one experiment: name one"
    )
    from boostbench.experiment.sampling import check_sample

    check = partial(
        check_sample,
        size=sample,
        nonce=nonce,
        minutes=minutes,
        jobs=jobs,
        mirror=mirror,
        offline=offline,
        listener=screen,
        trust=trust,
    )
    checks = {folder: check(folder) for folder in folders}
    raise typer.Exit(_show_samples(screen, checks, any_processor, as_json))


class Shown(NamedTuple):
    """Which claims are shown, and how: some ids in full, or all; as text or JSON."""

    ids: Sequence[str]
    all: bool
    fail: bool
    annotate: bool
    as_json: bool


def _judge_table(
    screen: "Screen", table: Path, paper: str, metric: str | None, out: Path | None, shown: Shown
) -> int:
    """Show the cells and the claims of runs that others made, and write their page to ``out``."""
    from boostbench.experiment.elsewhere import report_on_table, store_of_table
    from boostbench.experiment.verifying import judge_store

    with store_of_table(table, paper, metric) as store:
        claims = judge_store(store, needs_claims=False)
        reported = report_on_table(store, screen, out)
    if not shown.as_json:
        for sentence in claims.results[0].elsewhere:
            screen.write(sentence, "yellow")
        screen.report(reported)
    return _show_claims(screen, claims, shown)


def _show_claims(screen: "Screen", claims: "Claims", shown: Shown) -> int:
    from boostbench.report.document.claim_tables import claim_lines

    entries = claims.entries(shown.ids)
    if shown.as_json:
        screen.json(claims.as_json(entries))
    elif shown.ids:
        for entry in entries:
            _show_in_full(screen, claim_lines(entry, claims.metric))
    else:
        _show_ledger(screen, claims, entries if shown.all else claims.ledger.measured)
    return _show_end(screen, claims, entries, shown)


def _show_end(
    screen: "Screen", claims: "Claims", entries: "Sequence[ClaimReadings]", shown: Shown
) -> int:
    """Show what has changed of the paper; return the exit code, and tell GitHub why."""
    from boostbench.papers.judge import ClaimVerdict

    for text in () if shown.as_json else claims.changed:
        screen.write(f"changed since these results: {text}", "yellow")
    against = [entry for entry in entries if entry.judged.verdict is ClaimVerdict.NOT_REPRODUCED]
    for line in claims.annotations(against) if shown.annotate else ():
        screen.write(line)
    return 3 if shown.fail and against else 0


def _show_in_full(screen: "Screen", lines: "Sequence[str]") -> None:
    """Show the lines of one claim, its verdicts first."""
    verdicts, *others = lines
    screen.write(verdicts, "bold")
    for line in others:
        screen.wrapped(line, " " * (len(line) - len(line.lstrip())))
    screen.write("")


def _show_margins(screen: "Screen", folders: list[Path], as_json: bool) -> int:
    from boostbench.experiment.verifying import cells_by_margin

    rows = [
        {"results": str(folder), "factor": factor, **verdicts}
        for folder in folders
        for factor, verdicts in cells_by_margin(folder).items()
    ]
    if as_json:
        screen.json(rows)
    else:
        columns = ["results", "margins", "agree", "differ", "undecided"]
        screen.table(columns, [list(map(str, row.values())) for row in rows], left=(0,))
    return 0


def _show_ledger(screen: "Screen", claims: "Claims", entries: "Sequence[ClaimReadings]") -> None:
    from boostbench.report.document.claim_tables import by_verdict, counts_text, in_two_lines

    for verdict, group in by_verdict(entries).items():
        screen.write(f"{verdict.value}: {len(group)}", "bold")
        for entry in group:
            quotation, figures = in_two_lines(entry, claims.metric)
            screen.wrapped(quotation, "  ", short=True)
            screen.wrapped(figures, "    ")
    where, ledger = ", ".join(map(str, claims.folders)), claims.ledger
    screen.write(
        f"{where}: {counted(len(ledger.entries), 'claim')} of {ledger.paper.authors}: "
        f"{counts_text(ledger)}",
        "bold",
    )
    if not entries:
        screen.write("no claim can be judged on these results; --all says why")
    for sentence in claims.provisional():
        screen.write(sentence, "yellow")


def _show_samples(
    screen: "Screen", checks: "Mapping[Path, SampleCheck]", any_processor: bool, as_json: bool
) -> int:
    from boostbench.experiment.sampling import equal_predictions

    code = 3 if any(one.differs(any_processor=any_processor) for one in checks.values()) else 0
    if as_json:
        [(folder, check)] = checks.items()
        screen.json({"results": str(folder), **check.as_json()})
        return code
    for folder, check in checks.items():
        _show_sample(screen, folder, check)
    for sentence in equal_predictions(list(checks)):
        screen.write(f"equal predictions, byte for byte: {sentence}", "yellow")
    return code


def _show_sample(screen: "Screen", folder: Path, check: "SampleCheck") -> None:
    screen.write(f"{folder}: digest {check.digest}, nonce {check.nonce}")
    rows = [
        [one.trial, f"{one.name} {one.iteration or ''}", f"{one.recorded}", f"{one.now}"]
        for drawn in check.drawn
        if (one := drawn.main_difference)
    ]
    if rows:
        screen.table(["trial", "figure", "recorded", "now"], rows, left=(0, 1))
    for sentence in check.remarks():
        screen.write(sentence, "yellow")
    counts = ", ".join(f"{n:,} {verdict}" for verdict, n in check.counts().items())
    screen.write(f"{counted(len(check.drawn), 'trial')} of {folder}: {counts}", "bold")
    if not check.differs(any_processor=False):
        screen.write(check.sentence())
