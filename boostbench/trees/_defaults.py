"""Numbers that the paper leaves open; the class docstrings explain them."""

FIRST_STEP = 1.0
BRANCH_TOL = 1e-6
