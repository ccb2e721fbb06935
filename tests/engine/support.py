"""Plans over a small data set, and one call that runs them."""

import numpy as np

from boostbench.data.arrays import fingerprint, save_arrays
from boostbench.data.dataset import Dataset
from boostbench.engine.local import Limits, run_trials
from boostbench.plan.trial import Trial
from boostbench.store.store import Store

NO_LIMITS = Limits()


def save_small(folder, rows=40):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(rows, 3)), rng.normal(size=rows)
    mark = fingerprint(X, y)
    names = ("a", "b", "c")
    save_arrays(Dataset("small", X, y, names, "y", "regression", mark, "made here"), folder)
    return mark


def trial(mark, name="Mean", fold=0, seed=0, **params):
    estimator = name if ":" in name else f"faulty:{name}"
    return Trial(
        dataset="small",
        method=name.lower(),
        estimator=estimator,
        method_version="1",
        fingerprint=mark,
        task="regression",
        folds=4,
        fold=fold,
        split_seed=0,
        seed=seed,
        scale_features="minmax",
        scale_target="standard",
        params=params,
    )


def run(tmp_path, trials, *, jobs=1, limits=NO_LIMITS, arrays_dir=None, **options):
    """Run ``trials`` in ``tmp_path / "results"`` and return (outcomes in order, summary)."""
    with Store.open(tmp_path / "results", create=True) as store:
        store.set_plan({}, trials)
        summary = run_trials(
            store.missing(),
            store,
            jobs=jobs,
            arrays_dir=arrays_dir or tmp_path / "arrays",
            limits=limits,
            environment={"test": True},
            **options,
        )
        outcomes = store.outcomes()
    return [outcomes.get(t.key) for t in trials], summary
