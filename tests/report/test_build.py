import csv
import hashlib
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from boostbench.errors import ConfigError
from boostbench.report.build import FIGURE_KINDS, build_report, report_formats
from boostbench.store.types import Outcome

ALL = [
    "figure.pdf",
    "figure.png",
    "figure.svg",
    "means.pdf",
    "means.png",
    "means.svg",
    "references.bib",
    "table.csv",
    "table.html",
    "table.md",
    "table.tex",
]
TABLES = ("md", "csv", "latex", "html")


def names_in(folder: Path) -> list[str]:
    """Return the names of the files in a folder but those of single LaTeX tables."""
    names = (path.name for path in folder.glob("[!.]*"))
    return sorted(name for name in names if not name.startswith("table-"))


def digests(folder: Path) -> dict[str, str]:
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.glob("[!.]*"))
    }


@pytest.fixture
def report(make_store, cells, tmp_path: Path) -> Path:
    build_report(make_store(cells), tmp_path / "out", TABLES)
    return tmp_path / "out"


def test_same_results_same_bytes_whatever_the_order_of_the_runs_and_others_for_others(
    make_store, cells, tmp_path: Path
) -> None:
    first, second, other = tmp_path / "first", tmp_path / "second", tmp_path / "other"
    build_report(make_store(cells), first)
    build_report(make_store(cells, reverse=True), second)
    build_report(make_store({**cells, ("yacht", "srt"): [0.9, 0.7]}), other)
    assert names_in(first) == ALL
    assert digests(first) == digests(second)
    same = set(digests(first).items()) & set(digests(other).items())
    assert not {name for name, _ in same} & {*ALL} - {"references.bib"}


def test_no_path_of_the_machine_and_no_clock(report: Path) -> None:
    for path in report.glob("[!.]*"):
        text = path.read_text(encoding="utf-8")
        assert "/somewhere" not in text
        assert str(report.parent) not in text
        assert not re.search(r"\b20\d\d-\d\d-\d\d", text)


@pytest.mark.parametrize(
    "kind",
    ["no plan", "own method", "failed only"],
)
def test_any_store_gives_a_report(make_store, tmp_path: Path, kind: str) -> None:
    cells = {
        "no plan": {},
        "own method": {("mine", "own"): [0.5, 0.4], ("yacht", "own"): [0.5, 0.2]},
        "failed only": {("yacht", "orrt"): [-1.0, Outcome("memory", "over 1 GiB")]},
    }[kind]
    out = tmp_path / "out"
    result = build_report(make_store(cells), out)
    # Means are a figure of their own beside the differences from published ones.
    compared = kind == "failed only"
    expected = [name for name in ALL if compared or not name.startswith("means")]
    assert sorted(path.name for path in result.paths) == sorted(digests(out))
    assert names_in(out) == expected
    for name in ("table.md", "table.tex", "table.html", "table.csv"):
        text = (out / name).read_text(encoding="utf-8")
        assert not re.search(r"\b(nan|inf)\b", text)
        if name != "table.html":
            assert "None" not in text


def test_terminal_rows_show_measured_published_and_why_a_cell_is_empty(
    make_store, cells, tmp_path: Path
) -> None:
    result = build_report(make_store(cells), tmp_path / "out", ["md"])
    assert list(result.header) == [
        "Data set", "srt", "srt_l2", "orrt", "orrt_trained", "random_forest_r",
    ]  # fmt: skip
    assert result.rows[0] == [
        "yacht",
        "0.985 ✓? (0.990)",
        "0.955 ▼? (0.983)",
        "0.640 ✓? (0.645) [1 R² < 0 out]",
        "0.990 ▲? (0.645)",
        "– (0.925) [2 skipped]",
    ]
    assert result.rows[1] == [
        "housing",
        "−14.100 ▼? (0.809) [1 R² < 0, 0.800 without]",
        "0.950 ▲? (0.872) [1/2]",
        "– (0.715) [1 error, 1 killed]",
        "– (0.715) [2 pending]",
        "– (0.878) [2 skipped]",
    ]
    assert result.averages == 2
    assert [row[0] for row in result.rows[2:]] == ["Arithmetic mean", "Geometric mean"]
    assert "0.01" in result.legend
    assert result.not_run == ""


