"""One experiment, from its file to its results: the work behind the commands.

- ``preparation.py``: an experiment before it runs: its checked file, its loaded data and its
  planned trials; ``run.py``: :class:`Run` runs the missing trials and writes the report;
  ``runners.py``: what runs them.
- ``request.py``: the options of a run, and the command line that resumes it; ``options.py``: those
  of commands, each stated once.
- ``checking.py``: checks of an experiment file, or of a paper's folder, without running it;
  ``metrics.py``: its metrics tried on made-up predictions; ``roles.py``: the roles of its paper
  that its methods play.
- ``datasets.py``: the data sets loaded, checked against the experiment, saved for workers.
- ``reuse.py``: outcomes of other results folders, so that their trials need not run again.
- ``record.py``: the record of an experiment in the store of its results.
- ``freshness.py``: what results rest on, as it was recorded and as it is now: options, data, code,
  versions, and the paper (``paper_changes.py``); ``changes.py``: what a run says of changes since
  its trials were recorded, also of the environment. All are told by ``plan/difference.py``.
- ``estimate.py``: the estimate of time and memory.
- ``progress.py``: the counts of a run; ``listener.py``: the receiver of its events.
- ``state.py``: the progress of the run in a results folder.
- ``scores.py``: metrics without a value in runs that ended well; ``seeds.py``: methods whose runs
  are the same for every seed.
- ``reporting.py``: the report of a results folder, written again where what it was made from has
  changed, which ``report_record.py`` keeps beside it.
- ``results.py``: the results as frames, plots and tables for Python; ``showing.py``: one trial, or
  a list of several.
- ``verifying.py``: the claims of a paper judged on results folders; ``elsewhere.py``: a table of
  runs that others made, as a store in memory.
- ``merging.py``: shards, or any stores of one plan, as one results folder.
- ``archiving.py``: results kept in git; ``inputs.py``: what their experiment needs elsewhere;
  ``receipt.py``: one digest of all of it.
- ``comparison.py``: two results folders, cell by cell; ``before_edit.py``: the outcomes before an
  edit of own code as one of them.
- ``sampling.py``: recorded trials run again, and their outcomes compared.
- ``folders.py``: finding a results folder, and opening its store.
"""
