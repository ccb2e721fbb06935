"""A loopback server in place of OpenML, UCI and KEEL, also where they fail.

For tests of loaders through their real clients::

    with LoopbackServer() as server:
        server.add_uci(1, "abalone", {"abalone.data": content})
        load_dataset(DataRequest(name="abalone", card="abalone"), server.access(tmp_path))
"""

import hashlib
import io
import threading
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit
from xml.sax.saxutils import escape

from requests.adapters import HTTPAdapter

from boostbench.data.access import DataAccess


@dataclass
class Reply:
    """What one path answers.

    :param cut_at: bytes after which the connection breaks off, or None
    :param failures: how many requests are answered with 500 before this one
    :param stream: gives the body piece by piece in place of ``body``, for ever if it likes; the
        answer then says nothing of its length but what ``headers`` say
    """

    body: bytes
    status: int = 200
    content_type: str = "application/octet-stream"
    cut_at: int | None = None
    failures: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    stream: Callable[[], Iterable[bytes]] | None = None


class _QuietServer(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: Any) -> None:
        """Say nothing: clients here close connections as they like."""


class LoopbackServer:
    """An HTTP server on 127.0.0.1, running inside a ``with`` block.

    ``replies`` maps paths to :class:`Reply` and may be changed at any time; ``requests`` lists
    the method and path of each request so far.

    :param port: to listen on, 0 for any that is free
    """

    def __init__(self, port: int = 0) -> None:
        self.replies: dict[str, Reply] = {}
        self.requests: list[tuple[str, str]] = []
        self.closing = threading.Event()
        self._server = _QuietServer(("127.0.0.1", port), self._handler())
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.02,), daemon=True
        )

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        """The server's address, without a slash at its end."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @contextmanager
    def as_internet(self) -> Iterator[None]:
        """Bring every HTTP request of this process here, to the path ``/HOST/PATH``.

        Not those of child processes, as OpenML's client is.
        """
        send = HTTPAdapter.send

        def redirected(adapter: HTTPAdapter, request: Any, *args: Any, **options: Any) -> Any:
            if not request.url.startswith(self.url):
                request.url = f"{self.url}/{request.url.partition('://')[2]}"
            return send(adapter, request, *args, **options)

        HTTPAdapter.send = redirected  # type: ignore[assignment,method-assign]
        try:
            yield
        finally:
            HTTPAdapter.send = send  # type: ignore[method-assign]

    def access(self, cache_dir: Path, **options: Any) -> DataAccess:
        """Return an access to this server as OpenML, UCI (without its copies) and KEEL."""
        return DataAccess(
            **{
                "cache_dir": cache_dir,
                "openml_server": f"{self.url}/api/v1/xml",
                "uci_url": f"{self.url}/static/public",
                "uci_cdn_url": "",
                "keel_url": f"{self.url}/keel",
                **options,
            }
        )

    def add_address(self, address: str, body: bytes, **options: Any) -> None:
        """Serve ``body`` where :meth:`as_internet` brings requests for ``address``."""
        self.add(f"/{address.partition('://')[2]}", body, **options)

    def add(self, path: str, body: bytes, **options: Any) -> str:
        """Serve ``body`` under ``path``; return its address."""
        self.replies[path] = Reply(body, **options)
        return self.url + path

    def add_uci(self, dataset_id: int, slug: str, members: Mapping[str, bytes]) -> str:
        """Serve UCI's zip of the given members; return its path."""
        path = f"/static/public/{dataset_id}/{slug}.zip"
        self.add(path, zip_of(members))
        return path

    def add_keel(self, name: str, content: bytes) -> str:
        """Serve KEEL's zip of ``name.dat``; return its path."""
        path = f"/keel/regression/{name}.zip"
        self.add(path, zip_of({f"{name}.dat": content}))
        return path

    def add_openml(
        self,
        dataset_id: int,
        arff: bytes,
        *,
        target: str = "",
        ignore: str = "",
        row_id: str = "",
        parquet: bytes | None = None,
    ) -> tuple[str, str]:
        """Serve OpenML's description and ARFF file; return the paths of both."""
        data_path = f"/data/v1/download/{dataset_id}/data.arff"
        optional = {
            "default_target_attribute": target,
            "row_id_attribute": row_id,
            "ignore_attribute": ignore,
        }
        if parquet is not None:
            parquet_path = f"/datasets/{dataset_id}/dataset_{dataset_id}.pq"
            etag = f'"{hashlib.md5(parquet, usedforsecurity=False).hexdigest()}"'
            dates = {"ETag": etag, "Last-Modified": "Thu, 01 Jan 2026 00:00:00 GMT"}
            optional["parquet_url"] = self.add(parquet_path, parquet, headers=dates)
        lines = "".join(f"<oml:{k}>{escape(v)}</oml:{k}>" for k, v in optional.items() if v)
        description = (
            '<oml:data_set_description xmlns:oml="http://openml.org/openml">'
            f"<oml:id>{dataset_id}</oml:id><oml:name>set{dataset_id}</oml:name>"
            "<oml:version>1</oml:version><oml:description>a test</oml:description>"
            f"<oml:format>ARFF</oml:format><oml:url>{self.url}{data_path}</oml:url>"
            f"<oml:md5_checksum>{hashlib.md5(arff, usedforsecurity=False).hexdigest()}"
            f"</oml:md5_checksum>{lines}</oml:data_set_description>"
        )
        description_path = f"/api/v1/xml/data/{dataset_id}"
        self.add(description_path, description.encode(), content_type="text/xml")
        self.add(data_path, arff, content_type="text/plain; charset=utf-8")
        return description_path, data_path

    def add_openml_error(self, dataset_id: int, code: int, message: str) -> None:
        """Let OpenML answer with an error of its own, such as 111, unknown data set."""
        body = (
            '<oml:error xmlns:oml="http://openml.org/openml">'
            f"<oml:code>{code}</oml:code><oml:message>{escape(message)}</oml:message></oml:error>"
        )
        self.add(f"/api/v1/xml/data/{dataset_id}", body.encode(), status=412)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        return type("Handler", (_Handler,), {"loopback": self})


class _Handler(BaseHTTPRequestHandler):
    loopback: LoopbackServer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def _answer(self, *, with_body: bool) -> None:
        path = urlsplit(self.path).path
        self.loopback.requests.append((self.command, path))
        reply = self.loopback.replies.get(path, Reply(b"not found", 404))
        if reply.failures:
            reply.failures -= 1
            reply = Reply(b"try again later", 500)
        self._send_head(reply)
        if with_body:
            self._send_body(reply)
        if reply.cut_at is not None:
            self.close_connection = True

    def _send_head(self, reply: Reply) -> None:
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.content_type)
        if reply.stream is None:
            self.send_header("Content-Length", str(len(reply.body)))
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()

    def _send_body(self, reply: Reply) -> None:
        if reply.stream is None:
            self.wfile.write(reply.body[: reply.cut_at])
        else:
            self._pour(reply.stream())

    def _pour(self, pieces: Iterable[bytes]) -> None:
        self.close_connection = True
        with suppress(ConnectionError):
            for piece in pieces:
                if self.loopback.closing.is_set():
                    return
                self.wfile.write(piece)


def zip_of(members: Mapping[str, bytes]) -> bytes:
    """Return a zip archive of the members."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()
