"""boostbench in the kernel of a notebook: results, plots, edited cells, an interrupt."""

import os
import re
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from driving import recorded
from experiments import NO_FIGURES
from trials import make_trial

from boostbench.store.store import Store
from boostbench.store.types import Outcome

nbclient = pytest.importorskip("nbclient", reason="needs nbclient and ipykernel")
pytest.importorskip("ipykernel", reason="needs nbclient and ipykernel")

from nbclient import NotebookClient  # noqa: E402  # where there is none, the tests are skipped
from nbformat import v4  # noqa: E402

pytestmark = pytest.mark.end_to_end

MODEL = """\
import time
import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
class Bump(RegressorMixin, BaseEstimator):
    def __init__(self, shrink=0.5, seconds=0.0):
        self.shrink = shrink
        self.seconds = seconds
    def fit(self, X, y):
        time.sleep(self.seconds)
        self.value_ = helper(self.shrink)
        return self
    def predict(self, X):
        return np.full(len(X), self.value_)
"""
HELPER = "def helper(value):\n    return value + 1.0"
RUN = """\
import boostbench
results = boostbench.run(
    datasets={"diabetes": "diabetes"}, methods={"mine": Bump()},
    folds=2, seeds=2, results="thesis", in_process=True,
)
ended = results.trials.query("status == 'ok'")
print("VALUES", len(ended), *sorted({f"{each:.6f}" for each in ended.get("mae", [])}))
"""


class Kernel:
    """A notebook whose cells are run one by one, in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.client = NotebookClient(v4.new_notebook(), timeout=240, resources={})
        self.client.resources["metadata"] = {"path": str(folder)}
        self._count = 0

    def cell(self, text: str) -> list[dict]:
        """Run a cell and return its outputs."""
        cell = v4.new_code_cell(text)
        self.client.nb.cells.append(cell)
        self._count += 1
        return self.client.execute_cell(cell, self._count - 1)["outputs"]


def printed(outputs: list[dict], name: str = "stdout") -> str:
    return "".join(each["text"] for each in outputs if each.get("name") == name)


def values(outputs: list[dict]) -> str:
    lines = [line for line in printed(outputs).splitlines() if line.startswith("VALUES")]
    assert lines, outputs
    return lines[-1]


@pytest.fixture(scope="module")
def kernel(tmp_path_factory):
    """One kernel for all tests, as it takes seconds to start; each has results of its own."""
    folder = tmp_path_factory.mktemp("notebook")
    kernel = Kernel(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BOOSTBENCH_CACHE", str(folder / "cache"))
        patch.setenv("PYTHONPATH", os.pathsep.join([str(Path(__file__).parents[2])]))
        patch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
        with kernel.client.setup_kernel():
            kernel.cell(NO_FIGURES)
            yield kernel


def test_an_edited_helper_runs_again_and_an_unchanged_cell_does_not(kernel):
    kernel.cell(HELPER)
    kernel.cell(MODEL)
    first = kernel.cell(RUN)
    assert values(first).startswith("VALUES 4 ")
    # The same cells again, from the first to the last, as a notebook is run anew.
    for text in (HELPER, MODEL):
        kernel.cell(text)
    again = kernel.cell(RUN)
    assert values(again) == values(first)
    assert "run again" not in printed(again, "stderr")
    assert len(list((kernel.folder / "results/thesis").glob("saved_*.py"))) == 1
    # Only the cell of the helper is edited: the class still uses it, and is another method.
    kernel.cell(HELPER.replace("1.0", "3.0"))
    edited = kernel.cell(RUN)
    assert values(edited) != values(first)
    assert "mine: " in printed(edited, "stderr")
    # Loading stored objects has changed nothing in the notebook.
    kernel.cell(HELPER.replace("1.0", "5.0"))
    assert values(kernel.cell(RUN)) not in (values(first), values(edited))
    kernel.cell(HELPER)
    assert values(kernel.cell(RUN)) == values(first)


def test_the_progress_is_one_line_that_changes(kernel):
    kernel.cell(HELPER)
    kernel.cell(MODEL)
    run = RUN.replace("thesis", "progress")
    outputs = kernel.cell(run)
    lines = [each for each in outputs if each["output_type"] == "display_data"]
    assert len(lines) == 1
    assert lines[0]["data"]["text/plain"] == "4 of 4 trials"
    assert " of 4 " not in printed(outputs, "stderr")
    # What the user should not miss stays as a line of its own.
    outputs = kernel.cell(run.replace("Bump()", "Bump(shrink='x')"))
    assert "mine/0/0: error: TypeError" in printed(outputs, "stderr")
    assert len([each for each in outputs if each["output_type"] == "display_data"]) == 1


def test_an_interrupt_keeps_results_and_the_same_cell_resumes(kernel):
    kernel.cell(HELPER)
    kernel.cell(MODEL)
    # In worker processes, in which a fit takes a while.
    run = RUN.replace("Bump()", "Bump(seconds=3.0)").replace("in_process=True", "jobs=1")
    run = run.replace("thesis", "interrupted")
    results = kernel.folder / "results"

    def interrupt() -> None:
        deadline = time.monotonic() + 200
        while time.monotonic() < deadline and not recorded(results, "interrupted"):
            time.sleep(0.1)
        os.kill(kernel.client.km.provisioner.process.pid, signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    stopped = kernel.cell(run)
    thread.join()
    assert "interrupted" in printed(stopped, "stderr")
    assert re.search(
        r"interrupted, \d trials? left \(\d of diabetes/mine\): the same call resumes",
        printed(stopped, "stderr"),
    )
    done = int(values(stopped).split()[1])
    assert 0 < done < 4
    rest = kernel.cell(run)
    assert values(rest).startswith("VALUES 4 ")


def test_results_and_plots_are_shown(kernel):
    with Store.open(kernel.folder / "results/noise") as store:
        store.add_environment("here", {})
        trials = [make_trial("d", method, fold=fold) for method in "ab" for fold in range(4)]
        store.set_plan({"name": "x", "metric": "r2"}, trials)
        for trial, score in zip(trials, np.random.default_rng(0).normal(size=8), strict=True):
            store.record(trial, Outcome("ok", metrics={"r2": score}), "here")
    first, second, third = (
        [output["data"] for output in kernel.cell(text) if "data" in output]
        for text in (
            "import boostbench\nresults = boostbench.load('results/noise')\nresults",
            "axes = results.plot('means')",
            "results.pairs()",
        )
    )
    assert "is best on d" in first[0]["text/html"]
    assert ["image/png" in data for data in second] == [True]
    assert "undecided" in third[0]["text/html"]
