"""Every number that is shown twice is one number.

It is shown on the page, in Markdown, CSV and LaTeX, on the terminal, in JSON and in Python. Shipped
archives have papers and claims, and an experiment of one's own has own methods, groups and several
metrics.
"""

import math
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import shown
from everywhere import Everywhere, write_own

import boostbench
from boostbench import stats
from boostbench.cli.app import main

ARCHIVES = Path(__file__).parents[2] / "results"
SHORT = ("quickstart", "boosting_smoke")
TOO_LONG = ("choices",)
"""Of 41 methods, with the same tables as others."""
LONG = sorted({path.parent.name for path in ARCHIVES.glob("*/archive")} - {*SHORT, *TOO_LONG})
EACH = [
    *[(name, None) for name in SHORT],
    *[pytest.param((name, None), marks=pytest.mark.long) for name in LONG],
    *[("own", metric) for metric in (None, "rmse", "neg_mean_absolute_percentage_error")],
]
P, ADJUSTED = "p", "p, adjusted over methods"
JUDGED = ("reproduced", "weaker", "not reproduced", "undecided")
RANKS = "Mean ranks (1 is the best)"


@pytest.fixture(scope="module")
def own_results(
    tmp_path_factory: pytest.TempPathFactory,
    make_runs_cheap: Callable[[pytest.MonkeyPatch], None],
) -> Path:
    """The results folder of an experiment of one's own."""
    here = tmp_path_factory.mktemp("own")
    write_own(here)
    with pytest.MonkeyPatch.context() as patch:
        make_runs_cheap(patch)
        patch.chdir(here)
        patch.setenv("BOOSTBENCH_CACHE", str(here / "cache"))
        with pytest.raises(SystemExit) as ended:
            main(["run", "own.yaml", "--jobs", "1", "--offline"])
        assert ended.value.code in (0, None)
    return here / "results" / "own"


@pytest.fixture(scope="module")
def made() -> dict[object, Everywhere]:
    return {}


@pytest.fixture(params=EACH, ids=lambda each: "-".join(filter(None, each)))
def everywhere(request, made, tmp_path, capsys, monkeypatch, make_runs_cheap) -> Everywhere:
    name, metric = request.param
    if request.param not in made:
        folder = ARCHIVES / name / "archive"
        if name == "own":
            folder = request.getfixturevalue("own_results")
            monkeypatch.chdir(folder.parent.parent)
        make_runs_cheap(monkeypatch)
        monkeypatch.setenv("COLUMNS", "500")
        made[request.param] = Everywhere.of(folder, metric, tmp_path, capsys)
    return made[request.param]


def figures(table: shown.Table, columns) -> list[list[list[str]]]:
    """Return the numbers in each cell of these columns."""
    return [[shown.numbers(row[place]) for place in columns] for row in table.rows]


def p_is_written(text: str, value: float) -> bool:
    return text == ("" if math.isnan(value) else f"{value:.2g}")


def shape(table: shown.Table) -> tuple[list[str], int]:
    """Return the names of a table's columns and the number of its rows."""
    return [shown.plain(name) for name in table.header], len(table.rows)


def test_tables_are_the_same_in_markdown_latex_and_on_the_page(everywhere) -> None:
    latex, lacking = shown.latex_tables(everywhere.files["table.tex"]), []
    assert len(latex) == len(everywhere.markdown)
    for table, other in zip(everywhere.markdown, latex, strict=True):
        wanted = figures(table, table.numeric)
        assert figures(other, table.numeric) == wanted, table.title
        alike = [each for each in everywhere.page if shape(each) == shape(table)]
        if alike:
            assert wanted in [figures(each, table.numeric) for each in alike], table.title
        else:
            lacking.append(table.title.partition(" ")[0])
    # A page on runs alone has a table for each data set, and none about the paper.
    assert set(lacking) <= {everywhere.main.title.partition(" ")[0], "Claims", "The", "Table"}


def test_the_terminal_and_json_have_the_main_table_and_the_answer(everywhere) -> None:
    table, told = everywhere.main, everywhere.answer["table"]
    columns = range(1, len(table.header))
    wanted = figures(table, columns)
    assert [[shown.numbers(cell) for cell in row[1:]] for row in told["rows"]] == wanted
    assert [row[0] for row in told["rows"]] == [row[0] for row in table.rows]
    lines = [re.split(r" {2,}", line.strip()) for line in everywhere.screen.splitlines()]
    for (name, *_), row in zip(table.rows, wanted, strict=True):
        own = [line for line in lines if shown.plain(line[0]) == name]
        assert row in [[shown.numbers(cell) for cell in line[1:]] for line in own], name
    if everywhere.asked is None:
        assert everywhere.results.table().reset_index().to_numpy().tolist() == told["rows"]
    for sentence in everywhere.answer["answer"]:
        assert sentence in everywhere.screen
        assert shown.plain(sentence) in shown.plain(everywhere.files["table.md"])


