"""``report --for-paper``: one table in LaTeX and figures for a paper of one's own."""

import re
import subprocess
from pathlib import Path

import pytest
from experiments import DUMMY, RIDGE, experiment
from latex import needs_latex
from parts import A, B, boosted, boosting_of, store_of

from boostbench.errors import ConfigError
from boostbench.papers.metrics import R2
from boostbench.report.document.for_paper import PaperLayout, PaperTable
from boostbench.report.document.table import Item, make_table
from boostbench.report.paper import paper_files, paper_text
from boostbench.report.render.paper_latex import render
from boostbench.report.sentences.paper import Caption
from results import files as all_files

MEDIAN = "{name: median, estimator: sklearn.dummy.DummyRegressor, params: {strategy: median}}"
THREE = experiment("three", RIDGE, DUMMY, MEDIAN, data="diabetes, friedman1", folds=4)
FAR = [[score - 0.2 for score in fold] for fold in A]
ARTICLE = r"""\documentclass%s{article}
\usepackage{booktabs,graphicx,rotating}
\setlength{\columnsep}{10pt}
\setlength{\textwidth}{%s}
\setlength{\textheight}{8.5in}
\begin{document}
%s
\end{document}
"""
TABLE = r"""Table~\ref{tab:%s}.
\input{%s-paper}
\input{%s-paper-figures}
"""


def files(folder: Path) -> dict[str, bytes]:
    """Return the files of a folder without those that SQLite keeps beside the store."""
    return {name: own for name, own in all_files(folder).items() if "sqlite-" not in name}


def rows_of(text: str) -> list[list[str]]:
    """Return the texts of all rows, headers too."""
    lines = [line for line in text.splitlines() if line.endswith(r"\\")]
    return [line.removesuffix(r" \\").split(" & ") for line in lines]


@pytest.fixture
def three(ran) -> Path:
    return ran(THREE)


def test_it_writes_one_table_and_figures_beside_the_usual_report(cli, three: Path) -> None:
    before = files(three)
    done = cli.well("report", "three", "--for-paper")
    assert "three-paper.tex, three-paper-figures.tex, three-paper-means.pdf" in done.out
    assert r"\input{three-paper} and \input{three-paper-figures}" in done.out
    now = files(three)
    assert {name for name in now if name not in before} == {
        "three-paper.tex",
        "three-paper-figures.tex",
        "three-paper-means.pdf",
    }
    captions = (three / "three-paper-figures.tex").read_text()
    assert r"\includegraphics{three-paper-means}" in captions
    assert r"\caption{Mean test $R^2$ on each data set (4 folds" in captions
    text = (three / "three-paper.tex").read_text()
    assert (
        text.count(r"\begin{table}") == text.count(r"\caption") == text.count("tabular}{@{}l") == 1
    )
    assert r"\label{tab:three}" in text
    head, *rows = rows_of(text)
    assert head == ["Data set", "Ridge", "dummy", "median"]
    assert [row[0] for row in rows] == ["Diabetes progression", r"Friedman \#1"]
    decimals = re.findall(r"\d\.(\d+)", " ".join(map(" ".join, rows)))
    assert {len(each) for each in decimals} == {3}
    assert all(row[1].startswith(r"\textbf{0.") for row in rows)
    # The usual report leaves it alone, and so do the files that a later one does not have.
    cli.well("report", "three")
    assert files(three)["three-paper.tex"] == now["three-paper.tex"]


def test_columns_and_what_they_show_are_chosen(cli, three: Path) -> None:
    words = ("--columns", "median, Ridge", "--show", "mean", "--width", "3.3")
    cli.well("report", "three", "--for-paper", *words, "--out", "out")
    text = Path("out/three-paper.tex").read_text()
    head, *rows = rows_of(text)
    assert head == ["Data set", "median", "Ridge"]
    assert r"\pm" not in text
    assert [row[0] for row in rows] == ["Diabetes progression", r"Friedman \#1"]


