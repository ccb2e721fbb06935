"""Experiments from Python: :func:`run` one, :func:`load` its results; also as ``boostbench.run``.

>>> import boostbench
>>> results = boostbench.run("smoke", jobs=2)  # doctest: +SKIP
>>> results.trials.groupby("method")["r2"].mean()  # doctest: +SKIP
"""

import os
import warnings
from functools import partial
from typing import Any

from boostbench.cli.screen import Screen
from boostbench.errors import ConfigError
from boostbench.experiment.folders import find_results
from boostbench.experiment.listener import Listener
from boostbench.experiment.request import Request, path_text
from boostbench.experiment.results import Results
from boostbench.experiment.run import Run


def run(
    config: str | os.PathLike[str], *, listener: Listener | None = None, **options: Any
) -> Results:
    """Run an experiment, or its missing trials, write its report and return its results.

    An interrupt (Ctrl-C, or a notebook's stop button) lets the running trials end and returns the
    results so far, a second one kills them; the same call resumes. Your own modules are imported
    again, so that edits count.

    Parameters
    ----------
    config : an experiment file, or the name of a shipped one
    listener : receives the events of the run; by default they are shown as by ``boostbench run``,
        in a notebook too. ``Listener()`` is silent
    options : those of ``boostbench run``: ``only``, the trials to run, such as
        ``{"dataset": "yacht", "method": ["srt", "srt_l2*"]}`` or ``"dataset=yacht"``;
        ``overrides`` (``--set``), other values for keys of the experiment file, such as
        ``{"seeds": 3}`` or ``"limits.time=60"``; ``reuse``, a list of results folders or
        experiments; ``jobs``, ``mirror``, ``offline``, ``retry_failed``, ``again``, ``strict``,
        ``in_process``, ``shard``, ``cluster``, ``cluster_config``

    Raises
    ------
    BoostbenchError
        With one sentence for bad input: ConfigError, DataError or StoreError. Trials that fail
        raise nothing; see ``Results.trials``. Neither do data sets that are unavailable, unless all
        are: a note names them, and their trials are pending.
    """
    request = Request(path_text("config", config), **options)
    if request.dry_run:
        raise ConfigError("dry_run is for the command line: boostbench run CONFIG --dry-run")
    listener = listener or Screen(live=not request.in_process)
    this = Run(request, listener, reimport=True)
    finished = this.run()
    if finished.interrupted and finished.left:
        left = f"interrupted, {finished.left:,} trials left: the same call resumes"
        listener.note(left, "important")
    if this.without_data:
        listener.note(this.data_to_get(), "important")
    return Results(this.folder)


def load(results: str | os.PathLike[str]) -> Results:
    """Return the results in a folder, of a name below ``./results``, or of an experiment file.

    The run may be finished or not, killed, or still running. Raises StoreError where there are no
    results yet, and ConfigError where there is neither a folder nor an experiment of that name.
    Warns (UserWarning) where the results are those of another experiment file than the one named.
    """
    warn = partial(warnings.warn, stacklevel=3)
    return Results(find_results(path_text("results", results), note=warn))
