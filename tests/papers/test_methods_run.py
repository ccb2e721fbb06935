"""Methods and data sets of claims that the paper has not run: they do not count."""

import numpy as np
import pytest
from claim_cells import SETS, Invented, cell, claim, evidence, measured, noisy

from boostbench.papers import get_paper
from boostbench.papers.check import on_printed_tables
from boostbench.papers.claims import read_claims
from boostbench.papers.design import Design
from boostbench.papers.judge import ClaimVerdict, judge
from boostbench.papers.paper import read_paper
from boostbench.papers.readings import judge_all

SRT, MULTIBOOST = get_paper("srt"), get_paper("multiboost")
# Beside x, y is worse and z better everywhere.
CELLS = {"x": noisy(0.7), "y": noisy(0.5), "z": noisy(0.9)}
EXTRA = Invented(not_run={("z", "c"), ("z", "d")})
Z_LEFT_OUT = "without z on c, d, where the paper has not run it"


def test_the_best_of_others_are_those_that_the_paper_has_run() -> None:
    assert measured("lead(x, best(y, z))", CELLS, EXTRA).point[0] == pytest.approx(
        [-0.2, -0.2, 0.2, 0.2]
    )
    assert measured("lead(best(y, z), x)", CELLS, EXTRA).point[0] == pytest.approx(
        [0.2, 0.2, -0.2, -0.2]
    )
    assert measured("lead(worst(y, z), x)", CELLS, EXTRA).point[0] == pytest.approx([-0.2] * 4)
    assert measured("rank(x, y, z)", CELLS, EXTRA).point[0].tolist() == [2, 2, 1, 1]


@pytest.mark.parametrize(
    ("not_run", "ruling", "why"),
    [
        ({("z", name) for name in SETS}, "reproduced", "without z on a, b, c, d, where"),
        ({("z", "c"), ("z", "d")}, "undecided", Z_LEFT_OUT),
        ((), "not reproduced", ""),
    ],
)
def test_verdicts_rest_on_the_methods_that_the_paper_has_run(not_run, ruling, why) -> None:
    own = evidence(CELLS, Invented(not_run=not_run))
    one = claim(
        "f = lead(x, best(y, z))", "most(f > 0)", against="share(f > 0) < 1/2", data_sets=[*SETS]
    )
    judged = judge(one, "", {}, own)
    assert judged.verdict == ruling
    assert why in judged.why
    assert bool(why) == bool(judged.not_compared)


def test_no_runs_are_needed_where_the_paper_has_none() -> None:
    cells = {**CELLS, "z": {name: noisy(0.9) for name in "ab"}}
    one = claim("f = lead(x, best(y, z))", "most(f > 0)", data_sets=[*SETS])
    assert judge(one, "", {}, evidence(cells, EXTRA)).datasets == [*SETS]
    assert judge(one, "", {}, evidence(cells)).missing == ["c", "d"]


@pytest.mark.parametrize(
    "figure",
    [
        "lead(x, best(y, z))",
        "rank(x, y, z)",
        "rank(x, y, z, over=mean)",
        "gain(x, worst(y, z), over=mean)",
        "lead(x, best(y, z), over=median)",
        "reach(x, best(y, z))",
        "speedup(x, best(y, z), of=solver, rounds=common)",
    ],
)
def test_a_method_that_does_not_count_changes_no_value_and_no_interval(figure) -> None:
    """Its runs may be there or not."""
    falling = {of: np.arange(4.0, 0.0, -1.0) for of in ("objective", "solver_s", "fit_s")}
    cells = {
        name: noisy(mean, 0.05, (1, 4, 3), solver=mean, curves=[falling] * 12)
        for name, mean in (("x", 0.7), ("y", 0.5), ("z", 0.9))
    }
    here = measured(figure, cells, EXTRA)
    without = measured(figure, {**cells, "z": dict.fromkeys("ab", cells["z"])}, EXTRA)
    np.testing.assert_array_equal(here[:3], without[:3])
    assert not np.isnan(here.point).any()


def test_a_claim_without_data_sets_is_on_those_where_the_paper_has_run_its_methods() -> None:
    one = claim("f = lead(x, z)", "all(f < 0)")
    assert judge(one, "", {}, evidence(CELLS, EXTRA)).datasets == ["a", "b"]
    named = claim("f = lead(x, z)", "all(f < 0)", data_sets=[*SETS])
    assert judge(named, "", {}, evidence(CELLS, EXTRA)).datasets == [*SETS]
    others = claim("f = lead(x, best(y, z))", "all(f > -9)")
    assert judge(others, "", {}, evidence(CELLS, EXTRA)).datasets == [*SETS]


