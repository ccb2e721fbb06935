"""Tables of the page in a real browser: sorting, filters, folded rows, and the runs of a cell."""

import shlex

import pytest
from browsing import ENTER, ESCAPE, OPENED, OVERVIEW, Browser, cell

from boostbench.cli.app import main
from boostbench.store.store import Store

pytestmark = pytest.mark.usefixtures("no_complaints")
TINY = """\
name: tiny
datasets: [diabetes]
folds: 2
seeds: 1
methods:
  - {name: dummy, estimator: sklearn.dummy.DummyRegressor}
  - {name: median-2.x, estimator: sklearn.dummy.DummyRegressor, params: {strategy: median}}
"""


def names(browser: Browser) -> list[str]:
    return browser.texts(f"{OVERVIEW} tbody:not(.averages) th")


def scores(browser: Browser) -> list[float]:
    return [
        float(text)
        for text in browser.texts(f"{OVERVIEW} tbody:not(.averages) td:nth-child(2) .value")
        if text != "–"
    ]


# -- tables ------------------------------------------------------------------------------------


def test_a_click_on_a_header_sorts_numbers_and_the_averages_stay_last(browser, regression) -> None:
    browser.open(regression)
    before = names(browser)
    head = browser.one(f"{OVERVIEW} thead th:nth-child(2)")
    head.find_element("css selector", "button").click()
    assert scores(browser) == sorted(scores(browser))
    assert head.get_attribute("aria-sort") == "ascending"
    rows = browser.texts(f"{OVERVIEW} tbody th")
    assert [row.split()[0] for row in rows[-2:]] == ["Arithmetic", "Geometric"]
    head.find_element("css selector", "button").click()
    assert scores(browser) == sorted(scores(browser), reverse=True)
    assert head.get_attribute("aria-sort") == "descending"
    assert browser.texts(f"{OVERVIEW} tbody th")[-2:] == rows[-2:]
    head.find_element("css selector", "button").click()
    assert names(browser) == before
    assert head.get_attribute("aria-sort") is None


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["0.9 ± 0.1", "−14.1", "0.10"], ["−14.1", "0.10", "0.9 ± 0.1"]),
        (["1,200", "90", "–", "1e4"], ["90", "1,200", "1e4", "–"]),
        (["× 1,110", "× 2.5", "× 0.7"], ["× 0.7", "× 2.5", "× 1,110"]),
        (["b10", "b9", "3 of a"], ["3 of a", "b9", "b10"]),
    ],
)
def test_columns_sort_as_what_they_hold(browser, regression, texts, expected) -> None:
    browser.open(regression)
    rows = f"{OVERVIEW} tbody:not(.averages) tr"
    browser.run(
        "const rows = [...document.querySelectorAll(arguments[0])];"
        "const texts = arguments[1];"
        "rows.forEach((row, i) => { row.classList.remove('pending');"
        " row.cells[1].textContent = texts[i] ?? ''; })",
        rows, texts,
    )  # fmt: skip
    browser.one(f"{OVERVIEW} thead th:nth-child(2) button").click()
    found = browser.run(
        "return [...document.querySelectorAll(arguments[0])].map((r) => r.cells[1].textContent)",
        rows,
    )
    assert [text for text in found if text] == expected


def test_rows_without_results_are_folded_until_asked_for(browser, regression) -> None:
    browser.open(regression)
    assert "kin8nm" not in names(browser)
    button = browser.one(".tools button")
    assert button.text == "Show 1 row without results"
    assert button.get_attribute("aria-expanded") == "false"
    button.click()
    assert "kin8nm" in names(browser)
    assert button.text == "Hide 1 row without results"


# -- runs --------------------------------------------------------------------------------------


def test_a_click_on_a_cell_opens_its_runs_with_the_reason_of_a_failed_one(
    browser, regression
) -> None:
    browser.open(regression)
    browser.one(cell(9, 4)).click()
    panel = browser.one(OPENED)
    assert panel.find_element("css selector", "h4").text == "orrt on yacht: 1 of 2 runs finished"
    titles = ["fold", "seed", "R²", "seconds", "status", "reason"]
    assert browser.texts(f"{OPENED} thead th") == titles
    rows = [row.text.split() for row in browser.all(f"{OPENED} tbody tr")]
    assert rows[0][:5] == ["0", "0", "0.64", "0.5", "ok"]
    assert rows[1][:3] == ["0", "1", "timeout"]
    assert "over the limit of 10 s" in " ".join(rows[1])
    assert browser.texts(f"{OPENED} pre") == [
        "boostbench run small --only dataset=yacht --only method=orrt --again"
    ]
    browser.all(f"{OPENED} button.this")[1].click()
    assert browser.texts(f"{OPENED} pre") == [
        "boostbench run small --only dataset=yacht --only method=orrt --only fold=0 "
        "--only seed=1 --again"
    ]


def test_enter_opens_runs_escape_closes_them_and_the_focus_returns(browser, regression) -> None:
    browser.open(regression)
    browser.press(cell(1, 2), ENTER)
    focused = browser.driver.switch_to.active_element
    assert focused.text == "srt on abalone: 2 of 2 runs finished"
    focused.send_keys(ESCAPE)
    assert browser.all(OPENED) == []
    back = browser.driver.switch_to.active_element
    assert back.get_attribute("aria-expanded") == "false"
    assert back.text == browser.one(cell(1, 2)).text
    # Another cell takes the place of the first; the same one again closes it.
    browser.one(cell(1, 2)).click()
    browser.one(cell(2, 3)).click()
    assert browser.texts(f"{OPENED} h4") == ["srt_l2 on ailerons: 2 of 2 runs finished"]
    browser.one(cell(2, 3)).click()
    assert browser.all(OPENED) == []


def test_the_command_of_a_run_runs_that_run_again(browser, tmp_path, monkeypatch, cheap) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tiny.yaml").write_text(TINY)

    def run(*words: str) -> None:
        with pytest.raises(SystemExit) as ended:
            main(words)
        assert ended.value.code == 0

    def recorded() -> dict[str, float]:
        with Store.open(tmp_path / "results" / "tiny", create=False, read_only=True) as store:
            named = {one.key: one.name for one in store.plan()}
            rows = store.database.query("SELECT key, recorded FROM outcomes")
            return {named[key]: when for key, when in rows}

    run("run", "tiny.yaml", "-j", "1", "--offline")
    before = recorded()
    browser.open(tmp_path / "results" / "tiny" / "table.html")
    browser.one(cell(1, 3)).click()
    browser.all(f"{OPENED} button.this")[1].click()
    words = shlex.split(browser.one(f"{OPENED} pre").text)
    assert words[0] == "boostbench"
    run(*words[1:], "-j", "1")
    after = recorded()
    again = [name for name in after if after[name] != before[name]]
    assert again == ["diabetes/median-2.x/1/0"]
