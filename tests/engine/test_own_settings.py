"""What a user's own module sets or keeps when it is imported: its trials see it, no others do."""

import dataclasses
import sys

import pytest
from support import run, save_small, trial

from boostbench.engine.in_process import run_in_process
from boostbench.engine.interface import TrialLimits
from boostbench.store.store import Store
from boostbench.user_code import own_sources

MODULES = {
    "sets_config": (
        "import os, sklearn\nsklearn.set_config(transform_output='pandas')\n"
        "os.environ['OWN_SETTING'] = 'yes'\n"
    ),
    "sets_nothing": "import os, sklearn\n",
}
REPORTING = """
import numpy as np
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


@pytest.fixture
def own(tmp_path, monkeypatch):
    """Return a trial of a class in a module with the given source, as it is planned."""
    monkeypatch.syspath_prepend(tmp_path)
    mark = save_small(tmp_path / "arrays")

    def make(module, source, name, **fields):
        (tmp_path / f"{module}.py").write_text(source)
        estimator = f"{module}:{name}"
        code = own_sources(estimator).digest
        return dataclasses.replace(trial(mark, estimator), code=code, **fields)

    yield make
    for path in tmp_path.glob("*.py"):
        sys.modules.pop(path.stem, None)


def _in_process(folder, trials, arrays_dir):
    with Store.open(folder) as store:
        store.set_plan({}, trials)
        run_in_process(store.missing(), store, arrays_dir=arrays_dir, limits=TrialLimits())
        return [store.outcomes()[t.key] for t in trials]


def test_every_way_to_run_gives_the_same_and_settings_hold_for_their_own_trials(tmp_path, own):
    kinds = [own(name, text + REPORTING, "Reports") for name, text in MODULES.items()]
    trials = [dataclasses.replace(kind, seed=seed) for seed in range(3) for kind in kinds]
    arrays = tmp_path / "arrays"
    found = [_in_process(tmp_path / "here", trials, arrays)]
    for jobs in (1, 3):
        (tmp_path / str(jobs)).mkdir()
        found.append(run(tmp_path / str(jobs), trials, jobs=jobs, arrays_dir=arrays)[0])
    assert all(outcome.status == "ok" for outcomes in found for outcome in outcomes)
    metrics = [[outcome.metrics for outcome in outcomes] for outcomes in found]
    assert metrics[0] == metrics[1] == metrics[2]
    assert [each["says"] for each in metrics[0]] == ["pandas yes", "default None"] * 3
    # What the module and the class keep is as the import has left it.
    assert metrics[0][::2] == [metrics[0][0]] * 3


def test_memory_of_an_import_is_not_the_trials(tmp_path, own):
    table = "import numpy as np\nTABLE = np.ones(30 * 2**20)\n"
    plain = REPORTING.replace("sklearn.get_config()['transform_output']", "1")
    planned = own("large_table", f"import os, sklearn\n{table}{plain}", "Reports")
    trials = [dataclasses.replace(planned, seed=seed) for seed in range(3)]
    outcomes, _ = run(tmp_path, trials, jobs=2, limits=TrialLimits(memory_bytes=100 * 2**20))
    assert [outcome.status for outcome in outcomes] == ["ok"] * 3


def test_a_module_that_fails_only_in_a_worker_is_an_error(tmp_path, own):
    source = f"import os\nif os.getpid() != {__import__('os').getpid()}:\n    raise OSError('no')\n"
    planned = own("fails_elsewhere", f"{source}import sklearn\n{REPORTING}", "Reports")
    (outcome,), _ = run(tmp_path, [planned])
    assert outcome.status == "error"
    assert "fails_elsewhere" in outcome.reason


def test_a_fit_that_imports_an_own_module_is_not_repeated(tmp_path, own):
    (tmp_path / "own_beside.py").write_text("VALUE = 1\n")
    source = f"import os, sklearn\n{REPORTING}".replace(
        "        return self\n", "        from own_beside import VALUE\n        return self\n"
    )
    planned = own("imports_late", source, "Reports")
    outcomes, _ = run(tmp_path, [dataclasses.replace(planned, seed=seed) for seed in range(2)])
    assert [outcome.status for outcome in outcomes] == ["ok"] * 2
    assert not any("first_fit_s" in outcome.times for outcome in outcomes)
