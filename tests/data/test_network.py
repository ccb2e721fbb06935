"""No network, or parts of one: the hosts asked, how often, and the messages."""

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from cards import put
from hosts import closed_address, closing_address, silent_address
from servers import LoopbackServer

from boostbench.data import DataAccess, bounds, load_dataset
from boostbench.data.loading import NoNetwork, prefetch
from boostbench.errors import DataError

ROWS = b"1.5,2,3\n4,5,6.25\n7,-8,9\n1,0,2\n"


@pytest.fixture
def _names(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """``.invalid`` is not found, and asking for ``.slow`` takes as long as the test."""
    real, ended = socket.getaddrinfo, threading.Event()

    def getaddrinfo(host: str, *args: object, **options: object) -> object:
        if host.endswith(".invalid"):
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        if host.endswith(".slow"):
            ended.wait()
        return real(host, *args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    yield
    ended.set()


@pytest.mark.usefixtures("_names")
def test_where_no_host_answers_one_sentence_says_so(shelf: Path, tmp_path: Path, monkeypatch):
    monkeypatch.setattr(bounds, "PROBE_TIMEOUT_S", 1.0)
    refused = closed_address()
    with silent_address() as mute:
        hosts = [refused, mute, "http://a.invalid", "http://b.invalid", "http://c.slow"]
        requests = [put(shelf, f"d{i}", *(f"{host}/d{i}.csv" for host in hosts)) for i in range(9)]
        notes: list[str] = []
        with pytest.raises(NoNetwork) as caught:
            prefetch(requests, DataAccess(tmp_path / "cache", notify=notes.append))
    text = str(caught.value)
    unreached = ", ".join(sorted([refused[7:], "a.invalid", "b.invalid"]))
    for words in (
        "no network",
        f"{unreached} do not answer (no connection)",
        f"{', '.join(sorted([mute[7:], 'c.slow']))} do not answer (no answer in time)",
        "9 data sets are missing: d0, d1, d2, d3, d4, d5, d6, d7, d8",
        "--mirror",
    ):
        assert words in text
    assert "\n" not in text
    assert caught.value.missing == [f"d{i}" for i in range(9)]
    assert notes == []


def test_cached_data_need_no_network(server: LoopbackServer, shelf: Path, tmp_path: Path) -> None:
    request = put(shelf, "here", server.add("/here.csv", ROWS))
    load_dataset(request, DataAccess(tmp_path))
    server.requests.clear()
    with closing_address() as (nobody, came):
        put(shelf, "here", server.url + "/here.csv", f"{nobody}/x")
        prefetch([request], DataAccess(tmp_path))
    assert (server.requests, came) == ([], [])


def test_one_host_down_is_asked_once_and_the_others_serve(server, shelf, tmp_path) -> None:
    with closing_address() as (nobody, came):
        requests = [
            put(shelf, f"d{i}", f"{nobody}/d{i}.csv", server.add(f"/d{i}.csv", ROWS))
            for i in range(6)
        ]
        notes: list[str] = []
        access = DataAccess(tmp_path, notify=notes.append)
        prefetch(requests, access)
        found = [load_dataset(request, access) for request in requests]
    assert len(came) == 1
    assert len(notes) == 1
    assert f"{nobody[7:]} does not answer" in notes[0]
    assert [data.name for data in found] == [f"d{i}" for i in range(6)]
    assert sorted(server.requests) == [
        *sorted(("GET", f"/d{i}.csv") for i in range(6)),
        ("HEAD", "/"),
    ]


def test_a_host_that_stays_silent_gives_way_to_the_next_source(
    server, shelf, tmp_path, monkeypatch
) -> None:
    monkeypatch.setattr(bounds, "READ_TIMEOUT_S", 0.2)
    with silent_address() as mute:
        good = server.add("/x.csv", ROWS)
        request = put(shelf, "x", f"{mute}/x.csv", good)
        notes: list[str] = []
        data = load_dataset(request, DataAccess(tmp_path, notify=notes.append))
        assert data.source == good
        assert notes == [f"{mute[7:]} does not answer (no answer in time); it is not asked again"]


def test_a_host_that_comes_back_is_asked_again(shelf: Path, tmp_path: Path) -> None:
    """Within a run by the next attempt, and where all attempts failed, by the next run."""
    with LoopbackServer() as server:
        request = put(shelf, "x", server.add("/x.csv", ROWS))
        address, replies = server.url, server.replies
    with pytest.raises(DataError, match="no connection"):
        load_dataset(request, DataAccess(tmp_path, attempts=1))
    port = int(address.rsplit(":", 1)[1])
    back: list[LoopbackServer] = []

    def come_back() -> None:
        back.append(LoopbackServer(port).__enter__())
        back[0].replies = replies

    timer = threading.Timer(0.5, come_back)
    timer.start()
    try:
        assert load_dataset(request, DataAccess(tmp_path, attempts=6)).X.shape == (4, 2)
    finally:
        timer.join()
        back[0].__exit__(None, None, None)


def test_a_redirect_to_a_dead_host_does_not_blame_the_first(server, shelf, tmp_path) -> None:
    gone = closed_address()
    moved = server.add("/moved", b"", status=302, headers={"Location": f"{gone}/x.csv"})
    request = put(shelf, "x", moved, server.add("/x.csv", ROWS))
    access = DataAccess(tmp_path)
    assert load_dataset(request, access).source == server.url + "/x.csv"
    assert access.network.failures == {
        moved: f"it leads to {gone[7:]}, which does not answer (no connection)"
    }
