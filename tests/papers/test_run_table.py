"""Tables of runs that others made: what is read, and each mistake in one sentence."""

from collections.abc import Callable
from pathlib import Path

import pytest

from boostbench.errors import ConfigError
from boostbench.papers.paper import Paper, read_paper
from boostbench.papers.run_table import read_run_table

HEADER = "dataset,method,split,seed,score"
PRINTED = {("yacht", "forest"): 0.31, ("yacht", "tree"): 0.36, ("housing", "forest"): 0.35}
ROWS = [f"{d},{m},{s},0,{v + s / 100:g}" for (d, m), v in PRINTED.items() for s in (0, 1)]
Folder = Callable[..., Paper]


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """Return a function that makes a paper with a metric, its settings and printed means."""

    def make(metric: str = "rmse", settings: str = "", turn=lambda value: value) -> Paper:
        path = tmp_path / "invented"
        path.mkdir(exist_ok=True)
        (path / "paper.yaml").write_text(
            f"title: T (invented)\nauthors: A\nmetric: {metric}\n{settings}"
            "columns: {random_forest: forest, ort_l: tree}\n"
        )
        cells = [f"1,{d},{m},{turn(value):.3f}" for (d, m), value in PRINTED.items()]
        (path / "tables.csv").write_text(
            "\n".join([f"table,dataset,method,{metric}_mean", *cells, ""])
        )
        return read_paper(path)

    return make


def table(tmp_path: Path, *rows: str, header: str = HEADER) -> Path:
    path = tmp_path / "runs.csv"
    path.write_text("\n".join([header, *rows, ""]))
    return path


def test_runs_have_the_names_of_the_paper_and_of_registered_methods(tmp_path, folder) -> None:
    paper = folder()
    read = read_run_table(table(tmp_path, *ROWS), paper)
    assert {run.role for run in read.runs} == {"random_forest", "ort_l"}
    assert [run.scores["rmse"] for run in read.runs[:2]] == [0.31, 0.32]
    registered = [row.replace("forest", "random_forest") for row in ROWS]
    again = read_run_table(table(tmp_path, *registered), paper)
    assert [run.role for run in again.runs] == [run.role for run in read.runs]


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_separators_cases_and_first_numbers_are_found(tmp_path, folder, mark: str, first) -> None:
    rows = [
        mark.join(
            ['"yacht"', "forest", str(s + first), "1.0", f"0{'.' if mark == ',' else ','}3{s}"]
        )
        for s in (0, 1)
    ]
    path = table(tmp_path, *rows, header=mark.join(["Dataset", "METHOD", "Split", "seed", "Score"]))
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    read = read_run_table(path, folder())
    assert [(run.run, run.scores["rmse"]) for run in read.runs] == [
        ((0, 0, 1), 0.3),
        ((0, 1, 1), 0.31),
    ]


def test_names_of_rows_as_r_writes_them_are_left_out(tmp_path, folder) -> None:
    rows = [f'"{number}",{row}' for number, row in enumerate(ROWS, 1)]
    for header in (f'"",{HEADER}', HEADER):
        assert len(read_run_table(table(tmp_path, *rows, header=header), folder()).runs) == 6


def test_further_columns_are_metrics_or_named_as_not_used(tmp_path, folder) -> None:
    rows = [f"{row},0.9,here" for row in ROWS]
    read = read_run_table(table(tmp_path, *rows, header=f"{HEADER},r2,host"), folder())
    assert read.runs[0].scores == {"rmse": 0.31, "r2": 0.9}
    assert read.not_used == ["host"]


def test_the_column_of_a_metric_may_stand_for_the_score(tmp_path, folder) -> None:
    settings = "metrics: {nll: {direction: lower}}\n"
    path = table(tmp_path, *ROWS, header=HEADER.replace("score", "NLL"))
    assert read_run_table(path, folder(settings=settings)).metric.name == "nll"
    both = table(tmp_path, *(f"{row},2" for row in ROWS), header=f"{HEADER},nll")
    assert read_run_table(both, folder(settings=settings)).metric.name == "rmse"


def test_a_data_set_that_the_paper_does_not_have_is_compared_among_methods(tmp_path, folder):
    rows = [*ROWS, "airfoil,forest,0,0,0.4"]
    assert read_run_table(table(tmp_path, *rows), folder()).not_published == ["airfoil"]


