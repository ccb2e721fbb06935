"""Experiments from Python: :func:`run` one, and :func:`load` its results."""

import inspect
import os
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from boostbench.cli.notebook import is_notebook, screen
from boostbench.data.given import Data
from boostbench.errors import ConfigError
from boostbench.experiment.elsewhere import table_of
from boostbench.experiment.folders import find_results
from boostbench.experiment.listener import Listener
from boostbench.experiment.request import Chosen, Request, path_text
from boostbench.experiment.results import Results
from boostbench.experiment.run import Run
from boostbench.experiment.written import WrittenExperiment, write_experiment
from boostbench.suggest import counted, did_you_mean, listing

AnyPath = str | os.PathLike[str]

__all__ = ["Data", "load", "run"]


def run(
    config: AnyPath | Mapping[str, object] | None = None,
    *,
    datasets: Mapping[str, object] | Sequence[object] | None = None,
    methods: Mapping[str, object] | Sequence[object] | None = None,
    name: str | None = None,
    title: str | None = None,
    description: str | None = None,
    paper: AnyPath | None = None,
    table: str | float | None = None,
    decided_by: str | None = None,
    defaults: Mapping[str, object] | None = None,
    folds: int | None = None,
    splits: object = None,
    seeds: int | Sequence[int] | None = None,
    split_seed: int | None = None,
    split_seeds: int | Sequence[int] | None = None,
    scale_features: Literal["minmax", "standard", "none"] | None = None,
    scale_target: Literal["standard", "none"] | None = None,
    curves: bool | None = None,
    units: Literal["scaled", "original"] | None = None,
    metric: str | None = None,
    metrics: Mapping[str, object] | Sequence[object] | None = None,
    keep: Sequence[str] | None = None,
    limits: Mapping[str, object] | None = None,
    results: AnyPath | None = None,
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

    The experiment is a file, or the keys of one as arguments or as a mapping, with objects of
    Python among their values. These are stored in the results folder, by digest, beside an
    experiment file that names them: the commands ``report``, ``status``, ``show``, ``archive`` and
    ``run`` work on it as on any other. All keys of a data set and of a method are in
    :doc:`/docs/reference/experiment-keys`.

    An interrupt (Ctrl-C, or a notebook's stop button) lets the running trials end, a second one
    kills them; the same call resumes. Then a script gets KeyboardInterrupt, and a notebook the
    results so far, with a line on what is left. Your own modules are imported again, so that edits
    count, and so do edits of classes and functions of a notebook.

    Parameters
    ----------
    config : str, path-like or mapping, optional
        An experiment file, the name of a shipped one, or a mapping of the keys below.
    datasets : mapping or sequence
        Data sets by name: the name of a card, a :class:`boostbench.Data`, a Bunch of scikit-learn,
        a tuple ``(X, y)``, the path of a file, or a mapping of an experiment file's keys.
    methods : mapping or sequence
        Methods by name: the name of a method, an estimator, a class or a function that returns one,
        or a mapping of an experiment file's keys, with such an object as ``estimator``.
    name : str, optional
        The name of the experiment, and of its results folder below ``./results``.
    title, description : str, optional
        The heading of the report, and the purpose of the experiment.
    paper : str or path-like, optional
        The paper to compare with: its name, or the folder of one of your own.
    table : str or float, optional
        The paper's table or figure that the experiment is for.
    decided_by : str, optional
        The name of another experiment, the same on several partitions, whose results decide
        undecided cells.
    defaults : mapping, optional
        Parameters for every registered method that has them.
    folds : int, default=4
        The folds of the cross-validation.
    splits : splitter, sequence or mapping, optional
        A splitter of scikit-learn or your own, as an object, a class or a function that makes one;
        pairs of arrays with the training and the test rows, from 0; or as in an experiment file.
    seeds : int or sequence of int, default=20
        How many seeds each method is trained with on each split, from 0, or the seeds.
    split_seed : int, default=0
        The seed that shuffles rows into folds or splits.
    split_seeds : int or sequence of int, optional
        Several of these seeds in place of ``split_seed``: how many, from 0, or the seeds.
    scale_features : {"minmax", "standard", "none"}, default="minmax"
        How features are scaled, on the training rows.
    scale_target : {"standard", "none"}, default="standard"
        How the target is scaled, on the training rows.
    curves : bool, default=True
        Whether to record the errors of classifiers after each of their iterations.
    units : {"scaled", "original"}, optional
        The unit of errors of regression: that of the scaled target, or the target's own, which is
        the default where a data set has frames.
    metric : str, optional
        The score that the report shows; by default the paper's, else r2, or error for
        classification.
    metrics : mapping or sequence, optional
        Further scores by name: functions of (fitted estimator, X_test, y_test), or as in a file.
    keep : sequence of str, optional
        ``["predictions"]`` keeps those for the test rows (``Results.predictions``).
    limits : mapping, optional
        The limits of one trial: ``time`` in seconds, and ``memory`` such as ``"4 GiB"``.
    results : str or path-like, optional
        The results folder: a name below ``./results``, or a path. Without this and ``name`` it is
        a temporary folder, which is removed with the returned object.
    listener : Listener, optional
        Receives the events of the run; by default they are shown as by ``boostbench run``, and in a
        notebook as one line that changes. ``Listener()`` is silent.
    only : str, sequence or mapping, optional
        The trials to run, such as ``{"dataset": "yacht", "method": ["srt", "srt_l2*"]}`` or
        ``"dataset=yacht"``.
    overrides : str, sequence or mapping, optional
        Other values for keys of the experiment file (``--set``), such as ``{"seeds": 3}`` or
        ``"limits.time=60"``.
    reuse : str, path-like or sequence, optional
        Results folders, or experiments, one or several, from which finished trials are taken over.
    jobs : int, optional
        Trials at a time, by default the number of processors.
    mirror : str or path-like, optional
        A folder with copies of data files.
    offline : bool, default=False
        Never use the network.
    retry_failed : bool, default=False
        Also run again the trials that failed before.
    again : bool, default=False
        Run again even the trials that are done.
    strict : bool, default=False
        Run nothing if the environment has changed since the recorded trials ran.
    in_process : bool, default=False
        Run one trial at a time in this process, without limits.
    shard : str, optional
        Run every N-th trial only, from the I-th, as ``"I/N"``.
    cluster : str, optional
        The address of a dask scheduler, or a batch system such as ``"slurm"``.
    cluster_config : str or path-like, optional
        For a batch system: a YAML file with jobs and arguments.
    **unknown : object
        Any other option is an error.

    Returns
    -------
    Results
        The results of all planned trials, those that are pending included.

    Raises
    ------
    ConfigError
        For a wrong key or option, a file or method that there is not, or an object that cannot be
        identified or sent to workers.
    DataError
        Where all data sets are unavailable, or one is wrong. Where only some are unavailable, a
        note names them, and their trials are pending.
    StoreError
        Where the results folder cannot be used. Trials that fail raise nothing; see
        ``Results.trials``.
    KeyboardInterrupt
        After an interrupt outside a notebook, with what is left.

    Examples
    --------
    >>> import boostbench
    >>> from sklearn.linear_model import Ridge
    >>> results = boostbench.run(
    ...     datasets=["diabetes"],
    ...     methods={"ridge": Ridge()},
    ...     seeds=1,
    ...     in_process=True,
    ...     listener=boostbench.Listener(),
    ... )
    >>> results.means()[["dataset", "method", "runs"]]
        dataset method  runs
    0  diabetes  ridge     4
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
    keys: dict[str, object] = {
        "datasets": datasets,
        "methods": methods,
        "name": name,
        "title": title,
        "description": description,
        "paper": paper,
        "table": table,
        "decided_by": decided_by,
        "defaults": defaults,
        "folds": folds,
        "splits": splits,
        "seeds": seeds,
        "split_seed": split_seed,
        "split_seeds": split_seeds,
        "scale_features": scale_features,
        "scale_target": scale_target,
        "curves": curves,
        "units": units,
        "metric": metric,
        "metrics": metrics,
        "keep": keep,
        "limits": limits,
        "results": results,
    }
    keys = {key: value for key, value in keys.items() if value is not None}
    if isinstance(config, str | os.PathLike) and not keys:
        return _run(Request(os.fspath(config), **given), listener)
    # Wrong options are told before anything is written.
    Request("", **given)
    written = write_experiment(_all_keys(config, keys))
    try:
        return _run(Request(str(written.path), **given), listener, written)
    except BaseException:  # raised again
        written.discard()
        raise


def _all_keys(config: object, keys: Mapping[str, object]) -> dict[str, object]:
    """Return the keys of an experiment that is given as a mapping, or as arguments, or both."""
    if isinstance(config, str | os.PathLike):
        first = next(iter(keys))
        raise ConfigError(
            f"'{first}' is a key of the experiment file {os.fspath(config)}: give another value by "
            f"overrides={{'{first}': ...}}"
        )
    if config is None:
        if not keys:
            raise ConfigError("give an experiment file, or datasets and methods")
        return dict(keys)
    if not isinstance(config, Mapping):
        raise ConfigError(f"config must be a path, a text or a mapping of keys, not {config!r}")
    mapping = {str(key): value for key, value in config.items() if value is not None}
    for key in keys:
        if key in mapping:
            raise ConfigError(f"'{key}' is given twice, in the mapping and as an argument")
    return {**mapping, **keys}


def _run(
    request: Request, listener: Listener | None, written: WrittenExperiment | None = None
) -> Results:
    """Run an experiment file, which may have been written for it, and return its results."""
    listener = listener or screen(live=not request.in_process)
    this = Run(request, listener, reimport=True)
    temporary = None if written is None else written.temporary
    this.remedy = "the same call resumes"
    if temporary is not None:
        this.remedy = "a call with results='NAME' could be resumed"
    finished = this.run()
    if finished.interrupted and finished.left:
        left = listing([f"{n:,} of {name}" for name, n in finished.left.items()], 5)
        number = counted(finished.left.total(), "trial")
        text = f"interrupted, {number} left ({left}): {this.remedy}"
        if not is_notebook():
            raise KeyboardInterrupt(text)
        listener.note(text, "important")
    if this.without_data:
        listener.note(this.data_to_get(), "important")
    return Results(this.folder, temporary)


def _refuse(unknown: Mapping[str, object]) -> None:
    """Raise ConfigError for unknown options, with those that there are."""
    options = [
        name
        for name, each in inspect.signature(run).parameters.items()
        if each.kind is each.KEYWORD_ONLY
    ]
    if "dry_run" in unknown:
        raise ConfigError("dry_run is for the command line: boostbench run CONFIG --dry-run")
    if unknown:
        names = [f"'{name}'{did_you_mean(name, options)}" for name in unknown]
        raise ConfigError(
            f"boostbench.run has no option {listing(names)}; the options are {listing(options)}"
        )


def load(results: AnyPath, paper: AnyPath | None = None, metric: str | None = None) -> Results:
    """Return the results of an experiment that has run, is running or was stopped.

    Parameters
    ----------
    results : str or path-like
        The results folder or archive, its name below ``./results``, an experiment file, or the name
        of a shipped experiment. With ``paper`` a table (CSV) of runs that others made, with the
        columns dataset, method, split, seed and score.
    paper : str or path-like, optional
        The paper by which such a table is judged: its name or its folder.
    metric : str, optional
        The metric of the scores in the table, by default the paper's first one.

    Returns
    -------
    Results
        What the folder holds now; a later run does not change it.

    Raises
    ------
    StoreError
        Where there are no results yet, or they cannot be read.
    ConfigError
        Where there is neither a folder nor an experiment of that name, and where a table is wrong,
        with its line and column.

    Warns
    -----
    UserWarning
        Where the results are those of another experiment file than the one named.

    Examples
    --------
    >>> import boostbench
    >>> results = boostbench.load("results/quickstart/archive")
    >>> results.means(only="method=srt_l2")[["dataset", "runs", "planned"]]
         dataset  runs  planned
    0  friedman1     8        8
    1   diabetes     8        8
    """
    name = path_text("results", results)
    key = None if paper is None else path_text("paper", paper)
    if (table := table_of([name], key)) is not None:
        return Results(table, None, key, metric)
    if metric is not None:
        raise ConfigError("metric is that of a table of runs: give its paper too")
    remarks: list[str] = []
    folder = find_results(name, note=remarks.append)
    for remark in remarks:
        warnings.warn(remark, stacklevel=2)
    return Results(folder)
