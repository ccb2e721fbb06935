"""The page in a browser: its length, what opens, the keyboard, a phone, print and no script."""

import os
import shutil
from importlib.resources import files
from pathlib import Path

import pytest
from parts import A, store_of

from boostbench.report.build import build_report
from boostbench.store.store import Store

pytest.importorskip("selenium")
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

CHROMIUM = os.environ.get("BOOSTBENCH_CHROMIUM") or shutil.which("chromium")
DRIVER = os.environ.get("BOOSTBENCH_CHROMEDRIVER") or shutil.which("chromedriver")
ARCHIVES = Path(__file__).parents[2] / "results"
# Screens at 1280 x 900 and kB, before anything is opened.
LIMITS = {
    "d3": (6, 800),
    "d2_grid": (4, 330),
    "quickstart": (3, 120),
    "fig6_fcd": (4, 250),
    "fig1_uci": (4, 250),
}
# The page of d3, the largest, takes half a minute.
EACH = [pytest.param(name, marks=pytest.mark.long) if name == "d3" else name for name in LIMITS]
pytestmark = [
    pytest.mark.end_to_end,
    pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="needs chromium and chromedriver"),
]
CUT = """
return [...document.querySelectorAll('table')].filter(t => t.getClientRects().length &&
    t.getBoundingClientRect().width > t.parentElement.clientWidth + 1).map(t => t.innerText)"""
WITHOUT_CUE = """
return [...document.querySelectorAll('.scroll')].filter(s => s.scrollWidth > s.clientWidth + 1 &&
    !s.querySelector('.cue').getClientRects().length).length"""
