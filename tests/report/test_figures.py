"""The figures of means: differences from the published ones, means by data set, mean ranks."""

import io
import itertools
import re
from dataclasses import replace

import matplotlib
import numpy as np
import pytest
from pages import files_of, page_of, panels_of, words_in
from PIL import Image
from report_parts import EXPERIMENT, ok, trial

from boostbench.report.results import collect
from boostbench.report.figures import drawing, means, ranks
from boostbench.report.figures.ranks import diagram
from boostbench.report.intervals import half_width
from boostbench.report.summary import summarise

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
