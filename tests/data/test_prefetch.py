"""Several downloads at a time: how many, in which order, watched and interrupted."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from helpers.hosts import closed_address
from helpers.servers import LoopbackServer
from shelf import files_in, put, sharing, shipped_cards

from boostbench.data.access import DataAccess, Transfer
from boostbench.data.download import Unreachable
from boostbench.data.loading import load_dataset, prefetch
from boostbench.data.request import DataRequest
from boostbench.errors import DataError

ROWS = "1.5,2,3\n4,5,6.25\n7,-8,9\n1,0,2\n"


class Meeting:
    """A body that waits until ``n`` downloads are under way; ``most`` is how many ever were."""

    def __init__(self, n: int) -> None:
        self.barrier = threading.Barrier(n, timeout=200)
        self.lock = threading.Lock()
        self.now = self.most = 0

    def stream(self) -> Iterator[bytes]:
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)
        self.barrier.wait()
        time.sleep(0.05)
        with self.lock:
            self.now -= 1
        yield ROWS.encode()


def test_a_few_downloads_at_a_time(server: LoopbackServer, shelf: Path, tmp_path: Path) -> None:
    meeting = Meeting(4)
    requests = [
        put(shelf, f"d{i}", server.add(f"/d{i}.csv", b"", stream=meeting.stream)) for i in range(12)
    ]
    access = sharing(tmp_path, attempts=1)
    prefetch(requests, access)
    assert meeting.most == 4
    assert len(files_in(tmp_path / "files")) == 12


def test_a_file_that_two_sets_share_is_downloaded_once(
    server: LoopbackServer, shelf: Path, tmp_path: Path
) -> None:
    address = server.add("/shared.csv", b"", stream=lambda: (time.sleep(0.2), [ROWS.encode()])[1])
    prefetch([put(shelf, name, address) for name in "abcd"], sharing(tmp_path))
    assert [path for _, path in server.requests].count("/shared.csv") == 1


def test_one_failed_set_does_not_stop_the_others(
    server: LoopbackServer, shelf: Path, tmp_path: Path
) -> None:
    bad = put(shelf, "bad", server.add("/bad.csv", b"1,2\n"))
    gone = put(shelf, "gone", server.url + "/gone.csv")
    good = [put(shelf, f"g{i}", server.add(f"/g{i}.csv", ROWS.encode())) for i in range(5)]
    access = sharing(tmp_path)
    prefetch([bad, gone, *good], access)
    assert [load_dataset(request, access).X.shape for request in good] == [(4, 2)] * 5
    for request, reason in [(bad, "has 2 columns, but 3 are expected"), (gone, "HTTP 404")]:
        with pytest.raises(DataError, match=reason):
            load_dataset(request, access)
    # What was downloaded in this run and is wrong is not kept, and not fetched a second time.
    assert len(files_in(tmp_path / "files")) == 5
    assert [path for _, path in server.requests].count("/bad.csv") == 1


def test_openml_without_a_server_is_remembered(tmp_path: Path, monkeypatch) -> None:
    refused = closed_address()
    access = DataAccess(tmp_path, attempts=1, openml_server=f"{refused}/api")
    with pytest.raises(Unreachable, match="no connection"):
        load_dataset(DataRequest("x", openml=5), access)
    monkeypatch.setattr("openml.datasets.get_dataset", lambda *_, **__: pytest.fail("asked again"))
    with pytest.raises(Unreachable, match="no connection"):
        load_dataset(DataRequest("y", openml=6), access)


def test_downloads_can_be_watched(server: LoopbackServer, shelf: Path, tmp_path: Path) -> None:
    body = ROWS.encode() + b"\n" * 200_000
    good = put(shelf, "good", server.add("/good.csv", body))
    cut = put(shelf, "cut", server.add("/cut.csv", body, cut_at=100_000))
    seen: dict[str, list[tuple[int, int | None, bool, bool]]] = {}

    def watch(t: Transfer) -> None:
        seen.setdefault(t.what, []).append((t.received, t.total, t.ended, t.complete))

    prefetch([good, cut], sharing(tmp_path, attempts=2, watch=watch))
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
sys.path.insert(0, sys.argv[1])
from boostbench.data import cards
from pathlib import Path
cards.shipped_dir = lambda _: Path(sys.argv[2])
from boostbench.cli.app import main
main(["fetch", *cards.card_names()])
"""


@pytest.mark.parametrize("kind", ["url", "openml"])
def test_interrupt_ends_all_downloads_and_leaves_nothing(
    server: LoopbackServer, shelf: Path, tmp_path: Path, kind: str
) -> None:
    begun = threading.Event()

    def drip() -> Iterator[bytes]:
        for _ in range(600):
            begun.set()
            yield b"1,2,3\n"
            time.sleep(0.1)

    if kind == "url":
        for i in range(6):
            put(shelf, f"d{i}", server.add(f"/d{i}.csv", b"", stream=drip))
    else:
        for number in (5, 6):
            description, _ = server.add_openml(number, b"@relation x\n")
            server.replies[description].stream = drip
            card = {
                **yaml.safe_load((shipped_cards() / "isolet.yaml").read_text()),
                "name": f"o{number}",
            }
            card["sources"] = [{"kind": "openml", "id": number}]
            (shelf / f"o{number}.yaml").write_text(yaml.safe_dump(card))
    cache = tmp_path / "cache"
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW, str(Path(__file__).resolve().parents[2]), str(shelf)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "BOOSTBENCH_CACHE": str(cache),
             "BOOSTBENCH_OPENML_SERVER": f"{server.url}/api/v1/xml", "BOOSTBENCH_MIRROR": ""},
    )  # fmt: skip
    try:
        assert begun.wait(120)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=120)
    finally:
        process.kill()
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert files_in(cache) == []
