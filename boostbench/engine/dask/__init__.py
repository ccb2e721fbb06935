"""Trials on a dask cluster: each of its workers runs them in a pool of processes.

``options`` reads the options of the cluster, ``client`` talks to the scheduler, ``site`` is a
worker's state for a run (checks, pool, data), ``dispatch`` sends trials to the accepted workers
and commits their outcomes.
"""
