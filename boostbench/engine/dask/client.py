"""The connection to a dask scheduler."""

import asyncio
import contextlib
import logging
import re
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from boostbench import __version__
from boostbench.engine.dask.options import CONNECT_S, ClusterSpec, batch_class, no_scheduler
from boostbench.errors import BoostbenchError, ConfigError
from boostbench.suggest import counted

_ANSWER_S = 60.0
_LEAVE_S = 5.0
_CANCEL_S = 60.0
_REPLACE_S = 5.0
_NO_MODULE = re.compile(r"No module named \\?['\"]([\w.]+)")
_LOGGERS = ("distributed", "dask", "dask_jobqueue", "tornado", "asyncio")


class WorkerLost(Exception):
    """A worker, or the scheduler on the way to it, does not answer."""


class WorkerUnfit(BoostbenchError):
    """A worker that must not be used; the text is a sentence."""


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


class DaskClient:
    """A client of the scheduler of ``spec``, as an async context manager.

    Entering raises ConfigError where there is no scheduler, or none can be started.
    """

    def __init__(self, spec: ClusterSpec) -> None:
        self._spec = spec
        self._cluster: Any = None
        self._client: Any = None
        self._completed: Any = None
        self._replaced = time.monotonic()

    async def __aenter__(self) -> "DaskClient":
        from distributed import as_completed

        try:
            if self._spec.is_batch:
                await self._submit_jobs()
            else:
                await self._connect(self._spec.target)
        except BaseException:
            await self._close()
            raise
        self._completed = as_completed(
            loop=self._client.loop, with_results=True, raise_errors=False
        )
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
            raise no_scheduler(self._spec.target, why) from None

    async def _submit_jobs(self) -> None:
        spec = self._spec
        cls = batch_class(spec.target)
        try:
            self._cluster = cls(asynchronous=True, **spec.arguments)
            await self._cluster
            self._cluster.scale(jobs=spec.jobs)
            # Awaited here, so that a job that cannot be submitted is an error and not a log entry.
            await self._cluster._correct_state()
        except Exception as error:
            raise ConfigError(
                f"--cluster {spec.target}: the jobs cannot be submitted: {_last_words(error)}"
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
                f"the dask scheduler {self._spec.target} is gone; recorded trials are kept, and "
                "the same command resumes the run"
            )

    @property
    def waiting(self) -> str:
        """The message for a user while there are no workers."""
        if self._spec.is_batch:
            return (
                f"waiting for {counted(self._spec.jobs, 'job')} submitted to "
                f"{self._spec.target} to begin; its queue and the jobs' logs say why they do not"
            )
        return f"waiting for workers at the dask scheduler {self._spec.target}"

    async def workers(self, resource: str) -> dict[str, tuple[int, bool]]:
        """Return the workers' addresses with (threads, whether they offer ``resource``).

        Jobs of a batch system that have ended are submitted again. Raises :class:`WorkerLost`.
        """
        if self._cluster is not None and time.monotonic() - self._replaced > _REPLACE_S:
            self._replaced = time.monotonic()
            self._cluster.scale(jobs=self._spec.jobs)
        found = (await self._answer(self._client.scheduler.identity()))["workers"]
        return {
            address: (worker["nthreads"], bool(worker["resources"].get(resource)))
            for address, worker in found.items()
        }

    async def call(self, address: str, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call ``function`` in a worker's process.

        Raises :class:`WorkerLost`, and :class:`WorkerUnfit` for what goes wrong there.
        """
        try:
            call = self._client.run(function, *arguments, workers=[address])
            return (await asyncio.wait_for(call, _ANSWER_S))[address]
        except (OSError, KeyError) as error:
            raise WorkerLost(str(error)) from None
        except Exception as error:
            if self._client.status != "running":
                raise WorkerLost(str(error)) from None
            raise WorkerUnfit(_unfit(address, error)) from None

    async def everywhere(
        self, addresses: Sequence[str], function: Callable[..., Any], *arguments: Any
    ) -> None:
        """Call ``function`` on the workers among ``addresses`` that still answer."""
        if not addresses or self._client.status != "running":
            return
        with contextlib.suppress(Exception):
            call = self._client.run(
                function, *arguments, workers=list(addresses), on_error="ignore"
            )
            await asyncio.wait_for(call, _LEAVE_S)

    def listen(self, topic: str, handler: Callable[[Mapping[str, Any]], None]) -> None:
        """Have ``handler`` called with each event that workers log under ``topic``."""
        self._client.subscribe_topic(topic, lambda event: handler(event[1]))

    # -- data ------------------------------------------------------------------------------------

    async def scatter(self, content: bytes, address: str) -> Any:
        """Put ``content`` on a worker and return its future; raises :class:`WorkerLost`."""
        return await self._answer(self._client.scatter(content, workers=[address], hash=False))

    async def replicate(self, data: Any, address: str) -> None:
        """Copy scattered ``data`` to one more worker; raises :class:`WorkerLost`."""
        await self._answer(self._client.replicate([data], workers=[address]))

    async def _answer(self, call: Any) -> Any:
        try:
            return await asyncio.wait_for(call, _ANSWER_S)
        except Exception as error:
            raise WorkerLost(str(error)) from None

    # -- tasks -----------------------------------------------------------------------------------

    def submit(
        self, function: Callable[..., Any], *arguments: Any, key: str, resource: str
    ) -> None:
        """Have a worker that offers ``resource`` call ``function`` as the task ``key``."""
        self._completed.add(
            self._client.submit(function, *arguments, key=key, resources={resource: 1}, pure=False)
        )

    async def cancel(self, keys: Iterable[str]) -> None:
        """Cancel tasks, and stop those that run; they are completed without a result."""
        wanted = set(keys)
        futures = [future for future in self._completed.futures if future.key in wanted]
        if futures:
            with contextlib.suppress(Exception):
                await asyncio.wait_for(self._client.cancel(futures), _ANSWER_S)

    async def completed(self, patience_s: float) -> list[tuple[str, Any]]:
        """Return completed tasks: key, and the value or the exception.

        Waits up to ``patience_s`` seconds for the first one.
        """
        try:
            first = await asyncio.wait_for(anext(self._completed), patience_s)
        except TimeoutError:
            return []
        except StopAsyncIteration:  # there are no tasks
            await asyncio.sleep(patience_s)
            return []
        found = []
        for future, result in (first, *self._completed.next_batch(block=False)):
            found.append((future.key, result[1] if future.status == "error" else result))
            # The worker may forget the result.
            future.release()
        return found


async def _closing(part: Any) -> None:
    await part.close()


def _unfit(address: str, error: Exception) -> str:
    """Return why a call failed; an error of the worker may arrive as the text of another one."""
    if isinstance(error, BoostbenchError):
        return str(error)
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
