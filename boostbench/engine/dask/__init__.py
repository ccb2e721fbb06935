"""Trials on a dask cluster: dask schedules them, and each of its workers runs them in a pool.

``options`` reads which cluster is meant, ``client`` talks to the scheduler, ``plugin`` is what a
worker keeps for a run (checks, pool, data), ``modules`` are the user's own sources that go to it,
``dispatch`` submits the trials and commits their outcomes.
"""
