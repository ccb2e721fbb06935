"""Roles, metrics, data sets and claims of a folder that mean something else than they say."""

from pathlib import Path

import pytest

from boostbench.papers.check import check_paper

HEAD = "title: x\nauthors: y\n"
PAPER = HEAD + "metric: error\nruns: 20\ncolumns: {multiboost: ours, adaboost_mh: theirs}\n"
TABLES = """\
table,dataset,method,error_mean
1,iris,ours,0.10
1,iris,theirs,0.12
1,wine,ours,0.20
1,wine,theirs,0.22
"""
DATASETS = "dataset\niris\nwine\n"
CLAIMS = "id,where,text,figures,reproduced_if,weaker_if,not_reproduced_if,literally\n"


def mistakes(folder: Path, paper: str = PAPER, tables: str = TABLES, **files: str) -> list[str]:
    own = folder / "p"
    own.mkdir(exist_ok=True)
    (own / "paper.yaml").write_text(paper)
    for name, text in {"tables": tables, **files}.items():
        (own / f"{name}.csv").write_text(text)
    return [one.replace(f"{own}/", "") for one in check_paper(own)]


def apart_from_overlaps(found: list[str]) -> list[str]:
    return [one for one in found if "one method could play" not in one]


@pytest.mark.parametrize(
    ("role", "message"),
    [
        ("{estimator: sklearn.tree.DecisionTreeRegressor, max_depth: 3}", ""),
        ("{estimator: 'sklearn.tree:DecisionTreeRegressor', max_dept: 3}",
         "7: DecisionTreeRegressor has no parameter 'max_dept' (did you mean 'max_depth'?)"),
        ("{estimator: sklearn.tree.DecisionTreRegressor}",
         "19: the module sklearn.tree has no 'DecisionTreRegressor' (did you mean "
         "'DecisionTreeRegressor'?)"),
        ("{estimator: sklearn.tre.DecisionTreeRegressor}",
         "19: the estimator sklearn.tre.DecisionTreeRegressor cannot be imported: "),
        ("{estimator: skleran.tree.DecisionTreeRegressor}",
         "19: the estimator skleran.tree.DecisionTreeRegressor cannot be imported: "),
        ("{estimator: quitedifferent.Tree, max_depth: 3}", ""),
        ("{estimator: 'beside:Net', width: [3, null]}", ""),
        ("{estimator: 'beside:Net', widht: 3}",
         "7: Net has no parameter 'widht' (did you mean 'width'?)"),
        ("{estimator: sklearn.tree.DecisionTreeRegressor, max_depth: [3, -3, null]}",
         "58: The 'max_depth' parameter of DecisionTreeRegressor must be an int in the range"),
        ("{method: multiboost, sovler: fcd}",
         "7: MultiBoost has no parameter 'sovler' (did you mean 'solver'?)"),
        ("{method: multiboost, solver: [fcd], max_iter: any, chosen: false, rounds: any}", ""),
        ("{method: multiboost, solver: fcd, chosen: [C]}", ""),
        ("{method: multiboost, solver: fcd, chosen: flase}",
         "38: 'chosen' must be true, false or a list of parameters, not 'flase'"),
        ("{method: multiboost, solver: fcd, chosen: [C, max_itre]}",
         "38: there is no parameter 'max_itre' that could be chosen (did you mean 'max_iter'?)"),
        ("{method: multiboost, solver: fcd, rounds: al}",
         "38: 'rounds' must be any, or left out, not 'al'"),
        ("{method: multiboost, estimator: 'beside:Net'}",
         "1: the role 'fast' has 'method' and 'estimator'; leave one of them out"),
    ],
)  # fmt: skip
def test_the_parameters_of_roles(tmp_path, role, message) -> None:
    (tmp_path / "beside.py").write_text(
        "class Net:\n    def __init__(self, width=1):\n        self.width = width\n"
    )
    found = apart_from_overlaps(mistakes(tmp_path, f"{PAPER}roles:\n  fast: {role}\n"))
    assert len(found) == bool(message), found
    for one in found:
        _, _, place_and_words = one.partition("paper.yaml:7:")
        assert place_and_words.partition(" ")[2].startswith(message.partition(" ")[2])


