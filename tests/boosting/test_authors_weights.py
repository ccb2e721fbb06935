"""The weights that the authors' own code gives on the same stumps, update by update.

``multiboost_authors.npz`` has numbers only: Deterding's vowels in 256 levels and Fisher's iris,
stumps, and weights by ``github.com/cshen/fast-multiboost-cw`` (commit 26569f8) in GNU Octave:
``NAME_w{t}`` (K t,) after t rounds, round by round, class by class, with C = ``NAME_C``.
``NAME_order`` are the variables of the second passes, in the order in which that code drew them.
Rounds end where one of its weights becomes negative, as it has no max{0, .}.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from boostbench.boosting._coordinate_descent import sweep_class
from boostbench.boosting._pair_loss import class_masses, pair_masses
from boostbench.boosting._slots import make_slots
from boostbench.boosting._types import Floats, Integers

AUTHORS = np.load(Path(__file__).with_name("multiboost_authors.npz"))


class Replay:
    """Coordinate descent on given stumps, one variable at a time."""

    def __init__(self, data: str, C: float, adaboost_rule: bool) -> None:
        X, y, feature, threshold, polarity = (
            AUTHORS[f"{data}{name}"] for name in ("X", "y", "feature", "threshold", "polarity")
        )
        self.n_classes = int(y.max()) + 1
        slots = make_slots(y.astype(np.intp), self.n_classes)
        self.pairs = slots.pairs(self.n_classes)
        self.c_over_p = C / slots.n_pairs
        self.adaboost_rule = adaboost_rule
        says = np.where(X[:, feature] > threshold, polarity, -polarity)[slots.rows]
        class_of_slot = np.repeat(np.arange(self.n_classes), np.diff(slots.starts))
        agrees = (says > 0) == (
            class_of_slot[:, np.newaxis] == np.arange(len(feature)) % self.n_classes
        )
        n_rounds = len(feature) // self.n_classes
        packed = np.packbits(agrees.T, axis=1, bitorder="little")
        # (classes, rounds, slots / 8), as the kernels want them.
        self.bits = packed.reshape(n_rounds, self.n_classes, -1).transpose(1, 0, 2).copy()
        self.coef = np.zeros((self.n_classes, n_rounds))
        self._mass = np.zeros(slots.n_slots)

    def update(self, variables: Integers) -> None:
        """Update the variables, numbers j * K + c of round j and class c, one after another."""
        for j, c in zip(*np.divmod(variables, self.n_classes), strict=True):
            class_masses(c, self.pairs.agreement, self.pairs.weights, self.pairs.starts, self._mass)
            sweep_class(
                self.pairs.agreement[c],
                self._mass,
                self.bits[c],
                self.coef[c],
                np.array([j]),
                1,
                0.5 / self.c_over_p,
                self.adaboost_rule,
                self.pairs.sums,
            )

    def weights(self, n_rounds: int) -> Floats:
        """Return the weights of the first rounds, round by round, class by class."""
        return self.coef[:, :n_rounds].T.ravel()

    def loss(self) -> float:
        """Return the sum of mu."""
        return float(pair_masses(*self.pairs)[0])


def passes(name: str, n_rounds: int, n_classes: int) -> Iterator[tuple[Integers, Integers]]:
    """Yield the variables of each round's first pass, the new ones, and of its second."""
    order = AUTHORS[f"{name}_order"].astype(np.intp) if f"{name}_order" in AUTHORS else None
    start = 0
    for t in range(1, n_rounds + 1):
        new = np.arange((t - 1) * n_classes, t * n_classes)
        end = start + t * n_classes
        yield new, new[:0] if order is None else order[start:end]
        start = end


@pytest.mark.parametrize(
    ("name", "rounds"),
    [
        ("stagewise", (1, 2, 5, 20, 50)),
        ("one_pass", (1, 2, 5, 20, 50)),
        ("one_pass_1e5", (1, 2, 5, 20)),
        ("one_pass_1e4", (1, 2, 5)),
        ("two_passes", (1, 2, 5, 20)),
        ("two_passes_1e4", (1, 2, 5)),
    ],
)
def test_weights_and_objectives_are_those_of_the_authors_code(
    name: str, rounds: tuple[int, ...]
) -> None:
    stagewise = name == "stagewise"
    replay = Replay("", float(AUTHORS[f"{name}_C"]), stagewise)
    objectives = AUTHORS[f"{name}_objective"]
    variables = passes(name, rounds[-1], replay.n_classes)
    for t, (new, again) in enumerate(variables, start=1):
        replay.update(new)
        replay.update(again)
        found = replay.weights(t)
        if t in rounds:
            np.testing.assert_allclose(found, AUTHORS[f"{name}_w{t}"], rtol=0, atol=1e-13)
        value = replay.loss() if stagewise else found.sum() + replay.c_over_p * replay.loss()
        assert value == pytest.approx(objectives[t - 1], rel=1e-12)


def test_a_stump_without_error_has_the_weight_of_their_compiled_code() -> None:
    compiled = AUTHORS["iris_first_w_C1e4_compiled"][0]
    replay = Replay("iris_", 1e4, adaboost_rule=False)
    replay.update(np.array([0]))
    assert replay.weights(1)[0] == pytest.approx(compiled, abs=1e-8)
    # Their other implementation gives it none; their stage-wise rule, none in any round.
    assert AUTHORS["iris_first_w_C1e4_m_file"][0] == 0
    assert AUTHORS["iris_stagewise_w2"][0] == AUTHORS["iris_stagewise_w2"][3] == 0
    stagewise = Replay("iris_", 1e8, adaboost_rule=True)
    stagewise.update(np.array([0]))
    assert stagewise.weights(1)[0] == pytest.approx(np.log(1e8 * 200 / 300))
