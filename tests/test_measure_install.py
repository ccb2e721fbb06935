"""The measured installation: what its page says of extras, dependencies and sizes."""

import re
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

pytest.importorskip("packaging")

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    import measure_install

    return measure_install


@pytest.fixture(scope="module")
def declared() -> tuple[set[str], set[str]]:
    """The names of the dependencies and of the extras in pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = {re.split(r"[^\w-]", text)[0].lower() for text in project["dependencies"]}
    return names, set(project["optional-dependencies"])


def test_the_page_says_what_each_extra_and_dependency_is_for(script, declared) -> None:
    dependencies, extras = declared
    assert (set(script.PURPOSES), set(script.EXTRAS)) == (dependencies, extras)
    text = script.PAGE.read_text(encoding="utf-8")
    rows = set(re.findall(r"^\| `?([\w-]+)`? \|", text, flags=re.MULTILINE))
    assert rows == {"extra", "none", "dependency"} | dependencies | extras
    for purpose in (*script.PURPOSES.values(), *script.EXTRAS.values()):
        assert f"| {purpose} |" in text


def test_every_dependency_is_imported(script, declared, tmp_path: Path) -> None:
    dependencies, _ = declared
    assert script.unused_dependencies(dependencies, ROOT / "boostbench") == []
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "one.py").write_text(
        "import yaml.nodes\n\ndef later():\n    from sklearn import base\n    from . import pooch\n"
    )
    names = ["pooch", "pyyaml", "rich", "scikit-learn"]
    assert script.unused_dependencies(names, tmp_path) == ["pooch", "rich"]


def _package(site: Path, name: str, size: int, *requires: str, listed: bool = True) -> None:
    info = site / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    needs = "".join(f"Requires-Dist: {text}\n" for text in requires)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n{needs}")
    (site / f"{name}.py").write_bytes(b"#" * size)
    if listed:
        (info / "RECORD").write_text(f"{name}.py,,\n{name}_gone.py,,\n")


def test_what_a_dependency_alone_brings(script, tmp_path: Path) -> None:
    _package(tmp_path, "Heavy_Client", 100, "shared>=1", "own", "on-request; extra == 'more'")
    _package(tmp_path, "light", 10, "shared", "own-too; python_version >= '3'", "absent")
    _package(tmp_path, "own", 1000, "own.deeper")
    _package(tmp_path, "own_deeper", 2000, "own")
    _package(tmp_path, "own_too", 1)
    _package(tmp_path, "shared", 5)
    _package(tmp_path, "on_request", 7, listed=False)
    _package(tmp_path, "pip", 10**6)
    found = script.installed(tmp_path)
    assert {name: package.size for name, package in found.items()} == {
        "heavy-client": 100,
        "light": 10,
        "own": 1000,
        "own-deeper": 2000,
        # The files of a package that does not list them are not known.
        "own-too": 1,
        "shared": 5,
        "on-request": 0,
    }
    direct = ["heavy-client", "light"]
    alone = {name: script.brought_alone(found, direct, name) for name in direct}
    assert alone["heavy-client"] == {"heavy-client", "own", "own-deeper"}
    assert alone["light"] == {"light", "own-too"}
    # One that is not installed here brings nothing.
    assert script.brought_alone(found, [*direct, "nowhere"], "nowhere") == set()
    # A dependency that another one needs anyway would not go.
    assert script.brought_alone(found, [*direct, "shared"], "shared") == set()


def test_the_page_of_a_measurement(script) -> None:
    packages = {
        "numpy": script.Package(25_000_000, frozenset()),
        "pandas": script.Package(40_000_000, frozenset({"numpy", "dates"})),
        "dates": script.Package(500_000, frozenset()),
    }
    plain = script.Measured(61.7, packages)
    excel = script.Measured(2.2, {"openpyxl": script.Package(2_000_000, frozenset())})
    text = script.page(plain, {"excel": excel}, ["numpy", "pandas"], "Of a made-up day.")
    assert "Of a made-up day." in text
    assert "| none | everything else | 62 | 66 | 3 |" in text
    assert "| `excel` | data in Excel files | 2 | 2 | 1 |" in text
    assert text.endswith(
        "| pandas | tables of results, reading of CSV files | 40.0 | 40.5 | 2 |\n"
        "| numpy | arrays | 25.0 | 0.0 | 0 |\n"
    )
