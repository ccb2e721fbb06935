"""The connection to a dask scheduler: the only place that speaks to dask on this side."""

import asyncio
import contextlib
import itertools
import logging
import re
import time
import warnings
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from boostbench import __version__
from boostbench.engine.clusterchoice import CONNECT_S, ClusterChoice, batch_class, no_scheduler
from boostbench.errors import BoostbenchError, ConfigError, DataError
from boostbench.suggest import counted

_ANSWER_S = 60.0
_PART_BYTES = 4 * 2**20
_SENDERS = 4
_LEAVE_S = 5.0
_CANCEL_S = 60.0
_REPLACE_S = 5.0
_NO_MODULE = re.compile(r"No module named \\?['\"]([\w.]+)")
_LOGGERS = ("distributed", "dask", "dask_jobqueue", "tornado", "asyncio")


class LinkLost(Exception):
    """The scheduler does not answer."""


class WorkerLost(Exception):
    """A worker does not answer."""


class WorkerUnfit(BoostbenchError):
    """A worker that cannot do what it is asked for; the text is a sentence."""


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keep what dask logs and warns of from the terminal: what matters is told in sentences."""
    import distributed  # noqa: F401  # sets the loggers up

    names = [n for n in logging.root.manager.loggerDict if n.split(".")[0] in _LOGGERS]
    loggers = [logging.getLogger(name) for name in {*names, *_LOGGERS}]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        with warnings.catch_warnings():
            for module in _LOGGERS:
                warnings.filterwarnings("ignore", module=rf"{module}(\.|$)")
            yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


class Link:
    """A client of the scheduler, as an async context manager.

    Entering raises ConfigError where there is no scheduler, or none can be started.
    """

    def __init__(self, choice: ClusterChoice) -> None:
        self._choice = choice
        self._cluster: Any = None
        self._client: Any = None
        self._numbers = itertools.count()
        self._senders = asyncio.Semaphore(_SENDERS)
        self._replaced = time.monotonic()
        self._prefix = ""

    async def __aenter__(self) -> "Link":
        try:
            if self._choice.is_batch:
                await self._submit_jobs()
            else:
                await self._connect(self._choice.target)
        except BaseException:
            await self._close()
            raise
        self._prefix = f"boostbench-{self._client.id[-12:]}"
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self._close()

    async def _connect(self, target: Any) -> None:
        from distributed import Client

        try:
            self._client = await Client(
                target, asynchronous=True, set_as_default=False, timeout=CONNECT_S
            )
        except (OSError, ValueError, ImportError) as error:
            why = "no answer" if isinstance(error, TimeoutError) else _first_line(error)
            raise no_scheduler(self._choice.target, why) from None

    async def _submit_jobs(self) -> None:
        choice = self._choice
        cls = batch_class(choice.target)
        try:
            self._cluster = cls(asynchronous=True, **choice.arguments)
            await self._cluster
            self._cluster.scale(jobs=choice.jobs)
            # Awaited here, so that a job that cannot be submitted is told and not logged.
            await self._cluster._correct_state()
        except Exception as error:
            raise ConfigError(
                f"--cluster {choice.target}: the jobs cannot be submitted: {_last_words(error)}"
            ) from None
        await self._connect(self._cluster)

    async def _close(self) -> None:
        for part, patience_s in ((self._client, _LEAVE_S), (self._cluster, _CANCEL_S)):
            if part is not None:
                with contextlib.suppress(Exception):
                    await asyncio.wait_for(_closing(part), patience_s)

    def check(self) -> None:
        """Raise BoostbenchError where the scheduler is gone."""
        if self._client.status != "running":
            raise BoostbenchError(
                f"the dask scheduler {self._choice.target} is gone; what has ended is kept, "
                "and the same command goes on from there"
            )

    @property
    def waiting(self) -> str:
        """What to tell a user while there are no workers."""
        if self._choice.is_batch:
            return (
                f"waiting for {counted(self._choice.jobs, 'job')} submitted to "
                f"{self._choice.target} to begin; its queue and the jobs' logs say why they do not"
            )
        return f"waiting for workers at the dask scheduler {self._choice.target}"

    async def workers(self) -> dict[str, int]:
        """Return the workers' addresses with their threads; raises :class:`LinkLost`.

        Jobs of a batch system that have ended are submitted again.
        """
        if self._cluster is not None and time.monotonic() - self._replaced > _REPLACE_S:
            self._replaced = time.monotonic()
            self._cluster.scale(jobs=self._choice.jobs)
        try:
            found = await asyncio.wait_for(self._client.nthreads(), _ANSWER_S)
        except Exception as error:
            raise LinkLost(str(error)) from None
        return dict(found)

    async def call(self, address: str, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call ``function`` of :mod:`~boostbench.engine.cluster_worker` in a worker's process.

        Raises :class:`WorkerLost`, :class:`LinkLost` and :class:`WorkerUnfit`.
        """
        try:
            call = self._client.run(function, *arguments, workers=[address])
            return (await asyncio.wait_for(call, _ANSWER_S))[address]
        except (OSError, KeyError) as error:
            raise self._lost(error) from None
        except Exception as error:
            if self._client.status != "running":
                raise LinkLost from None
            raise WorkerUnfit(_unfit(address, error)) from None

    async def everywhere(
        self, addresses: Sequence[str], function: Callable[..., Any], *arguments: Any
    ) -> None:
        """Call ``function`` on workers as far as they still answer."""
        if not addresses or self._client.status != "running":
            return
        with contextlib.suppress(Exception):
            call = self._client.run(
                function, *arguments, workers=list(addresses), on_error="ignore"
            )
            await asyncio.wait_for(call, _LEAVE_S)

    async def submit(
        self, address: str, function: Callable[..., Any], run: str, trial: dict[str, Any]
    ) -> dict[str, Any]:
        """Have a worker, and no other, do ``function(run, key, trial)`` as a task of dask.

        To cancel the call is to cancel the task. Raises :class:`WorkerLost`, :class:`LinkLost`.
        """
        from distributed.scheduler import KilledWorker

        key = f"{self._prefix}-{next(self._numbers)}"
        future = self._client.submit(
            function, run, key, trial, key=key, workers=[address],
            allow_other_workers=False, pure=False, retries=0,
        )  # fmt: skip
        try:
            reply: dict[str, Any] = await future
            return reply
        except KilledWorker:
            raise WorkerLost(address) from None
        except Exception as error:
            if self._client.status != "running":
                raise LinkLost from None
            if future.cancelled():
                raise WorkerLost(address) from None
            return {"state": "broken", "why": f"{type(error).__name__}: {_first_line(error)}"}
        finally:
            # What nobody waits for any more, the scheduler has the worker forget.
            future.release()

    async def parts(self, path: Path) -> AsyncIterator[tuple[int, bytes, bool]]:
        """Yield (offset, bytes, whether it is the last) of a file; raises DataError."""
        async with self._senders:
            try:
                with path.open("rb") as file:
                    size = path.stat().st_size
                    while True:
                        offset = file.tell()
                        part = await asyncio.to_thread(file.read, _PART_BYTES)
                        yield offset, part, file.tell() >= size
                        if file.tell() >= size:
                            return
            except OSError as error:
                raise DataError(
                    f"the arrays {path} cannot be read: {error.strerror or error}"
                ) from None

    def _lost(self, error: Exception) -> Exception:
        if self._client.status != "running":
            return LinkLost(str(error))
        return WorkerLost(str(error))


async def _closing(part: Any) -> None:
    await part.close()


def _unfit(address: str, error: Exception) -> str:
    """Say why a call failed; errors at the other end come as they are, or as the text of one."""
    text = f"{type(error).__name__}: {_first_line(error)}"
    missing = _NO_MODULE.search(text)
    if missing and missing[1] == "boostbench":
        return (
            f"the worker {address} has no boostbench, here it is boostbench {__version__}: "
            "install the same there"
        )
    if (missing and missing[1].startswith("boostbench.")) or "AttributeError" in text:
        return (
            f"the worker {address} has another boostbench than the {__version__} here "
            f"({_first_line(error)}): install the same there"
        )
    return f"the worker {address} cannot be used: {text}"


def _first_line(error: BaseException) -> str:
    text = str(error).strip()
    return text.splitlines()[0] if text else type(error).__name__


def _last_words(error: BaseException) -> str:
    """Return what a batch system's command said, or else the first line of the error."""
    text = str(error)
    _, found, said = text.partition("stderr:\n")
    lines = said.split() if found else []
    if lines:
        return " ".join(lines)[:300]
    if isinstance(error, FileNotFoundError):
        return f"there is no {error.filename} here"
    return _first_line(error).removesuffix(", for example:")
