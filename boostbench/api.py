"""Experiments from Python: :func:`run` one, :func:`load` its results; also as ``boostbench.run``.

>>> import boostbench
>>> results = boostbench.run("smoke", jobs=2)  # doctest: +SKIP
>>> results.trials.groupby("method")["r2"].mean()  # doctest: +SKIP
"""

import os
import warnings
from collections.abc import Sequence

from boostbench.cli.console import Screen
from boostbench.cli.live import ScreenListener
from boostbench.errors import ConfigError
from boostbench.experiment import arguments
from boostbench.experiment.arguments import Chosen
from boostbench.experiment.folders import find_results
from boostbench.experiment.listener import Listener
from boostbench.experiment.request import RunRequest
from boostbench.experiment.results import Results


def run(
    config: str | os.PathLike[str],
    *,
    only: Chosen = (),
    overrides: Chosen = (),
    jobs: int | None = None,
    mirror: str | os.PathLike[str] | None = None,
    offline: bool = False,
    retry_failed: bool = False,
    again: bool = False,
    strict: bool = False,
    in_process: bool = False,
    shard: str | None = None,
    cluster: str | None = None,
    cluster_config: str | os.PathLike[str] | None = None,
    reuse: Sequence[str | os.PathLike[str]] = (),
    listener: Listener | None = None,
) -> Results:
    """Run an experiment, or what is missing of it, write its report and return its results.

    An interrupt (Ctrl-C, or a notebook's stop button) lets the running trials end and returns what
    there is, a second one kills them; the same call resumes. Modules of your own are imported anew,
    so that edits count.

    Parameters
    ----------
    config : an experiment file, or the name of a shipped one
    only : the trials to run, such as ``{"dataset": "yacht", "method": ["srt", "srt_l2*"]}`` or
        ``"dataset=yacht"``; all by default
    overrides : other values for keys of the experiment file, such as ``{"seeds": 3}`` or
        ``"limits.time=60"``
    jobs : trials at a time; the processors by default
    mirror : folder with copies of the data files, read before any network
    offline, retry_failed, again, strict, in_process, shard, cluster, cluster_config :
        as the options of ``boostbench run``
    reuse : results folders, or experiments, whose trials are taken over where they are the same
    listener : receives the events of the run; by default they are shown as by ``boostbench run``,
        in a notebook too. ``Listener()`` is silent

    Raises
    ------
    BoostbenchError
        With one sentence for bad input: ConfigError, DataError or StoreError. Trials that fail
        raise nothing; see ``Results.trials``. Neither do data sets that are unavailable, unless all
        are: a note names them, and their trials are pending.
    """
    if shard is not None and not isinstance(shard, str):
        raise ConfigError(f"shard must be a text I/N, such as '1/3', not {shard!r}")
    if listener is not None and not isinstance(listener, Listener):
        raise ConfigError(f"listener must be an instance of Listener, not {listener!r}")
    request = RunRequest(
        arguments.path_text("config", config),
        arguments.overrides(overrides),
        arguments.selection(only),
        None if jobs is None else arguments.whole_number("jobs", jobs),
        None if mirror is None else arguments.path("mirror", mirror),
        offline,
        retry_failed=retry_failed,
        again=again,
        strict=strict,
        in_process=in_process,
        shard=shard,
        cluster=cluster,
        cluster_config=(
            None if cluster_config is None else arguments.path("cluster_config", cluster_config)
        ),
        reuse=[arguments.path_text("reuse", each) for each in reuse],
    )
    listener = listener or ScreenListener(Screen(), live=not in_process)
    this = request.prepare(listener, reimport=True)
    finished = this.run()
    if finished.interrupted and finished.left:
        listener.note(
            f"interrupted; what is done is kept, {finished.left:,} trials are left: the same call "
            "resumes",
            "important",
        )
    if finished.without_data:
        listener.note(this.data_to_get(finished), "important")
    return Results(this.folder)


def load(results: str | os.PathLike[str]) -> Results:
    """Return the results in a folder, of a name below ``./results``, or of an experiment file.

    The run may be finished or not, killed, or still running. Raises StoreError where there are no
    results yet, and ConfigError where there is neither a folder nor an experiment of that name.
    Warns (UserWarning) where the results are those of another experiment file than the one named.
    """
    others: list[str] = []
    folder = find_results(arguments.path_text("results", results), note=others.append)
    for sentence in others:
        warnings.warn(sentence, stacklevel=2)
    return Results(folder)
