"""Tables as LaTeX: wide ones divided, and what to cite."""

import re
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from latex import needs_latex
from pages import files_of
from parts import boosted, boosting_of, store_of

from boostbench.report.build import build_report
from boostbench.report.document.table import Item, TextTable
from boostbench.report.render.latex import render

PAPER = r"""\documentclass[a4paper]{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage{adjustbox,array,booktabs,longtable,amssymb}
\begin{document}
\nocite{*}
\input{table}
\bibliographystyle{plain}
\bibliography{references}
\end{document}
"""


def labels(text: str) -> list[str]:
    return re.findall(r"\\label\{(.*?)\}", text)


def written(table: TextTable) -> str:
    return render([table], "T", "d3 & co")


def rows_of(text: str) -> list[list[str]]:
    """Return the cells of all rows below a header, of all parts in turn."""
    parts = text.split("\\bottomrule")[:-1]
    bodies = [re.split(r"\\endhead\n|\\midrule\n", part, maxsplit=1)[1] for part in parts]
    bodies = [body.split("\\endhead\n")[-1] for body in bodies]
    lines = [line for body in bodies for line in body.splitlines() if line.endswith("\\\\")]
    return [line.removesuffix(" \\\\").split(" & ") for line in lines]


@pytest.fixture
def many():
    """A store of 7 methods on 4 data sets, two of them compared with printed values."""
    methods = ["srt", "srt_l2", "orrt", "own_1", "own_2", "own_3", "own_with_a_very_long_name"]
    datasets = ["yacht", "housing", "mine", "some_other_data_set"]
    return store_of({(d, m): [0.9, -0.8] for d in datasets for m in methods}, name="d3 & co")


def test_each_table_has_a_label_of_its_own(many) -> None:
    text = files_of(many, "latex")["table.tex"].decode()
    assert text.isascii()
    assert len(labels(text)) == len(set(labels(text)))
    assert {"tab:d3-co-overview", "tab:d3-co-pairs", "tab:d3-co-datasets"} <= {*labels(text)}


@settings(max_examples=40)
@given(
    st.integers(1, 60), st.integers(1, 25), st.integers(0, 2), st.integers(0, 5), st.integers(1, 3)
)
def test_each_part_has_the_key_columns_and_each_cell_is_in_one(
    rows: int, columns: int, averages: int, group: int, keys: int
) -> None:
    names = [f"key {n}" for n in range(keys)]
    header = [*names, *(f"m{n}" for n in range(columns))]
    titles = [*[""] * keys, *(f"G{n // group}" for n in range(columns))] if group else ()
    body = [
        [
            *(Item(f"k{n} of {r}") for n in range(keys)),
            *(Item(f"{r}.{c}", "≈", "0.5", "1/2") for c in range(columns)),
        ]
        for r in range(rows)
    ]
    left = frozenset(range(keys))
    table = TextTable("t", "T", header, body, min(averages, rows - 1), titles, left, keys)
    text = written(table)
    parts = labels(text)
    found = rows_of(text)
    assert len(parts) == len(set(parts)) == text.count("\\caption{T") == text.count("{@{}l")
    of_rows = [[f"k{n} of {r}" for n in range(keys)] for r in range(rows)]
    assert [row[:keys] for row in found] == of_rows * len(parts)
    cells = sorted(cell.split("\\,")[0] for row in found for cell in row[keys:])
    assert cells == sorted(f"{r}.{c}" for r in range(rows) for c in range(columns))
    assert all(cell.endswith("$\\approx$\\,(0.5)\\,{[}1/2{]}") for cell in found[0][keys:])
    assert max(map(len, found)) <= 6
    if columns < 3:
        assert len(parts) == 1
    # The cells are divided evenly: no part has two columns fewer than another.
    widths = [len(found[rows * part]) for part in range(len(parts))]
    assert max(widths) - min(widths) <= 2


@pytest.mark.parametrize("form", ["latex", "html"])
def test_each_part_of_the_pairs_has_both_methods(form: str) -> None:
    names = ("srt_l2", "ort_l", "random_forest", "bumptree")
    cells = {
        (f"set_{i}", name): [[0.9 - 0.01 * i - 0.02 * j * (seed + 1)] * 2 for seed in range(4)]
        for i in range(5)
        for j, name in enumerate(names)
    }
    (text,) = (
        content.decode()
        for name, content in files_of(store_of(cells, paper=None), form).items()
        if name in ("table.tex", "table.html")
    )
    if form == "latex":
        parts = [
            part for part in text.split("\\caption{")[1:] if part.startswith("Pairs of methods")
        ]
        heads = [part.split("\\toprule\n")[1].split(" & ")[:2] for part in parts]
    else:
        tables = re.findall(r"<caption>Pairs of methods.*?</table>", text, re.DOTALL)
        heads = [re.findall(r'<th scope="col"[^>]*>(.*?)</th>', table)[:2] for table in tables]
    assert len(heads) > 1
    assert heads == [["Method", "Against"]] * len(heads)