def test_json_has_the_frames_of_python(everywhere) -> None:
    frames = {"means": everywhere.means.reset_index(), "pairs": everywhere.pairs}
    if everywhere.answer["ranks"]:
        frames["ranks"] = everywhere.results.ranks(everywhere.asked)
    for name, frame in frames.items():
        told = pd.DataFrame(everywhere.answer[name], columns=list(frame.columns))
        pd.testing.assert_frame_equal(told.astype(frame.dtypes), frame, check_exact=True)


def test_python_has_the_numbers_of_csv(everywhere) -> None:
    name, means, cells = everywhere.metric.name, everywhere.means, everywhere.cells
    columns = {
        "mean": f"{name}_mean",
        "sd": f"{name}_sd",
        "median": f"{name}_median",
        "runs": "finished",
        "planned": "planned",
        "fit_s": "fit_s_mean",
        "printed": f"published_{name}",
    }
    assert list(cells.index) == list(means.index)
    for ours, theirs in columns.items():
        told = pd.to_numeric(cells[theirs]).to_numpy(dtype=float)
        np.testing.assert_array_equal(means[ours].to_numpy(dtype=float), told, ours)
    assert list(means.agreement) == list(cells.verdict)
    known, all_count = means.compared.notna(), means.left_out == 0
    compared = pd.to_numeric(cells[f"compared_{name}"])
    assert (means.compared == compared)[known].all()
    assert (means.compared == means["mean"])[known & all_count].all()


def test_tables_have_the_means_of_python(everywhere) -> None:
    means, marked = everywhere.means, set()
    compared = means.compared.where(means.compared.notna(), means["mean"])
    for row in everywhere.main.records:
        for method in everywhere.methods:
            key, text = (row["Data set"], method), row[method]
            if key not in means.index or np.isnan(compared[key]):
                continue
            mean, *others = shown.numbers(text)
            assert everywhere.are_written([mean], [compared[key]])
            if "±" in text:
                assert everywhere.are_written(others[:1], [means.sd[key]])
            if text.endswith("*"):
                marked.add(key)
    assert marked in ({key for key, is_best in means.best.items() if is_best}, set())


def test_each_method_in_full_has_the_means_of_python(everywhere) -> None:
    means, seen = everywhere.means, set()
    score = f"Measured: {everywhere.metric.label}"
    for table in everywhere.markdown:
        method = table.title.partition(", beside Table")[0]
        for row in table.records if score in table.header else ():
            key = row["Data set"], method
            if key in means.index and means.runs[key]:
                seen.add(key)
                assert everywhere.are_written([row[score]], [means.loc[key, "mean"]])
                done = [int(text) for text in shown.numbers(row["Measured: Runs"])]
                assert done == [means.runs[key], means.planned[key]]
    assert seen == set(means.index[means.runs > 0])


def test_cards_of_the_page_have_the_means_and_intervals_of_python(everywhere) -> None:
    seen = set()
    for key, facts in shown.cards(everywhere.files["table.html"]):
        place = tuple(key.removeprefix("c-").rsplit("/", 1))
        row = everywhere.means.loc[place]
        if not row.runs:
            continue
        seen.add(place)
        (mean,) = (text for name, text in facts.items() if name.startswith("mean"))
        value = row["mean"] if np.isnan(row.compared) else row.compared
        assert everywhere.are_written([mean], [value])
        assert shown.numbers(facts["runs"]) == [str(row.runs), str(row.planned)]
        interval = [text for name, text in facts.items() if name.startswith("95 % interval")]
        assert bool(interval) != np.isnan(row.low)
        if interval and not row.left_out:
            assert everywhere.are_written(shown.numbers(interval[0]), [row.low, row.high])
    assert seen == set(everywhere.means.index[everywhere.means.runs > 0])


def test_one_adjusted_p_has_one_family(everywhere) -> None:
    for dataset, own in everywhere.pairs.groupby("dataset"):
        for reference, mine in own.groupby("reference"):
            family = own[(own.method == reference) | (own.against == reference)]
            assert (mine.comparisons == len(family)).all()
            adjusted = pd.Series(stats.holm(family.p.fillna(1.0)), family.index)[mine.index]
            is_adjusted = mine.p.notna() & (len(family) > 1)
            expected = adjusted.where(is_adjusted)
            np.testing.assert_allclose(mine.p_adjusted, expected, rtol=1e-12)
        best = everywhere.best_on(str(dataset))
        with_best = own.method.isin(best) | own.against.isin(best)
        assert own.reference[with_best].isin(best).all()


