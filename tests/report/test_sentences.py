"""The sentences of reports as text: what is said, in singular and plural, and where it ends."""

from dataclasses import replace

import pytest

from boostbench.papers import get_paper
from boostbench.papers.claims import read_claims
from boostbench.papers.judge import ClaimVerdict, JudgedReading
from boostbench.papers.metrics import ERROR, R2, RMSE
from boostbench.report.frames.cell import CellVerdict, RunsToDecide
from boostbench.report.sentences import (
    assertions,
    beside_print,
    captions,
    caveats,
    findings,
    guide,
    introduction,
    legends,
    variants,
)
from boostbench.report.sentences.caveats import Caveats
from boostbench.report.sentences.findings import ApartAlone, BestOn, WithoutScore

SRT = get_paper("srt")


def test_the_introduction_says_what_was_run_and_whether_all_has_finished() -> None:
    about = introduction.methods_on_datasets(1, 2)
    assert introduction.introduction(about, "5 folds × 20 seeds", 1200, 1200) == (
        "1 method on 2 data sets: 5 folds × 20 seeds, 1,200 runs, all finished."
    )
    assert introduction.introduction(about, "", 1, 0) == (
        "1 method on 2 data sets: 1 run, 0 finished."
    )


def test_what_is_measured_again_is_a_table_or_a_figure_of_the_paper() -> None:
    assert introduction.measured_again(SRT, "2", 1) == (
        "Table 2 of Consolo, Amaldi and Manno (2026), measured again: 1 data set,"
    )
    paper = replace(SRT, figures=["Figure 9"])
    assert introduction.measured_again(paper, "Figure 9", 3).startswith("Figure 9 of Consolo")


def test_what_is_missing_of_a_plan() -> None:
    assert introduction.runs_without_result({"timeout": 1200, "pending": 1}) == (
        "1,201 runs without a result: 1,200 timeout and 1 pending."
    )
    assert introduction.no_data(["iris", "wine"], "not found\n  at host") == (
        "No data for iris and wine: not found at host."
    )
    assert introduction.not_loaded(["a", "b", "c"]).endswith("among these runs: a, b and c.")
    assert introduction.only_a_shard("1/4").startswith("Shard 1/4 of the plan: ")
    assert introduction.changed_since(["x", "y"]) == "Changed since: x; y."


def test_the_source_has_only_what_is_known_of_a_paper() -> None:
    unknown = dict.fromkeys(("journal", "doi", "arxiv", "version_read"), "")
    bare = replace(SRT, authors="A. Nonymous", title="Trees", **unknown)
    assert introduction.source(bare, []) == "After A. Nonymous: Trees."
    cited = replace(bare, journal="Journal 1 (2020)", doi="10.1/2", arxiv="3", version_read="v2")
    assert introduction.source(cited, ["2", "G.9"]) == (
        "Measured against Table 2 and G.9 of A. Nonymous: Trees. Journal 1 (2020). doi:10.1/2 "
        "arXiv:3 (read: v2)"
    )


def test_verdicts_are_counted_in_singular_and_plural() -> None:
    assert findings.verdicts_on_cells({"agrees": 1, "differs": 2, "undecided": 1}) == (
        "Of 4 printed cells 1 agrees, 2 differ and 1 is undecided."
    )
    assert findings.verdicts_on_claims({"not reproduced": 1}) == (
        "Of 1 claim judged 1 is not reproduced."
    )
    assert (
        findings.verdicts_on_claims({"weaker": 2000}) == "Of 2,000 claims judged 2,000 are weaker."
    )


def test_averages_lie_near_print_or_further_from_it() -> None:
    near, far = ["A 0.9 (printed 0.9)"], ["B 0.5 (printed 0.8)", "C 0.1 (printed 0.8)"]
    assert findings.averages_beside_print(near, far, R2) == (
        "1 of 3 averages lies within 0.01 of print: A 0.9 (printed 0.9). Further from print: B 0.5 "
        "(printed 0.8) and C 0.1 (printed 0.8)."
    )
    assert findings.averages_beside_print([], near, R2) == (
        "Further from print: A 0.9 (printed 0.9)."
    )
    assert findings.averages_beside_print(far, [], R2).startswith("2 of 2 averages lie within ")


