"""The numbers and plots of results from Python, compared with their formulas on made-up scores."""

import pickle
import re
from collections.abc import Callable, Mapping
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from scipy import stats
from trials import make_trial

import boostbench
from boostbench.cli.app import main
from boostbench.papers.metrics import R2
from boostbench.report import for_python
from boostbench.report.document.columns import FRAME, columns_in
from boostbench.store.store import Store
from boostbench.store.types import Outcome

FOLDS, SEEDS = 4, 2
PAGE = Path(__file__).parents[2] / "docs" / "reference" / "results-in-python.md"
MEANS = [name for name, _ in columns_in(FRAME, R2)]
matplotlib.use("agg")
Scores = Mapping[tuple[str, str], np.ndarray]
"""By data set and method: an array of folds x seeds, NaN where the run has failed."""


@pytest.fixture
def results_of(tmp_path: Path) -> Callable[..., boostbench.Results]:
    """Return a function that makes results of scores in a metric."""
    count = iter(range(99))

    def make(scores: Scores, metric: str = "r2", **changed: object) -> boostbench.Results:
        folder = tmp_path / f"results{next(count)}"
        runs = [
            (make_trial(dataset, method, fold=fold, seed=seed, **changed), value)
            for (dataset, method), values in scores.items()
            for (fold, seed), value in np.ndenumerate(values)
        ]
        with Store.open(folder) as store:
            store.add_environment("here", {})
            store.set_plan({"name": "x", "metric": metric}, [trial for trial, _ in runs])
            for trial, value in runs:
                outcome = Outcome("error", "no luck")
                if not np.isnan(value):
                    numbers = {metric: float(value), "mae": 7.0, "n_train": 75, "n_test": 25}
                    curve = {"iteration": [1.0, 2.0], "test_r2": [0.5, 0.75]}
                    outcome = Outcome("ok", metrics=numbers, times={"fit_s": 2.0}, curve=curve)
                store.record(trial, outcome, "here")
        return boostbench.load(folder)

    return make


def _noise(seed: int, scale: float = 0.01) -> np.ndarray:
    return 0.8 + np.random.default_rng(seed).normal(0, scale, (FOLDS, SEEDS))


def _row(frame: pd.DataFrame, **labels: str) -> pd.Series:
    for name, label in labels.items():
        frame = frame[frame[name] == label]
    assert len(frame) == 1
    return frame.iloc[0]


def test_means_are_those_of_the_trials_with_their_intervals(results_of) -> None:
    a, b = _noise(0), _noise(1) - 0.1
    b[0, 0] = np.nan
    results = results_of({("d", "a"): a, ("d", "b"): b})
    means = results.means()
    assert list(means.method) == ["a", "b"]
    row = _row(means, method="a")
    assert row["mean"] == pytest.approx(a.mean())
    assert row["sd"] == pytest.approx(a.std(ddof=1))
    assert row["median"] == pytest.approx(np.median(a))
    se = np.sqrt((1 / FOLDS + 25 / 75) * a.mean(axis=1).var(ddof=1))
    half = stats.t.ppf(0.975, FOLDS - 1) * se
    assert (row["low"], row["high"]) == pytest.approx((a.mean() - half, a.mean() + half))
    assert (row["runs"], row["planned"], row["best"], row["fit_s"]) == (8, 8, True, 2.0)
    assert np.isnan(row["printed"])
    row = _row(means, method="b")
    assert (row["runs"], row["planned"], row["best"]) == (7, 8, False)
    assert set(results.means(metric="mae")["mean"]) == {7.0}
    assert list(results.means(only="method=b").method) == ["b"]


