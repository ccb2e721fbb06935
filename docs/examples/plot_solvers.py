"""
Coordinate descent against L-BFGS-B
===================================

MultiBoost-cw solves a convex problem after each round. Both solvers are given the same rounds: how
fast does the objective fall, in the seconds that the solver takes?
"""

# %%
import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

from boostbench.boosting import MultiBoostCW

X, y = load_digits(return_X_y=True)
models = {
    "coordinate descent": MultiBoostCW(max_iter=60, solver="fcd", polish=False, random_state=0),
    "L-BFGS-B": MultiBoostCW(max_iter=60, solver="lbfgsb", polish=False, random_state=0),
}
for model in models.values():
    # The first fit of a process also compiles kernels, and counts that in its seconds.
    model.set_params(max_iter=2).fit(X, y)
    model.set_params(max_iter=60).fit(X, y)

# %%
# Objective by seconds
# --------------------
# One run on one machine: read the ratio, not the seconds. The experiment ``fig6_fcd`` does it on
# the data sets of the paper.
fig, (by_time, by_round) = plt.subplots(1, 2, figsize=(8, 3.2), sharey=True, layout="constrained")
for name, model in models.items():
    by_time.plot(model.solver_time_history_, model.objective_history_, label=name)
    by_round.plot(range(1, model.n_iter_ + 1), model.objective_history_, label=name)
by_time.set(xlabel="seconds in the solver", ylabel="objective (2)", xscale="log", yscale="log")
by_round.set(xlabel="round")
by_round.legend()

# %%
for name, model in models.items():
    print(
        f"{name:20s} {model.n_iter_} rounds, {model.solver_time_:7.3f} s, objective "
        f"{model.objective_history_[-1]:.5g}, stopped: {model.stop_reason_}"
    )
