"""An estimator whose module keeps a generator of its own, as many do."""

import numpy as np
from faulty import Mean

rng = np.random.default_rng(42)


class Keeper(Mean):
    def harm(self):
        self.drawn_ = float(rng.random())

    def benchmark_metrics_(self):
        return {"drawn": self.drawn_}
