"""The page over real sockets: only to this machine, only the page, and made again as runs end."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from boostbench import serve
from boostbench.errors import ConfigError, StoreError
from boostbench.plan.trial import Trial
from boostbench.store.store import Store
from boostbench.store.types import Outcome

TRIALS = [
    Trial(
        dataset="yacht",
        method="srt",
        estimator="boostbench.trees:SoftRegressionTree",
        method_version="1",
        fingerprint="0" * 64,
        task="regression",
        folds=2,
        fold=fold,
        split_seed=0,
        seed=0,
        scale_features="minmax",
        scale_target="standard",
        params={},
    )
    for fold in range(2)
]


class Answer(NamedTuple):
    """An answer of the server; header names are in lower case."""

    code: int
    headers: dict[str, str]
    body: bytes


@contextmanager
def filled(folder: Path) -> Iterator[Store]:
    """Make a store with one of two trials recorded."""
    with Store.open(folder / "results" / "small", create=True) as store:
        store.set_plan({"name": "small", "title": "A small experiment"}, TRIALS)
        store.record(TRIALS[0], Outcome("ok", metrics={"r2": 0.75}, times={"fit_s": 1.0}))
        yield store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with filled(tmp_path) as store:
        yield store


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """Serve a store that does not change."""
    with (
        filled(tmp_path_factory.mktemp("served")) as store,
        serve.serving(store.folder) as address,
    ):
        yield port_of(address)


@pytest.fixture
def live(store: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Serve ``store``, which is read again whenever it has changed."""
    monkeypatch.setattr(serve, "LEAST_INTERVAL", 0.0)
    monkeypatch.setattr(serve, "_PATIENCE", 0.0)
    with serve.serving(store.folder) as address:
        yield port_of(address)


def port_of(address: str) -> int:
    return int(address.rstrip("/").rpartition(":")[2])


def ask(
    port: int, path: str = "/", method: str = "GET", host: str | None = None, at: str = "127.0.0.1"
) -> Answer:
    connection = http.client.HTTPConnection(at, port, timeout=20)
    connection.putrequest(method, path, skip_host=True)
    connection.putheader("Host", f"127.0.0.1:{port}" if host is None else host)
    connection.endheaders()
    answer = connection.getresponse()
    found = {name.lower(): value for name, value in answer.getheaders()}
    return Answer(answer.status, found, answer.read())


