"""The events of a run, for whatever shows them: a terminal, a notebook, a test."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from boostbench.data.access import Transfer
    from boostbench.data.dataset import Dataset
    from boostbench.engine.interface import Compiling
    from boostbench.experiment.progress import Board
    from boostbench.plan.trial import Trial
    from boostbench.store.types import Outcome

Level = Literal["info", "important", "warning", "failure"]


class Listener:
    """Receives the events of a run; the methods of this class show nothing.

    Override the methods of interest, and give the object as ``listener`` to :func:`boostbench.run`.
    They are called in the thread that runs the experiment, except :meth:`note` and
    :meth:`transferred` during downloads, which use several.

    Examples
    --------
    >>> import boostbench
    >>> class Failures(boostbench.Listener):
    ...     def ended(self, trial, outcome):
    ...         if outcome.status != "ok":
    ...             print(trial.dataset, trial.method, outcome.status)
    >>> listener = Failures()
    """

    def note(self, text: str, level: Level = "info") -> None:
        """Receive a sentence for the user.

        Parameters
        ----------
        text : str
            The sentence.
        level : {"info", "important", "warning", "failure"}, default="info"
            How much it matters.
        """

    def dataset_loaded(self, dataset: "Dataset") -> None:
        """Receive a data set that was loaded and checked.

        Parameters
        ----------
        dataset : Dataset
            The data set, with ``name``, ``X`` (n_samples, n_features), ``y`` (n_samples,), ``task``
            and ``fingerprint``.
        """

    def transferred(self, transfer: "Transfer") -> None:
        """Receive the state of a download that has begun, progressed or ended.

        Parameters
        ----------
        transfer : Transfer
            The download: ``what`` comes from which ``place``, the bytes ``received`` of the
            ``total``, and whether it has ``ended``.
        """

    @contextmanager
    def downloads(self) -> "Iterator[Callable[[Transfer], None]]":
        """Enclose the downloads.

        Yields
        ------
        callable
            A function that is called with the state of each download; by default
            :meth:`transferred`.
        """
        yield self.transferred

    @contextmanager
    def trials(self, board: "Board") -> Iterator[None]:
        """Enclose the trials.

        Parameters
        ----------
        board : Board
            Their counts, current at each of the calls of :meth:`started` and :meth:`ended`: the
            trials ``to_run``, and how many of them have ``ended``.

        Yields
        ------
        None
            The trials run meanwhile.
        """
        yield

    def compiling(self, compiling: "Compiling") -> None:
        """Receive which part of the kernels is now compiled, before the first trial.

        Parameters
        ----------
        compiling : Compiling
            The ``part``, from 1, of ``parts``.
        """

    def started(self, trial: "Trial", worker: int) -> None:
        """Receive a trial that a worker has begun.

        Parameters
        ----------
        trial : Trial
            The trial, with ``dataset``, ``method``, ``fold``, ``seed`` and ``key``.
        worker : int
            The number of the worker, from 0.
        """

    def ended(self, trial: "Trial", outcome: "Outcome") -> None:
        """Receive the recorded outcome of a trial.

        Parameters
        ----------
        trial : Trial
            The trial, with ``dataset``, ``method``, ``fold``, ``seed`` and ``key``.
        outcome : Outcome
            Its ``status``, ``reason``, ``metrics`` and ``times``.
        """

    @contextmanager
    def working(self, text: str) -> Iterator[None]:
        """Enclose other work that takes time, such as writing the report.

        Parameters
        ----------
        text : str
            What is done.

        Yields
        ------
        None
            The work is done meanwhile.
        """
        yield
