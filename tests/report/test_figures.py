import io
import re

import matplotlib
import pytest
from pages import files_of, page_of, panels_of, words_in
from PIL import Image

from boostbench.store.types import Outcome

SHOWN = "Mean test R² of {}, measured and published"


@pytest.fixture
def panels(make_store, cells) -> dict[str, str]:
    return panels_of(make_store(cells))


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


def test_panels_show_each_cell_in_words(panels) -> None:
    methods = ["srt", "srt_l2", "orrt", "orrt_trained", "random_forest_r"]
    assert list(panels) == [SHOWN.format(method) for method in methods]
    words = {method: words_in(panels[SHOWN.format(method)]) for method in methods}
    assert {"−0.005", "R² −14.100", "yacht", "housing", "mean test R²"} <= set(words["srt"])
    assert "+0.345" in words["orrt_trained"]
    assert words["random_forest_r"].count("no finished run") == 2


def test_panels_take_their_colours_from_the_page(panels) -> None:
    for svg in panels.values():
        assert svg.startswith("<svg")
        assert not re.search(r"#[0-9a-f]{6}\b(?!-)", svg)
        assert "var(--ink)" in svg


def test_axes_hold_every_mean_and_the_perfect_score(make_store, make) -> None:
    (svg,) = panels_of(make_store({("yacht", "own"): [0.52, 0.52]}, paper=None)).values()
    assert [word for word in words_in(svg) if re.fullmatch(r"[01]\.\d+", word)] == [
        "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1.0", "0.520",
    ]  # fmt: skip
    cells = {("vowel", "own"): [Outcome("ok", metrics={"error": 0.32})] * 2}
    (svg,) = panels_of(make(cells, paper=None)).values()
    words = words_in(svg)
    assert {"0", "10", "20", "30", "40", "mean test error, %", "32.00"} <= set(words)
    assert "50" not in words


def test_a_page_without_published_values_shows_the_means_alone(make_store) -> None:
    store = make_store({("mine", "own"): [0.9, 0.8]})
    (words,) = (words_in(svg) for svg in panels_of(store).values())
    assert "0.850" in words
    assert list(panels_of(store)) == ["Mean test R² of own"]
    page = page_of(store)
    assert "published" not in page.section("Figure")


def test_every_run_exploded_where_the_paper_leaves_such_runs_out(make_store) -> None:
    store = make_store({("yacht", "orrt"): [-1.0, -2.0], ("housing", "orrt"): [0.7, 0.7]})
    (svg,) = panels_of(store).values()
    assert "all R² &lt; 0" in svg
    row = page_of(store).row("Measured beside published", Data_set="yacht")
    assert row["orrt"] == "– (0.645) [all 2 runs have R² < 0]"


def test_long_names_are_shortened_in_figures_only(make_store) -> None:
    name = "a_data_set_with_a_very_long_name"
    store = make_store({(name, "own"): [0.5]})
    (svg,) = panels_of(store).values()
    assert "a_data_set_with_a_very_lo…" in words_in(svg)
    assert name in page_of(store).column("Test R²", "Data set")
