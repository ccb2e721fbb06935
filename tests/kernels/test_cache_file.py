"""The file of a kernel's versions on disk."""

import sys
from pathlib import Path
from typing import Any

import pytest
from numba import config

from boostbench.kernels.jit import NO_COMPILER, kernel

pytestmark = [
    pytest.mark.skipif(NO_COMPILER, reason="nothing is kept"),
    pytest.mark.own_compiler,
]


def _doubled(x):  # type: ignore[no-untyped-def]
    return x + x


def _file() -> Any:
    return kernel(_doubled)._cache._cache_file


def test_a_version_that_is_saved_again_replaces_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))
    _file().save("one", 1)
    _file().save("one", 2)
    assert _file().load("one") == 2
    assert len(list(tmp_path.rglob("*.nbc"))) == 1


class Gone:
    """A type of arguments that a later version does not have."""


def test_an_index_with_types_that_are_gone_is_stale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))
    _file().save(Gone, 1)
    assert _file().load(Gone) == 1
    monkeypatch.delattr(sys.modules[__name__], "Gone")
    assert _file().load("other") is None
    _file().save("other", 2)
    assert _file().load("other") == 2