@pytest.mark.parametrize(("metric", "sign"), [("r2", 1), ("rmse", -1)])
def test_a_pair_has_the_corrected_t_test_and_one_verdict(results_of, metric: str, sign) -> None:
    a = _noise(2)
    scores = {"better": a - 0.05 * sign + _noise(3, 0.002) - 0.8, "like": a + _noise(4) - 0.8}
    results = results_of(
        {("d", "mine"): a, **{("d", name): own for name, own in scores.items()}}, metric
    )
    pairs = results.pairs()
    assert len(pairs) == 3
    row = _row(pairs, method="mine", against="better")
    d = (a - scores["better"]).mean(axis=1)
    se = np.sqrt((1 / FOLDS + 25 / 75) * d.var(ddof=1))
    half = stats.t.ppf(0.975, FOLDS - 1) * se
    assert row["difference"] == pytest.approx(d.mean())
    assert (row["low"], row["high"]) == pytest.approx((d.mean() - half, d.mean() + half))
    assert row["p"] == pytest.approx(2 * stats.t.sf(abs(d.mean() / se), FOLDS - 1))
    assert row["p"] <= row["p_adjusted"] < 0.05
    assert (row["verdict"], row["runs"], row["splits"]) == ("better", 8, 4)
    assert _row(pairs, method="mine", against="like")["verdict"] == "undecided"
    assert _row(pairs, method="better", against="like")["verdict"] == "worse"


def test_p_values_are_adjusted_for_the_methods_on_the_data_set_alone(results_of) -> None:
    a, b = _noise(5), _noise(5) + 0.004 + _noise(6, 0.001) - 0.8
    two = {("d", "a"): a, ("d", "b"): b}
    others = {(f"e{n}", m): _noise(10 * n + i) for n in range(30) for i, m in enumerate("ab")}
    row = _row(results_of(two | others).pairs(), dataset="d")
    assert (row["verdict"], row["comparisons"], row["reference"]) == ("worse", 1, "b")
    assert np.isnan(row["p_adjusted"])
    several = {("d", f"m{n}"): b - 0.85 + _noise(n, 0.05) for n in range(30)}
    among = _row(results_of(two | several).pairs(), method="b", against="a")
    assert among["p"] == row["p"]
    assert (among["comparisons"], among["reference"]) == (31, "b")
    assert among["p"] < among["p_adjusted"]
    assert among["verdict"] == "undecided"


def test_one_split_decides_nothing_and_methods_without_common_runs_are_no_pair(results_of) -> None:
    one = {("d", "a"): _noise(1)[:1], ("d", "b"): _noise(2)[:1] + 0.3}
    (row,) = results_of(one).pairs().to_dict("records")
    assert row["verdict"] == "one split"
    assert np.isnan([row[name] for name in ("low", "high", "p", "p_adjusted")]).all()
    a, b = _noise(1), _noise(2)
    a[:2], b[2:] = np.nan, np.nan
    assert results_of({("d", "a"): a, ("d", "b"): b}).pairs().empty


@pytest.mark.parametrize(("splits", "verdict"), [(FOLDS, "windows"), (1, "one split")])
def test_windows_decide_nothing_and_are_not_called_one_split(
    results_of, splits: int, verdict: str
) -> None:
    scores = {("d", "a"): _noise(1)[:splits], ("d", "b"): _noise(2)[:splits] + 0.3}
    windows = {"split": "time", "overlap": "windows", "rows": "a digest"}
    (row,) = results_of(scores, **windows).pairs().to_dict("records")
    assert (row["verdict"], row["splits"]) == (verdict, splits)
    assert np.isnan([row[name] for name in ("low", "high", "p", "p_adjusted")]).all()
    (row,) = results_of(scores).pairs().to_dict("records")
    assert row["verdict"] == ("worse" if splits > 1 else "one split")


