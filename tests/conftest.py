"""What holds for all tests."""

import os
from collections.abc import Callable, Iterator
from importlib import metadata
from typing import Any

import pytest

from boostbench.entry_points import entry_points


def pytest_xdist_auto_num_workers() -> int:
    """Start one worker more than there are processors: many tests wait for others to end."""
    given = os.environ.get("PYTEST_XDIST_AUTO_NUM_WORKERS")
    count = getattr(os, "process_cpu_count", os.cpu_count)
    return int(given) if given else (count() or 1) + 1


class EntryPoint:
    """A fake entry point, which loads to an object or raises an exception."""

    value = "somewhere:thing"

    def __init__(self, name: str, loads: Any) -> None:
        self.name = name
        self._loads = loads

    def load(self) -> Any:
        if isinstance(self._loads, Exception):
            raise self._loads
        return self._loads


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Return a function ``(group, **objects)``: the entry points of the group in this test."""

    def install(wanted: str, **objects: Any) -> None:
        points = [EntryPoint(name, loads) for name, loads in objects.items()]
        monkeypatch.setattr(
            metadata, "entry_points", lambda group: points if group == wanted else []
        )
        entry_points.cache_clear()

    yield install
    entry_points.cache_clear()
