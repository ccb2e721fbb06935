"""Downloads: several addresses, several attempts at each, whole files only."""

import hashlib
import logging
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any
from urllib.parse import unquote

import pooch
import requests
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

from boostbench.data import bounds
from boostbench.data.access import DataAccess, Transfer
from boostbench.data.network import (
    Interrupted,
    Network,
    Unreachable,
    connection_problem,
    host_of,
    place_of,
    unanswered,
)
from boostbench.errors import DataError, UnavailableDataError

_POLL_S = 0.1
_RETRIED_STATUS = (408, 425, 429, 500, 502, 503, 504)


class NotAtHand(UnavailableDataError):
    """The data are neither in the cache nor in the mirror, and may not be fetched."""


class _Final(Exception):
    """A failure that another attempt at the same address would not mend."""


class _Incomplete(Exception):
    """A download that broke off, which another attempt may complete."""


class _NoConnection(Exception):
    """The host does not answer, in spite of several attempts."""


def cached_path(access: DataAccess, urls: Sequence[str], sha256: str | None) -> Path:
    """Return where the file of these addresses is kept, whether it is there or not."""
    tag = sha256 or hashlib.sha256(urls[0].encode()).hexdigest()
    return access.cache_dir / "files" / f"{tag[:16]}-{urls[0].rsplit('/', 1)[-1][-80:]}"


def fetch(
    access: DataAccess,
    urls: Sequence[str],
    sha256: str | None = None,
    *,
    used: dict[Path, bool] | None = None,
) -> Path:
    """Return the cached file of one of ``urls``, downloading it if it is not there.

    The addresses are tried in turn, each up to ``access.attempts`` times, except those of hosts
    that ``access.network`` knows not to answer. The file appears in the cache whole, and with the
    right sha256 where one is given, or not at all.

    :param used: gets the file if it has no sha256, and whether it was in the cache before the run
    :raises NotAtHand: if it is not in the cache and ``access`` is offline
    :raises Unreachable: if none of the hosts answers
    :raises DataError: saying for each address why it failed
    """
    network = access.known_network
    path = cached_path(access, urls, sha256)
    with network.only_one(path):
        there = path.is_file() and (sha256 is None or sha256_of(path) == sha256)
        if used is not None and sha256 is None:
            used[path] = there and path not in network.origins
        if there:
            return path
        if access.offline:
            raise NotAtHand(f"{urls[0]} is not in the cache, and offline mode forbids fetching it")
        for url in urls:
            if url in network.failures or network.down([url]):
                continue
            try:
                _retrieve(access, network, url, path, sha256)
            except _NoConnection as error:
                if network.mark_down(url, str(error)):
                    access.notify(f"{unanswered(network.down([url]))}; it is not asked again")
            except (_Final, _Incomplete) as error:
                network.failures[url] = str(error)
            else:
                network.origins[path] = url
                return path
    silent = network.down(urls)
    if all(host_of(url) in silent for url in urls):
        raise Unreachable(silent)
    reasons = [
        f"{url}: {network.failures[url]}" if url in network.failures
        else unanswered(network.down([url]))
        for url in dict.fromkeys(urls)
    ]  # fmt: skip
    raise DataError("; ".join(dict.fromkeys(reasons)))


