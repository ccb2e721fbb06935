"""Downloads by pooch: several addresses, several attempts at each, whole files only."""

import hashlib
import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, wait
from functools import partial
from pathlib import Path
from typing import TypeVar
from urllib.parse import unquote

import pooch
import requests
from rich.filesize import decimal

from boostbench.data import bounds
from boostbench.data.access import DataAccess, Network, Transfer, host_of, place_of
from boostbench.errors import DataError, UnavailableDataError
from boostbench.grouping import grouped

_Given = TypeVar("_Given")
_Try = tuple[str, str, Callable[[], _Given]]
POLL_S = 0.1
_RETRIED_STATUS = (408, 425, 429, 500, 502, 503, 504)


class NotLocal(UnavailableDataError):
    """The data are neither in the cache nor in the mirror, and may not be fetched."""


class Unreachable(UnavailableDataError):
    """No host that has the file answers; ``hosts`` gives the reason for each."""

    def __init__(self, hosts: Mapping[str, str]) -> None:
        super().__init__(unanswered(hosts))
        self.hosts = dict(hosts)


class Interrupted(Exception):
    """The user ended the run during a download."""


class Failed(Exception):
    """A failure for which another attempt at the same address is useless."""


def cached_path(access: DataAccess, urls: Sequence[str], sha256: str | None) -> Path:
    """Return the path in the cache for the file of these addresses, whether it exists or not."""
    tag = sha256 or hashlib.sha256(urls[0].encode()).hexdigest()
    return access.cache_dir / "files" / f"{tag[:16]}-{urls[0].rsplit('/', 1)[-1][-80:]}"


def fetch(access: DataAccess, urls: Sequence[str], sha256: str | None = None) -> Path:
    """Return the cached file of one of ``urls``, downloading it if it is missing.

    Raises NotLocal if it is not in the cache and ``access`` is offline, else as :func:`download`.
    """
    path = cached_path(access, urls, sha256)
    with access.network.only_one(path):
        if path.is_file() and sha256 in (None, pooch.file_hash(str(path))):
            return path
        if access.offline:
            raise NotLocal(f"{urls[0]} is not in the cache, and offline mode forbids fetching it")
        return download(access, urls, path, sha256 and f"sha256:{sha256}")


def download(
    access: DataAccess, urls: Sequence[str], path: Path, checksum: str | None, what: str = ""
) -> Path:
    """Download ``path`` from one of ``urls`` and return it.

    The addresses are tried in turn, each up to ``access.attempts`` times, except those of hosts
    that are known not to answer. The file is written completely, with the right ``checksum`` (such
    as ``md5:...``) where one is given, or not at all. ``what`` names it in reports of progress.

    Raises
    ------
    Unreachable
        if none of the hosts answers
    DataError
        saying for each address why it failed
    """
    get = partial(_retrieve, access, path, checksum, what)
    first_success(access, [(url, host_of(url), partial(get, url)) for url in urls])
    return path


def first_success(access: DataAccess, tries: Iterable[_Try[_Given]]) -> _Given:
    """Return the result of the first of ``tries`` (a name, its host, a function) that succeeds.

    Tries that failed before, and those of hosts known not to answer, are left out. Raises
    Unreachable if none of the hosts answers, else DataError saying why each try failed.
    """
    network = access.network
    reasons: list[str] = []
    silent: dict[str, str] = {}
    for name, host, call in tries:
        if name not in network.failures and host not in network.down:
            try:
                return call()
            except Unreachable as error:
                if error.hosts.keys() - network.down.keys():
                    access.notify(f"{error}; it is not asked again")
                network.down |= error.hosts
            except Failed as error:
                network.failures[name] = str(error)
        if name in network.failures:
            reasons.append(f"{name}: {network.failures[name]}")
        if host in network.down:
            silent[host] = network.down[host]
    if not reasons:
        raise Unreachable(silent)
    reasons += [unanswered(silent)] if silent else []
    raise DataError("; ".join(dict.fromkeys(reasons)))


def _retrieve(access: DataAccess, path: Path, checksum: str | None, what: str, url: str) -> None:
    """Download ``path`` from ``url``."""
    pooch.get_logger().setLevel(logging.WARNING)
    name, again = path.name, access.attempts - 1
    store = pooch.create(
        path.parent, "", registry={name: checksum}, urls={name: url}, retry_if_failed=again
    )
    try:
        what = what or unquote(url.rsplit("/", 1)[-1]) or url
        store.fetch(name, downloader=partial(_download, access, what))
    except requests.RequestException as error:
        raise _problem_of_request(error, url) from None
    except ValueError as error:
        if "hash" not in str(error).lower():
            raise Failed(str(error)) from None
        access.network.damaged.add(url)
        raise Failed(f"its {str(checksum).partition(':')[0]} is not the one expected") from None
    except OSError as error:
        raise DataError(
            f"{url} cannot be stored in the cache folder {path.parent}: {error.strerror or error}"
        ) from None


