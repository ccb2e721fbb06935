"""Every booster, of a few rounds: for the tests of what holds of all of them."""

from boostbench.boosting import AdaBoostECC, AdaBoostMH, AdaBoostMO, MultiBoost, MultiBoostCW

BOOSTERS = {
    "cw": MultiBoostCW(C=100.0, max_iter=12, random_state=0),
    "cw1": MultiBoostCW(max_iter=12, stagewise=True),
    "multiboost": MultiBoost(C=100.0, max_iter=12),
    "multiboost-fcd": MultiBoost(C=100.0, max_iter=12, solver="fcd", random_state=0),
    "mh": AdaBoostMH(max_iter=12),
    "mo": AdaBoostMO(max_iter=12),
    "mo-hamming": AdaBoostMO(code="one_vs_all", decoding="hamming", max_iter=12),
    "ecc": AdaBoostECC(max_iter=12, random_state=0),
}
