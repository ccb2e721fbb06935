"""How few data sets an order of two methods hangs on, against every choice of them."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boostbench import stats

LEADS = st.lists(st.integers(-20, 20).map(lambda n: n / 100), min_size=1, max_size=8)


def by_trying(leads):
    """Return the least number of values without which the mean has the other sign."""
    sign = np.sign(round(sum(leads), 12))
    for few in range(1, len(leads)):
        for kept in combinations(leads, len(leads) - few):
            if round(sum(kept), 12) * sign < 0:
                return few
    return None


@given(LEADS)
def test_no_smaller_choice_reverses_an_order(leads):
    found = stats.fewest_to_reverse(leads)
    assert (None if found is None else len(found)) == by_trying(leads)
    if found is not None:
        rest = [lead for place, lead in enumerate(leads) if place not in found]
        assert np.sign(sum(rest)) == -np.sign(sum(leads))


@pytest.mark.parametrize(
    ("leads", "expected"),
    [
        ([0.3, -0.1, 0.1], (0, 2)),
        ([-0.3, 0.1, 0.1], (0,)),
        ([0.1, 0.2], None),
        ([0.1, -0.1], None),
        ([0.2], None),
    ],
    ids=["a lead", "a lag", "one sign", "no order", "one set"],
)
def test_the_one_that_counts_most_comes_first(leads, expected):
    assert stats.fewest_to_reverse(leads) == expected


def test_nan_is_refused():
    with pytest.raises(ValueError, match="leads"):
        stats.fewest_to_reverse([0.1, np.nan])
