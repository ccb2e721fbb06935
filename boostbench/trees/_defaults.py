"""Numbers that the paper leaves open; the class docstrings explain them."""

# Any reading of lambda_omega that gives the paper's figures is nearly zero on the slopes of z.
BRANCH_SLOPE_PENALTY = 0.015
FIRST_STEP = 1.0
BRANCH_TOL = 1e-6
