"""``boostbench paper new``: a paper's folder from its LaTeX tables, with questions."""

import builtins
import csv
import io
import re
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
import yaml

SOURCE = Path(__file__).parents[2] / "docs" / "tutorials" / "uci_regression.tex"
ANSWERS = {
    "title": "Variational bounds",
    "authors": "A. Author",
    "table1.sizes": "yes",
    "table1.metric": "rmse",
    "table1.spread": "se",
    "average.average_rank": "mean_rank",
    "division": "shuffle 20 0.1",
    "units": "yes",
    "cards": "boston, kin8nm, yacht",
    "measured": "srt_l2, random_forest",
    "beside": "none",
}


def options(answers: dict[str, str]) -> list[str]:
    return [word for key, text in answers.items() for word in ("--answer", f"{key}={text}")]


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def somebody(monkeypatch: pytest.MonkeyPatch):
    """Return a function that lets somebody at a terminal give these answers, and the questions."""

    def sit_down(answers: Iterable[str]) -> list[str]:
        asked, left = [], iter(answers)

        class Terminal(io.StringIO):
            def isatty(self) -> bool:
                return True

        def answer(text: str) -> str:
            asked.append(text)
            try:
                return next(left)
            except StopIteration:
                raise EOFError from None

        monkeypatch.setattr(sys, "stdin", Terminal())
        monkeypatch.setattr(builtins, "input", answer)
        return asked

    return sit_down


def test_a_folder_whose_questions_are_answered_is_right(cli, folder) -> None:
    done = cli.well("paper", "new", "uci", "--from", str(SOURCE), *options(ANSWERS))
    assert "uci: 55 cells of uci_regression.tex" in done.out
    assert "55 printed cells, 10 data sets" in cli.well("check", "--paper", "./uci").out
    assert "3 data sets x 2 methods x 20 splits" in cli.well("check", "uci/experiment.yaml").out
    tables, datasets = rows(folder / "uci/tables.csv"), rows(folder / "uci/datasets.csv")
    assert tables[0] == {
        "table": "1",
        "dataset": "boston",
        "method": "minus_inf",
        "rmse_mean": "2.84",
        "rmse_se": "0.18",
        "row": "boston",
        "column": "Order α of the divergence | -∞",
        "at": "uci_regression.tex:21",
    }
    assert tables[-1]["dataset"] == "mean_rank"
    assert datasets[0]["cards"] == "housing"
    assert datasets[0]["n_samples"] == "506"
    assert datasets[7]["dataset"] == "wine_1588"  # the card wine has other data
    paper = yaml.safe_load((folder / "uci/paper.yaml").read_text())
    assert paper["design"]["units"] == "original"
    assert "table1.spread: se" in (folder / "uci/notes.md").read_text()
    assert rows(folder / "uci/claims.csv") == rows(folder / "uci/doubts.csv") == []


def test_without_a_terminal_nothing_is_guessed(cli, folder) -> None:
    done = cli("paper", "new", "uci", "--from", str(SOURCE))
    assert done.code == 3
    assert "8 questions left open, as TODO lines in uci/paper.yaml" in done.err
    text = (folder / "uci/paper.yaml").read_text()
    assert len(re.findall("^# TODO: ", text, re.M)) == 8
    assert "metric: TODO" in text
    tables = rows(folder / "uci/tables.csv")
    assert tables[0]["TODO_mean"] == "2.84"
    assert tables[-1]["dataset"] == "TODO"
    assert {row["cards"] for row in rows(folder / "uci/datasets.csv")} == {""}
    refused = cli("check", "--paper", "./uci")
    assert refused.code == 2
    assert "uci/paper.yaml:1: TODO: the title of the paper" in refused.err


def test_todo_lines_can_be_answered_in_the_files(cli, folder) -> None:
    cli("paper", "new", "uci", "--from", str(SOURCE))
    for name, changes in {
        "paper.yaml": {
            "metric: TODO": "metric: rmse",
            "design: TODO": "design: {split: shuffle, folds: 20, test_size: 0.1}",
            "title: TODO": "title: Bounds",
        },
        "tables.csv": {"TODO_mean": "rmse_mean", "TODO_TODO": "rmse_se", ",TODO,": ",mean_rank,"},
    }.items():
        path = folder / "uci" / name
        text = re.sub("^# TODO.*\n", "", path.read_text(), flags=re.M)
        for old, new in changes.items():
            text = text.replace(old, new)
        path.write_text(text)
    assert "55 printed cells" in cli.well("check", "--paper", "./uci").out


def test_somebody_is_asked_in_a_terminal(cli, folder, somebody) -> None:
    asked = somebody(
        [
            "Variational bounds", "", "A. Author", "", "", "standard", "se", "",
            "shuffle 20", "shuffle 20 0.1", "", "boston, kin8nm, yacht", "srt_l3", "srt_l2",
            "m_1_0_vi",
        ]
    )  # fmt: skip
    done = cli.well("paper", "new", "uci", "--from", str(SOURCE))
    assert "'standard' is none of sd, se, neither" in done.out
    assert "random splits need the share of test rows" in done.out
    assert "there is no method 'srt_l3' (did you mean 'srt_l2'?)" in done.out
    assert asked[1] == asked[2] == "its authors: "
    assert asked[4].endswith("held-o): ") or "[rmse]" in asked[4]
    assert "55 printed cells" in cli.well("check", "--paper", "./uci").out
    paper = yaml.safe_load((folder / "uci/paper.yaml").read_text())
    assert paper["columns"] == {"srt_l2": "m_1_0_vi"}
    assert paper["printed_names"]["plus_inf"] == "+∞"