def test_few_data_sets_are_named_and_many_are_counted() -> None:
    iris = BestOn("iris", ["A", "B"], "3.0 %", is_compared=True)
    wine = BestOn("wine", ["A"], "5.0 %", is_compared=True)
    only = BestOn("mine", ["A"], "7.0 %", is_compared=False)
    assert findings.best_methods([iris, wine, only], {"A": 3, "B": 1}, ERROR) == (
        "A and B are best on iris, error 3.0 %; A is best on wine, error 5.0 %; A has a mean test "
        "error of 7.0 % on mine."
    )
    four = [iris, wine, only, only]
    assert findings.best_methods(four, {"A": 4, "B": 1, "C": 1}, ERROR) == (
        "A is best on 4 of 4 data sets, B on 1 and C on 1."
    )
    assert findings.best_methods(four, {"A": 4}, ERROR) == "A is best on 4 of 4 data sets."


def test_how_sure_the_best_method_is() -> None:
    sure = findings.how_sure({"sure": ["a", "b", "c"], "not sure": ["d", "e", "f", "g"]})
    assert sure.startswith("That is sure on a, b and c and not sure on 4 data sets: a test of fold")
    assert findings.no_best_method("score").endswith("two of them have no score in common.")
    assert findings.nothing_compared("finished run").endswith("one method has finished runs there.")


def test_an_interval_alone_does_not_decide() -> None:
    one, two = ApartAlone("iris", ["A"], 0.06, 1), ApartAlone("wine", ["A", "B"], 0.25, 3)
    assert findings.apart_alone([one, two]) == (
        "By itself the 95 % interval of the difference excludes 0 for A on iris (the adjusted p is "
        "0.06, of 1 comparison) and A and B on wine (the least adjusted p is 0.25, of 3 "
        "comparisons), but not after Holm's correction for all that are compared with the best: "
        "the adjusted p decides."
    )
    assert findings.apart_alone([one] * 3).startswith("By itself the 95 % interval ")
    assert findings.apart_alone([one] * 4).startswith("On 4 data sets a method's 95 % interval ")


def test_runs_without_a_score() -> None:
    group = WithoutScore("iris", ["A", "B"], "in fold 1: no\nclass 2", "4 of 5 folds")
    assert findings.without_score(group) == (
        "A and B on iris: in fold 1: no class 2; the mean is over 4 of 5 folds."
    )
    assert findings.without_score(replace(group, fewer="")).endswith("no class 2.")
    assert findings.no_scores(R2) == "The runs that have finished have no test R²."
    assert findings.more_without_score(1).startswith("Runs without a score are also in 1 other gr")


def test_orders_that_one_or_two_data_sets_reverse() -> None:
    few = findings.fragile_orders(3, ["A before B without iris"], 1, 0)
    assert few == (
        "Of 3 orders of two methods by their means, 1 reverses without one data set (A before B "
        "without iris), 1 more without two."
    )
    many = findings.fragile_orders(40, ["A before B without iris"] * 13, 0, 0)
    assert "13 reverse without one data set, 0 more" in many
    assert findings.fragile_orders(1, [], 1, 0) == (
        "Of 1 order of two methods by their means, 0 reverse without one data set, 1 more without "
        "two."
    )
    assert findings.fragile_orders(3, [], 0, 1).endswith(
        "none reverses without one or two data sets."
    )
    assert findings.fragile_orders(3, [], 0, 0).startswith("No order of two methods")
    assert findings.orders_not_tried(1, 5) == (
        "Not tried: 1 pair of methods with fewer than 5 data sets in common."
    )


def test_verdicts_that_are_probably_wrong() -> None:
    assert findings.probably_wrong(1500, 1.2, 0.4).startswith(
        "Of 1,500 verdicts that decide, about 1 is too favourable and 0 too strict, "
    )
    assert "about 2 are too favourable" in findings.probably_wrong(9, 1.8, 0.0)


def test_the_difference_of_a_cell_has_a_direction_unless_it_rounds_to_nothing() -> None:
    assert beside_print.differs_by(0.02, R2) == "is 0.020 higher than the printed one."
    assert beside_print.differs_by(-0.02, R2) == "is 0.020 lower than the printed one."
    assert beside_print.differs_by(0.0004, R2).startswith("equals the printed one")
    assert beside_print.mean_of_runs(80, 0, R2, beside_print.is_mean(0.5, R2)) == (
        "The mean of 80 runs is 0.500."
    )
    assert beside_print.mean_of_runs(1, 3, R2, "is 0.500.") == (
        f"The mean of 1 run, without 3 with {R2.exploded_label} as in print, is 0.500."
    )


