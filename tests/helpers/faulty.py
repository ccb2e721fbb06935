"""Estimators that do what a user's method must not: each has one fault."""

import ctypes
import os
import signal
import socket
import sys
import time
from pathlib import Path
from typing import ClassVar

import numpy as np


class Mean:
    """Predicts the mean of the training target; subclasses misbehave in ``harm``."""

    def __init__(self, where="", random_state=None):
        self.where = where
        self.random_state = random_state

    def get_params(self, deep=True):
        return {"where": self.where, "random_state": self.random_state}

    def fit(self, X, y):
        self.mean_ = float(np.mean(y))
        self.harm()
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_)

    def harm(self):
        pass


class MeanInTexts(Mean):
    """Predicts numbers as texts."""

    kind: ClassVar[type] = str

    def predict(self, X):
        return np.full(len(X), str(self.mean_), dtype=self.kind)


class MeanInObjects(MeanInTexts):
    """Predicts numbers as texts, in an array of any objects."""

    kind = object


class FirstClass(Mean):
    """Predicts a class, and has neither probabilities nor decisions."""

    def fit(self, X, y):
        self.first_ = np.min(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.first_)


class Noisy(Mean):
    """A result that depends on the seed, and takes a moment."""

    def predict(self, X):
        return np.random.default_rng(self.random_state).normal(size=len(X))

    def harm(self):
        time.sleep(0.004)

    def benchmark_metrics_(self):
        return {"n_iter": np.int64(3), "objective": np.float64(0.25), "solver": "none"}


class IgnoresSigterm(Mean):
    def harm(self):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while True:
            time.sleep(1)


class Slow(Mean):
    def harm(self):
        time.sleep(60)


class Allocates(Mean):
    """Asks for ever more memory through NumPy."""

    def harm(self):
        held = []
        while True:
            held.append(np.ones(2**22))


class Hoards(Mean):
    """Keeps 100 MiB for ever, and takes long enough to be looked at."""

    kept: ClassVar[list] = []

    def harm(self):
        self.kept.append(np.ones(100 * 2**17))
        time.sleep(0.2)


class AllocatesShared(Mean):
    """Asks for memory that the data limit does not see."""

    def harm(self):
        import mmap

        held = []
        while True:
            block = mmap.mmap(-1, 2**25)
            block.write(b"x" * 2**25)
            held.append(block)


class Aborts(Mean):
    def harm(self):
        os.abort()


class Segfaults(Mean):
    def harm(self):
        ctypes.string_at(1)


class Exits(Mean):
    def harm(self):
        os._exit(0)


class KillsItself(Mean):
    def harm(self):
        os.kill(os.getpid(), signal.SIGKILL)


class KilledOnce(Mean):
    """Is ended from outside at the first attempt, and runs through at the second."""

    def harm(self):
        mark = Path(self.where)
        if not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)


class Unpicklable(Exception):
    def __init__(self, socket):
        super().__init__("no pickle takes me")
        self.socket = socket

    def __reduce__(self):
        raise TypeError("never")


class RaisesUnpicklable(Mean):
    def harm(self):
        raise Unpicklable(socket.socket())


class Unprintable(Exception):
    def __str__(self):
        raise ValueError("never")


class RaisesUnprintable(Mean):
    def harm(self):
        raise Unprintable


class RaisesSurrogate(Mean):
    def harm(self):
        raise ValueError("lone \udc80 and nul \0 at " + hex(id(self)))


class RaisesSystemExit(Mean):
    def harm(self):
        sys.exit(3)


class RaisesKeyboardInterrupt(Mean):
    def harm(self):
        raise KeyboardInterrupt


class RaisesMemoryErrorInside(Mean):
    def harm(self):
        try:
            raise MemoryError
        except MemoryError as error:
            raise RuntimeError("wrapped") from error


class Prints(Mean):
    """10 MB on each of stdout and stderr."""

    def harm(self):
        for stream in (1, 2):
            for _ in range(160):
                os.write(stream, b"x" * 2**16)