def test_ranks_have_friedmans_and_nemenyis_tests(results_of) -> None:
    scores = {
        (f"d{n}", method): _noise(n, 0.001) + shift
        for n in range(6)
        for method, shift in (("low", -0.3), ("mid", 0.0), ("high", 0.1 * (n != 0) - 0.05))
    }
    ranks = results_of(scores).ranks()
    assert list(ranks.method) == ["high", "mid", "low"]
    assert list(ranks["rank"]) == pytest.approx([7 / 6, 11 / 6, 3.0])
    columns = [[scores[f"d{n}", m].mean() for n in range(6)] for m in ("low", "mid", "high")]
    test = stats.friedmanchisquare(*columns)
    assert ranks["friedman_chi2"].iloc[0] == pytest.approx(test.statistic)
    assert ranks["friedman_p"].iloc[0] == pytest.approx(test.pvalue)
    cd = stats.studentized_range.ppf(0.95, 3, np.inf) / np.sqrt(2) * np.sqrt(3 * 4 / (6 * 6))
    assert ranks["nemenyi_cd"].iloc[0] == pytest.approx(cd)
    assert list(ranks["separate"]) == [False, False, True]
    few = {key: own for key, own in scores.items() if key[0] < "d4"}
    with pytest.raises(boostbench.ConfigError, match="are 3 methods and 4 such data sets"):
        results_of(few).ranks()
    two = {key: own for key, own in scores.items() if key[1] != "mid"}
    with pytest.raises(boostbench.ConfigError, match="2 methods and 6 such data sets"):
        results_of(two).ranks()


def test_frames_of_results_without_a_run_are_empty_or_have_gaps(results_of) -> None:
    results = results_of({("d", "a"): np.full((2, 1), np.nan)})
    assert results.means()["mean"].isna().all()
    assert list(results.means().columns) == MEANS
    assert results.pairs().empty
    assert list(results.pairs().columns) == list(for_python.PAIRS)
    with pytest.raises(boostbench.ConfigError, match="nothing to plot"):
        results.plot("means")


def test_results_stay_as_they_were_and_copies_can_be_sent(results_of) -> None:
    results = results_of({("d", "a"): _noise(0), ("d", "b"): _noise(1)})
    with Store.open(results.folder) as store:
        store.set_plan({"name": "x", "metric": "r2"}, store.plan()[:FOLDS])
    assert list(results.means().method) == ["a", "b"]
    assert len(results.trials) == 2 * FOLDS * SEEDS
    assert list(boostbench.load(results.folder).means()["runs"]) == [FOLDS]
    assert pickle.loads(pickle.dumps(results)).folder == results.folder


def test_a_plot_is_drawn_on_the_axes_given_or_on_new_ones(results_of) -> None:
    plt.close("all")
    mine, (left, right) = plt.subplots(1, 2)
    scores = {(d, m): _noise(ord(d) + ord(m)) for d in "pqrst" for m in "abc"}
    results = results_of(scores)
    assert results.plot("means", ax=left) is left
    assert results.plot("ranks", ax=right) is right
    assert plt.get_fignums() == [mine.number]
    assert [text.get_text() for text in left.get_yticklabels()] == list("pqrst")
    assert [text.get_text() for text in left.get_legend().get_texts()] == list("abc")
    means = results.means()
    drawn = np.sort(np.concatenate([line.lines[0].get_xdata() for line in left.containers]))
    assert drawn.astype(float) == pytest.approx(np.sort(means["mean"]))
    new = results.plot("pairs", only="dataset=p")
    assert new.figure is not mine
    assert plt.get_fignums() == [mine.number, new.figure.number]
    names = [text.get_text() for text in new.get_yticklabels()]
    assert names == ["a − b", "a − c", "b − c"]
    curves = results.plot("curves", only={"dataset": "q"})
    assert [list(line.get_ydata()) for line in curves.lines] == [[0.5, 0.75]] * 3
    with matplotlib.rc_context({"lines.linewidth": 9.0}):
        assert results.plot("curves", only={"dataset": "q"}).lines[0].get_linewidth() == 9.0
    plt.close("all")


def test_a_legend_lies_beside_the_axes_where_there_is_room(results_of) -> None:
    results = results_of({("d", m): _noise(ord(m), 0.2) for m in "abcde"})
    for kind in ("means", "pairs", "curves"):
        axes = results.plot(kind)
        axes.figure.draw_without_rendering()
        legend = axes.get_legend().get_window_extent()
        assert legend.x0 >= axes.get_window_extent().x1
        assert legend.x1 <= axes.figure.bbox.x1
    # Without a layout it would be cut off there.
    _, mine = plt.subplots()
    legend = results.plot("means", ax=mine).get_legend().get_window_extent()
    assert legend.x1 <= mine.get_window_extent().x1
    plt.close("all")


