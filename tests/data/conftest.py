"""Fixtures shared by the tests of the data package."""

import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from servers import LoopbackServer

from boostbench.data import cards
from boostbench.data.access import DataAccess


@pytest.fixture(autouse=True)
def _no_proxy_and_quick_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr(
        "pooch.core.time", SimpleNamespace(sleep=lambda seconds: time.sleep(seconds / 20))
    )


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    with LoopbackServer() as running:
        yield running


@pytest.fixture
def local(tmp_path: Path) -> DataAccess:
    """Access only to local files and generators."""
    return DataAccess(tmp_path / "cache", offline=True)


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of cards in place of the shipped ones."""
    folder = tmp_path / "cards"
    folder.mkdir()
    monkeypatch.setattr(cards, "shipped_dir", lambda _: folder)
    return folder
