"""``boostbench paper``: the tables of any paper, from its LaTeX source to a folder."""

from pathlib import Path
from typing import Annotated

import typer

from boostbench.experiment.options import argument

app = typer.Typer(
    help="Read the tables of a paper, and make a paper's folder of them.", no_args_is_help=True
)


@app.command("cells")
def cells(
    source: Annotated[Path, argument("FILE.tex", "A LaTeX file with tables.")],
) -> None:
    """Print every cell of the tables of a LaTeX file as CSV, with what is doubtful in it.

    Tables are numbered in the order of the source. What holds for a whole table, or is no number,
    is said on the standard error.
    """
    from boostbench.papers.latex.cells import read_tables
    from boostbench.papers.latex.listing import cells_as_csv

    tables, remarks = read_tables(source)
    for remark in [*remarks, *(doubt for table in tables for doubt in table.doubts)]:
        typer.echo(remark, err=True)
    typer.echo(cells_as_csv(tables, source.name), nl=False)
