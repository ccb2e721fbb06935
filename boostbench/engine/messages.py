"""The messages between a pool, its warm process and its workers: JSON objects of known keys."""

from typing import TypedDict

from boostbench.values import Params, Record

WARM = b"warm"
"""The message of a warm process that workers can be forked from it."""


class SyntheticFit(TypedDict):
    """A fit to made-up data of so many rows and classes, 0 for regression."""

    estimator: str
    params: Params
    task: str
    rows: int
    classes: int


class WarmUp(TypedDict):
    """What is imported and fitted before the first trial."""

    modules: list[str]
    fits: list[SyntheticFit]


class WorkerConfig(TypedDict):
    """What all workers of a pool have in common: the folder of arrays, limits, the warm-up."""

    arrays_dir: str
    time_s: float | None
    memory_bytes: int | None
    import_s: float
    warm_up: WarmUp


class WorkerRequest(TypedDict):
    """A worker that is to be started.

    ``own`` is the import path of the user's own estimator, if any; ``once`` says that the worker
    ends after one trial. A fork inherits the data of ``fingerprint`` and ``modules``.
    """

    own: str | None
    once: bool
    fingerprint: str | None
    modules: list[str]


class FromWorker(TypedDict, total=False):
    """A worker's message: a trial ``begins`` at so many bytes of memory, or has an ``outcome``.

    ``loaded`` are the installed modules that the trial has imported.
    """

    begins: int
    outcome: Record
    loaded: list[str]
