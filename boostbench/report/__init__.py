"""Tables, pages and figures: a pure function of the store and of the papers' published values.

The modules in the order in which they import each other:

- ``words``, ``names``, ``axes``: parts of sentences, names of files, ends of axes
- ``runs``: reads the store once, into one table of runs, with its methods and data sets
- ``printed``: the printed value beside a cell
- ``cell``: what is known of a method on a data set, or of its average; ``verdicts``: what its runs
  say of the printed mean; ``cells``: cells from runs; ``averages``: averages beside printed ones
- ``curves``: learning curves, and how fast they fall; ``winners``: the best of each data set, ranks
- ``reportdata``: all of these together; ``frames``: means, pairs and ranks as numbers, for Python
- ``appearance``: signs and colours of verdicts; ``sentences``: what is said, as plain text
- ``table``: a table without a format; ``tables``, ``comparisons`` (methods against each other, from
  ``pairs``), ``listings`` and ``provenance``: its contents
- ``ledger``: the runs as input of the papers' judge; ``claimtable``, ``choices`` and
  ``printedtables`` (the paper's own): further tables
- ``answer``: the result in sentences; ``inputs``: what methods got of the data; ``calibrated``: how
  many verdicts are probably wrong; ``document``: all tables in order
- ``figures``: charts and panels, drawn alike for files and page; the page's small marks and strips
  are macros of its templates
- ``cellcards``: a cell in full; ``views``: the parts of a page as plain values; ``printviews``,
  ``numberviews`` and ``claimviews``: some of these parts; ``page``: the parts in order
- ``render``: Markdown, LaTeX, CSV, BibTeX and HTML
- ``build``: all of it, and the files (:func:`~boostbench.report.build.build_report`)
"""
