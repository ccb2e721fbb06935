"""``boostbench serve``: the page of a run, over HTTP on this machine, refreshed as it proceeds."""

from typing import Annotated

import typer

from boostbench.cli import options

DEFAULT_PORT = 8765


def serve(
    config: options.Results = None,
    port: Annotated[
        int,
        typer.Option(
            "--port", metavar="N", min=0, max=65535, help="The port; 0 takes any that is free."
        ),
    ] = DEFAULT_PORT,
    open_: Annotated[
        bool, typer.Option("--open", help="Open the page in the browser as well.")
    ] = False,
    set_: options.Place = None,
) -> None:
    """Show the page of a run that may still be running, and refresh it.

    Only this machine can see it, and nothing is written. Ctrl-C stops it; the run is not touched.
    """
    import threading

    from boostbench.cli.browser import open_page
    from boostbench.cli.console import Screen
    from boostbench.experiment.folders import find_results
    from boostbench.serve import serving

    screen = Screen()
    folder = find_results(config, set_ or [])
    screen.note("making the page")
    try:
        with serving(folder, port) as address:
            screen.say(f"{folder} is shown at {address}, refreshed as results come in")
            screen.note("Ctrl-C stops")
            if open_:
                open_page(screen, address)
            threading.Event().wait()
    except KeyboardInterrupt:
        screen.note("stopped")
