"""Estimators that import what users import, and say in which process they ran."""

import os
import random
import sys
import time

import numpy as np
from faulty import Mean

stream = np.random.default_rng(3)
legacy = np.random.RandomState(4)
plain = random.Random(5)
system = random.SystemRandom()


class Where(Mean):
    def benchmark_metrics_(self):
        return {"pid": os.getpid()}


class Imports(Where):
    """Imports a package in ``fit``, as many estimators do."""

    def harm(self):
        __import__(self.where)


class Draws(Where):
    def harm(self):
        self.drawn_ = float(stream.random() + legacy.random_sample() + plain.random())

    def benchmark_metrics_(self):
        return {"pid": os.getpid(), "drawn": self.drawn_}


class Settings(Where):
    """Changes what can be restored."""

    def harm(self):
        import decimal
        import locale

        import sklearn

        sklearn.set_config(assume_finite=True)
        np.set_printoptions(precision=1)
        decimal.getcontext().prec = 3
        locale.setlocale(locale.LC_ALL, "C")
        os.environ["TZ"] = "Asia/Tokyo"
        time.tzset()
        sys.meta_path.append(sys.meta_path[-1])


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


class Small(Where):
    """Holds 30 MiB for a moment."""

    def harm(self):
        held = np.ones(30 * 2**17)
        time.sleep(0.2)
        del held


class Reserves(Where):
    """Asks for 2 GiB that it never touches, which resident memory does not show."""

    def harm(self):
        self.reserved_ = np.empty(2**28)