def sha256_of(path: Path) -> str:
    """Return the sha256 of a file as 64 hex digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _retrieve(
    access: DataAccess, network: Network, url: str, path: Path, sha256: str | None
) -> None:

    def download(_: str, output_file: str | Path, __: Any) -> None:
        _download(access, network, url, Path(output_file))

    pooch.get_logger().setLevel(logging.WARNING)
    try:
        for attempt in range(1, access.attempts + 1):
            try:
                pooch.retrieve(
                    url,
                    known_hash=None if sha256 is None else f"sha256:{sha256}",
                    fname=path.name,
                    path=path.parent,
                    downloader=download,
                )
                return
            except _Incomplete:
                if attempt == access.attempts:
                    raise
    except requests.HTTPError as error:
        code = 0 if error.response is None else error.response.status_code
        raise _Final(f"the server answers HTTP {code}") from None
    except requests.exceptions.InvalidURL as error:
        raise _Final(f"the address is wrong: {error}") from None
    except requests.RequestException as error:
        reason = connection_problem(error)
        asked = host_of(url if error.request is None else str(error.request.url))
        if reason is not None and asked != host_of(url):
            raise _Final(f"it leads to {asked}, which does not answer ({reason})") from None
        if reason is not None:
            raise _NoConnection(reason) from None
        raise _Final(f"no connection ({type(error).__name__})") from None
    except ValueError as error:
        if "hash" not in str(error).lower():
            raise _Final(str(error)) from None
        raise _Final("its sha256 is not the one expected") from None
    except PermissionError as error:
        raise DataError(f"the cache folder {path.parent} cannot be written: {error}") from None
    except OSError as error:
        raise DataError(
            f"{url} cannot be stored in the cache folder {path.parent}: {error.strerror or error}"
        ) from None


def _download(access: DataAccess, network: Network, url: str, output: Path) -> None:
    """Stream ``url`` to a file, within the bounds; pooch moves it into place afterwards."""
    what = unquote(url.rsplit("/", 1)[-1]) or url
    transfer = Transfer(f"{access.subject}: {what}" if access.subject else what, place_of(url))
    deadline = time.monotonic() + bounds.DOWNLOAD_DEADLINE_S
    # In a thread: a server that sends a byte now and then keeps a read from ever coming back.
    with output.open("wb") as file:
        stream = _Stream(access, url, file, transfer)
        access.watch(transfer)
        stream.start()
        try:
            while stream.is_alive():
                if network.stopping.is_set():
                    raise Interrupted
                if time.monotonic() > deadline:
                    raise _Final(f"the download takes more than {bounds.DOWNLOAD_DEADLINE_S:g} s")
                stream.join(_POLL_S)
            if stream.error is not None:
                raise stream.error
            transfer.complete = True
        finally:
            stream.abandoned = True
            transfer.ended = True
            access.watch(transfer)


class _Stream(threading.Thread):
    """Downloads one address; what went wrong is :attr:`error` when it has ended."""

    def __init__(self, access: DataAccess, url: str, file: IO[bytes], transfer: Transfer) -> None:
        super().__init__(daemon=True)
        self.access, self.url, self.file, self.transfer = access, url, file, transfer
        self.abandoned = False
        self.error: Exception | None = None

    def run(self) -> None:
        try:
            self._stream()
        except Exception as error:
            self.error = error

    def _stream(self) -> None:
        timeout = (bounds.CONNECT_TIMEOUT_S, bounds.READ_TIMEOUT_S)
        with (
            _session(self.access) as session,
            session.get(self.url, stream=True, timeout=timeout) as response,
        ):
            response.raise_for_status()
            try:
                self._receive(response)
            except (requests.exceptions.ChunkedEncodingError, requests.ConnectionError):
                raise _Incomplete("the download broke off before its end") from None

    def _receive(self, response: requests.Response) -> None:
        said = response.headers.get("Content-Length", "")
        whole = said.isdecimal() and not response.headers.get("Content-Encoding")
        self.transfer.total = int(said) if whole else None
        for chunk in response.iter_content(1 << 16):
            if self.abandoned:
                return
            self.transfer.received += len(chunk)
            if self.transfer.received > bounds.MAX_DOWNLOAD_BYTES:
                limit = bounds.readable_size(bounds.MAX_DOWNLOAD_BYTES)
                raise _Final(f"the file is larger than {limit}, the most that is allowed")
            self.file.write(chunk)
            self.access.watch(self.transfer)
        if self.transfer.total not in (None, self.transfer.received):
            raise _Incomplete(
                f"the download broke off after {self.transfer.received} of {said} bytes"
            )


def _session(access: DataAccess) -> requests.Session:
    """Return a session that tries again where no connection or a passing failure is the answer."""
    again = access.attempts - 1
    retry = Retry(
        total=again,
        # A host that stays silent has had its time.
        read=min(1, again),
        backoff_factor=access.delay_s,
        status_forcelist=_RETRIED_STATUS,
        raise_on_status=False,
        # A server must not be able to hold the run for hours.
        respect_retry_after_header=False,
    )
    session = requests.Session()
    for scheme in ("http://", "https://"):
        session.mount(scheme, HTTPAdapter(max_retries=retry))
    return session
