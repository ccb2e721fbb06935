"""Other methods in a registered one's place: means, distances from print, and verdicts."""

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from parts import data, method, paper_of, results_of, row

from boostbench.report.verdicts.choices import choice_tables, choices, chosen_on_the_others

SRT = "boostbench.trees:SoftRegressionTree"


def steady(mean: float) -> list[list[list[float]]]:
    """Return five partitions whose means are as far apart in every method."""
    return [[[mean + step] * 2] * 4 for step in (-0.002, -0.001, 0.0, 0.001, 0.002)]


def of_two(folder: Path, other: dict[str, float], e: float = 0.7, **params: object):
    """Return results of srt (0.8 and 0.7, as printed) and of another with its own means."""
    cells = {(name, "srt"): steady(mean) for name, mean in (("d", 0.8), ("e", e))}
    cells |= {(name, "other"): steady(mean) for name, mean in other.items()}
    methods = [
        replace(method("srt"), estimator=SRT, params={"max_iter": 10}),
        replace(
            method("other", "srt", {"max_iter": 5}), estimator=SRT, params={"max_iter": 5, **params}
        ),
    ]
    paper = paper_of(
        folder,
        [row("d", mean=0.8, sd=0.02), row("e", mean=0.7, sd=0.02)],
        choices={"max_iter": "by tossing a coin"},
    )
    return results_of(cells, paper, datasets=[data("d"), data("e")], methods=methods)


def test_a_choice_that_is_worse_and_further_from_print(tmp_path: Path) -> None:
    (found,) = choices(of_two(tmp_path, {"d": 0.8, "e": 0.6}))
    assert (found.name, found.values, found.datasets) == ("max_iter", (10, 5), ["d", "e"])
    assert found.better == pytest.approx(-0.05)
    # In all partitions alike.
    assert found.half == pytest.approx(0.0, abs=1e-12)
    assert found.nearer == pytest.approx(-0.05)
    assert dict(found.flips) == {"e": ("agrees", "differs")}


def test_claims_that_would_change_are_named_except_those_on_seconds(tmp_path: Path) -> None:
    results = of_two_with_claims(tmp_path, {"d": 0.8, "e": 0.6})
    slow = results.runs.method == "other"
    (found,) = choices(replace(results, runs=results.runs.assign(fit_s=1.0 + 9.0 * slow)))
    assert found.flips == {"e": ("agrees", "differs"), "S": ("reproduced", "not reproduced")}


def test_claims_are_judged_on_runs_that_both_methods_have(tmp_path) -> None:
    results = of_two_with_claims(tmp_path, {"d": 0.8, "e": 0.6}, e=0.6)
    runs = results.runs
    lost = (runs.method == "other") & (runs.dataset == "e")
    (found,) = choices(replace(results, runs=runs.assign(status=runs.status.mask(lost, "timeout"))))
    assert found.flips == {"S": ("not reproduced", "not judged")}


def of_two_with_claims(tmp_path: Path, *means, **others):
    rows = [
        "S,here,Near print.,d; e,off = off(srt),off > -0.01",
        "T,here,Fast.,d; e,time = seconds(srt),all(time < 2)",
    ]
    header = "id,where,text,data_sets,figures,reproduced_if"
    (tmp_path / "claims.csv").write_text("\n".join([header, *rows]) + "\n")
    return of_two(tmp_path, *means, **others)


def test_a_choice_that_changes_nothing_flips_nothing(tmp_path: Path) -> None:
    (found,) = choices(of_two(tmp_path, {"d": 0.8, "e": 0.7}))
    assert (found.better, found.nearer, dict(found.flips)) == (pytest.approx(0.0), 0.0, {})


def test_the_interval_is_that_of_the_partitions(tmp_path: Path) -> None:
    results = of_two(tmp_path, {"d": 0.8, "e": 0.7})
    runs = results.runs
    own = (runs.method == "other") & (runs.split_seed == 4)
    moved = replace(results, runs=runs.assign(score=runs.score + 0.01 * own))
    (found,) = choices(moved)
    # Five partitions of which one is .01 away, se .002, on two data sets: t(.975; 8) = 2.306.
    assert found.better == pytest.approx(0.002)
    assert found.half == pytest.approx(2.3060 * 0.002 / 2**0.5, rel=1e-3)
    # Data sets need not have as many partitions.
    fewer = moved.runs[~((runs.dataset == "e") & (runs.split_seed == 4))]
    (found,) = choices(replace(results, runs=fewer))
    assert found.better == pytest.approx(0.001)


