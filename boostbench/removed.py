"""What earlier versions had, and what to use instead."""

COMMANDS = {
    "serve": "serve was removed: the page is a file, which `boostbench report NAME --open` shows",
}
