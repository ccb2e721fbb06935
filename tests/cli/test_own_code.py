"""A user's own estimators: edited code, functions and instances, what they print, a debugger."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from boostbench.store.store import Store

MODULE = """\
import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin

from {helper} import SHIFT


class Mean(RegressorMixin, BaseEstimator):
    def fit(self, X, y):
        print("rows:", len(y))
        self.mean_ = y.mean() + SHIFT
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_)


def make_model(k=2, random_state=None):
    from sklearn.decomposition import PCA
    from sklearn.ensemble import ExtraTreesRegressor
    from sklearn.pipeline import make_pipeline

    return make_pipeline(PCA(k), ExtraTreesRegressor(5))


ready = make_model(3)
"""
CONFIG = """\
name: own
datasets: [diabetes]
methods:
  - {{name: mean, estimator: {module}.Mean}}
  - {{name: dummy, estimator: sklearn.dummy.DummyRegressor}}
folds: 2
seeds: 1
"""


@pytest.fixture
def own(folder: Path, request: pytest.FixtureRequest) -> str:
    """A module of the user's own beside ``own.yaml``, by a name that no other test has."""
    # The tests' process keeps modules that a user's next command would not have.
    name = f"own_{abs(hash(request.node.nodeid))}"
    (folder / f"{name}.py").write_text(MODULE.format(helper=f"{name}_helper"))
    (folder / f"{name}_helper.py").write_text("SHIFT = 0.0\n")
    (folder / "own.yaml").write_text(CONFIG.format(module=name))
    return name


def _r2(folder: Path) -> dict[tuple[str, int], float]:
    with Store.open(folder / "results" / "own", create=False, read_only=True) as store:
        outcomes = store.outcomes()
        return {(t.method, t.fold): outcomes[t.key].metrics["r2"] for t in store.plan()}


def test_edited_code_runs_again_and_says_why(cli, folder: Path, own: str) -> None:
    assert cli("run", "own.yaml", "-j", "1").code == 0
    before = _r2(folder)
    assert "nothing was missing" in cli("run", "own.yaml", "-j", "1").out
    path = folder / f"{own}_helper.py"
    text = path.read_text()
    changed = path.stat().st_mtime
    path.write_text(text.replace("SHIFT = 0.0", "SHIFT = 1.0"))
    # As a script does that edits and runs within a second.
    for each in (path, *path.parent.glob(f"__pycache__/{path.stem}.*")):
        os.utime(each, (changed, changed))
    status = cli("status", "own.yaml").out
    assert f"changed since these results: mean: {path.name} changed" in status
    dry = cli("run", "own.yaml", "--dry-run")
    assert "2 done, 2 to run" in dry.out
    line = f"mean: {path.name} changed since 2 trials of it ran: run again (the old outcomes stay"
    assert line in dry.err
    done = cli("run", "own.yaml", "-j", "1")
    assert line in done.err
    assert "2 of 4 trials to run" in done.err
    after = _r2(folder)
    assert after["mean", 0] != before["mean", 0]
    assert after["dummy", 0] == before["dummy", 0]
    with Store.open(folder / "results" / "own", create=False, read_only=True) as store:
        assert len(store.outcomes()) == 6
    # The old code finds its old outcomes.
    path.write_text(text)
    again = cli("run", "own.yaml", "-j", "1")
    assert "nothing was missing" in again.out
    assert _r2(folder) == before


@pytest.mark.end_to_end
def test_code_that_changes_during_a_run_is_never_run_under_the_old_name(
    cli, folder: Path, own: str
) -> None:
    path = folder / f"{own}.py"
    # The first trial changes the source; its worker has the old code, the next worker would not.
    path.write_text(
        path.read_text().replace(
            'print("rows:", len(y))',
            "import os; open(__file__, 'a').write('#'); os.kill(os.getpid(), 9)",
        )
    )
    done = cli("run", "own.yaml", "-j", "1", "--only", "method=mean", "--only", "fold=0")
    assert done.code == 1
    assert f"the source of {own}.Mean was changed after the run began; " in done.err


