"""On which printed table, metric and values a claim is tried."""

from pathlib import Path

import pytest

from boostbench.cli.app import main
from boostbench.papers.check import literally, on_printed_tables
from boostbench.papers.claims import read_claims, tables_named
from boostbench.papers.paper import read_paper

TWO_TABLES = """\
table,dataset,method,depth,r2_mean,r2_sd,mae_mean
2,yacht,forest,,0.90,0.05,0.20
2,yacht,tree,2,0.80,0.05,0.30
2,airfoil,forest,,0.85,0.05,0.25
2,airfoil,tree,2,0.75,0.05,0.30
A.3,yacht,forest,,0.50,0.01,
A.3,yacht,tree,2,0.70,0.01,
A.3,airfoil,forest,,0.55,0.01,
A.3,airfoil,tree,2,0.75,0.01,
A.30,yacht,tree,3,0.10,0.01,
A.30,airfoil,tree,3,0.20,0.01,
"""
PAPER = """\
title: x
authors: y
metric: r2
metrics: [mae]
runs: 20
columns: {random_forest: forest, ort_l: tree}
"""


def truths(folder: Path, claims: str, tables: str = TWO_TABLES, paper: str = PAPER):
    """Return whether each claim may hold and surely holds on the tables, by id."""
    (folder / "paper.yaml").write_text(paper)
    (folder / "tables.csv").write_text(tables)
    header = "id,where,text,data_sets,depths,figures,reproduced_if,literally\n"
    (folder / "claims.csv").write_text(header + claims)
    found = read_paper(folder)
    tried = literally(found, read_claims(found))
    return {one.claim.id: (one.truth.maybe, one.truth.sure) for one in tried}


def row(name: str, figure: str, literal: str, where: str = "section 1", sets="", depth="2") -> str:
    bound = "all(f > -9)" if literal.startswith(("all(", "any(", "count(")) else "f > -9"
    return f'{name},{where},T.,{sets},{depth},"f = {figure}",{bound},{literal}\n'


LEADS = "lead(random_forest, ort_l)"


@pytest.mark.parametrize(
    ("where", "figure", "wins"),
    [
        ("section 1", LEADS, True),
        ("Table 2", LEADS, True),
        ("caption of table A.3", LEADS, False),
        ('"section 4, Tables A.3 and 2"', LEADS, False),
        ("Table A.3", LEADS.replace(")", ", table=2)"), True),
        ("section 1", LEADS.replace(")", ", table='A.3')"), False),
        ("section 1", "rank_lead(random_forest, ort_l, table='A.3')", False),
        ("section 1", "gain(random_forest, ort_l, over=mean, table='A.3')", False),
        # Only trees of depth 3 are in that table.
        ("Table A.30", LEADS, True),
    ],
)
def test_a_claim_is_tried_on_the_table_that_it_names(tmp_path, where, figure, wins) -> None:
    literal = "all(f > 0)" if figure.startswith("lead") else "f > 0"
    figure = figure.replace("table=2", "table='2'")
    assert truths(tmp_path, row("A", figure, literal, where)) == {"A": (wins, wins)}


def test_a_claim_is_not_tried_where_its_table_does_not_print_it(tmp_path) -> None:
    figure = LEADS.replace(")", ", table='A.30')")
    claims = row("A", figure, "all(f > 0)") + row("B", LEADS, "all(f > 0)", "Table A.30")
    assert set(truths(tmp_path, claims)) == {"B"}


def test_names_of_tables_in_a_text() -> None:
    known = ["1", "2", "3", "C.4", "C.41"]
    for text, found in (
        ("Table 2", ["2"]), ("section 2, table 3", ["3"]),
        ("captions of Tables 2 and C.4", ["2", "C.4"]),
        ("Tables 1, 2 & C.41; section 3", ["1", "2", "C.41"]), ("Table 22", []), ("Table 2a", []),
        ("section 2", []), ("Figure 2", []), ("tables 1 of section 2", ["1"]),
    ):  # fmt: skip
        assert tables_named(text, known) == found, text
    assert tables_named("Table 2", []) == []