@pytest.mark.parametrize(
    "words", [("--no-sd",), ("--show", "mean"), ("--show", "mean,sd", "--no-sd")]
)
def test_sds_are_left_out(cli, three: Path, words: tuple[str, ...]) -> None:
    cli.well("report", "three", "--for-paper", *words, "--out", "out")
    text = Path("out/three-paper.tex").read_text()
    assert r"\pm" not in text
    assert "standard deviation" not in text
    assert {len(row) for row in rows_of(text)} == {4}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--show mean", "--show is about the table for a paper: add --for-paper"),
        ("--columns Ridge", "--columns is about the table for a paper: add --for-paper"),
        ("--width 3", "--width is about the table for a paper: add --for-paper"),
        ("--no-sd", "--no-sd is about the table for a paper: add --for-paper"),
        ("--for-paper --format md", "--format is about the usual report"),
        ("--for-paper --open", "--open is about the usual report"),
        ("--for-paper --table 2", "--table is about the usual report"),
        ("--for-paper --show mean,rnak", "--show has no 'rnak' (did you mean 'rank'?)"),
        ("--for-paper --show rank", "--show rank has no means to show: add mean to it"),
        ("--for-paper --show mean,,sd", "--show with an empty name"),
        ("--for-paper --columns Ridge,", "--columns with an empty name"),
        ("--for-paper --columns Ridg", "--columns names 'Ridg', of which there are no runs"),
        ("--for-paper --show mean,rank", "here are 3 methods and 2 such data sets"),
        ("--for-paper --width 85", "--width 85 is no width of a column in inches"),
        ("--for-paper --width nan", "--width nan is no width of a column in inches"),
        ("--for-paper --only method=Ridge", "name one by --out"),
        ("--for-paper --metric mae", "name one by --out"),
    ],
)
def test_what_is_wrong_is_one_sentence_and_writes_nothing(cli, three: Path, words, said) -> None:
    before = files(three)
    assert said in cli.refused("report", "three", *words.split())
    assert files(three) == before


def test_a_part_and_another_metric_are_written_elsewhere(cli, three: Path) -> None:
    words = ("--only", "dataset=diabetes", "--metric", "mae", "--out", "out")
    cli.well("report", "three", "--for-paper", *words)
    text = Path("out/three-paper.tex").read_text()
    assert "Friedman" not in text
    assert "Mean test MAE" in text or "absolute error" in text


def test_a_file_of_the_users_is_not_replaced(cli, three: Path) -> None:
    (three / "three-paper.tex").write_text("mine")
    assert "three-paper.tex is in the way" in cli.refused("report", "three", "--for-paper")
    assert (three / "three-paper.tex").read_text() == "mine"


def test_figures_that_the_columns_no_longer_have_are_removed(cli, three: Path) -> None:
    cli.well("report", "three", "--for-paper", "--out", "out")
    (Path("out") / "three-paper-ranks.pdf").write_bytes(b"earlier")
    with (Path("out") / ".boostbench-files").open("a") as record:
        record.write("three-paper-ranks.pdf\n")
    (Path("out") / "three-paper-mine.pdf").write_bytes(b"mine")
    cli.well("report", "three", "--for-paper", "--out", "out")
    assert not (Path("out") / "three-paper-ranks.pdf").exists()
    assert (Path("out") / "three-paper-mine.pdf").exists()


def test_the_best_is_bold_only_where_it_is_decided() -> None:
    cells = {("d", "srt"): A, ("d", "orrt"): FAR, ("e", "srt"): A, ("e", "orrt"): B}
    text = paper_text(store_of(cells))
    by_name = {row[0]: row[1:] for row in rows_of(text)}
    assert by_name["d"][0].startswith(r"\textbf{0.805}")
    assert r"\textbf" not in " ".join(by_name["e"])
    assert "Bold: the best where all other methods are worse (corrected resampled t-test" in text
    undecided = paper_text(store_of({key: cells[key] for key in [("e", "srt"), ("e", "orrt")]}))
    assert "On no data set are all others worse than the best" in undecided
    assert r"\textbf" not in undecided
    alone = paper_text(store_of({("d", "srt"): A}))
    assert "worse" not in alone


def test_the_caption_says_data_sets_design_runs_and_what_the_sd_is_of() -> None:
    text = paper_text(store_of({("d", "srt"): A, ("d", "orrt"): B, ("e", "srt"): A}))
    said = r"Mean test $R^2$ $\pm$ standard deviation over runs, on 2 data sets (4 folds"
    assert rf"{said} $\times$ 2 seeds, 12 runs a mean)." in text
    narrow = paper_text(store_of({("d", "srt"): A, ("d", "orrt"): B}), PaperLayout(width=1.5))
    assert "below it in italics the standard deviation over runs" in narrow
    assert rows_of(narrow)[-1] == [
        "",
        r"{\scriptsize\itshape 0.033}",
        r"{\scriptsize\itshape 0.024}",
    ]


