import csv
import hashlib
import re
from pathlib import Path

import pytest
from boosting_parts import fill, ok
from report_parts import ok as regression_ok

from boostbench.report.build import build_report
from boostbench.report.classification.claimtable import claim_tables
from boostbench.report.classification.curves import curves
from boostbench.report.classification.runs import load_results
from boostbench.report.classification.stats import summarise
from boostbench.report.page import Item
from boostbench.store.database import Store
from boostbench.store.types import Outcome

SLOW = [0.8, 0.7, 0.6, 0.5, 0.4, 0.35, 0.3, 0.25, 0.2, 0.2]
FAST = [0.8, 0.4, 0.2, 0.15, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]
FILES = [
    "small-curves.csv",
    "small-times.csv",
    "small.pdf",
    "small.png",
    "small.svg",
    "table.csv",
    "table.html",
    "table.md",
    "table.tex",
]
NASTY = "<script>alert('x')</script> & 100% of $5_a | [b](c) `d` \\"


@pytest.fixture
def make(tmp_path: Path):
    made = []

    def new(*args, **kwargs) -> Store:
        store = Store.open(tmp_path / f"store{len(made)}", create=True)
        made.append(store)
        return fill(store, *args, **kwargs)

    yield new
    for store in made:
        store.close()


@pytest.fixture
def cells():
    return {
        ("vowel", "multiboost_cw"): [ok(FAST, chosen_C=1e4), ok(FAST, chosen_C=100)],
        ("vowel", "multiboost"): [ok(SLOW, 0.1), ok(SLOW, 0.1)],
        ("vowel", "adaboost_mh"): [None, Outcome("timeout", "over the limit of 10 s")],
        ("usps", "multiboost_cw"): [ok(FAST), ok([*FAST[:-1], 0.12])],
        ("usps", "multiboost"): [ok(FAST, 0.1), Outcome("killed", "by SIGKILL")],
        ("usps", "adaboost_mh"): [Outcome("skipped", "not today")] * 2,
    }


def digests(folder: Path) -> dict[str, str]:
    return {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted(folder.iterdir())}


def test_files_depend_on_the_results_alone_and_not_on_their_order(make, cells, tmp_path) -> None:
    build_report(make(cells), tmp_path / "a")
    build_report(make(cells, reverse=True), tmp_path / "b")
    files = digests(tmp_path / "a")
    assert sorted(files) == FILES
    assert files == digests(tmp_path / "b")
    build_report(make({**cells, ("vowel", "multiboost_cw"): [ok(FAST), ok(SLOW)]}), tmp_path / "c")
    same = set(files.items()) & set(digests(tmp_path / "c").items())
    assert {name for name, _ in same} == {"small-times.csv"}


def test_terminal_rows_are_errors_in_percent_with_the_lowest_marked(make, cells, tmp_path) -> None:
    result = build_report(make(cells), tmp_path, ["md"])
    assert list(result.header) == ["Data set", "multiboost_cw", "multiboost", "adaboost_mh"]
    assert [list(row) for row in result.rows] == [
        ["vowel", "10.00 ± 0.00 *", "20.00 ± 0.00", "– [1 pending, 1 timeout]"],
        ["usps", "11.00 ± 1.41", "10.00 * [1/2]", "– [2 skipped]"],
        ["Arithmetic mean", "10.50", "15.00", "– [no finished run]"],
    ]
    assert result.averages == 1
    assert "R²" not in (tmp_path / "table.md").read_text(encoding="utf-8")


def test_csv_has_shares_seconds_and_what_was_chosen(make, cells, tmp_path) -> None:
    build_report(make(cells), tmp_path, ["csv"])
    with (tmp_path / "table.csv").open(encoding="utf-8", newline="") as file:
        rows = {(row["dataset"], row["method"]): row for row in csv.DictReader(file)}
    cell = rows["vowel", "multiboost_cw"]
    assert (cell["error_mean"], cell["planned"], cell["finished"]) == ("0.1", "2", "2")
    assert cell["chosen"] == '{"C": {"100": 1, "10000": 1}}'
    assert float(cell["solver_s_mean"]) == pytest.approx(0.05)
    assert rows["usps", "multiboost"]["error_sd"] == ""
    assert rows["usps", "multiboost"]["missing"] == "1 killed: by SIGKILL"


