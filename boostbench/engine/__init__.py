"""Runs trials in worker processes, whatever a trial does there. The way of one trial:

1. ``local.run_trials`` gives the trials to a ``pool.Pool``; ``Pool.run`` loops over its workers.
2. ``forkserver.make_spawner`` starts the process that imports and compiles once (``warming``) and
   is forked for each worker; ``worker_process.WorkerProcess`` is the pool's view of a worker.
3. ``Pool._assign`` gives the trial to an idle worker: ``WorkerProcess.begin`` sends it on a
   ``channel.Channel``, and ``worker_process.main`` receives it there.
4. ``process_state.ProcessState.around`` seeds the process and restores it later; inside,
   ``trial.run_trial`` loads, splits, fits and scores (``evaluation``: tuning, scores, curves).
5. Meanwhile ``WorkerProcess.enforce`` kills it over its limits; ``Pool._died`` names the cause.
6. ``Pool._ended`` takes the outcome, and ``recording.Recorder.finish`` commits it to the store.

``in_process.run_in_process`` does 4 and 6 in the calling process. On a cluster,
``dask.dispatch.run_on_cluster`` submits ``dask.plugin.run_trial``, and ``dask.plugin.TrialPlugin``
keeps a pool (2 to 5) on each dask worker. ``stopping.Signals``: the first Ctrl-C lets running
trials end, the second one kills them.
"""
