"""Downloads by pooch: several addresses, several attempts at each, whole files only."""

import hashlib
import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, wait
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pooch
import requests

from boostbench.data import bounds
from boostbench.data.access import DataAccess, Network, Transfer, host_of, place_of
from boostbench.errors import DataError, UnavailableDataError

_POLL_S = 0.1
_RETRIED_STATUS = (408, 425, 429, 500, 502, 503, 504)
# Why there is no connection, by what the errors of requests and of the system say.
_REASONS = {
    "proxy": "no connection through the proxy",
    "ssl": "no secure connection",
    "connect timeout": "no connection in time",
    "timed out": "no answer in time",
    "name or service not known": "name not found",
    "nameresolution": "name not found",
    "refused": "connection refused",
    "unreachable": "network unreachable",
    "reset": "connection closed",
}


class NotAtHand(UnavailableDataError):
    """The data are neither in the cache nor in the mirror, and may not be fetched."""


class Unreachable(UnavailableDataError):
    """No host that has the file answers; ``hosts`` gives the reason for each."""

    def __init__(self, hosts: Mapping[str, str]) -> None:
        super().__init__(unanswered(hosts))
        self.hosts = dict(hosts)


class Interrupted(Exception):
    """The user ended the run during a download."""


class Failed(Exception):
    """A failure that another attempt at the same address would not mend."""


def cached_path(access: DataAccess, urls: Sequence[str], sha256: str | None) -> Path:
    """Return where the file of these addresses is kept, whether it is there or not."""
    tag = sha256 or hashlib.sha256(urls[0].encode()).hexdigest()
    return access.cache_dir / "files" / f"{tag[:16]}-{urls[0].rsplit('/', 1)[-1][-80:]}"


def fetch(access: DataAccess, urls: Sequence[str], sha256: str | None = None) -> Path:
    """Return the cached file of one of ``urls``, downloading it if it is not there.

    Raises NotAtHand if it is not in the cache and ``access`` is offline, else as :func:`download`.
    """
    path = cached_path(access, urls, sha256)
    with access.network.only_one(path):
        if path.is_file() and sha256 in (None, pooch.file_hash(str(path))):
            return path
        if access.offline:
            raise NotAtHand(f"{urls[0]} is not in the cache, and offline mode forbids fetching it")
        return download(access, urls, path, sha256 and f"sha256:{sha256}")


def download(
    access: DataAccess, urls: Sequence[str], path: Path, checksum: str | None, what: str = ""
) -> Path:
    """Return ``path`` once one of ``urls`` has given it.

    The addresses are tried in turn, each up to ``access.attempts`` times, except those of hosts
    that are known not to answer. The file appears whole, and with the right ``checksum`` (such as
    ``md5:...``) where one is given, or not at all. ``what`` is what those who watch are told.

    Raises
    ------
    Unreachable
        if none of the hosts answers
    DataError
        saying for each address why it failed
    """
    network = access.network
    for url in urls:
        if url in network.failures or host_of(url) in network.down:
            continue
        try:
            _retrieve(access, url, path, checksum, what or unquote(url.rsplit("/", 1)[-1]) or url)
        except Unreachable as error:
            mark_down(access, error)
        except Failed as error:
            network.failures[url] = str(error)
        else:
            network.origins[path] = url
            return path
    reasons = [f"{url}: {network.failures[url]}" for url in urls if url in network.failures]
    silent = {h: network.down[h] for h in map(host_of, urls) if h in network.down}
    if not reasons:
        raise Unreachable(silent)
    raise DataError("; ".join(dict.fromkeys([*reasons, *([unanswered(silent)] if silent else [])])))


def mark_down(access: DataAccess, error: Unreachable) -> None:
    """Remember hosts that do not answer, and notify of those that are new."""
    if error.hosts.keys() - access.network.down.keys():
        access.notify(f"{error}; it is not asked again")
    access.network.down |= error.hosts


def _retrieve(access: DataAccess, url: str, path: Path, checksum: str | None, what: str) -> None:
    pooch.get_logger().setLevel(logging.WARNING)
    store = pooch.create(
        path.parent,
        base_url="",
        registry={path.name: checksum},
        urls={path.name: url},
        retry_if_failed=access.attempts - 1,
    )
    try:
        store.fetch(path.name, downloader=partial(_download, access, what))
    except requests.RequestException as error:
        reason = connection_problem(error)
        asked = host_of(url if error.request is None else str(error.request.url))
        if reason is None:
            raise Failed(_without_connection(error)) from None
        if asked != host_of(url):
            raise Failed(f"it leads to {asked}, which does not answer ({reason})") from None
        raise Unreachable({asked: reason}) from None
    except ValueError as error:
        if "hash" not in str(error).lower():
            raise Failed(str(error)) from None
        kind = str(checksum).partition(":")[0]
        access.network.damaged.add(url)
        raise Failed(f"its {kind} is not the one expected") from None
    except OSError as error:
        raise DataError(
            f"{url} cannot be stored in the cache folder {path.parent}: {error.strerror or error}"
        ) from None


