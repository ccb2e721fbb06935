"""``boostbench compare``: what differs between two results folders beyond noise, and why."""

from collections import Counter
from typing import TYPE_CHECKING, Annotated

from boostbench.experiment import options
from boostbench.experiment.options import argument
from boostbench.suggest import counted

if TYPE_CHECKING:
    from boostbench.cli.screen import Screen
    from boostbench.experiment.comparison import Comparison

_HELP = "A results folder, its name below ./results, an experiment file or a shipped config's name."


def compare(
    a: Annotated[str, argument("A", _HELP)],
    b: Annotated[
        str | None,
        argument(
            "[B]",
            "The results to compare with A. Default: A itself, compared with what it recorded "
            "before, by other versions of methods, parameters, data or code.",
        ),
    ] = None,
    metric: options.Metric = None,
    only: options.Only = None,
    as_json: options.Json = False,
) -> None:
    """Compare two results: which cells changed beyond noise, and why.

    Runs are paired by data set, method, fold and seed. A cell has changed where the corrected
    resampled t-test over its folds says so at 5 %, adjusted for the number of cells.
    """
    from boostbench.cli.screen import Screen
    from boostbench.experiment.comparison import compare_folders

    screen = Screen()
    folders = [screen.find(name, None) for name in (a, b) if name is not None]
    found = compare_folders(folders, metric, only or [])
    names = [str(folder) for folder in folders]
    if b is None:
        names.insert(0, f"{names[0]} as recorded before")
    if as_json:
        screen.json({"a": names[0], "b": names[1], **found.as_json()})
    else:
        _show(screen, found, names)


def _show(screen: "Screen", found: "Comparison", folders: list[str]) -> None:
    from boostbench.experiment.comparison import Change

    screen.say(f"A: {folders[0]}, B: {folders[1]}; {found.metric.words}", "bold")
    told_below = {Change.EQUAL, Change.EQUAL_SO_FAR, Change.ONLY_A, Change.ONLY_B}
    rows = [found.row(cell) for cell in found.cells if cell.change not in told_below]
    header = ["data set", "method", "runs", "A", "B", "B - A", "95 % interval", "change", "why"]
    if rows:
        screen.table(header, rows, left=(0, 1, 7, 8))
    for only in (Change.ONLY_A, Change.ONLY_B):
        methods = Counter(cell.method for cell in found.cells if cell.change is only)
        if methods:
            names = ", ".join(f"{name} ({counted(n, 'data set')})" for name, n in methods.items())
            screen.say(f"{only}: {names}")
    if found.environments:
        screen.say(f"B ran in another environment: {', '.join(found.environments)}", "yellow")
    counts = Counter(str(cell.change) for cell in found.cells)
    text = ", ".join(f"{count:,} {change}" for change, count in counts.most_common())
    screen.say(f"cells: {text or 'none'}")
