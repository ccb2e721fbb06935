"""Trials on a dask cluster: each of its workers runs them in a pool of processes.

``options`` reads which cluster is meant, ``client`` talks to the scheduler, ``site`` is what a
worker keeps for a run (checks, pool, data), ``dispatch`` gives trials to workers that passed and
commits their outcomes.
"""
