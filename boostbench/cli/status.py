"""``boostbench status``: finished trials, failed ones and why, and those running now."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from boostbench.experiment import options
from boostbench.suggest import counted
from boostbench.values import Record

if TYPE_CHECKING:
    from boostbench.cli.screen import Screen


def status(
    configs: options.SeveralResults = None,
    only: options.Only = None,
    as_json: options.Json = False,
) -> None:
    """Show the progress of a run, and why trials failed.

    Of several, one line each; without CONFIG these are all results below ./results.
    """
    from boostbench.cli.screen import Screen
    from boostbench.experiment.folders import results_folders
    from boostbench.experiment.state import state_of

    screen = Screen()
    folders = list(map(screen.find, configs)) if configs else results_folders()
    if len(folders) > 1:
        _show_folders(screen, folders, only or [], as_json)
        return
    folder = folders[0] if folders else screen.find(None)
    state: Record = state_of(folder, only or [])
    if as_json:
        screen.json(state)
        return
    _show_progress(screen, state)
    _show_open_cells(screen, state)
    _show_data(screen, state)
    for trial, seconds in state["running"].items():
        screen.write(f"running for {seconds:.0f} s: {trial}")
    _show_failures(screen, state)
    if again := state["again"]:
        screen.write(f"{counted(again, 'trial')} of --again still to be run again", "yellow")
    for sentence in state["notices"]:
        screen.write(sentence, "yellow")
    if state["estimate"]:
        screen.write(f"the rest: {state['estimate']}")
    if state["resume"]:
        screen.write(f"resume with: {state['resume']}")


def _show_folders(
    screen: "Screen", folders: Sequence[Path], only: Sequence[str], as_json: bool
) -> None:
    """Show a line for each folder; those that cannot be read, or lack such trials, are named."""
    from boostbench.errors import BoostbenchError
    from boostbench.experiment.state import overview

    overviews = []
    for folder in folders:
        try:
            overviews.append(overview(folder, only))
        except BoostbenchError as error:
            screen.note(f"{folder}: {error}" if only else str(error), "failure")
    if as_json:
        screen.json(overviews)
        return
    rows = [
        [
            one["results"],
            f"{one['planned']:,}",
            f"{one['done']:,}",
            f"{one['failed']:,}",
            f"{one['running']:,}",
        ]
        for one in overviews
    ]
    screen.table(["results", "planned", "done", "failed", "running now"], rows)


def _show_progress(screen: "Screen", state: Record) -> None:
    by_status = ", ".join(f"{count:,} {name}" for name, count in state["statuses"].items())
    part = f" of shard {state['shard']}" if state["shard"] else ""
    screen.write(
        f"{state['name']}: {state['done']:,} of {state['planned']:,} trials{part} done"
        f"{f' ({by_status})' if by_status else ''}; results in {state['results']}",
        "bold",
    )


def _show_open_cells(screen: "Screen", state: Record) -> None:
    """Show the counts of cells that are not done, or have failed or skipped trials."""
    rows: dict[str, dict[str, str]] = {}
    methods: dict[str, None] = {}
    for cell in state["cells"]:
        if cell["done"] < cell["planned"] or cell["failed"] or cell["skipped"]:
            rows.setdefault(cell["dataset"], {})[cell["method"]] = _cell(cell)
            methods[cell["method"]] = None
    if rows:
        texts = [[dataset, *_of_methods(cells, methods)] for dataset, cells in rows.items()]
        screen.table(["open or failed", *methods], texts)


def _of_methods(cells: Mapping[str, str], methods: Iterable[str]) -> list[str]:
    return [cells.get(method, "") for method in methods]


def _show_data(screen: "Screen", state: Record) -> None:
    """Show why data sets are left out."""
    if state["unplanned"]:
        names = ", ".join(state["unplanned"])
        screen.write(f"not planned, as the data were never loaded: {names}", "yellow")
    for reason, without in state["without_data"].items():
        screen.write(f"skipped by the last run, {', '.join(without)}: {reason}", "yellow")


def _show_failures(screen: "Screen", state: Record) -> None:
    failures = state["failures"]
    if failures:
        rows = [
            [one["method"], one["status"], str(one["trials"]), one["such_as"], one["reason"]]
            for one in failures
        ]
        screen.table(["method", "what", "trials", "such as", "reason"], rows, left=(0, 1, 3, 4))
        screen.write(f"see one with: boostbench show {failures[0]['such_as']}")


def _cell(cell: Record) -> str:
    counts = "".join(f" {cell[key]} {key}" for key in ("failed", "skipped") if cell[key])
    return f"{cell['done']}/{cell['planned']}{counts}"
