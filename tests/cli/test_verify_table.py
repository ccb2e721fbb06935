"""``verify TABLE --paper P``: runs that others made, judged on the terminal, as JSON and a page."""

import csv
import json
import pickle
import random
from collections.abc import Callable
from pathlib import Path
from statistics import fmean, stdev

import pandas as pd
import pytest
import scipy
from shown import cards, page_claims

import boostbench
from boostbench.errors import ConfigError

FOLDERS = Path(__file__).parents[1] / "papers" / "folders"
SAID = "easured elsewhere, not rerun"
Table = Callable[[], Path]


def printed(paper: str, metric: str) -> dict[tuple[str, str], float]:
    """Return the printed means of a paper in a metric, by data set and method."""
    with (FOLDERS / paper / "tables.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    cells = {(row["dataset"], row["method"]): row[f"{metric}_mean"] for row in rows}
    own = {(r["dataset"], r["method"]): r[f"{metric}_mean"] for r in rows if r[f"{metric}_mean"]}
    return {key: float(own.get(key, text)) for key, text in cells.items()}


@pytest.fixture
def of_r(folder: Path) -> Path:
    """Return a table as R's write.csv writes it: 20 splits from 0, and another metric beside."""
    made = random.Random(1)
    nll, rmse = printed("renyi", "nll"), printed("renyi", "rmse")
    lines = ['"","dataset","method","split","seed","score","rmse"']
    for (data, method), mean in nll.items():
        for split in range(20):
            score, error = made.gauss(mean, 0.05), made.gauss(rmse[data, method], 0.1)
            name = f'"{len(lines)}","{data}","{method}"'
            lines.append(f"{name},{split},1,{score:.5f},{error:.5f}")
    path = folder / "from_r.csv"
    path.write_text("\n".join([*lines, ""]))
    return path


@pytest.fixture
def of_matlab(folder: Path) -> Path:
    """Return a table with semicolons, decimal commas, folds from 1, and a byte order mark."""
    made = random.Random(2)
    lines = ["Dataset;Method;Split;Seed;Score"]
    for (data, method), mean in printed("clustering", "ari").items():
        for split in range(1, 11):
            score = f"{made.gauss(mean, 0.02):.5f}".replace(".", ",")
            lines.append(f"{data};{method};{split};1;{score}")
    path = folder / "from_matlab.csv"
    path.write_bytes("\r\n".join(["\ufeff" + lines[0], *lines[1:], ""]).encode())
    return path


def judged(cli, table: Path, paper: str, *more: str) -> dict:
    words = ("verify", str(table), "--paper", str(FOLDERS / paper), "--json", *more)
    return json.loads(cli.well(*words).out)


def test_cells_are_those_of_the_table(cli, of_r: Path) -> None:
    runs = pd.read_csv(of_r)
    found = judged(cli, of_r, "renyi")
    assert len(found["cells"]) == 24
    for cell in found["cells"]:
        own = runs[(runs.dataset == cell["dataset"]) & (runs.method == cell["method"])].score
        assert cell["mean"] == pytest.approx(fmean(own), abs=1e-12)
        assert cell["sd"] == pytest.approx(stdev(own), abs=1e-12)
        # 20 splits that test a tenth: Nadeau and Bengio's interval of the mean.
        half = scipy.stats.t.ppf(0.975, 19) * stdev(own) * (1 / 20 + 1 / 9) ** 0.5
        assert cell["high"] - cell["mean"] == pytest.approx(half, rel=1e-9)
        assert cell["printed"] == printed("renyi", "nll")[cell["dataset"], cell["method"]]
        assert cell["source"] == f"m{SAID}"


def test_claims_are_those_of_the_table(cli, of_r: Path) -> None:
    means = pd.read_csv(of_r).groupby(["dataset", "method"])[["score", "rmse"]].mean()
    by_set = means.score.unstack()
    found = {claim["id"]: claim for claim in judged(cli, of_r, "renyi")["claims"]}
    values = {name: one["figures"] for name, one in found.items()}
    best = "alpha_0.5"
    lead = by_set.drop(columns=best).min(axis=1) - by_set[best]
    counts = [(lead > 0.005).sum(), (lead < -0.005).sum(), (lead.abs() < 0.005).sum()]
    assert [one["value"] for one in values["R-1"]] == counts
    p = scipy.stats.friedmanchisquare(*by_set.to_numpy().T).pvalue
    assert values["R-4"][0]["value"] == pytest.approx(p)
    rank = by_set.rank(axis=1).mean()[best]
    [place] = values["R-5"]
    assert place["value"] == pytest.approx(rank)
    assert place["low"] <= rank < place["high"]
    error = means.rmse["yacht", best]
    assert values["R-3"][0]["value"] == pytest.approx(error)
    assert found["R-3"]["verdict"] == "reproduced"
    assert all(SAID in one["why"] for one in found.values())


def test_a_table_of_another_program_is_read_as_it_is(cli, of_matlab: Path) -> None:
    found = judged(cli, of_matlab, "clustering")
    runs = pd.read_csv(of_matlab, sep=";", decimal=",", encoding="utf-8-sig")
    means = runs.groupby(["Dataset", "Method"]).Score.mean()
    for cell in found["cells"]:
        assert cell["mean"] == pytest.approx(means[cell["dataset"], cell["method"]], abs=1e-12)
    verdicts = {claim["id"]: claim["verdict"] for claim in found["claims"]}
    assert verdicts["C-1"] == "reproduced"
    assert any("states no `design`" in sentence for sentence in found["measured_elsewhere"])


def test_everything_shown_says_that_it_was_measured_elsewhere(cli, of_r: Path) -> None:
    out = of_r.with_name("written")
    shown = cli.well("verify", of_r.name, "--paper", str(FOLDERS / "renyi"), "--out", str(out)).out
    assert shown.startswith(f"M{SAID}: 480 runs in from_r.csv.\nNot known: which rows")
    assert "reproduced: 5" in shown
    page = (out / "table.html").read_text()
    assert f"M{SAID}: 480 runs in from_r.csv." in page
    assert "boostbench show" not in page
    assert len(list(cards(page))) == 24
    assert page.count(f"M{SAID}: 480 runs in from_r.csv.") >= 24
    assert set(page_claims(page)) >= {"R-1", "R-5"}
    text = (out / "table.md").read_text()
    assert f"M{SAID}: 480 runs in from\\_r.csv." in text or f"M{SAID}: 480 runs in from_r" in text
    assert text.count(SAID) >= 7
    assert not list(of_r.parent.glob("*.sqlite"))


def test_results_in_python_are_the_same(cli, of_r: Path) -> None:
    results = boostbench.load(of_r, paper=FOLDERS / "renyi")
    cells = judged(cli, of_r, "renyi")["cells"]
    assert results.means()["mean"].tolist() == [cell["mean"] for cell in cells]
    assert set(results.means().source) == {f"m{SAID}"}
    assert results.claims().loc[("R-2", "as described"), "verdict"] == "reproduced"
    assert SAID in repr(results)
    assert results.ranks().method[0] == "alpha_0.5"
    assert len(results.pairs()) == 6 * 6
    assert results.means(metric="rmse")["mean"].notna().all()
    again = pickle.loads(pickle.dumps(results))
    assert again.means().equals(results.means())


def test_claims_on_the_other_metric_are_judged_by_it(cli, of_r: Path) -> None:
    runs = pd.read_csv(of_r)[["dataset", "method", "split", "seed", "rmse"]]
    runs.to_csv("rmse.csv", index=False)
    found = judged(cli, Path("rmse.csv"), "renyi")
    assert {cell["printed"] for cell in found["cells"]} >= {2.90, 0.83}
    assert {claim["id"]: claim["verdict"] for claim in found["claims"]} == {"R-3": "reproduced"}


def test_runs_of_ours_as_a_table_have_the_same_cells_and_verdicts(folder: Path) -> None:
    ours = boostbench.load(Path(__file__).parents[2] / "results" / "hyperplanes" / "archive")
    runs = ours.trials.rename(columns={"fold": "split", "r2": "score"})
    runs["depth"] = [json.loads(text)["depth"] for text in runs.params]
    runs["method"] = [str(name).removesuffix("_d2").removesuffix("_d3") for name in runs.method]
    columns = ["dataset", "method", "depth", "split", "seed", "score"]
    runs[columns].to_csv("ours.csv", index=False)
    theirs = boostbench.load("ours.csv", paper="srt")
    columns = ["mean", "sd", "printed", "agreement", "compared", "runs"]
    assert theirs.means()[columns].equals(ours.means()[columns])
    own, same = ours.claims(), theirs.claims()
    timed = own.measured.str.contains("time of")
    assert not timed.all()
    assert same.verdict[~timed].equals(own.verdict[~timed])


def test_runs_at_several_levels_of_noise_are_judged_by_level(cli, folder: Path) -> None:
    with (FOLDERS / "noise" / "tables.csv").open(newline="") as file:
        cells = list(csv.DictReader(file))
    made = random.Random(3)
    lines = ["dataset,method,noise,split,seed,score"]
    for cell in cells:
        for split in range(10):
            score = made.gauss(float(cell["ari_mean"]), 0.02)
            own = f"{cell['dataset']},{cell['method']},{cell['noise']}"
            lines.append(f"{own},{split},1,{score:.4f}")
    Path("noise.csv").write_text("\n".join(lines))
    found = judged(cli, Path("noise.csv"), "noise")
    means = pd.read_csv("noise.csv").groupby(["dataset", "method", "noise"]).score.mean()
    assert [cell["mean"] for cell in found["cells"]] == pytest.approx(
        [means[c["dataset"], c["method"], float(c["noise"])] for c in _by_cell(cells, found)]
    )
    assert {one["id"]: one["verdict"] for one in found["claims"]} == dict.fromkeys(
        ("C-1", "C-2", "C-3"), "reproduced"
    )
    kept = [line for line in lines if ",0.2," not in line]
    Path("noise.csv").write_text("\n".join(kept))
    claims = {one["id"]: one for one in judged(cli, Path("noise.csv"), "noise")["claims"]}
    assert claims["C-1"]["verdict"] == "undecided"
    assert "needs runs at noise 0.2" in claims["C-2"]["why"]


def _by_cell(cells: list[dict[str, str]], found: dict) -> list[dict[str, str]]:
    """Return the printed cells in the order of the judged ones."""
    own = {(f"{c['dataset']}, noise {float(c['noise']):g}", c["method"]): c for c in cells}
    return [own[cell["dataset"], cell["method"]] for cell in found["cells"]]


def test_a_method_without_runs_on_a_data_set_is_named(cli, of_matlab: Path) -> None:
    lines = of_matlab.read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if not line.startswith("iris;kmeans")]
    of_matlab.write_text("\n".join(kept), encoding="utf-8")
    found = judged(cli, of_matlab, "clustering")
    assert "No runs: kmeans on iris." in found["measured_elsewhere"]
    [claim] = [one for one in found["claims"] if one["id"] == "C-1"]
    assert "4 of 5 data sets" in claim["why"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["runs.csv"], "runs.csv is a table of runs: name the paper"),
        (["runs.csv", "d3", "--paper", "srt"], "--paper judges one table of runs"),
        (["--paper", "srt"], "--paper judges one table of runs"),
        (["none.csv", "--paper", "srt"], "there is no file none.csv"),
        (["runs.csv", "--paper", "str"], "the paper 'str' is not known here (did you mean 'srt'?)"),
        (["runs.csv", "--paper", "./none"], "there is no paper in"),
        (["runs.csv", "--paper", "srt", "--metric", "mae"], "the paper srt prints no 'mae'"),
        (
            ["runs.csv", "--paper", "srt", "--sample", "3"],
            "--sample is not for runs that others made",
        ),
        (["runs.csv", "--paper", "srt", "--minutes", "3"], "--minutes is not for runs that others"),
        (["runs.csv", "--paper", "srt", "--any-processor"], "--any-processor is not for runs"),
        (["d3", "--out", "x"], "--out is for a table of runs: give its --paper"),
        (["runs.csv", "--paper", "srt"], "runs.csv:2, score: 'NA' is no number"),
        (["runs.csv", "--paper", "srt", "--out", "made"], "runs.csv:2, score: 'NA' is no number"),
    ],
)
def test_what_cannot_be_judged_is_one_sentence(cli, folder: Path, words, said: str) -> None:
    rows = "dataset,method,split,seed,score\nyacht,srt,0,0,NA\n"
    (folder / "runs.csv").write_text(rows)
    assert said in cli.refused("verify", *words)
    assert not (folder / "made").exists()


def test_python_refuses_a_table_without_its_paper(folder: Path) -> None:
    (folder / "runs.csv").write_text("dataset,method,split,seed,score\n")
    with pytest.raises(ConfigError, match="is a table of runs"):
        boostbench.load("runs.csv")
    with pytest.raises(ConfigError, match="give its paper too"):
        boostbench.load("quickstart", metric="mae")
