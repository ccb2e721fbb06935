"""A paper's folder with mistakes: all are said at once, with file and line."""

import re
from pathlib import Path

import pytest

from boostbench.cli.app import main
from boostbench.config.loading import load_experiment
from boostbench.errors import ConfigError
from boostbench.papers.check import check_paper, literally, on_printed_tables
from boostbench.papers.claims import read_claims
from boostbench.papers.paper import read_paper, read_tables
from boostbench.papers.plausible import doubtful_averages

PAPER = """\
title: A paper
authors: A. Author
metric: r2
runs: 20
columns:
  random_forest: forest
"""
TABLES = "table,dataset,method,r2_mean,r2_sd\n1,yacht,forest,0.9,0.02\n1,airfoil,forest,0.8,0.02\n"
CLAIMS = "id,where,text,figures,reproduced_if\n"


@pytest.fixture
def folder(tmp_path):
    """Return a function that writes a paper's files and returns their folder."""

    def write(paper: str = PAPER, **files: str) -> Path:
        path = tmp_path / f"paper{len(list(tmp_path.iterdir()))}"
        path.mkdir()
        (path / "paper.yaml").write_text(paper)
        for name, text in {"tables": TABLES, **files}.items():
            (path / f"{name}.{'md' if name == 'notes' else 'csv'}").write_text(text)
        return path

    return write


def short(found: list[str], folder: Path) -> list[str]:
    return [one.replace(f"{folder}/", "") for one in found]


def test_a_folder_without_mistakes(folder) -> None:
    assert check_paper(folder()) == []


def test_the_metric_of_a_paper_may_be_any_scorer(folder) -> None:
    paper = PAPER.replace("metric: r2", "metric: neg_mean_poisson_deviance") + "  ort_l: tree\n"
    tables = "table,dataset,method,neg_mean_poisson_deviance_mean\n1,yacht,forest,-0.2\n"
    path = folder(
        paper,
        tables=tables + "1,yacht,tree,-0.3\n",
        claims="id,where,text,figures,reproduced_if,literally\n"
        'A,here,T.,"f = lead(random_forest, ort_l)",f > 0,f > 0\n',
        datasets="dataset,cards\nyacht,yacht\n",
    )
    assert check_paper(path) == []
    found = read_paper(path)
    assert [one.truth.point for one in literally(found, read_claims(found))] == [True]
    texts = [text.replace("deviance", "devianc") for text in (paper, tables)]
    path = folder(texts[0], tables=texts[1], claims=CLAIMS)
    (_, wrong) = short(check_paper(path), path)
    assert wrong.startswith("paper.yaml:3:9: no metric 'neg_mean_poisson_devianc' (did you mean")


def test_the_least_a_paper_needs(folder) -> None:
    path = folder("title: x\nauthors: y\n")
    (path / "tables.csv").unlink()
    assert check_paper(path) == []
    paper = read_paper(path)
    assert (paper.cells, dict(paper.datasets), read_claims(paper)) == ([], {}, [])
    assert paper.notes(["x"]) == []


def test_all_mistakes_of_a_paper_file_are_reported_at_once(folder) -> None:
    path = folder("tilte: x\nauthors: y\nruns: many\nmeant: {a: b}\ncolumns: 3\n")
    assert short(check_paper(path), path) == [
        "paper.yaml:1:1: 'title': Field required",
        "paper.yaml:3:7: 'runs': Input should be a valid integer, unable to parse string as an "
        "integer",
        "paper.yaml:5:10: 'columns': Input should be a valid dictionary",
        "paper.yaml:4:12: 'meant.a': Input should be a valid list",
        "paper.yaml:1:1: 'tilte': Unexpected keyword argument (did you mean 'title'?)",
    ]
    path = folder("title: x\nauthors: y\nmetrics: [{function: f}]\nrunz: 3\n")
    assert short(check_paper(path), path) == [
        "paper.yaml:3:11: 'metrics.0.name': Field required",
        "paper.yaml:4:1: 'runz': Unexpected keyword argument (did you mean 'runs'?)",
    ]
    path = folder("title: x\nauthors: y\nmetrics: [{name: f, digitz: 3}]\n")
    assert short(check_paper(path), path) == [
        "paper.yaml:3:11: the metric 'f' has no 'digitz' (did you mean 'digits'?)",
    ]
    design = "design: {split: shuffle, foldz: 3, seeds: 2, test_size: 0.1}\n"
    path = folder("title: x\nauthors: y\n" + design)
    assert short(check_paper(path), path) == [
        "paper.yaml:3:10: 'design.split.folds': Field required",
        "paper.yaml:3:26: 'design.foldz': Unexpected keyword argument (did you mean 'folds'?)",
    ]
    for design in (
        "{split: kfolds, folds: 4}",
        "{split: shuffle, folds: 20}",
        "{folds: 0}",
        "{split: stratified, folds: 1}",
        "{folds: 5, train_rows: 30}",
        "{split: listed, folds: 5, test_size: 0.2}",
        "{split: given, folds: 1, train_rows: -30}",
    ):
        path = folder(f"title: x\nauthors: y\nruns: 0\nmeant: {{a: []}}\ndesign: {design}\n")
        found = [one.split("'")[1] for one in check_paper(path)]
        assert found == ["runs", "design.split", "meant.a"]


