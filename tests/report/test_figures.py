"""The figures of means: differences from the published ones, means by data set, mean ranks."""

import io
import itertools
import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import matplotlib
import numpy as np
import pytest
from pages import files_of, page_of, panels_of, words_in
from PIL import Image
from report_parts import EXPERIMENT, ok, trial

from boostbench.report.collect import collect
from boostbench.report.figures import differences, drawing, means, ranks
from boostbench.report.figures.ranks import diagram
from boostbench.report.intervals import half_width
from boostbench.report.summary import summarise
from boostbench.store.types import Outcome

DIFFERENCE = "Mean test R² of {}, measured minus published"
MEANS = "Mean test R² on {}"


@pytest.fixture
def panels(make_store, cells) -> dict[str, str]:
    return panels_of(make_store(cells))


@pytest.fixture
def folded(make_store):
    """Return a function that makes a store of {(data set, method): [[R2 of a fold's seeds]]}."""

    def make(cells, **experiment):
        store = make_store({}, title="Folds")
        planned = [
            (replace(trial(dataset, method, seed), folds=len(folds), fold=fold), ok(r2))
            for (dataset, method), folds in cells.items()
            for fold, values in enumerate(folds)
            for seed, r2 in enumerate(values)
        ]
        names = [{"name": n, "card": n} for n in dict.fromkeys(dataset for dataset, _ in cells)]
        store.set_plan({**EXPERIMENT, "datasets": names, **experiment}, [t for t, _ in planned])
        for item, outcome in planned:
            store.record(item, outcome, "e1")
        return store

    return make


def marks_of(draw, panel) -> list[tuple[str, float]]:
    """Return (marker, place on the axis) of all that a function draws into a panel."""
    from matplotlib.figure import Figure

    with drawing.style("none"):
        axes = Figure().subplots()
        draw(axes, panel)
    return [
        (str(line.get_marker()), float(x))
        for line in axes.lines
        for x in np.atleast_1d(line.get_xdata())
    ]


def test_figure_files_have_the_verdicts_colours_and_no_dates(make_store, cells) -> None:
    store = make_store(cells)
    files = files_of(store, "figure")
    image = Image.open(io.BytesIO(files["figure.png"])).convert("RGB")
    assert image.width > image.height > 100
    seen = {colour for _, colour in image.getcolors(maxcolors=1_000_000)}
    for verdict_colour in ((0, 0x9E, 0x73), (0, 0x72, 0xB2), (0xD5, 0x5E, 0)):
        assert verdict_colour in seen
    for kind, start in (("svg", b"<?xml"), ("pdf", b"%PDF")):
        content = files[f"figure.{kind}"]
        assert content.startswith(start)
        assert b"CreationDate" not in content
        assert b"dc:date" not in content
    with matplotlib.rc_context({"font.size": 20, "svg.hashsalt": "mine"}):
        assert files_of(store, "figure") == files
        assert matplotlib.rcParams["font.size"] == 20


def test_panels_show_each_difference_in_words(panels) -> None:
    # Of the random forest something is published, though none has run.
    methods = ["srt", "srt_l2", "orrt", "orrt_trained", "random_forest_r"]
    own = [name for name in panels if name.endswith("published")]
    assert own == [DIFFERENCE.format(method) for method in methods]
    words = {method: words_in(panels[DIFFERENCE.format(method)]) for method in methods}
    assert {"−0.005", "−14.909", "yacht", "housing", "measured − published R²"} <= set(words["srt"])
    assert "+0.345" in words["orrt_trained"]
    assert words["random_forest_r"].count("no finished run") == 2


def test_a_difference_beyond_the_axis_is_an_arrow_at_its_end(make_store, cells) -> None:
    summary = summarise(collect(make_store(cells)))
    panel = next(p for p in differences.values(summary).panels if p.method == "srt")
    found = marks_of(differences.draw, panel)
    signs = [(sign, x) for sign, x in found if sign in "<>^vo"]
    # yacht is 0.005 below the published mean, housing 15 below it.
    assert signs[0] == ("o", pytest.approx(-0.005, abs=1e-9))
    assert signs[1][0] == "<"
    assert -1 < signs[1][1] < 0


