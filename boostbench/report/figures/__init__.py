"""The figures of a report.

There are two kinds. ``rows`` draws charts of rows with intervals or single runs; ``charts`` says
what they show (means, seconds, differences from print); ``traces`` draws learning curves.
``files`` says which of them a report has, ``canvas`` has what all figures share, and
``boostbench.mplstyle`` how they look.
"""