def test_a_claim_is_tried_on_each_printed_metric(tmp_path) -> None:
    claims = (
        row("low", "lead(random_forest, ort_l, of=mae)", "all(f > 0)")
        + row("high", "lead(ort_l, random_forest, of=mae)", "any(f > 0)")
        # 0.30 and 0.20 are rounded: the saving is from 30.5 to 36.1 %.
        + row("saved", "saving(random_forest, ort_l, of=mae)", "all(f > 30)", sets="yacht")
        + row("close", "saving(random_forest, ort_l, of=mae)", "all(f > 35)", sets="yacht")
        # Table A.3 prints no errors.
        + row("none", "lead(random_forest, ort_l, of=mae, table='A.3')", "all(f > 0)")
    )
    assert truths(tmp_path, claims) == {
        "low": (True, True),
        "high": (False, False),
        "saved": (True, True),
        "close": (True, False),
    }


def test_a_metric_that_no_table_prints_is_not_tried(tmp_path) -> None:
    paper = PAPER.replace("[mae]", "[mae, rmse]")
    claims = row("A", "lead(random_forest, ort_l, of=rmse)", "all(f > 0)")
    assert truths(tmp_path, claims, paper=paper) == {}


NEGATIVE = """\
table,dataset,method,explained_variance_mean
1,iris,forest,0.99
1,iris,tree,-0.64
1,wine,forest,0.89
1,wine,tree,0.54
1,digits,forest,-0.10
1,digits,tree,-0.20
"""


def test_a_value_without_a_ratio_leaves_the_others_to_be_tried(tmp_path) -> None:
    gain = "gain(random_forest, ort_l)"
    claims = (
        row("each", gain, "all(f > 100)", depth="")
        + row("some", gain, "any(f > 100)", depth="")
        + row("few", gain, "count(f > 10) >= 1", depth="")
        + row("none", gain, "count(f > 10) == 0", depth="")
        + row("mean", gain.replace(")", ", over=mean)"), "f > 5", depth="")
        + row("two", gain, "all(f > 5)", sets="iris; digits", depth="")
        + row("lead", LEADS, "all(f > 0)", depth="")
    )
    paper = PAPER.replace("metric: r2\nmetrics: [mae]", "metric: explained_variance")
    found = truths(tmp_path, claims, NEGATIVE, paper)
    assert found == {
        "each": (False, False),
        "some": (True, False),
        "few": (True, True),
        "none": (False, False),
        "lead": (True, True),
    }


def test_what_could_not_be_tried_is_said(tmp_path, capsys) -> None:
    paper = PAPER.replace("metric: r2\nmetrics: [mae]", "metric: explained_variance")
    gain = "gain(random_forest, ort_l)"
    below_0 = NEGATIVE.replace(",0.", ",-0.")
    truths(tmp_path, row("two", gain, "all(f > 5)", sets="iris; digits", depth=""), below_0, paper)
    with pytest.raises(SystemExit) as ended:
        main(["check", "--paper", str(tmp_path)])
    assert ended.value.code == 0
    out, err = capsys.readouterr()
    assert "is right" not in out
    assert "keeps 1 sentence from being tried: two" in " ".join(err.split())


def test_a_printed_average_is_that_of_the_table_that_the_place_names(tmp_path) -> None:
    off = "off(random_forest)"
    claims = (
        row("A", off, "f > -9", "Table A.3")
        + row("B", off, "f > -9")
        + row("C", "off(random_forest, table='2')", "f > -9", "Table A.3")
        + row("D", off, "f > -9", "Tables 2 and A.3")
    )
    truths(tmp_path, claims)
    found = read_claims(read_paper(tmp_path))
    assert [one.figures[0].options.get("table") for one in found] == ["A.3", None, "2", None]


def test_single_values_are_those_of_the_named_table(tmp_path) -> None:
    truths(tmp_path, row("A", "off(random_forest, table='A.3')", "f == 0"))
    paper = read_paper(tmp_path)
    (claim,) = read_claims(paper)
    _, named = on_printed_tables(paper, claim)
    assert named["f"].point.tolist() == [[0.0]]
