"""A cell that is not as it should be: its file, line, column and value, and what to write."""

from pathlib import Path

import pytest

from boostbench.errors import ConfigError
from boostbench.papers.check import check_paper
from boostbench.papers.paper import read_paper

PAPER = "title: x\nauthors: y\nmetric: {}\nruns: 20\ncolumns: {{random_forest: forest}}\n"


def mistakes(folder: Path, metric: str = "error", more: str = "", **files: str) -> list[str]:
    (folder / "paper.yaml").write_text(PAPER.format(metric) + more)
    for name, text in files.items():
        (folder / f"{name}.csv").write_text(text)
    return [one.replace(f"{folder}/", "") for one in check_paper(folder)]


@pytest.mark.parametrize(
    ("cell", "remedy"),
    [
        ("0.90 ± 0.02", "write the number alone, such as 0.90"),
        ("12.5 (3)", "write the number alone, such as 12.5"),
        ("**0.36**", "write the number alone, such as 0.36"),
        ("−0.35", "write the number alone, such as -0.35"),
        ("1 234", "write the number alone, such as 1234"),
        ('"12,345.6"', "write the number alone, such as 12345.6"),
        ('"0,36"', "write the number alone, such as 0.36"),
        ("4.1e-3†", "write the number alone, such as 4.1e-3"),
        ("95.1%", "write the number alone, such as 95.1, and means in percent in a column such as "
         "error_percent_mean"),
        ("--", "write dnf where a method did not finish, else nothing"),
        ("N/A", "write dnf where a method did not finish, else nothing"),
        ("best", "write the number alone"),
    ],
)  # fmt: skip
def test_a_number_with_anything_beside_it(tmp_path, cell, remedy) -> None:
    tables = "table,dataset,method,error_mean,error_se,runs,time_s\n"
    value = cell.strip('"')
    found = mistakes(tmp_path, tables=f"{tables}1,iris,forest,{cell},0.01,5,{cell}\n")
    assert found == [
        f"tables.csv:2, {column}: '{value}' is not a number: {remedy}"
        for column in ("error_mean", "time_s")
    ]


def test_all_columns_of_all_files_at_once(tmp_path) -> None:
    found = mistakes(
        tmp_path,
        "accuracy",
        more="metrics: [roc_auc, {name: f1, digitz: 2}]\n",
        tables=(
            "table,dataset,method,depth,accuracy_percent_mean,accuracy_percent_sd,roc_auc_mean,runs\n"
            "1,iris,forest,3.5,96.2,-1,0.9x,\n"
            "1,Iris,forest,3,,,0.97,many\n"
            "1,wine,forest,3,95.0,inf,,0\n"
            "1,wine,forest,2,,,,5\n"
        ),
        datasets="dataset,n_samples,folds,test_size,stratified\niris,1.5e2,,1.5,yep\nwine,-3,,,\n",
    )
    assert sorted(found) == [
        "datasets.csv:2, n_samples: '1.5e2' is not a whole number: write the number alone, such as "
        "1.5e2",
        "datasets.csv:2, stratified: 'yep' must be true or false",
        "datasets.csv:2, test_size: 1.5 must be less than 1",
        "datasets.csv:3, n_samples: -3 must be more than 0",
        "paper.yaml:6:20: the metric 'f1' has no 'digitz' (did you mean 'digits'?)",
        "tables.csv:2, accuracy_percent_sd: -1 must be at least 0",
        "tables.csv:2, roc_auc_mean: '0.9x' is not a number: write the number alone, such as 0.9",
        "tables.csv:3, runs: 'many' is not a whole number: write the number alone",
        "tables.csv:4, accuracy_percent_sd: 'inf' is not a number: write the number alone",
        "tables.csv:4, runs: 0 must be more than 0",
        "tables.csv:5: the row has no value in accuracy_percent_mean, roc_auc_mean",
    ]


def test_names_are_checked_beside_cells_that_are_wrong(tmp_path) -> None:
    tables = "table,dataset,method,error_mean\n1,iris,forest,-\n1,Wine,forest,0.1\n"
    assert mistakes(tmp_path, tables=tables, datasets="dataset\niris\nwine\n") == [
        "tables.csv:2, error_mean: '-' is not a number: write dnf where a method did not finish, "
        "else nothing",
        "tables.csv:3: there is no data set in datasets.csv 'Wine' (did you mean 'wine'?)",
    ]


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("error_mean,error_mean", "1: two columns are called 'error_mean'; leave one out"),
        ("error_mean,error_percent_mean",
         "1: there are 'error_mean' and 'error_percent_mean'; one of them is enough"),
        ("error_percent_mean,error_sd", "1: 'error_sd' needs 'error_mean', in the same unit"),
        ("error_mean,error_percent_se",
         "1: 'error_percent_se' needs 'error_percent_mean', in the same unit"),
        ("error_mean,roc_auc_sd", "1: 'roc_auc_sd' needs 'roc_auc_mean', in the same unit"),
        ("error_mean,error_sd", ""),
    ],
)  # fmt: skip
def test_columns_that_would_be_read_wrongly_or_not_at_all(tmp_path, header, message) -> None:
    tables = f"table,dataset,method,{header}\n1,iris,forest,0.1,0.01\n"
    found = mistakes(tmp_path, more="metrics: [roc_auc]\n", tables=tables)
    assert found == ([f"tables.csv:{message}"] if message else [])


def test_a_method_that_did_not_finish_has_no_cell(tmp_path) -> None:
    tables = (
        "table,dataset,method,error_percent_mean,error_percent_sd,time_s\n"
        "1,iris,forest,4.10,dnf,DNF\n1,wine,forest,dnf,,86400\n1,digits,forest,2.0,0.1,3\n"
    )
    assert mistakes(tmp_path, tables=tables) == []
    paper = read_paper(tmp_path)
    assert [(c.dataset, c.mean, c.sd, c.time_s) for c in paper.cells] == [
        ("iris", 0.041, None, None),
        ("digits", 0.02, 0.001, 3.0),
    ]
    assert list(paper.datasets) == ["iris", "wine", "digits"]
    assert paper.averaged("1") == ["iris", "digits"]
    # Other words are no way to write it.
    assert mistakes(tmp_path, tables=tables.replace("forest,dnf", "forest,did not finish"))
    with pytest.raises(ConfigError, match="'did not finish' is not a number"):
        _ = read_paper(tmp_path).cells


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("1,,,", "folds: 1 must be at least 2"),
        ("1,true,,", "folds: 1 must be at least 2"),
        (",true,,", "folds: stratified folds need their number"),
        ("10,true,,", ""),
        (",,1,0.2", ""),
    ],
)
def test_how_the_means_of_a_data_set_were_measured(tmp_path, row, message) -> None:
    tables = "table,dataset,method,error_mean\n1,iris,forest,0.1\n"
    datasets = f"dataset,folds,stratified,splits,test_size\niris,{row}\n"
    found = mistakes(tmp_path, tables=tables, datasets=datasets)
    assert found == ([f"datasets.csv:2, {message}"] if message else [])
