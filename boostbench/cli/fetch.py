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
    from boostbench.data.request import known_fingerprint
    from boostbench.errors import DataError
    from boostbench.experiment.datasets import fetch_all, requests_of

    screen = Screen()
    requests = requests_of(names)
    fetched, failed = fetch_all(requests, mirror, offline, screen)
    rows = []
    for name, (data, source) in fetched.items():
        # A card without a fingerprint needs the whole one.
        length = 12 if known_fingerprint(requests[name]) else 64
        n, p = data.X.shape
        rows.append([name, f"{n:,}", f"{p:,}", source, data.fingerprint[:length]])
    if rows:
        screen.table(["data set", "rows", "features", "from", "fingerprint"], rows, left=(0, 3, 4))
    if failed:
        raise DataError("\n".join(failed))
