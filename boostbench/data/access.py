"""Where data may be taken from, and where what was downloaded is kept."""

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from platformdirs import user_cache_path

from boostbench.data.network import Network
from boostbench.errors import BoostbenchError, DataError


@dataclass
class Transfer:
    """One download as it proceeds.

    :param what: the data set and the file or OpenML id
    :param place: the host, or the repository on GitHub
    :param received: bytes so far
    :param total: bytes of the whole, None where the server does not say
    :param ended: whether it is over
    :param complete: whether it is over and the whole was received
    """

    what: str
    place: str
    received: int = 0
    total: int | None = None
    ended: bool = False
    complete: bool = False


class NotComputed(BoostbenchError):
    """Features of images are not in the cache, and may not be computed now."""


def _silent(_: object) -> None:
    pass


@dataclass(frozen=True)
class DataAccess:
    """The places that loaders may use.

    :param cache_dir: folder for downloaded files, made when needed
    :param mirror: folder with copies of the files that cards name, anywhere below it, used before
        any other place (:mod:`boostbench.data.mirror`)
    :param offline: never open a socket; what is neither cached nor local is an error
    :param notify: gets a sentence about each place that failed
    :param watch: gets each download when it begins, when bytes arrive, and when it ends; called
        from several threads
    :param attempts: how often each address is tried
    :param delay_s: factor of the pauses between attempts, in seconds (urllib3's ``Retry``)
    :param openml_server: address of the OpenML XML API, or None for the client's own
    :param uci_url: address under which UCI's ``ID/SLUG.zip`` lie
    :param uci_cdn_url: address under which the copies of UCI's zips lie, tried last; may be empty
    :param keel_url: address under which KEEL's ``GROUP/NAME.zip`` lie
    :param network: what earlier loads learned of the network; None for nothing
    :param may_compute: whether features of images may be computed, where the cache has none;
        else :class:`NotComputed` is raised
    :param subject: name of the data set that is being loaded, for ``watch``
    :param mirror_index: what is in the mirror, by name; filled once, when it is needed
    """

    cache_dir: Path
    mirror: Path | None = None
    offline: bool = False
    notify: Callable[[str], None] = _silent
    watch: Callable[[Transfer], None] = _silent
    attempts: int = 3
    delay_s: float = 1.0
    openml_server: str | None = None
    uci_url: str = "https://archive.ics.uci.edu/static/public"
    uci_cdn_url: str = "https://cdn.uci-ics-mlr-prod.aws.uci.edu"
    keel_url: str = "https://sci2s.ugr.es/keel/dataset/data"
    network: Network | None = None
    may_compute: bool = True
    subject: str = ""
    mirror_index: dict[str, list[Path]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if self.mirror is not None and not Path(self.mirror).is_dir():
            raise DataError(f"the mirror {self.mirror} is not a folder")

    @property
    def known_network(self) -> Network:
        """The network to share, or a new one."""
        return self.network or Network()

    def sharing(self, subject: str = "") -> "DataAccess":
        """Return this access with a network to share, so that one load learns from another."""
        return replace(self, network=self.known_network, subject=subject)


def cache_folder() -> Path:
    """Return the folder of what may be kept: ``BOOSTBENCH_CACHE``, else the user's cache."""
    given = os.environ.get("BOOSTBENCH_CACHE")
    return Path(given).expanduser() if given else user_cache_path("boostbench")


def default_access(
    mirror: Path | str | None = None,
    offline: bool = False,
    notify: Callable[[str], None] = _silent,
) -> DataAccess:
    """Return the access that options and the environment ask for.

    ``BOOSTBENCH_CACHE`` and ``BOOSTBENCH_MIRROR`` are folders; the latter counts where ``mirror``
    is None. ``BOOSTBENCH_OPENML_SERVER``, ``BOOSTBENCH_UCI_URL`` and ``BOOSTBENCH_KEEL_URL``
    are addresses that take the place of the public ones (for UCI, of its copies too).

    :raises DataError: if the mirror is not a folder
    """
    environ = os.environ
    mirror = mirror or environ.get("BOOSTBENCH_MIRROR") or None
    return DataAccess(
        cache_dir=cache_folder(),
        mirror=Path(mirror).expanduser() if mirror else None,
        offline=offline,
        notify=notify,
        openml_server=environ.get("BOOSTBENCH_OPENML_SERVER") or None,
        uci_url=environ.get("BOOSTBENCH_UCI_URL") or DataAccess.uci_url,
        uci_cdn_url="" if environ.get("BOOSTBENCH_UCI_URL") else DataAccess.uci_cdn_url,
        keel_url=environ.get("BOOSTBENCH_KEEL_URL") or DataAccess.keel_url,
    )
