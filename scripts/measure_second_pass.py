"""What the order of the second pass of coordinate descent changes in MultiBoost-cw.

Algorithm 2 picks the variables of the first pass one after another, those of later passes
"randomly", from all that violate the conditions of optimality. The registered method visits them
class by class, classes and their variables in random order; `one permutation` mixes the variables
of all classes, as the authors' own code does. The splits, the C chosen on each from 1e2 to 1e5, and
the errors in the first column with it are those of `results/ten_splits`. C = 1e5 p, where p is the
number of pairs m (K - 1), is what the default of that code, a tradeoff of 1e-5, means.

``python scripts/measure_second_pass.py --mirror DIR`` writes ``results/second_pass``. It takes up
what an interrupted call has measured.
"""

import argparse
import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import boostbench
from boostbench import stats
from boostbench.boosting import MultiBoostCW
from boostbench.boosting._column_generation import ColumnGeneration, Master
from boostbench.boosting._coordinate_descent import shuffle, sweep_class, violations
from boostbench.boosting._pair_loss import class_masses, pair_masses
from boostbench.boosting._seeds import round_seed
from boostbench.boosting.base import Begun
from boostbench.data.access import default_access
from boostbench.data.loading import load_dataset
from boostbench.data.request import DataRequest
from boostbench.data.splits import split_indices
from boostbench.kernels.arrays import indices
from boostbench.kernels.jit import kernel
from boostbench.plan.trial import Trial
from boostbench.store.store import Store

RESULTS = Path(__file__).parents[1] / "results"
ARCHIVE = RESULTS / "ten_splits" / "archive"
OUT = RESULTS / "second_pass"
DATA = ("vowel", "usps", "pendigits")
BY_CLASS, MIXED = "class by class", "one permutation"
CHOSEN, TIMES_P = "chosen", "1e5 p"
TEST_RATIO = 1 / 3


@kernel
def mixed_pass(
    agreement: Any,
    weights: Any,
    starts: Any,
    masses: Any,
    sums: Any,
    bits: Any,
    coef: Any,
    theta: Any,
    c_over_p: float,
    tol: float,
    n: int,
    random_state: Any,
    mass: Any,
) -> Any:
    """Update all variables of rounds 0..n-1 whose violated value is above ``tol``, in random order.

    Arguments and returned values are those of ``descend``.
    """
    violations(masses, bits, coef, theta, n, c_over_p)
    n_classes = agreement.shape[0]
    picks = indices(n_classes * n)
    n_picks = 0
    for c in range(n_classes):
        for j in range(n):
            if theta[c, j] > tol:
                picks[n_picks] = c * n + j
                n_picks += 1
    shuffle(picks, n_picks, random_state.copy())
    one = indices(1)
    for q in range(n_picks):
        c = picks[q] // n
        one[0] = picks[q] - c * n
        # The updates of other classes have changed the masses of this one.
        class_masses(c, agreement, weights, starts, mass)
        sweep_class(agreement[c], mass, bits[c], coef[c], one, 1, 0.5 / c_over_p, False, sums)
    return pair_masses(agreement, weights, starts, masses, sums)


class _MixedDescent(ColumnGeneration):
    """Column generation with two passes a round, of which the second mixes the classes."""

    def _descend(self, first_new: int, max_sweeps: int, visit_share: float = 1.0) -> None:
        super()._descend(first_new, 1, visit_share)
        self.loss, self.entropy = mixed_pass(
            *self._pairs,
            *self._variables,
            self.c_over_p,
            self.master.tol,
            self.n,
            round_seed(self.master.seed, self.n),
            self._mass,
        )


class MixedMultiBoostCW(MultiBoostCW):
    """MultiBoost-cw whose second pass is one permutation of the variables of all classes."""

    def _new_state(self, begun: Begun, master: Master) -> ColumnGeneration:
        return _MixedDescent(begun.X, begun.y, len(self.classes_), begun.weight, master)


class Measured(NamedTuple):
    """The test error of one fit."""

    dataset: str
    fold: int
    C: str
    order: str
    error: float


