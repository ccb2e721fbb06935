"""The user's own files behind an estimator, and whether they have changed."""

import sys
from importlib import metadata
from pathlib import Path

import pytest

from boostbench.errors import ConfigError
from boostbench.user_code import changed_files, is_installed, own_sources

_PKG = {"own_pkg/__init__.py", "own_pkg/sibling.py"}
_BELOW = {
    "own_helper.py",
    "own_pkg/deep.py",
    "own_pkg/lower/__init__.py",
    "own_pkg/lower/bottom.py",
}


@pytest.fixture
def beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on the path, as that of an experiment file is, with modules that import others."""
    files = {
        "own_alone.py": "import numpy\nclass A: pass\n",
        "own_chain.py": "import own_helper\nfrom sklearn.base import BaseEstimator\n",
        "own_helper.py": "def f():\n    from own_pkg.deep import thing\n    return thing\n",
        "own_pkg/__init__.py": "from . import sibling\n",
        "own_pkg/sibling.py": "",
        "own_pkg/deep.py": "from .sibling import x\nfrom .lower.bottom import y\nthing = 1\n",
        "own_pkg/lower/__init__.py": "",
        "own_pkg/lower/bottom.py": "from ...own_pkg import nothing\nfrom .. import sibling\n",
        "own_pkg/unused.py": "",
        "own_lazy.py": "def f():\n    import own_helper\n",
        "own_star.py": "from own_alone import *\n",
        "own_circle.py": "import own_circle_b\n",
        "own_circle_b.py": "import own_circle\n",
        "own_broken.py": "def (\n",
        "own_spaces/inside.py": "import own_alone\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("estimator", "files"),
    [
        ("own_alone:A", {"own_alone.py"}),
        ("own_chain.A", {"own_chain.py"} | _PKG | _BELOW),
        ("own_pkg.sibling:A", _PKG),
        ("own_lazy.A", {"own_lazy.py"} | _PKG | _BELOW),
        ("own_circle.A", {"own_circle.py", "own_circle_b.py"}),
        ("own_spaces.inside.A", {"own_spaces/inside.py", "own_alone.py"}),
        ("no_such_module_at_all.A", set()),
        ("sklearn.linear_model.Ridge", set()),
        ("boostbench.trees:SoftRegressionTree", set()),
    ],
)
def test_the_files_are_those_that_importing_can_execute(beside: Path, estimator, files) -> None:
    found = own_sources(estimator)
    assert set(found.files) == files
    assert bool(found.digest) is bool(files)
    assert all(path.is_file() for path in found.files.values())
    assert not any(name.partition(".")[0] in sys.modules for name in ("own_chain", "own_pkg"))


def test_installed_packages_are_named(beside: Path) -> None:
    assert {"sklearn.base"} <= own_sources("own_chain.A").installed
    assert is_installed("numpy")
    assert is_installed("json")
    assert not is_installed("own_alone")
    assert not is_installed("no_such_module_at_all")


@pytest.mark.parametrize(
    ("name", "same"),
    [
        ("own_chain.py", False),
        ("own_helper.py", False),
        ("own_pkg/lower/bottom.py", False),
        ("own_pkg/unused.py", True),
        ("own_alone.py", True),
    ],
)
def test_every_byte_of_them_counts_and_no_other_file(beside: Path, name: str, same: bool) -> None:
    before = own_sources("own_chain.A")
    record, digest = before.record(), before.digest
    assert changed_files(record) == []
    path = beside / name
    path.write_text(path.read_text() + "# a comment\n")
    assert (own_sources("own_chain.A").digest == digest) is same
    assert changed_files(record) == ([] if same else [str(path)])
    path.unlink()
    assert changed_files(record) == []


def test_a_change_is_seen_from_any_working_folder(
    beside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(beside)
    record = own_sources("own_alone.A").record()
    (beside / "own_alone.py").write_text("changed = 1\n")
    assert changed_files(record) == ["own_alone.py"]
    monkeypatch.chdir(beside / "own_pkg")
    assert changed_files(record) == [str(beside / "own_alone.py")]


def test_another_version_of_an_imported_package_counts(beside: Path, monkeypatch) -> None:
    version = metadata.version
    found, alone = own_sources("own_chain:A"), own_sources("own_alone:A")
    before = found.digest, alone.digest
    assert found.versions() == {"sklearn": version("scikit-learn")}
    newer = {"scikit-learn": "99.1", "numpy": "99.2"}
    monkeypatch.setattr(metadata, "version", lambda name: newer.get(name) or version(name))
    assert found.digest != before[0]
    assert alone.digest == before[1]


def test_a_file_that_is_gone_is_named(beside: Path) -> None:
    sources = own_sources("own_chain.A")
    assert all(len(sources.record()[str(path)]) == 16 for path in sources.files.values())
    assert len(sources.digest) == 16
    (beside / "own_helper.py").unlink()
    with pytest.raises(ConfigError, match="No such file") as error:
        sources.record()
    assert str(beside / "own_helper.py") in str(error.value)


def test_own_modules_of_other_folders_are_not_followed(
    beside: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "own_elsewhere.py").write_text("")
    monkeypatch.syspath_prepend(elsewhere)
    (beside / "own_imports_it.py").write_text("import own_elsewhere\n")
    found = own_sources("own_imports_it.A")
    assert set(found.files) == {"own_imports_it.py"}
    assert found.versions() == {}


def test_boostbench_is_never_the_users_own_wherever_it_is_installed(beside: Path) -> None:
    (beside / "own_uses_boostbench.py").write_text(
        "from boostbench.trees import SoftRegressionTree"
    )
    found = own_sources("own_uses_boostbench:X")
    assert list(found.files) == ["own_uses_boostbench.py"]
    assert "boostbench.trees.SoftRegressionTree" in found.installed
    assert found.versions() == {}
