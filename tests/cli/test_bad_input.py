"""Bad input: one clear sentence, exit code 2 (4 for data), and nothing lost or left behind."""

import os
from pathlib import Path

import pytest
from experiments import RIDGE, write

GOOD = "u,v,y\n" + "".join(f"{i / 7},{i % 5},{i * i % 11}\n" for i in range(40))


@pytest.mark.parametrize("command", [("check",), ("run", "--jobs", "1"), ("run", "--dry-run")])
@pytest.mark.parametrize(
    ("text", "keys", "code", "words"),
    [
        (GOOD.replace(",3,9", ",,9"), {}, 4, "d.csv has missing values in column 'v'"),
        (GOOD, {"folds": 41}, 4, "has 40 rows, fewer than the 41 folds; set folds to at most 40"),
        (GOOD.replace(",y", ",p"), {}, 2, "d.yaml:2:12: d.csv has no column 'y'; its columns are"),
        (None, {}, 2, "d.yaml:2:19: datasets[0].file: there is no file /"),
    ],
)
def test_data_are_checked_before_anything_runs(cli, folder, command, text, keys, code, words):
    if text:
        (folder / "d.csv").write_text(text)
    file = write("d", RIDGE, data="{file: d.csv, target: y}", **keys)
    assert words in cli.refused(command[0], file, *command[1:], code=code)
    assert not (folder / "results").exists()


def test_dry_run_with_data_that_are_not_at_hand(cli, folder, monkeypatch) -> None:
    monkeypatch.setenv("BOOSTBENCH_CACHE", str(folder / "empty"))
    command = ("run", "tiny.yaml", "--set", "datasets=[diabetes, yacht]", "--dry-run")
    done = cli.well(*command)
    assert "yacht would be fetched, and is checked only then" in done.err
    assert "diabetes would" not in done.err
    assert "16 to run" in done.out
    assert len(cli(*command, "--offline").err.splitlines()) == 1
    assert not (folder / "empty").exists()


@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        ("run quickstrat", 2, "no config 'quickstrat' (did you mean 'quickstart'?)"),
        ("run tiny.yaml --set fold=3", 2, "--set fold: unknown key 'fold' (did you"),
        ("run tiny.yaml --only method=rigde", 2, "there is no method 'rigde' (did you mean"),
        ("run tiny.yaml --mirror nowhere", 2, "the mirror nowhere is not a folder"),
        # Digits of other alphabets are no numbers.
        ("run tiny.yaml --set methods.٣.params=3", 2, "methods.٣"),
        ("report tiny.yaml", 2, "no results in results/tiny yet: run the experiment\n"),
        ("report", 2, "no results of a run below results/ yet; begin with: boostbench run"),
        ("report .", 2, "there are no results in . yet"),
        ("show a/b/0/0", 2, "no results of a run below results/ yet"),
        ("fetch yatch", 2, "neither a data set nor a config (did you mean 'yacht'?)"),
        ("check", 2, "give an experiment file or a config's name, --paper or --schema"),
    ],
)
def test_wrong_arguments_are_refused(cli, line: str, code: int, words: str) -> None:
    assert words in cli.refused(*line.split(), code=code)


@pytest.mark.parametrize("line", ["run", "run tiny.yaml --jobs 0", "list nothing", "rnu"])
def test_usage_errors_have_code_2(cli, line: str) -> None:
    assert cli(*line.split()).code == 2


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("report --format htlm", "'htlm' is not a format"),
        ("report -f md,,csv", "--format with an empty name"),
        ("show yacht/srt/0/0", "no trial 'yacht/srt/0/0' in results/tiny"),
        ("show zzzz", "no trial"),
        ("report --out tiny.yaml", "error: tiny.yaml is a file: name another folder by --out\n"),
        ("report --table 99 --out x", "do not fill a table '99'"),
        ("report --metric foo --out x", "have no metric 'foo'"),
        ("report --only fold=9", "there is no fold '9'; there are 0, 1\n"),
        ("compare tiny results/tiny", "A and B are the same results, results/tiny: name two"),
        ("verify --nonce 3", "--nonce draws the trials of --sample: give --sample N too"),
    ],
)
def test_unknown_names_in_finished_results(cli, tiny_run: Path, line: str, words: str) -> None:
    text = cli.refused(*line.split())
    assert (words in text, text.startswith("error: ")) == (True, True)


def test_a_results_folder_that_is_a_file(cli, folder: Path) -> None:
    (folder / "results").write_text("in the way")
    cli.refused("run", "tiny.yaml")
    assert (folder / "results").read_text() == "in the way"


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write anywhere")
def test_a_read_only_results_folder(cli, tiny_run: Path) -> None:
    before = (tiny_run / "trials.csv").read_bytes()
    tiny_run.chmod(0o555)
    try:
        assert "read-only" in cli.refused("run", "tiny.yaml", "--set", "seeds=3")
        cli.well("status", "tiny.yaml")
    finally:
        tiny_run.chmod(0o755)
    assert (tiny_run / "trials.csv").read_bytes() == before


def test_a_damaged_store_is_reported_and_unchanged(cli, tiny_run: Path) -> None:
    store = tiny_run / "store.sqlite"
    store.write_bytes(b"no database at all" * 500)
    for command in ("run", "report", "status"):
        cli.refused(command, "tiny.yaml")
    assert store.read_bytes().startswith(b"no database")
