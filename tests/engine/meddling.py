"""Estimators that leave the process changed, and one whose result shows every such change."""

import builtins
import json
import os
import random
import resource
import signal
import sys
import threading

import numpy as np
from faulty import Mean


class Witness(Mean):
    """Draws from the global generators, and says in what state it finds the process."""

    def harm(self):
        self.state_ = {
            "drawn": random.random() + float(np.random.random()),  # noqa: NPY002
            "mean": float(np.mean([1.0, 2.0])),
            "environ": sorted(k for k in os.environ if k.startswith(("MEDDLED", "OMP"))),
            "errors": np.geterr(),
            "handlers": [str(signal.getsignal(n)) for n in (signal.SIGUSR1, signal.SIGALRM)],
            "json": json.dumps({"a": 1}),
            "threads": threading.active_count(),
            "open": len(os.listdir("/proc/self/fd")),  # noqa: PTH208
            "limits": resource.getrlimit(resource.RLIMIT_CORE),
            "length": len("abc"),
        }
        print("a word", flush=True)

    def benchmark_metrics_(self):
        return {name: json.dumps(value, default=str) for name, value in self.state_.items()}


class Environment(Mean):
    def harm(self):
        os.environ["MEDDLED"] = "yes"
        os.environ.pop("OMP_NUM_THREADS")


class Handlers(Mean):
    def harm(self):
        for number in (signal.SIGUSR1, signal.SIGALRM, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)


class Timer(Mean):
    def harm(self):
        signal.setitimer(signal.ITIMER_REAL, 0.2)


class Errors(Mean):
    def harm(self):
        np.seterr(all="raise")


class Modules(Mean):
    def harm(self):
        sys.modules["json"] = sys.modules["decimal"] = None


class Functions(Mean):
    def harm(self):
        np.mean = lambda values: 42.0


class Builtins(Mean):
    def harm(self):
        builtins.len = lambda values: 7


class ClosesDescriptors(Mean):
    def harm(self):
        os.close(0)
        os.close(1)


class OtherStdout(Mean):
    def harm(self):
        sys.stdout = None


class Limits(Mean):
    def harm(self):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_NOFILE, (20, 20))


class Tracing(Mean):
    def harm(self):
        sys.settrace(lambda *_: 1 / 0)


MEDDLERS = [
    found.__name__
    for found in list(globals().values())
    if isinstance(found, type) and issubclass(found, Mean) and found not in (Mean, Witness)
]
