"""The files of a report: the same for the same results, whole, well-formed and self-contained."""

import re
from pathlib import Path

import pytest
from pages import files_of
from parts import boosted, boosting_of, store_of

from boostbench.errors import ConfigError, StoreError
from boostbench.experiment.listener import Listener
from boostbench.experiment.reporting import report_on
from boostbench.report.build import build_report
from boostbench.report.names import FIGURE_KINDS
from boostbench.store.types import Outcome

TEXTS = ("md", "csv", "latex", "html")
TABLES = ["references.bib", "table.csv", "table.html", "table.md", "table.tex"]
WITHOUT_ERRORS = Outcome("ok", metrics={"error": 0.3}, curve={"objective": [2.0, 1.0]})


def pictures(*stems: str) -> list[str]:
    return [f"{stem}.{kind}" for stem in stems for kind in FIGURE_KINDS]


def names_in(folder: Path) -> set[str]:
    return {path.name for path in folder.glob("[!.]*")}


@pytest.fixture(scope="module")
def texts(cells) -> dict[str, str]:
    files = files_of(store_of(cells), *TEXTS)
    return {name: content.decode() for name, content in files.items()}


def test_same_results_same_bytes_whatever_the_order_of_the_runs_and_others_for_others(
    cells, texts
) -> None:
    again = files_of(store_of(cells, reverse=True), *TEXTS)
    assert sorted(again) == TABLES
    assert {name: content.decode() for name, content in again.items()} == texts
    other = files_of(store_of({**cells, ("yacht", "srt"): [0.9, 0.7]}), *TEXTS)
    assert [name for name in TABLES if other[name] == again[name]] == ["references.bib"]


def test_no_path_of_the_machine_and_no_clock(texts) -> None:
    for name, text in texts.items():
        assert "/somewhere" not in text, name
        assert not re.search(r"\b20\d\d-\d\d-\d\d", text), name


@pytest.mark.parametrize(
    ("cells", "drawn"),
    [
        ({}, ()),
        ({("mine", "own"): [0.5, 0.4], ("yacht", "own"): [0.5, 0.2]}, ("figure",)),
        ({("mine", "own"): [None, None]}, ()),
        # Its only run is left out, as the printed mean leaves out such runs.
        ({("yacht", "orrt"): [-1.0, Outcome("memory", "over 1 GiB")]}, ()),
        ({("yacht", "srt"): [0.9, 0.8]}, ("figure", "means")),
    ],
)
def test_any_store_gives_a_report(tmp_path: Path, cells, drawn) -> None:
    out = tmp_path / "out"
    result = build_report(store_of(cells), out)
    assert {path.name for path in result.paths} == names_in(out)
    assert names_in(out) == {*TABLES, *pictures(*drawn)}
    _has_no_stray_words(out)


@pytest.mark.parametrize(
    ("runs", "others", "drawn"),
    [
        ([boosted([0.5, 0.3, 0.2])], [WITHOUT_ERRORS], ("small",)),
        ([boosted([0.5, 0.4]), boosted([0.6, 0.5])], [], ("small",)),
        ([Outcome("ok", metrics={}), Outcome("memory", "over")], [], ()),
    ],
)
def test_any_store_with_learning_curves_gives_a_report(tmp_path, runs, others, drawn) -> None:
    build_report(boosting_of({("vowel", "a"): runs, ("iris", "a"): others}), tmp_path / "out")
    assert names_in(tmp_path / "out") == {*TABLES, *pictures(*drawn)}
    _has_no_stray_words(tmp_path / "out")


def _has_no_stray_words(folder: Path) -> None:
    for name in ("table.md", "table.tex", "table.html", "table.csv"):
        text = (folder / name).read_text(encoding="utf-8")
        text = re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)
        assert not re.search(r"\b(nan|inf|None|NaN)\b", text), name