@pytest.mark.parametrize(
    ("verdict", "end"),
    [
        ("agrees", "lies inside the margin of ±0.010."),
        ("differs", "lies wholly outside the margin of ±0.010."),
        (
            "undecided",
            "reaches over the margin of ±0.010: these runs decide neither way; 7 partitions would "
            "decide.",
        ),
    ],
)
def test_the_interval_lies_beside_the_margin_as_the_verdict_says(verdict: str, end: str) -> None:
    text = beside_print.interval_beside_margin(
        -0.01, 0.02, 0.01, R2, CellVerdict(verdict), RunsToDecide(7, by_partitions=True)
    )
    assert text == f"The 90 % interval of the difference, −0.010 to +0.020, {end}"


def test_no_number_of_runs_may_be_known_to_decide() -> None:
    text = beside_print.interval_beside_margin(-0.01, 0.02, 0.01, R2, "undecided", None)
    assert text.endswith("these runs decide neither way.")


def test_runs_without_result_are_counted_with_their_reasons() -> None:
    missing = [("timeout", "over the\nlimit", 2), ("pending", "", 1)]
    assert beside_print.without_result(1200, 1197, missing) == (
        "3 runs of 1,200 without a result: 2 timeout (over the limit) and 1 pending."
    )


def test_exploded_runs_of_a_cell() -> None:
    assert beside_print.exploded(2, 80, 0.75, R2) == (
        f"2 runs of 80 have {R2.exploded_label}. Without these the mean is 0.750."
    )
    assert beside_print.exploded(1, 1, None, R2) == f"1 run of 1 have {R2.exploded_label}."


def test_other_results_that_decide_are_linked_where_they_have_a_page() -> None:
    text = beside_print.decided_by_partitions(9, 4, "d3_partitions", "")
    assert text == (
        "Of the 9, the several partitions of `d3_partitions` decide 4: `boostbench report "
        "d3_partitions` shows them."
    )
    page = "../d3_partitions/table.html"
    assert f"decide 4: [their page]({page}) shows them." in (
        beside_print.decided_by_partitions(9, 4, "d3_partitions", page)
    )


def test_agreement_with_a_column_has_only_what_is_known() -> None:
    column = beside_print.ColumnAgreement(3, 4, 0.02, -0.01, 0.5)
    assert beside_print.agreement("SRT", column, R2) == (
        "SRT: 3 of 4 cells within one printed sd, mean distance 0.020, average −0.010, sds ×0.5 "
        "the printed ones."
    )
    column = beside_print.ColumnAgreement(3, 4, 0.02, -0.01, None)
    assert beside_print.agreement("SRT", column, replace(R2, averages=())) == (
        "SRT: 3 of 4 cells within one printed sd."
    )


def test_cells_that_differ_are_a_title() -> None:
    assert beside_print.differing_cells([], 0) == "No cell differs"
    assert beside_print.differing_cells(["iris"], 1) == "1 cell differs, on iris"
    assert beside_print.differing_cells(["iris", "wine"], 3) == "3 cells differ, on iris and wine"


def test_the_legend_of_means_follows_what_is_shown() -> None:
    plain = legends.means(R2, last_iteration=False, beside_print=False, marks_best=True)
    assert plain == (
        "Mean test R² ± sd over all runs; *: the highest mean of the data set, pair by pair over "
        "the runs that both methods have."
    )
    printed = legends.means(ERROR, last_iteration=True, beside_print=True, marks_best=False)
    assert printed == (
        "Mean test error in percent over all runs, with the model of the last iteration, printed "
        "in parentheses."
    )


def test_only_some_scores_can_explode() -> None:
    left_out = "or more than a tenth of the printed runs are left out"
    assert left_out in legends.verdict_signs(R2)
    assert "a margin of 0.01 or 25 % of the printed sd, whichever" in legends.verdict_signs(R2)
    assert left_out not in legends.verdict_signs(ERROR)
    assert legends.not_comparable([], "other rows") == (
        "Not comparable with the printed values: other rows."
    )
    assert legends.not_comparable(["a", "b"], "other rows").endswith("of a and b: other rows.")