@pytest.mark.parametrize(
    ("metrics", "message"),
    [
        ("[roc_auc, accuracy, 'costs:cost']", ""),
        ("[roc_acu]", "6:11: no metric 'roc_acu' (did you mean 'roc_auc'?)"),
        ("[{name: cost, function: 'costs:cots'}]",
         "6:34: the module costs has no 'cots' (did you mean 'cost'?)"),
        ("[{name: cost, function: 'costs:cost', greater_is_better: flase}]",
         "6:67: 'greater_is_better' should be a valid boolean"),
        ("[{name: cost, function: 'costs:cost', digits: two}]",
         "6:56: 'digits' should be a valid integer"),
        ("[{name: cost, function: 'costs:cost', greater_is_better: false, digits: 2}]", ""),
        ("['quitedifferent:cost']", ""),
    ],
)  # fmt: skip
def test_the_metrics(tmp_path, metrics, message) -> None:
    (tmp_path / "costs.py").write_text("def cost(estimator, X, y):\n    return 1.0\n")
    found = mistakes(tmp_path, f"{PAPER}metrics: {metrics}\n")
    assert len(found) == bool(message), found
    assert all(one.startswith(f"paper.yaml:{message}") for one in found), found


@pytest.mark.parametrize(
    ("metrics", "messages"),
    [
        ("[{name: error, scal: 100}]", [
            "paper.yaml:6:11: the metric 'error' has no 'scal'",
        ]),
        ("[{name: error, digits: 2}]", []),
        ("[accuracy, {name: roc_auc, digts: 2}, {name: rmse, task: classification}]", [
            "paper.yaml:6:21: the metric 'roc_auc' has no 'digts' (did you mean 'digits'?)",
            "paper.yaml:6:48: the metric 'rmse' has no 'task'",
        ]),
        ("[{name: cost, function: 'costs:cost', least: low}]", [
            "paper.yaml:6:55: 'least' should be a valid number",
        ]),
    ],
)  # fmt: skip
def test_the_settings_of_metrics_have_their_places(tmp_path, metrics, messages) -> None:
    (tmp_path / "costs.py").write_text("def cost(estimator, X, y):\n    return 1.0\n")
    tables = TABLES.replace("error_mean", "error_mean,cost_mean") if "cost" in metrics else TABLES
    found = mistakes(tmp_path, f"{PAPER}metrics: {metrics}\n", tables)
    assert len(found) == len(messages), found
    for one, message in zip(found, messages, strict=True):
        assert one.startswith(message), found


def test_the_main_metric_may_be_defined_among_the_others(tmp_path) -> None:
    (tmp_path / "costs.py").write_text("def cost(estimator, X, y):\n    return 1.0\n")
    paper = PAPER.replace("metric: error", "metric: cost")
    defined = f"{paper}metrics: [{{name: cost, function: 'costs:cost'}}]\n"
    tables = TABLES.replace("error_mean", "cost_mean")
    assert mistakes(tmp_path, defined, tables) == []
    (wrong,) = mistakes(tmp_path, paper, tables)
    assert wrong.startswith("paper.yaml:3:9: no metric 'cost'")


@pytest.mark.parametrize(
    ("columns", "row", "message"),
    [
        ("cards,targets", "yacht,resistance", ""),
        ("cards,targets", "yacht,resistence",
         "targets: yacht has no column 'resistence' (did you mean 'resistance'?)"),
        ("cards,targets", "yacht,speed", "targets: yacht has no column 'speed'"),
        ("targets", "drag", "targets: yacht has no column 'drag'"),
        ("targets,files", "drag,yacht.csv", ""),
        # The names of its columns are known only once it has been read.
        ("cards,targets", "isolet,lettre", ""),
        ("cards,targets", "isolet,x681",
         "targets: isolet has no column 'x681' (did you mean 'x618'?)"),
        ("cards,n_samples", "yacht,308", ""),
        ("n_samples", "380",
         "n_samples: yacht has 308 rows, not 380; give another card, or leave one of the two out"),
        ("n_samples,files", "380,yacht.csv", ""),
        ("cards,n_samples,per_class", "mnist,10000,1000", ""),
        ("cards", "friedman:generatd",
         "cards: data set 'friedman' has no variant 'generatd'; it has friedman:generated"),
        ("cards", "yahct", "cards: there is no card 'yahct' (did you mean 'yacht'?)"),
        ("seeds", "5", "seeds: this needs a design, or 'folds', or 'splits' and 'test_size'"),
        ("partitions", "5",
         "partitions: this needs a design, or 'folds', or 'splits' and 'test_size'"),
        ("seeds,folds", "5,10", ""),
    ],
)  # fmt: skip
def test_data_sets_beside_their_cards(tmp_path, columns, row, message) -> None:
    tables = TABLES.replace("iris", "yacht")
    found = mistakes(tmp_path, tables=tables, datasets=f"dataset,{columns}\nyacht,{row}\nwine\n")
    assert [one.replace("csv:2: there", "csv:2, cards: there") for one in found] == (
        [f"datasets.csv:2, {message}"] if message else []
    )