def test_terminal_rows_show_measured_printed_and_why_a_cell_is_empty(cells) -> None:
    result = build_report(store_of(cells, table="2"), None)
    shown, rows = result.overview, result.overview.texts
    assert list(shown.header) == [
        "Data set",
        "srt",
        "srt_l2",
        "orrt",
        "orrt_trained",
        "random_forest_r",
    ]
    assert rows[0] == [
        "yacht",
        "0.985 ? (0.990)",
        "0.955 ? (0.983)",
        "0.640 ? (0.645) [1 R² < 0 out]",
        "0.990",
        "– (0.925) [2 skipped]",
    ]
    assert rows[1] == [
        "housing",
        "−14.100 ? (0.809) [1 R² < 0]",
        "0.950 ? (0.872) [1/2]",
        "– (0.715) [1 error, 1 killed]",
        "– [2 pending]",
        "– (0.878) [2 skipped]",
    ]
    assert shown.averages == 2
    assert [row[0] for row in rows[2:]] == ["Arithmetic mean", "Geometric mean"]
    for words in ("margin of 0.01", "[k/n]", "[k R² < 0 out]", "undecided: these runs"):
        assert words in shown.legend
    assert (result.paths, result.not_run) == ([], "")
    assert result.answer[0] == "Of 5 printed cells 5 are undecided."


def test_a_table_of_the_paper_is_shown_in_its_place_or_refused(cells) -> None:
    store = store_of(cells)
    table = build_report(store, None, table="itself").asked
    assert table.title == "The paper against itself"
    assert {"contradicts"} <= {text for row in table.texts for text in row}
    # Not what the tables do not print, or what follows by proof.
    assert {row[-1] for row in table.texts} == {"contradicts", "partly"}
    with pytest.raises(ConfigError, match="do not fill a table 'itself'; they fill none"):
        build_report(store_of({("mine", "own"): [0.5]}, paper=None), None, table="itself")


def test_markdown_tables_are_rectangular(texts) -> None:
    text = texts["table.md"]
    tables = re.findall(r"(?:^\|.*\n)+", text, flags=re.MULTILINE)
    assert len(tables) > 8
    for table in tables:
        widths = {len(re.split(r"(?<!\\)\|", line)) for line in table.splitlines()}
        assert len(widths) == 1, table
    assert "singular \\| matrix" in text


def test_latex_is_balanced_and_rectangular(texts) -> None:
    text = texts["table.tex"]
    bare = re.sub(r"\\[{}]", "", text)
    assert bare.count("{") == bare.count("}")
    for name in ("table", "tabular", "longtable"):
        assert text.count(f"\\begin{{{name}}}") == text.count(f"\\end{{{name}}}") > 0
    assert text.isascii()
    for columns, body in re.findall(
        r"\\begin\{tabular\}\{@\{\}(.*?)@\{\}\}\n\\toprule\n(.*?)\\bottomrule", text, re.DOTALL
    ):
        expected = len(re.sub(r">?\{(?:[^{}]|\{[^{}]*\})*\}", "", columns))
        for line in body.splitlines():
            if line.endswith("\\\\") and "multicolumn" not in line:
                assert len(re.split(r"(?<!\\)&", line)) == expected, line


def test_unknown_format_suggests_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"'htlm' is not a format .* \(did you mean 'html'\?\)"):
        build_report(store_of({}), tmp_path, ["htlm"])


def test_figures_that_an_earlier_report_had_and_this_one_has_not_are_removed(
    tmp_path: Path,
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "means.jpg").write_text("the user's")
    build_report(store_of({("yacht", "srt"): [0.9, 0.9]}), out, ["figure"])
    assert names_in(out) == {*pictures("figure", "means"), "means.jpg"}
    own = store_of({("mine", "own"): [0.9, 0.9]}, paper=None)
    # Without figures those that are there stay.
    build_report(own, out, ["md"])
    assert (out / "means.png").exists()
    build_report(own, out, ["figure"])
    assert names_in(out) == {*pictures("figure"), "means.jpg", "table.md"}


def test_a_curves_file_of_the_users_is_found_before_anything_is_written(tmp_path: Path) -> None:
    (tmp_path / "curves.csv").write_text("mine")
    archive = Path(__file__).parents[2] / "results" / "boosting_smoke" / "archive"
    with pytest.raises(StoreError, match=r"curves\.csv is in the way"):
        report_on(archive, Listener(), formats=["csv", "md"], out=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["curves.csv"]
