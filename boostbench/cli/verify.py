"""``boostbench verify``: what results say of a paper's claims, and whether they can be computed."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from boostbench.cli import complete, options
from boostbench.suggest import counted

if TYPE_CHECKING:
    from boostbench.cli.console import Screen
    from boostbench.experiment.claims import Claims
    from boostbench.experiment.sampling import SampleCheck
    from boostbench.papers.judge import Entry

_MOST_DIFFERENCES = 20


def verify(
    configs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[CONFIG]...",
            help="Experiment files, shipped configs' names, results folders or their names below "
            "./results; several are judged together. Default: the newest results below ./results.",
            autocompletion=complete.configs,
        ),
    ] = None,
    claim: Annotated[
        list[str] | None,
        typer.Option("--claim", metavar="ID", help="Only this claim, in full. Can be repeated."),
    ] = None,
    all_: Annotated[
        bool, typer.Option("--all", help="Also list the claims of which nothing is measured.")
    ] = False,
    fail: Annotated[
        bool, typer.Option("--fail", help="Exit with 3 if a claim is not reproduced.")
    ] = False,
    sample: Annotated[
        int | None,
        typer.Option(
            "--sample",
            metavar="N",
            min=1,
            help="Run N recorded trials again instead, drawn at random, and compare the figures.",
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option("--seed", min=0, help="With --sample: the seed of the draw.")
    ] = 0,
    tolerance: Annotated[
        float,
        typer.Option(
            "--tolerance",
            min=0.0,
            help="With --sample: how far figures may be off (relative, absolute below 1) where the "
            "environment is not that in which the trial ran; in the same one they must be equal "
            "bit for bit.",
        ),
    ] = 1e-6,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            "-j",
            min=1,
            help="With --sample: trials at a time. Default: the processors.",
        ),
    ] = None,
    mirror: options.Mirror = None,
    offline: options.Offline = False,
    set_: options.Place = None,
    as_json: options.Json = False,
) -> None:
    """Judge the paper's claims on results, one line per claim.

    Each has its figure with a 95 % interval, what the paper states, and a verdict: reproduced,
    weaker, not reproduced, undecided (and how many partitions would decide), not judged or not
    comparable.

    With --sample, recorded trials are run again. Nothing is written to the results. Exits with 3
    if a figure is not reproduced, or a trial could not be run as it was recorded. What this machine
    cannot run, such as R's forest without R, is skipped with the reason.
    """
    from boostbench.cli.console import Screen
    from boostbench.errors import ConfigError
    from boostbench.experiment.folders import find_results

    screen = Screen()
    folders = [find_results(name, set_ or [], screen.warn) for name in configs or (None,)]
    if sample is None:
        raise typer.Exit(_judge(screen, folders, claim or [], all_, fail, as_json))
    if len(folders) > 1 or claim or all_ or fail:
        raise ConfigError(
            "--sample runs trials of one experiment again: leave out --claim, --all and --fail, "
            "and name one experiment"
        )
    code = _sample(screen, folders[0], sample, seed, tolerance, jobs, mirror, offline, as_json)
    raise typer.Exit(code)


def _judge(
    screen: "Screen", folders: list[Path], ids: list[str], all_: bool, fail: bool, as_json: bool
) -> int:
    from boostbench.experiment.claims import judge_claims
    from boostbench.papers.judge import Ruling
    from boostbench.report.claimtable import as_json as entry_json

    claims = judge_claims(folders)
    entries = claims.entries(ids)
    if as_json:
        counts = {ruling.value: n for ruling, n in claims.ledger.counts().items()}
        screen.json(
            {
                "results": [str(folder) for folder in folders],
                "paper": claims.ledger.paper.key,
                "counts": counts,
                "claims": [entry_json(entry) for entry in entries],
            }
        )
    elif ids:
        for entry in entries:
            _show_claim(screen, claims, entry)
    else:
        _show_ledger(screen, claims, entries if all_ else claims.ledger.measured)
    against = [entry for entry in entries if entry.judged.ruling is Ruling.NOT_REPRODUCED]
    return 3 if fail and against else 0


def _show_ledger(screen: "Screen", claims: "Claims", entries: "list[Entry]") -> None:
    from boostbench.experiment.folders import complete_archive
    from boostbench.report.claimtable import by_verdict, counts_text, in_two_lines

    ledger, metric = claims.ledger, claims.results[0].metric
    for ruling, group in by_verdict(entries).items():
        screen.say(f"{ruling.value}: {len(group)}", "bold")
        for entry in group:
            quotation, figures = in_two_lines(entry, metric)
            screen.short(f"  {quotation}")
            screen.wrapped(figures, "    ")
    where = ", ".join(str(folder) for folder in claims.folders)
    screen.say(
        f"{where}: {counted(len(ledger.entries), 'claim')} of {ledger.paper.authors}: "
        f"{counts_text(ledger)}",
        "bold",
    )
    if not entries:
        screen.say("nothing is measured that a claim is about; --all says what is lacking")
    missing = [one.all_planned - int((one.runs.status == "ok").sum()) for one in claims.results]
    if any(missing):
        screen.say(
            f"{counted(sum(missing), 'run')} not finished: the verdicts are provisional", "yellow"
        )
    for folder, lacking in zip(claims.folders, missing, strict=True):
        if lacking and (kept := complete_archive(folder)):
            screen.say(f"{kept} is complete: boostbench verify {kept}", "yellow")


def _show_claim(screen: "Screen", claims: "Claims", entry: "Entry") -> None:
    from boostbench.report.claimtable import claim_lines

    verdicts, *lines = claim_lines(entry, claims.results[0].metric)
    screen.say(verdicts, "bold")
    for line in lines:
        screen.wrapped(line, " " * (len(line) - len(line.lstrip())))
    screen.say("")


def _sample(
    screen: "Screen",
    folder: Path,
    sample: int,
    seed: int,
    tolerance: float,
    jobs: int | None,
    mirror: Path | None,
    offline: bool,
    as_json: bool,
) -> int:
    import dataclasses

    from boostbench.cli.live import ScreenListener
    from boostbench.experiment.sampling import check_sample

    found = check_sample(
        folder,
        sample,
        seed=seed,
        tolerance=tolerance,
        jobs=jobs,
        mirror=mirror,
        offline=offline,
        listener=ScreenListener(screen, live=False),
    )
    if as_json:
        screen.json({"results": str(folder), **dataclasses.asdict(found)})
    else:
        _show(screen, folder, found, tolerance)
    return 0 if found.all_well else 3


def _show(screen: "Screen", folder: Path, found: "SampleCheck", tolerance: float) -> None:
    if found.differences:
        rows = [
            [
                one.trial,
                f"{one.name}, iteration {one.iteration:,}" if one.iteration else one.name,
                f"{one.recorded}",
                f"{one.now}",
            ]
            for one in found.differences[:_MOST_DIFFERENCES]
        ]
        screen.table(["trial", "figure", "recorded", "now"], rows, left=(0, 1))
        if len(found.differences) > _MOST_DIFFERENCES:
            screen.say(f"and {len(found.differences) - _MOST_DIFFERENCES:,} more")
    for sentence in found.changed:
        screen.say(f"not compared: {sentence}", "yellow")
    for reason, count in found.skipped.items():
        screen.say(f"{counted(count, 'trial')} skipped: {reason}", "yellow")
    if found.environments:
        screen.say(f"recorded in another environment: {', '.join(found.environments)}", "yellow")
    text = f"{counted(found.sampled, 'trial')} of {folder}: {found.equal:,} equal bit for bit"
    if found.close:
        text += f", {found.close:,} within {tolerance:g}"
    if found.differing:
        text += f", {found.differing:,} different"
    skipped = sum(found.skipped.values())
    left = found.sampled - found.equal - found.close - found.differing - skipped
    text += f", {skipped:,} skipped" if skipped else ""
    screen.say(f"{text}{f', {left:,} not compared' if left else ''}", "bold")
