"""``report --open``: the page in the user's browser, or a line that says where it is."""

import webbrowser
from pathlib import Path
from unittest import mock

import pytest


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> mock.Mock:
    """A browser, which is there."""
    monkeypatch.setattr(webbrowser, "open", mock.Mock(return_value=True))
    return webbrowser.open


@pytest.mark.parametrize("part", [[], ["--only", "seed=0", "--out", "part"]])
def test_the_page_is_written_and_opened(cli, tiny_run: Path, opened, part: list[str]) -> None:
    done = cli.well("report", "tiny", "--open", *part)
    assert "browser" not in done.err
    folder = Path("part") if part else tiny_run
    opened.assert_called_once_with(f"{folder.resolve().as_uri()}/table.html")
    assert "table.html" in done.out


@pytest.mark.parametrize("failure", [None, webbrowser.Error("no browser")])
def test_without_a_browser_a_line_says_where_the_page_is(cli, tiny_run, opened, failure) -> None:
    opened.configure_mock(return_value=False, side_effect=failure)
    address = (tiny_run / "table.html").resolve().as_uri()
    text = f"no browser was found here; open {address} in one"
    assert text in cli.well("report", "tiny", "--open").err


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("-f md", "--open shows the page, which is html: add it to --format"),
        ("--only seed=0", "a part, one table, another metric or an archive beside a run's results"),
    ],
)
def test_failures_to_open_are_one_sentence(cli, tiny_run, opened, options, sentence) -> None:
    assert sentence in cli.refused("report", "tiny", "--open", *options.split())
    opened.assert_not_called()