def test_own_methods_have_the_pairs_of_python(everywhere) -> None:
    for method, table in everywhere.own.items():
        for row in table.records:
            pair = everywhere.pair(row["Data set"], method, row["Against"])
            assert row["Verdict"] == pair["verdict"]
            assert p_is_written(row[P], pair["p"])
            assert p_is_written(row.get(ADJUSTED, ""), pair["p_adjusted"])
            better, ends = everywhere.better_by(pair)
            assert everywhere.are_written(shown.numbers(row["Better by"]), [better, *ends])
            means = [pair["mean"], pair["mean_against"]]
            assert everywhere.are_written(shown.numbers(row["Means"]), means)
    if "own.yaml" in everywhere.files["table.md"]:
        assert [len(table.rows) for table in everywhere.own.values()] == [18, 12]


def test_own_methods_over_data_sets_have_the_pairs_of_the_summary(everywhere) -> None:
    for table in everywhere.markdown:
        method, found, _ = table.title.partition(", over data sets")
        for row in table.records if found else ():
            pairs = [everywhere.pair(d, method, row["Against"]) for d in everywhere.datasets]
            counts = Counter(pair["verdict"] for pair in pairs)
            assert [int(row[f"{name} on"]) for name in ("Better", "Worse", "Undecided")] == [
                counts["better"],
                counts["worse"],
                len(pairs) - counts["better"] - counts["worse"],
            ]
            same = everywhere.pairs_over_datasets[method, row["Against"]]
            shared = row.keys() & same.keys() - {"Against"}
            assert shared >= {"Data sets", P, "p, adjusted over pairs"}
            assert {name: row[name] for name in shared} == {name: same[name] for name in shared}


def test_distances_from_the_best_are_those_of_its_pairs(everywhere) -> None:
    labels = {name: label for label, name in everywhere.names.items()}
    for table in everywhere.page:
        if "behind the best" not in table.header:
            continue
        rows = {labels[row["method"]]: row for row in table.records}
        best = [label for label, row in rows.items() if row["behind the best"] == "best"]
        assert set(best) == everywhere.best_on(table.title)
        (score,) = (name for name in table.header if name.startswith("mean"))
        for label, row in rows.items():
            mean = everywhere.means.loc[(table.title, label), "mean"]
            assert everywhere.are_written(shown.numbers(row[score])[:1], [mean])
            if label in best:
                continue
            pair = everywhere.pair(table.title, best[0], label)
            has_adjusted = not math.isnan(pair["p_adjusted"])
            p = pair["p_adjusted" if has_adjusted else "p"]
            assert p_is_written(row[ADJUSTED if has_adjusted else P], p)
            better, ends = everywhere.better_by(pair)
            if behind := shown.numbers(row["behind the best"]):
                assert everywhere.are_written(behind, [better, *ends])


def test_the_summary_of_pairs_is_made_of_those_on_each_data_set(everywhere) -> None:
    for (method, against), row in everywhere.pairs_over_datasets.items():
        each = [everywhere.pair(dataset, method, against) for dataset in everywhere.datasets]
        own = [pair for pair in each if pair]
        assert shown.numbers(row["Data sets"]) == [str(len(own))]
        assert shown.numbers(row["Runs"]) == [str(sum(pair["runs"] for pair in own))]
        if row.get("Means"):
            sides = [np.mean([pair[side] for pair in own]) for side in ("mean", "mean_against")]
            assert everywhere.are_written(shown.numbers(row["Means"]), sides)
        better = [everywhere.better_by(pair)[0] for pair in own]
        assert sum(map(int, shown.numbers(row["Wins, ties, losses"]))) == len(own)
        if len(own) > 1:
            adjusted = stats.holm(np.nan_to_num([pair["p"] for pair in own], nan=1.0))
            decided = np.sign([by for by, p in zip(better, adjusted, strict=True) if p < 0.05])
            counts = [str((decided == sign).sum()) for sign in (1, -1)]
            assert shown.numbers(row["Decided, Holm over data sets"]) == counts
        if row.get(P):
            assert p_is_written(row[P], stats.wilcoxon(better).p)