@pytest.mark.parametrize(
    ("design", "message"),
    [
        ("{folds: 4, units: orginal}",
         "3:27: 'design.units': Input should be 'scaled' or 'original' (did you mean 'original'?)"),
        ("{split: listed, folds: 5, scale_target: standart}",
         "3:49: 'design.scale_target': Input should be 'standard' or 'none' (did you mean "
         "'standard'?)"),
        ("{folds: 4, scale_features: min-max}",
         "3:36: 'design.scale_features': Input should be 'minmax', 'standard' or 'none' (did you "
         "mean 'minmax'?)"),
        ("{split: given, folds: 1, test_rows: 0fa}",
         "3:17: 'design.split': 'test_rows' belongs to 'split: listed', not to 'split: given'"),
    ],
)  # fmt: skip
def test_the_keys_of_a_design_are_checked(folder, design, message) -> None:
    path = folder(f"title: x\nauthors: y\ndesign: {design}\n")
    (path / "tables.csv").unlink()
    assert short(check_paper(path), path) == [f"paper.yaml:{message}"]


@pytest.mark.parametrize(
    ("line", "messages"),
    [
        ("is_whole: false", ["1: 'is_whole': Unexpected keyword argument"]),
        ("is_whole: 3", ["1: 'is_whole': Unexpected keyword argument"]),
        ("key: mine", ["1: 'key': Unexpected keyword argument"]),
        ("folder: elsewhere", ["1: 'folder': Unexpected keyword argument (did you mean 'folds'?)"]),
        ("foldr: x", ["1: 'foldr': Unexpected keyword argument (did you mean 'folds'?)"]),
        ("is_whol: true", ["1: 'is_whol': Unexpected keyword argument"]),
        ("rounds: 3", []),
    ],
)
def test_a_paper_file_has_no_keys_for_what_is_not_its_own(folder, line, messages) -> None:
    path = folder(f"{PAPER}{line}\n")
    found = short(check_paper(path), path)
    assert found == [f"paper.yaml:7:{message}" for message in messages]


def test_unknown_names_are_reported_with_their_places(folder) -> None:
    path = folder(
        PAPER
        + "  random_forst: forest\n  srt: forst\nreadings: {other: {random_forest: srtt}}\n"
        + "roles: {mine: {method: multibost}}\nmeant: {forst: [srt]}\n"
        + "captions: {'2': x}\nconditions: {depth: {param: depth, default: 3}}\n",
        datasets="dataset,cards\nyacht,yaht\n",
        notes="## srtt\n\nText.\n",
    )
    found = short(check_paper(path), path)
    for text in (
        "paper.yaml:7:3: there is no method 'random_forst' (did you mean 'random_forest'?)",
        "paper.yaml:8:8: there is no printed column 'forst' (did you mean 'forest'?)",
        "paper.yaml:9:35: there is no method 'srtt' (did you mean 'srt'?)",
        "paper.yaml:10:24: there is no method 'multibost' (did you mean 'multiboost'?)",
        "paper.yaml:11:9: there is no method 'forst' (did you mean 'forest'?)",
        "paper.yaml:12:12: there is no table '2'",
        "paper.yaml:13:45: no table prints runs at depth 3",
        "tables.csv:3: there is no data set in datasets.csv 'airfoil'",
        "datasets.csv:2: there is no card 'yaht' (did you mean 'yacht'?)",
        "notes.md:1: there is no method or card 'srtt' (did you mean 'srt'?)",
    ):
        assert text in found, text
    assert len(found) == 10