def test_what_is_not_comparable_is_said_so_and_has_no_published_mark(make_store) -> None:
    cells = {("yacht", "srt"): [0.9, 0.91]}
    alike, other = (
        panels_of(make_store(cells, scale_features=scaling)) for scaling in ("minmax", "none")
    )
    words = words_in(other[DIFFERENCE.format("srt")])
    assert "not comparable" in words
    assert not any("R² < 0" in text for text in words)
    assert "not comparable" not in words_in(alike[DIFFERENCE.format("srt")])
    # The published mean is the only mark with the paper's colour inside.
    mark = "fill: var(--page); stroke: var(--ink)"
    assert [mark in panels[MEANS.format("yacht")] for panels in (alike, other)] == [True, False]


def test_the_axis_of_differences_holds_zero_in_the_middle_whatever_the_scores(make_store) -> None:
    store = make_store({("yacht", "srt"): [0.999, 0.997], ("compactiv", "srt"): [0.97, 0.975]})
    words = words_in(panels_of(store)[DIFFERENCE.format("srt")])
    ticks = [word for word in words if re.fullmatch(r"0|[+−]0\.0\d", word)]
    assert ticks == ["−0.02", "0", "+0.02"]


def test_panels_take_their_colours_from_the_page(panels) -> None:
    for svg in panels.values():
        assert svg.startswith("<svg")
        assert not re.search(r"#[0-9a-f]{6}\b(?!-)", svg)
        assert "var(--ink)" in svg


def test_marks_that_look_alike_share_one_style(make_store) -> None:
    (svg,) = panels_of(
        make_store({("mine", "own"): [n / 99 for n in range(80)]}, paper=None)
    ).values()
    assert svg.count("fill-opacity") == 1
    (group,) = re.findall(r'<g style="fill: var\(--plain\); fill-opacity: 0.45">(.*?)</g>', svg)
    places = [float(x) for x in re.findall(r'<circle cx="([\d.]+)"', group)]
    assert len(places) == 80
    steps = np.diff(places)
    assert steps == pytest.approx([steps.mean()] * 79, abs=0.11)


def test_own_data_have_a_panel_per_data_set_with_the_best_method_on_top(folded) -> None:
    folds = {"low": 0.2, "high": 0.8, "middle": 0.5}
    store = folded(
        {("mine", m): [[r2, r2 + 0.02], [r2 + 0.1, r2]] for m, r2 in folds.items()}, paper=None
    )
    panels = panels_of(store)
    assert list(panels) == [MEANS.format("mine")]
    words = words_in(panels[MEANS.format("mine")])
    assert [w for w in words if w in folds] == ["high", "middle", "low"]
    assert [w for w in words if re.fullmatch(r"0\.\d{3}", w)] == ["0.830", "0.530", "0.230"]
    assert "published" not in page_of(store).section("Mean test R² by data set")


def test_of_errors_the_lowest_is_on_top(make) -> None:
    cells = {
        ("vowel", name): [Outcome("ok", metrics={"error": error})] * 2
        for name, error in (("worse", 0.32), ("better", 0.12))
    }
    (svg,) = panels_of(make(cells, paper=None)).values()
    words = words_in(svg)
    assert words.index("better") < words.index("worse")
    assert {"test error, %", "32.00", "12.00"} <= set(words)


def test_the_interval_is_the_corrected_one_from_the_means_of_folds(folded) -> None:
    # Fold means .8, .9, 1.0, 1.1: v = .01/.6, n = 4, n_test/n_train = 77/231.
    folds = [[0.7, 0.9], [0.9, 0.9], [1.0, 1.0], [1.0, 1.2]]
    store = folded({("mine", "own"): folds}, paper=None)
    summary = summarise(collect(store))
    variance = np.var([0.8, 0.9, 1.0, 1.1], ddof=1)
    expected = 3.182446305284263 * np.sqrt((1 / 4 + 77 / 231) * variance)
    assert half_width(summary.collected.runs) == pytest.approx(expected, rel=1e-12)
    (panel,) = means.values(summary).panels
    found = marks_of(means.draw, panel)
    assert sorted(x for sign, x in found if sign == "o") == pytest.approx(
        sorted([*itertools.chain(*folds), 0.95])
    )