def test_common_averages_name_their_data_sets_unless_these_are_all() -> None:
    assert "methods have; only these" in legends.common_averages([])
    assert "methods have, on a, b; only these" in legends.common_averages(["a", "b"])


def test_a_printed_table_says_what_it_lacks() -> None:
    here = legends.datasets_run(3, 15)
    assert here == "Run here: 3 of the table's 15 data sets."
    assert legends.datasets_run(15, 15) == ""
    assert legends.printed_table(["a", "b"], ["ORRT"], ["A remark."], here) == (
        "Measured, printed in parentheses; marks and brackets as in the first table. As in the "
        "paper, the averages leave out a, b. Not run here: ORRT. A remark. Run here: 3 of the "
        "table's 15 data sets."
    )
    assert legends.printed_table([], [], [], "").endswith("as in the first table.")
    assert legends.improvements("Test R²", "").endswith("on one processor.")
    assert legends.improvements("Test R²", here).endswith("15 data sets.")


def test_the_legend_of_pairs_explains_ratios_only_where_there_are_means_over_data_sets() -> None:
    averaged = legends.pairs(ERROR, 5, [], Caveats(), is_adjusted=True)
    assert "(below 1 it favours the method on the left)" in averaged
    assert "p, adjusted over pairs: by Holm for all pairs of methods of this table" in averaged
    alone = legends.pairs(R2, 5, [], Caveats(), is_adjusted=False)
    assert "favours" not in alone
    assert "adjusted over" not in alone
    geometric = legends.pairs(
        replace(RMSE, averages=("geometric",)),
        5,
        ["iris"],
        Caveats(one_split=["a"], same_test_rows=["b"]),
        is_adjusted=True,
    )
    assert "Fieller" not in geometric
    assert geometric.endswith(
        "no finished run in common: iris. On a methods are compared on one split, which decides "
        "nothing: a difference may be chance. On b several training sets have one test set: "
        "methods are compared on these test rows only."
    )


def test_mean_ranks_say_which_data_sets_they_lack() -> None:
    whole = legends.mean_ranks(9, 12.345, 0.0123, 1.5, [])
    assert whole.startswith(
        "Friedman's test over 9 data sets: χ² = 12.35, p = 0.012. Nemenyi's critical difference at "
        "5 % is 1.50; "
    )
    assert whole.endswith("that all methods have.")
    some = legends.mean_ranks(9, 12.345, 0.0123, 1.5, ["a", "b"])
    assert some.endswith("that all methods have. Not all methods have runs of a, b.")


def test_standings_say_where_they_are_of_these_test_rows_only() -> None:
    several = legends.standings(Caveats(), is_adjusted=True)
    assert "by itself, not cut. p: of the" in several
    assert "p, adjusted over methods: by Holm for all methods that are compared with the" in several
    assert "adjusted" not in legends.standings(Caveats(), is_adjusted=False)
    assert "by itself, not cut (on a: on these test rows). p: of the" in legends.standings(
        Caveats(same_test_rows=["a"]), is_adjusted=False
    )
    assert caveats.one_split(["a", "b", "c", "d"]).startswith("On 4 data sets methods are ")


def test_captions_explain_common_scores_and_the_lines_drawn() -> None:
    assert captions.single_runs(R2, 20, printed=True).startswith("R² is the share of ")
    assert captions.single_runs(ERROR, 500, printed=False).endswith(
        "single runs; line: their mean."
    )
    assert captions.single_runs(RMSE, 20, printed=True) == (
        "Pale dots: single runs; line: their mean; ochre line: the mean printed in the paper."
    )
    assert captions.best_on("iris", "SRT", "3.0 %", is_compared=True) == "iris: SRT is best, 3.0 %"
    assert captions.best_on("iris", "SRT", "3.0 %", is_compared=False) == "iris: SRT, 3.0 %"
    assert captions.best_mean("SRT", "0.9", R2) == "SRT has the highest mean test R², 0.9"
    assert captions.best_mean("SRT", "9.0", ERROR) == "SRT has the lowest mean test error, 9.0"
    assert captions.means(ERROR, 1, printed=False, leaves_out=False).startswith(
        "Mean test error, % over the 1 data set that all methods have; bar: 95 % interval for "
        "other rows of the same kind. A method"
    )


