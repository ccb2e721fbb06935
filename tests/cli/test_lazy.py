"""Help and completion answer at once, because nothing heavy is imported for them."""

import ast
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

import boostbench.cli
from boostbench.plan.trial import Trial
from boostbench.store.store import Store
from boostbench.store.types import Outcome

# typer itself reads options by pydantic, so that is not in the list.
HEAVY = (
    "numpy", "pandas", "sklearn", "scipy", "numba", "matplotlib", "openml", "pooch", "yaml",
    "jinja2", "requests", "dask", "distributed", "dask_jobqueue",
)  # fmt: skip
CALL = "import sys; from boostbench.cli.app import main\n"


def _imported(code: str, **environment: str) -> tuple[str, set[str]]:
    """Run ``code`` and return what it wrote and the heavy packages that it imported."""
    ending = (
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        f"print('HEAVY', *[name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code + ending],
        capture_output=True, text=True, timeout=60, check=True, env={**os.environ, **environment},
    )  # fmt: skip
    text, _, heavy = done.stdout.rpartition("HEAVY")
    return text, set(heavy.split())


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"], ["--version"]])
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    text, heavy = _imported(CALL + f"sys.argv[1:] = {arguments!r}\n")
    assert "boostbench" in text
    assert heavy == set()


def test_status_imports_nothing_heavy(tmp_path: Path) -> None:
    plan = [
        Trial(
            dataset="yacht", method="srt", estimator="boostbench.trees:SoftRegressionTree",
            method_version="1", fingerprint="0" * 64, task="regression", folds=2, fold=fold,
            split_seed=0, seed=0, scale_features="minmax", scale_target="standard",
        )
        for fold in range(2)
    ]  # fmt: skip
    with Store.open(tmp_path / "small", create=True) as store:
        store.set_plan({"name": "small"}, plan)
        for trial in plan:
            store.record(trial, Outcome("ok", metrics={"r2": 0.9}))
    text, heavy = _imported(CALL + f"sys.argv[1:] = ['status', {str(tmp_path / 'small')!r}]\n")
    assert "2 of 2 trials done" in text
    # It reads the experiment file.
    assert heavy == {"yaml"}


def test_help_answers_in_a_fifth_of_a_second() -> None:
    def once() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, "-m", "boostbench", "--help"], capture_output=True, check=True
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    # Processor time, and the best of several: other work on the machine must not count.
    assert min(once() for _ in range(7)) < 0.2


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("boostbench run quick", "quickstart"),
        ("boostbench run d3 --only method=srt_l2_", "method=srt_l2_best5"),
        ("boostbench run d3 --only dataset=yac", "dataset=yacht"),
        ("boostbench run d3 --only me", "method="),
        ("boostbench run d3 --set see", "seeds="),
        ("boostbench fetch yac", "yacht"),
        ("boostbench list m", "methods"),
        ("boostbench report --format la", "latex"),
    ],
)
def test_the_shell_completes(words: str, offered: str) -> None:
    text, heavy = _imported(
        CALL + "sys.argv[1:] = []\n",
        _BOOSTBENCH_COMPLETE="complete_bash",
        COMP_WORDS=words,
        COMP_CWORD=str(len(words.split()) - 1),
    )
    assert offered in text.split()
    assert heavy == set()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("run d3 --only dataset = yac", ["yacht"]),
        ("run d3 --only dataset = yacht --only method = srt_l2_b", ["srt_l2_best5"]),
        ("run d3 --only = dataset = yac", ["yacht"]),
        ("run d3 --only = met", ["method="]),
        ("run d3 --set seeds = 3 --only dataset = yac", ["yacht"]),
        ("run d3 --set scale_features =", ["minmax", "standard", "none"]),
        ("run d3 --set scale_target = st", ["standard"]),
        (
            "run d3 --set seeds = 3 --set split",
            ["split_seed=", "split_seeds=", "splits=", "splits.n=", "splits.test_size="],
        ),
        ("report --format = la", ["latex"]),
    ],
)
def test_bash_completes_after_an_equals_sign(words: str, offered: list[str]) -> None:
    # Bash hands over "dataset=yac" as three words, and puts the answer in the place of the last.
    parts = ["boostbench", *words.split()]
    text, heavy = _imported(
        CALL + "sys.argv[1:] = []\n",
        _BOOSTBENCH_COMPLETE="complete_bash",
        COMP_WORDS="\n".join(parts),
        COMP_CWORD=str(len(parts) - 1),
    )
    assert text.split() == offered
    assert heavy == set()


def test_completion_offers_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from boostbench.cli import complete

    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.yaml").touch()
    (tmp_path / "mine.txt").touch()
    (tmp_path / "my").mkdir()
    (tmp_path / "my" / "other.yml").touch()
    assert complete.configs("mi") == ["mine.yaml"]
    assert complete.configs("my/") == ["my/other.yml"]
    assert complete.configs("absent/") == []


def test_rich_stays_in_the_command_line() -> None:
    folder = Path(boostbench.cli.__file__).parents[1]
    importers = {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if (isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "rich")
        or (isinstance(node, ast.Import) and any(a.name.startswith("rich") for a in node.names))
    }
    assert importers == {"cli/console.py", "cli/live.py"}
