"""The reference: what the site makes of the code is complete, and its written pages are true."""

import importlib
import inspect
import re
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import typer
from experiments import write
from pydantic import TypeAdapter

from boostbench.cli.app import app, main
from boostbench.papers.roles import ROLE_KEYS
from boostbench.papers.runs_beside import RUN_COLUMNS
from boostbench.papers.tables import read_tables

ROOT = Path(__file__).parents[1]
PAGES = ROOT / "docs" / "reference"
EXTENSIONS = ROOT / "docs" / "_ext"

pytestmark = pytest.mark.skipif(not PAGES.is_dir(), reason="not in a clone of the repository")


@pytest.fixture
def texts(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module that makes parts of reference pages."""
    monkeypatch.syspath_prepend(str(EXTENSIONS))
    return importlib.import_module("reference_texts")


def _options(command: Any) -> Iterator[str]:
    """Yield the names of all options of a command and of those within it."""
    for parameter in command.params:
        if parameter.param_type_name == "option":
            yield from parameter.opts
    for inner in getattr(command, "commands", {}).values():
        yield from _options(inner)


def test_all_commands_and_options_are_listed(texts: ModuleType) -> None:
    group: Any = typer.main.get_command(app)
    page = texts.commands()
    headings = re.findall(r"^## boostbench (.*)$", page, re.MULTILINE)
    inner = [f"paper {name}" for name in group.commands["paper"].commands]
    assert headings == [*group.commands, *inner]
    listed = set(re.findall(r"-[-a-z]+", " ".join(re.findall(r"^`(.*)`$", page, re.MULTILINE))))
    wanted = {name for command in group.commands.values() for name in _options(command)}
    assert listed == wanted


def test_all_keys_are_described(texts: ModuleType) -> None:
    not_in_files = {
        "Paper": {"key", "folder", "is_whole"},
        "Design": {"overlap"},
        "DesignFor": {"design"},
        "datasets.csv": {"conditions"},
        "claims.csv": {"at", "table"},
    }
    for name, kinds in texts.TYPES.items():
        schemas = [TypeAdapter(kind).json_schema() for kind in kinds]
        known = {key for schema in schemas for key in schema["properties"]}
        described = set(texts.TEXTS[name]) - {"CONDITION"}
        assert described == known - not_in_files.get(name, set()), name
    for name, described in texts.TEXTS.items():
        assert all(text.strip() for text in described.values())
        assert re.findall(r"^`(\w+)`", texts.keys(name), re.MULTILINE) == list(described)


def test_all_parts_of_files_are_on_the_page(texts: ModuleType) -> None:
    page = (PAGES / "experiment-keys.md").read_text(encoding="utf-8")
    listed = re.findall(r"^```\{keys\} (\S+)$", page, re.MULTILINE)
    assert sorted(listed) == sorted(texts.TEXTS)


def test_columns_of_printed_tables_are_those_that_are_read(
    texts: ModuleType, tmp_path: Path
) -> None:
    names = [
        each.replace("METRIC", "rmse").replace("CONDITION", "noise")
        for each in texts.TEXTS["tables.csv"]
    ]
    names.remove("rmse_percent_mean")  # in place of the mean beside it
    row = {
        **dict.fromkeys(names, ""),
        "table": "1",
        "dataset": "yacht",
        "rmse_mean": "0.31",
        "method": "forest",
    }
    path = tmp_path / "tables.csv"
    path.write_text("".join(f"{','.join(line)}\n" for line in (row, row.values())))
    [cell] = read_tables(path, "rmse", ["rmse"], lambda *_: None, ["noise"])
    assert (cell.dataset, cell.mean) == ("yacht", 0.31)
    assert set(texts.TEXTS["runs.csv"]) == {*RUN_COLUMNS, "CONDITION"}
    assert set(texts.TEXTS["Role"]) == set(ROLE_KEYS)


def test_defaults_of_keys_are_those_of_the_code(texts: ModuleType) -> None:
    page = texts.keys("Experiment")
    assert "`folds`, default `4`\n: A whole number" in page
    assert "`name`, required\n" in page
    assert "`curves`, default `true`\n" in page
    # Its description says what the default is, which depends on the data.
    assert "`units`\n" in page


def test_special_characters_are_shown(texts: ModuleType) -> None:
    assert texts.escaped("a_b *\n  <c>") == r"a\_b \* \<c\>"


def test_each_module_that_users_import_has_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sphinx")
    monkeypatch.syspath_prepend(str(EXTENSIONS))
    generated = importlib.import_module("generated_reference")
    page = (PAGES / "api.md").read_text(encoding="utf-8")
    for name in generated.MODULES:
        assert f"generated/{name}" in page
        module = importlib.import_module(name)
        public = {each for each in module.__all__ if callable(getattr(module, each))}
        listed = re.findall(r"^   (\w+)$", generated.module_page(name), re.MULTILINE)
        assert set(listed) == public


@pytest.mark.usefixtures("cheap")
def test_all_files_of_results_are_on_their_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    method = "{method: adaboost_mh, params: {max_iter: 2}}"
    config = write("mine", method, data="iris", keep="[predictions]")
    for command in (["run", config], ["archive", "mine", "--predictions"]):
        with pytest.raises(SystemExit) as ended:
            main(command)
        assert ended.value.code in (0, None)
    written = {path.name for path in (tmp_path / "results").rglob("*") if path.is_file()}
    assert {"curves.csv", "predictions.zip", "record.json", "table.html"} <= written
    page = (PAGES / "results-folder.md").read_text(encoding="utf-8")
    names = [name.replace("NAME", "mine") for name in re.findall(r"`([^`]+)`", page)]
    assert {name for name in written if not any(fnmatch(name, each) for each in names)} == set()


def test_exit_codes_are_those_of_the_command_line() -> None:
    page = (PAGES / "exit-codes.md").read_text(encoding="utf-8")
    stated = set(re.findall(r"^\| (\d+) \|", page, re.MULTILINE))
    assert stated == set(re.findall(r"\d+", inspect.getdoc(main) or ""))
