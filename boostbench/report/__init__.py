"""Tables, pages and figures: a pure function of the store and of the papers' published values.

The way of a report; each module uses only those before it:

- ``runs``: reads the store once, into one table of runs, with its methods and data sets
- ``printed``: what a cell is measured against; ``evidence``: the verdict on it
- ``cells``: one row per method and data set; ``averages``: rows over data sets
- ``results``: all of these; ``curves``: learning curves, and how fast they fall
- ``comparisons``: methods against each other; ``winners``: the best of each data set
- ``claims``: the runs as the papers' judge takes them
- ``table``: a table before it has a format; ``tables``, ``listings``, ``claimtable`` and
  ``printedtables`` (the paper's own): what they say
- ``answer``: the result in sentences; ``document``: all tables in order
- ``figures``: one drawing stack for files and page
- ``page``: the HTML page, in one order of blocks, with ``cards`` (a cell in full)
- ``render``: Markdown, LaTeX, CSV, BibTeX and HTML
- ``build``: all of it, and the files (:func:`~boostbench.report.build.build_report`)
"""