def _without_connection(error: requests.RequestException) -> str:
    if isinstance(error, requests.HTTPError) and error.response is not None:
        return f"the server answers HTTP {error.response.status_code}"
    if isinstance(error, requests.exceptions.ChunkedEncodingError):
        return "the download broke off before its end"
    return f"no connection ({type(error).__name__})"


def _in_thread(run: Callable[[], Any]) -> Future[Any]:
    """Have ``run`` begin in a thread that does not keep the process from ending, as a pool's do."""
    outcome: Future[Any] = Future()

    def work() -> None:
        try:
            outcome.set_result(run())
        except Exception as error:
            outcome.set_exception(error)

    threading.Thread(target=work, daemon=True).start()
    return outcome


def bounded(run: Callable[[], Any], network: Network, seconds: float) -> Any:
    """Return what ``run`` returns, or raise what it raises.

    In a thread of its own: a server that sends a byte now and then keeps a read from ever coming
    back. Raises TimeoutError after so many seconds, and Interrupted where the run is stopping.
    """
    outcome = _in_thread(run)
    deadline = time.monotonic() + seconds
    while not wait([outcome], _POLL_S).done:
        if network.stopping.is_set():
            raise Interrupted
        if time.monotonic() > deadline:
            raise TimeoutError
    return outcome.result()


class _Progress:
    """What pooch's downloader reports to, chunk by chunk; ends downloads that are too large."""

    def __init__(self, access: DataAccess, transfer: Transfer, output: Path) -> None:
        self.access, self.transfer, self.output = access, transfer, output
        self.total = 0

    def update(self, _: int = 0) -> None:
        if self.transfer.ended:
            raise Failed("abandoned")
        self.transfer.received = self.output.stat().st_size
        self.transfer.total = self.total or None
        if self.transfer.received > bounds.MAX_DOWNLOAD_BYTES:
            limit = bounds.readable_size(bounds.MAX_DOWNLOAD_BYTES)
            raise Failed(f"the file is larger than {limit}, the most that is allowed")
        self.access.watch(self.transfer)

    def reset(self) -> None:
        pass

    def close(self) -> None:
        pass


def _download(access: DataAccess, what: str, url: str, output: str, _: Any) -> None:
    """Stream ``url`` to a file, within the bounds; pooch moves it into place afterwards."""
    named = f"{access.subject}: {what}" if access.subject else what
    transfer = Transfer(named, place_of(url))
    access.watch(transfer)
    timeout = (bounds.CONNECT_TIMEOUT_S, bounds.READ_TIMEOUT_S)
    progress = _Progress(access, transfer, Path(output))
    downloader = pooch.HTTPDownloader(progress, chunk_size=1 << 16, timeout=timeout)
    try:
        limit = bounds.DOWNLOAD_DEADLINE_S
        bounded(lambda: downloader(url, output, None), access.network, limit)
        transfer.complete = True
    except TimeoutError:
        raise Failed(f"the download takes more than {limit:g} s") from None
    except requests.HTTPError as error:
        if getattr(error.response, "status_code", None) not in _RETRIED_STATUS:
            raise Failed(_without_connection(error)) from None
        raise
    finally:
        transfer.ended = True
        access.watch(transfer)


def probe(urls: Iterable[str], access: DataAccess) -> dict[str, str]:
    """Ask all hosts of ``urls`` at once whether they answer; return those that do not.

    Any HTTP answer will do. Takes at most ``bounds.PROBE_TIMEOUT_S`` seconds, whatever name
    servers and hosts do; a host without an answer by then counts as down.
    """

    def ask(url: str) -> str | None:
        try:
            root = f"{url.partition(':')[0]}://{host_of(url)}/"
            requests.head(root, timeout=2 * bounds.PROBE_TIMEOUT_S, allow_redirects=False).close()
        except (requests.RequestException, ValueError, OSError) as error:
            return connection_problem(error)
        return None

    asked = {host_of(url): url for url in urls}
    answers = {host: _in_thread(partial(ask, url)) for host, url in asked.items()}
    wait(answers.values(), bounds.PROBE_TIMEOUT_S)
    late = f"no answer within {bounds.PROBE_TIMEOUT_S:g} s"
    reasons = {host: f.result() if f.done() else late for host, f in answers.items()}
    down = {host: reason for host, reason in reasons.items() if reason is not None}
    access.network.down |= down
    return down


def unanswered(hosts: Mapping[str, str]) -> str:
    """Return ``a.org, b.org do not answer (name not found); c.org does not answer (...)``."""
    by_reason: dict[str, list[str]] = {}
    for host, reason in sorted(hosts.items()):
        by_reason.setdefault(reason, []).append(host)
    return "; ".join(
        f"{', '.join(names)} {'does' if len(names) == 1 else 'do'} not answer ({reason})"
        for reason, names in by_reason.items()
    )


def connection_problem(error: Exception) -> str | None:
    """Return in a few words why there is no connection; None if the error says something else."""
    if not isinstance(error, requests.ConnectionError | requests.Timeout):
        return None
    said = f"{type(error).__name__} {error}".lower()
    return next((reason for mark, reason in _REASONS.items() if mark in said), "no connection")
