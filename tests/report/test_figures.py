"""Figures: drawn once, for files and page, so that the finding is seen and nothing is squeezed."""

import re
from itertools import pairwise

import numpy as np
import pytest
from matplotlib.text import Text
from parts import A, B, store_of

from boostbench.report.figures.axes import limit
from boostbench.report.figures.canvas import (
    COLOURS,
    COLUMN,
    inline,
    new_figure,
    style,
    text_width,
    tick_text,
    wrapped,
)
from boostbench.report.figures.files import drawings
from boostbench.report.figures.rows import Chart, ChartRow, Plate, Sign, draw, side_by_side
from boostbench.report.figures.rows import figure as rows_figure
from boostbench.report.figures.traces import figure
from boostbench.report.frames.curves import Panel, Trace
from boostbench.report.frames.results import collect


def axes_of(rows, **options):
    with style(8.0):
        axes = new_figure(300, 100).subplots()
        draw(axes, Chart("", rows, **options), 100.0)
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
    # Its number is at the edge, and beside the row.
    assert texts_of(axes).count("0.200") == 2


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


@pytest.mark.parametrize(("runs", "drawn"), [(500, 500), (501, 500), (20_000, 500)])
def test_of_many_single_runs_as_many_are_drawn_as_show_their_distribution(runs, drawn):
    values = np.linspace(0.7, 0.9, runs)
    axes = axes_of([ChartRow("a", 0.8, "", runs=[*values, -40.0])])
    (dots,) = (line.get_xdata() for line in axes.lines if line.get_alpha() == 0.4)
    assert len(dots) == drawn
    assert set(dots) <= set(values)
    assert (min(dots), np.median(dots), max(dots)) == pytest.approx((0.7, 0.8, 0.9), abs=1e-3)
    # Those that are far away are all counted.
    assert "1 off" in texts_of(axes)


def test_a_method_of_another_processor_is_hollow():
    axes = axes_of([ChartRow("a", 1.0, ""), ChartRow("b", 9.0, "", hollow=True)], log=True)
    faces = [line.get_markerfacecolor() for line in axes.lines if line.get_marker() == "o"]
    assert faces.count(COLOURS["bg"]) == 1


def trace(name, *values, end="1.0 ± 0.1"):
    x = np.arange(1.0, len(values) + 1)
    return Trace(name, "m1", "o", x, np.array(values), end)


def panel(*traces, low=0.0, high=10.0, axis="iterations", **options):
    return Panel("D", "words", axis, traces, low, high, **options)


def drawn(*panels, width=COLUMN):
    with style(7.0):
        return figure([panels], width)


def test_a_line_is_cut_where_it_leaves_the_axis():
    made = drawn(panel(trace("a", 90.0, 50.0, 10.0), high=30.0))
    (line,) = made.axes[0].lines
    assert line.get_ydata().max() == 30.0
    assert 2 < line.get_xdata().min() < 3


def test_curves_of_a_data_set_have_a_legend_with_their_last_values_and_labelled_axes():
    shown = trace("a", 9.0, 5.0), trace("b", 8.0, 5.0, end="5.0 ± 0.2 %")
    made = drawn(panel(*shown, unit=" %"), panel(*shown, unit=" %", axis="training seconds"))
    texts = texts_of(made)
    assert {"D", "a: 1.0 ± 0.1", "b: 5.0 ± 0.2 %"} <= set(texts)
    assert {"Words (%)", "Iterations", "Training seconds"} <= set(texts)


@pytest.mark.parametrize("ends", [(1.0, 1.4), (12.0, 13.0), (0.001, 2000.0), (1.0, 1.0)])
def test_any_axis_has_ticks(ends):
    made = drawn(panel(Trace("a", "m1", "o", np.array(ends), np.array([3.0, 2.0])), high=5.0))
    assert 1 <= len(made.axes[0].get_xticks()) <= 5


def test_small_powers_of_ten_are_written_as_such():
    assert [*map(tick_text, (0.0001, 0.01, 0.05, 1000, -0.1))] == [
        "10⁻⁴",
        "0.01",
        "0.05",
        "1,000",
        "−0.1",
    ]


NAMES = ["SRT-ℓ₂ (best of 5)", "A (long remark about it)", "snake_case_name_of_a_method", "W" * 40]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_broken_to_fit_and_keeps_its_letters(name):
    with style(7.0):
        lines = wrapped(name, 60.0)
        assert all(text_width(line) <= 60.0 + 7.0 for line in lines)
        assert "".join(lines).replace(" ", "") == name.replace(" ", "")
        assert wrapped("a b", 60.0) == ["a b"]


def charts(number, rows, *, names="method {}", title="set {}"):
    own = [ChartRow(names.format(n), 0.8 + 0.01 * n, "", 0.7, 0.9) for n in range(rows)]
    return [Chart(title.format(n), own) for n in range(number)]


LONG = "a method with a long name (and a remark {})"


@pytest.mark.parametrize(
    ("plate", "width"),
    [
        (Plate(charts(1, 1), "Mean"), COLUMN),
        (Plate(charts(2, 5, names="{}"), "Mean", [Sign("printed", "|", "weak")]), COLUMN),
        (Plate(charts(15, 9), "Mean"), COLUMN),
        (Plate(charts(7, 5, names=LONG, title="hydrodynamics of {}"), "Mean"), COLUMN),
        (Plate(charts(15, 9), "Mean"), 2 * COLUMN),
    ],
)
def test_charts_side_by_side_lie_within_the_column_and_apart(plate, width):
    with style(7.0):
        made = side_by_side(plate, width)
        made.draw_without_rendering()
    points = made.dpi / 72
    assert made.get_figwidth() * 72 == pytest.approx(width)
    assert made.get_figheight() * 72 <= 600
    boxes = [
        text.get_window_extent()
        for text in made.findobj(Text)
        if text.get_text() and text.get_visible()
    ]
    assert min(box.x0 for box in boxes) >= 0
    assert max(box.x1 for box in boxes) <= width * points
    for axes in made.axes:
        labels = [each.get_window_extent() for each in axes.get_xticklabels() if each.get_text()]
        assert all(a.x1 < b.x0 for a, b in pairwise(labels))


def test_the_signs_of_differences_have_a_legend_and_the_axis_a_label():
    main = next(drawings(collect(store_of({("yacht", "srt"): A, ("yacht", "orrt"): B}))))
    with style(7.0):
        texts = texts_of(main.draw(COLUMN))
    assert "Measured − printed mean test R²" in texts
    assert {"margin", "differs"} <= set(texts)
    # Data sets and methods have their printed names.
    assert {"Yacht hydrodynamics", "SRT", "ORRT"} <= set(texts)
    assert "within the margin" in main.caption


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
def test_files_have_the_width_of_a_column_and_the_same_bytes(tmp_path):
    cells = {("d", "a"): A, ("d", "b"): B}
    (first,), (again,) = (drawings(collect(store_of(cells, paper=None))) for _ in range(2))
    files = first.files()
    assert files == again.files()
    assert set(files) == {"png", "svg", "pdf"}
    # 85 mm.
    assert re.search(rb'width="240.94\d*pt"', files["svg"])
    assert first.title == "a is best on d, R² 0.805."
    assert first.caption.startswith("Mean test R² on each data set (4 folds × 2 seeds).")
