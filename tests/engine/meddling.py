"""Estimators that leave the process changed, and one whose result shows every such change."""

import builtins
import decimal
import gc
import json
import locale
import os
import random
import resource
import signal
import sys
import threading
import time
import warnings
from pathlib import Path
from typing import ClassVar

import numpy as np
from faulty import Mean


class Witness(Mean):
    """Draws from the global generators, and says in what state it finds the process."""

    def harm(self):
        umask = os.umask(0)
        os.umask(umask)
        from threadpoolctl import threadpool_info

        self.state_ = {
            "drawn": random.random() + float(np.random.random()),  # noqa: NPY002
            "solved": float(np.linalg.inv(np.eye(3) + 0.1)[0, 1]),
            "mean": float(np.mean([1.0, 2.0])),
            "folder": Path.cwd() != Path("/"),
            "environ": sorted(k for k in os.environ if k.startswith(("MEDDLED", "OMP", "TZ"))),
            "umask": umask,
            "recursion": sys.getrecursionlimit(),
            "filters": len([f for f in warnings.filters if f[0] == "error"]),
            "errors": np.geterr(),
            "handlers": [str(signal.getsignal(n)) for n in (signal.SIGUSR1, signal.SIGALRM)],
            "path": "/meddled" in sys.path,
            "json": json.dumps({"a": 1}),
            "threads": threading.active_count(),
            "pools": sorted(pool["num_threads"] for pool in threadpool_info()),
            "open": len(os.listdir("/proc/self/fd")),  # noqa: PTH208
            "zone": time.tzname,
            "decimal": str(decimal.Decimal(1) / 3),
            "locale": locale.setlocale(locale.LC_ALL),
            "print": str(np.array([1 / 3])),
            "gc": gc.isenabled(),
            "limits": resource.getrlimit(resource.RLIMIT_CORE),
            "nice": os.getpriority(os.PRIO_PROCESS, 0),
            "length": len("abc"),
        }
        print("a word", flush=True)

    def benchmark_metrics_(self):
        return {name: json.dumps(value, default=str) for name, value in self.state_.items()}


class Seeds(Mean):
    def harm(self):
        random.seed(1)
        np.random.seed(1)  # noqa: NPY002


class OtherGenerator(Mean):
    def harm(self):
        np.random.set_bit_generator(np.random.PCG64(1))


class Folder(Mean):
    def harm(self):
        os.chdir("/")


class Environment(Mean):
    def harm(self):
        os.environ["MEDDLED"] = "yes"
        os.environ.pop("OMP_NUM_THREADS")


class TimeZone(Mean):
    def harm(self):
        os.environ["TZ"] = "Asia/Tokyo"
        time.tzset()


class Handlers(Mean):
    def harm(self):
        for number in (signal.SIGUSR1, signal.SIGALRM, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)


class Timer(Mean):
    def harm(self):
        signal.setitimer(signal.ITIMER_REAL, 0.2)


class Umask(Mean):
    def harm(self):
        os.umask(0o777)


class Recursion(Mean):
    def harm(self):
        sys.setrecursionlimit(90)


class Filters(Mean):
    def harm(self):
        warnings.simplefilter("error")


class Errors(Mean):
    def harm(self):
        np.seterr(all="raise")


class Threads(Mean):
    def harm(self):
        from threadpoolctl import threadpool_limits

        self.limits_ = threadpool_limits(2)


class Paths(Mean):
    def harm(self):
        sys.path[:] = ["/meddled"]


class Modules(Mean):
    def harm(self):
        sys.modules["json"] = sys.modules["decimal"] = None


class Functions(Mean):
    def harm(self):
        np.mean = lambda values: 42.0


class Builtins(Mean):
    def harm(self):
        builtins.len = lambda values: 7


class ClosesStdout(Mean):
    def harm(self):
        sys.stdout.close()


class ClosesDescriptors(Mean):
    def harm(self):
        os.close(0)
        os.close(1)


class OtherStdout(Mean):
    def harm(self):
        sys.stdout = None


class Decimals(Mean):
    def harm(self):
        decimal.getcontext().prec = 3


class Locale(Mean):
    def harm(self):
        locale.setlocale(locale.LC_ALL, "C")


class PrintOptions(Mean):
    def harm(self):
        np.set_printoptions(precision=1)


class Collection(Mean):
    def harm(self):
        gc.disable()


class Limits(Mean):
    def harm(self):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_NOFILE, (20, 20))


class Nice(Mean):
    def harm(self):
        os.nice(1)


class Tracing(Mean):
    def harm(self):
        sys.settrace(lambda *_: 1 / 0)


class LeavesOpen(Mean):
    left: ClassVar = []

    def harm(self):
        self.left.append(open("/dev/null"))  # noqa: PTH123, SIM115


MEDDLERS = [
    found.__name__
    for found in list(globals().values())
    if isinstance(found, type) and issubclass(found, Mean) and found not in (Mean, Witness)
]
