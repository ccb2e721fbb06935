"""``report --open``: the page in the user's browser, or a line that says where it is."""

import webbrowser
from pathlib import Path

import pytest


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the addresses that a browser, which is there, was asked to open."""
    asked: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda address: not asked.append(address))
    return asked


def test_the_page_is_written_and_opened(cli, tiny_run: Path, opened) -> None:
    done = cli("report", "tiny", "--open")
    assert (done.code, done.err.count("browser")) == (0, 0)
    page = tiny_run / "table.html"
    assert opened == [page.resolve().as_uri()]
    assert "table.html" in done.out


def test_the_page_of_a_part_is_opened_where_it_was_written(cli, tiny_run, folder, opened) -> None:
    assert cli("report", "tiny", "--only", "seed=0", "--out", "part", "--open").code == 0
    assert opened == [(folder / "part" / "table.html").resolve().as_uri()]


@pytest.mark.parametrize("failure", [False, webbrowser.Error("no browser")])
def test_without_a_browser_a_line_says_where_the_page_is(
    cli, tiny_run: Path, monkeypatch: pytest.MonkeyPatch, failure
) -> None:
    def open_(address: str) -> bool:
        if isinstance(failure, Exception):
            raise failure
        return False

    monkeypatch.setattr(webbrowser, "open", open_)
    done = cli("report", "tiny", "--open")
    assert done.code == 0
    address = (tiny_run / "table.html").resolve().as_uri()
    assert f"no browser was found here; open {address} in one" in done.err


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["-f", "md"], "error: --open shows the page, which is html: add it to --format"),
        (["--only", "seed=0"],
         "error: a part, another metric or an archive beside a run's results is shown and not "
         "written: with --format or --open name a folder for it by --out"),
    ],
)  # fmt: skip
def test_what_cannot_be_opened_is_one_sentence(cli, tiny_run, opened, options, sentence) -> None:
    done = cli("report", "tiny", "--open", *options)
    assert (done.code, done.err.splitlines()) == (2, [sentence])
    assert opened == []