def test_mean_ranks_are_the_same_everywhere_or_nowhere(everywhere) -> None:
    ranks, asked = everywhere.answer["ranks"], everywhere.asked
    tables = [table for table in everywhere.markdown if table.title == RANKS]
    if not ranks:
        assert not tables
        for ask in (
            lambda: everywhere.results.ranks(asked),
            lambda: everywhere.results.to_latex(show=["mean", "rank"], metric=asked),
        ):
            with pytest.raises(boostbench.ConfigError, match="mean ranks need at least 3 methods"):
                ask()
        return
    rank_of = {row["method"]: row["rank"] for row in ranks}
    (table,) = tables
    assert [row["Method"] for row in table.records] == list(rank_of)
    assert all(shown.is_written(row["Mean rank"], rank_of[row["Method"]]) for row in table.records)
    latex = everywhere.results.to_latex(show=["mean", "rank"], metric=asked)
    names = [everywhere.names[method] for method in everywhere.methods]
    rows = rows_of_paper(latex, ["Mean rank", *names])
    if "Mean rank" in rows:
        (written,) = rows["Mean rank"]
    else:
        # A row is a method where the data sets are fewer.
        written = [rows[name][0][-1] for name in names]
    both = zip(written, everywhere.methods, strict=True)
    assert all(shown.is_written(text, rank_of[method]) for text, method in both)
    (said,) = re.findall("^Friedman.*", everywhere.files["table.md"], re.MULTILINE)
    datasets, chi2, p, _, cd = shown.numbers(said)[:5]
    assert int(datasets) == ranks[0]["datasets"]
    assert shown.is_written(chi2, ranks[0]["friedman_chi2"])
    assert p_is_written(p, ranks[0]["friedman_p"])
    assert shown.is_written(cd, ranks[0]["nemenyi_cd"])


def rows_of_paper(text: str, names) -> dict[str, list[list[str]]]:
    """Return the rows of cells below each of these names, until the next name."""
    rows: dict[str, list[list[str]]] = {}
    current = ""
    for line in text.splitlines():
        name, *cells = line.removesuffix(r"\\").strip().split("& ")
        current = shown.plain(name) or current
        if cells and current in names:
            rows.setdefault(current, []).append([cell.strip() for cell in cells])
    return rows


def test_latex_for_a_paper_has_the_means_and_the_decided_best(everywhere) -> None:
    text = everywhere.files["paper.tex"]
    assert text == everywhere.results.to_latex(metric=everywhere.asked)
    written = shown.numbers(text.partition(r"\midrule")[2])
    for mean in everywhere.means["mean"].dropna():
        assert any(everywhere.are_written([number], [mean]) for number in written)
    bold = re.findall(r"\\textbf\{([^{}]*)\}", text)
    best = {
        (dataset, method)
        for dataset in everywhere.datasets
        for method in everywhere.best_on(dataset)
        if all(
            everywhere.pair(dataset, method, other)["verdict"] == "better"
            for other in everywhere.methods
            if other != method and everywhere.means.runs[dataset, other]
        )
    }
    assert len(bold) == len(best)
    for place in best:
        mean = everywhere.means.loc[place, "mean"]
        assert any(everywhere.are_written(shown.numbers(number)[:1], [mean]) for number in bold)


def test_the_answer_counts_the_verdicts_of_own_methods(everywhere) -> None:
    said, names = everywhere.answer["answer"], everywhere.names
    for method, table in everywhere.own.items():
        (sentence,) = (text for text in said if re.match(f"(Whether )?{names[method]} is ", text))
        for against in {row["Against"] for row in table.records}:
            pairs = [everywhere.pair(d, method, against) for d in everywhere.datasets]
            counts = Counter(pair["verdict"] for pair in pairs)
            for verdict, other in (("better", "worse"), ("worse", "better")):
                if counts[verdict] and not counts[other]:
                    where = f"on {counts[verdict]} of {len(pairs)} data sets"
                    clause = rf"{verdict} than [^.;]*{names[against]}[^.;]*? {where}"
                    assert re.search(clause, sentence), (method, against, sentence)


def test_claims_are_the_same_everywhere(everywhere) -> None:
    if not everywhere.verified or everywhere.asked:
        return
    frame, told = everywhere.results.claims(), everywhere.verified["claims"]
    counts = {verdict: n for verdict, n in everywhere.verified["counts"].items() if n}
    assert counts == Counter(claim["verdict"] for claim in told)
    text, judged = shown.plain(everywhere.files["table.md"]), set()
    page = shown.page_claims(everywhere.files["table.html"])
    for claim in told:
        row = frame.loc[claim["id"]].iloc[0]
        for name in ("verdict", "why", "runs", "figures"):
            assert row[name] == claim[name], (claim["id"], name)
        if row.figures and row.verdict in JUDGED:
            judged.add(claim["id"])
            (line,) = re.findall(rf"^\S+ {row.verdict}: {claim['id']} .*", text, re.MULTILINE)
            assert shown.plain(row.measured) in line
    for name, (group, measured) in page.items():
        row = frame.loc[name].iloc[0]
        assert group == row.verdict.replace(" ", "-")
        assert measured in row.measured
    assert judged <= page.keys() or not page
