"""Algorithm 1: the state of column generation, and one round of it."""

import hashlib
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from boostbench.boosting._coordinate_descent import descend, loss_and_gradient, violations
from boostbench.boosting._newton import hessian, newton
from boostbench.boosting._pair_loss import agreement_from, pair_masses
from boostbench.boosting._seeds import round_seed
from boostbench.boosting._slots import Slots, make_slots
from boostbench.boosting._types import Descent, Floats, Integers, Samples, Variables
from boostbench.boosting.certificates import dual_from_sums
from boostbench.boosting.output_codes import one_vs_all
from boostbench.boosting.stumps import StumpSearch
from boostbench.kernels.arrays import aligned_zeros
from boostbench.kernels.clock import clock

# Sums of updates are added up afresh from the coefficients after this many rounds.
_REFRESH = 100
# Coordinates that converge more slowly than this are left to L-BFGS-B, and then finished.
MOST_SWEEPS = 300
# On the way to a solution, variables within tol are moved too: those only just
# within it are pushed out by the others again and again, which takes several times as long.
_POLISH_SHARE = 0.2
_MOST_POLISHES = 4
# scipy's own gtol and ftol: the paper's "default converge setting to get a moderate solution".
_MODERATE = (1e-5, 2.2e-9)

Snapshot = dict[str, float | Floats]


@dataclass(frozen=True, kw_only=True)
class Master:
    """How the master problem is solved each round; see the parameters of ``MultiBoostCW``."""

    C: float
    solver: str = "fcd"
    max_sweeps: int = 2
    tol: float = 0.1
    adaboost_rule: bool = False
    corrective: bool = True
    polish: bool = True
    shared: bool = False
    seed: int = 0