def test_what_the_shipped_papers_have_run() -> None:
    assert MULTIBOOST.has_run("adaboost_mo", "mnist")
    assert not MULTIBOOST.has_run("adaboost_mo", "gtsrb")
    assert MULTIBOOST.has_run("adaboost_mh", "gtsrb")
    assert SRT.has_run("ort_l_grid", "puma32h", (2,))
    assert not SRT.has_run("ort_l_grid", "puma32h", (3,))
    assert SRT.has_run("random_forest_r", "puma32h", (3,))
    assert not SRT.has_run("orrt_best", "abalone", (3,))
    # Its tables have neither: nothing is known.
    assert SRT.has_run("srt", "diabetes", (3,))
    assert SRT.has_run("my_method", "abalone", (3,))


def test_claims_on_others_leave_out_adaboost_mo_beyond_figures_1_and_2() -> None:
    (one,) = (each for each in read_claims(MULTIBOOST) if each.id == "M-ABS-4")
    assert "adaboost_mo" in one.roles
    beyond = [name for name in one.data_sets if not MULTIBOOST.has_run("adaboost_mo", name)]
    assert beyond == [
        "pascal07", "labelme12", "cifar10_gist", "cifar10_pixels", "scene15_images", "sun25",
        "gtsrb",
    ]  # fmt: skip


TABLES = """\
table,dataset,method,r2_mean
1,a,forest,0.900
1,a,tree,0.800
1,a,net,0.950
1,b,forest,0.900
1,b,tree,0.800
1,b,net,dnf
"""
PAPER = """\
title: x
authors: y
runs: 20
columns: {random_forest: forest, ort_l: tree, srt: net}
"""
CLAIMS = """\
id,where,text,figures,reproduced_if,literally
A,here,T.,"f = lead(random_forest, best(ort_l, srt))",all(f > -9),"count(f > 0) == 1"
B,here,T.,"f = rank(random_forest, ort_l, srt)",all(f < 9),"count(f == 1) == 1"
C,here,T.,"f = lead(random_forest, srt)",all(f > -9),count(f > 0) == 0
"""


def test_printed_tables_leave_out_a_method_that_did_not_finish(tmp_path) -> None:
    for name, text in (("paper.yaml", PAPER), ("tables.csv", TABLES), ("claims.csv", CLAIMS)):
        (tmp_path / name).write_text(text)
    paper = read_paper(tmp_path)
    values = {}
    for one in read_claims(paper):
        scope, named = on_printed_tables(paper, one)
        assert scope.condition(one.literally, named).sure
        values[one.id] = named["f"].point[0].round(3).tolist()
    assert values == {"A": [-0.05, 0.1], "B": [2, 1], "C": [-0.05]}


def failing(runs: int, shape: tuple[int, int, int]):
    """Return runs of which the first one, or none, has failed."""
    share = np.zeros(shape)
    share.flat[:runs] = 1.0
    return cell(np.full(shape, 0.5), failures=share)


def test_failed_runs_are_counted_in_the_papers_own_design_too() -> None:
    kfold = {"split": {"kind": "kfold", "folds": 4}, "seeds": 3}
    paper = Invented(design=Design(**kfold))
    one = claim("f = failures(x, over=observed)", "f == 0", "f <= 1")

    def judged(own: int, others: int):
        found = evidence({"x": failing(own, (1, 4, 3))}, paper)
        for cells in found.cells.values():
            cells.append(failing(others, (5, 4, 1)))
        (entry,) = judge_all([one], found)
        return entry

    entry = judged(own=0, others=1)
    assert entry.judged.verdict is ClaimVerdict.WEAKER
    assert entry.judged.why == "reproduced in the paper's own design"
    assert [other.reading for other in entry.others] == ["the paper's own design"]
    assert judged(own=1, others=0).judged.why == "weaker in the paper's own design"
    only = evidence({"x": failing(1, (1, 4, 3))}, paper)
    (entry,) = judge_all([one], only)
    assert (entry.judged.why, entry.others) == ("", [])
