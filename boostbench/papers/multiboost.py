"""What the MultiBoost-cw paper (ACCV 2012) states in its text: names, protocol, no error rates.

Its test errors and times are printed in the legends of its figures alone, which are pictures; so
there is no published number to stand beside a measured one, but there are claims to be put to it
(:mod:`boostbench.report.classification.claims`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

PRINTED_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "multiboost_cw": "CW",
        "multiboost_cw1": "CW-1",
        "multiboost": "MultiBoost",
        "adaboost_ecc": "Ada.ECC",
        "adaboost_mh": "Ada.MH",
        "adaboost_mo": "Ada.MO",
    }
)
"""The paper's short names, by the registered names of the methods."""

OURS = ("multiboost_cw", "multiboost_cw1")
"""The methods that the paper proposes."""

DIGITS = ("usps", "pendigits", "mnist")
"""The data sets of Figure 2."""


@dataclass(frozen=True)
class Protocol:
    """The numbers of the paper's protocol (Section 3)."""

    runs: int = 5
    test_size: float = 0.25
    iterations: int = 500
    candidates: tuple[float, ...] = (1e2, 1e3, 1e4, 1e5)
    tol: float = 0.1
    stagewise_c: float = 1e8
    mo_limit_s: float = 1000.0
    solver_c: float = 1e4
    """The C of the comparison of solvers (Section 3.1, Figure 6)."""
    sweeps: tuple[int, ...] = (1, 2, 5, 10, 50)
    """The values of tau_max compared there."""
    mnist_per_class: int = 1000


PROTOCOL = Protocol()
