"""The language of claims: accepted syntax, errors with their places, and truths of conditions."""

import numpy as np
import pytest
from claim_cells import SETS, names

from boostbench.papers.conditions import Scope
from boostbench.papers.language import ExpressionError, Role, Unknown, Values


def values(point, low=None, high=None, log=False) -> Values:
    arrays = [
        np.atleast_2d(np.asarray(x, float))
        for x in (point, point if low is None else low, point if high is None else high)
    ]
    return Values(*arrays, log=log)


def ask(text: str, scope: Scope | None = None, any_depth: bool = False, **named: Values):
    """Return whether a condition holds as measured, surely and possibly."""
    scope = scope or Scope(SETS, [(3,)], SETS)
    found = scope.condition(text, named, any_depth)
    return tuple(found)


def test_figures_are_read_with_their_methods_and_options() -> None:
    text = "gap = lead(x, best(y, z), over=mean); steadier(x, y, on=[a, c], without=c)"
    named, shown = names().read(text)
    assert (named.name, named.figure, named.options) == ("gap", "lead", {"over": "mean"})
    assert named.methods == [Role(("x",)), Role(("y", "z"), "best")]
    assert named.roles == ["x", "y", "z"]
    assert (shown.name, shown.options) == ("", {"on": ["a", "c"], "without": ["c"]})
    assert named.text == "gap = lead(x, best(y, z), over=mean)"
    assert named.read_as({"y": "w"}).roles == ["x", "w", "z"]


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("lead(x, yy)", 9, "there is no method 'yy': did you mean 'y'"),
        ("laed(x, y)", 1, "there is no figure 'laed': did you mean 'lead'"),
        ("g = lead(x, y, ovr=mean)", 20, "no option of lead.. 'ovr': did you mean 'over'"),
        ("g = lead(x, y, over=men)", 21, "there is no over= 'men': did you mean 'mean'"),
        ("lead(x, y, on=e)", 15, "there is no data set 'e': choose one of a, b, c, d"),
        ("lead(x)", 1, "lead..: missing a required argument: 'b'"),
        ("rank(x, y); lead(x, y, z)", 13, "lead..: too many positional arguments"),
        ("power(x)", 1, "power..: missing a required argument: 'by'"),
        ("g = lead(x, y); g = lead(y, x)", 17, "two figures are named 'g'"),
        ("x.y(1)", 1, "here must be a figure"),
        ("lead(x, y", 5, "never closed"),
        ("lead(x, worse(y, z))", 9, "no choice of methods 'worse'"),
        ("lead(x, 3)", 9, "here must be a name"),
        ("lead(x, y) + " + "1" * 2000, 2001, "longer than 2,000 characters"),
        ("lead(x, y) + " + "1" * 1987, 1, "here must be a figure"),
        ("lead(x, y) + " + "1" * 1988, 2001, "longer than 2,000 characters"),
    ],
)
def test_a_mistake_in_figures_is_reported_with_its_column(text, column, message) -> None:
    with pytest.raises(ExpressionError, match=f"^column {column}: .*{message}"):
        names().read(text)


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os')", "f.__class__ > 0", "f[0] > 0", "[x for x in f] > 0", "lambda: 1",
        "f > 0 if f else 1", "f is f", "f != 0", "f in f", "f ** 2 > 0", "f + 1 > 0", "1 > 1/0",
        "True > 0", "'a' > 0", "f", "3", "all(f)", "count(f > 0)", "count(f > 0, f > 1) > 0",
        "inf > 0", "f > True", "f > 1 // 2", "count(f > 0, a) > 0",
        "all()", "at_least(2)", "share(all(f > 0)) > f.x", "nothing > 0", "most(f > 0, f > 0)",
        "unlike(f > 0, e) > 0", "at_depth(3, all(f > 0), all(f > 1))",
        "~f > 0", "f > 0 & f", "print(f) > 0", "all(f > 0) > 0", "-f > 0",
        "(" * 60 + "f > 0" + ")" * 60 + " and" + " not" * 50 + " f > 0", "f > 0\x00", "",
        "count(count(f > 0) > 0) > 0", "f > " + "9" * 400, "f > 1e200 * 1e200",
    ],
)  # fmt: skip
def test_syntax_outside_the_language_is_refused(text) -> None:
    with pytest.raises(ExpressionError):
        ask(text, f=values([1.0, 2.0, 3.0, 4.0]))


