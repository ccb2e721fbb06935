"""The file of a kernel's versions on disk, when several processes write it at once."""

import sys
from pathlib import Path
from typing import Any

import pytest
from numba import config

from boostbench.kernels.jit import kernel

pytestmark = pytest.mark.skipif(
    bool(getattr(config, "DISABLE_JIT", False)), reason="nothing is compiled"
)


def _doubled(x):  # type: ignore[no-untyped-def]
    return x + x


def _file() -> Any:
    return kernel(_doubled)._cache._cache_file


def test_versions_that_are_saved_at_once_are_not_mixed_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))
    first, second = _file(), _file()
    write = first._save_data

    def write_last(*given: Any) -> None:
        second.save("two", "two")
        write(*given)

    # Both read the index before either writes it.
    monkeypatch.setattr(first, "_load_index", dict)
    monkeypatch.setattr(second, "_load_index", dict)
    monkeypatch.setattr(first, "_save_data", write_last)
    first.save("one", "one")
    names = ("one", "two")
    found = {name: _file().load(name) for name in names}
    # An entry may be lost: the version is compiled once more.
    assert all(found[name] in (name, None) for name in names)
    assert any(found.values())
    for name in names:
        _file().save(name, name)
        assert _file().load(name) == name
    assert {name: _file().load(name) for name in names} == {name: name for name in names}


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
