"""Experiments from Python: :func:`run` one, :func:`load` its results; also as ``boostbench.run``.

>>> import boostbench
>>> results = boostbench.run("smoke", jobs=2)  # doctest: +SKIP
>>> results.trials.groupby("method")["r2"].mean()  # doctest: +SKIP
"""

import inspect
import os
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from boostbench.cli.screen import Screen
from boostbench.errors import ConfigError
from boostbench.experiment.folders import find_results
from boostbench.experiment.listener import Listener
from boostbench.experiment.request import Chosen, Request, path_text
from boostbench.experiment.results import Results
from boostbench.experiment.run import Run
from boostbench.suggest import did_you_mean, listing

AnyPath = str | os.PathLike[str]


def run(
    config: AnyPath,
    *,
    listener: Listener | None = None,
    only: Chosen = None,
    overrides: Chosen = None,
    reuse: AnyPath | Sequence[AnyPath] | None = None,
    jobs: int | None = None,
    mirror: AnyPath | None = None,
    offline: bool = False,
    retry_failed: bool = False,
    again: bool = False,
    strict: bool = False,
    in_process: bool = False,
    shard: str | None = None,
    cluster: str | None = None,
    cluster_config: AnyPath | None = None,
    **unknown: object,
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
    only : the trials to run, such as ``{"dataset": "yacht", "method": ["srt", "srt_l2*"]}`` or
        ``"dataset=yacht"``
    overrides : other values for keys of the experiment file (``--set``), such as ``{"seeds": 3}``
        or ``"limits.time=60"``
    reuse : results folders, or experiments, one or several, from which finished trials are taken
        over
    jobs : trials at a time, by default the number of processors
    mirror : a folder with copies of data files
    offline : never use the network
    retry_failed : also run again the trials that failed before
    again : run again even the trials that are done
    strict : run nothing if the environment has changed since the recorded trials ran
    in_process : run one trial at a time in this process, without limits
    shard : run every N-th trial only, from the I-th, as ``"I/N"``
    cluster : the address of a dask scheduler, or a batch system such as ``"slurm"``
    cluster_config : for a batch system: a YAML file with jobs and arguments
    unknown : any other option is an error

    Raises
    ------
    BoostbenchError
        With one sentence for bad input, such as an unknown option: ConfigError, DataError or
        StoreError. Trials that fail
        raise nothing; see ``Results.trials``. Neither do data sets that are unavailable, unless all
        are: a note names them, and their trials are pending.
    """
    _refuse(unknown)
    if not isinstance(listener, Listener | None):
        raise ConfigError(f"listener must be a boostbench.Listener, not {listener!r}")
    given: dict[str, Any] = {
        "only": only,
        "overrides": overrides,
        "reuse": reuse,
        "jobs": jobs,
        "mirror": mirror,
        "offline": offline,
        "retry_failed": retry_failed,
        "again": again,
        "strict": strict,
        "in_process": in_process,
        "shard": shard,
        "cluster": cluster,
        "cluster_config": cluster_config,
    }
    request = Request(path_text("config", config), **given)
    listener = listener or Screen(live=not request.in_process)
    this = Run(request, listener, reimport=True)
    finished = this.run()
    if finished.interrupted and finished.left:
        listener.note(
            f"interrupted, {finished.left:,} trials left: the same call resumes", "important"
        )
    if this.without_data:
        listener.note(this.data_to_get(), "important")
    return Results(this.folder)


def _refuse(unknown: Mapping[str, object]) -> None:
    """Raise ConfigError for the first unknown option, with those that there are."""
    options = [
        name
        for name, each in inspect.signature(run).parameters.items()
        if each.kind is each.KEYWORD_ONLY
    ]
    for name in unknown:
        if name == "dry_run":
            raise ConfigError("dry_run is for the command line: boostbench run CONFIG --dry-run")
        raise ConfigError(
            f"boostbench.run has no option '{name}'{did_you_mean(name, options)}; "
            f"the options are {listing(options)}"
        )


def load(results: str | os.PathLike[str]) -> Results:
    """Return the results in a folder, of a name below ``./results``, or of an experiment file.

    The run may be finished or not, killed, or still running. Raises StoreError where there are no
    results yet, and ConfigError where there is neither a folder nor an experiment of that name.
    Warns (UserWarning) where the results are those of another experiment file than the one named.
    """
    remarks: list[str] = []
    folder = find_results(path_text("results", results), note=remarks.append)
    for remark in remarks:
        warnings.warn(remark, stacklevel=2)
    return Results(folder)
