"""Data for workers that have neither the shared folder nor the arrays in their cache."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from boostbench.engine.dask import plugin
from boostbench.engine.dask.client import WorkerLost, answer, call_worker
from boostbench.errors import DataError

_RETRY_S = 0.25


class ScatteredData:
    """The files of arrays that workers asked for: scattered once, then copied by dask.

    ``client`` is a ``distributed.Client``, ``run`` names the plugin on the workers.
    """

    def __init__(self, client: Any, run: str, arrays_dir: Path) -> None:
        self._client, self._run, self._arrays_dir = client, run, arrays_dir
        self._scattered: dict[str, Any] = {}
        self._one_at_a_time = asyncio.Lock()

    async def bring(self, fingerprint: str, address: str, is_there: Callable[[], bool]) -> str:
        """Bring a file to the worker ``address``; return the fault found in it there, or "".

        Tried again while the worker ``is_there``. Raises DataError for a file that cannot be read.
        """
        async with self._one_at_a_time:
            while is_there():
                try:
                    data = await self._copy(fingerprint, address)
                    wrong: str = await call_worker(
                        self._client, address, plugin.keep_arrays, self._run, fingerprint, data.key
                    )
                    return wrong
                except WorkerLost:
                    # Every worker that held it may be lost.
                    self._scattered.pop(fingerprint, None)
                    await asyncio.sleep(_RETRY_S)
        return ""

    async def _copy(self, fingerprint: str, address: str) -> Any:
        data = self._scattered.get(fingerprint)
        if data is not None:
            await answer(self._client.replicate([data], workers=[address]))
            return data
        path = self._arrays_dir / f"{fingerprint}.npz"
        try:
            content = await asyncio.to_thread(path.read_bytes)
        except OSError as error:
            why = error.strerror or error
            raise DataError(f"the arrays {path} cannot be read: {why}") from None
        data = await answer(self._client.scatter(content, workers=[address], hash=False))
        self._scattered[fingerprint] = data
        return data
