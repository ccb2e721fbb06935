import csv
import hashlib
import re
from dataclasses import replace
from pathlib import Path

import pytest
from boosting_parts import ok
from pages import page_of
from report_parts import ok as regression_ok

from boostbench.report.build import build_report
from boostbench.store.types import Outcome

SLOW = [0.8, 0.7, 0.6, 0.5, 0.4, 0.35, 0.3, 0.25, 0.2, 0.2]
FAST = [0.8, 0.4, 0.2, 0.15, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]
FILES = [
    "references.bib",
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
    return {
        p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted(folder.glob("[!.]*"))
    }


def test_files_depend_on_the_results_alone_and_not_on_their_order(make, cells, tmp_path) -> None:
    # Every panel is drawn seven times: those of one data set are enough.
    cells = {key: runs for key, runs in cells.items() if key[0] == "vowel"}
    build_report(make(cells), tmp_path / "a")
    build_report(make(cells, reverse=True), tmp_path / "b")
    files = digests(tmp_path / "a")
    assert sorted(name for name in files if not name.startswith("table-")) == FILES
    assert files == digests(tmp_path / "b")
    build_report(make({**cells, ("vowel", "multiboost_cw"): [ok(FAST), ok(SLOW)]}), tmp_path / "c")
    same = set(files.items()) & set(digests(tmp_path / "c").items())
    same_names = {name for name, _ in same if not name.startswith("table-")}
    assert same_names == {"references.bib", "small-times.csv"}


def test_terminal_rows_are_errors_in_percent_with_the_lowest_marked(make, cells, tmp_path) -> None:
    result = build_report(make(cells), tmp_path, ["md"])
    assert list(result.header) == ["Data set", "multiboost_cw", "multiboost", "adaboost_mh"]
    assert [list(row) for row in result.rows] == [
        ["vowel", "10.00 ± 0 *", "20.00 ± 0", "– [1 pending, 1 timeout]"],
        ["usps", "11.00 ± 1.41 *", "10.00 * [1/2]", "– [2 skipped]"],
        ["Arithmetic mean", "10.50", "15.00", "– [no finished run]"],
        # Without the second split of usps, of which multiboost has no run.
        ["Arithmetic mean of common runs, 2 data sets", "10.00", "15.00", "– [no finished run]"],
    ]
    assert result.averages == 2
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
    names = {name for name in digests(tmp_path / "out") if not name.startswith("table-")}
    # Without learning curves the means are drawn.
    means = {f"figure.{kind}" for kind in ("png", "svg", "pdf")}
    assert names == (set(FILES) if kind == "one run" else {FILES[0], *FILES[-4:], *means})
    for name in FILES[-4:]:
        text = (tmp_path / "out" / name).read_text(encoding="utf-8")
        assert not re.search(r"\b(nan|inf)\b", text)
        assert name == "table.html" or "None" not in text


def test_names_of_users_are_safe_in_files_and_pages(make, tmp_path) -> None:
    cells = {(NASTY, "a"): [ok(FAST)], (NASTY, NASTY): [ok(SLOW)]}
    build_report(make(cells, name="table", title=NASTY, description=NASTY), tmp_path / "out")
    assert {"figure_table.png", "figure_table-curves.csv"} <= set(digests(tmp_path / "out"))
    html = (tmp_path / "out" / "table.html").read_text(encoding="utf-8")
    assert html.count("<script") == html.count("</script") == 2
    assert "script&gt;" in html
    assert "100\\% of \\$5\\_a" in (tmp_path / "out" / "table.tex").read_text(encoding="utf-8")


def test_html_shows_every_panel_with_ids_of_its_own(make, cells, tmp_path) -> None:
    build_report(make(cells), tmp_path, ["html"])
    html = (tmp_path / "table.html").read_text(encoding="utf-8")
    assert html.count("<figure role") == 6 + 1
    assert "vowel: solver time against iterations" in html
    ids = re.findall(r'\bid="([^"]+)"', html)
    assert len(ids) == len(set(ids))
    assert "/somewhere" not in html


def test_a_plan_of_regression_still_has_its_own_report(make_store, tmp_path) -> None:
    build_report(make_store({("yacht", "srt"): [regression_ok(0.9)]}), tmp_path, ["md"])
    assert "R²" in (tmp_path / "table.md").read_text(encoding="utf-8")


def test_times_are_the_methods_own_and_the_wall_time_of_those_without_a_clock(
    make,
) -> None:
    run = ok(FAST, 0.25)
    cells = {
        ("vowel", "clocked"): [replace(run, times={"fit_s": 77.0})],
        ("vowel", "bare"): [replace(run, times={"fit_s": 88.0}, time_curve=None)],
    }
    page = page_of(make(cells))
    assert page.column("clocked", "Time, s") == ["2.50"]
    assert page.column("bare", "Time, s") == ["88.0"]
    assert "own clock" in page.text
    assert "Of `bare`, without such a clock, it is the wall time of all of `fit`." in page.text


def test_no_mean_objective_of_runs_that_chose_differently(make) -> None:
    cells = {
        ("vowel", "multiboost_cw"): [ok(FAST, chosen_C=1e4), ok(FAST, chosen_C=100)],
        ("usps", "multiboost_cw"): [ok(FAST, chosen_C=100), ok(FAST, chosen_C=100)],
        ("vowel", "multiboost"): [ok(FAST), ok(FAST)],
    }
    page = page_of(make(cells))
    assert page.column("multiboost_cw", "Objective") == ["–", "10.00", ""]
    assert page.column("multiboost", "Objective") == ["10.00", "", ""]
    assert "No mean objective (–)" in page.section("multiboost_cw")
    assert "No mean objective (–)" not in page.section("multiboost")
    assert (
        "With an equal C, `multiboost_cw` and `multiboost` minimise the same function" in page.text
    )
    assert "each method chooses its own C on every split" in page.text


def test_bold_marks_the_lowest_and_no_mean(make, cells) -> None:
    page = page_of(make(cells))
    means = next(
        line for line in page.section("Test error, %").splitlines() if "Arithmetic mean" in line
    )
    assert means.split("|")[1].strip() == "**Arithmetic mean**"
    assert "**" not in means.split("|", 2)[2]
    assert "**10.00 ± 0** \\*" in page.text


@pytest.mark.parametrize(
    ("division", "here"),
    [
        ({"splits": {"n": 2, "test_size": 0.2}}, "500 per class, split 80/20"),
        ({"splits": None, "folds": 4}, "500 per class, in 4 folds"),
    ],
)
def test_which_rows_of_mnist_are_used_is_in_the_protocol(make, division, here) -> None:
    datasets = [
        {"name": "digits", "card": "mnist", "per_class": 500},
        {"name": "usps", "card": "usps"},
    ]
    cells = {("digits", "a"): [ok(FAST)], ("usps", "a"): [ok(FAST)]}
    page = page_of(make(cells, datasets=datasets, **division))
    rows = {
        row[""]: (row["Paper"], row["Here"])
        for row in page.rows("The paper's protocol and this one")
    }
    there = "1,000 rows per class of the first 60,000 rows for training, all after row 60,000 for "
    there += "the test"
    assert rows["Rows of digits"] == (there, here)
    assert "Rows of usps" not in rows
    share = {"splits": "0.2", "folds": "0.25"}["splits" if division["splits"] else "folds"]
    assert rows["Share of test rows"] == ("0.25", share)
    assert "The paper trains on 1,000 digits per class of MNIST" in page.text