@pytest.mark.parametrize(("part", "unknown"), [("one", []), ("[one]", []), ("onne", ["onne"])])
def test_the_parts_of_a_role_are_a_list_or_one_name(folder, part: str, unknown: list[str]) -> None:
    path = folder(
        f"{PAPER}roles: {{one: {{method: srt}}, two: {{method: ort_l, parts: {part}}}}}\n"
    )
    found = [each.split("'")[1] for each in check_paper(path) if "there is no role" in each]
    assert found == unknown


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "tables",
            TABLES.replace("r2_sd", "r2_ds"),
            "tables.csv:1: there is no column 'r2_ds' (did",
        ),
        (
            "tables",
            TABLES + "1,yacht,forest,0.7,\n",
            "tables.csv:4: '1 yacht forest' again, as in line 2",
        ),
        (
            "tables",
            TABLES + "1,housing,forest,,\n",
            "tables.csv:4, r2_mean: this is empty; write the printed mean, dnf if",
        ),
        (
            "tables",
            TABLES + "1,housing,forest,x,\n",
            "tables.csv:4, r2_mean: 'x' is not a number: write dnf where a method did not finish",
        ),
        (
            "tables",
            TABLES + "1,housing,forest,nan,-0.1\n",
            "tables.csv:4, r2_mean: 'nan' is not a number: write dnf where a method did not "
            "finish, else nothing\ntables.csv:4, r2_sd: -0.1 must be at least 0",
        ),
        (
            "tables",
            TABLES.replace("0.02\n", "\n") + "1,housing,forest,0.5,-,9\n",
            "tables.csv:4: more cells than columns",
        ),
        ("datasets", "dataset,crads\nyacht,a\n", "datasets.csv:1: there is no column 'crads' (did"),
        ("datasets", "dataset\nyacht\nyacht\n", "datasets.csv:3: 'yacht' again, as in line 2"),
        (
            "claims",
            "id,where,text,figurs,reproduced_if\nA,h,T.,,\n",
            "claims.csv:1: there is no column 'figurs' (did you mean 'figures'?)",
        ),
        ("claims", "id,text\nA,T.\n", "claims.csv:2, where: this is empty, or there is no such"),
    ],
)
def test_mistakes_in_a_table(folder, name, text, message) -> None:
    path = folder(**{name: text})
    assert message in "\n".join(short(check_paper(path), path))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("A,here,Yes.,f = off(random_forest),f > 0\nA,here,No.,f = off(random_forest),f > 1\n",
         "claims.csv:3: 'A' again, as in line 2"),
        (",here,Yes.,f = off(random_forest),f > 0\n",
         "claims.csv:2, id: this is empty, or there is no"),
        ("A,here,Yes.,f = off(random_forst),f > 0\n",
         "claims.csv:2, figures, column 9: there is no method 'random_forst': did you"),
        ("A,here,Yes.,f = off(random_forest),ff > 0\n",
         "claims.csv:2, reproduced_if, column 1: there is no figure named 'ff': did you mean 'f'?"),
        ("A,here,Yes.,f = seconds(random_forest),f > 0\n",
         "claims.csv:2, reproduced_if, column 1: this is by data set: say all(...)"),
        ("A,here,Yes.,f = seconds(random_forest),all(f > 0) and\n",
         "claims.csv:2, reproduced_if, column 15: invalid syntax"),
        ("A,here,Yes.,f = seconds(random_forest),\"unlike(f > 0, yaht) == 0\"\n",
         "claims.csv:2, reproduced_if, column 15: there is no data set 'yaht': did you"),
        (f"A,here,Yes.,f = off(random_forest),f > {'-' * 1900}1\n",
         "claims.csv:2, reproduced_if, maximum recursion depth exceeded"),
        ("A,here,Yes.,f = seconds(random_forest),\"at_depth(7, all(f > 0))\"\n",
         "claims.csv:2, reproduced_if, needs trees of depth 7"),
        ('A,x,Yes.,"f = seconds(random_forest); g = seconds(random_forest, on=yacht)",all(f > g)\n',
         ""),
        ('A,here,Yes.,"f = seconds(random_forest); g = lead(random_forest, srt, on=yacht)",x,f\n',
         "claims.csv:2: more cells than columns; put a text with a comma in quotes"),
        ("A,here,Yes.,\"f = seconds(random_forest, without=[yacht, airfoil])\",all(f > 0)\n",
         "figures, column 1: f = seconds(random_forest, without=[yacht, airfoil]) leaves none of"),
        ("A,here,Yes.,f = off(random_forest),\n",
         "a claim has either 'reproduced_if' or a 'reason'"),
    ],
)  # fmt: skip
def test_mistakes_in_claims(folder, rows, message) -> None:
    path = folder(claims=CLAIMS + rows)
    found = "\n".join(short(check_paper(path), path))
    assert message in found
    assert bool(found) is bool(message)
    if message:
        with pytest.raises(ConfigError):
            read_claims(read_paper(path))


