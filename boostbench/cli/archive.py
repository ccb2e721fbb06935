"""``boostbench archive``: results with their report, small enough to be kept in git."""

from pathlib import Path
from typing import Annotated

from boostbench.experiment import options
from boostbench.experiment.options import option
from boostbench.suggest import counted, listing


def archive(
    results: options.Results = None,
    out: Annotated[Path | None, option("out", "DIR")] = None,
    predictions: Annotated[bool, option("predictions")] = False,
) -> None:
    """Keep results with their report in a folder small enough for git.

    It has trials.csv, compressed tables of times and curves, record.json, table.md and figure.png.
    Paths of this machine, tracebacks and what trials printed are left out. The other commands, and
    boostbench.load, read an archive like a results folder; an archive given here is written again,
    with a new report. Data and estimators that boostbench.run got from Python are in it too.
    """
    from boostbench.cli.screen import Screen
    from boostbench.experiment.archiving import archive as archive_results

    screen = Screen()
    folder = screen.find(results)
    with screen.working("writing the archive and its report"):
        paths = archive_results(folder, out, predictions=predictions)
    if tables := [path.name for path in paths if path.suffix == ".npz"]:
        screen.note(
            f"it has {counted(len(tables), 'data set')} that boostbench.run got from Python: "
            f"{listing(tables, 5)}",
            "important",
        )
    size = sum(path.stat().st_size for path in paths) / 2**20
    screen.write(f"written to {paths[0].parent}: {len(paths)} files, {size:.1f} MiB")
