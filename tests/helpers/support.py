"""Plans over a small data set, and one call that runs them."""

import time

import numpy as np
import psutil
from trials import make_trial

from boostbench.data.arrays import save_arrays
from boostbench.data.dataset import Dataset, fingerprint
from boostbench.engine.interface import TrialLimits
from boostbench.engine.local import run_trials
from boostbench.store.export import export_results
from boostbench.store.store import Store

NO_LIMITS = TrialLimits()


def save(folder, X, y, task="regression"):
    """Save a data set in ``folder`` and return its fingerprint."""
    mark, names = fingerprint(X, y), tuple("abcd"[: X.shape[1]])
    classes = tuple(map(str, np.unique(y))) if task == "classification" else ()
    save_arrays(Dataset("small", X, y, names, "y", task, mark, "made here", classes), folder)
    return mark


def save_small(folder, rows=40):
    rng = np.random.default_rng(0)
    return save(folder, rng.normal(size=(rows, 3)), rng.normal(size=rows))


def trial(mark, name="Mean", fold=0, seed=0, **params):
    estimator = name if ":" in name else f"faulty:{name}"
    where = {"fold": fold, "seed": seed, "fingerprint": mark}
    return make_trial("small", name.lower(), estimator=estimator, params=params, **where)


def run(tmp_path, trials, *, jobs=1, limits=NO_LIMITS, arrays_dir=None, **options):
    """Run ``trials`` in ``tmp_path / "results"`` and return (outcomes in order, summary)."""
    with Store.open(tmp_path / "results") as store:
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


def run_in_this_process(tmp_path, trials):
    """Run ``trials`` as :func:`run` does, without worker processes, which take seconds to start."""
    # It imports scikit-learn, which processes that only start workers do without.
    from boostbench.engine.in_process import run_in_process

    with Store.open(tmp_path / "results") as store:
        store.set_plan({}, trials)
        summary = run_in_process(
            store.missing(),
            store,
            arrays_dir=tmp_path / "arrays",
            limits=NO_LIMITS,
            environment={"test": True},
        )
        outcomes = store.outcomes()
    return [outcomes.get(t.key) for t in trials], summary


def reader(folder):
    """A store of results, to be read."""
    return Store.read(folder)


def exported(folder):
    """The bytes of ``trials.csv`` as the store in ``folder`` gives them now."""
    with reader(folder) as store:
        return export_results(store, folder)[0].read_bytes()


def wait_until(condition, what="", patience_s=100):
    deadline = time.monotonic() + patience_s
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.01)


def living(pids):
    """Those of ``pids`` whose processes have not ended."""
    found = []
    for pid in pids:
        try:
            if psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
                found.append(pid)
        except psutil.NoSuchProcess:
            continue
    return found


def what_stays(find, patience_s=60.0):
    """What ``find`` still gives after a while, at best nothing."""
    deadline = time.monotonic() + patience_s
    while (found := find()) and time.monotonic() < deadline:
        time.sleep(0.01)
    return found


def ended(pids, patience_s=60.0):
    """Whether the processes ``pids`` end within a while."""
    return not what_stays(lambda: living(pids), patience_s)
