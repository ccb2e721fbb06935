"""Runs trials in worker processes, whatever a trial does there. The way of one trial:

1. ``local.run_trials`` gives the trials to a ``pool.Pool``; ``Pool.run`` loops over its workers.
2. ``launch.FirstLauncher`` starts the warm process, which imports and compiles once (``warming``)
   and is forked for each worker; ``launch.Launcher`` is another, forked from it, for each module
   that is neither boostbench's nor scikit-learn's (``warm`` is what both do).
3. ``Pool._assign`` gives the trial to an idle worker that suits, or to a new one;
   ``worker_process.WorkerProcess`` is the pool's view of it, and ``worker.main`` its loop.
4. ``trial.run_trial`` loads, splits, fits and scores (``evaluation``: tuning, scores, curves).
5. Meanwhile ``WorkerProcess.enforce`` kills it over its limits; ``Pool._died`` names the cause.
6. ``Pool._end`` takes the outcome, and ``recording.Recorder.finish`` commits it to the store.

``in_process.run_in_process`` does 4 and 6 in the calling process. On a cluster,
``dask.dispatch.run_on_cluster`` submits ``dask.site.run_trial``, which keeps a pool (2 to 5) on
each dask worker. ``stopping.Signals``: the first Ctrl-C lets running
trials end, the second one kills them.
"""
