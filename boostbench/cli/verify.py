"""``boostbench verify``: a paper's claims judged on results, and trials run again to compare."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from boostbench.experiment import options
from boostbench.experiment.options import argument, option
from boostbench.suggest import counted

if TYPE_CHECKING:
    from boostbench.cli.screen import Screen
    from boostbench.experiment.sampling import SampleCheck
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
    sample: Annotated[int | None, option("sample", "N", least=1)] = None,
    seed: Annotated[int | None, option("seed", least=0)] = None,
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

    With --sample, recorded trials are run again. Nothing is written to the results. Exits with 3
    if a figure is not reproduced, or a trial could not be run as it was recorded. What this machine
    cannot run, such as R's forest without R, is skipped with the reason.

    A table with the columns dataset, method, split, seed and score, named as the --paper names
    them, is judged without a run: its cells and claims are shown, and with --out the page written.
    """
    from boostbench.cli.screen import Screen
    from boostbench.experiment.elsewhere import table_of
    from boostbench.experiment.verifying import judge_claims

    screen = Screen(live=False)
    shown = Shown(claim or [], all_, fail, as_json)
    if (table := table_of(configs or [], paper)) is not None:
        again = {"--sample is": sample, "--seed is": seed, "--trust is": trust}
        _refuse(again, f"not for runs that others made, as those in {table}: leave it out")
        raise typer.Exit(_judge_table(screen, table, str(paper), metric, out, shown))
    _refuse({"--metric is": metric, "--out is": out}, "for a table of runs: give its --paper too")
    folders = list({f.resolve(): f for f in map(screen.find, configs or (None,))}.values())
    if sample is None:
        needs = "the trials of --sample: give --sample N too"
        _refuse({"--seed draws": seed, "--trust is for": trust}, needs)
        raise typer.Exit(_show_claims(screen, judge_claims(folders), shown))
    folder = _only_one(folders, {"--claim": claim, "--all": all_, "--fail": fail})
    from boostbench.experiment.sampling import check_sample

    check = check_sample(
        folder,
        sample,
        seed=seed or 0,
        jobs=jobs,
        mirror=mirror,
        offline=offline,
        listener=screen,
        trust=trust,
    )
    raise typer.Exit(_show_sample(screen, folder, check, as_json))


def _refuse(options: Mapping[str, object], why: str) -> None:
    """Raise ConfigError for the first that is given of ``options``, by how its sentence begins."""
    from boostbench.errors import ConfigError

    for name, given in options.items():
        if given is not None and given is not False:
            raise ConfigError(f"{name} {why}")


def _only_one(folders: Sequence[Path], of_claims: Mapping[str, object]) -> Path:
    """Return the folder of which trials are run again."""
    from boostbench.errors import ConfigError

    if len(folders) > 1 or any(of_claims.values()):
        raise ConfigError(
            "--sample runs trials of one experiment again: leave out --claim, --all and --fail, "
            "and name one experiment"
        )
    return folders[0]


class Shown(NamedTuple):
    """Which claims are shown, and how: some ids in full, or all; as text or JSON."""

    ids: Sequence[str]
    all: bool
    fail: bool
    as_json: bool


def _judge_table(
    screen: "Screen", table: Path, paper: str, metric: str | None, out: Path | None, shown: Shown
) -> int:
    """Show the cells and the claims of runs that others made, and write their page to ``out``."""
    from boostbench.experiment.elsewhere import report_on_table, store_of_table
    from boostbench.experiment.verifying import judge_if_claimed

    with store_of_table(table, paper, metric) as store:
        claims = judge_if_claimed(store)
        reported = report_on_table(store, screen, out)
    if not shown.as_json:
        for sentence in claims.results[0].elsewhere:
            screen.write(sentence, "yellow")
        screen.report(reported)
    return _show_claims(screen, claims, shown)


def _show_claims(screen: "Screen", claims: "Claims", shown: Shown) -> int:
    from boostbench.papers.judge import ClaimVerdict
    from boostbench.report.document.claim_tables import claim_lines

    entries = claims.entries(shown.ids)
    if shown.as_json:
        screen.json(claims.as_json(entries))
    elif shown.ids:
        for entry in entries:
            verdicts, *lines = claim_lines(entry, claims.metric)
            screen.write(verdicts, "bold")
            for line in lines:
                screen.wrapped(line, " " * (len(line) - len(line.lstrip())))
            screen.write("")
    else:
        _show_ledger(screen, claims, entries if shown.all else claims.ledger.measured)
    against = [entry for entry in entries if entry.judged.verdict is ClaimVerdict.NOT_REPRODUCED]
    return 3 if shown.fail and against else 0


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


def _show_sample(screen: "Screen", folder: Path, check: "SampleCheck", as_json: bool) -> int:
    code = 3 if check.left or check.differing else 0
    if as_json:
        screen.json({"results": str(folder), **asdict(check)})
        return code
    rows = [
        [one.trial, f"{one.name} {one.iteration or ''}", f"{one.recorded}", f"{one.now}"]
        for one in check.differences[:20]
    ]
    if rows:
        screen.table(["trial", "figure", "recorded", "now"], rows, left=(0, 1))
    for sentence in check.changed:
        screen.write(f"not compared: {sentence}", "yellow")
    for reason, count in check.skipped.items():
        screen.write(f"{counted(count, 'trial')} skipped: {reason}", "yellow")
    if check.environments:
        screen.write(f"recorded in another environment: {', '.join(check.environments)}", "yellow")
    counts = {
        "nearly equal": check.close,
        "different": check.differing,
        "skipped": sum(check.skipped.values()),
        "not compared": check.left,
    }
    others = "".join(f", {count:,} {kind}" for kind, count in counts.items() if count)
    screen.write(
        f"{counted(check.sampled, 'trial')} of {folder}: {check.equal:,} equal bit for bit{others}",
        "bold",
    )
    return code
