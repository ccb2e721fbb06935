"""Runs of the worked examples: two methods, folds in rows, seeds in columns."""

import numpy as np

A = np.array([[0.80, 0.82, 0.81], [0.75, 0.77, 0.79], [0.85, 0.84, 0.86], [0.78, 0.80, 0.79]])
B = np.array([[0.78, 0.79, 0.77], [0.76, 0.74, 0.75], [0.80, 0.82, 0.81], [0.79, 0.77, 0.78]])
PARTITION_MEANS = [0.860, 0.868, 0.855, 0.863, 0.859]
