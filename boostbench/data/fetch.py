"""Downloads: several addresses, growing delays, whole files only."""

import hashlib
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from boostbench.data import bounds
from boostbench.data.access import DataAccess
from boostbench.errors import DataError


class NotAtHand(DataError):
    """The data are neither in the cache nor in the mirror, and may not be fetched."""


class _Final(Exception):
    """A failure that another attempt at the same address would not mend."""


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

    Each address is tried ``access.attempts`` times, in rounds, with a pause that doubles. The
    file appears in the cache whole, and with the right sha256 where one is given, or not at all.

    :param used: gets the file if it has no sha256, and whether it was in the cache before
    :raises DataError: saying for each address why it failed
    """
    path = cached_path(access, urls, sha256)
    there = path.is_file() and (sha256 is None or sha256_of(path) == sha256)
    if used is not None and sha256 is None:
        used[path] = there
    if there:
        return path
    if access.offline:
        raise NotAtHand(f"{urls[0]} is not in the cache, and offline mode forbids fetching it")
    reasons: dict[str, str] = {}
    final: set[str] = set()
    for attempt in range(access.attempts):
        if attempt:
            time.sleep(access.delay_s * 2 ** (attempt - 1))
        for url in urls:
            if url in final:
                continue
            access.notify(f"fetching {url}" + (f" (attempt {attempt + 1})" if attempt else ""))
            try:
                return _retrieve(url, path, sha256)
            except _Final as error:
                reasons[url] = str(error)
                final.add(url)
            except _Passing as error:
                reasons[url] = str(error)
        if len(final) == len(set(urls)):
            break
    raise DataError("; ".join(f"{url}: {reason}" for url, reason in reasons.items()))


def sha256_of(path: Path) -> str:
    """Return the sha256 of a file as 64 hex digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class _Passing(Exception):
    """A failure that may be gone at the next attempt."""


def _retrieve(url: str, path: Path, sha256: str | None) -> Path:
    import logging

    import pooch
    import requests

    pooch.get_logger().setLevel(logging.WARNING)
    try:
        pooch.retrieve(
            url,
            known_hash=None if sha256 is None else f"sha256:{sha256}",
            fname=path.name,
            path=path.parent,
            downloader=_download,
        )
    except requests.HTTPError as error:
        code = 0 if error.response is None else error.response.status_code
        kind = _Passing if code >= 500 or code in (408, 425, 429) else _Final
        raise kind(f"the server answers HTTP {code}") from None
    except requests.Timeout:
        raise _Passing("the server does not answer in time") from None
    except requests.exceptions.ChunkedEncodingError:
        raise _Passing("the download broke off before its end") from None
    except requests.exceptions.InvalidURL as error:
        raise _Final(f"the address is wrong: {error}") from None
    except requests.RequestException as error:
        raise _Passing(f"no connection ({type(error).__name__})") from None
    except ValueError as error:
        if "hash" not in str(error).lower():
            raise _Final(str(error)) from None
        raise _Passing("its sha256 is not the one expected") from None
    except PermissionError as error:
        raise DataError(f"the cache folder {path.parent} cannot be written: {error}") from None
    except OSError as error:
        raise DataError(
            f"{url} cannot be stored in the cache folder {path.parent}: {error.strerror or error}"
        ) from None
    return path


def _download(url: str, output_file: str | Path, _: Any) -> None:
    """Stream ``url`` to a file, within the bounds; pooch moves it into place afterwards."""
    # In a thread: a server that sends a byte now and then keeps a read from ever coming back.
    stream = _Stream(url, Path(output_file))
    stream.start()
    stream.join(bounds.DOWNLOAD_DEADLINE_S)
    if stream.is_alive():
        stream.abandoned = True
        raise _Passing(f"the download takes more than {bounds.DOWNLOAD_DEADLINE_S:g} s")
    if stream.error is not None:
        raise stream.error


class _Stream(threading.Thread):
    """Downloads one address; what went wrong is :attr:`error` when it has ended."""

    def __init__(self, url: str, output: Path) -> None:
        super().__init__(daemon=True)
        self.url, self.output = url, output
        self.abandoned = False
        self.error: Exception | None = None

    def run(self) -> None:
        try:
            self._stream()
        except Exception as error:
            self.error = error

    def _stream(self) -> None:
        import requests

        timeout = (bounds.CONNECT_TIMEOUT_S, bounds.READ_TIMEOUT_S)
        size = 0
        with (
            self.output.open("wb") as file,
            requests.get(self.url, stream=True, timeout=timeout) as response,
        ):
            response.raise_for_status()
            for chunk in response.iter_content(1 << 16):
                size += len(chunk)
                if size > bounds.MAX_DOWNLOAD_BYTES:
                    limit = bounds.readable_size(bounds.MAX_DOWNLOAD_BYTES)
                    raise _Final(f"the file is larger than {limit}, the most that is allowed")
                if self.abandoned:
                    return
                file.write(chunk)
            expected = response.headers.get("Content-Length", "")
            whole = expected.isdecimal() and not response.headers.get("Content-Encoding")
            if whole and size != int(expected):
                raise _Passing(f"the download broke off after {size} of {expected} bytes")
