"""Tables, pages and figures: a pure function of the store and of the papers' published values.

The way of a report, each step pure but the first and the last:

- ``collect``: reads the store once, into runs, methods and data sets
- ``paired``: runs that several methods have, as arrays
- ``reference``: what a cell is measured against; ``equivalence``: its statistical verdict
- ``marks``: how a verdict on a mean is written
- ``summary``: all numbers: ``cells`` with their verdicts, ``averages``, mean ``curves``
- ``standings``: the best method of a data set, and what a test does not separate from it
- ``comparisons``: methods against each other, pair by pair and in ranks; ``comparisontables``
- ``claims``: the runs as the papers' judge takes them; ``claimtable``: its verdicts in words
- ``agreementtable``: how each printed column agrees with a measured one
- ``intervals``: of the mean of a cell, over its folds
- ``figures``: ``differences`` from published means, ``means``, mean ``ranks``, learning ``curves``
- ``tables``, ``details``, ``listings``, ``notes``, ``provenance``, ``freshness``: its parts
- ``papertables``: the paper's own tables, of ``printedcolumns`` (filled by methods or by the best
  of their ``starts``) and of percentages (``improvementtable``)
- ``sections``: the page, of text and tables that know no format (``page``)
- ``charts``: charts of the HTML page; ``embedded``: runs and curves for its script
- ``render``: the page as Markdown, LaTeX, HTML and for a terminal, the cells as CSV
- ``build``: all of it, and the files (:func:`~boostbench.report.build.build_report`)
"""
