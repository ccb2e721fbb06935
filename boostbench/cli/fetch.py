"""``boostbench fetch``: data sets downloaded and checked, before a run or for work offline."""

from typing import Annotated

from boostbench.experiment import options
from boostbench.experiment.options import argument


def fetch(
    names: Annotated[
        list[str], argument("NAME...", "Data sets, or configs whose data sets are meant.")
    ],
    mirror: options.Mirror = None,
    offline: options.Offline = False,
) -> None:
    """Fetch data sets and check them against their cards."""
    from boostbench.cli.screen import Screen
    from boostbench.errors import DataError
    from boostbench.experiment.datasets import fetch_all, requests_of

    screen = Screen()
    found, failed = fetch_all(requests_of(names), mirror, offline, screen)
    rows = [
        [name, f"{data.X.shape[0]:,}", f"{data.X.shape[1]:,}", source, data.fingerprint[:12]]
        for name, (data, source) in found.items()
    ]
    if rows:
        screen.table(["data set", "rows", "features", "from", "fingerprint"], rows, left=(0, 3, 4))
    if failed:
        raise DataError("\n".join(failed))
