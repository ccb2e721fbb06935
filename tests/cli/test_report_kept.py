"""A report is made again only where what it was made from, or one of its files, has changed."""

import shutil
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from experiments import DUMMY, RIDGE, write, write_model

from boostbench.experiment import report_record
from boostbench.methods import Method
from boostbench.resources import shipped_dir
from results import edit, files

PAPER = Path(__file__).parents[1] / "report" / "third_paper"
OWN_PAPER = """\
name: own_paper
paper: ./paper
table: "1"
datasets: [iris]
methods: [{name: adaboost_mh, params: {max_iter: 2}}]
splits: {n: 2, test_size: 0.25}
seeds: 1
scale_features: none
"""
RECORD = ".boostbench-report.json"

Check = Callable[[], bool]


def report_files(folder: Path) -> dict[str, bytes]:
    """Return the files in a results folder except those of its store."""
    return {n: content for n, content in files(folder).items() if not n.startswith("store.")}


def written_at(folder: Path, names: Iterable[str] = ("table.md",)) -> list[int]:
    return [(folder / name).stat().st_mtime_ns for name in names]


@pytest.fixture
def again(tiny_run: Path, cli) -> Check:
    """Return a function that calls ``report``, and says whether it made the report again."""
    cli.well("report", "tiny")

    def again() -> bool:
        before = written_at(tiny_run)
        cli.well("report", "tiny")
        return written_at(tiny_run) != before

    return again


def test_an_unchanged_report_stays_and_the_command_says_the_same(tiny_run: Path, cli) -> None:
    (tiny_run / RECORD).unlink()
    first = cli.well("report", "tiny")
    before = report_files(tiny_run)
    at = written_at(tiny_run, before)
    second = cli.well("report", "tiny")
    assert second.out == first.out
    assert (first.err, second.err) == ("writing the tables and figures\n", "")
    assert (report_files(tiny_run), written_at(tiny_run, before)) == (before, at)


def test_a_run_with_nothing_to_do_writes_no_report(tiny_run: Path, cli) -> None:
    cli.well("run", "tiny.yaml", "-j1", "--offline")
    names = [*report_files(tiny_run)]
    at = written_at(tiny_run, names)
    idle = cli.well("run", "tiny.yaml", "-j1", "--offline")
    assert "nothing was missing" in idle.out
    assert written_at(tiny_run, names) == at
    (tiny_run / RECORD).unlink()
    assert cli.well("run", "tiny.yaml", "-j1", "--offline").out == idle.out
    assert written_at(tiny_run, names) != at


@pytest.mark.parametrize("name", ["table.html", "trials.csv", "figure.pdf", "references.bib"])
def test_a_file_that_was_deleted_or_edited_is_made_again(name: str, tiny_run: Path, again) -> None:
    content = (tiny_run / name).read_bytes()
    (tiny_run / name).unlink()
    assert again()
    (tiny_run / name).write_bytes(content + b" ")
    assert again()
    assert (tiny_run / name).read_bytes() == content
    assert not again()


@pytest.mark.parametrize("text", ["", "{}", '{"made_from": {}, "files": {}, "shown": {}}', "\0"])
def test_a_record_that_cannot_be_read_counts_as_none(text: str, tiny_run: Path, again) -> None:
    (tiny_run / RECORD).write_text(text)
    assert again()
    assert not again()


def test_other_results_and_other_places_give_another_report(tiny_run: Path, again, cli) -> None:
    edit(tiny_run, "UPDATE outcomes SET metrics = replace(metrics, '\"r2\":0.', '\"r2\":0.1')")
    assert again()
    assert not again()
    assert cli.well("run", "tiny.yaml", "--again", "-j1", "--offline").code == 0
    assert not again()
    # The folder may be moved with its report.
    moved = shutil.copytree(tiny_run, tiny_run.with_name("moved"))
    before = written_at(moved)
    assert f"written to {moved}: " in cli.well("report", str(moved)).out
    assert written_at(moved) == before


@pytest.mark.parametrize(
    "change",
    [
        lambda patch: patch.setattr(report_record, "__version__", "9.9"),
        lambda patch: patch.setattr(report_record, "_digest_of_boostbench", lambda: "edited"),
        lambda patch: patch.setattr(
            report_record, "installed_version", lambda name: "9" if name == "matplotlib" else "1"
        ),
    ],
)
def test_another_program_makes_another_report(change, again, monkeypatch) -> None:
    change(monkeypatch)
    assert again()
    assert not again()


