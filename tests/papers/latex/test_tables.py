"""Small tables in the style of public papers, each beside its cells as a person reads them."""

import csv
import unicodedata
from pathlib import Path

import pytest

from boostbench.papers.latex.cells import Cell, Table, read_tables
from boostbench.papers.latex.text import nodes_of, printed

TABLES = Path(__file__).parent / "tables"
SOURCES = sorted(path.with_suffix(".tex") for path in TABLES.glob("*.csv"))


def letters(path: str) -> str:
    """Return what counts in a name: its letters, digits and plus signs."""
    text = unicodedata.normalize("NFKD", path)
    return "".join(c for c in text.casefold() if c.isalnum() or c in "+#")


def as_row(table: Table, cell: Cell) -> tuple[str, ...]:
    names = [letters(" | ".join(path)) for path in (cell.row, cell.column)]
    return (str(table.number), *names, cell.value, cell.spread, "doubt" if cell.doubt else "")


def from_truth(row: dict[str, str]) -> tuple[str, ...]:
    names = [letters(row[key]) for key in ("row", "column")]
    return (row["table"], *names, row["value"], row["spread"], "doubt" if row["doubt"] else "")


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_every_cell_is_read_and_what_is_doubtful_is_flagged(source: Path) -> None:
    with source.with_suffix(".csv").open(encoding="utf-8", newline="") as file:
        truth = [from_truth(row) for row in csv.DictReader(file)]
    tables, _ = read_tables(source)
    found = [as_row(table, cell) for table in tables for cell in table.cells]
    assert sorted(found) == sorted(truth)
    assert found


def cells(tmp_path: Path, body: str, columns: str = "lcc", preamble: str = "") -> list[Cell]:
    """Return the cells of the only table of a source."""
    source = tmp_path / "a.tex"
    text = f"{preamble}\\begin{{tabular}}{{{columns}}}\\hline\n{body}\n\\end{{tabular}}\n"
    source.write_text(text, encoding="utf-8")
    (table,) = read_tables(source)[0]
    return list(table.cells)


def one(tmp_path: Path, cell: str, preamble: str = "") -> tuple[str, str, str]:
    """Return value, spread and doubt of one cell."""
    body = rf"A & B & C \\ \hline x & {cell} & 1.5 \\ y & 2.5 & 3.5 \\"
    found = [c for c in cells(tmp_path, body, preamble=preamble) if c.column == ("B",)]
    return found[0].value, found[0].spread, found[0].doubt


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("12.50", ("12.50", "", "")),
        (r"$-$.5\,\%", ("-.5", "", "")),
        (r"1\,234\,567", ("1234567", "", "")),
        (r"\textbf{3.1}$\pm$\textit{.2}", ("3.1", ".2", "")),
        (r"0.853(13)", ("0.853", "0.013", "")),
        (r"(2.2$\pm$0.3)$\times10^{-4}$", ("2.2e-4", "0.3e-4", "")),
        (r"0.7 [0.6, 0.8]", ("0.7", "[0.6, 0.8]", "")),
        (r"7{\tiny 2}", ("7", "2", "second number")),
        (r"$7_{2}$", ("7", "2", "second number")),
        (r"7.5$^2$", ("7.5", "", "raised digit")),
        (r"$<$0.01", ("<0.01", "", "bound")),
        (r"\SI{7.5}{\percent}", ("7.5", "", "")),
        (r"7.5 best", ("7.5", "", "word beside number")),
        (r"\lab{7.5}", ("7.5", "", "unknown command")),
        (r"7.5 (+0.2)", ("7.5", "+0.2", "difference in parentheses")),
    ],
)
def test_numbers_have_the_digits_that_are_printed(tmp_path, cell, expected) -> None:
    assert one(tmp_path, cell) == expected