ERRORS = (
    PAPER.replace("metric: r2", "metric: rmse").replace("columns:", "{}columns:") + "  srt: s\n"
)
LINE = "metrics: [{name: rmse, explodes_below: 0.1}, accuracy]\n"


@pytest.mark.parametrize(
    ("figure", "more", "message"),
    [
        (
            "saving(srt, random_forest, of=accuracy)",
            "metrics: [accuracy]\n",
            "saving() is of times and errors, but larger values of 'accuracy' are better; "
            "use gain()",
        ),
        ("saving(srt, random_forest, of=rmse)", "", ""),
        ("saving(srt, random_forest, of=score)", "", ""),
        ("saving(srt, random_forest, of=solver)", "", ""),
        (
            "saving(srt, random_forest, of=low)",
            "metrics: [{name: low, function: 'm:low', greater_is_better: false}]\n",
            "",
        ),
        (
            "saving(srt, random_forest, of=low)",
            "metrics: [{name: low, function: 'm:low'}]\n",
            "larger values of 'low' are better",
        ),
        (
            "failures(srt)",
            "",
            "failures are runs with a score below the line of the metric, and "
            "'rmse' has none; give it 'explodes_below' among the 'metrics' of paper.yaml",
        ),
        ("lead(srt, random_forest, of=failures)", "", "'rmse' has none"),
        ("failures(srt)", LINE, ""),
        ("lead(srt, random_forest, of=failures)", LINE, ""),
        (
            "speedup(srt, random_forest, of=rmse)",
            "",
            "speedup() is of seconds, not of 'rmse'; 'of' is one of time, solver, round, search",
        ),
        ("speedup(srt, random_forest, of=search)", "", ""),
        ("seconds(srt, of=area)", "rounds: 5\n", "seconds() is of seconds, not of 'area'"),
        (
            "seconds(srt, of=rmse)",
            "",
            "'of' is one of time, solver, round, search; value() is the mean of a score",
        ),
        ("value(srt, of=rmse)", "", ""),
        ("lead(srt, random_forest, of=area)", "", "an area is the mean test error over"),
        ("lead(srt, random_forest, of=area)", "rounds: 5\n", ""),
    ],
)
def test_a_figure_fits_its_metric(folder, figure, more, message) -> None:
    tables = TABLES.replace("r2", "rmse") + "1,yacht,s,0.9,0.02\n1,airfoil,s,0.8,0.02\n"
    claims = CLAIMS + f'A,here,T.,"f = {figure}",all(f > 0)\n'
    path = folder(ERRORS.format(more), tables=tables, claims=claims)
    found = "\n".join(short(check_paper(path), path))
    assert message in found
    assert bool(found) is bool(message)
    if message:
        assert found.startswith(f"claims.csv:2, figures, column 1: f = {figure}: ")


def test_the_shipped_kind_of_metric_needs_no_line_of_its_own(folder) -> None:
    """R2 has one, at 0, and larger values of it are better."""
    for figure, wrong in (
        ("failures(random_forest)", False),
        ("saving(random_forest, random_forest, of=score)", True),
    ):
        path = folder(claims=CLAIMS + f'A,here,T.,"f = {figure}",all(f >= 0)\n')
        assert bool(check_paper(path)) is wrong


def test_a_sentence_is_tried_on_the_tables_with_their_rounding(folder) -> None:
    tables = (
        "table,dataset,method,r2_mean\n1,yacht,forest,0.90\n1,yacht,srt,0.85\n"
        "1,airfoil,forest,0.80\n1,airfoil,srt,0.8\n"
    )
    claims = "id,where,text,figures,reproduced_if,literally\n" + "".join(
        f'{name},x,Y.,"f = lead(random_forest, srt)",all(f > -1),{text}\n'
        for name, text in (
            ("A", "count(f > 0) >= 1"),
            ("B", "count(f > 0) == 0"),
            ("C", "count(f > 0) == 2"),
        )
    )
    paper = read_paper(folder(PAPER + "  srt: srt\n", tables=tables, claims=claims))
    found = {
        one.claim.id: (one.truth.sure, one.truth.maybe)
        for one in literally(paper, read_claims(paper))
    }
    # The two are tied on airfoil, where rounding may hide a lead.
    assert found == {"A": (True, True), "B": (False, False), "C": (False, True)}


