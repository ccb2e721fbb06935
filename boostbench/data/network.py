"""What one run learns of the network: hosts that do not answer, and where each file came from."""

import errno
import threading
from collections.abc import Collection, Iterable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from time import monotonic
from urllib.parse import urlsplit

import requests
from urllib3.exceptions import NameResolutionError, ReadTimeoutError

from boostbench.data import bounds
from boostbench.errors import UnavailableDataError

_GITHUB = ("raw.githubusercontent.com", "media.githubusercontent.com")


class Unreachable(UnavailableDataError):
    """No host that has the file answers; ``hosts`` gives the reason for each."""

    def __init__(self, hosts: Mapping[str, str]) -> None:
        super().__init__(unanswered(hosts))
        self.hosts = dict(hosts)


class Interrupted(Exception):
    """The user ended the run during a download."""


class Network:
    """Hosts, failures and origins that loads with the same object share; safe for threads.

    ``origins`` maps each file downloaded since this object was made to its address, ``failures``
    an address that failed to the reason; neither a host that does not answer nor a failed address
    is asked again. ``served`` says for each data set which source it came from. Downloads stop
    when ``stopping`` is set.
    """

    def __init__(self) -> None:
        self.origins: dict[Path, str] = {}
        self.failures: dict[str, str] = {}
        self.served: dict[str, str] = {}
        self.stopping = threading.Event()
        self._lock = threading.Lock()
        self._busy: dict[Path, threading.Lock] = {}
        self._down: dict[str, str] = {}
        self._up: set[str] = set()

    def only_one(self, path: Path) -> AbstractContextManager[object]:
        """Return a lock, so that a file that two data sets share is downloaded once."""
        with self._lock:
            return self._busy.setdefault(path, threading.Lock())

    def down(self, urls: Iterable[str]) -> dict[str, str]:
        """Return those hosts of ``urls`` that do not answer, each with the reason."""
        with self._lock:
            return {host: self._down[host] for host in map(host_of, urls) if host in self._down}

    def mark_down(self, url: str, reason: str) -> bool:
        """Remember that the host of ``url`` does not answer; return whether that is new."""
        with self._lock:
            new = host_of(url) not in self._down
            self._down.setdefault(host_of(url), reason)
            return new

    def probe(self, urls: Iterable[str]) -> None:
        """Ask all hosts of ``urls`` at once whether they answer, except those known already.

        Any HTTP answer will do. Takes at most ``bounds.PROBE_TIMEOUT_S`` seconds, whatever name
        servers and hosts do; a host without an answer by then counts as down.
        """
        with self._lock:
            known = self._up | self._down.keys()
        roots = {host_of(url): f"{url.partition(':')[0]}://{host_of(url)}/" for url in urls}
        # Threads of a pool would keep the process from ending while a name server hangs.
        threads = [
            threading.Thread(target=self._ask, args=(host, root), daemon=True)
            for host, root in roots.items()
            if host not in known
        ]
        deadline = monotonic() + bounds.PROBE_TIMEOUT_S
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(max(0.0, deadline - monotonic()))
        with self._lock:
            for host in roots.keys() - self._up:
                self._down.setdefault(host, f"no answer within {bounds.PROBE_TIMEOUT_S:g} s")

    def _ask(self, host: str, root: str) -> None:
        timeout = (bounds.CONNECT_TIMEOUT_S, bounds.PROBE_TIMEOUT_S)
        try:
            requests.head(root, timeout=timeout, allow_redirects=False).close()
        except (requests.RequestException, ValueError, OSError) as error:
            reason = connection_problem(error)
            if reason is not None:
                self.mark_down(root, reason)
                return
        with self._lock:
            self._up.add(host)


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


def unanswered(hosts: Mapping[str, str]) -> str:
    """Return ``a.org, b.org do not answer (name not found); c.org does not answer (...)``."""
    by_reason: dict[str, list[str]] = {}
    for host, reason in sorted(hosts.items()):
        by_reason.setdefault(reason, []).append(host)
    return "; ".join(
        f"{', '.join(names)} {'does' if len(names) == 1 else 'do'} not answer ({reason})"
        for reason, names in by_reason.items()
    )


def connection_problem(error: BaseException) -> str | None:
    """Return in a few words why there is no connection; None if the error says something else."""
    chain = _chain(error)
    if isinstance(error, requests.exceptions.ProxyError):
        return "no connection through the proxy"
    if isinstance(error, requests.exceptions.SSLError):
        return "no secure connection"
    if isinstance(error, requests.ConnectTimeout):
        return f"no connection within {bounds.CONNECT_TIMEOUT_S:g} s"
    if isinstance(error, requests.ReadTimeout) or _has(chain, ReadTimeoutError):
        return "no answer in time"
    if _has(chain, NameResolutionError):
        return "name not found"
    if not isinstance(error, requests.ConnectionError):
        return None
    numbers = {link.errno for link in chain if isinstance(link, OSError)}
    if errno.ECONNREFUSED in numbers:
        return "connection refused"
    if numbers & {errno.ENETUNREACH, errno.EHOSTUNREACH}:
        return "network unreachable"
    return "connection closed" if errno.ECONNRESET in numbers else "no connection"


def _chain(error: BaseException) -> list[BaseException]:
    """Return ``error`` and the errors behind it: causes, contexts, wrapped errors."""
    found: list[BaseException] = []
    waiting: list[object] = [error]
    while waiting:
        link = waiting.pop()
        if isinstance(link, BaseException) and not any(link is known for known in found):
            found.append(link)
            waiting += [link.__cause__, link.__context__, getattr(link, "reason", None), *link.args]
    return found


def _has(chain: Collection[BaseException], kind: type[BaseException]) -> bool:
    return any(isinstance(link, kind) for link in chain)
