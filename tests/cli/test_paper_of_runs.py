"""``boostbench paper new --from`` raw results: a CSV file of runs, or a results folder."""

import csv
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
RUNS = "data,method,split,seed,rmse\n" + "".join(
    f"{data},{method},{split},0,{1 + level + split / 8}\n"
    for data in ("yacht", "foo")
    for level, method in enumerate(("forest", "tree"))
    for split in range(5)
)
ANSWERS = {
    "title": "T",
    "authors": "A",
    "metric": "rmse",
    "digits": "3",
    "division": "shuffle 5 0.2",
    "units": "yes",
    "cards": "yes",
    "measured": "srt_l2",
}
COLUMNS = ("--columns", "dataset=data,score=rmse")


def options(answers: dict[str, str]) -> list[str]:
    return [word for key, text in answers.items() for word in ("--answer", f"{key}={text}")]


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_means_are_those_of_the_runs_which_stay_beside_them(cli, folder) -> None:
    (folder / "raw.csv").write_text(RUNS)
    cli.well("paper", "new", "r", "--from", "raw.csv", *COLUMNS, *options(ANSWERS))
    tables = rows(folder / "r/tables.csv")
    assert [(row["method"], row["rmse_mean"], row["rmse_sd"], row["runs"]) for row in tables] == [
        ("forest", "1.250", "0.198", "5"),
        ("tree", "2.250", "0.198", "5"),
    ] * 2
    assert len(rows(folder / "r/runs.csv")) == 20
    assert "not that of its" not in cli.well("check", "--paper", "./r").out
    tables_csv = folder / "r/tables.csv"
    tables_csv.write_text(tables_csv.read_text().replace("2.250", "2.251", 1))
    said = cli.well("check", "--paper", "./r").out
    assert (
        "tables.csv:3: the mean 2.251 of tree is not that of its 5 runs in runs.csv, 2.25" in said
    )
    assert said.count("not that of its") == 1


def test_printed_means_that_are_not_those_of_their_runs_are_doubts(cli, folder) -> None:
    (folder / "raw.csv").write_text(RUNS)
    (folder / "t.tex").write_text(
        "\\begin{tabular}{lcc}\\hline & yacht & iris \\\\ \\hline\n"
        "Forest & 1.25 & 1 \\\\\nTree & 2.26 & 2\\\\\\end{tabular}"
    )
    answers = {
        "title": "T", "authors": "A", "table1.metric": "rmse", "division": "kfold 5",
        "units": "yes", "cards": "no",
    }  # fmt: skip
    cli.well(
        "paper", "new", "r", "--from", "t.tex", "--from", "raw.csv", *COLUMNS, *options(answers)
    )
    (doubt,) = rows(folder / "r/doubts.csv")
    assert (doubt["value"], doubt["doubt"]) == ("2.26", "the mean of its 5 runs is 2.25")
    assert "tables.csv:4: the mean 2.26 of tree" in cli.well("check", "--paper", "./r").out


@pytest.mark.parametrize(
    ("text", "more", "message"),
    [
        (RUNS, (), "raw.csv:1: there is no column 'dataset' (did you mean 'data'?)"),
        (RUNS + "foo,tree,4,0,2\n", COLUMNS, "raw.csv:22: this run is again that of line 21"),
        (RUNS + "foo,tree,9,0,x\n", COLUMNS, "raw.csv:22, rmse: 'x' is no number; leave out"),
        (RUNS, ("--columns", "scor=rmse"), "--columns scor=rmse: write NAME=COLUMN"),
        ("dataset,method,score\n", (), "raw.csv: this file has no runs; name one with a row"),
        ("", (), "raw.csv is empty; give a table with a header and a row for each run"),
    ],
)
def test_wrong_runs_are_refused(cli, folder, text, more, message) -> None:
    (folder / "raw.csv").write_text(text)
    said = cli.refused("paper", "new", "r", "--from", "raw.csv", *more, *options(ANSWERS))
    assert message in said
    assert not (folder / "r").exists()


def test_of_own_runs_only_the_digits_are_asked(cli, folder) -> None:
    archive = str(ROOT / "results" / "best_starts" / "archive")
    done = cli("paper", "new", "open", "--from", archive)
    assert done.code == 3
    assert "1 question left open" in done.err
    cli.well("paper", "new", "own", "--from", archive, "--answer", "digits=3")
    paper = yaml.safe_load((folder / "own/paper.yaml").read_text())
    assert paper["metric"] == "r2"
    assert paper["design"] == {"split": "kfold", "folds": 4, "seeds": 20, "units": "scaled"}
    assert rows(folder / "own/tables.csv")[0]["r2_mean"] == "0.517"
    assert rows(folder / "own/datasets.csv")[0]["cards"] == "airfoil"
    done = cli.well("check", "--paper", "./own")
    assert "32 printed cells, 4 data sets" in done.out
    assert "not that of its" not in done.out
    assert "give one LaTeX file" in cli.refused(
        "paper", "new", "x", "--from", archive, "--from", "raw.csv"
    )
