"""``report --open``: the page in the user's browser, or a line that says where it is."""

import re
import shlex
import webbrowser
from html import unescape
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


def _commands(page: Path) -> list[str]:
    """Return the commands that a page says to run next."""
    found = re.findall(r'<pre class="cmd"><code>(.*?)</code>', page.read_text())
    return [unescape(text) for text in found]


def test_the_commands_of_a_page_work_as_printed(cli, tiny_run: Path) -> None:
    commands = _commands(tiny_run / "table.html")
    assert commands == [
        "boostbench show diabetes/Ridge --in tiny",
        "boostbench run tiny.yaml",
        "boostbench report tiny --format csv,figure",
    ]
    for command in commands:
        cli.well(*shlex.split(command)[1:])


def test_the_commands_of_the_page_of_a_shipped_experiment_work(cli, folder: Path) -> None:
    part = ["--only", "dataset=diabetes", "--only", "fold=0", "--only", "method=orrt_trained"]
    cli.well("run", "quickstart", "-j", "1", "--set", "results=there", *part)
    show, run, verify = _commands(folder / "there" / "table.html")
    assert show == "boostbench show diabetes/orrt_trained --in there"
    assert run == "boostbench run quickstart --set name=mine --set seeds=1"
    assert verify == "boostbench verify there"
    cli.well(*shlex.split(show)[1:])
    cli.well(*shlex.split(verify)[1:])


def test_the_page_of_the_first_run_says_how_to_go_on(cli, folder: Path) -> None:
    part = ["--only", "dataset=diabetes", "--only", "fold=0", "--only", "method=orrt_trained"]
    cli.well("run", "quickstart", "-j", "1", *part)
    commands = _commands(folder / "results" / "quickstart" / "table.html")
    assert "boostbench run quickstart --set name=mine --set seeds=1" in commands
    for command in commands:
        words = shlex.split(command)[1:]
        cli.well(*words, *(part if words[0] == "run" else []))
    assert (folder / "results" / "mine" / "table.html").is_file()