@pytest.mark.parametrize("kind", ["nothing recorded", "one run", "failed only", "no curves"])
def test_any_store_gives_a_report(make, tmp_path, kind: str) -> None:
    plain = Outcome("ok", metrics={"error": 0.25})
    cells = {
        "nothing recorded": {("vowel", "a"): [None, None]},
        "one run": {("vowel", "a"): [ok(FAST)]},
        "failed only": {("vowel", "a"): [Outcome("ok", metrics={}), Outcome("memory", "over")]},
        "no curves": {("vowel", "a"): [plain, plain]},
    }[kind]
    build_report(make(cells, paper="multiboost"), tmp_path / "out")
    names = set(digests(tmp_path / "out"))
    assert names == set(FILES if kind == "one run" else FILES[-4:])
    for name in FILES[-4:]:
        text = (tmp_path / "out" / name).read_text(encoding="utf-8")
        assert not re.search(r"\b(nan|inf)\b", text)
        assert name == "table.html" or "None" not in text


def test_names_of_users_are_safe_in_files_and_pages(make, tmp_path) -> None:
    cells = {(NASTY, "a"): [ok(FAST)], (NASTY, NASTY): [ok(SLOW)]}
    build_report(make(cells, name="table", title=NASTY, description=NASTY), tmp_path / "out")
    assert {"figure_table.png", "figure_table-curves.csv"} <= set(digests(tmp_path / "out"))
    html = (tmp_path / "out" / "table.html").read_text(encoding="utf-8")
    assert "<script" not in html
    assert "script&gt;" in html
    assert "100\\% of \\$5\\_a" in (tmp_path / "out" / "table.tex").read_text(encoding="utf-8")


def test_html_shows_every_panel_with_ids_of_its_own(make, cells, tmp_path) -> None:
    build_report(make(cells), tmp_path, ["html"])
    html = (tmp_path / "table.html").read_text(encoding="utf-8")
    assert html.count("<svg") == 6
    assert "vowel: solver time against iterations" in html
    ids = re.findall(r'\bid="([^"]+)"', html)
    assert len(ids) == len(set(ids))
    assert "/somewhere" not in html


def test_a_plan_of_regression_still_has_its_own_report(make_store, tmp_path) -> None:
    build_report(make_store({("yacht", "srt"): [regression_ok(0.9)]}), tmp_path, ["md"])
    assert "R²" in (tmp_path / "table.md").read_text(encoding="utf-8")


def claims(store: Store) -> dict[str, list[Item]]:
    results = load_results(store)
    tables = claim_tables(summarise(results), curves(results))
    return {row[0].text: list(row[2:]) for table in tables for row in table.rows}


FASTER = "multiboost_cw converges much faster than multiboost (iterations to the same error)"
CHEAPER = "multiboost_cw needs less training time than multiboost by L-BFGS-B"
EARLY = "multiboost_cw has the lower test error at a tenth of the iterations than multiboost"
BEST = "CW or CW-1 has the best test error on most data sets"


def test_claims_follow_what_is_measured(make) -> None:
    params = {name: {"max_iter": 20} for name in ("multiboost_cw", "multiboost")}
    good = {("vowel", "multiboost_cw"): [ok(FAST)], ("vowel", "multiboost"): [ok(SLOW, 0.1)]}
    found = claims(make(good, params))
    # 0.2 is reached after 3 and after 9 iterations; a tenth of 20 is the second.
    assert [(item.text, item.tone) for item in found[FASTER]] == [
        ("holds", "holds"),
        ("× 3", "holds"),
    ]
    assert (found[EARLY][1].text, found[CHEAPER][1].text) == ("−30.00 pp", "× 10")
    bad = {("vowel", "multiboost_cw"): [ok(SLOW, 0.1)], ("vowel", "multiboost"): [ok(FAST)]}
    found = claims(make(bad, params))
    assert {found[name][0].text for name in (FASTER, EARLY, CHEAPER, BEST)} == {"fails"}


