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

    It has trials.csv, compressed tables of times and curves, record.json, table.md and figure.png,
    and all that the experiment needs elsewhere: its file, a paper and code of your own, and data
    files of at most 10 MiB. receipt.json has the digest of each, and the one of all that is
    printed. Paths of this machine, tracebacks and what trials printed are left out. The other
    commands, and boostbench.load, read an archive like a results folder, and run runs it again; an
    archive given here is written again, with a new report. Data and estimators that boostbench.run
    got from Python are in it too.
    """
    from boostbench.cli.screen import Screen
    from boostbench.experiment.archiving import archive as archive_results

    screen = Screen()
    folder = screen.find(results)
    with screen.working("writing the archive and its report"):
        archived = archive_results(folder, out, predictions=predictions)
    paths = archived.paths
    if tables := [path.name for path in paths if path.suffix == ".npz"]:
        screen.note(
            f"it has {counted(len(tables), 'data set')} that boostbench.run got from Python: "
            f"{listing(tables, 5)}",
            "important",
        )
    for remark in archived.remarks:
        screen.note(remark, "warning")
    size = sum(path.stat().st_size for path in paths) / 2**20
    screen.write(f"written to {archived.folder}: {len(paths)} files, {size:.1f} MiB")
    screen.write(f"receipt: {archived.digest}")
