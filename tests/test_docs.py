"""Every command and Python block of README and docs is run, in a folder like a clone's."""

import doctest
import importlib
import json
import os
import re
import runpy
import shlex
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path

import numpy as np
import pytest
from servers import LoopbackServer

from boostbench.cli.app import main
from boostbench.config.loading import load_experiment
from boostbench.plan.check import check_experiment
from boostbench.store.archive_format import archive_files, read_archive

ROOT = Path(__file__).parents[1]
# The pages that were written, not those that building the site makes.
_WRITTEN = [
    path
    for path in sorted((ROOT / "docs").rglob("*.md"))
    if not {"examples", "gallery", "generated"} & set(path.relative_to(ROOT).parts)
]
PAGES = [ROOT / "README.md", *_WRITTEN]
# Their blocks take long, and are run by `.ci/docs`.
LONG_PAGES = {
    "docs/index.md",
    "docs/guide/cluster.md",
    "docs/guide/handing-over.md",
    "docs/guide/methods.md",
    "docs/guide/reproducibility.md",
    "docs/guide/running.md",
    "docs/guide/tasks.md",
    "docs/reference/json.md",
    "docs/tutorials/first-run.md",
    "docs/tutorials/your-method.md",
    "docs/tutorials/from-csv-to-a-sentence.md",
    "docs/tutorials/a-cluster-on-one-machine.md",
}
MIRROR = Path(os.environ.get("BOOSTBENCH_MIRROR") or ROOT.parent / "shared" / "data")
# CONTRIBUTING also follows some things through the code, and an example of each test counts.
LIMITS = {"README.md": 700, "CONTRIBUTING.md": 1500, "statistics.md": 1500}
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")
# What takes minutes runs a part of its trials, and what needs a cluster only its checks.
_PARTS = {
    "run quickstart": ["--only", "fold=0", "--only", "dataset=diabetes"],
    "run mine.yaml": ["--only", "fold=0", "--only", "seed=0"],
    "run d2": ["--only", "seed=0"],
    "run uci/experiment.yaml": ["--only", "fold=0", "--only", "dataset=yacht"],
    "run d3 --only": ["--only", "seed=0"],
    "--cluster slurm": ["--dry-run"],
    "--cluster tcp://scheduler": ["--dry-run"],
}

