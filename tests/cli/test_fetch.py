"""What ``fetch`` and ``run`` say of downloads: no network, sources, progress."""

import os
import time
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from unittest import mock

import pytest
from experiments import RIDGE, write
from hosts import closed_address
from rich.console import Console
from servers import LoopbackServer, zip_of

from boostbench.cli.screen import Screen
from boostbench.config.loading import load_experiment
from boostbench.data.access import Transfer

YACHT = "243/yacht%2Bhydrodynamics.zip"


@pytest.fixture
def internet(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LoopbackServer]:
    """A server in place of all hosts but OpenML's, and a cache of this test's own."""
    monkeypatch.setenv("BOOSTBENCH_CACHE", str(folder / "cache"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with LoopbackServer() as server, server.as_internet():
        monkeypatch.setenv("BOOSTBENCH_OPENML_SERVER", f"{server.url}/api/v1/xml")
        yield server


@pytest.mark.parametrize("command", ["run", "fetch"])
def test_d3_without_a_network_is_one_sentence(cli, folder: Path, monkeypatch, command: str) -> None:
    names = [request.name for request in load_experiment("d3").requests()]
    # A proxy that does not answer keeps this test from the network, and OpenML's client too.
    for name in ("HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy"):
        monkeypatch.setenv(name, closed_address())
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("BOOSTBENCH_CACHE", str(folder / "an empty cache"))
    text = cli.refused(command, "d3", code=4)
    assert text.startswith("error: no network: archive.ics.uci.edu, ")
    assert f"{len(names)} data sets are missing: {', '.join(names)};" in text
    assert "--mirror DIR" in text
    assert not (folder / "results").exists()


def test_fetch_says_where_each_set_came_from(internet, mirror: Path, cli) -> None:
    yacht = (mirror / "regression" / "yacht_hydrodynamics.data").read_bytes()
    cdn = "https://cdn.uci-ics-mlr-prod.aws.uci.edu"
    internet.add_address(f"{cdn}/{YACHT}", zip_of({"yacht_hydrodynamics.data": yacht}))
    golf = (mirror / "regression" / "lpga2009.dat").read_bytes()
    hub = "https://raw.githubusercontent.com/JackDunnNZ/UCIData.jl/"
    hub += "bfd180360e9086350bdfed7c47754d2aef40532a/datafiles/regression/"
    internet.add_address(f"{hub}LPGA-2009/LPGA-2009.data.orig", golf)

    def sources(*arguments: str) -> dict[str, str]:
        called = cli.well("fetch", "lpga2009", "yacht", "iris", *arguments)
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

    with mock.patch("os.walk", wraps=os.walk) as walk:
        assert sources("--mirror", str(mirror))["yacht"] == "mirror yacht_hydrodynamics.data"
    assert [Path(call.args[0]) for call in walk.call_args_list].count(mirror) == 1


def test_run_downloads_missing_data(internet: LoopbackServer, mirror: Path, cli) -> None:
    yacht = (mirror / "regression" / "yacht_hydrodynamics.data").read_bytes()
    uci = "https://archive.ics.uci.edu/static/public"
    internet.add_address(f"{uci}/{YACHT}", zip_of({"yacht_hydrodynamics.data": yacht}))
    write("y", RIDGE, data="lpga2009, yacht, diabetes")
    called = cli("run", "y.yaml", "--jobs", "1")
    assert called.code == 4
    assert "downloaded yacht: yacht+hydrodynamics.zip from archive.ics.uci.edu" in called.err
    assert "data set 'lpga2009' cannot be loaded" in called.err
    assert called.err.endswith(
        "1 data set skipped, as the data are unavailable: lpga2009; get the data as said above, "
        "then run: boostbench run y.yaml --jobs 1\n"
    )
    assert "trials: 4 ok, 2 pending" in called.out
    cli.well("run", "y.yaml", "--jobs", "1", "--only", "dataset=yacht", "--offline")


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


@pytest.mark.parametrize("terminal", [True, False])
def test_downloads_are_bars_in_a_terminal_and_lines_elsewhere(terminal: bool) -> None:
    screen = Screen()
    screen.err = Console(file=StringIO(), force_terminal=terminal, width=120)
    # Nothing is shown where nothing is downloaded.
    with screen.downloads():
        pass
    assert screen.err.file.getvalue() == ""
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
