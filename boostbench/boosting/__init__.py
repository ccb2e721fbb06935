"""Multi-class boosting of decision stumps: MultiBoost-cw, its solver, and its rivals.

multiboost           MultiBoostCW, MultiBoost: parameters, and which variables share a stump
_corrective          the rounds of a fit: stops, history, warm start, polish
_column_generation   Algorithm 1: the state, and one round: stumps (4), (6), then problem (2)
stumps               presorted features and the search; kernels: _stump_search for each column,
                     _shared_stump_search for one stump that serves all
_coordinate_descent  Algorithm 2, with _pair_loss; _newton where it does not converge
certificates         objective, KKT residuals (16) and dual bound, in plain NumPy
adaboost             AdaBoost.MH, .MO (output_codes), .ECC: rounds (_additive, _adaboost_rounds)
base                 input checks, scores (_scores), probabilities (_probabilities), by rounds
view, _terms         a model as text; _slots, _types: samples by class, arguments of kernels
"""

from boostbench.boosting.adaboost import AdaBoostECC, AdaBoostMH, AdaBoostMO
from boostbench.boosting.certificates import dual_lower_bound, kkt_residuals, objective
from boostbench.boosting.errors import InputError, ParameterError
from boostbench.boosting.multiboost import MultiBoost, MultiBoostCW
from boostbench.boosting.stumps import best_stumps, stump_outputs
from boostbench.boosting.view import export_text

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
]
