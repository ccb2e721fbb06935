"""``boostbench fetch``: data sets brought here and checked, before a run or for work offline."""

from typing import Annotated

import typer

from boostbench.experiment import completion, options
from boostbench.experiment.options import argument


def fetch(
    names: Annotated[
        list[str] | None,
        argument(
            "NAME...",
            "Data sets, or configs whose data sets are meant.",
            completion.configs_or_datasets,
        ),
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="Every data set there is a card of.")] = False,
    mirror: options.Mirror = None,
    offline: options.Offline = False,
) -> None:
    """Fetch data sets and check them by their cards."""
    from boostbench.cli.screen import Screen
    from boostbench.errors import ConfigError, DataError
    from boostbench.experiment.datasets import fetch_all, requests_of

    if not names and not all_:
        raise ConfigError("name data sets or configs, or give --all")
    screen = Screen()
    found, failed = fetch_all(requests_of(names or [], all_), mirror, offline, screen)
    rows = [
        [name, f"{data.X.shape[0]:,}", f"{data.X.shape[1]:,}", source, data.fingerprint[:12]]
        for name, (data, source) in found.items()
    ]
    if rows:
        screen.table(["data set", "rows", "features", "from", "fingerprint"], rows, left=(0, 3, 4))
    if failed:
        raise DataError("\n".join(failed))