def test_no_interval_of_one_fold_nor_of_runs_whose_sizes_are_unknown(make_store, folded) -> None:
    one = summarise(collect(make_store({("mine", "own"): [0.5, 0.7]}, paper=None)))
    assert half_width(one.collected.runs) is None
    known = summarise(collect(folded({("mine", "own"): [[0.5], [0.6]]}, paper=None))).collected.runs
    assert half_width(known) is not None
    assert half_width([replace(run, n_test=None) for run in known]) is None
    assert half_width([]) is None


def test_a_mean_far_below_the_others_is_an_arrow_and_leaves_them_the_axis(folded) -> None:
    cells = {("mine", "good"): [[0.90], [0.92]], ("mine", "bad"): [[-300.0], [-1.0]]}
    summary = summarise(collect(folded(cells, paper=None)))
    (panel,) = means.values(summary).panels
    found = marks_of(means.draw, panel)
    arrows = [x for sign, x in found if sign == "<"]
    assert arrows
    assert min(x for _, x in found) == min(arrows) > 0.5


def test_every_run_exploded_where_the_paper_leaves_such_runs_out(make_store) -> None:
    store = make_store({("yacht", "orrt"): [-1.0, -2.0], ("housing", "orrt"): [0.7, 0.7]})
    svg = panels_of(store)[DIFFERENCE.format("orrt")]
    assert "all R² &lt; 0" in svg
    row = page_of(store).row("Measured beside published", Data_set="yacht")
    assert row["orrt"] == "– (0.645) [all 2 runs have R² < 0]"


def test_long_names_are_shortened_in_figures_only(make_store) -> None:
    name = "a_data_set_with_a_very_long_name"
    store = make_store({(name, "own"): [0.5]})
    (svg,) = panels_of(store).values()
    assert "a_data_set_with_a_very_lo…" in words_in(svg)
    assert name in page_of(store).column("Test R²", "Data set")


@pytest.mark.parametrize("name", ["cost_$x_2$", "a\\alpha", "größe_µ", "x^2_{3}", "a-b"])
def test_names_are_drawn_as_they_are_and_never_as_mathematics(make_store, name: str) -> None:
    cells = {(f"{name}0", m): [0.5] for m in (name, "b")}
    panels = panels_of(make_store(cells, paper=None))
    assert name in words_in(panels[MEANS.format(f"{name}0")])
    assert f"{name}0" in words_in(panels[MEANS.format(f"{name}0")])


def test_geometry_of_a_critical_difference_diagram() -> None:
    # Demsar's Figure 1 has two groups that overlap: the bars lie on different levels.
    found = diagram(["d", "a", "c", "b"], [3.75, 1.583333, 2.416667, 2.25], 1.914843)
    assert [(label.name, label.left, label.line) for label in found.labels] == [
        ("a", True, 0), ("b", True, 1), ("c", False, 1), ("d", False, 0),
    ]  # fmt: skip
    assert found.bars == [(1.583333, 2.416667, 0), (2.25, 3.75, 1)]
    assert (found.low, found.high, found.lines, found.levels) == (1, 4, 2, 2)
    # Nothing is joined where all are apart, and everything where none is.
    assert diagram(["a", "b", "c"], [1.0, 2.0, 3.0], 0.5).bars == []
    assert diagram(["a", "b", "c"], [1.0, 2.0, 3.0], 2.0).bars == [(1.0, 3.0, 0)]
    apart = diagram(list("abcd"), [1.0, 1.5, 3.0, 3.5], 0.6)
    assert apart.bars == [(1.0, 1.5, 0), (3.0, 3.5, 0)]


