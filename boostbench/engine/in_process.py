"""Trials one after another in this process, for debugging."""

import bdb
from collections.abc import Sequence
from typing import Unpack

from threadpoolctl import threadpool_limits

from boostbench.engine.execution import forget_checks, import_first, run_trial
from boostbench.engine.interface import Summary
from boostbench.engine.recording import Recorder, RecorderOptions
from boostbench.importing import preserved_process
from boostbench.plan.trial import Trial
from boostbench.store.store import Store
from boostbench.user_code import forget

_ENDS = (KeyboardInterrupt, bdb.BdbQuit)


def run_in_process(
    trials: Sequence[Trial], store: Store, **options: Unpack[RecorderOptions]
) -> Summary:
    """Run ``trials`` here and commit each outcome to ``store``, as :func:`run_trials` does.

    The limits among ``options``, those of :class:`Recorder`, do not apply. An interrupt from the
    keyboard, or leaving the debugger, ends the run; its trial stays missing. A trial that ends the
    process ends the run.
    """
    recorder = Recorder(store, **options)
    forget_checks()
    with threadpool_limits(1):
        for trial in {trial.key: trial for trial in trials}.values():
            recorder.begin(trial, 0)
            try:
                with preserved_process():
                    if trial.code:
                        # As in a worker process, the module is imported again, without its state.
                        forget(trial.estimator)
                        import_first(trial.estimator)
                    outcome = run_trial(trial, recorder.arrays_dir, _ENDS)
            except _ENDS:
                recorder.summary.interrupted = True
                break
            recorder.finish(trial, outcome, 0)
    return recorder.summary