def test_csv_reads_back_exactly(report: Path) -> None:
    with (report / "table.csv").open(encoding="utf-8", newline="") as file:
        rows = {(row["row"], row["dataset"], row["method"]): row for row in csv.DictReader(file)}
    cell = rows["cell", "yacht", "orrt"]
    assert float(cell["r2_mean"]) == (0.64 - 3.0) / 2
    assert (cell["planned"], cell["finished"], cell["negative_runs"]) == ("2", "2", "1")
    assert (cell["published_table"], cell["published_r2"], cell["published_negative_runs"]) == (
        "2", "0.645", "21.0",
    )  # fmt: skip
    assert (float(cell["compared_r2"]), cell["verdict"]) == (0.64, "within")
    assert rows["cell", "housing", "orrt_trained"]["r2_mean"] == ""
    assert rows["cell", "housing", "random_forest_r"]["missing"] == (
        "2 skipped: Rscript is not installed"
    )
    assert ("Arithmetic mean", "", "srt_l2") in rows


def test_markdown_tables_are_rectangular(report: Path) -> None:
    text = (report / "table.md").read_text(encoding="utf-8")
    tables = re.findall(r"(?:^\|.*\n)+", text, flags=re.MULTILINE)
    assert len(tables) > 8
    for table in tables:
        widths = {len(re.split(r"(?<!\\)\|", line)) for line in table.splitlines()}
        assert len(widths) == 1, table
    assert "singular \\| matrix" in text


def test_latex_is_balanced_and_rectangular(report: Path) -> None:
    text = (report / "table.tex").read_text(encoding="utf-8")
    bare = re.sub(r"\\[{}]", "", text)
    assert bare.count("{") == bare.count("}")
    for name in ("table", "tabular"):
        assert text.count(f"\\begin{{{name}}}") == text.count(f"\\end{{{name}}}") > 5
    assert text.isascii()
    labels = re.findall(r"\\label\{(.*?)\}", text)
    assert len(labels) == len(set(labels))
    for columns, body in re.findall(
        r"\\begin\{tabular\}\{((?:[lr]|p\{[^}]*\})+)\}\n\\toprule\n(.*?)\\bottomrule",
        text,
        flags=re.DOTALL,
    ):
        expected = len(re.sub(r"\{[^}]*\}", "", columns))
        for line in body.splitlines():
            if line.endswith("\\\\") and "multicolumn" not in line:
                assert len(re.split(r"(?<!\\)&", line)) == expected, line


class _Balanced(HTMLParser):
    """Checks that every element is closed, in order, and collects what the page refers to."""

    VOID = frozenset({"meta", "link", "br", "img", "input", "hr"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self._note(attrs)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self._note(attrs)

    def _note(self, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            if name in ("href", "src", "xlink:href"):
                self.links.append(value or "")

    def handle_endtag(self, tag: str) -> None:
        assert self.open
        assert self.open.pop() == tag


def test_html_is_well_formed_and_self_contained(report: Path) -> None:
    text = (report / "table.html").read_text(encoding="utf-8")
    page = _Balanced()
    page.feed(text)
    assert page.open == []
    assert len(page.ids) == len(set(page.ids))
    assert page.links
    inside = [link[1:] for link in page.links if link.startswith("#")]
    assert set(inside) <= set(page.ids)
    # Nothing is loaded; a reader may follow a citation.
    outside = [link for link in page.links if not link.startswith("#")]
    assert all(re.match(r"https://(doi\.org|arxiv\.org/abs)/", link) for link in outside)
    assert not page.tags & {"link", "iframe", "object", "img"}
    assert not re.search(r"@import|url\((?!#)", text)
    assert "prefers-color-scheme: dark" in text
    assert text.count("<figure role") == 5 + 2


def test_unknown_format_suggests_one() -> None:
    with pytest.raises(ConfigError, match=r"'htlm' is not a format .* Did you mean 'html'\?"):
        report_formats(["htlm"])


def test_figures_that_an_earlier_report_had_and_this_one_has_not_are_removed(
    make_store, tmp_path: Path
) -> None:
    (tmp_path / "means.jpg").write_text("the user's")
    build_report(make_store({("yacht", "srt"): [0.9, 0.9]}), tmp_path, ["figure"])
    assert {p.name for p in tmp_path.glob("means.*")} == {
        f"means.{k}" for k in (*FIGURE_KINDS, "jpg")
    }
    own = make_store({("mine", "own"): [0.9, 0.9]}, paper=None)
    # Without figures those that are there stay.
    build_report(own, tmp_path, ["md"])
    assert (tmp_path / "means.png").exists()
    build_report(own, tmp_path, ["figure"])
    assert {p.name for p in tmp_path.glob("means.*")} == {"means.jpg"}
    assert {p.name for p in tmp_path.glob("figure.*")} == {f"figure.{k}" for k in FIGURE_KINDS}
