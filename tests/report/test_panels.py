"""What a panel of learning curves shows: its axes, lines and legend."""

import re

import pytest
from boosting_parts import ok
from hypothesis import assume, given
from hypothesis import strategies as st
from matplotlib.figure import Figure

from boostbench.report import numbers
from boostbench.report.classification.curves import curves
from boostbench.report.classification.figures import COLOURS, line_places, panel_svgs
from boostbench.report.classification.layout import layouts
from boostbench.report.classification.runs import load_results
from boostbench.report.classification.scales import log_labels, log_ticks, set_scales
from boostbench.report.drawing import CSS_NAMES
from boostbench.report.frame import MethodInfo
from boostbench.store.store import Store

PAPERS = [
    "multiboost_cw",
    "multiboost_cw1",
    "multiboost",
    "adaboost_ecc",
    "adaboost_mh",
    "adaboost_mo",
]


def panels(store: Store) -> dict[str, str]:
    results = load_results(store)
    means = curves(results)
    return {
        words: svg
        for layout in layouts(results, means)
        for words, svg in panel_svgs(layout, results.methods, means, "p")
    }


def texts(svg: str) -> list[str]:
    return re.findall(r">([^<>]+)</text>", svg)


def info(label: str, registered: str | None = None, **params) -> MethodInfo:
    return MethodInfo(label, label if registered is None else registered, "e", "1", params, None)


def test_errors_end_at_a_hundred_percent(make) -> None:
    runs = [ok([1.0, 0.9, 1.0]), ok([0.6, 0.98, 0.9])]
    svg = panels(make({("vowel", "a"): runs}))["vowel: test error against iterations"]
    percents = [int(text) for text in texts(svg) if text.isdigit()]
    assert max(percents) == 100


def test_an_axis_of_errors_ends_at_a_hundred_percent_itself(make) -> None:
    results = load_results(make({("vowel", "multiboost"): [ok([0.99, 0.98])]}))
    drawn = curves(results)
    (layout,) = layouts(results, drawn)
    axes = Figure().subplots()
    set_scales(axes, layout.rows[0][0], list(drawn.values()))
    assert axes.get_ylim() == (0, 100)


def test_errors_of_zero_have_an_axis_too(make) -> None:
    svg = panels(make({("vowel", "a"): [ok([0.0, 0.0])]}))["vowel: test error against iterations"]
    assert {"0", "100"} <= set(texts(svg))


def test_iterations_are_whole_numbers(make) -> None:
    svg = panels(make({("vowel", "a"): [ok([0.5, 0.4, 0.3])]}))[
        "vowel: training time against iterations"
    ]
    ticks = texts(svg)[: texts(svg).index("iterations")]
    assert ticks == ["0", "1", "2", "3"]


def test_a_method_of_the_paper_looks_the_same_in_every_figure(make) -> None:
    every = line_places([info(name) for name in PAPERS])
    assert sorted(every.values()) == list(range(6))
    few = [info("mine", ""), info("long", "multiboost"), info("adaboost_mh"), info("multiboost")]
    places = line_places([*few, info("other", "")])
    assert {name: places[name] for name in ("adaboost_mh", "multiboost")} == {
        name: every[name] for name in ("adaboost_mh", "multiboost")
    }
    # The others get what the paper's methods leave, in order.
    assert (places["mine"], places["long"]) == (6, 7)
    assert len(set(places.values())) == 5
    lines = panels(make({("vowel", m): [ok([0.5, 0.3])] for m in ("mine", "adaboost_mh")}))
    colour = f"stroke: var(--{CSS_NAMES[COLOURS[every['adaboost_mh']]]})"
    assert colour in lines["vowel: test error against iterations"]


def test_solvers_of_one_method_and_methods_of_ones_own_are_numbered() -> None:
    solvers = [info(name, "multiboost_cw") for name in ("FCD-1", "FCD-2", "LBFGS-B")]
    assert list(line_places(solvers).values()) == [0, 1, 2]
    own = [info(f"m{number}", "") for number in range(12)]
    assert list(line_places(own).values()) == list(range(12))


def test_multiboost_by_descent_is_not_the_papers(make) -> None:
    cells = {("vowel", "multiboost"): [ok([0.5, 0.3])], ("vowel", "adaboost_mh"): [ok([0.5, 0.3])]}
    words = "vowel: test error against iterations"
    found = panels(make(cells, {"multiboost": {"solver": "fcd"}}))[words]
    assert "MultiBoost (FCD) 30.00" in texts(found)
    assert "MultiBoost 30.00" in texts(panels(make(cells))[words])


def test_the_legend_takes_no_room_from_the_data(make) -> None:
    cells = {("vowel", m): [ok([0.5, 0.3, 0.2], 10.0**n)] for n, m in enumerate(PAPERS[:3])}
    svg = panels(make(cells))["vowel: training time against iterations"]
    labels = [t for t in texts(svg) if re.fullmatch(r"[\d.,]+", t)]
    # From 1 s after the first iteration to 300 s after the third, and no decade below.
    assert [label for label in labels if float(label) > 3] == ["10", "100"]
    assert not [label for label in labels if 0 < float(label) < 1]


@pytest.mark.parametrize(
    ("low", "high", "labels"),
    [
        (2e-5, 900.0, ["0.0001", "0.01", "1", "100"]),
        (0.004, 3.0, ["0.01", "0.1", "1"]),
        (230.0, 6400.0, ["500", "1,000", "2,000", "5,000"]),
        (1.1, 1.9, ["1.2", "1.4", "1.6", "1.8"]),
        (2e-9, 3e-5, ["10⁻⁸", "10⁻⁷", "10⁻⁶", "10⁻⁵"]),
        (3e-8, 9e-7, ["5×10⁻⁸", "10⁻⁷", "2×10⁻⁷", "5×10⁻⁷"]),
    ],
)
def test_labels_of_a_logarithmic_axis_are_of_one_kind(low: float, high: float, labels) -> None:
    assert log_labels(log_ticks(low, high)) == labels


@given(st.floats(-9, 9), st.floats(1e-4, 9))
def test_a_logarithmic_axis_has_at_least_two_labels(start: float, decades: float) -> None:
    low, high = 10.0**start, 10.0 ** (start + decades)
    assume(low < high)
    ticks = log_ticks(low, high)
    assert 2 <= len(ticks) <= 10
    assert all(low * (1 - 1e-9) <= tick <= high * (1 + 1e-9) for tick in ticks)
    labels = log_labels(ticks)
    plain = [bool(re.fullmatch(r"[\d.,]+", label)) for label in labels]
    assert all(plain) or not any(plain)


@pytest.mark.parametrize(
    ("sd", "mean", "digits", "expected"),
    [
        (0.00123, 0.0161, 4, "0.0012"),
        (0.0000216, 0.0161, 4, "0.00002"),
        (0.0, 0.0161, 4, "0"),
        (1e-17, 0.1, 2, "0"),
        (0.3, 120.0, 0, "0.3"),
        (1234.5, 5000.0, 0, "1,234"),
    ],
)
def test_a_spread_is_not_rounded_away(sd: float, mean: float, digits: int, expected: str) -> None:
    assert numbers.spread(sd, mean, digits) == expected