def test_claims_that_rounding_decides_are_not_contradicted(folder) -> None:
    """Two printed leads of .001, of which either may be none."""
    tables = "table,dataset,method,r2_mean\n" + "".join(
        f"1,{name},forest,{high}\n1,{name},srt,{low}\n"
        for name, high, low in (("yacht", 0.981, 0.98), ("airfoil", 0.970, 0.969))
    )
    claims = "id,where,text,figures,reproduced_if,literally\n" + "".join(
        f'{n},x,Y.,"f = lead(random_forest, srt)",all(f > -1),count(f > 0) == {n}\n'
        for n in range(3)
    )
    paper = folder("prints_zeros: false\n" + PAPER + "  srt: srt\n", tables=tables, claims=claims)
    found = literally(read_paper(paper), read_claims(read_paper(paper)))
    assert [(one.truth.sure, one.truth.maybe) for one in found] == [(False, True)] * 3


@pytest.mark.parametrize(
    ("metrics", "column", "cells", "band"),
    [
        ("accuracy", "accuracy_percent", ("91.5", "88.0"), "3.45 <= f <= 3.55"),
        ("accuracy", "accuracy", ("0.915", "0.880"), "0.0345 <= f <= 0.0361"),
        (
            "{name: top, function: 'm:top', scale: 100}",
            "top",
            ("0.915", "0.880"),
            "3.4 <= f <= 3.6",
        ),
        ("{name: top, function: 'm:top'}", "top", ("0.915", "0.880"), "0.034 <= f <= 0.036"),
    ],
)
def test_a_difference_is_in_the_unit_in_which_the_paper_has_its_metric(
    folder, metrics, column, cells, band
) -> None:
    """Points of a metric declared or printed in percent, and the fractions of others."""
    name = column.removesuffix("_percent")
    declared = f"metric: {name}\nmetrics: [{metrics}]"
    paper = f"{PAPER}  srt: srt\n".replace("metric: r2", declared)
    tables = f"table,dataset,method,{column}_mean\n" + "".join(
        f"1,yacht,{method},{value}\n"
        for method, value in zip(("forest", "srt"), cells, strict=True)
    )
    claims = "id,where,text,figures,reproduced_if,literally\n" + "".join(
        f'{key},x,Y.,"f = lead(random_forest, srt{over})",{text},{text}\n'
        for key, over, text in (("A", "", f"all({band})"), ("B", ", over=mean", band))
    )
    path = folder(paper, tables=tables, claims=claims)
    assert check_paper(path) == []
    found = read_paper(path)
    assert [one.truth.maybe for one in literally(found, read_claims(found))] == [True, True]
    for one in read_claims(found):
        value = on_printed_tables(found, one)[1]["f"].point.item()
        assert value == pytest.approx(3.5 if band.startswith("3") else 0.035)


@pytest.mark.parametrize(
    ("metric", "column", "cells", "value"),
    [
        ("{name: top, function: 'm:top', scale: 100}", "top", ("0.915", "0.881"), 91.5),
        ("accuracy", "accuracy_percent", ("91.5", "88.1"), 91.5),
        ("{name: top, function: 'm:top'}", "top", ("0.915", "0.881"), 0.915),
    ],
)
def test_a_value_is_in_the_unit_in_which_the_paper_has_its_metric(
    folder, metric, column, cells, value
) -> None:
    """Each value and the average, in percent where the metric is declared or printed so."""
    name = column.removesuffix("_percent")
    paper = PAPER.replace("metric: r2", f"metric: {name}\nmetrics: [{metric}]")
    rows = zip(("yacht", "airfoil"), cells, strict=True)
    tables = "".join(f"1,{dataset},forest,{cell}\n" for dataset, cell in rows)
    band = f"{value * 0.999} <= f <= {value * 1.001}"
    claims = (
        "id,where,text,figures,reproduced_if,literally\n"
        f'A,x,Y.,"f = value(random_forest, on=yacht)",all({band}),all({band})\n'
        'B,x,Y.,"f = value(random_forest, over=mean)",f > 0,f > 0\n'
    )
    path = folder(paper, tables=f"table,dataset,method,{column}_mean\n{tables}", claims=claims)
    assert check_paper(path) == []
    found = read_paper(path)
    own, average = read_claims(found)
    assert [one.truth.maybe for one in literally(found, [own])] == [True]
    mean = value * (0.915 + 0.881) / 2 / 0.915
    values = [on_printed_tables(found, one)[1]["f"].point.item() for one in (own, average)]
    assert values == pytest.approx([value, mean])


