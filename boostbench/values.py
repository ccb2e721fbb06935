"""Types of values that pass from package to package, and a choice among such values."""

from collections.abc import Mapping, Sequence
from typing import Any

RUN = ("split_seed", "fold", "seed")
"""What tells the runs of a method on a data set apart; seeds are nested in folds, not paired."""
RunKey = tuple[int, int, int | str]
"""The values of :data:`RUN`; the last may be any name of a run."""

# The arguments of an estimator by name, and the values of those that are chosen.
Params = Mapping[str, object]
Choices = Mapping[str, Sequence[object]]


def with_first_choices(params: Params, choose: Choices) -> Params:
    """Return ``params`` with the first value of each chosen parameter."""
    return {**params, **{name: values[0] for name, values in choose.items()}}


# A JSON object that is read by its keys: each knows what it finds there.
Record = Mapping[str, Any]
