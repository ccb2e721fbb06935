"""Estimators that import what users import, and say in which process they ran."""

import os
import time

import numpy as np
from faulty import Mean


class Where(Mean):
    def benchmark_metrics_(self):
        return {"pid": os.getpid()}


class Imports(Where):
    """Imports a package in ``fit``, as many estimators do."""

    def harm(self):
        __import__(self.where)


class Fails(Where):
    def harm(self):
        raise ValueError("as usual")


class Silent(Where):
    """Closes its output, as daemons do, and takes a while."""

    def harm(self):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        os.close(null)
        time.sleep(2.5)


class Reserves(Where):
    """Asks for 2 GiB that it never touches, which resident memory does not show."""

    def harm(self):
        self.reserved_ = np.empty(2**28)
