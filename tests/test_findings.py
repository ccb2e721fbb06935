"""What README and docs say was found: on the pages to which they link, or from their trials."""

import re
from pathlib import Path

import pytest

import boostbench
from boostbench import stats

ROOT = Path(__file__).parents[1]
_NUMBER = re.compile(r"(?<![\w.^])\d+\.\d+(?![\w.])")
# Test rows per training row, where they are not a quarter beside three.
SHARES = {
    "mnist": 10_000 / 10_000,
    "cifar10_jpeg_gist": 10_000 / 10_000,
    "cifar10_jpeg_pixels": 10_000 / 10_000,
    "scene15": 2985 / 1500,
    "scene15_images": 2985 / 1500,
    "gtsrb_images": 12_630 / 4300,
}
pytestmark = pytest.mark.skipif(not (ROOT / "docs").is_dir(), reason="not in a clone")


@pytest.mark.parametrize(
    ("page", "least"), [("README.md", 5), ("docs/papers.md", 8), ("docs/speed.md", 6)]
)
def test_every_figure_is_on_a_page_that_its_item_links_to(page: str, least: int) -> None:
    file = ROOT / page
    checked = 0
    for item in re.split(r"\n(?=- |\| )|\n\n", file.read_text(encoding="utf-8")):
        said = set(_NUMBER.findall(item))
        links = [file.parent / link for link in re.findall(r"\]\(([^)]*results/[^)]+\.md)\)", item)]
        if not links or not said:
            continue
        there = set(_NUMBER.findall(" ".join(link.read_text(encoding="utf-8") for link in links)))
        assert said <= there, f"{sorted(said - there)} of: {item}"
        checked += 1
    assert checked >= least


def _results(name: str) -> boostbench.Results:
    return boostbench.load(ROOT / "results" / name / "archive")


def test_cw1_has_lower_errors_than_multiboost_and_where_that_is_decided() -> None:
    decided = []
    for name in ("fig1_uci", "fig2_digits", "fig3_images", "fig4_scenes", "fig5_gtsrb"):
        trials = _results(name).trials
        for dataset, runs in trials.groupby("dataset"):
            errors = runs.pivot(index="fold", columns="method", values="error")
            differences = (errors["multiboost_cw1"] - errors["multiboost"]).to_numpy()
            assert differences.mean() < 0
            test = stats.corrected_ttest(differences, test_ratio=SHARES.get(dataset, 1 / 3))
            if test.p * trials.dataset.nunique() < 0.05:
                decided.append(dataset)
    assert sorted(decided) == [
        "cifar10_jpeg_gist",
        "cifar10_jpeg_pixels",
        "isolet",
        "mnist",
        "scene15_images",
    ]