pytestmark = pytest.mark.skipif(not PAGES[1:], reason="not in a clone of the repository")


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The archives of results; in those of 10,800 trials that pages read, some of the trials."""
    folder = tmp_path_factory.mktemp("archives")
    for archive in (ROOT / "results").glob("*/archive"):
        shutil.copytree(archive, folder / archive.parent.name / "archive")
    for name in ("d2", "d3"):
        contents = read_archive(folder / name / "archive")
        plan = [(key, trial) for key, trial in contents.plan if _is_read(json.loads(trial))]
        for file, content in archive_files(contents._replace(plan=plan)).items():
            (folder / name / "archive" / file).write_bytes(content)
    return folder


def _is_read(trial: dict[str, object]) -> bool:
    """Whether the trial is one of those that pages read from the archives of d2 and d3."""
    is_early = trial["seed"] in (0, 1)
    return is_early and trial["dataset"] in ("airfoil", "elevators", "housing", "kin8nm", "yacht")


@pytest.fixture
def clone(
    page: Path, archives: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cheap: None
) -> Iterator[LoopbackServer]:
    """A folder like a clone, with the archives and the data of a page, and a server as OpenML."""
    shutil.copytree(ROOT / "configs", tmp_path / "configs")
    for archive in archives.glob("*/archive"):
        if re.search(rf"\b{archive.parent.name}\b", page.read_text(encoding="utf-8")):
            shutil.copytree(archive, tmp_path / "results" / archive.parent.name / "archive")
    for source in (ROOT / "docs").rglob("*.tex"):
        shutil.copy(source, tmp_path)
    draw = np.random.default_rng(0)
    rows = [f"{x:.4f},{'red' if x > 0 else 'blue'},{3 * x:.4f}" for x in draw.normal(size=60)]
    (tmp_path / "ours.csv").write_text("\n".join(["size,colour,price", *rows]))
    arff = "@relation wine\n@attribute a numeric\n@attribute b numeric\n@data\n"
    numbers = "\n".join(f"{x:.4f},{2 * x:.4f}" for x in draw.normal(size=60))
    spam = [f"{x:.4f},{y:.4f},{'spam' if x > y else 'ham'}" for x, y in draw.normal(size=(80, 2))]
    (tmp_path / "spam.csv").write_text("\n".join(["x,y,label", *spam]))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BOOSTBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("BOOSTBENCH_MIRROR", str(MIRROR) if MIRROR.is_dir() else "")
    monkeypatch.setenv("MPLBACKEND", "agg")
    monkeypatch.setattr(sys, "path", list(sys.path))
    with LoopbackServer() as server:
        server.add_openml(44136, f"{arff}{numbers}\n".encode(), target="b")
        monkeypatch.setenv("BOOSTBENCH_OPENML_SERVER", f"{server.url}/api/v1/xml")
        yield server


def _name(page: Path) -> str:
    """Return what the tests of a page are called."""
    return page.relative_to(ROOT).as_posix()


def _blocks(page: Path) -> list[tuple[str, str]]:
    """Return the blocks of a page, each with its kind."""
    return _BLOCK.findall(page.read_text(encoding="utf-8"))


def _run(line: str, started: list[subprocess.Popen[bytes]]) -> None:
    """Run one command; one that ends in & is ``started``, and runs beside those after it."""
    words = shlex.split(line, comments=True)
    if words and words[-1] == "&":
        started.append(subprocess.Popen([Path(sys.executable).with_name(words[0]), *words[1:-1]]))
        _wait_for_scheduler()
        return
    if words[0] != "boostbench":
        # What installs and what tests or measures: the files that it names must be there.
        assert all((ROOT / word).exists() for word in words if word.startswith("scripts/")), line
        return
    more = next((more for start, more in _PARTS.items() if start in line), [])
    with pytest.raises(SystemExit) as ended:
        main([*chain.from_iterable(map(_expanded, words[1:])), *more])
    assert ended.value.code in (0, None), line


def _expanded(word: str) -> list[str]:
    """Return the files that a word of a command is a pattern of, else the word."""
    is_pattern = "*" in word and "=" not in word
    return [str(path) for path in Path().glob(word)] if is_pattern else [word]


def _wait_for_scheduler() -> None:
    """Wait until the scheduler that a page has started answers."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        with suppress(OSError), socket.create_connection(("127.0.0.1", 8786)):
            return
        time.sleep(0.2)
    raise AssertionError("no scheduler answers")


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=pytest.mark.long if _name(page) in LONG_PAGES else ())
        for page in PAGES
    ],
    ids=_name,
)
def test_commands_and_code_of_a_page_work(page: Path, clone: LoopbackServer) -> None:
    text = page.read_text(encoding="utf-8")
    if not MIRROR.is_dir() and re.search(r"boostbench fetch|yacht|run d[23]", text):
        pytest.skip("no mirror: set BOOSTBENCH_MIRROR to a folder with copies of the data sets")
    if "--cluster" in text:
        pytest.importorskip("distributed", reason="needs boostbench[cluster]")
    for name, block in _files(page).items():
        Path(name).write_text(block, encoding="utf-8")
    started: list[subprocess.Popen[bytes]] = []
    try:
        for kind, block in _steps(page):
            if kind == "python":
                _run_script(block)
            else:
                _run_commands(block, started)
    finally:
        for process in reversed(started):
            process.terminate()
            process.wait(timeout=60)


def _run_commands(block: str, started: list[subprocess.Popen[bytes]]) -> None:
    for line in filter(None, block.splitlines()):
        for command in line.split(" && "):
            _run(command, started)


def _files(page: Path) -> dict[str, str]:
    """Return the blocks that begin with the name of a file, which they are, by these names."""
    return {
        named[1]: block
        for _, block in _blocks(page)
        if (named := re.match(r"# (\S+\.(?:yaml|py))\n", block))
    }