def test_a_data_set_without_a_shipped_card_is_no_mistake(tmp_path) -> None:
    tables = TABLES.replace("iris", "concrete").replace("wine", "ours_alone")
    datasets = "dataset,title,files,fingerprints\nconcrete,Concrete,concrete.csv,\nours_alone,,,\n"
    assert mistakes(tmp_path, tables=tables, datasets=datasets) == []


def test_a_name_that_is_misspelt_in_one_row(tmp_path) -> None:
    method = mistakes(tmp_path, tables=TABLES.replace("1,wine,ours", "1,wine,oours"))
    assert method == [
        "tables.csv:4, method: 'oours' is printed where 'ours' is not (did you mean 'ours'?)"
    ]
    three = TABLES + "1,iris,third,0.3\n1,wine,third,0.3\n"
    dataset = mistakes(tmp_path, tables=three.replace("1,wine,ours", "1,wime,ours"))
    assert "tables.csv:4, dataset: 'wime' is printed where 'wine' is not" in dataset[0]
    # Two data sets, and two methods, that have nearly one name.
    both = TABLES + "1,wine2,ours,0.3\n1,wine2,theirs,0.3\n1,iris,ours2,0.3\n1,wine,ours2,0.3\n"
    assert mistakes(tmp_path, tables=both) == []


def test_a_printed_column_in_place_of_a_method(tmp_path) -> None:
    rows = 'A,x,T.,"f = lead(ours, adaboost_mh)",all(f > 0),,,\n'
    assert mistakes(tmp_path, claims=CLAIMS + rows) == [
        "claims.csv:2, figures: 'ours' is a printed column, not a method: write multiboost"
    ]
    best = 'A,x,T.,"f = lead(multiboost, best(multiboost, theirs))",all(f > 0),,,\n'
    paper = PAPER.replace("theirs}", "theirs, adaboost_mo: theirs}")
    (found,) = mistakes(tmp_path, paper, claims=CLAIMS + best)
    assert found.endswith("not a method: write adaboost_mh or adaboost_mo")
    assert mistakes(tmp_path, claims=CLAIMS + rows.replace("ours", "multiboost")) == []


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        ("all(f > 1),all(f > 0),all(f < 0),all(f > 2)", ""),
        ("all(15 <= f <= 5),,,",
         "reproduced_if, no values of its figures fulfil 15 <= f <= 5"),
        ("all(f > 5) and all(f < 3),,,",
         "reproduced_if, no values of its figures fulfil all(f > 5) and all(f < 3)"),
        ("all(f > 5) or all(f < 3),,,", ""),
        ("all(f > 1) or not 4/5 <= count(f > 0) <= 1/5 or any(f > 3) or all(f < -4),,,",
         "reproduced_if, no values of its figures fulfil 4 / 5 <= count(f > 0) <= 1 / 5"),
        ("count(f > 0) >= 3,,,",
         "reproduced_if, no values of its figures fulfil count(f > 0) >= 3"),
        ("share(f > 0) > 1,,,", "reproduced_if, no values of its figures fulfil share(f > 0) > 1"),
        ("all(f > 0),all(f > 0.1),,", "weaker_if, it decides nothing: reproduced_if is true"),
        ("all(f > 0),any(f > 0),,", ""),
        # Of two data sets, most are all.
        ("all(f > 0),most(f > 0),,", ""),
        ("most(f > 0),all(f > 0),,", "weaker_if, it decides nothing: reproduced_if is true"),
        ("all(f > 0),all(f > -1),all(f > -0.5),",
         "not_reproduced_if, it decides nothing: reproduced_if or weaker_if is true"),
        ("all(f > 0),,,all(0.2 > f > 0.5)",
         "literally, no values of its figures fulfil 0.2 > f > 0.5"),
        ("all(f >= 0),all(f > 0),,", "weaker_if, it decides nothing: reproduced_if is true"),
        ("all(f > 0),all(f >= 0),,", ""),
    ],
)  # fmt: skip
def test_conditions_that_decide_nothing(tmp_path, bounds, message) -> None:
    rows = f'A,x,T.,"f = lead(multiboost, adaboost_mh)",{bounds}\n'
    found = mistakes(tmp_path, claims=CLAIMS + rows)
    assert len(found) == bool(message), found
    assert all(one.startswith(f"claims.csv:2, {message}") for one in found), found


