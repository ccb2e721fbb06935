"""A paper's folder with mistakes: all are said at once, with file and line."""

import re
from pathlib import Path

import pytest

from boostbench.errors import ConfigError
from boostbench.papers.check import check_paper, literally
from boostbench.papers.claims import read_claims
from boostbench.papers.paper import read_paper, read_tables

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
        paper, tables=tables + "1,yacht,tree,-0.3\n",
        claims="id,where,text,figures,reproduced_if,literally\n"
        'A,here,T.,"f = lead(random_forest, ort_l)",f > 0,f > 0\n',
        datasets="dataset,cards\nyacht,yacht\n",
    )  # fmt: skip
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
        "paper.yaml:3:11: 'metrics.0.str': Input should be a valid string",
        "paper.yaml:3:11: 'metrics.0._Named.name': Field required",
        "paper.yaml:4:1: 'runz': Unexpected keyword argument (did you mean 'runs'?)",
    ]
    path = folder("title: x\nauthors: y\nmetrics: [{name: f, digitz: 3}]\n")
    assert check_paper(path) == ["the metric 'f' has no 'digitz' (did you mean 'digits'?)"]
    design = "design: {split: shuffle, foldz: 3, seeds: 2, test_size: 0.1}\n"
    path = folder("title: x\nauthors: y\n" + design)
    assert short(check_paper(path), path) == [
        "paper.yaml:3:10: 'design.split.folds': Field required",
        "paper.yaml:3:26: 'design.foldz': Unexpected keyword argument (did you mean 'folds'?)",
    ]
    for design in ("{split: kfolds, folds: 4}", "{split: shuffle, folds: 20}", "{folds: 0}",
                   "{split: stratified, folds: 1}", "{folds: 5, train_rows: 30}",
                   "{split: listed, folds: 5, test_size: 0.2}",
                   "{split: given, folds: 1, train_rows: -30}"):  # fmt: skip
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


def test_unknown_names_are_reported_with_their_places(folder) -> None:
    path = folder(
        PAPER
        + "  random_forst: forest\n  srt: forst\nreadings: {other: {random_forest: srtt}}\n"
        + "roles: {mine: {method: multibost}}\nmeant: {forst: [srt]}\n"
        + "captions: {'2': x}\ndefault_depth: 3\n",
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
        "paper.yaml:13:1: no table prints what 'default_depth' is about",
        "tables.csv:3: there is no data set in datasets.csv 'airfoil'",
        "datasets.csv:2: there is no card 'yaht' (did you mean 'yacht'?)",
        "notes.md:1: there is no method or card 'srtt' (did you mean 'srt'?)",
    ):
        assert text in found, text
    assert len(found) == 10


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("tables", TABLES.replace("r2_sd", "r2_ds"),
         "tables.csv:1: there is no column 'r2_ds' (did"),
        ("tables", TABLES + "1,yacht,forest,0.7,\n",
         "tables.csv:4: '1 yacht forest' again, as in line 2"),
        ("tables", TABLES + "1,housing,forest,,\n",
         "tables.csv:4, r2_mean: this is empty; write the printed mean, dnf if"),
        ("tables", TABLES + "1,housing,forest,x,\n",
         "tables.csv:4, r2_mean: 'x' is not a number: write dnf where a method did not finish"),
        ("tables", TABLES + "1,housing,forest,nan,-0.1\n",
         "tables.csv:4, r2_mean: 'nan' is not a number: write dnf where a method did not finish, "
         "else nothing\ntables.csv:4, r2_sd: -0.1 must be at least 0"),
        ("tables", TABLES.replace("0.02\n", "\n") + "1,housing,forest,0.5,-,9\n",
         "tables.csv:4: more cells than columns"),
        ("datasets", "dataset,crads\nyacht,a\n", "datasets.csv:1: there is no column 'crads' (did"),
        ("datasets", "dataset\nyacht\nyacht\n",
         "datasets.csv:3: 'yacht' again, as in line 2"),
        ("claims", "id,where,text,figurs,reproduced_if\nA,h,T.,,\n",
         "claims.csv:1: there is no column 'figurs' (did you mean 'figures'?)"),
        ("claims", "id,text\nA,T.\n", "claims.csv:2, where: this is empty, or there is no such"),
    ],
)  # fmt: skip
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


