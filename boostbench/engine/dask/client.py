"""The connection to a dask scheduler, and its errors as sentences."""

import asyncio
import contextlib
import logging
import re
import warnings
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

from boostbench import __version__
from boostbench.engine.dask.options import CONNECT_S, ClusterSpec, batch_class, no_scheduler
from boostbench.errors import BoostbenchError, ConfigError, first_line

ANSWER_S = 60.0
_LEAVE_S = 5.0
_CANCEL_S = 60.0
REPLACE_S = 5.0
"""Seconds between two looks at whether jobs of a batch system have ended."""

_DASKS = re.compile(r"(distributed|dask(_jobqueue)?|tornado|asyncio)\b")
_NO_MODULE = re.compile(r"No module named \\?['\"]([\w.]+)")


class WorkerLost(Exception):
    """A worker, or the scheduler on the way to it, does not answer."""


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keep dask's log and warnings from the terminal: messages there are sentences of ours."""
    # Only dask's own: a program that calls boostbench keeps its log.
    import distributed  # noqa: F401  # sets the loggers up

    named = [logging.getLogger(name) for name in logging.root.manager.loggerDict]
    loggers = [logger for logger in named if _DASKS.match(logger.name)]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", module=_DASKS.pattern)
            yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


@contextlib.asynccontextmanager
async def connect(spec: ClusterSpec) -> AsyncIterator[Any]:
    """Give a ``distributed.Client`` of the scheduler that ``spec`` names or has started here.

    Raises ConfigError where there is no scheduler, or none can be started.
    """
    from distributed import Client

    async with contextlib.AsyncExitStack() as opened:
        cluster = await _submit_jobs(spec, opened) if spec.is_batch else None
        try:
            client = await Client(
                cluster or spec.target, asynchronous=True, set_as_default=False, timeout=CONNECT_S
            )
        except (OSError, ValueError, ImportError) as error:
            why = "no answer" if isinstance(error, TimeoutError) else first_line(error)
            raise no_scheduler(spec.target, why) from None
        opened.push_async_callback(_close, client, _LEAVE_S)
        yield client


async def _submit_jobs(spec: ClusterSpec, opened: contextlib.AsyncExitStack) -> Any:
    """Start a scheduler here and submit its workers' jobs; jobs that end are submitted again."""
    cls = batch_class(spec.target)
    try:
        cluster = cls(asynchronous=True, **spec.arguments)
        opened.push_async_callback(_close, cluster, _CANCEL_S)
        await cluster
        cluster.scale(jobs=spec.jobs)
        # Awaited here, so that a job that cannot be submitted is an error and not a log entry.
        await cluster._correct_state()
    except Exception as error:
        raise ConfigError(
            f"--cluster {spec.target}: the jobs cannot be submitted: {_last_words(error)}"
        ) from None

    async def replace() -> None:
        while True:
            await asyncio.sleep(REPLACE_S)
            cluster.scale(jobs=spec.jobs)

    opened.callback(asyncio.create_task(replace()).cancel)
    return cluster


async def _close(part: Any, patience_s: float) -> None:
    with contextlib.suppress(Exception):
        async with asyncio.timeout(patience_s):
            await part.close()


async def answer(call: Awaitable[Any]) -> Any:
    """Wait for what the scheduler or a worker answers; raises :class:`WorkerLost`."""
    try:
        return await asyncio.wait_for(call, ANSWER_S)
    except Exception as error:
        raise WorkerLost(str(error)) from None


async def call_worker(
    client: Any, address: str, function: Callable[..., Any], *arguments: Any
) -> Any:
    """Call ``function`` in a worker's process.

    Raises :class:`WorkerLost`, and BoostbenchError for an error of the function.
    """
    try:
        call = client.run(function, *arguments, workers=[address])
        return (await asyncio.wait_for(call, ANSWER_S))[address]
    except Exception as error:
        if isinstance(error, OSError | KeyError) or client.status != "running":
            raise WorkerLost(str(error)) from None
        raise BoostbenchError(_unfit(address, error)) from None


def _unfit(address: str, error: Exception) -> str:
    """Return why a call failed; an error of the worker may arrive as the text of another one."""
    if isinstance(error, BoostbenchError):
        return str(error)
    line = first_line(error)
    text = f"{type(error).__name__}: {line}"
    missing = _NO_MODULE.search(text)
    if missing and missing[1] == "boostbench":
        fault = f"has no boostbench, here it is boostbench {__version__}"
    elif (missing and missing[1].startswith("boostbench.")) or "AttributeError" in text:
        fault = f"has another boostbench than the {__version__} here ({line})"
    else:
        return f"the worker {address} cannot be used: {text}"
    return f"the worker {address} {fault}: install the same there"


def _last_words(error: BaseException) -> str:
    """Return what a batch system's command said, or else the first line of the error."""
    if said := str(error).partition("stderr:\n")[2].split():
        return " ".join(said)[:300]
    if isinstance(error, FileNotFoundError):
        return f"there is no {error.filename} here"
    return first_line(error).removesuffix(", for example:")
