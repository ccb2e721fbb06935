"""A worker process, which runs the trials that it receives, one after another."""

import contextlib
import faulthandler
import json
import os
import signal
import socket
import sys
from pathlib import Path

from boostbench.engine import os_processes
from boostbench.engine.execution import import_first, new_installed_modules, run_trial
from boostbench.engine.messages import FromWorker, WorkerConfig, WorkerRequest
from boostbench.engine.warming import warm_up
from boostbench.estimators import module_of
from boostbench.plan.trial import Trial

# A trial may replace them.
_dumps = json.dumps
_exit = os._exit
_getpid = os.getpid


def main(descriptor: int, config: WorkerConfig, request: WorkerRequest) -> None:
    """Run trials from the socket ``descriptor`` until it is closed, or ``once``.

    Each message, in either direction, is one line of JSON.
    """
    this = _getpid()
    # Python would use an outdated compiled file after an edit of the same size and second.
    sys.dont_write_bytecode = True
    os_processes.adopt_orphans()
    os_processes.prefer_for_oom_killer()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    faulthandler.enable(file=2, all_threads=False)
    faulthandler.register(signal.SIGTERM, file=2, all_threads=False, chain=True)
    channel = socket.socket(fileno=descriptor)

    def send(message: FromWorker) -> None:
        try:
            channel.sendall(_dumps(message).encode() + b"\n")
        except OSError:  # the trial has closed the files of its worker
            _exit(97)

    # A fresh fork pays for first touching every page, which must not count as a fit's time.
    warm_up(config["warm_up"])
    if request["own"] and module_of(request["own"]) not in sys.modules:
        import_first(request["own"])
    for line in channel.makefile("rb"):
        trial = Trial.from_dict(json.loads(line))
        before = len(sys.modules)
        # The memory that the process has by now is not the trial's.
        send({"begins": os_processes.resident_memory(this)})
        if config["memory_bytes"]:
            os_processes.limit_data(config["memory_bytes"])
        outcome = run_trial(trial, Path(config["arrays_dir"]), time_limit_s=config["time_s"])
        if _getpid() != this:  # a child process of the trial that returned from the fit
            _exit(1)
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):  # the trial may have put anything there
                stream.flush()
        os_processes.lift_data_limit()
        send({"outcome": vars(outcome), "loaded": new_installed_modules(before)})
        if request["once"]:
            break
    _exit(0)
