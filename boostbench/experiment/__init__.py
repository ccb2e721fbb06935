"""One experiment, from its file to its results; what ``boostbench run`` and its like call.

- ``run.py``: :class:`ExperimentRun`: plan, what is missing, run it, report; ``Options``.
- ``datasets.py``: the data sets loaded, checked against the experiment, saved for workers.
- ``changes.py``: how the environment differs from where the recorded trials ran.
- ``estimate.py``: the estimate of time and memory; ``dry_run.py`` words it.
- ``progress.py``: the counts of a run, and their words; ``listener.py``: who receives events.
- ``command.py``: the command line that resumes a run, or runs a part of it again.
- ``state.py``: how far the run of a results folder is.
- ``comparison.py``: two results folders, cell by cell.
- ``sampling.py``: recorded trials run again, and their outcomes compared; ``equality.py``: how.
- ``folders.py``: which results folder is meant, and the store opened in it.
"""