def test_only_data_sets_that_both_have_whole_count(tmp_path: Path) -> None:
    results = of_two(tmp_path, {"d": 0.8, "e": 0.6})
    runs = results.runs
    lost = (runs.method == "other") & (runs.dataset == "e") & (runs.fold == 0)
    runs = runs.assign(status=runs.status.mask(lost, "timeout"))
    (found,) = choices(replace(results, runs=runs))
    assert (found.datasets, found.better) == (["d"], pytest.approx(0.0))
    table = choice_tables(replace(results, runs=runs))[1][0]
    assert "on 1 of 2 data sets" in " ".join(table.texts[0])
    # Without any, there is nothing to say.
    assert choices(replace(results, runs=runs.assign(status="timeout"))) == []


def test_methods_that_differ_in_more_than_one_parameter_are_no_choice(tmp_path: Path) -> None:
    assert choices(of_two(tmp_path, {"d": 0.8, "e": 0.6}, mu=2.0)) == []


def test_the_table_says_how_the_value_was_chosen(tmp_path: Path) -> None:
    lines, (table, causes) = choice_tables(of_two(tmp_path, {"d": 0.8, "e": 0.6}))
    assert not causes.rows
    text = " ".join(" ".join(cells) for cells in table.texts)
    for note in ("max_iter", "10", "5", "−0.050", "e: agrees → differs", "by tossing a coin"):
        assert note in text
    assert "the registered one on 2 of 2" in lines[0]
    assert len(lines) == 1


def test_settings_of_which_the_paper_says_something_are_left_out_and_counted(tmp_path) -> None:
    results = of_three(tmp_path)
    without, with_all = choice_tables(results)[0]
    assert "below without mu, of which the paper says something" in without
    # The printed mu is nearest to print everywhere.
    assert "registered one on 2 of 2; the means so chosen are 0.100 from" in without
    assert "registered one on 0 of 2, else third; the means so chosen are 0.000" in with_all
    assert with_all.endswith("the registered ones 0.100.")


def of_three(folder: Path):
    """Return results of srt, of another max_iter that is worse, and of another mu as printed."""
    cells = {
        (name, label): steady(mean - away)
        for name, mean in (("d", 0.8), ("e", 0.7))
        for label, away in (("srt", 0.1), ("other", 0.2), ("third", 0.0))
    }
    base = replace(method("srt"), estimator=SRT, params={"max_iter": 10})
    other, third = (
        replace(method(label, "srt", changed), estimator=SRT, params={"max_iter": 10, **changed})
        for label, changed in (("other", {"max_iter": 5}), ("third", {"mu": 2.0}))
    )
    paper = paper_of(
        folder,
        [row("d", mean=0.8, sd=0.02), row("e", mean=0.7, sd=0.02)],
        choices={"max_iter": "by tossing a coin", "mu": "printed (2)"},
    )
    return results_of(cells, paper, datasets=[data("d"), data("e")], methods=[base, other, third])


@pytest.mark.parametrize(("other", "explains"), [(0.7, True), (0.6, False)])
def test_choices_that_explain_a_cell(tmp_path: Path, other: float, explains: bool) -> None:
    (_, causes) = choice_tables(of_two(tmp_path, {"d": 0.8, "e": other}, e=0.6))[1]
    tried = ("max_iter 5 (agrees)", "") if explains else ("none of these", "max_iter 5")
    named = dict(zip(causes.header, causes.texts[0], strict=True))
    assert (named["Data set"], named["Measured − printed"]) == ("e", "−0.100")
    assert (named["Another verdict with"], named.get("Differs with", "")) == tried


def test_registered_methods_are_no_choices(tmp_path: Path) -> None:
    results = of_two(tmp_path, {"d": 0.8, "e": 0.6})
    runs = results.runs[results.runs.method == "srt"]
    alone = replace(results, runs=runs, methods=results.methods[:1])
    assert choice_tables(alone) == ([], [])


def test_the_nearest_method_on_the_others_is_taken() -> None:
    away = pd.DataFrame({"a": [0.0, 0.3, 0.0], "b": [0.1, 0.0, 0.1]}, index=["x", "y", "z"])
    # Without y, a is nearer (0 to .2); without x or z, b is (.1 to .3).
    assert chosen_on_the_others(away) == ["b", "a", "b"]
    assert chosen_on_the_others(away[["a"]]) == ["a"] * 3