@pytest.mark.parametrize(
    ("preamble", "cell", "expected"),
    [
        (r"\newcommand{\rs}[2][9]{#2 $\pm$ #1}", r"\rs{7.1}", ("7.1", "9", "")),
        (r"\def\rs#1#2{#1$\pm$#2}", r"\rs{7.1}{.2}", ("7.1", ".2", "")),
        (r"\newcommand{\num}[2]{#1 $\pm$ #2}", r"\num{7.1}{.2}", ("7.1", ".2", "")),
        (r"\newcommand{\rs}{\textcolor{gray}}", r"\rs{7.1}", ("7.1", "", "")),
        (r"\newcommand{\rs}{\rs}", r"\rs 7.1", ("7.1", "", "unknown command")),
        (r"\NewDocumentCommand{\rs}{m}{\textbf{#1}}", r"\rs{7.1}", ("7.1", "", "")),
    ],
)
def test_macros_of_the_source_are_replaced(tmp_path, preamble, cell, expected) -> None:
    assert one(tmp_path, cell, preamble) == expected


@pytest.mark.parametrize("missing", ["--", "N/A", r"\textemdash", r"\ding{55}", "OOM", "diverged"])
def test_what_is_missing_is_no_cell(tmp_path, missing: str) -> None:
    body = rf"A & B & C \\ \hline x & {missing} & 1.5 \\ y & 2.5 & 3.5 \\"
    assert [c.value for c in cells(tmp_path, body)] == ["1.5", "2.5", "3.5"]


@pytest.mark.parametrize(("text", "shown"), [(r"\qty", ""), (r"\SI{3}", "3"), (r"\num", "")])
def test_a_command_that_lacks_an_argument_is_read(text, shown) -> None:
    assert printed(nodes_of(text)) == shown


def test_a_cell_knows_its_line_also_in_a_file_that_is_read_in(tmp_path) -> None:
    (tmp_path / "rows.tex").write_text("% a comment\nx & 1.5 & 2.5 \\\\\n")
    found = cells(tmp_path, "A & B & C \\\\ \\hline\n\\input{rows}\n% x\ny & 3.5 & 4.5\\\\")
    assert [str(cell.place) for cell in found] == ["rows.tex:2"] * 2 + ["a.tex:5"] * 2


def test_a_file_that_is_read_in_and_not_there_is_said(tmp_path) -> None:
    source = tmp_path / "a.tex"
    source.write_text("\\input{lab}\n\\begin{tabular}{lc}A&B\\\\\\hline x&1\\\\\\end{tabular}")
    _, (remark,) = read_tables(source)
    assert remark.startswith("a.tex:1: there is no file lab.tex; put it beside a.tex")


def test_comments_and_disabled_parts_are_not_read(tmp_path) -> None:
    hidden = "% z & 9 & 9 \\\\\n\\iffalse\nz & 9 & 9 \\\\\n\\fi\n"
    body = rf"A & B & C \\ \hline{chr(10)}{hidden}x & 5\% & 1.5\\"
    assert [c.value for c in cells(tmp_path, body)] == ["5", "1.5"]


def test_names_of_footnotes_citations_and_line_breaks_are_plain(tmp_path) -> None:
    body = (
        r"A & \makecell{Two\\lines}$^a$ & R$^2$ \\ \hline"
        r" Net~\cite{k} & 1.5 & 2.5 \\ \cite{only20} & 1 & 2 \\"
    )
    found = cells(tmp_path, body)
    assert {c.column for c in found} == {("Two lines",), ("R^2",)}
    assert [c.row for c in found[::2]] == [("Net",), ("only20",)]


@pytest.mark.parametrize(
    ("body", "doubt"),
    [
        (r"A & B & B \\ \hline x & 1.5 & 2.5 \\", "duplicate name"),
        (r"A & B & C \\ \hline x & 1.5 & 2.5 \\ x & 3.5 & 4.5 \\", "duplicate name"),
        (r"A & B & C \\ \hline x & \multicolumn{2}{c}{2.5} \\", "over several cells"),
        (r"A & \lab{B} & \lab{C} \\ \hline x & 1.5 & 2.5 \\", "unknown command"),
        (r"A & B & \\ \hline x & & 2.5 \\", "column without a name"),
    ],
)
def test_doubts_of_places_and_names(tmp_path, body: str, doubt: str) -> None:
    found = cells(tmp_path, body)
    assert {cell.doubt for cell in found if cell.row == ("x",)} == {doubt}
    assert len(found) >= 1


