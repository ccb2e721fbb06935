"""The cost model on times of which the law is known, and on as good as no times."""

import math
from dataclasses import replace

import numpy as np
import pytest

from boostbench.plan.cost import CostModel, Record, makespan, work_of
from boostbench.plan.trial import Trial

_SHAPES = [(150, 11), (300, 6), (500, 13), (1500, 5), (4000, 8), (8000, 21), (13000, 40)]


def _work(rows=1000, features=10, estimator="m:A", fingerprint=None, shape_of="", **params):
    trial = Trial(
        dataset="d", method="a", estimator=estimator, method_version="1",
        fingerprint=fingerprint or f"{rows}x{features}{shape_of}", task="regression", folds=4,
        fold=0, split_seed=0, seed=0, scale_features="minmax", scale_target="standard",
        params=params,
    )  # fmt: skip
    return work_of(trial, (rows, features))


def _law(rows, features, depth, trees=1):
    return 2e-7 * (0.75 * rows) ** 1.3 * features**0.5 * 2**depth * trees


@pytest.fixture
def lawful():
    """Records that follow one law exactly: seven data sets, two depths."""
    return [
        Record(_work(n, p, depth=depth), _law(n, p, depth), 100 + 5 * n * p * 8 / 2**20)
        for n, p in _SHAPES
        for depth in (2, 3)
    ]


def test_a_power_law_is_recovered_beyond_what_was_recorded(lawful) -> None:
    model = CostModel(lawful)
    for rows, features, depth in [(2000, 10, 3), (40000, 30, 3), (100, 5, 2), (3000, 10, 5)]:
        found = model.estimate(_work(rows, features, depth=depth))
        assert found is not None
        assert found.seconds == pytest.approx(_law(rows, features, depth), rel=0.25)
        assert not found.exact
        assert found.seconds / found.factor < _law(rows, features, depth)
        assert found.seconds * found.factor > _law(rows, features, depth)
    near = model.estimate(_work(2500, 9, depth=2))
    assert near.seconds == pytest.approx(_law(2500, 9, 2), rel=0.05)
    assert near.factor < 1.2


def test_a_constant_part_does_not_bend_the_law_for_large_data() -> None:
    records = [Record(_work(n, p, depth=3), 0.5 + _law(n, p, 3)) for n, p in [*_SHAPES, (900, 9)]]
    truth = 0.5 + _law(40000, 30, 3)
    found = CostModel(records).estimate(_work(40000, 30, depth=3))
    assert found.seconds / found.factor < truth < found.seconds * found.factor
    assert found.seconds == pytest.approx(truth, rel=0.6)
    least = CostModel(records).estimate(_work(200, 8, depth=3))
    assert least.seconds == pytest.approx(0.5, rel=0.15)


def test_one_trial_that_took_far_too_long_changes_little(lawful) -> None:
    spoilt = [*lawful[:6], replace(lawful[6], seconds=100 * lawful[6].seconds), *lawful[7:]]
    found = CostModel(spoilt).estimate(_work(2000, 10, depth=3))
    assert found.seconds == pytest.approx(_law(2000, 10, 3), rel=0.35)


def test_what_is_recorded_of_the_same_cell_is_its_median_and_greatest_memory() -> None:
    work = _work(depth=3)
    seconds = [(1.0, 210.0), (2.0, 205.0), (9.0, None)]
    found = CostModel([Record(work, s, m) for s, m in seconds]).estimate(work)
    assert found.exact
    assert found.seconds == pytest.approx(2.0)
    assert found.peak_mib == 210.0


def test_one_record_scales_by_usual_slopes_and_says_how_little_that_is() -> None:
    model = CostModel([Record(_work(1000, 10, depth=3), 1.0, 200.0)])
    larger = model.estimate(_work(10000, 10, depth=3))
    assert 4 < larger.seconds < 12
    assert larger.factor > 2
    assert larger.peak_mib >= 200.0
    deeper = model.estimate(_work(1000, 10, fingerprint="other", depth=4))
    assert 1.5 < deeper.seconds < 2.5
    nearby = model.estimate(_work(1100, 10, depth=3))
    assert nearby.factor < larger.factor


def test_nothing_is_said_of_an_estimator_without_records() -> None:
    assert CostModel([]).estimate(_work()) is None
    assert CostModel([Record(_work(), 1.0)]).estimate(_work(estimator="m:B")) is None
    assert CostModel([Record(_work(), 0.0), Record(_work(), math.inf)]).estimate(_work()) is None
    assert CostModel([Record(_work(), 1.0)]).estimate(_work()).peak_mib is None


def test_another_setting_of_the_same_estimator_is_doubted_more() -> None:
    model = CostModel([Record(_work(1000, 10, depth=3, penalty="l1"), 1.0)])
    same = model.estimate(_work(1000, 11, depth=3, penalty="l1"))
    other = model.estimate(_work(1000, 11, depth=3, penalty="l2"))
    assert other.seconds == pytest.approx(same.seconds)
    assert other.factor > 1.4 * same.factor


def test_estimates_never_fall_as_rows_features_or_sizes_grow() -> None:
    rng = np.random.default_rng(0)
    # Times that fall with everything, as a few odd records may suggest.
    records = [
        Record(
            _work(n, p, depth=d, n_trees=t),
            float(1e3 / (n * p * 2**d * t) * np.exp(rng.normal())),
            1e3 / n,
        )
        for n, p in _SHAPES
        for d, t in [(2, 10), (4, 100)]
    ]
    model = CostModel(records)
    base = {"rows": 700, "features": 7, "depth": 3, "n_trees": 20}
    for name in base:
        asked = [model.estimate(_work(**{**base, name: base[name] * k})) for k in (1, 2, 4, 8)]
        seconds = [found.seconds for found in asked]
        assert seconds == sorted(seconds)
        peaks = [found.peak_mib for found in asked]
        assert peaks == sorted(peaks)


def test_sizes_choices_and_settings_are_told_apart() -> None:
    work = _work(depth=3, n_estimators=100, alpha=0.5, warm=True)
    assert dict(work.sizes) == pytest.approx(
        {"depth": 3 * math.log(2), "n_estimators": math.log(100)}
    )
    assert work.rows == 750
    assert _work(depth=4, n_estimators=100, alpha=0.5, warm=True).kind == work.kind
    assert _work(depth=3, n_estimators=100, alpha=0.6, warm=True).kind != work.kind
    trial = Trial(
        dataset="d", method="a", estimator="m:A", method_version="1", fingerprint="f",
        task="classification", folds=5, fold=0, split_seed=0, seed=0, scale_features="none",
        scale_target="none", split="shuffle", test_size=0.2, choose={"C": [1, 2, 3], "D": [1, 2]},
    )  # fmt: skip
    chosen = work_of(trial, (1000, 4))
    assert chosen.rows == pytest.approx(800)
    assert dict(chosen.sizes)["choose"] == pytest.approx(math.log(7))
    assert work_of(trial, (1000, 4), {"depth": 2}).sizes != chosen.sizes


def test_the_last_long_trials_count_as_they_fall() -> None:
    assert makespan([], 3) == 0
    assert makespan([1, 1, 1, 1], 2) == 2
    assert makespan([1, 1, 1, 1, 10], 2) == 12
    assert makespan([10, 1, 1, 1, 1], 2) == 10
    assert makespan([5], 8) == 5
