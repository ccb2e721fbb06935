"""The page in a real browser: curves, light and dark, phone, print, no scripts, many trials."""

import io
import math
import re
import unicodedata
from pathlib import Path
from typing import Any

import boosting_parts
import pytest
from browsing import ENTER, METHODS, OPENED, OVERVIEW, RIGHT, Browser, cell, fill, report
from report_parts import ok

from boostbench.store.store import Store
from boostbench.store.types import Outcome

pytestmark = pytest.mark.usefixtures("no_complaints")


# -- curves ------------------------------------------------------------------------------------


def lines(browser: Browser) -> list[str]:
    """Return the methods whose curves are drawn, of all data sets."""
    return [line.get_attribute("data-method") for line in browser.all("#curves svg .line")]


def test_methods_of_the_curves_are_switched_on_and_off(browser, boosting) -> None:
    browser.open(boosting)
    assert lines(browser) == ["multiboost_cw", "multiboost"] * 2
    button = browser.one("#curves button[data-method=multiboost]")
    button.click()
    assert lines(browser) == ["multiboost_cw"] * 2
    assert button.get_attribute("aria-pressed") == "false"
    button.send_keys(ENTER)
    assert len(lines(browser)) == 4


def test_axes_are_linear_or_logarithmic(browser, boosting) -> None:
    browser.open(boosting)
    path = browser.one("#curves .line").get_attribute("d")
    browser.one("#curves input[name=logY]").click()
    logarithmic = browser.one("#curves .line").get_attribute("d")
    assert logarithmic != path
    heights = [float(y) for y in re.findall(r"[ML][\d.]+ ([\d.]+)", logarithmic)]
    # 80, 30, 15, 10 %: equal ratios are equal distances.
    steps = [heights[1] - heights[0], heights[2] - heights[1]]
    assert steps[0] / steps[1] == pytest.approx(math.log(8 / 3) / math.log(2), rel=0.01)
    browser.one("#curves input[name=logX]").click()
    assert browser.one("#curves .line").get_attribute("d") != logarithmic


def test_another_quantity_is_shown_against_seconds(browser, boosting) -> None:
    browser.open(boosting)
    options = browser.texts("#curves select[name=y] option")
    assert {"test error, %", "training time, s", "objective"} <= set(options)
    browser.one("#curves select[name=x] option[value=fit_s]").click()
    browser.one("#curves select[name=y] option[value=objective]").click()
    assert browser.one("#curves input[name=logY]").is_selected()
    words = browser.texts("#curves svg text.soft")
    assert words[:2] == ["training time, s", "objective"]
    assert len(lines(browser)) == 4