def test_a_choice_made_on_the_other_data_sets() -> None:
    instead = ["SRT (a)", "SRT (b)"]
    text = variants.chosen_on_the_others("SRT", 3, 5, instead, "0.02", "0.03", ["mu", "clip"])
    assert text == (
        "SRT: of the settings below without mu and clip, of which the paper says something, one "
        "changed at a time, the nearest to print on the other 4 data sets is the registered one on "
        "3 of 5, else SRT (a) and SRT (b); the means so chosen are 0.02 from print on average, the "
        "registered ones 0.03."
    )
    of_all = variants.chosen_on_the_others("SRT", 5, 5, [], "0", "0", [])
    assert of_all.startswith("SRT: of the settings below, one changed")
    assert "on 5 of 5; the means" in of_all


def test_a_claim_in_full() -> None:
    claim = replace(
        read_claims(SRT)[0],
        id="c1",
        where="page 3",
        text="Trees\nwin",
        stated="3 of 5",
        reproduced_if="n > 2",
        weaker_if="",
        not_reproduced_if="n = 0",
        note="",
    )
    judged = JudgedReading(
        claim,
        "by means",
        ClaimVerdict.WEAKER,
        why="one is open",
        shown=[None],
        datasets=["a"],
        missing=["b", "c"],
        runs=1200,
    )
    other = JudgedReading(claim, "by medians", ClaimVerdict.NOT_JUDGED, why="too few")
    readings = [assertions.Reading(judged, "◐", "n: 2"), assertions.Reading(other, "", "")]
    assert list(assertions.claim_in_full(claim, readings, ["wins()"], [], "4 (agrees)")) == [
        "c1: by means weaker, by medians not judged",
        "page 3: “Trees win”",
        "  stated: 3 of 5",
        "  figures: wins()",
        "  reproduced if: n > 2",
        "  not reproduced if: n = 0",
        "  the paper's own tables: 4 (agrees)",
        "by means: ◐ weaker",
        "  n: 2",
        "  on 1 of 3 data sets (without b, c), 1,200 runs per method",
        "  one is open",
        "by medians: not judged",
        "  too few",
    ]
    whole = assertions.Reading(replace(judged, missing=[]), "◐", "n: 2")
    assert "  on 1 data set, 1,200 runs per method" in (
        list(assertions.claim_in_full(claim, [whole], [], [], ""))
    )


def test_claims_with_a_verdict_are_a_title() -> None:
    assert (
        assertions.claims_with_verdict(1, 9, "not reproduced") == "1 of 9 claims is not reproduced"
    )
    assert assertions.claims_with_verdict(2, 9, "undecided") == "2 of 9 claims are undecided"
    assert assertions.judged_of_all(9, 1200) == (
        "The paper makes 1,200 claims; 9 can be judged on these runs."
    )
    assert assertions.measured_and_stated("2", "") == "measured 2"
    assert assertions.measured_and_stated("2", "3") == "measured 2, stated 3"


def test_the_guide_names_methods_without_a_clock_and_all_processors() -> None:
    assert guide.times_by_own_clock([]).endswith("putting the model together.")
    assert guide.times_by_own_clock(["a", "b"]).endswith(
        "together. Of `a`, `b`, without such a clock, it is the wall time of all of `fit`."
    )
    assert guide.several_processors(["x", "y"]).startswith(
        "The runs were timed on 2 processors: x; y."
    )


def test_an_interval_is_cut_where_a_mean_has_bounds() -> None:
    for metric in (R2, RMSE):
        assert guide.runs_and_intervals(metric).endswith(
            "(corrected resampled t, 95 %), cut at the bounds of possible means; those of "
            "differences are not cut."
        )
    unbounded = guide.runs_and_intervals(replace(RMSE, least=None))
    assert unbounded.endswith("(corrected resampled t, 95 %).")


def test_single_runs_are_counted_in_lines() -> None:
    assert guide.runs_in_lines(1, 1, 1) == "1 single run"
    assert guide.runs_in_lines(2, 2, 1) == "2 single runs in 2 lines"
    assert guide.runs_in_lines(80, 4, 20) == "80 single runs in 4 lines"
    assert guide.runs_outside(1) == "1 run outside"
    assert guide.runs_outside(2) == "2 runs outside"