def test_a_sentence_is_tried_on_the_tables_with_their_rounding(folder) -> None:
    tables = (
        "table,dataset,method,r2_mean\n1,yacht,forest,0.90\n1,yacht,srt,0.85\n"
        "1,airfoil,forest,0.80\n1,airfoil,srt,0.8\n"
    )
    claims = "id,where,text,figures,reproduced_if,literally\n" + "".join(
        f'{name},x,Y.,"f = lead(random_forest, srt)",all(f > -1),{text}\n'
        for name, text in (
            ("A", "count(f > 0) >= 1"), ("B", "count(f > 0) == 0"), ("C", "count(f > 0) == 2"),
        )
    )  # fmt: skip
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


def test_a_table_that_is_not_text_is_refused(folder) -> None:
    path = folder()
    (path / "tables.csv").write_bytes(TABLES.encode() + "1,Müller,forest,0.7,\n".encode("latin-1"))
    assert short(check_paper(path), path) == [
        "tables.csv is not a CSV file in UTF-8; save it as one"
    ]
    (path / "tables.csv").write_text(TABLES, encoding="utf-8-sig")
    assert len(read_tables(path / "tables.csv", "r2", [], {}.get)) == 2


def test_notes_are_shown_where_their_methods_or_cards_are(folder) -> None:
    path = folder(notes="Always.\n\n## srt, `yacht`\n\nOne\nline.\n\nTwo.\n\n## orrt\n\nThree.\n")
    paper = read_paper(path)
    assert paper.notes([]) == ["Always."]
    assert paper.notes(["yacht"]) == ["Always.", "One line.", "Two."]
    assert paper.notes(["orrt", "srt"]) == ["Always.", "One line.", "Two.", "Three."]


def test_roles_are_played_by_parameters(folder) -> None:
    roles = (
        "rounds: 50\nroles:\n"
        "  fast: {method: multiboost, solver: [null, fcd], chosen: false}\n"
        "  slow: {method: multiboost, solver: lbfgsb, rounds: any}\n"
        "  theirs: {estimator: sklearn.tree.DecisionTreeRegressor, max_depth: 3}\n"
    )
    paper = read_paper(folder(PAPER + roles))
    assert paper.roles_of("multiboost", {}, False) == ["fast", "multiboost"]
    assert paper.roles_of("multiboost", {"solver": "fcd"}, True) == ["multiboost"]
    assert paper.roles_of("multiboost", {"solver": "lbfgsb", "max_iter": 9}, False) == ["slow"]
    assert paper.roles_of("multiboost", {"max_iter": 60}, False) == ["fast", "multiboost"]
    assert paper.roles_of("", {}, False) == []
    tree = "sklearn.tree.DecisionTreeRegressor"
    assert paper.role_of_estimator(tree, {"max_depth": 3, "min_samples_leaf": 2}) == "theirs"
    assert paper.role_of_estimator(tree, {"max_depth": 4}) == ""
    assert paper.role_of_estimator("sklearn.tree.ExtraTreeRegressor", {"max_depth": 3}) == ""


def test_the_paper_of_the_documentation_is_right(tmp_path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "paper-of-your-own.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```(?:yaml|csv)\n(.*?)```", page, re.DOTALL)
    for name, text in zip(("paper.yaml", "tables.csv", "claims.csv"), blocks, strict=True):
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert check_paper(tmp_path) == []
    paper = read_paper(tmp_path)
    found = {one.claim.id: one.truth.maybe for one in literally(paper, read_claims(paper))}
    assert found == {"A-1": True, "A-2": False, "A-3": True}
