"""What a panel of learning curves shows: its axes, lines and legend."""

import re

import pytest
from boosting_parts import ok
from hypothesis import assume, given
from hypothesis import strategies as st
from pages import panels_of

from boostbench import numbers
from boostbench.report.figures.scales import log_labels, log_ticks

PAPERS = [
    "multiboost_cw",
    "multiboost_cw1",
    "multiboost",
    "adaboost_ecc",
    "adaboost_mh",
    "adaboost_mo",
]


ERRORS = "vowel: test error against iterations"


def colour_of(svg: str, number: int = 0) -> str:
    """Return the colour of a line: what its marks are drawn with."""
    lines = re.findall(r"stroke: var\(--(\w+)\); stroke-width: 1.2", svg) or re.findall(
        r"stroke-dash\w+: [^;]*; [^\"]*stroke: var\(--(\w+)\)", svg
    )
    return lines[number]


def test_a_method_of_the_paper_looks_the_same_in_every_figure(make) -> None:
    run = [ok([0.5, 0.3])]
    every = panels_of(make({("vowel", name): run for name in PAPERS}))[ERRORS]
    few = ["mine", "long", "adaboost_mh", "multiboost", "other"]
    entries = [
        {"name": "long", "method": "multiboost"},
        *({"name": name, "estimator": "m:E"} for name in ("mine", "other")),
    ]
    some = panels_of(make({("vowel", name): run for name in few}, methods=entries))[ERRORS]
    colours = {name: colour_of(every, n) for n, name in enumerate(PAPERS)}
    found = {name: colour_of(some, n) for n, name in enumerate(few)}
    assert len(set(colours.values())) == 6
    for name in ("adaboost_mh", "multiboost"):
        assert found[name] == colours[name]
    # The others get what the paper's methods leave, in order.
    assert len({found["mine"], found["long"], *colours.values()}) == 8


@pytest.mark.parametrize(
    ("low", "high", "labels"),
    [
        # Every decade, and powers of ten where there are many.
        (2e-5, 900.0, ["10⁻⁴", "10⁻³", "10⁻²", "10⁻¹", "10⁰", "10¹", "10²"]),
        (0.004, 3.0, ["0.01", "0.1", "1"]),
        (230.0, 6400.0, ["500", "1,000", "2,000", "5,000"]),
        (2e-9, 3e-5, ["10⁻⁸", "10⁻⁷", "10⁻⁶", "10⁻⁵"]),
    ],
)
def test_labels_of_a_logarithmic_axis_are_of_one_kind(low: float, high: float, labels) -> None:
    assert log_labels(log_ticks(low, high)) == labels


@given(st.floats(-9, 9), st.floats(1e-4, 9))
def test_a_logarithmic_axis_has_at_least_two_labels(start: float, decades: float) -> None:
    low, high = 10.0**start, 10.0 ** (start + decades)
    assume(low < high)
    ticks = log_ticks(low, high)
    assert 2 <= len(ticks) <= 17
    inside = [k for k in range(-9, 19) if low <= 10.0**k <= high]
    if 3 <= len(inside) <= 16:
        assert ticks == [float(f"1e{k}") for k in inside]
    assert all(low * (1 - 1e-9) <= tick <= high * (1 + 1e-9) for tick in ticks)
    labels = log_labels(ticks)
    plain = [bool(re.fullmatch(r"[\d.,]+", label)) for label in labels]
    assert all(plain) or not any(plain)


@pytest.mark.parametrize(
    ("sd", "mean", "digits", "expected"),
    [
        (0.00123, 0.0161, 4, "0.0012"),
        (0.0, 0.0161, 4, "0"),
        (0.3, 120.0, 0, "0.3"),
        (1234.5, 5000.0, 0, "1,234"),
    ],
)
def test_a_spread_is_not_rounded_away(sd: float, mean: float, digits: int, expected: str) -> None:
    assert numbers.spread(sd, mean, digits) == expected