def test_what_is_missing_is_marked_and_explained() -> None:
    some = [[0.8, None, 0.8], *A[1:]]
    cells = {("d", "srt"): some, ("d", "orrt"): B, ("e", "srt"): A, ("e", "orrt"): [[None] * 3] * 4}
    text = paper_text(store_of(cells))
    assert r"\rlap{$^\dagger$}" in text
    assert r"$^\dagger$ over fewer runs than planned; -- no result." in text
    assert [row[-1] for row in rows_of(text) if row[0] == "e"] == ["--"]
    whole = paper_text(store_of({("d", "srt"): A, ("d", "orrt"): B}))
    assert "dagger" not in whole


def test_mean_ranks_follow_the_rule_of_ranks_everywhere() -> None:
    three = (("srt", A), ("orrt", B), ("x", FAR))
    cells = {(f"s{n}", name): own for n in range(6) for name, own in three}
    cells["s5", "x"] = [[None] * 3] * 4
    layout = PaperLayout(show=("mean", "rank"))
    ranks = paper_text(store_of(cells), layout)
    assert "Mean ranks over s0, s1, s2, s3 and s4" in ranks
    assert rows_of(ranks)[-1] == ["Mean rank", "1.00", "2.00", "3.00"]
    few = {key: own for key, own in cells.items() if key[0] != "s0"}
    with pytest.raises(ConfigError, match="here are 3 methods and 4 such data sets"):
        paper_text(store_of(few), layout)
    two = {key: own for key, own in cells.items() if key[1] != "x"}
    with pytest.raises(ConfigError, match="here are 2 methods and 6 such data sets"):
        paper_text(store_of(two), layout)


def test_large_scores_of_a_row_have_equal_decimals() -> None:
    cells = {("d", "srt"): [[-1200.5, -1100.25]] * 4, ("d", "orrt"): [[-2.5, -3.5]] * 4}
    rows = rows_of(paper_text(store_of(cells)))
    assert rows[1] == ["d", r"$-$1,150\,$\pm$\,54", r"\textbf{$-$3}\,$\pm$\,1"]


def test_means_and_their_spread_are_both_in_percent() -> None:
    cells = {("vowel", "multiboost_cw"): [boosted([0.3, 0.2]), boosted([0.5, 0.1])]}
    assert rows_of(paper_text(boosting_of(cells)))[1:] == [["VOWEL", r"15.00\,$\pm$\,7.07"]]


def table_of(datasets: int, methods: int, width: float, name: str = "m{}") -> str:
    names = [name.format(n) for n in range(methods)]
    mean = Item("0.550", beside="0.071")
    rows = [{"Data set": f"set{n}"} | dict.fromkeys(names, mean) for n in range(datasets)]
    caption = Caption(R2, datasets, "4 folds", 4, with_sd=True, comparisons=2, is_decided=False)
    return render(PaperTable(make_table("paper", "", rows), caption, [], []), "small", width)


@pytest.mark.parametrize(
    ("datasets", "methods", "width", "environment", "head"),
    [
        (3, 3, 3.3, "table", "Data set"),
        (15, 9, 4.75, "table", "Data set"),
        (12, 12, 3.3, "table*", "Data set"),
        (2, 20, 3.3, "table", "Method"),
        (15, 16, 4.75, "sidewaystable", "Data set"),
        (15, 22, 3.3, "table*", "Method"),
        (22, 25, 3.3, "sidewaystable*", "Data set"),
    ],
)
def test_all_methods_are_in_one_tabular_wherever_that_fits(
    datasets: int, methods: int, width: float, environment: str, head: str
) -> None:
    text = table_of(datasets, methods, width)
    assert text.count(r"\begin{tabular}") == 1
    assert text.count(rf"\begin{{{environment}}}") == 1
    assert ("rotating" in text) == environment.startswith("sideways")
    (header,) = [row for row in rows_of(text) if row[0] == head]
    assert len(header) == 1 + (methods if head == "Data set" else datasets)


def test_more_methods_than_a_page_holds_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"the 60 methods fit no page.* fewer by --columns"):
        table_of(60, 60, 4.75)


def test_a_long_table_goes_on_with_the_same_number_and_its_header() -> None:
    text = table_of(50, 3, 4.75, "a_method_with_a_long_name_{}")
    heads = [row for row in rows_of(text) if row[0] == "Data set"]
    assert len(heads) > 1
    assert all(len(head) == 4 for head in heads)
    assert text.count(r"\label") == 1
    assert text.count(r"\begin{table}") == 1 + text.count(r"\addtocounter{table}{-1}") == len(heads)
    assert "tabular}[b]" not in text


