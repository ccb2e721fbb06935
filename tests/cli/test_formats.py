"""A format is one file, which registers a renderer: commands then know its name."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from parts import store_of

from boostbench.errors import ConfigError
from boostbench.report.build import build_report
from boostbench.report.document.report import Report
from boostbench.report.names import FORMATS
from boostbench.report.render import formats
from boostbench.report.render.formats import Renderer, format_names, register

QUICKSTART = Path(__file__).parents[2] / "results" / "quickstart" / "archive"


@pytest.fixture
def titles() -> Iterator[None]:
    """A format whose file has the titles of all sections, one a line."""
    register(renderer := Renderer("titles", ".txt", _titles, stem="contents"))
    yield
    formats._REGISTERED.remove(renderer)


def _titles(report: Report) -> str:
    return "".join(f"{section.title}\n" for section in report.sections)


def test_a_registered_format_is_written_by_the_command(cli, titles, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = cli.well("report", str(QUICKSTART), "--format", "titles", "--out", str(out))
    assert "contents.txt" in done.out
    assert {path.name for path in out.glob("[!.]*")} == {"contents.txt"}
    assert (out / "contents.txt").read_text().startswith("Measured beside printed\n")


def test_an_unknown_format_is_refused_with_all_that_there_are(cli, titles, tmp_path) -> None:
    text = cli.refused(
        "report", str(QUICKSTART), "--format", "title", "--out", str(tmp_path / "out")
    )
    assert (
        "'title' is not a format of the report: choose from md, csv, latex, html, figure, titles "
        "(did you mean 'titles'?)"
    ) in " ".join(text.split())
    assert not (tmp_path / "out").exists()


def test_formats_that_are_not_named_in_the_list_of_defaults_are_written_only_if_asked_for(
    titles, tmp_path: Path
) -> None:
    assert format_names() == list(FORMATS)
    build_report(store_of({}), tmp_path)
    assert not (tmp_path / "contents.txt").exists()
    with pytest.raises(ConfigError, match="'titels' is not a format"):
        format_names(["md", "titels"])


def test_the_help_names_the_formats_that_are_written_by_default(cli) -> None:
    text = " ".join(re.findall(r"[\w,;]+", cli.well("report", "--help").out))
    assert "md, csv, latex, html or figure; several with commas" in text