def test_a_card_beside_the_experiment_that_changes_gives_another_report(
    folder: Path, again
) -> None:
    card = (shipped_dir("datasets") / "diabetes.yaml").read_text()
    path = folder / "datasets" / "sugar.yaml"
    path.parent.mkdir()
    for notes in ("one", "other"):
        path.write_text(card.replace("name: diabetes", "name: sugar") + f"notes: {notes}\n")
        assert again()
        assert not again()


def test_a_registered_method_that_changes_gives_another_report(folder: Path, cli, install) -> None:
    mine = Method("mine", "sklearn.linear_model.Ridge", title="Mine")
    install("boostbench.methods", mine=mine)
    cli.well("run", write("own", "mine", DUMMY), "--in-process", "--offline")
    results = folder / "results" / "own"
    for params, is_made_again in (({}, False), ({"alpha": 3.0}, True), ({"alpha": 3.0}, False)):
        install("boostbench.methods", mine=replace(mine, params=params))
        before = written_at(results)
        cli.well("report", "own")
        assert (written_at(results) != before) == is_made_again


def test_results_that_decide_give_another_report_when_they_change(folder: Path, cli) -> None:
    cli.well("run", write("first", RIDGE, DUMMY, decided_by="second"), "--in-process", "--offline")
    results = folder / "results" / "first"
    for words in (("--only", "fold=0"), ()):
        cli.run_only(write("second", RIDGE, DUMMY), "--in-process", "--offline", *words)
        before = written_at(results)
        cli.well("report", "first")
        now = written_at(results)
        assert now != before
        cli.well("report", "first")
        assert written_at(results) == now


def test_a_method_of_ones_own_that_changed_since_its_runs_gives_another_report(cli, folder) -> None:
    own = write_model("kept_model")
    cli.well("run", write("own", own, DUMMY), "-j1", "--offline")
    results = folder / "results" / "own"
    for fit, is_made_again in (
        ("pass", False),
        ("self.more_ = 1", True),
        ("self.more_ = 1", False),
    ):
        write_model("kept_model", fit)
        before = written_at(results)
        cli.well("report", "own")
        assert (written_at(results) != before) == is_made_again


def test_other_options_give_another_report_in_the_same_folder(tiny_run: Path, cli) -> None:
    def table(*options: str) -> str:
        cli.well("report", "tiny", "--out", "elsewhere", *options)
        return Path("elsewhere/table.md").read_text()

    whole, rmse = table(), table("--metric", "rmse")
    ridge = table("--only", "method=Ridge")
    assert len({whole, rmse, ridge}) == 3
    before = written_at(Path("elsewhere"))
    assert table("--only", "method=Ridge") == ridge
    assert written_at(Path("elsewhere")) == before
    assert table() == whole
    only_md = cli.well("report", "tiny", "--out", "elsewhere", "--format", "md")
    assert only_md.out.splitlines()[-1] == "written to elsewhere: table.md"


def test_a_changed_paper_of_ones_own_gives_another_report(folder: Path, cli) -> None:
    shutil.copytree(PAPER, folder / "paper")
    (folder / "own_paper.yaml").write_text(OWN_PAPER)
    cli.well("run", "own_paper.yaml", "-j1", "--offline")
    results = folder / "results" / "own_paper"
    before = written_at(results)
    cli.well("report", "own_paper")
    assert written_at(results) == before
    # A file that the paper does not have so far, and one that it has.
    for name, text in (("notes.md", "# Notes\n\nIn short.\n"), ("claims.csv", "\n")):
        path = folder / "paper" / name
        path.write_text((path.read_text() if path.exists() else "") + text)
        before = written_at(results)
        cli.well("report", "own_paper")
        assert written_at(results) != before, name


def test_one_format_of_a_report_that_is_there_is_not_made_again(tiny_run: Path, again, cli) -> None:
    names = [*report_files(tiny_run)]
    before = written_at(tiny_run, names)
    one = cli.well("report", "tiny", "--format", "md")
    assert (one.out.splitlines()[-1], one.err) == (
        f"written to {Path('results/tiny')}: table.md",
        "",
    )
    assert "nothing was missing" in cli.well("run", "tiny.yaml", "-j1", "--offline").out
    assert not again()
    assert written_at(tiny_run, names) == before


def test_other_formats_than_those_that_are_there_are_made(tiny_run: Path, again, cli) -> None:
    (tiny_run / "table.md").unlink()
    cli.well("report", "tiny", "--format", "md,csv")
    for formats, is_made_again in (("csv", False), ("md", False), ("html", True), ("md", True)):
        before = written_at(tiny_run, (RECORD,))
        cli.well("report", "tiny", "--format", formats)
        assert (written_at(tiny_run, (RECORD,)) != before) == is_made_again, formats
    assert again()
    assert not again()
