"""``boostbench verify``: whether recorded results are what the program computes."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from boostbench.cli import options
from boostbench.suggest import counted

if TYPE_CHECKING:
    from boostbench.cli.console import Screen
    from boostbench.experiment.sampling import SampleCheck

_MOST_DIFFERENCES = 20


def verify(
    config: options.Results = None,
    sample: Annotated[
        int, typer.Option("--sample", metavar="N", min=1, help="How many recorded trials to draw.")
    ] = 20,
    seed: Annotated[int, typer.Option("--seed", min=0, help="The seed of the draw.")] = 0,
    tolerance: Annotated[
        float,
        typer.Option(
            "--tolerance",
            min=0.0,
            help="How far figures may be off (relative, absolute below 1) where the environment is "
            "not that in which the trial ran; in the same one they must be equal bit for bit.",
        ),
    ] = 1e-6,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", "-j", min=1, help="Trials at a time. Default: the processors."),
    ] = None,
    mirror: options.Mirror = None,
    offline: options.Offline = False,
    set_: options.Place = None,
    as_json: options.Json = False,
) -> None:
    """Run a sample of the recorded trials again and compare the figures.

    Nothing is written to the results. Exits with 0 if every figure of the sample is reproduced, 3
    if one is not or a trial could not be run as it was recorded.
    """
    import dataclasses

    from boostbench.cli.console import Screen
    from boostbench.cli.live import ScreenListener
    from boostbench.experiment.folders import find_results
    from boostbench.experiment.sampling import check_sample

    screen = Screen()
    folder = find_results(config, set_ or [])
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
    raise typer.Exit(0 if found.all_well else 3)


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
    if found.environments:
        screen.say(f"recorded in another environment: {', '.join(found.environments)}", "yellow")
    text = f"{counted(found.sampled, 'trial')} of {folder}: {found.equal:,} equal bit for bit"
    if found.close:
        text += f", {found.close:,} within {tolerance:g}"
    if found.differing:
        text += f", {found.differing:,} different"
    left = found.sampled - found.equal - found.close - found.differing
    screen.say(f"{text}{f', {left:,} not compared' if left else ''}", "bold")
