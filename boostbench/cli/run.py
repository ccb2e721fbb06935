"""``boostbench run``: one run of an experiment, its report, and the remaining work."""

import inspect
from typing import TYPE_CHECKING, Any

import typer

from boostbench.experiment.request import Request, line_on_failures

if TYPE_CHECKING:
    from boostbench.cli.screen import Screen
    from boostbench.experiment.run import Finished, Run


def run(context: typer.Context, **options: Any) -> None:
    """Run an experiment, or its missing trials.

    The first Ctrl-C lets the running trials end, the second kills them. The same command resumes an
    interrupted run. Data sets that are unavailable are skipped. Exits with 0 if all is well, 1 if
    some trials failed, 2 on bad input, 4 on missing data, 130 if interrupted.
    """
    from boostbench.cli.screen import Screen

    request = Request(**options)
    request.words = ["boostbench", *context.obj]
    screen = Screen(live=not request.in_process)
    this = None
    try:
        from boostbench.errors import DataError
        from boostbench.experiment.run import Run

        this = Run(request, screen)
        if request.dry_run:
            for text in this.dry_run():
                screen.write(text)
            raise typer.Exit(DataError.exit_code if this.without_data else 0)
        code = _close(screen, this, this.run())
    except KeyboardInterrupt:
        line = this.line_to_resume if this is not None else str(request)
        screen.note(f"interrupted; nothing is lost, resume with: {line}", "important")
        code = 130
    raise typer.Exit(code)


# The arguments and options are the fields of a request.
_CONTEXT, _ = inspect.signature(run).parameters.values()
_FIELDS = inspect.signature(Request).parameters.values()
run.__signature__ = inspect.Signature([_CONTEXT, *_FIELDS])  # type: ignore[attr-defined]


def _show(screen: "Screen", finished: "Finished", shard: str = "") -> None:
    """Show the report of a run, how its trials ended, and in the last line the page."""
    screen.report(finished.report)
    counts = ", ".join(f"{n:,} {status}" for status, n in sorted(finished.counts.items()))
    text = f"trials{f' of shard {shard}' if shard else ''}: {counts or 'none'}"
    screen.write(text if finished.ran or finished.left else f"nothing was missing; {text}")
    for page in (each for each in finished.report.report.paths if each.suffix == ".html"):
        screen.write(str(page))


def _close(screen: "Screen", run: "Run", finished: "Finished") -> int:
    """Show the report and the remaining work; return the exit code."""
    from boostbench.errors import DataError

    _show(screen, finished, str(run.shard or ""))
    # After an interrupt at the end of the last trial there is nothing to resume.
    if finished.interrupted and finished.left:
        screen.note(
            f"interrupted; finished trials are kept, resume with: {run.line_to_resume}", "important"
        )
        return 130
    failed = sum(n for s, n in finished.counts.items() if s not in {"ok", "skipped", "pending"})
    if failed:
        line = run.request.line_to_resume(retry_failed=True)
        screen.warn(line_on_failures(failed, run.folder, line))
    if run.without_data:
        screen.warn(run.data_to_get())
        return DataError.exit_code
    return 1 if finished.counts.keys() - {"ok", "skipped"} else 0