@pytest.mark.parametrize(
    ("datasets", "header", "cell", "failed", "sd"),
    [
        # 5 of the paper's 20 runs; no sd of 20 scores from 0 to 1 can be 0.6.
        ("dataset\nyacht\n", "", "", 5, None),
        # 5 of the 10 runs of this row, and of the 2 folds of 5 seeds of this data set.
        ("dataset\nyacht\n", ",runs", ",10", 10, None),
        ("dataset,folds,seeds\nyacht,2,5\n", "", "", 10, None),
        ("dataset\nyacht\n", ",runs", ",2", 50, 0.6),
    ],
)
def test_failed_runs_and_sds_are_of_the_runs_behind_their_own_mean(
    folder, datasets, header, cell, failed, sd
) -> None:
    path = folder(
        PAPER + "  srt: srt\n",
        tables=f"table,dataset,method,r2_mean,r2_sd,negative_r2_runs{header}\n"
        f"1,yacht,srt,0.5,0.6,5{cell}\n",
        claims="id,where,text,figures,reproduced_if,literally\nA,x,Y.,f = failures(srt),f > 0,\n",
        datasets=datasets,
    )
    paper = read_paper(path)
    values = on_printed_tables(paper, read_claims(paper)[0])[1]["f"]
    assert values.point.item() == failed
    assert paper.sd_of(paper.cells[0]) == sd


@pytest.mark.parametrize(
    ("metrics", "header", "row", "message"),
    [
        ("accuracy", "accuracy_mean", "95.3", "accuracy_mean: 95.3 is impossible, 'accuracy' is at "
         "least 0 and at most 1; percentages belong in 'accuracy_percent_mean'"),
        ("accuracy", "accuracy_mean", "0.953", ""),
        ("error", "error_percent_mean", "101.5", "error_percent_mean: 101.5 is impossible, 'error' "
         "is at least 0 and at most 100"),
        ("error", "error_percent_mean", "100", ""),
        ("roc_auc", "roc_auc_mean,roc_auc_sd", "0.9,1.5", "an sd of 'roc_auc' is at least 0 and at "
         "most 1; percentages belong in 'roc_auc_percent_sd'"),
        ("f1_macro", "f1_macro_mean,f1_macro_se", "0.9,1.5", "an se of 'f1_macro' is at least 0"),
        ("balanced_accuracy", "balanced_accuracy_mean", "-0.1", "-0.1 is impossible"),
        ("rmse", "rmse_mean", "-0.2", "rmse_mean: -0.2 is impossible, 'rmse' is at least 0"),
        ("rmse", "rmse_mean,rmse_sd", "3000,1500", ""),
        ("log_loss", "log_loss_mean", "-2", "least 0"),
        ("neg_mean_squared_error", "neg_mean_squared_error_mean", "3", "is at most 0"),
        ("neg_mean_squared_error", "neg_mean_squared_error_mean", "-3", ""),
        ("r2", "r2_mean", "1.2", "'r2' is at most 1"), ("r2", "r2_mean,r2_sd", "-7,40", ""),
        ("mae, accuracy", "mae_mean,accuracy_mean", "3,95.3", "accuracy_mean: 95.3 is impossible"),
        ("{name: gap}", "gap_mean", "-40", ""), ("{name: hits, is_share: true}", "hits_mean", "40",
         "'hits' is at least 0 and at most 1; percentages belong in 'hits_percent_mean'"),
    ],
)  # fmt: skip
def test_scores_that_are_impossible_are_errors(folder, metrics, header, row, message) -> None:
    name = header.split(",")[0].removesuffix("_mean").removesuffix("_percent")
    more = f"metric: {name}\nmetrics: [{metrics}]\nruns: 20"
    own = "metrics: [{name: gap, function: 'm:gap'}]" if name == "gap" else ""
    paper = PAPER.replace("metric: r2\nruns: 20", more.replace("metrics: [{name: gap}]", own))
    paper = paper.replace("{name: hits,", "{name: hits, function: 'm:hits',")
    path = folder(
        paper,
        tables=f"table,dataset,method,{header}\n1,yacht,forest,{row}\n",
        datasets="dataset\nyacht\n",
    )
    found = "\n".join(short(check_paper(path), path))
    assert message in found
    assert bool(found) is bool(message)
    assert not message or found.startswith("tables.csv:2, ")