OPEN_ALL = "document.querySelectorAll('details').forEach(d => d.open = true)"


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Return a function that gives the page of kept results, each built once."""
    made = {}

    def page(name):
        if name not in made:
            out = tmp_path_factory.mktemp(name)
            archive = ARCHIVES / name / "archive"
            with Store.read(archive) as store:
                build_report(store, out, ["html"])
            made[name] = out / "table.html"
        return made[name]

    return page


@pytest.fixture(scope="module")
def driver():
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for each in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        "--disable-dev-shm-usage",
    ):
        options.add_argument(each)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    made = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    yield made
    made.quit()


@pytest.fixture
def show(driver, pages):
    """Return a function that opens a page at a width."""

    def shown(name, width=1280, height=900, place=""):
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        driver.get("about:blank")
        driver.get(pages(name).as_uri() + place)
        return driver

    return shown


def screens(driver):
    return driver.execute_script("return document.documentElement.scrollHeight / innerHeight")


def goes_sideways(driver, width=1280):
    # A phone's own innerWidth grows with what is too wide.
    return driver.execute_script("return document.documentElement.scrollWidth") > width


@pytest.mark.parametrize("name", EACH)
def test_the_page_is_short_and_nothing_is_cut(show, pages, name):
    most, size = LIMITS[name]
    driver = show(name)
    assert screens(driver) <= most
    assert pages(name).stat().st_size <= 1000 * size
    assert not goes_sideways(driver)
    assert driver.execute_script(CUT) == []
    first = driver.find_element(By.CSS_SELECTOR, "main section")
    assert first.location["y"] < 900
    assert not [entry for entry in driver.get_log("browser") if "favicon" not in entry["message"]]


@pytest.mark.parametrize("name", EACH)
def test_on_a_phone_it_is_about_twice_as_long_and_tables_scroll_in_their_frames(show, name):
    driver = show(name, 390, 844)
    assert screens(driver) <= 2.2 * LIMITS[name][0]
    assert driver.find_element(By.CSS_SELECTOR, "main section").location["y"] < 1.5 * 844
    driver.execute_script(OPEN_ALL)
    assert not goes_sideways(driver, 390)
    driver.execute_async_script("setTimeout(arguments[0], 50)")
    assert driver.execute_script(WITHOUT_CUE) == 0


@pytest.mark.parametrize("table", [None, "2"])
def test_no_long_name_makes_a_page_go_sideways(driver, tmp_path, table):
    name = "a_name_without_any_place_to_break_it".replace("_", "") * 3
    methods = [{"name": each, "estimator": f"my.{each}.{name}"} for each in (name, "mine")]
    labels = ["srt", "srt_l2", "orrt", "ort_l", name, "mine"]
    datasets = ["yacht", "housing"] if table else [name]
    cells = {(dataset, label): A for dataset in datasets for label in labels}
    changes = {"methods": methods, "table": table, "title": name, "description": name}
    build_report(store_of(cells, **changes), tmp_path, ["html"])
    size = {"width": 400, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    driver.get((tmp_path / "table.html").as_uri())
    assert not goes_sideways(driver, 400)
    driver.execute_script(OPEN_ALL)
    assert not goes_sideways(driver, 400)


def test_a_cell_opens_under_its_row_and_keeps_the_focus_order(show):
    driver = show("d2_grid")
    first = driver.find_element(By.CSS_SELECTOR, "a.cell")
    first.send_keys(Keys.ENTER)
    card = driver.find_element(By.CSS_SELECTOR, "tr.opened .card")
    assert "abalone, SRT-ℓ₂: undecided" in card.text
    assert first.get_attribute("aria-expanded") == "true"
    assert driver.current_url.endswith(f"#{first.get_attribute('data-card')}")
    first.send_keys(Keys.ARROW_DOWN)
    assert driver.switch_to.active_element.get_attribute("data-card") == "c-ailerons/srt_l2"
    driver.switch_to.active_element.send_keys(Keys.SPACE)
    assert "ailerons, SRT-ℓ₂" in driver.find_element(By.CSS_SELECTOR, "tr.opened .card").text
    driver.switch_to.active_element.send_keys(Keys.ESCAPE)
    assert not driver.find_elements(By.CSS_SELECTOR, "tr.opened")
    assert driver.switch_to.active_element.get_attribute("data-card") == "c-ailerons/srt_l2"


def test_an_address_opens_its_cell_and_its_filter(show):
    driver = show("d2_grid", place="#c-puma32h/srt_l2")
    assert "puma32h, SRT-ℓ₂: differs" in driver.find_element(By.CSS_SELECTOR, "tr.opened").text
    driver = show("d2_grid", place="#claims-weaker")
    shown = [g for g in driver.find_elements(By.CSS_SELECTOR, ".group") if g.is_displayed()]
    assert [group.get_attribute("id") for group in shown] == ["claims-weaker"]


def test_buttons_show_and_hide_curves_that_are_all_drawn(show):
    driver = show("fig6_fcd")
    figures = driver.find_elements(By.CSS_SELECTOR, "#figure .fig")
    assert sum(figure.is_displayed() for figure in figures) == 9
    driver.find_element(By.CSS_SELECTOR, "[data-f='objective-by-solver-seconds']").click()
    assert sum(figure.is_displayed() for figure in figures) == 3
    assert driver.current_url.endswith("#objective-by-solver-seconds")


def test_print_shows_parts_that_are_closed_on_screen(show):
    driver = show("quickstart")
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        section = driver.find_element(By.CSS_SELECTOR, "#reading p")
        assert section.size["height"] > 0
        assert not driver.find_element(By.CSS_SELECTOR, ".top nav").is_displayed()
    finally:
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_without_scripts_a_cell_leads_to_its_card(driver, show):
    driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        show("quickstart")
        link = driver.find_element(By.CSS_SELECTOR, "a[data-card]")
        link.click()
        card = driver.find_element(By.ID, link.get_attribute("data-card"))
        assert card.is_displayed()
        assert not driver.find_elements(By.CSS_SELECTOR, ".copy")
    finally:
        driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


# Of the tables of trees, all opened, it takes minutes.
@pytest.mark.parametrize(
    "name",
    [
        "fig1_uci",
        pytest.param("quickstart", marks=pytest.mark.long),
        pytest.param("fig6_fcd", marks=pytest.mark.long),
    ],
)
def test_axe_finds_nothing_serious(show, name):
    driver = show(name)
    driver.execute_script(OPEN_ALL)
    driver.execute_script(files("axe_core_python").joinpath("axe.min.js").read_text("utf-8"))
    for scheme in ("light", "dark"):
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        found = driver.execute_async_script(
            "const done = arguments[0]; axe.run(document).then(r => done(r.violations.filter("
            "v => ['serious', 'critical'].includes(v.impact)).map(v => v.id)))"
        )
        assert found == [], scheme
