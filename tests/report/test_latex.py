"""Tables as LaTeX: one file each, wide ones transposed or divided, and what to cite."""

import re
import shutil
import subprocess

import pytest
from boosting_parts import ok as boosting_ok
from hypothesis import given, settings
from hypothesis import strategies as st
from pages import files_of

from boostbench.report.build import build_report
from boostbench.report.page import Item, Table
from boostbench.report.render import latexfit

PAPER = r"""\documentclass[a4paper]{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage{array,booktabs,amssymb}
\begin{document}
\nocite{*}
\input{table}
\bibliographystyle{plain}
\bibliography{references}
\end{document}
"""


def wide(rows: int, columns: int, text: str = "0.123 ± 0.0456") -> Table:
    names = [f"method_{n}" for n in range(columns)]
    return Table(
        "wide",
        "A wide table",
        ["Data set", *names],
        [[Item(f"data_{r}"), *(Item(text) for _ in names)] for r in range(rows)],
    )


def labels(text: str) -> list[str]:
    return re.findall(r"\\label\{(.*?)\}", text)


@pytest.fixture
def many(make_store):
    """A store of 7 methods on 4 data sets, two of them compared with published values."""
    methods = ["srt", "srt_l2", "orrt", "own_1", "own_2", "own_3", "own_with_a_very_long_name"]
    datasets = ["yacht", "housing", "mine", "some_other_data_set"]
    return make_store({(d, m): [0.9, -0.8] for d in datasets for m in methods}, name="d3 & co")


def test_each_table_is_in_a_file_of_its_own_and_all_are_in_one(many) -> None:
    files = {n: c.decode() for n, c in files_of(many, "latex").items() if n.endswith(".tex")}
    whole = files.pop("table.tex")
    assert {"table-overview.tex", "table-verdicts.tex", "table-datasets.tex"} <= set(files)
    own = [label for text in files.values() for label in labels(text)]
    assert sorted(labels(whole)) == sorted(own) == sorted(set(own))
    assert all(label.startswith("tab:d3-co-") for label in own)
    assert labels(files["table-verdicts.tex"])[0] == "tab:d3-co-verdicts"
    for name, text in files.items():
        body = text.split("amssymb}\n", 1)[1]
        assert body in whole
        assert f"\\input{{{name.removesuffix('.tex')}}}" in text


@settings(max_examples=40)
@given(st.integers(1, 90), st.integers(1, 25), st.integers(0, 3), st.integers(1, 60))
def test_no_cell_is_lost_or_doubled_and_every_part_fits(
    rows: int, columns: int, averages: int, length: int
) -> None:
    names = [f"m{n}" for n in range(columns)]
    body = [
        [
            Item(f"data {r}"),
            *(Item(f"{r}.{c}", note="x " * length * (c == 0)) for c in range(columns)),
        ]
        for r in range(rows)
    ]
    parts = latexfit.parts(Table("t", "T", ["Data set", *names], body, min(averages, rows)))
    found = [item.text for part in parts for row in part.table.rows for item in row[1:]]
    assert sorted(found) == sorted(f"{r}.{c}" for r in range(rows) for c in range(columns))
    for part in parts:
        widths = latexfit.column_widths(part.table, part.size)
        total = sum(part.wrapped.get(c, width) for c, width in enumerate(widths))
        assert total + latexfit.COLUMN_GAP * (len(widths) - 1) <= latexfit.TEXT_WIDTH
        assert len(part.table.rows) <= 60
        assert all(row[0].text for row in part.table.rows)


def test_tables_of_an_earlier_report_are_removed_and_those_of_the_user_stay(
    make_store, tmp_path
) -> None:
    out = tmp_path / "out"
    build_report(make_store({("mine", m): [0.9] for m in "ab"}, paper=None), out, ["latex"])
    (out / "table-mine.tex").write_text("my own")
    assert (out / "table-method-b.tex").is_file()
    build_report(make_store({("mine", "a"): [0.9]}, paper=None), out, ["latex"])
    assert not (out / "table-method-b.tex").exists()
    assert (out / "table-method-a.tex").is_file()
    assert (out / "table-mine.tex").read_text() == "my own"


needs_tex = pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")


@needs_tex
def test_latex_sets_every_table_within_the_text(many, make, make_store, tmp_path) -> None:
    runs = [boosting_ok([0.5, 0.3, 0.2]), boosting_ok([0.5, 0.1])]
    learning = make({(d, m): runs for d in ("vowel", "usps") for m in ("multiboost_cw", "mine")})
    odd = make_store({(r"a_b^c~d\e{f}$g%h&i#j<k|l>", "τ_±²`x`"): [0.5, -3.0]}, paper=None)
    for number, store in enumerate((many, learning, odd)):
        out = tmp_path / str(number)
        build_report(store, out, ["latex"])
        (out / "paper.tex").write_text(PAPER)
        for command in ("pdflatex", "bibtex", "pdflatex"):
            options = ["-interaction=nonstopmode"] if command == "pdflatex" else []
            done = subprocess.run(
                [command, *options, "paper"], cwd=out, capture_output=True, check=False
            )
            log = done.stdout.decode("utf-8", "replace")
            assert done.returncode == 0, log[-3000:]
            assert "Warning--" not in log
        assert not re.search(r"^!|Overfull|Float too large|multiply defined", log, re.MULTILINE)


def test_references_are_the_paper_the_program_and_the_data_that_were_used(make_store) -> None:
    cells = {(d, "srt"): [0.9, 0.8] for d in ("yacht", "ailerons", "elevators", "my_data")}
    names = [{"name": d, **({"card": d} if d != "my_data" else {})} for d, _ in cells]
    text = files_of(make_store(cells, datasets=names), "latex")["references.bib"].decode()
    entries = re.findall(r"^@(\w+)\{(\w+),$", text, flags=re.MULTILINE)
    assert entries == [
        ("article", "consolo2026soft"), ("misc", "boostbench"), ("misc", "gerritsma1981yacht"),
        ("misc", "torgoregression"),
    ]  # fmt: skip
    assert "doi = {10.1016/j.ejor.2025.08.050}" in text
    assert "author = {J. Gerritsma and R. Onnink and A. Versluis}" in text
    assert "% data: ailerons, elevators\n" in text
    assert "abalone" not in text
    assert "my_data" not in text