def main() -> None:
    """Measure what is missing, and write all of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mirror", type=Path, help="folder with copies of the data files")
    args = parser.parse_args()
    OUT.mkdir(exist_ok=True)
    path = OUT / "errors.csv"
    measured = list(_read(path)) if path.exists() else list(_archived())
    done = {each[:4] for each in measured}
    for name in DATA:
        dataset = load_dataset(
            DataRequest(name=name, card=name), default_access(args.mirror, False)
        )
        for trial, chosen in _trials(name):
            for C, order in ((CHOSEN, MIXED), (TIMES_P, BY_CLASS), (TIMES_P, MIXED)):
                if (name, trial.fold, C, order) in done:
                    continue
                error = _error(trial, chosen, C, order, np.asarray(dataset.X), dataset.y)
                measured.append(Measured(name, trial.fold, C, order, error))
                print(measured[-1], flush=True)
                _write(path, measured)
    _write(path, measured)
    (OUT / "README.md").write_text(_page(measured), encoding="utf-8")


def _trials(name: str) -> Iterator[tuple[Trial, float]]:
    """Yield the archived trials of MultiBoost-cw on a data set, with the C chosen in each."""
    outcomes = boostbench.load(ARCHIVE).trials.set_index("key")
    for trial in Store.read(ARCHIVE).plan():
        if trial.method == "multiboost_cw" and trial.dataset == name:
            yield trial, float(outcomes.loc[trial.key, "chosen_C"])


def _archived() -> Iterator[Measured]:
    """Yield the errors of the registered method with the chosen C."""
    trials = boostbench.load(ARCHIVE).trials
    for row in trials[trials["method"] == "multiboost_cw"].itertuples():
        if row.dataset in DATA:
            yield Measured(str(row.dataset), int(row.fold), CHOSEN, BY_CLASS, float(row.error))


def _error(trial: Trial, chosen: float, C: str, order: str, X: np.ndarray, y: np.ndarray) -> float:
    """Return the test error of a fit on the trial's split, with its seed."""
    train, test = split_indices(y, trial.fold, trial, trial.split_seed, stratify=True)
    n_pairs = len(train) * (len(np.unique(y)) - 1)
    value = chosen if C == CHOSEN else 1e5 * n_pairs
    booster = MixedMultiBoostCW if order == MIXED else MultiBoostCW
    model = booster(**{**trial.params, "C": value, "random_state": trial.random_state})
    return float(np.mean(model.fit(X[train], y[train]).predict(X[test]) != y[test]))


def _read(path: Path) -> Iterator[Measured]:
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            error = float(row["error"])
            yield Measured(row["dataset"], int(row["fold"]), row["C"], row["order"], error)


def _write(path: Path, measured: list[Measured]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([Measured._fields, *sorted(measured)])


def _errors(measured: list[Measured], key: tuple[str, str, str]) -> NDArray[np.float64]:
    """Return the errors in percent of the data set, C and order of ``key``, by fold."""
    fits = [each for each in sorted(measured) if (each.dataset, each.C, each.order) == key]
    return np.array([100 * each.error for each in fits])


def _page(measured: list[Measured]) -> str:
    """Return the table in Markdown: means with sds, and the difference with its test."""
    title, _, text = str(__doc__).partition("\n")
    lines = [f"# {title}", text, f"| data set | C | {BY_CLASS} | {MIXED} | difference | p-value |"]
    lines.append("|:--|:--|--:|--:|--:|--:|")
    for name in DATA:
        for C in (CHOSEN, TIMES_P):
            both = [_errors(measured, (name, C, order)) for order in (BY_CLASS, MIXED)]
            test = stats.corrected_ttest(both[1] - both[0], TEST_RATIO)
            means = [f"{each.mean():.2f} ± {each.std(ddof=1):.2f}" for each in both]
            difference = f"{test.mean:+.2f} \\[{test.low:+.2f}, {test.high:+.2f}\\]"
            lines.append(
                f"| {name} | {C} | {means[0]} | {means[1]} | {difference} | {test.p:.2g} |"
            )
    lines += [
        "",
        "Test error in percent, mean ± sd over ten splits, 500 rounds; the difference with its "
        "95 % interval and p-value by the corrected resampled t-test, not adjusted for six "
        "comparisons.",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