def test_pointing_at_a_curve_and_arrow_keys_read_its_values(browser, boosting) -> None:
    browser.open(boosting)
    picture = browser.one("#curves svg.curve")
    picture.send_keys(RIGHT)
    assert browser.one("#curves .readout").text == "iteration 1: multiboost_cw 80 multiboost 80"
    picture.send_keys(RIGHT)
    assert browser.one("#curves .readout").text == "iteration 2: multiboost_cw 30 multiboost 60"
    from selenium.webdriver import ActionChains

    width = picture.size["width"]
    ActionChains(browser.driver).move_to_element_with_offset(picture, width // 2 - 12, 0).perform()
    assert browser.one("#curves .readout").text == "iteration 6: multiboost_cw 10 multiboost 20"


def test_a_method_without_stages_is_a_horizontal_line(browser, make, tmp_path: Path) -> None:
    flat = Outcome("ok", metrics={"error": 0.3, "n_train": 75, "n_test": 25}, times={"fit_s": 2.0})
    staged = [boosting_parts.ok([0.8, 0.4, 0.2])] * 2
    store = make({("vowel", "multiboost"): staged, ("vowel", "forest"): [flat, flat]})
    browser.open(report(tmp_path / "page", store))
    assert sorted(lines(browser)) == ["forest", "multiboost"]
    path = browser.one("#curves .line[data-method=forest]").get_attribute("d")
    assert re.fullmatch(r"M52 [\d.]+H370", path)
    browser.one("#curves svg.curve").send_keys(RIGHT)
    assert browser.one("#curves .readout").text == "iteration 1: multiboost 80 forest 30"


def test_the_drawn_figures_are_there_when_asked_for(browser, boosting) -> None:
    browser.open(boosting)
    drawn = browser.one("[data-curves]")
    assert not drawn.is_displayed()
    button = next(b for b in browser.all("#curves button") if b.text == "Show the drawn figures")
    button.click()
    assert drawn.is_displayed()


# -- looks -------------------------------------------------------------------------------------


def background(browser: Browser) -> tuple[int, ...]:
    colour = browser.run("return getComputedStyle(document.body).backgroundColor")
    return tuple(int(part) for part in re.findall(r"\d+", colour)[:3])


def test_light_and_dark_follow_the_system_and_then_the_button(browser, regression) -> None:
    browser.open(regression)
    try:
        for scheme, dark in (("dark", True), ("light", False)):
            features = [{"name": "prefers-color-scheme", "value": scheme}]
            browser.command("Emulation.setEmulatedMedia", features=features)
            assert (sum(background(browser)) < 200) is dark
        button = browser.one("button.theme")
        assert button.text == "Dark"
        button.click()
        assert sum(background(browser)) < 200
        assert button.text == "Light"
        browser.driver.refresh()
        assert sum(background(browser)) < 200
    finally:
        browser.command("Emulation.setEmulatedMedia", features=[])


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("page", ["regression", "boosting"])
def test_the_page_is_never_wider_than_its_window(browser, request, page: str, width: int) -> None:
    browser.open(request.getfixturevalue(page), width)
    if page == "regression":
        browser.one(cell(9, 4)).click()
    assert browser.run("return document.documentElement.scrollWidth") <= width
    assert browser.run("return innerWidth") == width


def test_on_a_phone_a_table_scrolls_below_its_first_column(browser, regression) -> None:
    browser.open(regression, 390, 844)
    box = "document.querySelector('.scroll:has(table[data-key=overview])')"
    assert browser.run(f"return {box}.scrollWidth > {box}.clientWidth")
    first = browser.one(f"{OVERVIEW} tbody th")
    before = first.rect["x"]
    browser.run(f"{box}.scrollLeft = 120")
    assert first.rect["x"] == pytest.approx(before, abs=1.5)
    assert first.rect["width"] > 50


def test_a_reader_of_the_screen_hears_what_tables_and_columns_are(browser, regression) -> None:
    browser.open(regression)
    assert all(
        browser.run(
            "return [...document.querySelectorAll('table')].map((table) =>"
            " table.caption.textContent.length > 0"
            " && [...table.tHead.querySelectorAll('th')].every((th) => th.scope)"
            " && [...table.querySelectorAll('tbody th')].every((th) => th.scope === 'row'))"
        )
    )
    assert browser.run("return document.documentElement.lang") == "en"
    assert all(svg.get_attribute("aria-label") for svg in browser.all(".charts figure > svg"))


# -- print, and without scripts ----------------------------------------------------------------


def printed(browser: Browser) -> list[tuple[float, str]]:
    """Return where texts end on the sheets, as shares of their width, and the texts."""
    pypdf = pytest.importorskip("pypdf")
    found: list[tuple[float, str]] = []
    for sheet in pypdf.PdfReader(io.BytesIO(browser.pdf())).pages:
        width, height = float(sheet.mediabox.width), float(sheet.mediabox.height)
        assert (round(width), round(height)) == (842, 595)  # A4 in landscape, in points

        def note(text: str, cm: Any, tm: Any, font: Any, size: float, width: float = width) -> None:
            if text.strip():
                found.append(((cm[0] * tm[4] + cm[4]) / width, text.strip()))

        sheet.extract_text(visitor_text=note)
    return found


def squeezed(text: str) -> str:
    """Return ``text`` without what print adds: ligatures and the ends of lines."""
    return "".join(unicodedata.normalize("NFKC", text).split())


def last_columns(browser: Browser) -> list[str]:
    return browser.run(
        "return [...document.querySelectorAll('table[data-key]')].map((table) =>"
        " [...table.tHead.rows].pop().lastElementChild.textContent.trim())"
    )


def test_print_has_the_last_column_of_every_table_on_the_sheet(browser, regression) -> None:
    browser.open(regression)
    browser.one(cell(9, 4)).click()
    expected = last_columns(browser)
    assert len(expected) > 6
    texts = printed(browser)
    words = " ".join(text for _, text in texts)
    for header in expected:
        assert squeezed(header) in squeezed(words)
    assert max(place for place, _ in texts) < 0.97
    assert squeezed("orrt on yacht: 1 of 2 runs finished") in squeezed(words)
    # Buttons are of no use there.
    assert "Filter" not in words
    assert "Copy" not in words


def test_printed_curves_have_their_legend(browser, boosting) -> None:
    browser.open(boosting)
    browser.one("#curves button[data-method=multiboost]").click()
    browser.command("Emulation.setEmulatedMedia", media="print")
    try:
        assert browser.texts("#curves button") == ["multiboost_cw"]
        assert browser.texts("#curves select") == []
    finally:
        browser.command("Emulation.setEmulatedMedia", media="")


def test_no_table_is_wider_than_the_sheet(
    browser, regression, boosting, tmp_path: Path, cheap
) -> None:
    names = [f"a_rather_long_name_of_a_method_{number}" for number in range(12)]
    found = {
        (f"a_data_set_with_a_long_name_{row}", name): [ok(0.5, 1234.5), ok(-1e4, 0.1), None]
        for row in range(3)
        for name in names
    }
    with Store.open(tmp_path, create=True) as store:
        fill(store, found)
        wide = report(tmp_path, store)
    sheet = 1039  # A4 in landscape without its margins, in CSS pixels
    try:
        for page in (regression, boosting, wide):
            browser.open(page, sheet)
            browser.command("Emulation.setEmulatedMedia", media="print")
            right = "(table) => table.getBoundingClientRect().right"
            tables = f"[...document.querySelectorAll('table')].map({right})"
            assert max(browser.run(f"return {tables}")) <= sheet
            assert browser.run("return document.documentElement.scrollWidth") <= sheet
            if page is regression:
                # What a button folds away is printed.
                assert "kin8nm" in browser.texts(f"{OVERVIEW} tbody th")
            browser.command("Emulation.setEmulatedMedia", media="")
    finally:
        browser.command("Emulation.setEmulatedMedia", media="")


def test_without_scripts_the_page_has_all_its_tables_and_figures(
    browser, regression, boosting
) -> None:
    browser.open(boosting)
    expected = last_columns(browser)
    browser.command("Emulation.setScriptExecutionDisabled", value=True)
    try:
        for page, drawn in ((regression, "Measured against published"), (boosting, "usps")):
            browser.driver.get(page.resolve().as_uri())
            words = " ".join(text for _, text in printed(browser))
            assert drawn in words
            assert "Filter" not in words
        for header in expected:
            assert squeezed(header) in squeezed(words)
        # The drawn panels, whose words are text.
        assert words.count("iterations") >= 6
    finally:
        browser.command("Emulation.setScriptExecutionDisabled", value=False)


# -- many trials -------------------------------------------------------------------------------


def test_a_page_of_8400_trials_is_small_and_opens_its_runs(browser, tmp_path: Path) -> None:
    found = {
        (f"set{row}", method): [0.5 + (row + seed % 7) / 40 for seed in range(80)]
        for row in range(15)
        for method in (*METHODS, "srt_best5", "srt_l2_best5", "random_forest")
    }
    with Store.open(tmp_path, create=True) as store:
        with store.database.unsynced():
            fill(store, found)
        page = report(tmp_path, store)
    assert page.stat().st_size < 2**20
    browser.open(page)
    browser.one(cell(3, 2)).click()
    assert len(browser.all(f"{OPENED} tbody tr")) == 80
    # On the screen they scroll, in print all are there.
    box = f"document.querySelector('{OPENED} .scroll')"
    assert browser.run(f"return {box}.scrollHeight > {box}.clientHeight")
    browser.command("Emulation.setEmulatedMedia", media="print")
    assert browser.run(f"return {box}.scrollHeight === {box}.clientHeight")
    browser.command("Emulation.setEmulatedMedia", media="")
