"""The user's own files behind an estimator, and whether they have changed."""

import importlib
import os
import sys
from collections.abc import Mapping
from importlib import metadata
from importlib.abc import MetaPathFinder
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import spec_from_file_location
from pathlib import Path

import pytest

from boostbench.errors import ConfigError
from boostbench.plan.difference import changed_sources
from boostbench.user_code import forget, is_installed, own_sources, sources_now


def changed_files(record: Mapping[str, str]) -> list[str]:
    """Return what is not as it was recorded."""
    return changed_sources(record, sources_now(record))


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


class _Finder(MetaPathFinder):
    """What pip puts into the environment for a package that is installed as editable."""

    def __init__(self, places: Mapping[str, Path]) -> None:
        self.places = places

    def find_spec(self, name: str, path: object = None, target: object = None) -> object:
        init = self.places[name] / "__init__.py" if name in self.places else None
        folders = [str(self.places[name])] if init else None
        return init and spec_from_file_location(name, init, submodule_search_locations=folders)


@pytest.fixture
def elsewhere(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a package, installed as editable, that imports a module of another folder."""
    folder = tmp_path_factory.mktemp("elsewhere")
    (folder / "other").mkdir()
    (folder / "src").mkdir()
    (folder / "src" / "__init__.py").write_text("")
    (folder / "src" / "trees.py").write_text("from own_other import VALUE\nclass Tree: pass\n")
    (folder / "src" / "unused.py").write_text("")
    (folder / "other" / "own_other.py").write_text("VALUE = 1\n")
    # The folder of the sources has another name than the package.
    monkeypatch.setattr(sys, "meta_path", [_Finder({"own_bump": folder / "src"}), *sys.meta_path])
    monkeypatch.syspath_prepend(folder / "other")
    return folder


_BUMP = {"own_bump/__init__.py", "own_bump/trees.py", "own_other.py"}


@pytest.mark.parametrize(
    ("code", "files"),
    [
        ("from own_bump.trees import Tree\ndef make(): return Tree()\n", _BUMP),
        ("def make():\n    from own_bump import trees\n    return trees.Tree()\n", _BUMP),
        ("import importlib\nmake = importlib.import_module('own_bump.trees').Tree\n", _BUMP),
        ("make = __import__('own_other').VALUE\n", {"own_other.py"}),
        ("from own_bump import nothing\n", {"own_bump/__init__.py"}),
        ("import json, numpy, sklearn.base\n", set()),
    ],
)
def test_own_modules_are_followed_wherever_they_are(
    beside: Path, elsewhere: Path, code: str, files: set[str]
) -> None:
    (beside / "own_glue.py").write_text(code)
    found = own_sources("own_glue:make")
    assert set(found.files) == files | {"own_glue.py"}
    before, record = found.digest, found.record()
    for name, path in found.files.items():
        text = path.read_text()
        path.write_text(text + "# changed\n")
        assert own_sources("own_glue:make").digest != before, name
        assert [Path(each).name for each in changed_files(record)] == [path.name]
        path.write_text(text)
    (elsewhere / "src" / "unused.py").write_text("changed = 1\n")
    assert own_sources("own_glue:make").digest == before
    assert changed_files(record) == []


def test_a_package_installed_as_editable_is_followed_from_its_own_name(elsewhere: Path) -> None:
    assert set(own_sources("own_bump.trees:Tree").files) == _BUMP


def test_an_import_path_that_a_module_extends_counts_once_it_is_imported(
    beside: Path, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (elsewhere / "late").mkdir()
    (elsewhere / "late" / "own_late.py").write_text("VALUE = 1\n")
    (beside / "work").mkdir()
    monkeypatch.chdir(beside / "work")
    monkeypatch.setattr(sys, "path", list(sys.path))
    relative = os.path.relpath(elsewhere / "late")
    text = f"import sys\nsys.path.insert(0, {relative!r})\nfrom own_late import VALUE\n"
    (beside / "own_extends.py").write_text(text)
    importlib.import_module("own_extends")
    found = own_sources("own_extends:VALUE")
    assert set(found.files) == {"own_extends.py", "own_late.py"}
    assert str(elsewhere / "late" / "own_late.py") in found.record()
    forget("own_extends:VALUE")
    assert not {"own_extends", "own_late"} & set(sys.modules)


@pytest.mark.parametrize(
    "package",
    [
        "import importlib\nTree = importlib.import_module('own_any.im' + 'pl').Tree\n",
        "import importlib\nfound = importlib.import_module('.im' + 'pl', __package__)\n"
        "def Tree(): return found.Tree()\n",
        "import importlib\n"
        "def __getattr__(name):\n"
        "    return getattr(importlib.import_module('own_any.im' + 'pl'), name)\n",
    ],
)
def test_modules_of_computed_names_count_once_they_are_imported(beside: Path, package: str) -> None:
    (beside / "own_any").mkdir()
    (beside / "own_any" / "__init__.py").write_text(package)
    (beside / "own_any" / "impl.py").write_text("class Tree: pass\n")
    (beside / "own_any" / "other.py").write_text("")
    estimator = "own_any:Tree"
    assert importlib.import_module("own_any").Tree is not None
    files = {"own_any/__init__.py", "own_any/impl.py"}
    assert set(own_sources(estimator).files) == files
    # What another method imports of the package is not this one's.
    importlib.import_module("own_any.other")
    found = own_sources(estimator)
    assert set(found.files) == files
    before = found.digest
    (beside / "own_any" / "impl.py").write_text("class Tree: changed = 1\n")
    assert own_sources(estimator).digest != before
    forget(estimator)
    assert not {"own_any", "own_any.impl"} & set(sys.modules)
    sys.modules.pop("own_any.other")


def test_compiled_modules_count(beside: Path) -> None:
    compiled = beside / f"own_fast{EXTENSION_SUFFIXES[0]}"
    compiled.write_bytes(b"\x7fELF\0one")
    (beside / "own_uses_it.py").write_text("import own_fast\n")
    found = own_sources("own_uses_it:X")
    assert set(found.files) == {"own_uses_it.py", compiled.name}
    digest, record = found.digest, found.record()
    compiled.write_bytes(b"\x7fELF\0two")
    assert own_sources("own_uses_it:X").digest != digest
    assert [Path(each).name for each in changed_files(record)] == [compiled.name]


def test_the_version_of_a_package_that_was_updated_is_named(beside: Path, monkeypatch) -> None:
    version = metadata.version
    record = own_sources("own_chain:A").record()
    monkeypatch.setattr(
        metadata, "version", lambda name: "99.1" if name == "scikit-learn" else version(name)
    )
    assert changed_files(record) == [f"sklearn ({version('scikit-learn')} to 99.1)"]
    # It may not be installed on this machine.
    assert changed_files({"no_such_package_at_all": "1.0"}) == []


def test_boostbench_is_never_the_users_own_wherever_it_is_installed(beside: Path) -> None:
    (beside / "own_uses_boostbench.py").write_text(
        "from boostbench.trees import SoftRegressionTree"
    )
    found = own_sources("own_uses_boostbench:X")
    assert list(found.files) == ["own_uses_boostbench.py"]
    assert "boostbench.trees.SoftRegressionTree" in found.installed
    assert found.versions() == {}
