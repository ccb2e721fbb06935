"""Whether estimators fit at all: one small trial of each in a worker process, nothing recorded."""

import dataclasses
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from boostbench.data.arrays import save_arrays
from boostbench.data.dataset import Dataset, fingerprint
from boostbench.engine.local import run_all
from boostbench.engine.types import Limits
from boostbench.estimators import known_parameters, path_parts
from boostbench.plan.trial import Trial
from boostbench.store.types import Outcome
from boostbench.suggest import did_you_mean

_LIMITS = Limits(time_s=20.0, memory_bytes=4 * 2**30)
_MAX_ROWS = 1000
# With these a library keeps its warnings of unknown parameters to itself.
_SILENCERS = ("verbose", "verbosity", "silent")
_UNUSED = r"(?:unknown|not used|unused|unrecogni[sz]ed|ignor(?:ed|ing)|invalid)"
# The two words in one clause: "a is set, b will be ignored" says nothing against a.
_SAID_OF = r"{unused}\b[^,.;=\n]*\b{name}\b|\b{name}\b(?!\s*(?:=|is set))[^,.;=\n]*\b{unused}"
_SAID_OF_SEVERAL = r"\{{[^}}]*\b{name}\b[^}}]*\}}[^.;\n]*\b{unused}"


def made_up(task: str, shape: tuple[int, int]) -> Dataset:
    """Return a data set of random numbers for ``task``, of ``shape``, with at most 1,000 rows."""
    rng = np.random.default_rng(0)
    rows = min(shape[0], _MAX_ROWS)
    X = rng.random((rows, shape[1]))
    y = X[:, 0] + 0.1 * rng.random(rows)
    if task == "classification":
        y = np.digitize(y, np.quantile(y, (1 / 3, 2 / 3))).astype(np.int64)
    names = tuple(f"x{j}" for j in range(1, shape[1] + 1))
    classes = ("a", "b", "c") if task == "classification" else ()
    return Dataset("made up", X, y, names, "y", task, fingerprint(X, y), "made up", classes)


def probe(
    trials: Sequence[Trial], datasets: Sequence[Dataset], jobs: int
) -> tuple[dict[str, str], dict[str, str]]:
    """Run ``trials`` on ``datasets``; return faults, and why methods were not checked, by label.

    A method is wrong where its trial ends in an error, or where it says itself that it does not
    use one of its parameters. One that takes longer than 20 s, or more than 4 GiB, is given up.
    """
    wrong: dict[str, str] = {}
    given_up: dict[str, str] = {}
    loud = [_loud(trial) for trial in trials]
    labels: dict[str, list[str]] = {}
    for one in loud:
        labels.setdefault(one.key, []).append(one.method)

    def finish(trial: Trial, outcome: Outcome, _: int) -> None:
        # Methods that differ in what is left out here only are one trial.
        methods = labels[trial.key]
        if outcome.status == "error":
            wrong.update(dict.fromkeys(methods, outcome.reason))
        elif outcome.status == "ok" and (unused := unused_parameter(trial, outcome.output)):
            wrong.update(dict.fromkeys(methods, unused))
        elif outcome.status not in ("ok", "skipped"):
            given_up.update(dict.fromkeys(methods, outcome.reason))

    with tempfile.TemporaryDirectory(prefix="boostbench-probe-") as folder:
        for dataset in datasets:
            save_arrays(dataset, Path(folder))
        run_all(loud, jobs, Path(folder), _LIMITS, finish)
    return wrong, given_up


def _loud(trial: Trial) -> Trial:
    kept = {name: value for name, value in trial.params.items() if name not in _SILENCERS}
    # Without a choice among parameters, and without learning curves: one fit.
    return dataclasses.replace(trial, params=kept, choose={}, choose_with={}, curves=False)


def unused_parameter(trial: Trial, output: str) -> str:
    """Return a sentence where ``output`` says that a parameter of the trial is not used, or ""."""
    known = known_parameters(trial.estimator)
    for name in trial.params:
        parts = {"unused": _UNUSED, "name": re.escape(name)}
        said = "|".join(pattern.format(**parts) for pattern in (_SAID_OF, _SAID_OF_SEVERAL))
        if name not in known and re.search(said, output, re.IGNORECASE):
            short = path_parts(trial.estimator)[-1]
            return f"{short} does not use the parameter '{name}'{did_you_mean(name, known)}"
    return ""


def unnamed_parameters(trial: Trial) -> list[str]:
    """Return the parameters that the estimator takes without naming them, as ``**kwargs``."""
    known = known_parameters(trial.estimator)
    return [name for name in trial.params if name not in known]
