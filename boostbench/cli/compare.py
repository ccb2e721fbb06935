"""``boostbench compare``: the differences beyond noise between two results, and why."""

from collections import Counter
from typing import TYPE_CHECKING, Annotated

from boostbench.experiment import options
from boostbench.experiment.options import argument

if TYPE_CHECKING:
    from boostbench.cli.screen import Screen
    from boostbench.experiment.comparison import Comparison

_HELP = (
    "A results folder, its name below ./results, an experiment file or a shipped config's name; "
    "with @before its outcomes before the last edit of your own code."
)


def compare(
    a: Annotated[str, argument("A", _HELP)],
    b: Annotated[str, argument("B", "The results to compare with A.")],
    metric: options.Metric = None,
    only: options.Only = None,
    as_json: options.Json = False,
) -> None:
    """Compare two results: which cells changed beyond noise, and why.

    Runs are paired by data set, method, fold and seed. A cell has changed where the corrected
    resampled t-test over its folds says so at 5 %, adjusted for the number of cells.

    After an edit of your own code and another run: boostbench compare NAME@before NAME
    """
    from boostbench.cli.screen import Screen
    from boostbench.errors import ConfigError
    from boostbench.experiment.before_edit import changes_not_run, find_side
    from boostbench.experiment.comparison import compare as compared

    screen = Screen()
    first, second = find_side(a, screen.warn), find_side(b, screen.warn)
    is_one_moment = first.before is second.before
    if is_one_moment and first.folder.resolve() == second.folder.resolve():
        raise ConfigError(
            f"A and B are the same results, {first}: name two results folders, or compare "
            "NAME@before with NAME"
        )
    comparison = compared(first, second, metric, only or [])
    for sentence in changes_not_run(first, second):
        screen.warn(sentence)
    if as_json:
        screen.json({"a": str(first), "b": str(second), **comparison.as_json()})
        return
    screen.write(f"A: {first}, B: {second}; {comparison.metric.words}", "bold")
    _show(screen, comparison)


def _show(screen: "Screen", comparison: "Comparison") -> None:
    """Show the cells that changed, other environments, and how many cells changed how."""
    from boostbench.experiment.comparison import ChangeKind

    only_counted = {ChangeKind.EQUAL, ChangeKind.ONLY_A, ChangeKind.ONLY_B}
    rows = [comparison.row(cell) for cell in comparison.cells if cell.change not in only_counted]
    header = ["data set", "method", "runs", "A", "B", "B - A", "95 % interval", "change", "why"]
    if rows:
        screen.table(header, rows, left=(0, 1, 7, 8))
    if comparison.environments:
        environments = ", ".join(comparison.environments)
        screen.write(f"B ran in another environment: {environments}", "yellow")
    counts = Counter(str(cell.change) for cell in comparison.cells)
    text = ", ".join(f"{count:,} {change}" for change, count in counts.most_common())
    screen.write(f"cells: {text or 'none'}")
