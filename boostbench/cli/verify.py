"""``boostbench verify``: a paper's claims judged on results, and trials run again to compare."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from boostbench.experiment import options
from boostbench.experiment.options import argument, option
from boostbench.suggest import counted

if TYPE_CHECKING:
    from boostbench.cli.screen import Screen
    from boostbench.experiment.sampling import SampleCheck
    from boostbench.experiment.verifying import Claims
    from boostbench.papers.judge import ClaimReadings


def verify(
    configs: Annotated[
        list[str] | None,
        argument(
            "[CONFIG]...",
            "Experiment files, shipped configs' names, results folders or their names below "
            "./results; several are judged together. Default: the newest results below ./results.",
        ),
    ] = None,
    claim: Annotated[list[str] | None, option("claim", "ID")] = None,
    all_: Annotated[bool, option("all")] = False,
    fail: Annotated[bool, option("fail")] = False,
    sample: Annotated[int | None, option("sample", "N", min=1)] = None,
    seed: Annotated[int | None, option("seed", min=0)] = None,
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
    """
    from dataclasses import asdict

    from boostbench.cli.screen import Screen
    from boostbench.errors import ConfigError

    screen = Screen(live=False)
    folders = list({f.resolve(): f for f in map(screen.find, configs or (None,))}.values())
    folder, *others = folders
    if sample is None and seed is not None:
        raise ConfigError("--seed draws the trials of --sample: give --sample N too")
    if sample is None:
        raise typer.Exit(_judge(screen, folders, claim or [], all_, fail, as_json))
    if others or claim or all_ or fail:
        raise ConfigError(
            "--sample runs trials of one experiment again: leave out --claim, --all and --fail, "
            "and name one experiment"
        )
    from boostbench.experiment.sampling import check_sample

    found = check_sample(
        folder, sample, seed=seed or 0, jobs=jobs, mirror=mirror, offline=offline, listener=screen
    )
    if as_json:
        screen.json({"results": str(folder), **asdict(found)})
    else:
        _show_sample(screen, folder, found)
    raise typer.Exit(3 if found.left or found.differing else 0)


def _judge(
    screen: "Screen", folders: list[Path], ids: list[str], all_: bool, fail: bool, as_json: bool
) -> int:
    from boostbench.experiment.verifying import judge_claims
    from boostbench.papers.judge import ClaimVerdict
    from boostbench.report.claimtable import claim_lines

    claims = judge_claims(folders)
    entries = claims.entries(ids)
    if as_json:
        screen.json(claims.as_json(entries))
    elif ids:
        for entry in entries:
            verdicts, *lines = claim_lines(entry, claims.metric)
            screen.say(verdicts, "bold")
            for line in lines:
                screen.wrapped(line, " " * (len(line) - len(line.lstrip())))
            screen.say("")
    else:
        _show_ledger(screen, claims, entries if all_ else claims.ledger.measured)
    against = [entry for entry in entries if entry.judged.verdict is ClaimVerdict.NOT_REPRODUCED]
    return 3 if fail and against else 0


def _show_ledger(screen: "Screen", claims: "Claims", entries: "Sequence[ClaimReadings]") -> None:
    from boostbench.report.claimtable import by_verdict, counts_text, in_two_lines

    for ruling, group in by_verdict(entries).items():
        screen.say(f"{ruling.value}: {len(group)}", "bold")
        for entry in group:
            quotation, figures = in_two_lines(entry, claims.metric)
            screen.wrapped(quotation, "  ", short=True)
            screen.wrapped(figures, "    ")
    where, ledger = ", ".join(map(str, claims.folders)), claims.ledger
    screen.say(
        f"{where}: {counted(len(ledger.entries), 'claim')} of {ledger.paper.authors}: "
        f"{counts_text(ledger)}",
        "bold",
    )
    if not entries:
        screen.say("no claim can be judged on these results; --all says why")
    for sentence in claims.provisional():
        screen.say(sentence, "yellow")


def _show_sample(screen: "Screen", folder: Path, found: "SampleCheck") -> None:
    rows = [
        [one.trial, f"{one.name} {one.iteration or ''}", f"{one.recorded}", f"{one.now}"]
        for one in found.differences[:20]
    ]
    if rows:
        screen.table(["trial", "figure", "recorded", "now"], rows, left=(0, 1))
    for sentence in found.changed:
        screen.say(f"not compared: {sentence}", "yellow")
    for reason, count in found.skipped.items():
        screen.say(f"{counted(count, 'trial')} skipped: {reason}", "yellow")
    if found.environments:
        screen.say(f"recorded in another environment: {', '.join(found.environments)}", "yellow")
    counts = {
        "nearly equal": found.close,
        "different": found.differing,
        "skipped": sum(found.skipped.values()),
        "not compared": found.left,
    }
    more = "".join(f", {count:,} {what}" for what, count in counts.items() if count)
    equal = f"{counted(found.sampled, 'trial')} of {folder}: {found.equal:,} equal bit for bit"
    screen.say(f"{equal}{more}", "bold")
