"""The figures of a report.

There are two kinds. ``rows`` draws charts of rows with intervals or single runs, one or several
side by side; ``charts`` has their contents (means, seconds, differences from print); ``traces``
draws learning curves.
``plots`` draws on the user's own axes.
``files`` selects the figures of a report, ``canvas`` has the code that all figures share, and
``boostbench.mplstyle`` their style.
"""
