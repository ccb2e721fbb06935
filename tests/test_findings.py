"""What README and docs say was found: on the pages to which they link, or from their trials."""

import json
import re
from pathlib import Path
from types import ModuleType

import pandas as pd
import pytest

import boostbench
from boostbench.cli.app import main
from boostbench.papers import get_paper
from boostbench.report.frames.results import collect
from boostbench.store.store import Store

ROOT = Path(__file__).parents[1]
_NUMBER = re.compile(r"(?<![\w.^])\d+\.\d+(?![\w.])")
pytestmark = pytest.mark.skipif(not (ROOT / "docs").is_dir(), reason="not in a clone")


@pytest.mark.parametrize(
    ("page", "least"),
    [
        ("README.md", 5),
        ("docs/findings.md", 9),
        ("docs/guide/papers.md", 5),
        ("docs/guide/speed.md", 6),
    ],
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


FIGURES = ("fig1_uci", "fig2_digits", "fig3_images", "fig4_scenes", "fig5_gtsrb")


def _pairs(*names: str) -> pd.DataFrame:
    """Return the comparisons of the results with these names."""
    return pd.concat([_results(name).pairs() for name in names])


def _of(pairs: pd.DataFrame, one: str, other: str) -> dict[str, tuple[float, str]]:
    """Return the difference of two methods' errors on each data set, and whether it is decided."""
    own = pairs[(pairs.method == one) & (pairs.against == other)].assign(sign=1)
    turned = pairs[(pairs.method == other) & (pairs.against == one)].assign(sign=-1)
    both = pd.concat([own, turned])
    decided = both.verdict.isin(["better", "worse"])
    differences = zip(both.sign * both.difference, decided, strict=True)
    return dict(zip(both.dataset, differences, strict=True))


def test_cw1_has_lower_errors_than_multiboost_and_where_that_is_decided() -> None:
    five = _of(_pairs(*FIGURES), "multiboost_cw1", "multiboost")
    assert all(difference < 0 for difference, _ in five.values())
    decided = [name for name, (_, is_decided) in five.items() if is_decided]
    assert sorted(decided) == ["cifar10_jpeg_gist", "isolet", "mnist"]
    ten = _of(_pairs("ten_splits"), "multiboost_cw1", "multiboost")
    assert [is_decided for _, is_decided in ten.values()].count(True) == 3
    assert len(ten) == 5
    known = get_paper("multiboost").datasets
    titles = [known[name].title.partition(" (")[0] for name in five]
    # CIFAR-10 and SCENE15 have two feature sets each.
    assert (len(titles), len(set(titles))) == (10, 8)
    said = " ".join((ROOT / "docs" / "findings.md").read_text(encoding="utf-8").split())
    assert "on all ten feature sets of eight data sets" in said
    assert "decided on three of the ten by five splits, on three of five by ten" in said


def test_where_adaboost_errs_less_and_where_that_is_decided() -> None:
    pairs = _pairs("fig3_images", "fig4_scenes", "fig5_gtsrb")
    less = {
        dataset: is_decided
        for dataset, (difference, is_decided) in _of(pairs, "adaboost_mo", "multiboost_cw").items()
        if difference < 0
    }
    assert less == {
        "cifar10_jpeg_gist": True,
        "cifar10_jpeg_pixels": True,
        "scene15": False,
        "gtsrb_images": False,
    }
    mh = _of(pairs, "adaboost_mh", "multiboost_cw")
    assert [name for name, (difference, _) in mh.items() if difference < 0] == ["gtsrb_images"]
    assert not mh["gtsrb_images"][1]


def test_the_count_of_smaller_claims_is_that_of_the_index() -> None:
    index = (ROOT / "results" / "README.md").read_text(encoding="utf-8")
    count = sum(map(int, re.findall(r"(\d+) not reproduced", index)))
    said = (ROOT / "docs" / "findings.md").read_text(encoding="utf-8")
    (number,) = re.findall(r"(\w+)\s+smaller claims are not reproduced", said)
    words = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
    assert words.index(number.lower()) == count - 1


@pytest.mark.long
def test_how_far_the_margin_matters_is_what_verify_counts(capsys: pytest.CaptureFixture) -> None:
    page = (ROOT / "docs" / "guide" / "statistics.md").read_text(encoding="utf-8")
    said = re.findall(r"^\| (\d\.\d) \| (\d+) \| (\d+) \| (\d+) \|$", page, re.MULTILINE)
    with pytest.raises(SystemExit):
        main(["verify", str(ROOT / "results" / "d3" / "archive"), "--margins", "--json"])
    rows = json.loads(capsys.readouterr().out)
    keys = ("factor", "agrees", "differs", "undecided")
    assert [tuple(str(row[key]) for key in keys) for row in rows] == said


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    import results_index

    return results_index


def test_findings_take_printed_figures_from_the_paper(index: ModuleType) -> None:
    for name, text in index.FINDINGS.items():
        plain = re.sub(r"\{[^}]*\}", "", text)
        assert not re.search(r"\d\.\d\d", plain), name
        assert not re.search(r"paper \d", plain), name


def test_the_method_named_first_has_the_lowest_error_where_a_finding_says_so(index) -> None:
    checked = []
    for name, text in index.FINDINGS.items():
        if "lowest error" not in text:
            continue
        trials = pd.read_csv(ROOT / "results" / name / "archive" / "trials.csv")
        errors = trials.groupby(["dataset", "method"]).error.mean().unstack()
        first: dict[str, str] = {}
        for dataset, method in re.findall(r"\{(\w+)/(\w+)\}", text):
            first.setdefault(dataset, method)
        assert set(first) == set(errors.index)
        for dataset, method in first.items():
            assert errors.loc[dataset].idxmin() == method, (name, dataset)
            checked.append(dataset)
    assert len(checked) == 10


def test_a_printed_average_is_beside_the_same_data_sets(index: ModuleType) -> None:
    with Store.read(ROOT / "results" / "d3_grid" / "archive") as store:
        line = index._line("d3_grid", collect(store), 0.0)
    trials = pd.read_csv(ROOT / "results" / "d3_grid" / "archive" / "trials.csv")
    means = trials.groupby(["dataset", "method"]).r2.mean().unstack().drop("puma32h").mean()
    assert "(paper 0.828 to 0.834), on the 14 data sets of the paper's average" in line
    assert f"from {means.ort_l:.3f} to {means.ort_l_grid:.3f} at depth 3" in line