def said(port: int, text: bytes) -> bytes:
    """Return all that the server answers to ``text``, byte for byte."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(text)
        return b"".join(iter(lambda: connection.recv(65536), b""))


def test_the_page_and_its_version_are_served(port: int) -> None:
    page = ask(port)
    assert page.code == 200
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert b"<h1>A small experiment</h1>" in page.body
    version = json.loads(ask(port, "/version").body)
    assert (version["finished"], version["planned"]) == (1, 2)
    assert f'data-version="{version["version"]}"'.encode() in page.body


def test_a_head_request_has_the_headers_alone(port: int) -> None:
    got, head = ask(port), ask(port, method="HEAD")
    assert (head.code, head.body) == (200, b"")
    assert head.headers["content-length"] == str(len(got.body))
    raw = said(port, f"HEAD / HTTP/1.0\r\nHost: localhost:{port}\r\n\r\n".encode())
    assert raw.endswith(b"\r\n\r\n")


def test_the_page_is_made_again_when_the_store_has_changed(live: int, store: Store) -> None:
    before = ask(live)
    assert ask(live).body == before.body
    store.record(TRIALS[1], Outcome("ok", metrics={"r2": 0.85}, times={"fit_s": 1.0}))
    version = json.loads(ask(live, "/version").body)
    assert (version["finished"], version["planned"]) == (2, 2)
    after = ask(live)
    assert b"0.800" in after.body
    assert b"0.800" not in before.body


def test_the_store_is_not_read_at_every_request(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = serve.LivePage(store.folder)
    made: list[int] = []
    monkeypatch.setattr(page, "_made", lambda: made.append(1) or page._version)
    for seed in range(5):
        store.add_environment(f"e{seed}", {})
        page.current()
    assert made == [1]


def test_a_store_that_cannot_be_read_leaves_the_page_as_it_was(live: int, store: Store) -> None:
    before = ask(live)
    store.close()
    for path in store.folder.glob("store.sqlite*"):
        path.write_bytes(b"not a store")
    after = ask(live)
    assert (after.code, after.body) == (200, before.body)


@pytest.mark.parametrize(
    "path",
    [
        "/store.sqlite", "/table.html", "/../store.sqlite", "/%2e%2e/%2e%2e/etc/passwd",
        "//etc/passwd", "/..%2f..%2fetc%2fpasswd", "/version/", "/version/..", "/index.html", "/.",
        "/..\\store.sqlite", "/?page", "http://127.0.0.1/store.sqlite", "/%00", "/small/", "*",
    ],
)  # fmt: skip
def test_nothing_but_the_page_is_served(port: int, path: str) -> None:
    raw = f"GET {path} HTTP/1.0\r\nHost: localhost:{port}\r\n\r\n".encode()
    answer = said(port, raw)
    assert answer.startswith(b"HTTP/1.0 404 ")
    assert b"SQLite" not in answer
    assert b"<html" not in answer


@pytest.mark.parametrize("host", ["127.0.0.1:{}", "localhost:{}", "LOCALHOST:{}", "[::1]:{}"])
def test_this_machines_names_are_answered(port: int, host: str) -> None:
    assert ask(port, host=host.format(port)).code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example", "evil.example:{}", "127.0.0.1", "127.0.0.1:1", "localhost:{}.evil.example",
        "localhost.evil.example:{}", "127.0.0.1:{}@evil.example", "0.0.0.0:{}", "", "[::1]",
        "127.0.0.1:{}, evil.example",
    ],
)  # fmt: skip
@pytest.mark.parametrize("path", ["/", "/version"])
def test_other_names_are_refused(port: int, host: str, path: str) -> None:
    answer = ask(port, path, host=host.format(port))
    assert answer.code == 403
    assert b"small" not in answer.body
    assert b"finished" not in answer.body


def test_a_request_without_a_name_or_with_two_is_refused(port: int) -> None:
    own = f"Host: 127.0.0.1:{port}\r\n"
    for hosts in ("", own + "Host: evil.example\r\n", "Host: evil.example\r\n" + own):
        answer = said(port, f"GET / HTTP/1.0\r\n{hosts}\r\n".encode())
        assert answer.startswith(b"HTTP/1.0 403 "), hosts


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"])
def test_only_reading_is_allowed(port: int, method: str) -> None:
    answer = ask(port, method=method)
    assert answer.code == 405
    assert answer.headers["allow"] == "GET, HEAD"


@pytest.mark.parametrize("host", [None, "evil.example"])
def test_every_answer_says_what_a_browser_may_do_with_it(port: int, host: str | None) -> None:
    for path in ("/", "/version", "/other"):
        headers = ask(port, path, host=host).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cache-control"] == "no-store"
        assert "access-control-allow-origin" not in headers
        assert "Python" not in headers["server"]


def _has_ipv6() -> bool:
    with socket.socket(socket.AF_INET6) as probe:
        try:
            probe.bind(("::1", 0))
        except OSError:
            return False
    return True


def test_only_loopback_addresses_are_listened_to(port: int) -> None:
    if _has_ipv6():
        assert ask(port, at="::1", host=f"[::1]:{port}").code == 200
    # 127.0.0.2 is this machine as well, but not where the server listens.
    with socket.socket() as connection:
        connection.settimeout(5)
        assert connection.connect_ex(("127.0.0.2", port)) != 0


def test_a_taken_port_and_a_folder_without_results_are_one_sentence(
    port: int, store: Store, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match=f"port {port} is taken") as taken:
        serve.serving(store.folder, port).__enter__()
    assert taken.value.exit_code == 2
    with pytest.raises(StoreError):
        serve.serving(tmp_path / "empty").__enter__()


def test_a_port_is_free_again_afterwards(store: Store) -> None:
    with serve.serving(store.folder) as address:
        port = port_of(address)
    with serve.serving(store.folder, port) as again:
        assert again == address


class Served(NamedTuple):
    """What `boostbench serve` came to."""

    code: int
    out: str
    err: str


def command(folder: Path, *options: str, stop: bool = True) -> Served:
    """Run the command in ``folder`` and interrupt it once it serves."""
    child = subprocess.Popen(
        [sys.executable, "-m", "boostbench", "serve", *options],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "BROWSER": "true %s"},
    )  # fmt: skip
    try:
        line = child.stdout.readline() if stop and child.stdout else ""
        if line:
            child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)
    finally:
        child.kill()
    return Served(child.returncode, line + out, err)


def test_the_command_serves_until_ctrl_c(store: Store) -> None:
    folder = store.folder.parents[1]
    done = command(folder, "--port", "0", "--open")
    assert done.code == 0
    assert "is shown at http://127.0.0.1:" in done.out
    assert "small" in done.out
    assert "Traceback" not in done.err
    assert done.err.splitlines()[-1] == "stopped"


def test_the_command_refuses_in_one_sentence(port: int, store: Store, tmp_path: Path) -> None:
    taken = command(store.folder.parents[1], "small", "--port", str(port), stop=False)
    assert taken.code == 2
    assert taken.err.splitlines()[1:] == [
        f"error: port {port} is taken by another program: choose another with --port "
        "(0: any free one)"
    ]
    (tmp_path / "empty").mkdir()
    nothing = command(tmp_path / "empty", stop=False)
    assert nothing.code == 2
    assert len(nothing.err.splitlines()) == 1
    assert "no results" in nothing.err


def test_a_client_that_says_nothing_holds_up_nobody(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=20):
        start = time.monotonic()
        assert ask(port).code == 200
        assert time.monotonic() - start < 5
