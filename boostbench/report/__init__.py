"""Tables, pages and figures: a pure function of the store and of the papers' published values.

The modules, in order; each uses only those before it:

- ``runs``: reads the store once, into one table of runs, with its methods and data sets
- ``printed``: the printed value beside a cell
- ``cell``: what is known of a method on a data set, or of its average; ``verdicts``: what its runs
  say of the printed mean; ``cells``: cells from runs; ``averages``: averages beside printed ones
- ``reportdata``: all of these together; ``curves``: learning curves, and how fast they fall;
  ``axes``: the ends of axes
- ``comparisons``: methods against each other; ``winners``: the best of each data set, ranks;
  ``frames``: means, pairs and ranks as numbers for Python and JSON
- ``ledger``: the runs as input of the papers' judge
- ``appearance``: signs and colours of verdicts; ``sentences``: what is said, as plain text
- ``table``: a table without a format; ``tables``, ``listings``, ``claimtable`` and
  ``printedtables`` (the paper's own): its contents
- ``answer``: the result in sentences; ``document``: all tables in order
- ``figures``: charts and panels, drawn alike for files and page; the page's small marks and strips
  are macros of its templates
- ``views``: the parts of a page as plain values; ``page``: the parts in order, with ``cellcards``
  (a cell in full)
- ``render``: Markdown, LaTeX, CSV, BibTeX and HTML
- ``build``: all of it, and the files (:func:`~boostbench.report.build.build_report`)
"""