@dataclass
class ColumnGeneration:
    """Training state of MultiBoost-cw and MultiBoost: variables (class c, round j).

    With ``shared``, all classes get the same stump in a round, the best over all classes (6).
    """

    X: Samples
    y: Integers
    n_classes: int
    sample_weight: Floats | None
    master: Master
    n: int = 0
    loss: float = 0.0
    entropy: float = 0.0
    best_dual: float = -np.inf
    solver_time: float = 0.0
    slots: Slots = field(init=False)

    def __post_init__(self) -> None:
        K = self.n_classes
        self.slots = make_slots(self.y, K, self.sample_weight)
        self.search = StumpSearch(self.X, self.slots, one_vs_all(K))
        size = self.slots.n_slots
        self.c_over_p = self.master.C / self.slots.n_pairs
        self._pairs = self.slots.pairs(K)
        self.agreement = self._pairs.agreement
        self.masses = self._pairs.masses
        self._mass = aligned_zeros((size,))
        self.bits = np.empty((K, 0, size // 8), dtype=np.uint8)
        self.coef = np.zeros((K, 0))
        self.theta = np.zeros((K, 0))
        self.stumps = np.zeros((0, K, 5), dtype=np.intp)
        self.chosen_class = np.zeros(0, dtype=np.intp)
        self._scores = np.zeros(K)
        self._filled = np.packbits(self.slots.rows >= 0, bitorder="little")
        self._known: list[set[bytes]] = [set() for _ in range(K)]
        self._weigh()

    def _weigh(self) -> None:
        self.loss, self.entropy = pair_masses(*self._pairs)

    @property
    def _variables(self) -> Variables:
        return Variables(self.bits, self.coef, self.theta)

    @property
    def objective(self) -> float:
        """The value of (2)."""
        return float(self.coef[:, : self.n].sum()) + self.c_over_p * self.loss

    def reserve(self, rounds: int) -> None:
        """Make the arrays large enough for ``rounds`` rounds in all."""
        capacity = self.coef.shape[1]
        if rounds <= capacity:
            return
        extra = max(rounds, 2 * capacity, 32) - capacity
        self.bits = np.pad(self.bits, ((0, 0), (0, extra), (0, 0)))
        self.coef = np.pad(self.coef, ((0, 0), (0, extra)))
        self.theta = np.zeros(self.coef.shape)
        self.stumps = np.pad(self.stumps, ((0, extra), (0, 0), (0, 0)))
        self.chosen_class = np.pad(self.chosen_class, (0, extra))

    def find(self) -> float:
        """Find the stumps of the next round (4) or (6); return the certified lower bound so far."""
        self.reserve(self.n + 1)
        stumps = self.stumps[self.n]
        self.search.best(self.masses, stumps, self._scores)
        most = float(np.max(self._scores + self.search.slack()))
        bound = dual_from_sums(self.loss, self.entropy, self.c_over_p, self.c_over_p * most)
        self.best_dual = max(self.best_dual, bound)
        return self.best_dual

    def add(self) -> None:
        """Take the stumps of ``find`` into the working sets, with coefficients 0."""
        stumps = self.stumps[self.n]
        best = int(np.argmax(self._scores))
        self.chosen_class[self.n] = best
        if self.master.shared:
            stumps[:] = stumps[best].copy()
        self.search.write_bits(stumps, self.bits, self.n)
        self.n += 1

    def add_if_new(self) -> bool:
        """``add``, unless every class has a stump that says the same already."""
        self.add()
        if self._remember(self.n - 1):
            return True
        self.n -= 1
        return False

    def _remember(self, j: int) -> bool:
        """Note the outputs of the stumps of round ``j``; whether they are new to any class."""
        new = False
        for known, bits in zip(self._known, self.bits[:, j] & self._filled, strict=True):
            outputs = hashlib.blake2b(bits.tobytes(), digest_size=16).digest()
            new |= outputs not in known
            known.add(outputs)
        return new

    def adopt(self, h: NDArray[np.int8], coef: Floats) -> None:
        """Take over ``n`` rounds of a fitted model: outputs h (n, K, n_samples), coef (K, n)."""
        self.reserve(h.shape[0])
        self.n = h.shape[0]
        self.coef[:, : self.n] = coef
        flags = np.zeros(self.slots.n_slots, dtype=bool)
        filled = self.slots.rows >= 0
        for c in range(self.n_classes):
            own = np.zeros(self.slots.n_slots, dtype=bool)
            own[self.slots.starts[c] : self.slots.starts[c + 1]] = True
            for j in range(self.n):
                flags[filled] = h[j, c, self.slots.rows[filled]] > 0
                self.bits[c, j] = np.packbits(flags == own, bitorder="little")
        for j in range(self.n):
            self._remember(j)
        self.refresh()

    def refresh(self) -> None:
        """Recompute the agreement and the masses from the coefficients."""
        for c in range(self.n_classes):
            agreement_from(self.coef[c], self.bits[c], self.n, self.agreement[c])
        self._weigh()

    def solve(self) -> None:
        """Re-optimise the coefficients after ``add``."""
        start = clock()
        if self.master.solver == "lbfgsb":
            self._solve_lbfgsb(*_MODERATE)
        else:
            self._descend(self.n - 1, self.master.max_sweeps if self.master.corrective else 1)
            if self.n % _REFRESH == 0:
                self.refresh()
        self.solver_time += clock() - start

    @property
    def can_polish(self) -> bool:
        """Whether to polish, since the problem is solved and a round may leave nothing to do."""
        master = self.master
        return master.polish and master.corrective and not master.adaboost_rule

    @property
    def is_solved(self) -> bool:
        """Whether the coefficients are optimal up to ``tol``."""
        return self.n == 0 or self.kkt_residual() <= self.master.tol

    def polish(self, most_sweeps: int = MOST_SWEEPS) -> None:
        """Solve the problem until the KKT residual is at most ``tol``, if ``can_polish``.

        Given up after ``most_sweeps``, if these are fewer than a solution may take.
        """
        if not self.can_polish:
            return
        start = clock()
        if self.master.solver == "fcd":
            self._descend(self.n, most_sweeps, _POLISH_SHARE)
        if self.master.solver != "fcd" or most_sweeps >= MOST_SWEEPS:
            self._finish()
        self.solver_time += clock() - start

    def _finish(self) -> None:
        for _ in range(_MOST_POLISHES):
            if self.is_solved:
                return
            self._solve_lbfgsb(0.5 * self.master.tol, 1e-16)
            if self.is_solved:
                return
            self._descend(self.n, MOST_SWEEPS, _POLISH_SHARE)
        if not self.is_solved:
            self._solve_newton()

    def snapshot(self) -> Snapshot:
        """Return the values that ``polish`` and ``find`` change, for ``restore``."""
        names = ("coef", "agreement", "masses")
        kept: Snapshot = {name: getattr(self, name).copy() for name in names}
        return kept | {
            "loss": self.loss,
            "entropy": self.entropy,
            "best_dual": self.best_dual,
        }

    def restore(self, snapshot: Snapshot) -> None:
        """Return to the state of ``snapshot``; rounds must not have been added since."""
        for name, value in snapshot.items():
            if isinstance(value, np.ndarray):
                # find() may have made the arrays larger.
                getattr(self, name)[:, : value.shape[1]] = value
            else:
                setattr(self, name, value)

    def _descend(self, first_new: int, max_sweeps: int, visit_share: float = 1.0) -> None:
        master = self.master
        descent = Descent(
            self.c_over_p, max_sweeps, master.tol, visit_share * master.tol, master.adaboost_rule
        )
        self.loss, self.entropy = descend(
            *self._pairs,
            *self._variables,
            *descent,
            first_new,
            self.n,
            round_seed(master.seed, self.n),
            self._mass,
        )

    def value_and_gradient(self, coef: Floats) -> tuple[float, Floats]:
        """Return (2) at ``coef`` (K, n) and its gradient; the masses are left there."""
        gradient = np.empty(coef.shape)
        total, self.loss, self.entropy = loss_and_gradient(
            coef, *self._pairs, self.bits, self.c_over_p, gradient
        )
        return total, gradient

    def _adopt_coef(self, coef: Floats) -> None:
        self.coef[:, : self.n] = coef
        self.refresh()

    def _solve_lbfgsb(self, gtol: float, ftol: float) -> None:
        shape = (self.n_classes, self.n)

        def value(w: Floats) -> tuple[float, Floats]:
            total, gradient = self.value_and_gradient(w.reshape(shape))
            return total, gradient.ravel()

        start = np.ascontiguousarray(self.coef[:, : self.n]).ravel()
        result = minimize(
            value,
            start,
            jac=True,
            method="L-BFGS-B",
            bounds=[(0.0, None)] * start.shape[0],
            options={"gtol": gtol, "ftol": ftol, "maxiter": 15000, "maxfun": 100000, "maxcor": 10},
        )
        self._adopt_coef(result.x.reshape(shape))

    def _solve_newton(self) -> None:
        bits, starts = self.bits[:, : self.n], self.slots.starts

        def curvature(free: NDArray[np.bool_]) -> Floats:
            return hessian(free, bits, self.masses, starts, self.c_over_p)

        start = np.ascontiguousarray(self.coef[:, : self.n])
        n_slots = self.slots.n_slots
        self._adopt_coef(
            newton(start, self.value_and_gradient, curvature, 0.5 * self.master.tol, n_slots)
        )

    def kkt_residual(self) -> float:
        """Return the largest violated value (16) over the variables of the model."""
        return float(violations(self.masses, *self._variables, self.n, self.c_over_p))
