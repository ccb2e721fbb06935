"""Before the first trial: imports, and one fit of each estimator that has kernels to compile."""

import contextlib
import importlib
import json
import logging
import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

import numpy as np

from boostbench.data.arrays import load_targets
from boostbench.data.dataset import Target
from boostbench.data.prepare import Prepared
from boostbench.engine.interface import Compiling
from boostbench.engine.messages import SyntheticFit, WarmUp
from boostbench.errors import DataError
from boostbench.estimators import default_params, module_of, path_parts
from boostbench.plan.trial import Trial, canonical_json
from boostbench.user_code import own_sources
from boostbench.values import Params, with_first_choices

NOTHING: WarmUp = {"modules": [], "fits": []}

_PRELOADED = frozenset({"boostbench", "sklearn", "scipy", "pandas"})
_OWN_NEED = ("sklearn.base", "sklearn.utils.validation")
_WITH_KERNELS = ("boostbench.trees", "boostbench.boosting")
_WITHOUT_KERNELS = frozenset({"ForestRegressor", "RForestRegressor"})
# Rows of made-up data; boosting has other kernels for more training rows than the last, in which
# each class is padded to a multiple of eight.
_FEW_ROWS, _MANY_ROWS = 40, 1 << 15
# With at least so many classes, boosting has the same kernels for any number.
_MOST_DIFFERENT = 32
# Parameters that take time, and the least values that select the same kernels as larger ones.
_ENOUGH = {"depth": 2, "max_iter": 3, "n_restarts": 2, "n_clusterings": 2, "convergent_after": 1}
# Every process fits this before its first trial, which otherwise pays for first touching memory.
_BUILT_IN = SyntheticFit(
    estimator="sklearn.linear_model:Ridge", params={}, task="regression", rows=8, classes=0
)
# All fits go in one message, of at most 64 KiB. The first trial compiles the rest.
_MOST_BYTES = 40_000


def warm_up_plan(trials: Iterable[Trial], arrays_dir: Path) -> WarmUp:
    """Return the imports and fits of :func:`warm_up` for ``trials``, as JSON values.

    ``modules`` are worth importing before the first fork. ``fits`` are of the estimators with
    kernels, with all parameters that may select one, for each number of classes and, where kernels
    depend on it, of rows. A user's own modules, and packages that may start threads, are left to
    the workers, where time and memory are limited; well-behaved packages that own modules import
    are not. ``arrays_dir`` has the data of the trials.
    """
    modules: dict[str, None] = {}
    fits: dict[str, SyntheticFit] = {}
    room = _MOST_BYTES
    sizes = cache(lambda task, mark, train_rows: _sizes(task, mark, train_rows, arrays_dir))
    needs = cache(_needs)
    for trial in trials:
        imports, estimators = needs(trial.estimator)
        modules.update(dict.fromkeys(imports))
        given = with_first_choices(trial.params, trial.choose)
        given = given if trial.estimator in estimators else {}
        for path in estimators:
            for rows, classes in sizes(trial.task, trial.fingerprint, trial.train_rows):
                fit = SyntheticFit(
                    estimator=path, params=given, task=trial.task, rows=rows, classes=classes
                )
                kind = canonical_json({**fit, "params": _kernel_params(given)})
                if kind not in fits and (room := room - len(json.dumps(fit))) > 0:
                    fits[kind] = fit
    return {"modules": list(modules), "fits": list(fits.values())}


def _needs(path: str) -> tuple[list[str], list[str]]:
    """Return modules to import for an estimator, and the estimators to fit for it."""
    module = module_of(path)
    if module.partition(".")[0] in _PRELOADED:
        imports, used = [module], [path]
    else:
        installed = sorted(own_sources(path).installed)
        used = [name for name in installed if name.partition(".")[0] in _PRELOADED]
        imports = [*_OWN_NEED, *used]
    names = {name: path_parts(name)[-1] for name in used if name.startswith(_WITH_KERNELS)}
    # A user's module may import the module, its estimators, or other functions of it.
    return imports, [
        path for path, name in names.items() if name[0].isupper() and name not in _WITHOUT_KERNELS
    ]


