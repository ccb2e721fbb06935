"""The figures of a report.

``forest`` (measured minus published, per method), ``methods`` (means per data set, with intervals),
``ranking`` (the diagram of mean ranks) and ``traces`` (learning curves). ``files`` says which of
them a report has, ``rows`` draws charts of one row per method, ``canvas`` has what all figures
share, and ``boostbench.mplstyle`` how they look.
"""
