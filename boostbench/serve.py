"""The page of a results folder over HTTP on this machine only, made again as results come in.

Only the page and its version are served, and only to this machine: no path leads to a file, other
methods than GET and HEAD are refused, and so are requests for another host's name, by which a
foreign page in the same browser could read this one (DNS rebinding).
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import socket
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socketserver import TCPServer
from typing import NamedTuple

from boostbench.errors import BoostbenchError, ConfigError

LEAST_INTERVAL = 2.0
"""The least seconds between two readings of the store; a page that takes long waits longer."""
_PATIENCE = 3.0
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class Version(NamedTuple):
    """A page, a digest of its bytes, and the numbers of finished and planned runs."""

    page: bytes
    digest: str
    finished: int
    planned: int


class LivePage:
    """The page of a results folder, made again where its store has changed. Safe among threads."""

    def __init__(self, folder: Path) -> None:
        """Make the page; raises StoreError as :meth:`~boostbench.store.store.Store.open` does."""
        self.folder = folder
        self._lock = threading.Lock()
        self._seen = self._state()
        self._version = self._made()
        self._next = 0.0

    def current(self) -> Version:
        """Return the page of the results as they are, or as they were a few seconds ago."""
        with self._lock:
            state, now = self._state(), time.monotonic()
            if state != self._seen and now >= self._next:
                # A store that cannot be read at the moment leaves the page as it was.
                with contextlib.suppress(BoostbenchError, OSError):
                    self._version = self._made()
                    self._seen = state
                took = time.monotonic() - now
                self._next = now + took + max(LEAST_INTERVAL, _PATIENCE * took)
            return self._version

    def _state(self) -> tuple[tuple[int, int], ...]:
        from boostbench.store.files import STORE_FILE

        found = []
        for suffix in ("", "-wal"):
            with contextlib.suppress(OSError):
                about = (self.folder / f"{STORE_FILE}{suffix}").stat()
                found.append((about.st_mtime_ns, about.st_size))
        return tuple(found)

    def _made(self) -> Version:
        from boostbench.report.build import live_page
        from boostbench.report.figures.cache import users_cache
        from boostbench.report.render.html import NO_VERSION
        from boostbench.store.store import Store

        with Store.open(self.folder, create=False, read_only=True) as store:
            text, finished, planned = live_page(store, users_cache())
        digest = hashlib.sha256(text.encode()).hexdigest()[:16]
        page = text.replace(NO_VERSION, NO_VERSION.replace('""', f'"{digest}"'), 1)
        return Version(page.encode(), digest, finished, planned)


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    server_version, sys_version = "boostbench", ""
    timeout = 10

    def do_GET(self) -> None:
        if not self._is_ours():
            self._refuse(403, "this server answers to this machine's own name only")
        elif self.path == "/":
            self._answer(200, "text/html; charset=utf-8", self.server.page.current().page)
        elif self.path == "/version":
            version = self.server.page.current()
            about = {
                "version": version.digest,
                "finished": version.finished,
                "planned": version.planned,
            }
            self._answer(200, "application/json", json.dumps(about).encode())
        else:
            self._refuse(404, "there is nothing here but the page at /")

    do_HEAD = do_GET

    def _not_allowed(self) -> None:
        self._refuse(405, "results are only read: use GET or HEAD")

    do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_TRACE = do_CONNECT = _not_allowed

    def _is_ours(self) -> bool:
        # As given, twice given ones too: a browser sends one, and the names it may have are few.
        given = self.headers.get_all("Host") or []
        return len(given) == 1 and given[0].strip().lower() in self.server.names

    def _refuse(self, code: int, sentence: str) -> None:
        self._answer(code, "text/plain; charset=utf-8", f"{sentence}\n".encode())

    def _answer(self, code: int, kind: str, body: bytes) -> None:
        self.send_response(code)
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        if code == 405:
            self.send_header("Allow", "GET, HEAD")
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Write nothing: the terminal is the user's."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    # Where another program listens the port is taken, whatever that program allows.
    allow_reuse_port = False

    page: LivePage

    def __init__(self, address: str, port: int) -> None:
        self.address_family = socket.AF_INET6 if ":" in address else socket.AF_INET
        super().__init__((address, port), _Handler)
        own = self.server_address[1]
        hosts = ("localhost", "127.0.0.1", "[::1]")
        self.names = {f"{host}:{own}" for host in hosts} | (set(hosts) if own == 80 else set())

    def server_bind(self) -> None:
        """Bind, without asking for this machine's name, which can take seconds."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = "localhost", int(self.server_address[1])

    def handle_error(self, request: object, client_address: object) -> None:
        """Write nothing where a browser hangs up."""


@contextlib.contextmanager
def serving(folder: Path, port: int = 0) -> Iterator[str]:
    """Serve the page of a results folder at 127.0.0.1 and ::1; yield its address.

    ``port`` 0 takes a free one. Raises StoreError where there are no results, and ConfigError where
    the port is taken or not allowed.
    """
    # The ports first: a page may take seconds to make.
    servers = [_bound("127.0.0.1", port)]
    own = int(servers[0].server_address[1])
    with contextlib.ExitStack() as stack:
        stack.callback(servers[0].server_close)
        try:
            servers.append(_Server("::1", own))
            stack.callback(servers[1].server_close)
        except OSError as error:
            # A machine may lack IPv6, and a free port may be taken on the other address.
            if error.errno == errno.EADDRINUSE and port:
                raise _taken(port) from error
        page = LivePage(folder)
        for server in servers:
            server.page = page
            threading.Thread(target=server.serve_forever, args=(0.2,), daemon=True).start()
            stack.callback(server.shutdown)
        yield f"http://127.0.0.1:{own}/"


def _bound(address: str, port: int) -> _Server:
    try:
        return _Server(address, port)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise _taken(port) from error
        if error.errno == errno.EACCES:
            raise ConfigError(
                f"port {port} is reserved for the system: choose one of 1024 or more with --port"
            ) from error
        raise


def _taken(port: int) -> ConfigError:
    return ConfigError(
        f"port {port} is taken by another program: choose another with --port (0: any free one)"
    )