def _kernel_params(params: Params) -> Params:
    """Return ``params`` without the values of positive numbers, which select no kernel."""
    kinds = dict(params)
    for name, value in params.items():
        if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
            kinds[name] = type(value).__name__
    return kinds


def _sizes(
    task: str, fingerprint: str, train_rows: int | None, arrays_dir: Path
) -> list[tuple[int, int]]:
    """Return the numbers of rows and classes of made-up data in place of training data."""
    if task != "classification":
        return [(_FEW_ROWS, 0)]
    try:
        y = load_targets(fingerprint, arrays_dir)
    except DataError:
        return []  # the trials report it
    counts = np.unique(y, return_counts=True)[1]
    # A test part may have the only row of a class; given parts are not stratified.
    fewest = len(np.unique(y[:train_rows])) if train_rows else int((counts > 1).sum())
    some = range(max(2, fewest), min(len(counts), _MOST_DIFFERENT))
    numbers = [*some, max(2, len(counts))]
    is_large = len(y) + 7 * len(counts) > _MANY_ROWS
    rows = [_FEW_ROWS, _MANY_ROWS + 1] if is_large else [_FEW_ROWS]
    return [(max(each, 3 * number), number) for number in numbers for each in rows]


def warm_up(plan: WarmUp, report: Callable[[Compiling], object] = lambda part: None) -> None:
    """Import the modules, and compile or load the kernels, that :func:`warm_up_plan` returned.

    The trials report modules and estimators that fail here. The output of a trial in this process
    will not depend on whether it compiles kernels: what these say about it is switched off.
    ``report`` is called for each fit that compiles, when it begins to.
    """
    logging.getLogger("boostbench.kernels").setLevel(logging.ERROR)
    for name in plan["modules"]:
        with contextlib.suppress(Exception):  # the trials report it
            importlib.import_module(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for part, fit in enumerate([_BUILT_IN, *plan["fits"]]):
            with contextlib.suppress(Exception), _watched(part, len(plan["fits"]), report):
                fit_synthetic(**fit)  # the trials report what fails


@contextlib.contextmanager
def _watched(part: int, parts: int, report: Callable[[Compiling], object]) -> Iterator[None]:
    """Call ``report`` once if kernels are compiled within."""
    # It takes a second to import, which planning does not need.
    from numba.core import event

    from boostbench.kernels.cache_folder import is_writable, root

    class Watch(event.Listener):
        told = False

        def on_start(self, compiled: object) -> None:
            if not self.told:
                self.told = True
                report(Compiling(part, parts, str(root()), is_kept=is_writable(root())))

        def on_end(self, compiled: object) -> None:
            """Nothing: the next part says that this one has ended."""

    watch = Watch()
    event.register("numba:compile", watch)
    try:
        yield
    finally:
        event.unregister("numba:compile", watch)


def fit_synthetic(
    estimator: str, params: Params, task: str, rows: int = _FEW_ROWS, classes: int = 0
) -> None:
    """Fit an estimator to made-up data, briefly, and call the methods that a trial calls.

    ``classes`` is the number of classes of the ``rows``, 0 for regression.
    """
    from boostbench.engine.execution import fit_and_score

    known = {**default_params(estimator)[0], **params}
    enough = {}
    for name, most in _ENOUGH.items():
        value = known.get(name)
        if isinstance(value, int):
            enough[name] = min(value, most)
    trial = Trial(
        dataset="",
        method="",
        estimator=estimator,
        method_version="",
        fingerprint="",
        task=task,
        folds=2,
        fold=0,
        split_seed=0,
        seed=0,
        scale_features="none",
        scale_target="none",
        params={**params, **enough},
        curves=task == "classification",
    )
    rng = np.random.default_rng(0)
    X = rng.random((rows, 2))
    y: Target = np.arange(rows) % classes if classes else np.sin(6 * X[:, 0]) + X[:, 1]
    X[:, 1] += 0.5 * y  # the classes overlap
    fit_and_score(trial, {}, Prepared(X, y, X.copy(), y.copy()), {})
