"""Random numbers that depend on the seed and the round, on nothing else."""

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from boostbench.boosting._types import RandomStateLike

_WORD = (1 << 64) - 1


def seed_from(random_state: RandomStateLike) -> int:
    """Return a 31-bit seed, or the integer itself."""
    if isinstance(random_state, (int, np.integer)):
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def round_seed(seed: int, round_index: int) -> NDArray[np.uint64]:
    """Return a round's random state, which depends on nothing else: a fit can be resumed."""
    z = (seed * 0x9E3779B97F4A7C15 + (round_index + 1) * 0xD1B54A32D192ED03) & _WORD
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _WORD
    return np.array([(z ^ (z >> 31)) or 1], dtype=np.uint64)