def test_a_condition_by_data_set_needs_to_say_on_how_many() -> None:
    with pytest.raises(ExpressionError, match="say all"):
        ask("f > 0", f=values([1.0, 2.0, 3.0, 4.0]))
    assert ask("f > 0", f=values([1.0])) == (True, True, True)


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("f > 0", (True, False, True)),
        ("f >= 1", (True, False, True)),
        ("f < 0", (False, False, True)),
        ("f <= 3", (True, True, True)),
        ("f > 3", (False, False, False)),
        ("f == 1", (True, False, True)),
        ("0 < f < 2", (True, False, True)), ("not f > 3", (True, True, True)),
        ("not f > 0", (False, False, True)), ("not f > -2", (False, False, False)),
        ("f > 3 or f < 4", (True, True, True)), ("f > 3 and f < 4", (False, False, False)),
        ("f > 1/2 + 2*2 - 3", (False, False, True)), ("f > -2", (True, True, True)),
    ],
)  # fmt: skip
def test_comparisons_hold_surely_or_possibly_by_the_interval(text, holds) -> None:
    assert ask(text, f=values([1.0], [-1.0], [3.0])) == holds


def test_the_ends_of_bands_belong_to_them_in_spite_of_rounding() -> None:
    third = values([1.1 - 1.0])
    assert ask("f >= 0.1", f=third)[0]
    assert ask("f <= 0.1", f=third)[0]
    assert not ask("f < 0.1", f=values([0.1]))[0]
    assert ask("f == 0.1", f=third)[0]


def test_words_over_data_sets() -> None:
    f = values([1.0, 2.0, -1.0, 3.0])
    for text, holds in (
        ("all(f > 0)", False), ("any(f < 0)", True), ("most(f > 0)", True), ("most(f > 1)", False),
        ("count(f > 0) == 3", True), ("share(f > 0) >= 3/4", True), ("share(f > 0) > 3/4", False),
        ("unlike(f > 0, a, b, d) == 0", True), ("unlike(f > 0, a, c) == 3", True),
        ("at_least(2, all(f > 0), any(f < 0), most(f > 0))", True),
        ("at_least(3, all(f > 0), any(f < 0), most(f > 0))", False),
    ):  # fmt: skip
        assert ask(text, f=f) == (holds,) * 3, text


def test_parts_that_hold_surely_or_possibly_are_counted() -> None:
    sure, open_, never = values([1.0], [0.5], [2.0]), values([1.0], [-1.0], [2.0]), values([-1.0])
    parts = {"f": sure, "g": open_, "h": never}
    text = "at_least({}, f > 0, g > 0, h > 0)"
    assert ask(text.format(1), **parts) == (True, True, True)
    assert ask(text.format(2), **parts) == (True, False, True)
    assert ask(text.format(3), **parts) == (False, False, False)


def test_words_over_depths() -> None:
    scope = Scope(SETS[:2], [(2,), (3,)])
    f = values([[1.0, -1.0], [1.0, 1.0]])
    mean = values([[-1.0], [1.0]])
    for text, any_depth, holds in (
        ("all(f > 0)", False, False),
        ("all(f > 0)", True, True),
        ("every_depth(all(f > 0))", True, False),
        ("some_depth(all(f > 0))", False, True), ("at_depth(3, all(f > 0))", False, True),
        ("at_depth(2, g > 0)", True, False), ("at_depth(1 + 1, g < 0)", False, True),
        ("pairs(f > 0) == 3/4", False, True), ("pairs(f > 0) > 3/4", True, False),
    ):  # fmt: skip
        assert ask(text, scope, any_depth, f=f, g=mean)[0] is holds, text
    for text in ("count(every_depth(f > 0)) == 1", "count(some_depth(f > 0)) == 2"):
        assert ask(text, scope, f=f) == (True, True, True)
    with pytest.raises(Unknown, match="needs trees of depth 4"):
        ask("at_depth(4, g > 0)", scope, g=mean)


def test_a_count_treats_data_sets_as_independent() -> None:
    """Four leads that are each above 0 with probability 1/2: all four with 1/16, none with 1/16."""
    open_ = values([0.01] * 4, [-1.0] * 4, [1.02] * 4)
    assert ask("count(f > 0) >= 1", f=open_) == (True, False, True)
    assert ask("count(f > 0) >= 0", f=open_) == (True, True, True)
    # Of twelve such sets fewer than 3 or more than 9 are beyond the 95 % interval.
    many = Scope([f"s{i}" for i in range(12)], [(3,)])
    open_ = values([0.001, -0.001] * 6, [-1.0] * 12, [1.0] * 12)
    assert ask("count(f > 0) >= 3", many, f=open_)[1]
    assert not ask("count(f > 0) >= 4", many, f=open_)[1]
    assert ask("count(f > 0) <= 9", many, f=open_)[1]
    assert not ask("count(f > 0) >= 10", many, f=open_)[2]
    # The measured value may be outside, and is possible nevertheless.
    for by, number in ((0.001, 12), (-0.001, 0)):
        close = values([by] * 12, [-1.0] * 12, [1.0] * 12)
        assert ask(f"count(f > 0) == {number}", many, f=close) == (True, False, True)
    # Moved together they would leave everything open.
    assert ask("all(f > 0)", many, f=open_) == (False, False, True)


