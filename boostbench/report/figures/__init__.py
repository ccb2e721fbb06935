"""The figures of a report.

``differences`` (measured minus published, per method), ``means`` (per data set, with intervals),
``ranks`` (the critical-difference diagram) and learning ``curves``. ``figure`` says which of them
a report has, ``panels`` which panels of curves, ``lines`` what is drawn in them, ``scales`` how
their axes look, ``drawing`` what all figures share. Each is drawn of plain values only, so that
``cache`` can keep what is drawn.
"""
