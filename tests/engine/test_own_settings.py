"""What a user's own module sets or keeps when it is imported: its trials see it, no others do."""

import dataclasses
import os
import sys

import pytest
from support import run, save_small, trial

from boostbench.engine.in_process import run_in_process
from boostbench.engine.interface import TrialLimits
from boostbench.store.store import Store
from boostbench.user_code import own_sources

# By name, what a module does when it is imported.
MODULES = {
    "sets_config": (
        "sklearn.set_config(transform_output='pandas')\nos.environ['OWN_SETTING'] = 'yes'\n"
    ),
    "sets_nothing": "",
    "large_table": "TABLE = np.ones(30 * 2**20)\n",
    "fails_elsewhere": f"if os.getpid() != {os.getpid()}:\n    raise OSError('no')\n",
    "imports_late": "",
}
IMPORTS = "import os, sklearn\nimport numpy as np\n"
REPORTING = """
from sklearn.base import BaseEstimator, RegressorMixin
rng = np.random.default_rng(0)
class Reports(RegressorMixin, BaseEstimator):
    kept = np.random.default_rng(1)
    def fit(self, X, y):
        self.says_ = f"{sklearn.get_config()['transform_output']} {os.environ.get('OWN_SETTING')}"
        self.drawn_ = float(rng.random() + self.kept.random())
        return self
    def predict(self, X):
        return np.full(len(X), self.drawn_)
    def benchmark_metrics_(self):
        return {"says": self.says_}
"""


LATE = REPORTING.replace(
    "        return self\n", "        import own_beside\n        return self\n"
)


@pytest.fixture(scope="module")
def planned(tmp_path_factory):
    """The folder of the data, and three trials of each module, by its name, as they are planned."""
    folder = tmp_path_factory.mktemp("own")
    mark = save_small(folder / "arrays")
    (folder / "own_beside.py").write_text("VALUE = 1\n")
    trials = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        for module, source in MODULES.items():
            reporting = LATE if module == "imports_late" else REPORTING
            (folder / f"{module}.py").write_text(IMPORTS + source + reporting)
            estimator = f"{module}:Reports"
            one = dataclasses.replace(trial(mark, estimator), code=own_sources(estimator).digest)
            trials[module] = [dataclasses.replace(one, seed=seed) for seed in range(3)]
        yield folder, trials
    for module in MODULES:
        sys.modules.pop(module, None)


@pytest.fixture(scope="module")
def outcomes(planned):
    """The outcomes by module in worker processes, three at a time."""
    folder, trials = planned
    # The modules take turns.
    mixed = [one for several in zip(*trials.values(), strict=True) for one in several]
    limits = TrialLimits(memory_bytes=100 * 2**20)
    found, _ = run(folder, mixed, jobs=3, limits=limits)
    return {module: found[i :: len(MODULES)] for i, module in enumerate(MODULES)}


def test_every_way_to_run_gives_the_same_and_settings_hold_for_their_own_trials(
    tmp_path, planned, outcomes
):
    folder, trials = planned
    kinds = ("sets_config", "sets_nothing")
    mixed = [one for several in zip(*map(trials.get, kinds), strict=True) for one in several]
    with Store.open(tmp_path / "here") as store:
        store.set_plan({}, mixed)
        run_in_process(store.missing(), store, arrays_dir=folder / "arrays", limits=TrialLimits())
        here = [store.outcomes()[one.key] for one in mixed]
    there = [one for several in zip(*map(outcomes.get, kinds), strict=True) for one in several]
    assert all(outcome.status == "ok" for outcome in here + there)
    metrics = [outcome.metrics for outcome in here]
    assert metrics == [outcome.metrics for outcome in there]
    assert [each["says"] for each in metrics] == ["pandas yes", "default None"] * 3
    # What the module and the class keep is as the import has left it.
    assert metrics[::2] == [metrics[0]] * 3


def test_memory_of_an_import_is_not_the_trials(outcomes):
    assert [outcome.status for outcome in outcomes["large_table"]] == ["ok"] * 3


def test_a_module_that_fails_only_in_a_worker_is_an_error(outcomes):
    for outcome in outcomes["fails_elsewhere"]:
        assert outcome.status == "error"
        assert "fails_elsewhere" in outcome.reason


def test_a_fit_that_imports_an_own_module_is_not_repeated(outcomes):
    assert [outcome.status for outcome in outcomes["imports_late"]] == ["ok"] * 3
    assert not any("first_fit_s" in outcome.times for outcome in outcomes["imports_late"])
