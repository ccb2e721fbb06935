"""Estimators of the cluster's tests: modules of a user's own, which workers do not have."""

import os
import time
from pathlib import Path

from faulty import Noisy


class Takes(Noisy):
    """Takes ``seconds``, and leaves the file ``where``, if given, when it begins."""

    def __init__(self, seconds=0.05, where="", random_state=None):
        super().__init__(where, random_state)
        self.seconds = seconds

    def get_params(self, deep=True):
        return {**super().get_params(), "seconds": self.seconds}

    def harm(self):
        if self.where:
            Path(self.where).write_text(str(os.getpid()))
        time.sleep(self.seconds)


class Waits(Noisy):
    """Continues when the file ``where`` exists."""

    def harm(self):
        while not Path(self.where).exists():
            time.sleep(0.01)


class EndsWorkers(Takes):
    """Kills the process that has started the warm process which the trial was forked from."""

    def harm(self):
        above = os.getppid()
        while b"warm.main" in Path(f"/proc/{above}/cmdline").read_bytes():
            above = int(Path(f"/proc/{above}/stat").read_text().rpartition(")")[2].split()[1])
        os.kill(above, 9)
        time.sleep(60)
