"""``boostbench status``: what is done, what failed and why, what runs now."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boostbench.cli import options
from boostbench.suggest import counted

if TYPE_CHECKING:
    from boostbench.cli.console import Screen
    from boostbench.experiment.state import CellState, FailureState, State

_MAX_REASONS = 20


def status(
    config: options.Results = None, set_: options.Place = None, as_json: options.Json = False
) -> None:
    """Show how far a run is, and why trials failed.

    Without CONFIG: all results below ./results, one line each, if there are several.
    """
    import dataclasses

    from boostbench.cli.console import Screen
    from boostbench.experiment.folders import check_overrides, find_results, results_folders
    from boostbench.experiment.state import state_of

    check_overrides(config, set_ or [])
    screen = Screen()
    folders = results_folders() if config is None else []
    if len(folders) > 1:
        found = _overview(screen, folders)
        if as_json:
            screen.json(found)
        else:
            rows = [[str(v) if k == "results" else f"{v:,}" for k, v in r.items()] for r in found]
            screen.table(["results", "planned", "done", "failed", "running now"], rows)
        return
    state = state_of(find_results(config, set_ or [], screen.warn), config)
    if as_json:
        screen.json(dataclasses.asdict(state))
    else:
        _show(screen, state)


def _overview(screen: "Screen", folders: list[Path]) -> list[dict[str, Any]]:
    from boostbench.errors import StoreError
    from boostbench.experiment.state import count_statuses
    from boostbench.store.store import Store

    found = []
    for folder in folders:
        try:
            with Store.open(folder, create=False, read_only=True) as store:
                plan, outcomes = store.part(), store.outcomes(brief=True)
                running = len(store.running())
        except StoreError as error:
            screen.note(str(error), "red")
            continue
        counts = count_statuses(plan, outcomes)
        found.append(
            {
                "results": str(folder),
                "planned": len(plan),
                "done": sum(counts.values()),
                "failed": sum(n for s, n in counts.items() if s not in {"ok", "skipped"}),
                "running": running,
            }
        )
    return found


def _show(screen: "Screen", state: "State") -> None:
    by_status = ", ".join(f"{count:,} {name}" for name, count in state.statuses.items())
    part = f" of shard {state.shard}" if state.shard else ""
    screen.say(
        f"{state.name}: {state.done:,} of {state.planned:,} trials{part} done"
        f"{f' ({by_status})' if by_status else ''}; results in {state.results}",
        "bold",
    )
    cells = {
        (cell.dataset, cell.method): cell
        for cell in state.cells
        if cell.done < cell.planned or cell.failed or cell.skipped
    }
    methods = list(dict.fromkeys(method for _, method in cells))
    rows = [
        [dataset, *(_cell(cells.get((dataset, method))) for method in methods)]
        for dataset in dict.fromkeys(dataset for dataset, _ in cells)
    ]
    if rows:
        screen.table(["open or failed", *methods], rows)
    if state.unplanned:
        names = ", ".join(state.unplanned)
        screen.say(f"not planned, as the data were never loaded: {names}", "yellow")
    for reason, without in state.without_data.items():
        screen.say(f"skipped by the last run, {', '.join(without)}: {reason}", "yellow")
    for trial, seconds in state.running.items():
        screen.say(f"running for {seconds:.0f} s: {trial}")
    if state.failures:
        _show_failures(screen, state.failures)
    if state.again:
        screen.say(f"{counted(state.again, 'trial')} of --again still to be run again", "yellow")
    for sentence in state.notices:
        screen.say(sentence, "yellow")
    if state.estimate:
        screen.say(f"the rest: {state.estimate}")
    if state.resume:
        screen.say(f"resume with: {state.resume}")


def _cell(cell: "CellState | None") -> str:
    if cell is None:
        return ""
    failed = f" {cell.failed} failed" if cell.failed else ""
    skipped = f" {cell.skipped} skipped" if cell.skipped else ""
    return f"{cell.done}/{cell.planned}{failed}{skipped}"


def _show_failures(screen: "Screen", failures: "Sequence[FailureState]") -> None:
    rows = [[f.method, f.status, str(f.trials), f.such_as, f.reason] for f in failures]
    header = ["method", "what", "trials", "such as", "reason"]
    screen.table(header, rows[:_MAX_REASONS], left=(0, 1, 3, 4))
    more = f"; {len(rows) - _MAX_REASONS} more reasons" if len(rows) > _MAX_REASONS else ""
    screen.say(f"see one with: boostbench show {failures[0].such_as}{more}")
