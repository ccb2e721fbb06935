"""Whether recorded figures are the same; figures that only one outcome has are not compared."""

from collections.abc import Callable
from typing import Any

from boostbench.store.types import Outcome


def equal(a: Any, b: Any) -> bool:
    """Return whether two figures are the same, bit for bit; NaN is the same as NaN."""
    return bool(a == b) or (a != a and b != b)


def unequal_metrics(
    first: Outcome, second: Outcome, same: Callable[[Any, Any], bool] = equal
) -> list[str]:
    """Return the names of the metrics that both outcomes have and that are not the ``same``."""
    a, b = first.metrics, second.metrics
    return [name for name in a if name in b and not same(a[name], b[name])]
