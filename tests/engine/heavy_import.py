"""A module whose import takes 150 MiB and a second, with a trivial estimator."""

import time

import numpy as np
from own_workers import Small

KEPT = np.ones(150 * 2**17)
time.sleep(1.0)


class Light(Small):
    pass
