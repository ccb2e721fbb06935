"""From the store to numbers: runs, cells of the main table, averages, pairs of methods, and curves.

``run_columns`` declares the columns of runs; ``results`` has all of them together.
"""