def test_a_terminal_that_is_closed_leaves_the_questions_open(cli, folder, somebody) -> None:
    somebody(["Variational bounds"])
    assert cli("paper", "new", "uci", "--from", str(SOURCE)).code == 3
    assert "title: Variational bounds" in (folder / "uci/paper.yaml").read_text()


def test_what_is_there_or_wrong_is_refused_and_nothing_is_left(cli, folder) -> None:
    (folder / "old").mkdir()
    new = ("paper", "new", "--from", str(SOURCE))
    assert "old is there already" in cli.refused(*new, "old")
    assert "there is no folder no" in cli.refused(*new, "no/uci")
    assert "--answer units: 'perhaps' is none of yes, no" in cli.refused(
        *new, "uci", *options(ANSWERS | {"units": "perhaps"})
    )
    said = cli.refused(*new, "uci", "--answer", "table1.spred=se")
    assert "--answer table1.spred: nothing is asked under that name" in said
    assert "--answer x: write KEY=TEXT" in cli.refused(*new, "uci", "--answer", "x")
    assert [path.name for path in folder.iterdir() if "uci" in path.name] == []


TWO = r"""\title{Rules \& trees}\author{B. Author}
\begin{table}\caption{Setup}
\begin{tabular}{ll}\hline A & B\\\hline x & text \\\end{tabular}\end{table}
\begin{table}\caption{Accuracy in percent}
\begin{tabular}{lccc}\hline
Method & iris & wine & Avg. \\\hline
tree & 94.7 & 91.0 & 92.85 \\
rule & $<$90 & 97.25 (+1.2) & 96.0 \\
\end{tabular}\end{table}
\begin{table}\caption{More}
\begin{tabular}{llcc}\hline
Data & Method & Accuracy & Time \\\hline
vehicle & tree & 71.2 & 3.0 \\
 & rule & 70.9 & 1.2 \\
\end{tabular}\end{table}
"""


def test_several_tables_with_doubts_averages_and_times(cli, folder) -> None:
    (folder / "two.tex").write_text(TWO)
    answers = {
        "tables": "2, 3",
        "table2.difference_in_parentheses": "no",
        "table2.metric": "accuracy",
        "average.avg": "arithmetic_mean",
        "division": "not stated",
        "runs": "10",
        "cards": "iris",
        "measured": "adaboost_mh",
        "beside": "tree",
    }
    cli.well("paper", "new", "two", "--from", "two.tex", *options(answers))
    found = rows(folder / "two/tables.csv")
    assert [(row["dataset"], row["method"], row["accuracy_percent_mean"]) for row in found] == [
        ("iris", "tree", "94.7"),
        ("wine_printed", "tree", "91.0"),
        ("arithmetic_mean", "tree", "92.85"),
        ("arithmetic_mean", "rule", "96.0"),
        ("vehicle", "tree", "71.2"),
        ("vehicle", "rule", "70.9"),
    ]
    assert [row["time_s"] for row in found] == ["", "", "", "", "3.0", "1.2"]
    doubts = rows(folder / "two/doubts.csv")
    assert [(row["value"], row["doubt"], row["answer"]) for row in doubts] == [
        ("<90", "bound", "left out"),
        ("97.25", "difference in parentheses", "left out"),
    ]
    assert "title: Rules & trees" in (folder / "two/paper.yaml").read_text()
    assert "can be read" in cli.well("check", "--paper", "./two").out
    assert "is right" in cli.well("check", "two/experiment.yaml").out


def test_levels_that_no_name_tells_and_a_metric_of_ones_own_are_asked(cli, folder) -> None:
    (folder / "t.tex").write_text(
        "\\begin{tabular}{lcc}\\hline Model & foo & bar \\\\ \\hline\n"
        "a & 1.5$\\pm$0.1 & 2.5$\\pm$0.2 \\\\ b & 1.4$\\pm$0.1 & 2.6$\\pm$0.2\\\\\\end{tabular}"
    )
    answers = {
        "title": "T",
        "authors": "A",
        "table1.row": "methods",
        "table1.column": "data sets",
        "table1.metric": "nll",
        "table1.spread": "sd",
        "nll.better": "smaller",
        "nll.function": "own_scores:nll",
        "division": "kfold 10 seeds 2",
    }
    done = cli("paper", "new", "open", "--from", "t.tex", *options({"title": "T"}))
    assert done.code == 3
    assert {row["dataset"] for row in rows(folder / "open/tables.csv")} == {"TODO"}
    cli.well("paper", "new", "t", "--from", "t.tex", *options(answers))
    assert rows(folder / "t/tables.csv")[0]["nll_sd"] == "0.1"
    assert "4 printed cells, 2 data sets" in cli.well("check", "--paper", "./t").out
    assert not (folder / "t/experiment.yaml").exists()
