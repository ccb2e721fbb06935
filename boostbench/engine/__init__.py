"""Runs trials in worker processes, safe from whatever a trial does there.

The path of one trial:

1. ``local.run_trials`` warms up a ``pool.Pool`` and gives each trial to a thread that calls its
   ``run``.
2. ``launch.WarmProcess`` is the process that imports and compiles once (``warming``) and is forked
   for each worker; a module that is neither boostbench's nor scikit-learn's has another one,
   forked from the first (``warm`` is what both do).
3. ``Pool.run`` takes a suitable idle worker, or starts one; ``launch.WorkerProcess`` is the
   pool's view of it, and ``worker.main`` its loop.
4. ``execution.run_trial`` loads, splits, chooses values (``choice``), fits and scores
   (``evaluation``: scores, curves).
5. Meanwhile ``WorkerProcess.run`` kills it over its limits, and reports its death; where that has
   another cause, ``Pool`` names it or tries again.
6. ``recording.Recorder.finish`` commits the outcome to the store, in the thread of the run.

``in_process.run_in_process`` does 4 and 6 in the calling process. On a cluster,
``dask.dispatch.run_on_cluster`` submits ``dask.site.run_trial``, which calls ``Pool.run`` (2 to 5)
on each dask worker. As a context, ``Recorder`` handles Ctrl-C: the first lets running trials
end, the second one kills them.
"""