def test_partitions_are_told_from_folds(tmp_path, folder) -> None:
    rows = [f"yacht,tree,{p}/{f},0,0.3{p}{f}" for p in (1, 2) for f in (1, 2)]
    read = read_run_table(table(tmp_path, *rows), folder())
    assert [run.run for run in read.runs] == [(0, 0, 0), (0, 1, 0), (1, 0, 0), (1, 1, 0)]
    assert read.splits == {"yacht": 2}


WRONG = {
    "no column dataset": (ROWS, HEADER.replace("dataset", "data"), ":1: there is no column 'datas"),
    "no column method": (ROWS, HEADER.replace("method", "model"), ":1: there is no column 'meth"),
    "no column split": (ROWS, HEADER.replace("split", "fold"), "'split'; add it, number the"),
    "no column seed": (ROWS, HEADER.replace("seed", "run"), "'seed'; add it, with 0 in every row"),
    "no column score": (ROWS, HEADER.replace("score", "value"), "'score', nor one called rmse"),
    "two scores": (
        ["yacht,forest,0,0,0.3,0.3"],
        f"{HEADER},RMSE",
        ":1: both 'score' and 'rmse' may be the scores to judge: leave one",
    ),
    "two columns": (ROWS, HEADER.replace("seed", "split"), ":1: two columns are called 'split'"),
    "no header": (
        ROWS[1:],
        ROWS[0],
        ":1: there is no column 'score', nor one called rmse; the first",
    ),
    "a run twice": ([*ROWS, ROWS[0]], HEADER, "runs.csv:8: this run is again that of line 2"),
    "a run twice, otherwise": ([*ROWS, "yacht,forest,00,0.0,1"], HEADER, ":8: this run is again"),
    "an unknown method": (
        ["yacht,forrest,0,0,1"],
        HEADER,
        ":2, method: the paper invented has no method 'forrest' (did you mean 'forest'?)",
    ),
    "an unknown data set": (
        ["yatch,forest,0,0,1"],
        HEADER,
        ":2, dataset: the paper invented has no data set 'yatch' (did you mean 'yacht'?)",
    ),
    "text": (["yacht,forest,0,0,good"], HEADER, ":2, score: 'good' is no number"),
    "NaN": ([*ROWS[:1], "yacht,forest,1,0,NaN"], HEADER, ":3, score: 'NaN' is no number"),
    "infinite": (["yacht,forest,0,0,Inf"], HEADER, ":2, score: 'Inf' is no number; leave out"),
    "nothing": (["yacht,forest,0,0,"], HEADER, ":2, score: there is no number; leave out"),
    "a percent sign": (["yacht,forest,0,0,31%"], HEADER, ":2, score: '31%' is no number"),
    "thousands": (['yacht,forest,0,0,"1,234.5"'], HEADER, "'1,234.5' is no number"),
    "a decimal comma": (["yacht,forest,0,0,0,31"], HEADER, ":2: 6 cells below 5 columns; put"),
    "a split in words": (["yacht,forest,first,0,1"], HEADER, ":2, split: 'first' must be a whole"),
    "a negative seed": (["yacht,forest,0,-1,1"], HEADER, ":2, seed: '-1' must be a whole number"),
    "a header alone": ([], HEADER, "runs.csv has a header and no runs"),
    "uneven runs": (ROWS[:3], HEADER, ":3: on yacht 'forest' has 2 runs and 'tree' has 1"),
    "two names": (
        [*ROWS, "housing,random_forest,0,0,0.3"],
        HEADER,
        ":8, method: 'random_forest' and 'forest' are one method",
    ),
    "percent": (
        [f"{r.rpartition(',')[0]},{100 * float(r.rpartition(',')[2]):g}" for r in ROWS],
        HEADER,
        "about 100 times the printed ones",
    ),
    "less than possible": (
        [*ROWS[:1], "yacht,forest,1,0,-0.31"],
        HEADER,
        ":3, score: -0.31 is below 0, which 'rmse' cannot be; write it without the minus",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_table_is_one_sentence_with_its_place(tmp_path, folder, name: str) -> None:
    rows, header, said = WRONG[name]
    with pytest.raises(ConfigError) as error:
        read_run_table(table(tmp_path, *rows, header=header), folder())
    sentence = str(error.value)
    assert said in sentence
    assert "\n" not in sentence
    assert "runs.csv" in sentence


def test_a_file_that_is_none_or_empty_or_no_text_is_told(tmp_path, folder) -> None:
    for content in (None, b"", b"PK\x03\x04\x00\x00", b"\x00\x01\x02"):
        path = tmp_path / "runs.csv"
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(ConfigError, match=r"runs\.csv"):
            read_run_table(path, folder())
    with pytest.raises(ConfigError, match="is not a file"):
        read_run_table(tmp_path, folder())


@pytest.mark.parametrize(
    ("metric", "settings", "printed", "scores", "said"),
    [
        ("r2", "", lambda e: 1 - e * e, lambda e: e, "1 less the square of the score, an RMSE"),
        ("rmse", "", lambda e: e, lambda e: 1 - e * e, "the root of 1 less the score, an R2"),
        ("accuracy", "", lambda e: 1 - e, lambda e: e, "1 less the score would be near"),
        ("error", "", lambda e: e, lambda e: 1 - e, "1 less the score would be near"),
        ("nll", "metrics: {nll: lower}\n", lambda e: 2 + e, lambda e: -2 - e, "its sign turned"),
        ("accuracy", "", lambda e: 1 - e, lambda e: 100 - 100 * e, "write shares, such as 0.913"),
        ("r2", "", lambda e: 1 - e, lambda e: 3 + e, "above 1, which 'r2' cannot be"),
        ("nll", "metrics: {nll: lower}\n", lambda e: 100 + e, lambda e: 1 + e / 100, "a hundredth"),
    ],
)
def test_another_unit_or_direction_than_print_is_told(
    tmp_path, folder, metric, settings, printed, scores, said
) -> None:
    def runs(turn: Callable[[float], float]) -> list[str]:
        cells = [(f"{d},{m}", turn(mean)) for (d, m), mean in PRINTED.items()]
        return [f"{cell},{s},0,{mean + s / 1000:.4f}" for cell, mean in cells for s in (0, 1)]

    with pytest.raises(ConfigError) as error:
        read_run_table(table(tmp_path, *runs(scores)), folder(metric, settings, printed))
    assert said in str(error.value)
    assert "runs.csv:2, score" in str(error.value)
    right = table(tmp_path, *runs(printed))
    assert len(read_run_table(right, folder(metric, settings, printed)).runs) == 6


def test_scores_far_from_print_are_no_mistake_by_themselves(tmp_path, folder) -> None:
    """About a half an error and an accuracy are alike; bad results are judged, not refused."""
    rows = [f"{d},{m},0,0,{0.52 if m == 'tree' else 0.44}" for d, m in PRINTED]
    assert read_run_table(table(tmp_path, *rows), folder("accuracy", "", lambda e: 0.9 - e)).runs


@pytest.mark.parametrize(
    ("scores", "said"),
    [
        ((-1.6, -1.4, -1.5), "the score with its sign turned"),
        ((160.0, 140.0, 150.0), "about 100 times the printed ones"),
        ((1.6, 1.4, None), "there is no number, and other runs of 'forest' on housing have one"),
        ((1.6, 1.4, 1.5), ""),
    ],
)
def test_a_further_metric_is_compared_with_print_too(tmp_path, folder, scores, said: str) -> None:
    folder(settings="metrics: {nll: {direction: lower}}\n")
    (tmp_path / "invented" / "tables.csv").write_text(
        "table,dataset,method,rmse_mean,nll_mean\n"
        "1,yacht,forest,0.31,1.6\n1,yacht,tree,0.36,1.4\n1,housing,forest,0.35,1.5\n"
    )
    paper = read_paper(tmp_path / "invented")
    each = [scores[0], scores[0], scores[1], scores[1], 1.5 if scores[2] is None else scores[2]]
    nll = ["" if score is None else str(score) for score in (*each, scores[2])]
    path = table(tmp_path, *map(",".join, zip(ROWS, nll, strict=True)), header=f"{HEADER},nll")
    if said:
        with pytest.raises(ConfigError, match=said) as error:
            read_run_table(path, paper)
        assert f"{path}:" in str(error.value)
        assert ", nll: " in str(error.value)
    else:
        assert read_run_table(path, paper).metrics.keys() == {"rmse", "nll"}
