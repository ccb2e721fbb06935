"""The best of a data set: pair by pair, over the runs that both methods have."""

from dataclasses import replace
from pathlib import Path

import pytest
from parts import A, B, paper_of, results_of, row
from scipy import stats as scipy_stats

from boostbench.papers.metrics import ERROR, R2
from boostbench.report.document.main_tables import detail, overview
from boostbench.report.document.table import Item
from boostbench.report.verdicts.winners import is_separate

FOUR = [[0.50], [0.52], [0.54], [0.56]]


def found(cells, **given) -> dict[str, str]:
    results = results_of({("d", name): own for name, own in cells.items()}, **given)
    standing = results.standings
    if not results.best:
        return {}
    near = standing[~is_separate(standing)]
    return {s.method: "best" if s.is_best else "close" for s in near.itertuples()}


def shifted(by: float, noise: float = 0.0):
    signs = (1, -1, 1, -1)
    return [[f[0] - by + s * noise] for f, s in zip(FOUR, signs, strict=True)]


@pytest.mark.parametrize(
    ("cells", "standing"),
    [
        (
            {"a": FOUR, "b": shifted(0.1, 0.001), "c": shifted(0.01, 0.05)},
            {"a": "best", "c": "close"},
        ),
        # Equal as they are written, and yet not equal.
        (
            {"a": shifted(0.0004, 0.001), "b": FOUR, "c": shifted(0.1)},
            {"b": "best", "a": "close"},
        ),
        # Equal but for the last bits of a sum.
        (
            {"a": FOUR, "b": shifted(1e-14, 0.001), "c": shifted(0.1)},
            {"a": "best", "b": "best"},
        ),
        ({"a": FOUR}, {}),
        ({"a": FOUR, "b": [[None]] * 4}, {}),
        # Nothing compares a with b.
        ({"a": [[0.5], [None]], "b": [[None], [0.6]], "c": [[0.4], [0.4]]}, {}),
        # One fold separates nothing.
        ({"a": [[0.9, 0.8]], "b": [[0.1, 0.2]]}, {"a": "best", "b": "close"}),
    ],
)
def test_the_best_and_close_methods(cells, standing) -> None:
    assert found(cells) == standing


def test_a_method_that_failed_on_the_harder_split_is_not_the_best() -> None:
    cells = {"cw": [[0.1], [0.5]], "multiboost": [[0.2], [None]]}
    assert found(cells, metric=ERROR) == {"cw": "best", "multiboost": "close"}


def test_the_test_is_the_corrected_one() -> None:
    # Differences of the fold means of A and B: p is .085 corrected, .0301 (less than .05) not.
    assert found({"a": A, "b": B}) == {"a": "best", "b": "close"}
    assert scipy_stats.ttest_1samp([0.03, 0.02, 0.04, 0.01], 0).pvalue < 0.05


def test_holm_is_over_the_row() -> None:
    # A single p is .0297; among four it is adjusted to four times that.
    gaps = [0.03 * (1 + sign * 0.29) for sign in (1, -1, 1, -1)]
    t = 0.03 / ((1 / 4 + 1 / 3) * 4 / 3 * (0.03 * 0.29) ** 2) ** 0.5
    assert 2 * scipy_stats.t.sf(t, 3) == pytest.approx(0.0297, abs=1e-4)
    best, worse = [[0.5]] * 4, [[0.5 - gap] for gap in gaps]
    assert found({"a": best, "b": worse}) == {"a": "best"}
    several = found({"a": best, "b": worse, "c": worse, "d": worse, "e": worse})
    assert several == {"a": "best", **dict.fromkeys("bcde", "close")}


def test_the_overview_marks_the_best_unless_it_has_verdicts(tmp_path: Path) -> None:
    cells = {("d", "a"): FOUR, ("d", "b"): shifted(0.01, 0.05)}
    _, best, other = overview(results_of(cells)).rows[0]
    assert best == Item("0.530 ± 0.0258", "*", meaning="best", runs=("d", "a"))
    assert (other.mark, other.meaning) == ("", "")
    assert "*: the highest mean" in overview(results_of(cells)).legend
    assert "*" not in overview(results_of({("d", "a"): FOUR})).legend
    paper = paper_of(tmp_path, [row(method="a"), row(method="b")])
    _, first, _ = overview(results_of(cells, paper)).rows[0]
    assert (first.mark, first.meaning) == ("≠", "differs")


def test_names_equal_to_a_column_replace_no_column() -> None:
    results = results_of({("d", "Data set"): A}, metric=replace(R2, label="Iterations"))
    made = detail(results, results.methods[0])
    shown = zip(made.grouped_header, made.texts[0], strict=True)
    assert [text for header, text in shown if header == "Measured: Iterations"] == ["0.805"]
    assert overview(results).header == ["Data set", "Data set"]
    assert overview(results).texts == [["d", "0.805 ± 0.0329"]]