@pytest.mark.parametrize(
    ("figure", "bounds", "wrong"),
    [
        ("wilcoxon(multiboost, adaboost_mh)", "f < 0.05,f < 0.1,,", False),
        ("wilcoxon(multiboost, adaboost_mh)", "f > 5,,,", True),
        ("rank(multiboost, adaboost_mh, over=mean)", "f < 1.5,,,", False),
        ("rank(multiboost, adaboost_mh, over=mean)", "f < 1,,,", True),
        ("rank(multiboost, adaboost_mh, over=mean)", "f > 2,,,", True),
        ("saving(multiboost, adaboost_mh, over=mean)", "f > 120,,,", True),
        ("saving(multiboost, adaboost_mh, over=mean)", "f > 80,,,", False),
        ("speedup(multiboost, adaboost_mh, over=mean)", "f < 0,,,", True),
    ],
)
def test_a_bound_that_no_figure_of_its_kind_reaches(tmp_path, figure, bounds, wrong) -> None:
    found = mistakes(tmp_path, claims=f'{CLAIMS}A,x,T.,"f = {figure}",{bounds}\n')
    assert [": no" in one.replace(", no", ": no") for one in found] == [True] * wrong


def test_a_role_that_nothing_names_but_is_nearly_a_method(tmp_path) -> None:
    claims = CLAIMS + 'A,x,T.,"f = lead(multiboost, fast)",all(f > 0),,,\n'
    roles = "roles:\n  fast: {method: multiboost, solver: fcd}\n"
    assert mistakes(tmp_path, PAPER + roles, claims=claims) == []
    adabost = "  adabost_mh: {method: adaboost_mh}\n"
    overlap, unnamed = mistakes(tmp_path, PAPER + roles + adabost, claims=claims)
    assert "one method could play 'adabost_mh' and 'adaboost_mh'" in overlap
    assert unnamed == "paper.yaml:8:3: nothing names 'adabost_mh' (did you mean 'adaboost_mh'?)"


def test_more_failed_runs_than_runs(tmp_path) -> None:
    tables = TABLES.replace("error_mean", "error_mean,negative_r2_runs")
    for failed, wrong in (("20", []), ("21", ["tables.csv:2, negative_r2_runs: 21 of 20 runs"])):
        assert mistakes(tmp_path, tables=tables.replace("0.10", f"0.10,{failed}")) == wrong


@pytest.mark.parametrize(
    ("columns", "row", "cells", "wrong"),
    [
        ("folds,seeds", "10,10", ",100", ""),
        ("folds,seeds", "10,10", ",101", "101 of 100 runs"),
        ("splits,test_size", "5,0.25", ",6", "6 of 5 runs"),
        ("splits,test_size", "50,0.25", "30,31", "31 of 30 runs"),
        ("folds,seeds", ",", ",21", "21 of 20 runs"),
    ],
)
def test_failed_runs_of_a_data_set_with_its_own_design(
    tmp_path, columns, row, cells, wrong
) -> None:
    tables = TABLES.replace("error_mean", "error_mean,runs,negative_r2_runs")
    tables = tables.replace("0.10", f"0.10,{cells}")
    found = mistakes(tmp_path, tables=tables, datasets=f"dataset,{columns}\niris,{row}\nwine\n")
    assert found == ([f"tables.csv:2, negative_r2_runs: {wrong}"] if wrong else [])


def test_a_default_depth_that_no_table_prints(tmp_path) -> None:
    tables = TABLES.replace("method,", "method,depth,").replace("ours,", "ours,3,")
    tables = tables.replace("theirs,", "theirs,,")
    for depth, wrong in (
        (3, []),
        (4, ["paper.yaml:7:48: no table prints trees of depth 4; it prints 3"]),
    ):
        own = f"conditions:\n  depth: {{param: max_iter, of: trees, default: {depth}}}\n"
        assert mistakes(tmp_path, f"{PAPER}{own}", tables) == wrong


def test_a_misspelt_choice_and_what_the_tables_say(tmp_path) -> None:
    assert mistakes(tmp_path, PAPER + "choices: {solver: printed, other: ours}\n") == []
    (found,) = mistakes(tmp_path, PAPER + "choices: {sovler: printed}\n")
    assert found.endswith("has a parameter 'sovler' (did you mean 'solver'?)")
    claims = "id,where,text,figures,reproduced_if,own_tables\n"
    row = 'A,x,T.,"f = lead(multiboost, adaboost_mh)",all(f > 0),{}\n'
    for words, wrong in (
        ("supports", []), ("said elsewhere", []),
        ("suports", ["claims.csv:2, own_tables: there is no 'suports' (did you mean 'supports'?)"]),
    ):  # fmt: skip
        assert mistakes(tmp_path, claims=claims + row.format(words)) == wrong