def test_nothing_has_finished() -> None:
    with pytest.raises(ConfigError, match="no run of these methods has finished"):
        paper_text(store_of({("d", "srt"): [[None, None]]}))


@pytest.mark.end_to_end
@needs_latex("booktabs")
@pytest.mark.parametrize("width", [3.3, pytest.param(4.75, marks=pytest.mark.long), 6.75])
def test_article_with_booktabs_sets_it_within_the_column(tmp_path: Path, width: float) -> None:
    names = ["srt", "srt_l2_best5", "random_forest", "WWW_MMM", "a_very_long_name_of_a_method"]
    odd = r"[a_b]^c~d\e{f}$g%h&i#j<k|l>, and a long name of a data set"
    scores = {name: [[s - 0.3 * (n == 2) for s in f] for f in A] for n, name in enumerate(names)}
    trees = {(f"set{n}", name): own for n in range(6) for name, own in scores.items()}
    runs = [boosted([0.5, 0.3, 0.2]), boosted([0.5, 0.1])]
    stores = {
        "trees": store_of(trees | {(odd, name): scores[name] for name in names}, name="trees"),
        "curves": boosting_of({("vowel", m): runs for m in ("multiboost_cw", "x")}, name="curves"),
    }
    tables = []
    for name, store in stores.items():
        show = ("mean", "sd", "rank") if name == "trees" else ("mean", "sd")
        made = paper_files(store, PaperLayout(show, (), width))
        for file, content in made.items():
            (tmp_path / file).write_bytes(content)
        assert sum(file.endswith(".pdf") for file in made) > 1
        tables.append(TABLE % (name, name, name))
    columns = ("[twocolumn]", f"{2 * width + 10 / 72:.3f}in") if width < 4 else ("", f"{width}in")
    (tmp_path / "paper.tex").write_text(ARTICLE % (*columns, "\n\n".join(tables)))
    for _ in range(2):
        words = ["pdflatex", "-interaction=nonstopmode", "paper"]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, check=False)
    log = done.stdout.decode("utf-8", "replace")
    assert done.returncode == 0, log[-3000:]
    assert not re.search(r"^!|Overfull|Float too large|undefined", log, re.MULTILINE), log


@pytest.mark.end_to_end
@pytest.mark.parametrize("width", [3.3, 6.0])
def test_figures_have_the_width_labels_and_no_headline(width: float) -> None:
    import io

    from pypdf import PdfReader

    cells = {
        (f"set{n}", m): own for n in range(5) for m, own in (("srt", A), ("orrt", B), ("x", FAR))
    }
    made = paper_files(store_of(cells), PaperLayout(width=width))
    assert set(made) == {
        "small-paper.tex",
        "small-paper-figures.tex",
        "small-paper-means.pdf",
        "small-paper-ranks.pdf",
    }
    for name, content in made.items():
        if name.endswith(".pdf"):
            (page,) = PdfReader(io.BytesIO(content)).pages
            assert float(page.mediabox.width) == pytest.approx(72 * width, abs=0.5)
            text = page.extract_text()
            assert ("Mean test R" in text) == name.endswith("means.pdf")
            assert ("Mean rank" in text) == name.endswith("ranks.pdf")
            assert "best on" not in text
            assert "overlap" not in text


@pytest.mark.parametrize("columns", [("a", "b"), ("b", "c"), ("c", "a"), ("b",)])
def test_the_objective_is_that_of_the_columns_whichever_these_are(
    columns: tuple[str, ...], cheap: None
) -> None:
    ends = {"a": [4.0, 2.0], "b": [4.0, 3.0], "c": [6.0, 5.0]}
    runs = {("vowel", name): [boosted([0.5] * 2, objective=own)] * 2 for name, own in ends.items()}
    params = {name: {"C": 1.0, "solver": name} for name in ends}
    chosen = paper_files(boosting_of(runs, params), PaperLayout(columns=columns))
    alone = {labels: own for labels, own in runs.items() if labels[1] in columns}
    params = {name: own for name, own in params.items() if name in columns}
    expected = paper_files(boosting_of(alone, params), PaperLayout(columns=columns))
    assert set(chosen) == set(expected)
