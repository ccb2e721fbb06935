import io
import re

import pytest
from PIL import Image

from boostbench.report.figures import figure_files, panel_svgs
from boostbench.report.frame import load_results
from boostbench.report.stats import Summary, summarise


@pytest.fixture
def summary(make_store, cells) -> Summary:
    return summarise(load_results(make_store(cells)))


def test_png_is_a_picture_with_the_colours_of_its_verdicts(summary: Summary) -> None:
    image = Image.open(io.BytesIO(figure_files(summary)["png"])).convert("RGB")
    assert image.width > image.height > 100
    seen = {colour for _, colour in image.getcolors(maxcolors=1_000_000)}
    for verdict_colour in ((0, 0x9E, 0x73), (0, 0x72, 0xB2), (0xD5, 0x5E, 0)):
        assert verdict_colour in seen


@pytest.mark.parametrize(("kind", "start"), [("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_no_dates_in_vector_files(summary: Summary, kind: str, start: bytes) -> None:
    content = figure_files(summary)[kind]
    assert content.startswith(start)
    assert b"CreationDate" not in content
    assert b"dc:date" not in content


def test_user_settings_do_not_change_the_figure(summary: Summary) -> None:
    import matplotlib

    plain = figure_files(summary)["svg"]
    with matplotlib.rc_context({"font.size": 20, "svg.hashsalt": "mine"}):
        assert figure_files(summary)["svg"] == plain
        assert matplotlib.rcParams["font.size"] == 20


def test_panels_tell_each_cell_in_words(summary: Summary) -> None:
    panels = dict(panel_svgs(summary))
    assert list(panels) == ["srt", "srt_l2", "orrt", "orrt_trained", "random_forest_r"]
    texts = {name: re.findall(r">([^<>]+)</text>", svg) for name, svg in panels.items()}
    assert "−0.005" in texts["srt"]
    assert "R² −14.100" in texts["srt"]
    assert "+0.345" in texts["orrt_trained"]
    assert texts["random_forest_r"].count("no finished run") == 2
    assert {"yacht", "housing"} <= set(texts["srt"])


def test_panels_take_their_colours_from_the_page(summary: Summary) -> None:
    for _, svg in panel_svgs(summary):
        assert svg.startswith("<svg")
        assert not re.search(r"#[0-9a-f]{6}\b(?!-)", svg)
        assert "var(--ink)" in svg
