"""What ``fetch`` and ``run`` say of downloads: no network, sources, progress."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path

import pytest
from helpers.hosts import closed_address, silent_address
from helpers.servers import LoopbackServer, zip_of
from rich.console import Console

from boostbench.cli.screen import Screen
from boostbench.config.loading import load_experiment
from boostbench.data.access import Transfer

_MIRROR = Path(
    os.environ.get("BOOSTBENCH_MIRROR") or Path(__file__).resolve().parents[3] / "shared" / "data"
)
UCI = "https://archive.ics.uci.edu/static/public"
CDN = "https://cdn.uci-ics-mlr-prod.aws.uci.edu"


@pytest.fixture
def mirror() -> Path:
    if not _MIRROR.is_dir():
        pytest.skip("no mirror: set BOOSTBENCH_MIRROR to a folder with copies of the data sets")
    return _MIRROR


@pytest.fixture
def internet(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LoopbackServer]:
    """A server in place of all hosts but OpenML's, and a cache of this test's own."""
    monkeypatch.setenv("BOOSTBENCH_CACHE", str(folder / "cache"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with LoopbackServer() as server, server.as_internet():
        monkeypatch.setenv("BOOSTBENCH_OPENML_SERVER", f"{server.url}/api/v1/xml")
        yield server


@pytest.mark.parametrize(("command", "kind"), [("run", "silent"), ("fetch", "refused")])
def test_d3_without_a_network_is_one_sentence(folder: Path, command: str, kind: str) -> None:
    names = [request.name for request in load_experiment("d3").requests()]

    def call(proxy: str) -> "subprocess.CompletedProcess[str]":
        # A proxy that does not answer keeps this test from the network, and OpenML's client too.
        environment = {
            **{k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy")},
            "HTTPS_PROXY": proxy,
            "HTTP_PROXY": proxy,
            "BOOSTBENCH_CACHE": str(folder / "an empty cache"),
        }
        return subprocess.run(
            [sys.executable, "-m", "boostbench", command, "d3"],
            capture_output=True, text=True, timeout=200, check=False, env=environment,
        )  # fmt: skip

    if kind == "refused":
        done = call(closed_address())
    else:
        with silent_address() as proxy:
            done = call(proxy)
    assert (done.returncode, done.stdout) == (4, "")
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert done.stderr.startswith("error: no network: archive.ics.uci.edu, ")
    assert f"{len(names)} data sets are missing: {', '.join(names)};" in done.stderr
    assert "--mirror DIR" in done.stderr
    assert not (folder / "results").exists()


def test_fetch_says_where_each_set_came_from(
    internet: LoopbackServer, mirror: Path, cli: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    regression = mirror / "regression"
    yacht = (regression / "yacht_hydrodynamics.data").read_bytes()
    internet.add_address(
        f"{CDN}/243/yacht%2Bhydrodynamics.zip", zip_of({"yacht_hydrodynamics.data": yacht})
    )
    golf = (regression / "lpga2009.dat").read_bytes()
    hub = "https://raw.githubusercontent.com/JackDunnNZ/UCIData.jl/"
    hub += "bfd180360e9086350bdfed7c47754d2aef40532a/datafiles/regression/"
    internet.add_address(f"{hub}LPGA-2009/LPGA-2009.data.orig", golf)

    def sources(*arguments: str) -> dict[str, str]:
        called = cli("fetch", "lpga2009", "yacht", "iris", *arguments)
        assert called.code == 0, called.err
        rows = [line.split(maxsplit=3) for line in called.out.splitlines()[3:] if line.strip()]
        assert [name for name, *_ in rows] == ["lpga2009", "yacht", "iris"]
        return {name: rest.rsplit(maxsplit=1)[0].strip() for name, _, _, rest in rows}

    first = sources()
    assert first == {
        "lpga2009": "users.stat.ufl.edu",
        "yacht": "UCI 243",
        "iris": "scikit-learn's iris",
    }
    internet.requests.clear()
    assert sources("--offline") == first
    assert internet.requests == []

    walks = []
    walk = os.walk

    def counted(top: Path, **options: bool) -> Iterator:
        walks.append(Path(top))
        return walk(top, **options)

    monkeypatch.setattr(os, "walk", counted)
    assert sources("--mirror", str(mirror))["yacht"] == "mirror yacht_hydrodynamics.data"
    assert walks.count(mirror) == 1


def test_run_downloads_what_is_missing(
    internet: LoopbackServer, mirror: Path, cli: Callable, folder: Path
) -> None:
    yacht = (mirror / "regression" / "yacht_hydrodynamics.data").read_bytes()
    internet.add_address(
        f"{UCI}/243/yacht%2Bhydrodynamics.zip", zip_of({"yacht_hydrodynamics.data": yacht})
    )
    (folder / "y.yaml").write_text(
        "name: y\ndatasets: [lpga2009, yacht, diabetes]\nfolds: 2\nseeds: 1\n"
        "methods: [{estimator: sklearn.linear_model.Ridge}]\n"
    )
    called = cli("run", "y.yaml", "--jobs", "1")
    assert called.code == 4
    assert "downloaded yacht: yacht+hydrodynamics.zip from archive.ics.uci.edu" in called.err
    assert "data set 'lpga2009' cannot be loaded" in called.err
    assert called.err.endswith(
        "1 data set skipped, as the data are unavailable: lpga2009; get the data as said above, "
        "then run: boostbench run y.yaml --jobs 1\n"
    )
    assert "trials: 4 ok, 2 pending" in called.out
    called = cli("run", "y.yaml", "--jobs", "1", "--only", "dataset=yacht", "--offline")
    assert called.code == 0, called.err


def test_list_names_the_sources(cli: Callable) -> None:
    known = {
        card["name"]: card["sources"] for card in json.loads(cli("list", "datasets", "--json").out)
    }
    assert {"UCI 1", "OpenML 183"} < set(known["abalone"])
    assert known["iris"] == ["scikit-learn's iris"]


def transfers() -> Iterator[Transfer]:
    """A download that grows to 3 MiB, one of unknown size, and one that breaks off."""
    for what, total, ends in (("abalone: a[b].zip", 3 << 20, 3), ("x: OpenML 5", None, 2)):
        transfer = Transfer(what, "host.org", total=total)
        yield transfer
        for _ in range(ends):
            transfer.received += 1 << 20
            yield transfer
        transfer.ended = transfer.complete = True
        yield transfer
    yield Transfer("bad: c.zip", "host.org", 7, 9, ended=True)


def test_downloads_are_bars_in_a_terminal_and_lines_elsewhere() -> None:
    for terminal in (True, False):
        screen = Screen()
        screen.err = Console(file=StringIO(), force_terminal=terminal, width=120)
        with screen.downloads() as watch:
            for transfer in transfers():
                watch(transfer)
                if terminal and transfer.received == 2 << 20 and transfer.total:
                    while "2.1/3.1 MB" not in screen.err.file.getvalue():
                        time.sleep(0.01)
        shown = screen.err.file.getvalue()
        assert "downloaded abalone: a[b].zip from host.org, 3.1 MB" in shown
        assert "downloaded x: OpenML 5 from host.org, 2.1 MB" in shown
        assert "downloaded bad" not in shown
        assert ("━" in shown) == terminal
        assert shown.count("\n") == 2 or terminal


def test_nothing_is_shown_where_nothing_is_downloaded() -> None:
    screen = Screen()
    screen.err = Console(file=StringIO(), force_terminal=True)
    with screen.downloads():
        pass
    assert screen.err.file.getvalue() == ""