def test_an_interval_of_a_mean_is_cut_at_the_bounds_of_the_metric(results_of) -> None:
    def ends(metric: str, scores: np.ndarray) -> tuple[float, float]:
        row = results_of({("d", "a"): scores}, metric).means().iloc[0]
        return row["low"], row["high"]

    wide = _noise(3, 0.3)
    assert ends("r2", wide)[1] == 1.0
    assert ends("r2", wide - 9.0)[0] < -8.0
    assert ends("mse", abs(wide - 0.8))[0] == 0.0
    assert ends("mse", wide + 9.0)[1] > 1.0
    assert ends("neg_max_error", wide)[1] > 1.0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"kind": "meens"}, "there is no plot 'meens' (did you mean 'means'?): give one of"),
        ({"kind": "ranks"}, "here are 2 methods and 2 such data sets"),
        ({"kind": "curves"}, "choose one, such as only={'dataset': 'd'}"),
        ({"kind": "pairs", "only": "method=a"}, "no two methods have a run in common"),
        ({"ax": "left"}, "ax must be the axes of one plot, such as plt.gca(), not 'left'"),
        ({"metric": "nothing"}, "nothing"),
        ({"only": "method=z"}, "there is no method 'z'"),
    ],
)
def test_what_cannot_be_drawn_is_one_sentence(results_of, options, words: str) -> None:
    results = results_of({(d, m): _noise(1) for d in "de" for m in "ab"})
    before = plt.get_fignums()
    with pytest.raises(boostbench.ConfigError, match=re.escape(words)) as caught:
        results.plot(**options)
    assert "\n" not in str(caught.value)
    assert plt.get_fignums() == before


def test_a_notebook_shows_the_answer_and_the_table(results_of) -> None:
    results = results_of({("d<", "a"): _noise(0) + 0.1, ("d<", "b"): _noise(1)})
    html = results._repr_html_()
    assert html.startswith("<p>")
    answer, _, rest = html.partition("<table")
    assert "a is best on d&lt;" in answer
    assert "<td>d&lt;</td>" in rest
    assert "trials 16 ok" in rest
    assert "d<<" not in html


def _documented(section: str) -> list[str]:
    """Return the names in the first column of the table below a heading of the page."""
    text = PAGE.read_text(encoding="utf-8").split(f"\n## {section}\n")[1].split("\n## ")[0]
    cells = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    return [name for cell in cells for name in re.findall(r"`(\w+)`", cell)]


@pytest.mark.skipif(not PAGE.is_file(), reason="not in a clone of the repository")
def test_the_page_describes_each_column_and_plot(results_of) -> None:
    assert _documented("means") == MEANS
    for name in ("pairs", "ranks"):
        assert _documented(name) == list(getattr(for_python, name.upper())), name
    results = results_of({("d", "a"): _noise(0)})
    with pytest.raises(boostbench.ConfigError) as caught:
        results.plot("")
    assert str(caught.value).endswith(", ".join(_documented("plot")))
    named = set(_documented("trials, times, curves, curve_times"))
    assert {"status", "reason", "iteration", "test_error", "fit_s"} <= named
    for frame in (results.trials, results.times, results.curves):
        assert {"dataset", "method", "fold", "seed", "key"} <= set(frame)


def test_latex_is_the_table_of_the_command(results_of, tmp_path: Path) -> None:
    results = results_of({("d", "m1"): _noise(1), ("d", "m2"): _noise(2) - 0.2})
    text = results.to_latex(show=["mean"], columns=["m2", "m1"], width=3.3)
    arguments = ["report", str(results.folder), "--for-paper", "--show", "mean"]
    arguments += ["--columns", "m2,m1", "--width", "3.3", "--out", str(tmp_path / "paper")]
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code in (0, None)
    assert (tmp_path / "paper" / "x-paper.tex").read_text(encoding="utf-8") == text
    assert r"\toprule" in text
    with pytest.raises(boostbench.ConfigError, match="median"):
        results.to_latex(show="median")
