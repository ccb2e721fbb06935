"""From the store to numbers: runs, cells of the main table, averages, pairs of methods, and curves.

``results`` has all of them together.
"""
