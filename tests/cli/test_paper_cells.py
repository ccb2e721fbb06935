"""``boostbench paper cells``: the cells of a LaTeX file's tables as CSV."""

import csv
import io

TABLE = r"""\begin{tabular}{lcc}
A & B & C / D \\ \hline
x & 1.50 $\pm$ .1 & 2 / 3 \\
y & $<$0.1 & no \\
\end{tabular}
"""


def test_cells_are_printed_as_csv(cli, folder) -> None:
    (folder / "t.tex").write_text(TABLE)
    done = cli.well("paper", "cells", "t.tex")
    assert list(csv.reader(io.StringIO(done.out))) == [
        ["table", "row", "column", "value", "spread", "doubt", "line"],
        ["1", "x", "B", "1.50", ".1", "", "3"],
        ["1", "x", "C / D#1", "2", "", "", "3"],
        ["1", "x", "C / D#2", "3", "", "", "3"],
        ["1", "y", "B", "<0.1", "", "bound", "4"],
    ]
    assert done.err.startswith("t.tex:4: 'no' is text")


def test_what_has_no_tables_is_refused(cli, folder) -> None:
    (folder / "t.tex").write_text("no table\n")
    assert "t.tex: there is no table" in cli.refused("paper", "cells", "t.tex")
    assert "there is no file u.tex" in cli.refused("paper", "cells", "u.tex")
    (folder / "t.tex").write_text("\\input{t}\n")
    assert "inputs itself" in cli.refused("paper", "cells", "t.tex")
