"""Where data may be taken from, and where what was downloaded is kept."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from boostbench.errors import DataError


def _silent(_: str) -> None:
    pass


@dataclass(frozen=True)
class DataAccess:
    """The places that loaders may use.

    :param cache_dir: folder for downloaded files, made when needed
    :param mirror: folder with copies of the files that cards name, used before any other place
    :param offline: never open a socket; what is neither cached nor local is an error
    :param notify: is told in a sentence what is being fetched, and which places failed
    :param attempts: how often each address is tried
    :param delay_s: pause before the second attempt, in seconds; it doubles each time
    :param openml_server: address of the OpenML XML API, or None for the client's own
    :param uci_url: address under which UCI's ``ID/SLUG.zip`` lie
    :param keel_url: address under which KEEL's ``GROUP/NAME.zip`` lie
    """

    cache_dir: Path
    mirror: Path | None = None
    offline: bool = False
    notify: Callable[[str], None] = _silent
    attempts: int = 3
    delay_s: float = 1.0
    openml_server: str | None = None
    uci_url: str = "https://archive.ics.uci.edu/static/public"
    keel_url: str = "https://sci2s.ugr.es/keel/dataset/data"

    def __post_init__(self) -> None:
        if self.mirror is not None and not Path(self.mirror).is_dir():
            raise DataError(f"the mirror {self.mirror} is not a folder")


def default_access(
    mirror: Path | str | None = None,
    offline: bool = False,
    notify: Callable[[str], None] = _silent,
) -> DataAccess:
    """Return the access that options and the environment ask for.

    ``BOOSTBENCH_CACHE`` and ``BOOSTBENCH_MIRROR`` are folders; the latter counts where ``mirror``
    is None. ``BOOSTBENCH_OPENML_SERVER``, ``BOOSTBENCH_UCI_URL`` and ``BOOSTBENCH_KEEL_URL``
    are addresses that take the place of the public ones.

    :raises DataError: if the mirror is not a folder
    """
    from platformdirs import user_cache_path

    environ = os.environ
    cache = environ.get("BOOSTBENCH_CACHE")
    mirror = mirror or environ.get("BOOSTBENCH_MIRROR") or None
    return DataAccess(
        cache_dir=Path(cache).expanduser() if cache else user_cache_path("boostbench"),
        mirror=Path(mirror).expanduser() if mirror else None,
        offline=offline,
        notify=notify,
        openml_server=environ.get("BOOSTBENCH_OPENML_SERVER") or None,
        uci_url=environ.get("BOOSTBENCH_UCI_URL") or DataAccess.uci_url,
        keel_url=environ.get("BOOSTBENCH_KEEL_URL") or DataAccess.keel_url,
    )