@pytest.mark.parametrize(
    ("rows", "line"),
    [
        ("1,yacht,forest,2,0.9,\n1,airfoil,forest,3.0,1.2,\n", 3),
        ("1,yacht,forest,2,0.9,\n1,yacht,forest,2,,1.2\n", 3),
        ("1,yacht,forest,02,,-0.1\n1,yacht,forest,2,0.9,\n", 2),
    ],
)
def test_an_impossible_score_is_in_its_own_line(folder, rows, line) -> None:
    """Whatever its depth looks like, and beside a row of another metric with the same key."""
    paper = PAPER.replace("metric: r2", "metric: r2\nmetrics: [accuracy]")
    path = folder(paper, tables=f"table,dataset,method,depth,r2_mean,accuracy_mean\n{rows}")
    (found,) = short(check_paper(path), path)
    assert found.startswith(f"tables.csv:{line}, ")
    assert "is impossible" in found


def test_an_experiment_with_impossible_printed_scores_is_refused(folder, tmp_path) -> None:
    tables = "table,dataset,method,accuracy_mean\n1,iris,forest,{}\n"
    text = "name: x\npaper: {}\ndatasets: [iris]\nmethods: [adaboost_mh]\nfolds: 4\nseeds: 1\n"
    for value, refused in (("95.3", True), ("0.953", False)):
        paper = PAPER.replace("metric: r2", "metric: accuracy")
        path = folder(paper, tables=tables.format(value))
        config = tmp_path / "x.yaml"
        config.write_text(text.format(f"./{path.name}"))
        if refused:
            with pytest.raises(ConfigError, match=r"x.yaml:2:8: .*tables.csv:2, accuracy_mean: 95"):
                load_experiment(config)
        else:
            assert load_experiment(config).paper == f"./{path.name}"


AVERAGED = """\
table,dataset,method,r2_mean
1,yacht,forest,0.91
1,airfoil,forest,0.82
1,housing,forest,0.70
1,arithmetic_mean,forest,{}
1,geometric_mean,forest,{}
1,yacht,tree,0.5
1,airfoil,tree,0.6
1,arithmetic_mean,tree,{}
"""


@pytest.mark.parametrize(
    ("means", "said"),
    [
        (("0.865", "0.864", "0.55"), [
            "tables.csv:5: the arithmetic mean of forest, 0.865, leaves out housing",
            "tables.csv:6: the geometric mean of forest, 0.864, leaves out housing",
        ]),
        (("0.81", "0.805", "0.55"), [
            "tables.csv:5: the arithmetic mean of forest, 0.81, is also over housing, which other "
            "columns of the table lack",
            "tables.csv:6: the geometric mean of forest, 0.805, is also over housing, which other "
            "columns of the table lack",
        ]),
        (("0.84", "0.805", "0.67"), [
            "tables.csv:5: the arithmetic mean of forest, 0.84, is not that of its 3 data sets, "
            "0.810",
            "tables.csv:6: the geometric mean of forest, 0.805, is also over housing, which other "
            "columns of the table lack",
            "tables.csv:9: the arithmetic mean of tree, 0.67, is not that of its 2 data sets, "
            "0.550",
        ]),
        # 0.5 and 0.6 may be 0.549 and 0.649.
        (("0.865", "0.864", "0.599"), [
            "tables.csv:5: the arithmetic mean of forest, 0.865, leaves out housing",
            "tables.csv:6: the geometric mean of forest, 0.864, leaves out housing",
        ]),
    ],
)  # fmt: skip
def test_averages_that_their_cells_contradict_or_that_leave_sets_out(folder, means, said) -> None:
    columns = PAPER + "  ort_l: tree\n"
    path = folder(columns, tables=AVERAGED.format(*means))
    assert check_paper(path) == []
    assert short(doubtful_averages(read_paper(path)), path) == said


