"""The page in a real browser: curves, light and dark, phone, print, no scripts, many trials."""

import io
import re
import unicodedata
from typing import Any

import pytest
from browsing import ENTER, RIGHT, Browser, cell

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
