"""The sources that data may come from, the cache, and the state of the network during a run."""

import os
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from platformdirs import user_cache_path

from boostbench.errors import BoostbenchError, ConfigError

_GITHUB = ("raw.githubusercontent.com", "media.githubusercontent.com")


@dataclass
class Transfer:
    """One download, or one computation of features of images, as it proceeds.

    Parameters
    ----------
    what : the data set and the file or OpenML id; the features and their images
    place : the host, or the repository on GitHub; empty for features
    received : bytes so far, or images
    total : bytes or images of the whole, None where the server does not say
    ended : whether it is over
    complete : whether it is over and the whole was received
    unit : what is counted
    """

    what: str
    place: str
    received: int = 0
    total: int | None = None
    ended: bool = False
    complete: bool = False
    unit: Literal["bytes", "images"] = "bytes"


class NotComputed(BoostbenchError):
    """Features of images are not in the cache, and may not be computed now."""


class Network:
    """The state of the network that loads with the same access share; thread-safe.

    ``failures`` maps an address that failed to the reason, ``down`` a host that does not answer;
    neither is asked again. ``damaged`` are the addresses whose file had another checksum.
    Downloads stop when ``stopping`` is set.
    """

    def __init__(self) -> None:
        self.failures: dict[str, str] = {}
        self.damaged: set[str] = set()
        self.down: dict[str, str] = {}
        self.stopping = threading.Event()
        self._busy: dict[Path, threading.Lock] = {}

    def only_one(self, path: Path) -> AbstractContextManager[object]:
        """Return a lock, so that a file that two data sets share is downloaded once."""
        return self._busy.setdefault(path, threading.Lock())


@dataclass(frozen=True)
class DataAccess:
    """The caches, mirrors and servers that loaders may use.

    Parameters
    ----------
    cache_dir : folder for downloaded files, made when needed
    mirror : folder with copies of the files that cards name, anywhere below it, used before any
        other place
    offline : never open a socket; data that are neither cached nor local are an error
    notify : gets a sentence about each place that failed
    watch : gets each download when it begins, when bytes arrive, and when it ends, and features
        of images while they are computed; called from several threads
    attempts : how often each address is tried
    openml_server : address of the OpenML XML API, or None for the client's own
    uci_url : address under which UCI's ``ID/SLUG.zip`` lie
    uci_cdn_url : address under which the copies of UCI's zips lie, tried last; may be empty
    keel_url : address under which KEEL's ``GROUP/NAME.zip`` lie
    may_compute : whether features of images may be computed, where the cache has none; else
        :class:`NotComputed` is raised
    subject : name of the data set that is being loaded, for ``watch``
    network : the state of the network as earlier loads found it
    mirror_index : the files of the mirror by name; filled once, when it is needed
    """

    cache_dir: Path
    mirror: Path | None = None
    offline: bool = False
    notify: Callable[[str], object] = lambda _: None
    watch: Callable[[Transfer], object] = lambda _: None
    attempts: int = 3
    openml_server: str | None = None
    uci_url: str = "https://archive.ics.uci.edu/static/public"
    uci_cdn_url: str = "https://cdn.uci-ics-mlr-prod.aws.uci.edu"
    keel_url: str = "https://sci2s.ugr.es/keel/dataset/data"
    may_compute: bool = True
    subject: str = ""
    network: Network = field(default_factory=Network, repr=False)
    mirror_index: dict[str, list[Path]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if self.mirror is not None and not Path(self.mirror).is_dir():
            raise ConfigError(f"the mirror {self.mirror} is not a folder")


def default_access(
    mirror: Path | str | None = None,
    offline: bool = False,
    notify: Callable[[str], object] = lambda _: None,
) -> DataAccess:
    """Return the access that options and the environment ask for; ConfigError for a missing mirror.

    ``BOOSTBENCH_CACHE`` (else the user's cache) and ``BOOSTBENCH_MIRROR`` are folders; the latter
    counts where ``mirror`` is None. ``BOOSTBENCH_OPENML_SERVER``, ``BOOSTBENCH_UCI_URL`` and
    ``BOOSTBENCH_KEEL_URL`` are addresses that take the place of the public ones (for UCI, of its
    copies too).
    """
    cache = os.environ.get("BOOSTBENCH_CACHE")
    folder = str(mirror) if mirror else os.environ.get("BOOSTBENCH_MIRROR")
    access = DataAccess(
        Path(cache).expanduser() if cache else user_cache_path("boostbench"),
        Path(folder).expanduser() if folder else None,
        offline,
        notify,
        openml_server=os.environ.get("BOOSTBENCH_OPENML_SERVER") or None,
        keel_url=os.environ.get("BOOSTBENCH_KEEL_URL") or DataAccess.keel_url,
    )
    if uci_url := os.environ.get("BOOSTBENCH_UCI_URL"):
        return replace(access, uci_url=uci_url, uci_cdn_url="")
    return access


def host_of(url: str) -> str:
    """Return the host, and the port where one is given, of an address; empty if it is wrong."""
    try:
        return urlsplit(url).netloc.rpartition("@")[2]
    except ValueError:
        return ""


def place_of(url: str) -> str:
    """Return who serves an address: the host, or the repository on GitHub."""
    host = host_of(url)
    if host in _GITHUB:
        return "github.com/" + "/".join(urlsplit(url).path.removeprefix("/media").split("/")[1:3])
    return host
