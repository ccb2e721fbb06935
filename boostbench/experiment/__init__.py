"""One experiment, from its file to its results: the work behind the commands.

- ``run.py``: :class:`Run` plans an experiment, runs the missing trials and writes the report.
- ``request.py``: the options of a run, and the command line that resumes it.
- ``datasets.py``: the data sets loaded, checked against the experiment, saved for workers.
- ``changes.py``: changes of the environment and of code since trials were recorded.
- ``estimate.py``: the estimate of time and memory.
- ``progress.py``: the counts of a run; ``listener.py``: the receiver of its events.
- ``state.py``: the progress of the run in a results folder.
- ``comparison.py``: two results folders, cell by cell.
- ``sampling.py``: recorded trials run again, and their outcomes compared.
- ``folders.py``: finding a results folder, and opening its store.
"""
