"""``boostbench merge``: shards, or any stores of one plan, merged and reported."""

from pathlib import Path
from typing import Annotated

import typer

from boostbench.experiment.options import argument, option


def merge(
    stores: Annotated[
        list[Path],
        argument("STORE...", "Results folders, such as those of shards, or their store.sqlite."),
    ],
    into: Annotated[Path | None, option("into", "FOLDER")] = None,
) -> None:
    """Merge the results of shards, and write the tables and figures of all.

    The stores are only read, and must have the same plan; a trial that is in several of them must
    have the same outcome. Merging again, in any order, changes nothing. Exits with 0 if all trials
    are ok or skipped, 1 if some are missing or failed, 2 if the stores cannot be merged.
    """
    from boostbench.cli.screen import Screen
    from boostbench.experiment.merging import merge_stores

    screen = Screen()
    merged = merge_stores(stores, into, screen)
    screen.report(merged.report)
    screen.write(merged.text)
    for line in merged.left:
        screen.note(line, "important")
    raise typer.Exit(1 if merged.left else 0)
