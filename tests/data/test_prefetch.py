"""Several downloads at a time: how many, in which order, watched and interrupted."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from cards import put, put_card
from hosts import closed_address
from servers import LoopbackServer
from shelf import files_in

from boostbench.data.access import DataAccess, Transfer
from boostbench.data.download import Unreachable
from boostbench.data.loading import load_dataset, prefetch
from boostbench.data.request import DataRequest
from boostbench.errors import DataError

ROWS = b"1.5,2,3\n4,5,6.25\n7,-8,9\n1,0,2\n"


def test_a_few_downloads_at_a_time(server: LoopbackServer, shelf: Path, tmp_path: Path) -> None:
    barrier, lock = threading.Barrier(4, timeout=200), threading.Lock()
    under_way = [0]

    def stream() -> Iterator[bytes]:
        """Wait until four downloads are under way, and count how many are."""
        with lock:
            under_way.append(under_way[-1] + 1)
        barrier.wait()
        time.sleep(0.05)
        with lock:
            under_way.append(under_way[-1] - 1)
        yield ROWS

    requests = [
        put(shelf, f"d{i}", server.add(f"/d{i}.csv", b"", stream=stream)) for i in range(12)
    ]
    prefetch(requests, DataAccess(tmp_path, attempts=1))
    assert max(under_way) == 4
    assert len(files_in(tmp_path / "files")) == 12


def test_a_file_that_two_sets_share_is_downloaded_once(server, shelf, tmp_path) -> None:
    address = server.add("/shared.csv", b"", stream=lambda: (time.sleep(0.2), [ROWS])[1])
    prefetch([put(shelf, name, address) for name in "abcd"], DataAccess(tmp_path))
    assert [path for _, path in server.requests].count("/shared.csv") == 1


def test_one_failed_set_does_not_stop_the_others(server, shelf, tmp_path) -> None:
    bad = put(shelf, "bad", server.add("/bad.csv", b"1,2\n"))
    gone = put(shelf, "gone", server.url + "/gone.csv")
    good = [put(shelf, f"g{i}", server.add(f"/g{i}.csv", ROWS)) for i in range(5)]
    access = DataAccess(tmp_path)
    prefetch([bad, gone, *good], access)
    assert [load_dataset(request, access).X.shape for request in good] == [(4, 2)] * 5
    for request, reason in [(bad, "has 2 columns, but 3 are expected"), (gone, "HTTP 404")]:
        with pytest.raises(DataError, match=reason):
            load_dataset(request, access)
    # A wrong file that was downloaded in this run is not kept, and not fetched a second time.
    assert len(files_in(tmp_path / "files")) == 5
    for path in ("/bad.csv", "/gone.csv"):
        assert [asked for _, asked in server.requests].count(path) == 1


def test_openml_without_a_server_is_remembered(tmp_path: Path, monkeypatch) -> None:
    access = DataAccess(tmp_path, attempts=1, openml_server=f"{closed_address()}/api")
    with pytest.raises(Unreachable, match="no connection"):
        load_dataset(DataRequest(name="x", openml=5), access)
    monkeypatch.setattr("openml.datasets.get_dataset", lambda *_, **__: pytest.fail("asked again"))
    with pytest.raises(Unreachable, match="no connection"):
        load_dataset(DataRequest(name="y", openml=6), access)


def test_downloads_can_be_watched(server: LoopbackServer, shelf: Path, tmp_path: Path) -> None:
    body = ROWS + b"\n" * 200_000
    good = put(shelf, "good", server.add("/good.csv", body))
    cut = put(shelf, "cut", server.add("/cut.csv", body, cut_at=100_000))
    seen: dict[str, list[tuple[int, int | None, bool, bool]]] = {}

    def watch(t: Transfer) -> None:
        seen.setdefault(t.what, []).append((t.received, t.total, t.ended, t.complete))

    prefetch([good, cut], DataAccess(tmp_path, attempts=2, watch=watch))
    events = seen["good: good.csv"]
    assert events[0] == (0, None, False, False)
    assert [received for received, *_ in events] == sorted(received for received, *_ in events)
    assert (len(body), len(body), False, False) in events
    assert events[-1] == (len(body), len(body), True, True)
    ends = [event for event in seen["cut: cut.csv"] if event[2]]
    assert len(ends) == 2
    assert all(not complete and 0 < received < total for received, total, _, complete in ends)


SLOW = """
import sys
from pathlib import Path
from boostbench.data import cards
cards.shipped_dir = lambda _: Path(sys.argv[1])
from boostbench.cli.app import main
main(["fetch", *cards.Catalog().names])
"""


def test_interrupt_ends_all_downloads_and_leaves_nothing(
    server: LoopbackServer, shelf: Path, tmp_path: Path
) -> None:
    begun = {"url": threading.Event(), "openml": threading.Event()}

    def drip(kind: str) -> Iterator[bytes]:
        for _ in range(600):
            begun[kind].set()
            yield b"1,2,3\n"
            time.sleep(0.1)

    # Of the six, four are under way, one of them from OpenML; the others wait.
    for i in range(3):
        put(shelf, f"d{i}", server.add(f"/d{i}.csv", b"", stream=partial(drip, "url")))
    for i in range(3):
        description, _ = server.add_openml(i + 5, b"@relation x\n")
        server.replies[description].stream = partial(drip, "openml")
        put_card(shelf, f"o{i}", sources=[{"kind": "openml", "id": i + 5}])
    cache = tmp_path / "cache"
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW, str(shelf)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={
            **os.environ,
            "BOOSTBENCH_CACHE": str(cache),
            "BOOSTBENCH_OPENML_SERVER": f"{server.url}/api/v1/xml",
            "BOOSTBENCH_MIRROR": "",
        },
    )
    try:
        assert all(event.wait(120) for event in begun.values())
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=120)
    finally:
        process.kill()
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert files_in(cache) == []
