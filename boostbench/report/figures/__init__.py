"""The figures of a report: means beside published ones (``dots``) and learning curves (``curves``).

``figure`` says which ones there are, ``panels`` which panels of curves, ``scales`` how their axes
look, ``drawing`` what all figures share.
"""
