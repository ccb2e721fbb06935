"""Tables, pages and figures: a pure function of the store and of the papers' published values.

The rooms in the order in which they use each other:

- ``frames``: from the store to runs, cells, averages, pairs and curves
- ``verdicts``: what these say of print, of the best methods, and of a paper's claims
- ``sentences``: what is said, as plain text; ``words`` and ``appearance``: its parts, signs and
  colours
- ``document``: tables without a format, and the answer, in order
- ``figures``: charts and panels, drawn alike for files and page
- ``page``: the parts of the page as plain values
- ``render``: Markdown, LaTeX, CSV, BibTeX and HTML
- ``for_python``: frames of numbers; ``build``: all of it, and the files
  (:func:`~boostbench.report.build.build_report`); ``paper``: the table and the figure for a paper
  of one's own
"""