def test_counts_of_values_in_steps_or_equal_ones_are_by_the_ends() -> None:
    """Twelve ranks of 1 or 2: the share of draws from 1 to 2 that are 1 says nothing."""
    many = Scope([f"s{i}" for i in range(12)], [(3,)])
    ranks = values([1.0] * 12, [1.0] * 12, [2.0] * 12)
    plain = ask("count(f < 1.4) >= 1", many, f=ranks)
    assert plain == (True, True, True)
    for text in ("count(f < 1.4) >= 1", "count(f <= 1) >= 12", "share(f > 1) == 0"):
        assert ask(text, many, f=ranks._replace(in_steps=True)) == (True, False, True), text
    for text in ("count(f == 1) >= 1", "count(not f == 2) >= 1"):
        assert ask(text, many, f=ranks) == (True, False, True), text
    assert ask("count(f == 2) <= 11", many, f=ranks) == (True, False, True)


def test_pairs_of_set_and_depth_are_counted_set_by_set() -> None:
    """Both depths of a set move together, the twelve sets do not."""
    many = Scope([f"s{i}" for i in range(12)], [(2,), (3,)])
    row = [0.001, -0.001] * 6
    open_ = values([row, row], [[-1.0] * 12] * 2, [[1.0] * 12] * 2)
    assert ask("pairs(f > 0) == 1/2", many, f=open_) == (True, False, True)
    assert ask("pairs(f > 0) >= 6/24", many, f=open_)[1]
    assert not ask("pairs(f > 0) >= 7/24", many, f=open_)[1]
    assert not ask("pairs(f > 0) > 18/24", many, f=open_)[2]


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("count(f > 0) >= 1", (True, True, True)), ("count(f > 0) >= 2", (True, False, True)),
        ("count(f > 0) >= 3", (False, False, True)), ("count(f > 0) >= 4", (False,) * 3),
        ("unlike(f > 0, a, b) < 1", (True, False, True)), ("unlike(f > 0, a, b) < 3", (True,) * 3),
        ("unlike(f > 0, d) >= 2", (True,) * 3), ("unlike(f > 0, d) >= 3", (True, False, True)),
        ("unlike(f > 0, d) >= 4", (False, False, True)), ("pairs(f > 0) <= 3/4", (True,) * 3),
        ("pairs(f > 0) <= 1/2", (True, False, True)), ("share(f > 0) == 1/4", (False, False, True)),
    ],
)  # fmt: skip
def test_counts_of_bounded_values_may_be_at_any_end(text, holds) -> None:
    """One lead is sure, two are open, one is sure to be none."""
    f = values([1.0, 1.0, -1.0, -1.0], [0.5, -1.0, -2.0, -2.0], [2.0, 2.0, 1.0, -0.5])
    assert ask(text, Scope(SETS, [(3,)], SETS, bounded=True), f=f) == holds


def test_a_count_of_values_that_are_known_is_known() -> None:
    sure = values([1.0, 2.0, 3.0, -1.0], [0.5, 1.5, 2.5, -2.0], [1.5, 2.5, 3.5, -0.5])
    assert ask("count(f > 0) == 3", f=sure) == (True, True, True)
    unknown = values([1.0] * 4, [-np.inf] * 4, [np.inf] * 4)
    assert ask("count(f > 0) >= 1", f=unknown) == (True, False, True)


def test_draws_of_a_ratio_are_on_the_log_scale() -> None:
    drawn = values([1.0], [0.25], [4.0], log=True).draws().point.ravel()
    assert (drawn > 0).all()
    assert np.median(np.log(drawn)) == pytest.approx(0.0, abs=0.01)
    assert np.mean(drawn > 4.0) == pytest.approx(0.025, abs=0.003)
    plain = values([1.0], [0.0], [3.0]).draws().point.ravel()
    assert np.mean(plain < 0) == pytest.approx(0.025, abs=0.003)
    assert np.mean(plain > 3) == pytest.approx(0.025, abs=0.003)


def test_columns_are_counted_from_the_first_letter() -> None:
    for text in ("f > 0 and ff > 1", "  f > 0 and ff > 1"):
        with pytest.raises(ExpressionError, match="column 11: "):
            ask(text, f=values([1.0]))