def test_what_holds_for_a_whole_table_is_said(tmp_path) -> None:
    source = tmp_path / "a.tex"
    source.write_text(
        "\\begin{tabular}{lccc}\nA & B & C & D\\\\\\hline\nx & 1,25 & 2,5 & 3,5\\\\\n"
        "y & 1,5 & diverged & 2,5\\\\\nz & 1,5 & 2,5\\\\\n\\end{tabular}"
    )
    (table,) = read_tables(source)[0]
    short, commas, text = table.doubts
    assert short.startswith("a.tex:5: this row has 3 cells, and the table 4 columns")
    assert commas.startswith("the commas of the numbers were taken")
    assert text.startswith("a.tex:4: 'diverged' is text")
    assert [cell.value for cell in table.cells][:2] == ["1.25", "2.5"]


def test_a_text_at_the_left_of_its_group_heads_all_of_it(tmp_path) -> None:
    body = r" & A & & B & \\ M & x & y & x & y \\ \hline m & 1.5 & 2.5 & 3.5 & 4.5 \\"
    found = cells(tmp_path, body, "lcccc")
    assert [cell.column for cell in found] == [("A", "x"), ("A", "y"), ("B", "x"), ("B", "y")]
    assert {cell.doubt for cell in found} == {""}
    # In the middle of its group it may be the name of that column alone.
    found = cells(tmp_path, body.replace("& A & &", "& & A &"), "lcccc")
    assert [cell.column for cell in found][:2] == [("x",), ("A", "y")]
    assert "duplicate name" in {cell.doubt for cell in found}


def test_a_title_above_a_header_inside_of_the_table_is_part_of_it(tmp_path) -> None:
    body = (
        r" & \multicolumn{2}{c}{A} \\ M & x & y \\ \hline m & 1.5 & 2.5 \\ \hline"
        r" & \multicolumn{2}{c}{B} \\ M & x & y \\ \hline m & 3.5 & 4.5 \\"
    )
    found = cells(tmp_path, body)
    assert [cell.column for cell in found] == [("A", "x"), ("A", "y"), ("B", "x"), ("B", "y")]
    assert [cell.doubt for cell in found] == ["", "", "below inner header", "below inner header"]


def test_a_label_over_several_rows_covers_the_empty_ones_too(tmp_path) -> None:
    body = (
        r"\multirow{3}{*}{M} & \multicolumn{2}{c}{A} \\ & x & y \\ & & \\ \hline"
        r" & 1.5 & 2.5 \\ m & 3.5 & 4.5 \\"
    )
    found = cells(tmp_path, body)
    assert [cell.row for cell in found] == [(), (), ("m",), ("m",)]
    assert [cell.doubt for cell in found[:2]] == ["row without a name"] * 2


def test_texts_after_a_condition_name_a_row_if_it_has_no_other_name(tmp_path) -> None:
    body = (
        r"M & Size & Data & Rate & Loss \\ \hline a & 10 & u & 1.5 & 2.5 \\"
        r" a & 20 & u & 1.6 & 2.6 \\ a & 10 & v & 1.7 & 2.7 \\"
    )
    found = cells(tmp_path, body, "llllr")
    assert [cell.row for cell in found][::2] == [
        ("a", "10", "u"),
        ("a", "20", "u"),
        ("a", "10", "v"),
    ]
    assert {cell.doubt for cell in found} == {""}


def test_a_name_from_above_a_full_rule_is_doubtful(tmp_path) -> None:
    body = r"Group & Net & A \\ \hline g & x & 1 \\ & y & 2 \\ \hline & z & 3 \\ & u & 4 \\"
    found = cells(tmp_path, body, columns="llc")
    assert [cell.row for cell in found] == [("g", "x"), ("g", "y"), ("g", "z"), ("g", "u")]
    assert [cell.doubt for cell in found] == ["", "", *["name from above"] * 2]