def test_a_training_that_has_converged_keeps_its_error_and_one_cut_off_has_none(make) -> None:
    params = {"multiboost_cw": {"max_iter": 90}, "multiboost": {"max_iter": 90}}
    for stop, expected in (("optimal", "−10.00 pp"), ("time", None)):
        cells = {
            ("vowel", "multiboost_cw"): [ok(FAST[:5], stop=stop)],
            ("vowel", "multiboost"): [ok(SLOW)],
        }
        found = claims(make(cells, params))
        assert (found[EARLY][1].text if EARLY in found else None) == expected


def test_most_data_sets_are_enough_where_the_paper_says_most(make) -> None:
    cells = {}
    for number, (mine, theirs) in enumerate([(FAST, SLOW), (FAST, SLOW), (SLOW, FAST)]):
        cells[f"d{number}", "multiboost_cw"] = [ok(mine)]
        cells[f"d{number}", "multiboost"] = [ok(theirs)]
    found = claims(make(cells))
    assert found[BEST][0].text == "holds"
    assert found[FASTER][0].text == "partly"


def test_times_of_multiboost_by_descent_are_no_evidence_and_fewer_iterations_compare(make) -> None:
    cells = {
        ("vowel", "multiboost_cw"): [ok(FAST, 0.1)],
        ("vowel", "multiboost"): [ok(SLOW, 0.001)],
        ("vowel", "lbfgsb"): [ok(SLOW[:5], 0.3)],
    }
    params = {
        "multiboost_cw": {"max_iter": 10},
        "multiboost": {"max_iter": 10, "solver": "fcd"},
        "lbfgsb": {"max_iter": 5, "solver": "lbfgsb"},
    }
    assert CHEAPER not in claims(make(cells, params))
    entries = [{"name": "lbfgsb", "method": "multiboost"}]
    found = claims(make(cells, params, methods=entries))
    assert (found[CHEAPER][1].text, found[CHEAPER][1].tone) == ("× 3", "holds")


def test_claims_on_solvers(make) -> None:
    params = {
        "FCD-1": {"C": 1e4, "max_sweeps": 1},
        "FCD-2": {"C": 1e4, "max_sweeps": 2},
        "LBFGS-B": {"C": 1e4, "solver": "lbfgsb"},
    }
    cells = {
        ("vowel", "FCD-1"): [ok([0.5] * 4, 0.01, [100, 50, 25, 20])],
        ("vowel", "FCD-2"): [ok([0.5] * 4, 0.02, [100, 40, 20, 10.05])],
        ("vowel", "LBFGS-B"): [ok([0.5] * 4, 0.4, [100, 40, 20, 10])],
    }
    entries = [{"name": name, "method": "multiboost_cw"} for name in params]
    found = claims(make(cells, params, methods=entries))
    told = {text: (row[1].text, row[1].tone) for text, row in found.items()}
    assert told == {
        "FCD with τ = 1 is the fastest (solver time of the next to its own)": ("× 2", "holds"),
        "FCD with τ = 2 converges much faster than L-BFGS-B (solver time to the same objective)": (
            "× 20",
            "holds",
        ),
        "FCD with τ = 2 is very accurate (objective above the lowest of all)": ("0.5 %", "holds"),
        "FCD with τ = 2 needs less running time than L-BFGS-B": ("× 20", "holds"),
    }


def test_nothing_is_claimed_without_the_paper_or_finished_runs(make, cells) -> None:
    assert claims(make(cells, paper=None)) == {}
    assert claims(make({("vowel", "multiboost_cw"): [None], ("vowel", "multiboost"): [None]})) == {}
