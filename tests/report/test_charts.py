"""The charts of a page: fronts, groups of ranks, scales, and what their marks say."""

import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pages import files_of
from report_parts import ok

from boostbench.report.charts import ranks, svg
from boostbench.report.charts.scatter import pareto_front
from boostbench.store.types import Outcome

POINTS = st.dictionaries(
    st.text("abcdefgh", min_size=1, max_size=3),
    st.tuples(st.integers(1, 6).map(float), st.integers(-3, 3).map(float)),
    min_size=1,
    max_size=12,
)


@given(POINTS, st.booleans())
def test_whoever_is_not_on_the_front_is_beaten_by_one_who_is(points, higher: bool) -> None:
    sign = 1 if higher else -1
    front = pareto_front(points, higher)

    def beats(one: str, other: str) -> bool:
        (time, score), (its_time, its_score) = points[one], points[other]
        return time <= its_time and sign * score >= sign * its_score

    for name in points:
        others = [other for other in front if other != name and beats(other, name)]
        assert bool(others) is (name not in front)


@given(st.lists(st.floats(1, 9), min_size=2, max_size=9).map(sorted), st.floats(0, 9))
def test_each_group_is_within_the_difference_and_cannot_grow(mean_ranks, cd: float) -> None:
    for first, last in ranks.cliques(mean_ranks, cd):
        assert mean_ranks[last] - mean_ranks[first] <= cd + 1e-9
        for more in (first - 1, last + 1):
            if 0 <= more < len(mean_ranks):
                ends = [*mean_ranks[first : last + 1], mean_ranks[more]]
                assert max(ends) - min(ends) > cd


def test_the_diagram_of_demsars_example_has_its_groups_and_names() -> None:
    # Demsar (2006), Section 3.2.2: four algorithms on 14 data sets, CD = 1.25 at 0.05.
    names = ["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"]
    drawn = str(ranks.diagram(names, [3.143, 2.0, 2.893, 1.964], 1.25))
    root = ET.fromstring(drawn)
    assert root.get("aria-label") == (
        "Mean ranks: C4.5+m+cf 1.96, C4.5+m 2.00, C4.5+cf 2.89, C4.5 3.14"
    )
    texts = ["".join(part.itertext()) for part in root.iter("text")]
    assert [text for text in texts if "C4.5" in text] == [
        "C4.5+m+cf  1.96", "C4.5+m  2.00", "2.89  C4.5+cf", "3.14  C4.5",
    ]  # fmt: skip
    assert "CD = 1.25" in texts
    # Its Figure 1 (a) joins all but the first with the last: 3.143 - 1.964 = 1.18 < 1.25.
    assert len([part for part in root.iter("path") if part.get("class") == "clique"]) == 1


@pytest.mark.parametrize("make_scale", [svg.linear, svg.towards_one, svg.logarithmic])
@given(values=st.lists(st.floats(1e-3, 0.9999), min_size=1, max_size=8))
def test_a_scale_keeps_the_order_and_has_ticks_inside(make_scale, values) -> None:
    scale = make_scale(values)
    assert scale.low < scale.high
    places = [scale.place(value, 0.0, 100.0) for value in sorted(values)]
    assert places == sorted(places)
    assert places[0] >= -1e-9
    assert places[-1] <= 100 + 1e-9
    assert len(scale.ticks) >= 1
    assert all(scale.low <= tick <= scale.high for tick, _ in scale.ticks)


def section(store, title: str) -> str:
    page = files_of(store, "html")["table.html"].decode()
    return page.partition(f"<h3>{title}</h3>")[2].partition("<h3>")[0].partition("<section")[0]


def test_methods_on_the_front_are_said_to_be(make_store) -> None:
    cells = {
        ("mine", "fast"): [ok(0.5, 0.1), ok(0.5, 0.1)],
        ("mine", "good"): [ok(0.9, 2.0), ok(0.9, 2.0)],
        ("mine", "poor"): [ok(0.4, 3.0), ok(0.4, 3.0)],
        ("mine", "failed"): [Outcome("error", "no")] * 2,
    }
    text = section(make_store(cells, paper=None), "Test R² against training time")
    assert re.findall(r"<title>(.*?)</title>", text) == [
        "poor: 0.400 in 3.00 s",
        "fast: 0.500 in 0.100 s, on the Pareto front",
        "good: 0.900 in 2.00 s, on the Pareto front",
    ]
    assert "failed" not in text


def test_ranks_are_those_of_the_comparison(make_store) -> None:
    scores = {"a": 0.9, "b": 0.8, "c": 0.7}
    sets = ("one", "two", "three", "four", "five")
    cells = {(name, m): [value, value] for name in sets for m, value in scores.items()}
    text = section(make_store(cells, paper=None), "Ranks")
    assert 'aria-label="Mean ranks: a 1.00, b 2.00, c 3.00"' in text
    assert "over 5 data sets, 1 the best" in text
    assert "p = 0.0067" in text
    # Of fewer data sets nothing is said of others like them.
    assert not section(make_store({**cells, ("two", "b"): [None]}, paper=None), "Ranks")
    more = {("six", m): [value, value] for m, value in scores.items()}
    text = section(make_store({**cells, **more, ("two", "b"): [None]}, paper=None), "Ranks")
    assert "over 5 data sets (without two), 1 the best" in text
