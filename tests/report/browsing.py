"""A headless Chromium, driven over WebDriver: Debian's packages chromium and chromium-driver."""

import base64
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from report_parts import EXPERIMENT, ok, trial

from boostbench.report.build import build_report
from boostbench.store.store import Store
from boostbench.store.types import Outcome

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def _program(variable: str, *names: str) -> str | None:
    found = os.environ.get(variable) or next(filter(None, map(shutil.which, names)), None)
    return found or None


class Browser:
    """A browser with one tab. ``driver`` is selenium's."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver
        self.run = driver.execute_script

    def open(self, page: Path | str, width: int = 1280, height: int = 900) -> None:
        """Show a file, or an address, in a window of this size; what the last one kept is gone."""
        self.size(width, height)
        address = page if isinstance(page, str) else page.resolve().as_uri()
        self.driver.get("about:blank")
        self.driver.get(address)
        self.run("localStorage.clear(); sessionStorage.clear()")
        self.driver.get_log("browser")
        self.driver.get(address)

    def size(self, width: int, height: int) -> None:
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.command("Emulation.setDeviceMetricsOverride", **metrics)

    def command(self, name: str, **arguments: Any) -> Any:
        """Run a command of Chromium's own protocol."""
        return self.driver.execute_cdp_cmd(name, arguments)

    def all(self, selector: str) -> list[Any]:
        return self.driver.find_elements("css selector", selector)

    def one(self, selector: str) -> Any:
        return self.driver.find_element("css selector", selector)

    def texts(self, selector: str) -> list[str]:
        """Return the texts of displayed elements."""
        return [found.text for found in self.all(selector) if found.is_displayed()]

    def press(self, selector: str, key: str) -> None:
        """Press a key with the focus on an element, as the keyboard does."""
        self.one(selector).send_keys(key)

    def complaints(self) -> list[str]:
        """Return what the browser complained of since the last call."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def pdf(self) -> bytes:
        """Return the page as it is printed."""
        printed = self.command("Page.printToPDF", preferCSSPageSize=True, printBackground=True)
        return base64.b64decode(printed["data"])


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start Chromium; the test is skipped, with a reason, where it or its driver is missing."""
    selenium = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    from selenium.webdriver.chrome.service import Service

    program = _program("BOOSTBENCH_CHROMIUM", *_NAMES)
    driver = _program("BOOSTBENCH_CHROMEDRIVER", "chromedriver")
    if program is None or driver is None:
        lacking = "Chromium" if program is None else "chromedriver"
        pytest.skip(f"no {lacking} on the PATH: apt-get install chromium chromium-driver")
    options = selenium.ChromeOptions()
    options.binary_location = program
    for word in ("headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage", "lang=en"):
        options.add_argument(f"--{word}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    # Chromium leaves folders among the temporary files.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        service = Service(driver, env={**os.environ, "TMPDIR": temporary})
        started = selenium.Chrome(options=options, service=service)
        try:
            yield Browser(started)
        finally:
            started.quit()


SETS = (
    "abalone", "ailerons", "airfoil", "auto_mpg", "compactiv", "housing", "kin8nm", "puma32h",
    "yacht",
)  # fmt: skip
METHODS = ("srt", "srt_l2", "orrt", "orrt_trained")
OVERVIEW = "table[data-key=overview]"
OPENED = "section.open"
ENTER, ESCAPE, RIGHT = "\ue007", "\ue00c", "\ue014"


def cell(row: int, column: int) -> str:
    """Return the selector of a cell's button in the first table; the first method is column 2."""
    return f"{OVERVIEW} tbody tr:nth-child({row}) td:nth-child({column}) button.runs"


def tree_cells() -> dict[tuple[str, str], list[Any]]:
    """Return results of which each data set has another rank, some failed, one set has none."""
    found: dict[tuple[str, str], list[Any]] = {}
    for row, dataset in enumerate(SETS):
        for column, method in enumerate(METHODS):
            score = 0.5 + ((7 * row) % 9) / 20 + column / 100
            found[dataset, method] = [ok(score, 0.1 * (column + 1)), ok(score - 0.02, 0.2)]
    found["yacht", "orrt"] = [0.64, Outcome("timeout", "over the limit of 10 s")]
    for method in METHODS:
        found["kin8nm", method] = [None, None]
    found["kin8nm", "srt"] = [Outcome("error", "singular matrix"), None]
    return found


def fill(store: Store, found: Mapping[tuple[str, str], Sequence[Any]]) -> None:
    planned = [
        (trial(dataset, method, seed), value)
        for (dataset, method), values in found.items()
        for seed, value in enumerate(values)
    ]
    entries = [{"name": name, "card": name} for name in dict.fromkeys(d for d, _ in found)]
    store.set_plan({**EXPERIMENT, "datasets": entries}, [item for item, _ in planned])
    for item, value in planned:
        if value is not None:
            store.record(item, value if isinstance(value, Outcome) else ok(value), "e1")


def report(folder: Path, store: Store) -> Path:
    """Write the page of a store and return its path."""
    build_report(store, folder, ["html"])
    return folder / "table.html"