class PrintsAndFails(Mean):
    def harm(self):
        os.write(2, b"y" * 2**20 + b"the last words")
        raise ValueError("after printing")


class Forks(Mean):
    """Leaves 50 children, half of them daemons in their own session."""

    stays = False

    def harm(self):
        with Path(self.where).open("a") as log:
            for i in range(50):
                child = os.fork()
                if child == 0:
                    if i % 2:
                        os.setsid()
                        if os.fork():
                            os._exit(0)
                    signal.signal(signal.SIGTERM, signal.SIG_IGN)
                    os.write(log.fileno(), f"{os.getpid()}\n".encode())
                    time.sleep(120)
                    os._exit(0)
        while len(Path(self.where).read_text().split()) < 50:
            time.sleep(0.01)
        while self.stays:
            time.sleep(1)


class ForksAndStays(Forks):
    stays = True


class ForksAndAborts(Forks):
    def harm(self):
        super().harm()
        os.abort()


class ClosesFiles(Mean):
    def harm(self):
        os.closerange(3, 4096)


class ClosesOutput(Mean):
    def harm(self):
        sys.stdout.close()
        os.close(2)


class LeavesThread(Mean):
    def harm(self):
        import threading

        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()


class SeesFaults(Mean):
    """Fails where an earlier trial of the same process has left something."""

    def harm(self):
        import threading

        assert threading.active_count() == 1
        os.fstat(1), os.fstat(2)
        print("still printing", flush=True)


class NotJson(Mean):
    def benchmark_metrics_(self):
        return {"model": object()}


class NonFinite(Mean):
    def predict(self, X):
        return np.full(len(X), np.nan)


class Overflows(Mean):
    def predict(self, X):
        return np.full(len(X), 1e200)


class WrongShape(Mean):
    def predict(self, X):
        return np.zeros((len(X), 2))


class ChangesData(Mean):
    """Writes into the arrays it was given."""

    def fit(self, X, y):
        self.mean_ = float(y.sum() + X.sum())
        X *= 0
        y *= 0
        return self

    def benchmark_metrics_(self):
        return {"seen": self.mean_}


class ChangesDataToo(ChangesData):
    """A second one, which sees whether the first has changed what it is given."""


class Unavailable(Mean):
    @classmethod
    def unavailable(cls):
        return "needs a thing that is not there"


class Staged(Mean):
    """A classifier of three iterations, whose history is as long as it should be."""

    objective_history_ = (3.0, 2.0, 1.0)

    def predict(self, X):
        return np.zeros(len(X), dtype=int)

    def staged_predict(self, X):
        return iter([self.predict(X)] * 3)


class OtherLastStage(Staged):
    def staged_predict(self, X):
        return iter([self.predict(X), np.arange(len(X)) % 4 == 0])


class WideStages(Staged):
    def staged_predict(self, X):
        return iter([np.zeros((len(X), 3))])


class NoStages(Staged):
    objective_history_ = None

    def staged_predict(self, X):
        return iter([])


class FirstWrong(Mean):
    """Says ``label`` of the first row, which may be no class, and 0 of all others."""

    label = -1

    def predict(self, X):
        return np.array([self.label] + [0] * (len(X) - 1))


class FirstText(FirstWrong):
    label = "k"


class ShortHistory(Staged):
    objective_history_ = (3.0, 2.0)


class NotANumberHistory(Staged):
    objective_history_ = (3.0, float("nan"), 1.0)


class Chosen(Mean):
    """Right only with the parameters that are best, else always of class 0."""

    def __init__(self, a="", b=0, best=None, random_state=None):
        self.a, self.b, self.best = a, b, best
        self.where = ""

    def get_params(self, deep=True):
        return {"a": self.a, "b": self.b, "best": self.best}

    def fit(self, X, y):
        from sklearn.neighbors import KNeighborsClassifier

        self.model = KNeighborsClassifier(1).fit(X, y)
        return self

    def predict(self, X):
        right = [self.a, self.b] == self.best
        return self.model.predict(X) if right else np.zeros(len(X), dtype=int)
