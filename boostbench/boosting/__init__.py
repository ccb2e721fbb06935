"""Multi-class boosting of decision stumps: MultiBoost-cw, its solver, and its rivals."""

from boostbench.boosting.adaboost import AdaBoostECC, AdaBoostMH, AdaBoostMO
from boostbench.boosting.certificates import dual_lower_bound, kkt_residuals, objective
from boostbench.boosting.errors import InputError, ParameterError
from boostbench.boosting.multiboost import MultiBoost, MultiBoostCW
from boostbench.boosting.stumps import best_stumps, stump_outputs
from boostbench.boosting.view import export_text
from boostbench.boosting.warmup import warm_up

__all__ = [
    "AdaBoostECC",
    "AdaBoostMH",
    "AdaBoostMO",
    "InputError",
    "MultiBoost",
    "MultiBoostCW",
    "ParameterError",
    "best_stumps",
    "dual_lower_bound",
    "export_text",
    "kkt_residuals",
    "objective",
    "stump_outputs",
    "warm_up",
]
