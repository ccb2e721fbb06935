"""A page in the user's browser."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from boostbench.cli.console import Screen


def open_page(screen: "Screen", address: str) -> None:
    """Open ``address`` in the user's browser; where there is none, say so."""
    import webbrowser

    try:
        opened = webbrowser.open(address)
    except (webbrowser.Error, OSError):
        opened = False
    if not opened:
        screen.note(f"no browser was found here; open {address} in one", "yellow")