def test_mean_ranks_are_drawn_of_three_methods_on_five_data_sets_that_all_have(make_store) -> None:
    def words_of(cells) -> list[str]:
        found = summarise(collect(make_store(cells, paper=None))).comparisons
        if found is None or found.ranking is None:
            return []
        with drawing.style("none"):
            of = found.ranking
            figure = ranks.draw(diagram(of.methods, of.friedman.ranks, of.cd))
            return words_in(drawing.save(figure, "svg").decode())

    scores = {"best": 0.9, "middle": 0.8, "worst": 0.7}
    full = {(f"d{n}", m): [r2, r2] for n in range(6) for m, r2 in scores.items()}
    assert {"best  1.00", "middle  2.00", "3.00  worst", "CD = 1.35"} <= set(words_of(full))
    # One data set has no run of a method: five are left, and the difference is larger.
    assert "CD = 1.48" in words_of({**full, ("d0", "worst"): [None, None]})
    four = {k: v for k, v in full.items() if k[0] not in ("d0", "d1")}
    assert words_of(four) == []
    assert words_of({k: v for k, v in full.items() if k[1] != "worst"}) == []
    files = files_of(make_store(full, paper=None), "md", "figure")
    assert {"ranks.png", "ranks.svg", "ranks.pdf"} <= set(files)
    assert b"![Critical-difference diagram" in files["table.md"]


# Machado, Oliveira and Fernandes, IEEE Trans. Vis. Comput. Graph. 15 (2009), severity 1.
VISION = {
    "all": np.eye(3),
    "no red": [[0.1523, 1.0526, -0.2049], [0.1145, 0.7863, 0.0992], [-0.0039, -0.0481, 1.052]],
    "no green": [[0.3673, 0.8607, -0.228], [0.2801, 0.6725, 0.0474], [-0.0118, 0.0429, 0.9689]],
    "no blue": [[1.2555, -0.0767, -0.1788], [-0.0784, 0.9308, 0.1476], [0.0047, 0.6914, 0.3039]],
}


def linear(colour: str):
    values = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    """Return CIE L*a*b* of linear RGB."""
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    xyz = to_xyz @ np.clip(rgb, 0, 1) / [0.9505, 1.0, 1.089]
    x, y, z = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("page", [{c: c for c in drawing.CSS_NAMES}, drawing.DARK])
def test_colours_of_lines_are_apart_with_any_vision_and_stand_out(page) -> None:
    from boostbench.report.figures.curves import COLOURS

    names = {**{name: colour for colour, name in drawing.CSS_NAMES.items()}, **page}
    shown = [linear(names[drawing.CSS_NAMES[colour]]) for colour in COLOURS]
    luminance = [float(rgb @ [0.2126, 0.7152, 0.0722]) for rgb in [linear(names["page"]), *shown]]
    behind, lines = luminance[0], luminance[1:]
    for value in lines:
        assert (max(value, behind) + 0.05) / (min(value, behind) + 0.05) >= 3
    for matrix in VISION.values():
        for a, b in itertools.combinations(shown, 2):
            assert np.linalg.norm(lab(matrix @ a) - lab(matrix @ b)) > 15


def test_panels_of_many_runs_stay_small(make_store) -> None:
    cells = {("yacht", "srt"): [0.8 + n / 1000 for n in range(80)], ("yacht", "orrt"): [0.5, 0.6]}
    panels = panels_of(make_store(cells))
    svg = max(panels.values(), key=lambda svg: svg.count("<circle"))
    # A mark a run, of which a browser copies none.
    assert svg.count("<circle") >= 80
    assert svg.count("<use") < 40
    for svg in panels.values():
        ids = set(re.findall(r' id="([^"]+)"', svg))
        assert ids == set(re.findall(r'(?:href="#|url\(#)([^")]+)', svg))
        assert svg.count("<g") == svg.count("</g>")
        assert not re.search(r"<[^>]*\d\.\d{3}", svg)
        ET.fromstring(svg)
        assert "<g>" not in svg
