"""Figures: drawn once, for files and page, so that the finding is seen and nothing is squeezed."""

import re

import numpy as np
import pytest
from parts import A, B, results_of

from boostbench.report.axes import limit
from boostbench.report.curves import Panel, Trace
from boostbench.report.figures.canvas import COLOURS, inline, new_figure, style
from boostbench.report.figures.files import drawings
from boostbench.report.figures.rows import Chart, ChartRow, draw
from boostbench.report.figures.rows import figure as rows_figure
from boostbench.report.figures.traces import figure


def axes_of(rows, **options):
    with style(8.0):
        axes = new_figure(300, 100).subplots()
        draw(axes, Chart("", rows, **options))
    return axes


def texts_of(figure):
    found = figure.findobj(lambda part: hasattr(part, "get_text"))
    return [part.get_text() for part in found if part.get_text()]


def test_a_method_far_below_does_not_squeeze_the_rest():
    close = [
        ChartRow(name, value, f"{value}")
        for name, value in zip("abc", (0.86, 0.85, 0.84), strict=True)
    ]
    axes = axes_of([*close, ChartRow("d", 0.2, "0.200")])
    low, high = axes.get_xlim()
    assert 0.7 < low < 0.84 < 0.86 < high
    assert "0.200, off the axis" in texts_of(axes)


def test_no_interval_goes_beyond_the_highest_mean():
    axes = axes_of(
        [ChartRow("a", 0.99, "", 0.9, 1.08), ChartRow("b", 0.95, "", 0.9, 1.0)], bounds=(0.0, 1.0)
    )
    assert max(x for line in axes.lines for x in line.get_xdata()) <= 1.0


def test_single_runs_that_are_far_away_are_counted():
    runs = [0.8, 0.81, 0.82, 0.83, -40.0]
    axes = axes_of([ChartRow("a", 0.82, "", runs=runs), ChartRow("b", 0.81, "", runs=runs[:4])])
    assert axes.get_xlim()[0] > 0
    assert "1 off" in texts_of(axes)


def test_a_method_of_another_processor_is_hollow():
    axes = axes_of([ChartRow("a", 1.0, ""), ChartRow("b", 9.0, "", hollow=True)], log=True)
    faces = [line.get_markerfacecolor() for line in axes.lines if line.get_marker() == "o"]
    assert faces.count(COLOURS["bg"]) == 1


def trace(name, *values):
    return Trace(name, "m1", np.arange(1.0, len(values) + 1), np.array(values))


def drawn(*traces, **options):
    shown = Panel(
        "d", "words", "iterations", traces, options.pop("low"), options.pop("high"), **options
    )
    with style(8.0):
        return figure([[shown]])


def test_a_line_is_cut_where_it_leaves_the_axis_and_named_where_it_ends():
    made = drawn(trace("a", 90.0, 50.0, 10.0), low=0.0, high=30.0)
    (line,) = made.axes[0].lines
    assert line.get_ydata().max() == 30.0
    assert 2 < line.get_xdata().min() < 3
    assert "a" in texts_of(made)


def test_a_line_that_stays_outside_is_named_with_its_last_value():
    made = drawn(trace("a", 9.0, 8.0), trace("b", 80.0, 70.0), low=0.0, high=10.0)
    assert "b 70 ↑" in texts_of(made)


def test_names_do_not_cover_each_other():
    same = [trace(name, 9.0, 5.0) for name in ("one", "two", "three")]
    made = drawn(*same, low=0.0, high=10.0)
    texts = [text for text in made.axes[0].texts if text.get_text()]
    assert [text.get_text() for text in texts] == ["one", "two", "three"]
    # A line leads from each to its line's end.
    assert [leader.xy for leader in made.axes[0].texts[3:]] == [text.xy for text in texts]
    places = [text.get_window_extent().y0 for text in texts]
    assert min(abs(a - b) for i, a in enumerate(places) for b in places[:i]) >= 8.0


@pytest.mark.parametrize("ends", [(1.0, 1.4), (12.0, 13.0), (0.001, 2000.0), (1.0, 1.0)])
def test_any_axis_has_ticks(ends):
    made = drawn(Trace("a", "m1", np.array(ends), np.array([3.0, 2.0])), low=0.0, high=5.0)
    assert 1 <= len(made.axes[0].get_xticks()) <= 5


def test_an_inline_figure_has_the_colours_of_the_page_and_text_that_stays_text():
    with style(12.5):
        svg = inline(rows_figure(Chart("", [ChartRow("a & b", 0.8, "0.800")]), 530), "a <title>")
    assert "a &amp; b" in svg
    assert "<title>a &lt;title&gt;</title>" in svg
    assert not [colour for colour in COLOURS.values() if colour in svg]
    assert not re.search(r"clip-path|<defs|\bid=", svg)
    assert len(svg) < 2000


@pytest.mark.parametrize(
    ("largest", "end"), [(0.126, 0.15), (0.012, 0.015), (0.05, 0.055), (0, 0.015)]
)
def test_the_axis_of_differences_ends_at_a_round_number(largest, end):
    assert limit([-largest, largest / 2]) == pytest.approx(end)


@pytest.mark.end_to_end
def test_files_have_the_width_of_a_page_and_the_same_bytes(tmp_path):
    cells = {("d", "a"): A, ("d", "b"): B}
    (first,), (again,) = drawings(results_of(cells)), drawings(results_of(cells))
    files = first.files()
    assert files == again.files()
    assert set(files) == {"png", "svg", "pdf"}
    assert re.search(rb'width="486pt"', files["svg"])
    assert first.title == "a is best on d, R² 0.805."
