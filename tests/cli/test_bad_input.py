"""Bad input: one clear sentence, exit code 2 (4 for data), and nothing lost or left behind."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

GOOD = "u,v,y\n" + "".join(f"{i / 7},{i % 5},{i * i % 11}\n" for i in range(40))


def _data(folder: Path, text: str, more: str = "", target: str = "y") -> None:
    (folder / "d.csv").write_text(text)
    task = ", task: classification" if "GaussianNB" in more else ""
    (folder / "d.yaml").write_text(
        f"name: d\ndatasets: [{{file: d.csv, target: {target}{task}}}]\nseeds: 1\n{more}"
        + ("" if "methods" in more else "methods: [{estimator: sklearn.linear_model.Ridge}]\n")
    )


@pytest.mark.parametrize(
    ("text", "more", "words"),
    [
        (GOOD.replace(",3,9", ",,9"), "", "missing values in column 'v'"),
        ("u,v,y\n", "", "d.csv has no rows"),
        (
            GOOD.replace("1.0,2", "1.0,red"),
            "",
            "text in column 'v' (1 of 40 values, 'red' in line 9)",
        ),
        (GOOD, "folds: 41\n", "has 40 rows, fewer than the 41 folds; set folds to at most 40"),
        (
            "u,v,y\n1,2,a\n2,3,b\n4,1,c\n",
            "splits: {n: 2, test_size: 0.3}\n"
            "methods: [{estimator: sklearn.naive_bayes.GaussianNB}]\n",
            "at least two and one are needed: give more rows of each class, or set folds",
        ),
        (
            GOOD.replace("0.0,0,0", "0.0,0,q"),
            "",
            "text in the target column 'y' (1 of 40 values, 'q' in line 2)",
        ),
        (GOOD, "folds: 40\n", "has one and the same target in the 1 test row of fold 0"),
        (
            GOOD,
            "methods: [{method: srt, params: {depth: 5}}]\n",
            "has 30 training rows in fold 0, fewer than the 32 leaves of 'srt'; lower its depth",
        ),
    ],
)
def test_data_that_cannot_be_used(cli, folder: Path, text: str, more: str, words: str) -> None:
    _data(folder, text, more)
    done = cli("run", "d.yaml", "--jobs", "1")
    assert done.code == 4
    assert words in done.err
    assert len(done.err.splitlines()) == 1
    assert done.err.startswith("error: ")
    assert not (folder / "results").exists()


@pytest.mark.parametrize("command", [("check",), ("run",), ("run", "--dry-run")])
def test_data_are_checked_before_anything_runs(cli, folder: Path, command: tuple[str, ...]) -> None:
    _data(folder, "u,y\n1,2\n2,5\n3,1\n", "folds: 4\n")
    done = cli(*command, "d.yaml")
    assert (done.code, done.err) == (
        4, "error: data set 'd' has 3 rows, fewer than the 4 folds; set folds to at most 3\n",
    )  # fmt: skip
    _data(folder, GOOD, target="price")
    done = cli(*command, "d.yaml")
    assert (done.code, done.err) == (
        2, "error: d.yaml:2:12: d.csv has no column 'price'; its columns are u, v, y\n",
    )  # fmt: skip
    (folder / "d.csv").unlink()
    done = cli(*command, "d.yaml")
    assert done.code == 4
    assert "there is no file" in done.err


def test_dry_run_with_data_that_are_not_at_hand(
    cli, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOOSTBENCH_CACHE", str(folder / "empty"))
    command = ("run", "tiny.yaml", "--set", "datasets=[diabetes, yacht]", "--dry-run")
    done = cli(*command)
    assert done.code == 0
    assert "yacht would be fetched, and is checked only then" in done.err
    assert "diabetes would" not in done.err
    assert "16 to run" in done.out
    done = cli(*command, "--offline")
    assert done.code == 4
    assert "data set 'yacht' cannot be loaded" in done.err
    assert len(done.err.splitlines()) == 1
    assert not (folder / "empty").exists()


def test_a_constant_column_is_no_reason_to_stop(cli, folder: Path) -> None:
    lines = [f"{i},1,{i * 7 % 13}" for i in range(24)]
    _data(folder, "u,v,y\n" + "\n".join(lines) + "\n")
    assert cli("run", "d.yaml", "--jobs", "1").code == 0


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["run", "quickstrat"], 2, "no config 'quickstrat' (did you mean 'quickstart'?)"),
        (["run", "tiny.yaml", "--set", "fold=3"], 2, "--set fold: unknown key 'fold' (did you"),
        (
            ["run", "tiny.yaml", "--only", "method=rigde"],
            2,
            "there is no method 'rigde' (did you mean",
        ),
        (["run", "tiny.yaml", "--mirror", "nowhere"], 4, "the mirror nowhere is not a folder"),
        (["report", "tiny.yaml"], 2, "no results in results/tiny yet: run the experiment, or"),
        (["report"], 2, "no results of a run below results/ yet; begin with: boostbench run"),
        (["report", "."], 2, "there are no results in . yet"),
        (["show", "a/b/0/0"], 2, "no results of a run below results/ yet"),
        (["fetch", "yatch"], 2, "neither a data set nor a config (did you mean 'yacht'?)"),
        (["check"], 2, "give an experiment file or a config's name, --paper or --schema"),
    ],
)
def test_wrong_words(cli, arguments: list[str], code: int, words: str) -> None:
    done = cli(*arguments)
    assert done.code == code
    assert words in done.err
    assert len(done.err.splitlines()) == 1


def test_usage_errors_have_code_2(cli) -> None:
    assert cli("run").code == 2
    assert cli("run", "tiny.yaml", "--jobs", "0").code == 2
    assert cli("list", "nothing").code == 2
    assert cli("rnu").code == 2


def test_an_unknown_format_and_trial(cli, tiny_run: Path) -> None:
    done = cli("report", "--format", "htlm")
    assert done.code == 2
    assert "'htlm' is not a format" in done.err
    done = cli("report", "-f", "md,,csv")
    assert (done.code, "--format with an empty name" in done.err) == (2, True)
    done = cli("show", "yacht/srt/0/0")
    assert done.code == 2
    assert "no trial 'yacht/srt/0/0' in results/tiny" in done.err
    assert cli("show", "zzzz").code == 2


def test_a_results_folder_that_is_a_file(cli, folder: Path) -> None:
    (folder / "results").write_text("in the way")
    done = cli("run", "tiny.yaml")
    assert done.code == 2
    assert len(done.err.splitlines()) == 1
    assert (folder / "results").read_text() == "in the way"


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write anywhere")
def test_a_read_only_results_folder(cli, tiny_run: Path) -> None:
    before = (tiny_run / "trials.csv").read_bytes()
    tiny_run.chmod(0o555)
    try:
        done = cli("run", "tiny.yaml", "--set", "seeds=3")
        assert done.code == 2
        assert "read-only" in done.err
        assert cli("status", "tiny.yaml").code == 0
    finally:
        tiny_run.chmod(0o755)
    assert (tiny_run / "trials.csv").read_bytes() == before


def test_no_room_on_the_disk(folder: Path) -> None:
    # A limit on the size of files stands for a full disk: writing fails half-way.
    done = subprocess.run(
        [sys.executable, "-m", "boostbench", "run", "tiny.yaml", "--jobs", "1", "--set",
         "seeds=500"],
        capture_output=True, text=True, timeout=200, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000)),
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert done.stderr.splitlines()[-1].startswith("error: ")
    assert "Traceback" not in done.stderr


def test_a_damaged_store_is_told_and_left_alone(cli, tiny_run: Path) -> None:
    store = tiny_run / "store.sqlite"
    store.write_bytes(b"no database at all" * 500)
    for command in ("run", "report", "status"):
        done = cli(command, "tiny.yaml")
        assert done.code == 2
        assert len(done.err.splitlines()) == 1
    assert store.read_bytes().startswith(b"no database")
