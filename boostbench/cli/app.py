"""The command line: ``boostbench COMMAND``; each command lies in a module of its own.

Nothing heavy is imported here or at the top of those modules, so that ``--help`` and the completion
in the shell answer at once.
"""

import errno
import os
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Annotated

import typer

from boostbench import __version__, removed
from boostbench.cli import (
    archive,
    check,
    compare,
    complete,
    doctor,
    fetch,
    listing,
    merge,
    report,
    run,
    show,
    status,
    verify,
)
from boostbench.errors import BoostbenchError, ConfigError

EXIT_BUG = 70
# What a disk, its permissions or the limits of the system refuse; any other failure is a bug.
_OF_THE_MACHINE = frozenset(
    {
        errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS, errno.EACCES, errno.EPERM,
        errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN, errno.ENAMETOOLONG, errno.ELOOP,
        errno.ESTALE, errno.ETIMEDOUT,
    }
)  # fmt: skip

app = typer.Typer(
    name="boostbench",
    help="Reproduce the benchmarks of papers on boosting and on soft regression trees.",
    epilog="Begin with: boostbench run quickstart",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _command in (
    run.run,
    merge.merge,
    report.report,
    status.status,
    show.show,
    verify.verify,
    compare.compare,
    archive.archive,
    check.check,
    listing.list_names,
    fetch.fetch,
    doctor.doctor,
):
    _name = "list" if _command is listing.list_names else _command.__name__
    app.command(name=_name)(_command)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"boostbench {__version__}")
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

    The codes: 0 all well, 1 some trials failed, 2 bad input, 3 a figure was not reproduced, 4 data,
    130 interrupted, 70 a bug.
    """
    if arguments is None and "--in-process" in sys.argv[1:]:
        _as_workers_are()
    in_bash = os.environ.get("_BOOSTBENCH_COMPLETE") == "complete_bash"
    try:
        with complete.whole_words() if in_bash else nullcontext():
            words = sys.argv[1:] if arguments is None else list(arguments)
            if words and words[0] in removed.COMMANDS:
                raise ConfigError(removed.COMMANDS[words[0]])
            app(args=words, prog_name="boostbench", obj=words)
    except BoostbenchError as error:
        _complain(str(error))
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        _complain("interrupted")
        sys.exit(130)
    except OSError as error:
        if error.errno not in _OF_THE_MACHINE:
            _complain(_bug(error))
            sys.exit(EXIT_BUG)
        _complain(f"{_os_sentence(error)}{_traceback_file('; the traceback is in ')}")
        sys.exit(2)
    except Exception as error:  # the last resort: a bug is reported as one, its traceback is kept
        _complain(_bug(error))
        sys.exit(EXIT_BUG)


def _as_workers_are() -> None:
    """Start this command again with one thread and the hash seed of workers, unless it has them."""
    from boostbench.engine.os_processes import worker_environment

    wanted = worker_environment()
    if any(os.environ.get(name) != value for name, value in wanted.items()):
        sys.stdout.flush()
        words = [sys.executable, "-P", "-m", "boostbench", *sys.argv[1:]]
        os.execve(sys.executable, words, wanted)


def _complain(text: str) -> None:
    lines = text.splitlines() or ["unknown error"]
    prefix = "error: " if len(lines) == 1 else f"{len(lines)} errors:\n"
    typer.echo(prefix + "\n".join(lines), err=True)


def _os_sentence(error: OSError) -> str:
    where = f"{error.filename}: " if error.filename else ""
    return f"{where}{error.strerror or error}"


def _bug(error: Exception) -> str:
    import traceback

    sentence = f"this is a bug in boostbench ({type(error).__name__}: {error})"
    where = _traceback_file("; its traceback is in ")
    return (
        f"{' '.join(sentence.split())}{where}" if where else f"{sentence}\n{traceback.format_exc()}"
    )


def _traceback_file(words: str) -> str:
    """Write the traceback of the error being handled; return ``words`` and where it is, or ""."""
    import tempfile
    import traceback

    text = f"boostbench {__version__}, arguments {sys.argv[1:]}\n\n{traceback.format_exc()}"
    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="boostbench-bug-", suffix=".txt", delete=False, encoding="utf-8"
        ) as file:
            file.write(text)
    except OSError:
        return ""
    return f"{words}{file.name}"