def _problem_of_request(error: requests.RequestException, url: str) -> Failed | Unreachable:
    """Return why there is no answer to a request for ``url``, or none that can be used."""
    reason = connection_problem(error)
    if reason is None:
        if error.response is None or not error.response.status_code:
            return Failed(f"the download broke off ({type(error).__name__})")
        return Failed(f"the server answers HTTP {error.response.status_code}")
    asked = host_of(url if error.request is None else str(error.request.url))
    if asked != host_of(url):
        return Failed(f"it leads to {asked}, which does not answer ({reason})")
    return Unreachable({asked: reason})


def _in_thread(run: Callable[[], _Given]) -> Future[_Given]:
    """Start ``run`` in a thread that, unlike a pool's, does not keep the process from ending."""
    outcome: Future[_Given] = Future()

    def work() -> None:
        try:
            outcome.set_result(run())
        except Exception as error:  # raised where the result is asked for
            outcome.set_exception(error)

    threading.Thread(target=work, daemon=True).start()
    return outcome


def bounded(run: Callable[[], _Given], network: Network, seconds: float) -> _Given:
    """Call ``run`` with a time limit, and return its result or raise its exception.

    It is called in a thread of its own, because a server that sends a byte now and then keeps a
    read waiting forever. Raises TimeoutError after ``seconds``, and Interrupted when the run stops.
    """
    outcome = _in_thread(run)
    deadline = time.monotonic() + seconds
    while not wait([outcome], POLL_S).done:
        if network.stopping.is_set():
            raise Interrupted
        if time.monotonic() > deadline:
            raise TimeoutError
    return outcome.result()


def _stream(access: DataAccess, transfer: Transfer, url: str, output: str) -> None:
    timeout = (bounds.CONNECT_TIMEOUT_S, bounds.READ_TIMEOUT_S)
    answer = requests.get(url, stream=True, timeout=timeout)
    with answer as response, Path(output).open("wb") as file:
        if not response.ok and response.status_code not in _RETRIED_STATUS:
            raise Failed(f"the server answers HTTP {response.status_code}")
        response.raise_for_status()
        transfer.total = int(response.headers.get("Content-Length", 0)) or None
        for chunk in response.iter_content(1 << 16):
            if transfer.ended:
                raise Failed("abandoned")
            file.write(chunk)
            transfer.received += len(chunk)
            if transfer.received > bounds.MAX_DOWNLOAD_BYTES:
                raise Failed(f"the file is over the limit of {decimal(bounds.MAX_DOWNLOAD_BYTES)}")
            access.watch(transfer)


def _download(access: DataAccess, what: str, url: str, output: str, _: object) -> None:
    """Stream ``url`` to a file, within the bounds; pooch moves it into place afterwards."""
    named = f"{access.subject}: {what}" if access.subject else what
    transfer = Transfer(named, place_of(url))
    access.watch(transfer)
    limit = bounds.DOWNLOAD_DEADLINE_S
    try:
        bounded(lambda: _stream(access, transfer, url, output), access.network, limit)
        transfer.complete = True
    except TimeoutError:
        raise Failed(f"the download takes more than {limit:g} s") from None
    finally:
        transfer.ended = True
        access.watch(transfer)


def probe(urls: Iterable[str], access: DataAccess) -> dict[str, str]:
    """Probe all hosts of ``urls`` in parallel; return those that do not answer, with reasons.

    Any HTTP response counts as an answer. Takes at most ``bounds.PROBE_TIMEOUT_S`` seconds; a host
    without an answer by then counts as down.
    """
    ask = partial(requests.head, timeout=2 * bounds.PROBE_TIMEOUT_S, allow_redirects=False)
    schemes = {host_of(url): url.partition(":")[0] for url in urls}
    answers = {h: _in_thread(partial(ask, f"{scheme}://{h}/")) for h, scheme in schemes.items()}
    wait(answers.values(), bounds.PROBE_TIMEOUT_S)
    late = requests.Timeout()
    down: dict[str, str] = {}
    for host, answer in answers.items():
        reason = connection_problem(answer.exception() if answer.done() else late)
        if reason is not None:
            down[host] = reason
    access.network.down |= down
    return down


def unanswered(hosts: Mapping[str, str]) -> str:
    """Return ``a.org, b.org do not answer (name not found); c.org does not answer (...)``."""
    by_reason = grouped((reason, host) for host, reason in sorted(hosts.items()))
    return "; ".join(
        f"{', '.join(names)} {'does' if len(names) == 1 else 'do'} not answer ({reason})"
        for reason, names in by_reason.items()
    )


def connection_problem(error: BaseException | None) -> str | None:
    """Return in a few words why there is no connection; None if the error says something else."""
    if isinstance(error, requests.Timeout):
        return "no answer in time"
    return "no connection" if isinstance(error, requests.ConnectionError) else None
