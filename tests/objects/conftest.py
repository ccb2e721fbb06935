"""What the tests of objects from Python share."""

import sys

import pytest


@pytest.fixture
def folder(tmp_path, monkeypatch, cheap):
    """The working folder of a test, with a cache of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BOOSTBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("BOOSTBENCH_MIRROR", raising=False)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return tmp_path
