"""The links of a built site are followed, and long parts of its pages are folded."""

import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.skipif(not (ROOT / "docs").is_dir(), reason="not in a clone")


@pytest.fixture
def check_site(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    return importlib.import_module("check_site")


@pytest.mark.parametrize(
    ("link", "is_broken"),
    [
        ("other.html", False),
        ("other.html#there", False),
        ("#here", False),
        ("below/", False),
        ("a%20picture.png", False),
        ("https://example.org/nothing#at-all", False),
        ("mailto:somebody@example.org", False),
        ("missing.html", True),
        ("other.html#missing", True),
        ("#missing", True),
        ("empty/", True),
    ],
)
def test_a_link_leads_to_a_file_and_to_an_anchor_in_it(
    check_site: ModuleType,
    tmp_path: Path,
    capsys: pytest.CaptureFixture,
    link: str,
    is_broken: bool,
) -> None:
    (tmp_path / "page.html").write_text(f'<h1 id="here">A</h1><a href="{link}">to</a>')
    (tmp_path / "other.html").write_text('<h2 id="there">B</h2>')
    (tmp_path / "a picture.png").write_bytes(b"")
    for name in ("below", "empty", "_static"):
        (tmp_path / name).mkdir()
    (tmp_path / "below" / "index.html").write_text("<p>C</p>")
    (tmp_path / "_static" / "of_the_theme.html").write_text('<a href="nowhere.html">D</a>')
    assert check_site.main(tmp_path) == is_broken
    said = capsys.readouterr().out
    assert ("page.html: " + link in said) == is_broken
    assert "3 pages, " in said


def test_a_folder_without_pages_is_no_site(check_site: ModuleType, tmp_path: Path) -> None:
    assert check_site.main(tmp_path) == 1


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A site of a page with a long and a short table, and of a page of results."""
    pytest.importorskip("sphinx")
    pytest.importorskip("myst_parser")
    from sphinx.application import Sphinx

    monkeypatch.setattr(sys, "path", [str(ROOT / "docs" / "_ext"), *sys.path])
    pages = tmp_path / "pages"
    archive = pages / "results" / "one" / "archive"
    archive.mkdir(parents=True)
    (pages / "conf.py").write_text('extensions = ["result_pages", "myst_parser"]\n')
    short = "| a |\n|---|\n" + "| x |\n" * 40
    (pages / "index.md").write_text(f"# Page\n\n{short}\n\n## Long\n\n{short}| x |\n")
    (archive / "table.md").write_text(
        f"# One\n\n## Main\n\n{short}\n## More\n\n{short}\n## Text\n\nA.\n"
    )
    site = tmp_path / "site"
    app = Sphinx(pages, pages, site, tmp_path / "trees", "html", status=None, warning=sys.stderr)
    app.build()
    assert app.statuscode == 0
    return site


def test_long_tables_are_folded_and_of_results_all_but_the_main_section(built: Path) -> None:
    page = (built / "index.html").read_text()
    assert page.count("<details>") == 1
    assert "<summary>Show 41 rows</summary>" in page.split("Long")[-1]
    results = (built / "results" / "one" / "archive" / "table.html").read_text()
    first, *folded = results.split("<details>")
    assert first.count("<td><p>x</p></td>") == 40
    assert [part.split("</summary>")[0] for part in folded] == [
        "<summary>Show 40 rows",
        "<summary>Show the text",
    ]
