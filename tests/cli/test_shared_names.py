"""Two experiment files whose results would be in one folder: ``run`` stops, others say whose."""

import shutil
import warnings
from pathlib import Path

import pytest

import boostbench

pytestmark = pytest.mark.usefixtures("undrawn")

SEEDS = ("seeds: 2", "seeds: 3")
FOLDS = ("folds: 2", "folds: 3")


def other(path: str, change: tuple[str, str] | None) -> str:
    """Write the experiment as another file, with a change unless ``None``."""
    text = Path("tiny.yaml").read_text()
    Path(path).write_text(text.replace(*change) if change else text)
    return path


def refused(cli, *words: str) -> str:
    """Return what a refused run says."""
    done = cli("run", *words)
    assert (done.code, done.out) == (2, "")
    return done.err


@pytest.mark.parametrize("change", [FOLDS, ("folds", "# changed\nfolds")])
def test_results_of_a_file_that_is_there_are_not_taken_over(cli, tiny_run, change) -> None:
    file = other("mine.yaml", change)
    for options in ([], ["--dry-run"], ["--again"], ["--set", "seeds=5"]):
        text = refused(cli, file, *options)
        assert "mine.yaml:1:7: the results in results/tiny are those of tiny.yaml" in text
    assert cli("status", "results/tiny").out.startswith("tiny: 8 of 8 trials done")
    cli.well("run", "tiny.yaml")


def test_a_file_named_as_that_of_an_archive_owns_no_new_results(cli, tiny_run) -> None:
    other("experiment.yaml", ("name: tiny", "name: third"))
    file = other("mine.yaml", ("name: tiny", "name: mine"))
    assert "0 done" in cli.well("run", file, "--dry-run", "--offline").out
    assert "trials: 8 ok" in cli.well("run", file, "--offline", "-j1").out


def test_the_key_at_fault_is_named(cli, tiny_run) -> None:
    file = other("mine.yaml", ("folds: 2", "folds: 3\nresults: results/tiny"))
    assert "mine.yaml:8:10: " in refused(cli, file)
    same = cli.well("run", "tiny.yaml", "--set", "name=other", "--set", "results=results/tiny")
    assert "nothing was missing" in same.out
    assert "--set name: " in refused(cli, other("o.yaml", ("tiny", "o")), "--set", "name=tiny")


def test_an_edited_copied_moved_or_renamed_file_resumes(cli, tiny_run: Path) -> None:
    other("tiny.yaml", SEEDS)
    assert "4 of 12 trials to run" in cli("run", "tiny.yaml").err
    # Edited at its place even where no trial is left.
    other("tiny.yaml", FOLDS)
    assert "18 of 18 trials to run" in cli("run", "tiny.yaml").err
    assert "nothing was missing" in cli("run", other("copy.yaml", None)).out
    Path("copy.yaml").unlink()
    assert "nothing was missing" in cli("run", "tiny.yaml").out
    Path("tiny.yaml").rename("renamed.yaml")
    assert "nothing was missing" in cli("run", "renamed.yaml").out


def test_a_copy_of_the_whole_folder_is_on_its_own(cli, tiny_run, tmp_path, monkeypatch) -> None:
    here = tmp_path / "clone"
    here.mkdir()
    shutil.copytree("results", here / "results")
    file = other(str(here / "tiny.yaml"), SEEDS)
    monkeypatch.chdir(here)
    assert "4 of 12 trials to run" in cli("run", "tiny.yaml").err
    assert cli("status", file).err == ""


def test_without_its_file_results_belong_to_one_that_shares_a_trial(cli, tiny_run) -> None:
    file = other("mine.yaml", FOLDS)
    Path("tiny.yaml").unlink()
    for options in ([], ["--dry-run"]):
        text = refused(cli, file, *options)
        assert "those of tiny.yaml, which is gone, and not of mine.yaml" in text
    Path(file).write_text(Path(file).read_text().replace(*reversed(FOLDS)).replace(*SEEDS))
    assert "4 of 12 trials to run" in cli("run", file).err


@pytest.mark.parametrize("words", [("report",), ("show", "diabetes/dummy/0/0", "--in")])
def test_commands_that_read_results_name_their_experiment(cli, tiny_run, words) -> None:
    text = cli.well(*words, other("mine.yaml", FOLDS)).err
    assert text.startswith("the results in results/tiny are those of tiny.yaml and not of mine")
    assert "are those of" not in cli(*words, "tiny.yaml").err


def test_load_warns(cli, tiny_run) -> None:
    with pytest.warns(UserWarning, match=r"are those of tiny\.yaml") as text:
        boostbench.load(other("mine.yaml", FOLDS))
    assert text[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        boostbench.load("tiny.yaml")