def _steps(page: Path) -> list[tuple[str, str]]:
    """Return the commands and scripts in order; code up to the next commands is one script."""
    files = set(_files(page).values())
    blocks = [(k, b) for k, b in _blocks(page) if k in ("sh", "python") and b not in files]
    groups = [(kind, list(group)) for kind, group in groupby(blocks, key=itemgetter(0))]
    return [(kind, "\n".join(block for _, block in group)) for kind, group in groups]


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_numbers_of_a_page_are_what_its_statements_give(page: Path) -> None:
    blocks = [block for kind, block in _blocks(page) if kind == "pycon"]
    test = doctest.DocTestParser().get_doctest("".join(blocks), {}, _name(page), str(page), 0)
    assert doctest.DocTestRunner().run(test).failed == 0


def _run_script(script: str) -> None:
    Path("page.py").write_text(script, encoding="utf-8")
    runpy.run_path("page.py", run_name="__main__")


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_experiments_of_a_page_are_right(page: Path, tmp_path: Path) -> None:
    files = _files(page)
    for name, block in files.items():
        (tmp_path / name).write_text(block, encoding="utf-8")
    for name, block in files.items():
        if "\nmethods:" in block:
            check_experiment(load_experiment(tmp_path / name))


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CONTRIBUTING.md"], ids=_name)
def test_a_page_is_short_and_its_links_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert len(text.split()) <= LIMITS.get(page.name, 1200)
    for link in _LINK.findall(text):
        assert "://" in link or (page.parent / link).exists(), link


def _things_named(text: str) -> list[str]:
    """Return the dotted names of modules, functions and classes in a text."""
    rooms = "|".join(path.name for path in (ROOT / "boostbench").iterdir() if path.is_dir())
    return re.findall(rf"`((?:{rooms})(?:\.\w+)+)`", text)


def _is_there(dotted: str) -> bool:
    module, *names = ["boostbench", *dotted.split(".")]
    thing: object = importlib.import_module(module)
    for name in names:
        module = f"{module}.{name}"
        if not hasattr(thing, name):
            with suppress(ModuleNotFoundError):
                importlib.import_module(module)
        thing = getattr(thing, name, None)
    return thing is not None


def test_what_contributing_follows_through_the_code_is_there() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.split("## Follow one thing through the code")[1].split("\n## ")[0]
    names = _things_named(section)
    assert len(names) > 40
    assert [name for name in names if not _is_there(name)] == []
    assert not _is_there("report.cells.no_such_function")
    for walk in section.split("\n\n")[2:]:
        assert len(walk.strip().splitlines()) <= 10


def _modules_named(text: str) -> set[str]:
    """Return the modules of the things named in a text."""
    names = set()
    for dotted in _things_named(text):
        parts = ["boostbench", *dotted.split(".")]
        paths = [ROOT.joinpath(*parts[:end]).with_suffix(".py") for end in range(len(parts), 1, -1)]
        names.add(next(str(path) for path in paths if path.is_file()))
    return names


def test_a_score_is_followed_to_the_page_in_eight_modules_at_most() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (walk,) = (part for part in text.split("\n\n") if part.startswith("**A score**"))
    assert 5 <= len(_modules_named(walk)) <= 8


@pytest.mark.parametrize(
    ("beginning", "most"),
    [("A column is one", 1), ("A format is one file", 2), ("A key of a data set", 4)],
)
def test_what_is_added_is_in_files_that_are_there(beginning: str, most: int) -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (section,) = (part for part in text.split("\n\n") if part.startswith(beginning))
    files = re.findall(r"`(boostbench/[\w./]+)`", section)
    assert 0 < len(files) <= most
    assert [file for file in files if not (ROOT / file).exists()] == []
    modules = [ROOT / file for file in files if file.endswith(".py")]
    code = "".join(path.read_text(encoding="utf-8") for path in modules)
    named = [name for name in re.findall(r"`([A-Z]\w+)`", section) if name != "Renderer"]
    assert [name for name in named if not re.search(rf"^(class )?{name}\b", code, re.M)] == []
