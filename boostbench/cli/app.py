"""The command line: ``boostbench COMMAND``; each command lies in a module of its own.

Nothing heavy is imported here or at the top of those modules, so that ``--help`` and the completion
in the shell answer at once.
"""

import gc
import importlib
import os
import sys
from collections.abc import Sequence
from typing import Annotated, NoReturn

import typer

import boostbench
from boostbench.errors import BoostbenchError, ConfigError

EXIT_BUG = 70
# Any other system error comes from a disk, its permissions or its limits.
_OF_THE_PROGRAM = (FileNotFoundError, FileExistsError, IsADirectoryError, NotADirectoryError)

app = typer.Typer(
    name="boostbench",
    help="Reproduce the benchmarks of papers on boosting and on soft regression trees.",
    epilog="Begin with: boostbench run quickstart",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _name in (
    "run",
    "merge",
    "report",
    "status",
    "show",
    "verify",
    "compare",
    "archive",
    "check",
    "list",
    "fetch",
    "doctor",
):
    _module = importlib.import_module(f"boostbench.cli.{_name}")
    app.command(_name)(getattr(_module, "list_names" if _name == "list" else _name))
app.add_typer(importlib.import_module("boostbench.cli.paper").app, name="paper")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"boostbench {boostbench.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    del version


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit.

    The exit codes: 0 success, 1 some trials failed, 2 bad input, 3 a figure was not reproduced,
    4 data, 130 interrupted, 70 a bug.
    """
    if arguments is None and "--in-process" in sys.argv[1:]:
        _restart_like_workers()
    # Commands make many objects and little garbage: the search for it is a sixth of their time.
    # Trials are not run in this process, except by --in-process.
    gc.set_threshold(50_000, 20, 100)
    try:
        words = sys.argv[1:] if arguments is None else list(arguments)
        _refuse_removed(words)
        app(args=words, prog_name="boostbench", obj=words)
    except BoostbenchError as error:
        _print_error(str(error))
        sys.exit(error.exit_code)
    except SystemExit as ended:
        if _is_untold_interrupt(ended):
            _print_error("interrupted")
        raise
    except _OF_THE_PROGRAM as error:
        _report_bug(error)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        _print_error(f"{where}{error.strerror or error}")
        sys.exit(2)
    except Exception as error:  # the last resort: a bug is reported as one, with its traceback
        _report_bug(error)


def _refuse_removed(words: Sequence[str]) -> None:
    if words and words[0] == "serve":
        raise ConfigError(
            "serve was removed: the page is a file, which `boostbench report NAME --open` shows"
        )


def _is_untold_interrupt(ended: SystemExit) -> bool:
    """Return whether Typer ends so after an interrupt of which the command itself said nothing."""
    cause = ended.__context__ and ended.__context__.__cause__
    return isinstance(cause, KeyboardInterrupt)


def _restart_like_workers() -> None:
    """Restart this command with one thread and the hash seed of workers, unless it has them."""
    from boostbench.engine.os_processes import worker_environment

    wanted = worker_environment()
    # A debugger would not follow.
    if sys.gettrace() is None and wanted.items() - os.environ.items():
        sys.stdout.flush()
        words = [sys.executable, "-P", "-m", "boostbench", *sys.argv[1:]]
        os.execve(sys.executable, words, wanted)


def _print_error(text: str) -> None:
    lines = text.splitlines() or ["unknown error"]
    prefix = "error: " if len(lines) == 1 else f"{len(lines)} errors:\n"
    typer.echo(prefix + "\n".join(lines), err=True)


def _report_bug(error: Exception) -> NoReturn:
    import traceback

    typer.echo(traceback.format_exc(), err=True)
    sentence = " ".join(f"{type(error).__name__}: {error}".split())
    _print_error(f"this is a bug in boostbench ({sentence})")
    sys.exit(EXIT_BUG)