def test_a_table_of_four_methods_is_cut_in_the_middle() -> None:
    body = [[Item("d"), *(Item("0.123 ± 0.0456", "≈", "0.123 ± 0.045") for _ in range(4))]]
    text = written(TextTable("t", "T", ["Data set", "a", "b", "c", "d"], body))
    assert [len(row) for row in rows_of(text)] == [3, 3]


def test_the_names_of_rows_leave_room_for_figures() -> None:
    def columns_of(words: str) -> str:
        body = [[Item(words), Item("1")]]
        return re.search(
            r"begin\{tabular\}\{(.*)\}", written(TextTable("t", "T", ["A", "B"], body))
        )[1]

    # The name of a row is broken after 28 of the 90 letters of a line.
    assert "p{0.311" in columns_of("many words " * 20)
    assert "p{" not in columns_of("a few words")


def test_marks_and_special_characters_are_escaped() -> None:
    odd = r"50 % of a_b & c#d $x$ {y} ~^\ <z> [q] ℓ₂ R² β µ ± ≥ ☃"
    body = [[Item("[first]"), Item(odd, meaning="best")]]
    ((first, text),) = rows_of(written(TextTable("t", "T_1", ["A", "B%"], body)))
    assert first == "{[}first{]}"
    assert text == (
        r"\textbf{50 \% of a\_b \& c\#d \$x\$ \{y\} \textasciitilde{}\textasciicircum{}"
        r"\textbackslash{} $<$z$>$ {[}q{]} $\ell_2$ $R^2$ $\beta$ $\mu$ $\pm$ $\ge$ ☃}"
    )
    assert r"\caption{T\_1.}" in written(TextTable("t", "T_1", ["A", "B%"], body))


@pytest.mark.end_to_end
@needs_latex("adjustbox", "booktabs")
def test_latex_sets_every_table_within_the_text(many, tmp_path) -> None:
    runs = [boosted([0.5, 0.3, 0.2]), boosted([0.5, 0.1])]
    learning = boosting_of(
        {(d, m): runs for d in ("vowel", "usps") for m in ("multiboost_cw", "mine")}
    )
    odd = store_of({(r"a_b^c~d\e{f}$g%h&i#j<k|l>", "τ_±²`x`"): [0.5, -3.0]}, paper=None)
    for number, store in enumerate((many, learning, odd)):
        out = tmp_path / str(number)
        build_report(store, out, ["latex"])
        (out / "paper.tex").write_text(PAPER)
        for command in ("pdflatex", "bibtex", "pdflatex"):
            options = ["-interaction=nonstopmode"] if command == "pdflatex" else []
            words = [command, *options, "paper"]
            done = subprocess.run(words, cwd=out, capture_output=True, check=False)
            log = done.stdout.decode("utf-8", "replace")
            assert done.returncode == 0, log[-3000:]
            assert "Warning--" not in log
        assert not re.search(r"^!|Overfull|Float too large|multiply defined", log, re.MULTILINE)


def test_references_are_the_paper_the_program_and_the_data_that_were_used() -> None:
    cells = {(d, "srt"): [0.9, 0.8] for d in ("yacht", "ailerons", "elevators", "my_data")}
    names = [{"name": d, **({"card": d} if d != "my_data" else {})} for d, _ in cells]
    text = files_of(store_of(cells, datasets=names), "latex")["references.bib"].decode()
    entries = re.findall(r"^@(\w+)\{(\w+),$", text, flags=re.MULTILINE)
    assert entries == [
        ("article", "consolo2026soft"),
        ("misc", "boostbench"),
        ("misc", "gerritsma1981yacht"),
        ("misc", "torgoregression"),
    ]
    assert "doi = {10.1016/j.ejor.2025.08.050}" in text
    assert "author = {J. Gerritsma and R. Onnink and A. Versluis}" in text
    assert "abalone" not in text
    assert "my_data" not in text