def test_a_function_and_an_instance_are_estimators(cli, folder: Path, own: str) -> None:
    (folder / "own.yaml").write_text(
        "name: own\ndatasets: [diabetes]\nfolds: 2\nseeds: 2\nmethods:\n"
        f"  - {{name: made, estimator: '{own}:make_model', params: {{k: 4}}}}\n"
        f"  - {{name: ready, estimator: '{own}:ready', params: {{pca__n_components: 4}}}}\n"
    )
    assert cli("check", "own.yaml").code == 0
    assert cli("run", "own.yaml", "-j", "2").code == 0
    with Store.open(folder / "results" / "own", create=False, read_only=True) as store:
        outcomes = store.outcomes()
        r2 = {(t.method, t.fold, t.seed): outcomes[t.key].metrics["r2"] for t in store.plan()}
    # Steps that left their seed open get that of the trial.
    assert r2["made", 0, 0] == r2["ready", 0, 0] != r2["made", 0, 1]
    wrong = cli("check", "own.yaml", "--set", "methods.0.params.q=1")
    assert "make_model has no parameter 'q'" in wrong.err
    assert wrong.code == 2
    wrong = cli("check", "own.yaml", "--set", "methods.1.params.pca__n_componets=1")
    assert "(did you mean 'pca__n_components'?)" in wrong.err


def test_a_function_that_returns_no_estimator(cli, folder: Path) -> None:
    (folder / "own_wrong.py").write_text(
        "def nothing():\n    return 3\n\ndef fails():\n    [][1]\n"
    )
    for name, said in [
        ("nothing", "returned an object of type int, which is not an estimator"),
        ("fails", "list"),
    ]:
        (folder / "own.yaml").write_text(
            f"name: own\ndatasets: [diabetes]\nmethods: [{{estimator: 'own_wrong:{name}'}}]\n"
        )
        done = cli("check", "own.yaml")
        assert (done.code, said in done.err, "Traceback" in done.err) == (2, True, False)


@pytest.mark.end_to_end
def test_what_a_trial_printed_is_shown_and_a_cell_lists_its_trials(
    cli, folder: Path, own: str
) -> None:
    assert cli("run", "own.yaml", "-j", "1").code == 0
    shown = cli("show", "diabetes/mean/1/0").out
    assert "it printed:\nrows: 221\n" in shown
    assert "it printed" not in cli("show", "diabetes/dummy/1/0").out
    cell = cli("show", "diabetes/mean", "--in", "own").out
    assert "results/own: 2 of 2 trials done" in cell
    rows = [line.split() for line in cell.splitlines() if line.startswith("  diabetes/")]
    assert [(row[0], row[2], row[-1]) for row in rows] == [
        ("diabetes/mean/0/0", "ok", "yes"),
        ("diabetes/mean/1/0", "ok", "yes"),
    ]
    assert float(rows[0][3]) == pytest.approx(_r2(folder)["mean", 0], rel=1e-4)
    assert cli("show", "diabetes/nobody").code == 2


def test_in_process_a_debugger_stops_where_it_is_told(folder: Path, own: str) -> None:
    path = folder / f"{own}.py"
    path.write_text(path.read_text().replace('print("rows:", len(y))', "breakpoint()"))
    primary, secondary = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "boostbench", "run", "own.yaml", "--in-process"],
        stdin=secondary, stdout=secondary, stderr=secondary, cwd=folder,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "200"},
    )  # fmt: skip
    os.close(secondary)
    os.write(primary, b"p 'y has', len(y)\nc\nq\n")
    seen = b""
    while True:
        try:
            part = os.read(primary, 65536)
        except OSError:
            break
        if not part:
            break
        seen += part
    os.close(primary)
    text = seen.decode(errors="replace")
    # The first trial went on, the second was left: it stays missing.
    assert process.wait(timeout=200) == 130, text
    assert "('y has', 221)" in text
    assert "1 ok, 3 pending" in text
    assert "resume with: boostbench run own.yaml --in-process" in text


def test_the_reason_of_a_rerun_outlasts_a_run_of_a_part(cli, folder: Path, own: str) -> None:
    config = folder / "own.yaml"
    more = f"  - {{name: other, estimator: '{own}:make_model'}}\nfolds"
    config.write_text(config.read_text().replace("folds", more))
    assert cli("run", "own.yaml", "-j", "1").code == 0
    (folder / f"{own}_helper.py").write_text("SHIFT = 1.0\n")
    part = cli("run", "own.yaml", "-j", "1", "--only", "method=mean")
    assert f"mean: {own}_helper.py changed since 2 trials of it ran" in part.err
    assert f"other: {own}_helper.py changed" in cli("status", "own.yaml").out
    words = f"other: {own}_helper.py changed since 2 trials of it ran"
    assert words in cli("run", "own.yaml", "-j", "1", "--dry-run").err


def test_other_changes_that_make_trials_run_again_are_named(cli, tiny_run: Path, folder: Path):
    text = (folder / "tiny.yaml").read_text()
    (folder / "tiny.yaml").write_text(text.replace("alpha: 0.1", "alpha: 0.2"))
    done = cli("run", "tiny.yaml", "-j", "1")
    assert "Ridge: alpha changed since 4 trials of it ran: run again" in done.err
    assert "dummy:" not in done.err
