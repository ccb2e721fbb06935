"""By how many percent the better of two methods is better, and faster."""

SCORE, TIME = "score", "time"


def gain_in_percent(quantity: str, mine: float | None, other: float | None) -> float | None:
    """Return by how many percent ``mine`` is better than ``other``: positive if it is better.

    A score's gain is relative to the smaller score, time saved to the longer time. ``None`` where
    one is unknown, or the figure that it is relative to is not positive.
    """
    if mine is None or other is None:
        return None
    base = max(mine, other) if quantity == TIME else min(mine, other)
    lead = other - mine if quantity == TIME else mine - other
    return 100.0 * lead / base if base > 0 else None
