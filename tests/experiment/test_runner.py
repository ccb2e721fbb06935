"""The runner of a run: what it is given, and what becomes of what it does."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from boostbench.engine.in_process import run_in_process
from boostbench.engine.interface import Summary
from boostbench.experiment.drawn import Verdict
from boostbench.experiment.listener import Listener
from boostbench.experiment.request import Request
from boostbench.experiment.run import Finished, Run
from boostbench.experiment.sampling import check_sample
from boostbench.plan.trial import Trial
from boostbench.store.store import Store
from results import TINY


@dataclass
class Partial:
    """Runs the first trials here, as if it was interrupted after so many."""

    most: int | None = None
    given: list[str] = field(default_factory=list)

    def __call__(self, trials: Sequence[Trial], store: Store, **options: Any) -> Summary:
        self.given += [trial.name for trial in trials]
        summary = run_in_process(trials[: self.most], store, **options)
        summary.interrupted = self.most is not None
        return summary


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cheap: None):
    monkeypatch.chdir(tmp_path)
    Path("tiny.yaml").write_text(TINY)

    def run(runner: Partial, **options: Any) -> Finished:
        return Run(Request("tiny.yaml", **options), Listener(), runner=runner).run()

    return run


def test_a_run_gives_its_runner_the_missing_trials(run) -> None:
    first, second = Partial(3), Partial()
    finished = run(first)
    assert (finished.ran, finished.left.total(), finished.interrupted) == (3, 5, True)
    assert len(first.given) == 8
    finished = run(second)
    assert (finished.ran, finished.left.total(), finished.interrupted) == (5, 0, False)
    assert second.given == first.given[3:]
    assert finished.counts == {"ok": 8}
    nothing = Partial()
    assert run(nothing).ran == 0
    assert nothing.given == []


def test_a_sample_is_run_by_its_runner(run) -> None:
    run(Partial(), only=["method=dummy"])
    again = Partial()
    checked = check_sample(Path("results/tiny"), 8, listener=Listener(), runner=again)
    counts = checked.count(Verdict.EQUAL), checked.count(Verdict.DIFFERS)
    # Those that are missing are drawn as well.
    assert (len(checked.drawn), *counts) == (8, 4, 4)
    assert len(again.given) == 8
    with pytest.raises(KeyboardInterrupt):
        check_sample(Path("results/tiny"), 3, listener=Listener(), runner=Partial(1))