def test_an_average_of_all_its_cells_is_not_doubted(folder) -> None:
    """A geometric mean with a value below 0 cannot be tried; sums of percentages can."""
    tables = AVERAGED.replace("0.70", "-0.70").replace("1,housing,forest", "2,housing,forest")
    path = folder(PAPER + "  ort_l: tree\n", tables=tables.format("0.865", "0.864", "0.55"))
    assert doubtful_averages(read_paper(path)) == []
    tables = AVERAGED.replace("1,yacht,tree", "1,housing,tree,0.4\n1,yacht,tree")
    tables = tables.replace("0.70", "-0.70").format("0.343", "0.9", "0.5")
    path = folder(PAPER + "  ort_l: tree\n", tables=tables)
    assert doubtful_averages(read_paper(path)) == []
    percent = "table,dataset,method,error_percent_mean\n1,yacht,forest,9.12\n1,wine,forest,8.00\n"
    error = PAPER.replace("metric: r2", "metric: error")
    for printed, doubted in (("8.6", False), ("8.5", True), ("8.560", False)):
        path = folder(error, tables=f"{percent}1,arithmetic_mean,forest,{printed}\n")
        found = doubtful_averages(read_paper(path))
        assert bool(found) is doubted
        assert not found or found[0].endswith("8.5, is not that of its 2 data sets, 8.56")


def test_a_doubtful_average_is_in_its_own_line(folder) -> None:
    paper = PAPER.replace("metric: r2", "metric: r2\nmetrics: [accuracy]")
    head = "table,dataset,method,depth,r2_mean,accuracy_mean\n"
    rows = "1,yacht,forest,3.0,0.9,0.8\n1,airfoil,forest,3.0,0.8,0.7\n"
    means = "1,arithmetic_mean,forest,3.0,0.85,\n1,arithmetic_mean,forest,3.0,,0.5\n"
    path = folder(paper, tables=head + rows + means)
    (found,) = short(doubtful_averages(read_paper(path)), path)
    assert found.startswith("tables.csv:5: the arithmetic mean of forest at depth 3, 0.5, is not")


def test_check_shows_doubtful_averages(folder, capsys) -> None:
    path = folder(PAPER + "  ort_l: tree\n", tables=AVERAGED.format("0.84", "0.805", "0.55"))
    with pytest.raises(SystemExit) as ended:
        main(["check", "--paper", str(path)])
    assert not ended.value.code
    out = capsys.readouterr().out
    assert "mean of forest, 0.84, is not that of its 3 data sets" in " ".join(out.split())


def test_a_table_that_is_not_text_is_refused(folder) -> None:
    path = folder()
    (path / "tables.csv").write_bytes(TABLES.encode() + "1,Müller,forest,0.7,\n".encode("latin-1"))
    assert short(check_paper(path), path) == [
        "tables.csv:4 is not utf-8 text: byte 0xfc cannot be decoded; save it as UTF-8"
    ]
    (path / "tables.csv").write_text(TABLES, encoding="utf-8-sig")
    assert len(read_tables(path / "tables.csv", "r2", [], lambda *_: None)) == 2


def test_notes_are_shown_where_their_methods_or_cards_are(folder) -> None:
    path = folder(notes="Always.\n\n## srt, `yacht`\n\nOne\nline.\n\nTwo.\n\n## orrt\n\nThree.\n")
    paper = read_paper(path)
    assert paper.notes([]) == ["Always."]
    assert paper.notes(["yacht"]) == ["Always.", "One line.", "Two."]
    assert paper.notes(["orrt", "srt"]) == ["Always.", "One line.", "Two.", "Three."]


def test_the_paper_of_the_documentation_is_right(tmp_path) -> None:
    guide = Path(__file__).parents[2] / "docs" / "guide"
    page = (guide / "paper-of-your-own.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```(?:yaml|csv)\n(.*?)```", page, re.DOTALL)
    for name, text in zip(("paper.yaml", "tables.csv", "claims.csv"), blocks[:3], strict=True):
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert check_paper(tmp_path) == []
    paper = read_paper(tmp_path)
    found = {one.claim.id: one.truth.maybe for one in literally(paper, read_claims(paper))}
    assert found == {"A-1": True, "A-2": False, "A-3": True}


def test_an_average_of_a_method_without_cells_contradicts_nothing(folder) -> None:
    path = folder(tables=TABLES + "1,arithmetic_mean,tree,0.7,\n")
    assert doubtful_averages(read_paper(path)) == []


def test_a_question_that_nobody_has_answered_is_a_mistake(folder) -> None:
    path = folder("# TODO: the title of the paper\n" + PAPER)
    (said,) = short(check_paper(path), path)
    assert said.startswith("paper.yaml:1: TODO: the title of the paper; write the answer")
