"""The connection to a dask scheduler, and its errors as sentences."""

import asyncio
import contextlib
import logging
import re
import warnings
from collections.abc import AsyncIterator, Awaitable, Iterator
from typing import Any, TypeVar

from boostbench.engine.dask.options import CONNECT_S, ClusterSpec, batch_class
from boostbench.errors import ConfigError, first_line

T = TypeVar("T")

ANSWER_S = 60.0
_LEAVE_S = 5.0
_CANCEL_S = 60.0

_DASKS = re.compile(r"(distributed|dask(_jobqueue)?|tornado|asyncio)\b")


class WorkerLost(Exception):
    """A worker, or the scheduler on the way to it, does not answer."""


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keep dask's log and warnings from the terminal, which shows only our own messages."""
    # Only dask's own: a program that calls boostbench keeps its log.
    import distributed  # noqa: F401  # sets the loggers up

    names = filter(_DASKS.match, logging.root.manager.loggerDict)
    loggers = {logger: logger.level for logger in map(logging.getLogger, names)}
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", module=_DASKS.pattern)
            yield
    finally:
        for logger, level in loggers.items():
            logger.setLevel(level)


@contextlib.asynccontextmanager
async def connect(spec: ClusterSpec) -> AsyncIterator[Any]:
    """Connect a ``distributed.Client`` to the scheduler of ``spec``, or to one started here.

    Raises ConfigError where there is no scheduler, or none can be started.
    """
    from distributed import Client

    async with contextlib.AsyncExitStack() as opened:
        cluster = await _submit_jobs(spec, opened) if spec.jobs else None
        try:
            client = await Client(
                cluster or spec.target, asynchronous=True, set_as_default=False, timeout=CONNECT_S
            )
        except (OSError, ValueError, ImportError) as error:
            raise spec.unreachable(error) from None
        opened.push_async_callback(_close, client, _LEAVE_S)
        yield client


async def _submit_jobs(spec: ClusterSpec, opened: contextlib.AsyncExitStack) -> Any:
    """Start a scheduler here and submit its workers' jobs; jobs that end are submitted again."""
    try:
        cluster = batch_class(spec.target)(asynchronous=True, **spec.arguments)
        opened.push_async_callback(_close, cluster, _CANCEL_S)
        await cluster
        cluster.scale(jobs=spec.jobs)
        # Awaited here, so that a job that cannot be submitted is an error and not a log entry.
        await cluster._correct_state()
        cluster.adapt(minimum_jobs=spec.jobs, maximum_jobs=spec.jobs)
    except Exception as error:  # dask raises many kinds
        # The output of a batch system's command comes after this word.
        said = " ".join(str(error).partition("stderr:\n")[2].split())[:300] or first_line(error)
        raise ConfigError(
            f"--cluster {spec.target}: the jobs cannot be submitted: {said}"
        ) from None
    return cluster


async def _close(part: Any, patience_s: float) -> None:
    with contextlib.suppress(Exception):  # the run is over, whatever dask raises
        async with asyncio.timeout(patience_s):
            await part.close()


async def answer(call: Awaitable[T]) -> T:
    """Wait for an answer of the scheduler or a worker; raises :class:`WorkerLost`."""
    try:
        return await asyncio.wait_for(call, ANSWER_S)
    except Exception as error:  # dask raises many kinds
        raise WorkerLost(str(error)) from None
