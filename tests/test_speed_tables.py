"""The tables of results/speed/."""

import argparse
import csv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def test_a_table_and_its_page(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    from speed_tables import SpeedTable

    table = SpeedTable(
        "search",
        "A search",
        "Of stumps.",
        {"dataset": "data set", "lightgbm": "LightGBM", "xgboost": "XGBoost", "n": "rows"},
        ("pytest", "no-such-package"),
    )
    table.add(dataset="vowel", lightgbm=[10.0, 20.0, 40.0, 30.0], n=1234)
    table.add(dataset="usps", lightgbm=[5.0], xgboost=[2.0, 3.0])
    table.write(argparse.Namespace(out=tmp_path, date="2026-11-22"))
    with (tmp_path / "search.csv").open(newline="") as file:
        first, second = csv.DictReader(file)
    parts = ("median", "q1", "q3", "min", "max", "n")
    assert [first[f"lightgbm_{part}"] for part in parts] == ["25", "17.5", "32.5", "10", "40", "4"]
    assert (first["n"], first["xgboost_median"], second["xgboost_median"]) == ("1234", "", "2.5")
    page = (tmp_path / "search.md").read_text()
    assert "| vowel | 25.0 (17.5 to 32.5) | - | 1,234 |" in page
    assert "- Date: 2026-11-22" in page
    assert f"pytest {pytest.__version__}, no-such-package not installed" in page
    assert "cores" in page
    table.write(argparse.Namespace(out=tmp_path, date=""))
    assert "Date" not in (tmp_path / "search.md").read_text()
