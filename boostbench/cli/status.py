"""``boostbench status``: finished trials, failed ones and why, and those running now."""

from typing import TYPE_CHECKING

from boostbench.experiment import options
from boostbench.suggest import counted
from boostbench.values import Record

if TYPE_CHECKING:
    from boostbench.cli.screen import Screen


def status(results: options.Results = None, as_json: options.Json = False) -> None:
    """Show the progress of a run, and why trials failed.

    Without CONFIG: all results below ./results, one line each, if there are several.
    """
    from boostbench.cli.screen import Screen
    from boostbench.errors import StoreError
    from boostbench.experiment.folders import results_folders
    from boostbench.experiment.state import overview, state_of

    screen = Screen()
    folders = results_folders() if results is None else []
    found = []
    for folder in folders if len(folders) > 1 else ():
        try:
            found.append(overview(folder))
        except StoreError as error:
            screen.note(str(error), "failure")
    state: Record = state_of(screen.find(results)) if len(folders) < 2 else {}
    if as_json:
        screen.json(state or found)
    elif state:
        _show(screen, state)
    else:
        rows = [[str(v) if k == "results" else f"{v:,}" for k, v in row.items()] for row in found]
        screen.table(["results", "planned", "done", "failed", "running now"], rows)


def _show(screen: "Screen", state: Record) -> None:
    by_status = ", ".join(f"{count:,} {name}" for name, count in state["statuses"].items())
    part = f" of shard {state['shard']}" if state["shard"] else ""
    screen.say(
        f"{state['name']}: {state['done']:,} of {state['planned']:,} trials{part} done"
        f"{f' ({by_status})' if by_status else ''}; results in {state['results']}",
        "bold",
    )
    cells = {
        (cell["dataset"], cell["method"]): _cell(cell)
        for cell in state["cells"]
        if cell["done"] < cell["planned"] or cell["failed"] or cell["skipped"]
    }
    methods = list(dict.fromkeys(method for _, method in cells))
    rows = [
        [dataset, *(cells.get((dataset, method), "") for method in methods)]
        for dataset in dict.fromkeys(dataset for dataset, _ in cells)
    ]
    if rows:
        screen.table(["open or failed", *methods], rows)
    if state["unplanned"]:
        names = ", ".join(state["unplanned"])
        screen.say(f"not planned, as the data were never loaded: {names}", "yellow")
    for reason, without in state["without_data"].items():
        screen.say(f"skipped by the last run, {', '.join(without)}: {reason}", "yellow")
    for trial, seconds in state["running"].items():
        screen.say(f"running for {seconds:.0f} s: {trial}")
    if failures := state["failures"]:
        keys = ("method", "status", "trials", "such_as", "reason")
        rows = [[str(one[key]) for key in keys] for one in failures]
        screen.table(["method", "what", "trials", "such as", "reason"], rows, left=(0, 1, 3, 4))
        screen.say(f"see one with: boostbench show {failures[0]['such_as']}")
    if again := state["again"]:
        screen.say(f"{counted(again, 'trial')} of --again still to be run again", "yellow")
    for sentence in state["notices"]:
        screen.say(sentence, "yellow")
    if state["estimate"]:
        screen.say(f"the rest: {state['estimate']}")
    if state["resume"]:
        screen.say(f"resume with: {state['resume']}")


def _cell(cell: Record) -> str:
    counts = "".join(f" {cell[key]} {key}" for key in ("failed", "skipped") if cell[key])
    return f"{cell['done']}/{cell['planned']}{counts}"
