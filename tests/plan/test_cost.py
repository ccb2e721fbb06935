"""What a trial costs, by the medians of recorded ones."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boostbench.experiment.cost import CostModel, Work, work_of
from boostbench.plan.trial import Trial

SHAPE = (1000, 10)


def _trial(estimator="m:A", fingerprint="d", **params):
    return Trial(
        dataset="d", method="a", estimator=estimator, method_version="1", fingerprint=fingerprint,
        task="regression", folds=4, fold=0, split_seed=0, seed=0, scale_features="minmax",
        scale_target="standard", params=params,
    )  # fmt: skip


def _work(shape=SHAPE, **of) -> Work:
    return work_of(_trial(**of), shape)


def _model(*records) -> CostModel:
    model = CostModel()
    for record in records:
        model.add(*record)
    return model


def test_the_median_of_what_is_recorded_alike_is_what_it_costs() -> None:
    work = _work(depth=2)
    model = _model(
        *((work, s, m) for s, m in [(1.0, 100.0), (3.0, 120.0), (50.0, 110.0)]),
        (_work(depth=3), 9.0, 500.0),
        (_work(fingerprint="e", depth=2), 9.0, 500.0),
    )
    found = model.estimate(work)
    assert (found.seconds, found.peak_mib, found.exact) == (3.0, 120.0, True)
    assert model.least_peak_mib == 120.0


def test_other_folds_and_seeds_are_alike_and_other_parameters_are_not() -> None:
    one = _trial(depth=2)
    assert work_of(replace(one, fold=3, seed=7, split_seed=1), SHAPE) == work_of(one, SHAPE)
    for change in (
        {"params": {"depth": 3}},
        {"choose": {"C": [1.0, 2.0]}},
        {"estimator": "m:B"},
        {"fingerprint": "e"},
        {"folds": 10},
        {"test_size": 0.5},
    ):
        assert work_of(replace(one, **change), SHAPE) != work_of(one, SHAPE)


def test_without_a_record_the_nearest_data_set_counts_by_its_size() -> None:
    model = _model(
        (_work((100, 10), fingerprint="small", depth=2), 1.0, 50.0),
        (_work((4000, 10), fingerprint="near", depth=2), 8.0, 60.0),
        (_work((4000, 10), fingerprint="near", depth=3), 800.0, 60.0),
    )
    found = model.estimate(_work((2000, 10), depth=2))
    assert (found.seconds, found.peak_mib, found.exact) == (4.0, 60.0, False)
    below = model.estimate(_work((50, 10), depth=2))
    assert below.seconds == pytest.approx(0.5)
    # A training holds larger data than were recorded in memory a few times over.
    above = model.estimate(_work((40_000, 100), depth=2))
    assert above.peak_mib > 60.0 + 8 * 3_000_000 / 2**20


def test_other_parameters_count_only_where_there_are_none_alike() -> None:
    model = _model(
        (_work((1000, 10), fingerprint="d", depth=3), 6.0),
        (_work((1000, 10), fingerprint="d", depth=4), 10.0),
    )
    assert model.estimate(_work((1000, 10), depth=2)).seconds == 8.0
    assert model.estimate(_work((2000, 10), fingerprint="e", depth=3)).seconds == 12.0


def test_nothing_is_guessed_of_an_estimator_without_a_record() -> None:
    model = _model(
        (_work(), 1.0), (_work(estimator="m:C"), 0.0), (_work(estimator="m:D"), float("nan"))
    )
    for name in ("B", "C", "D"):
        assert model.estimate(_work(estimator=f"m:{name}")) is None
    assert _model().estimate(_work()) is None


@given(st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=30), st.randoms())
def test_the_order_of_the_records_does_not_matter(seconds, random) -> None:
    work = _work()
    other = list(seconds)
    random.shuffle(other)
    estimates = [_model(*((work, s) for s in some)).estimate(work) for some in (seconds, other)]
    assert estimates[0] == estimates[1]
    assert min(seconds) <= estimates[0].seconds <= max(seconds)


def test_what_is_learned_later_counts() -> None:
    model = _model((_work(), 1.0))
    assert model.estimate(_work(fingerprint="e")).seconds == 1.0
    model.add(_work(fingerprint="e"), 5.0)
    assert model.estimate(_work(fingerprint="e")).seconds == 5.0
