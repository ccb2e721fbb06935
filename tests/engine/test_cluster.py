"""A run on a dask cluster is the run it is here: the same results, limits, and ways to end."""

import asyncio
import dataclasses
import os
import signal
import subprocess
import sys
import threading
from importlib import metadata

import numpy
import pytest
from driving import start
from support import TrialLimits, ended, exported, reader, run, save_small, trial, wait_until
from support_cluster import Cluster, copy_with_other_sources, run_there, stop

from boostbench.cli.app import main
from boostbench.data.arrays import save_rows
from boostbench.engine.dask.dispatch import run_on_cluster
from boostbench.engine.dask.options import cluster_spec
from boostbench.engine.environment import differences, snapshot
from boostbench.errors import BoostbenchError, ConfigError

distributed = pytest.importorskip("distributed", reason="needs boostbench[cluster]")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """A scheduler and a worker of two threads, which stay whole."""
    with Cluster(tmp_path_factory.mktemp("cluster"), workers=0) as made:
        made.start_worker("--nthreads", "2")
        yield made


def test_same_bytes_as_here_with_failures_limits_and_listed_rows(tmp_path, mark, cluster):
    trials = [trial(mark, "Noisy", i % 4, i // 4) for i in range(12)]
    trials += [trial(mark, name) for name in ("IgnoresSigterm", "Aborts", "Unavailable", "Prints")]
    trials += [trial(mark, "RaisesUnpicklable"), trial(mark, "ChangesData")]
    for fold, end in enumerate((10, 20)):
        rows = save_rows((numpy.arange(end), numpy.arange(end, end + 5)), tmp_path / "arrays")
        changed = {"split": "time", "overlap": "windows", "rows": rows}
        trials.append(dataclasses.replace(trial(mark, "Mean", fold), **changed))
    limits = TrialLimits(time_s=1.0, grace_s=0.1)
    here, _ = run(tmp_path, trials, jobs=2, limits=limits)
    events = []
    there, summary = run_there(
        tmp_path / "there", trials, cluster.address, tmp_path / "arrays", limits, events.append
    )
    assert exported(tmp_path / "there") == exported(tmp_path / "results")
    by_name = {t.method: o for t, o in zip(trials, there, strict=True)}
    assert by_name["ignoressigterm"].status == "timeout"
    assert by_name["ignoressigterm"].reason == "over the time limit of 1 s"
    assert [bool(o.traceback) for o in there] == [bool(o.traceback) for o in here]
    assert [bool(o.output) for o in there] == [bool(o.output) for o in here]
    assert "Fatal Python error: Aborted" in by_name["aborts"].output
    # Workers get the rows that the plan lists.
    for outcomes in (here, there):
        sizes = [(one.metrics["n_train"], one.metrics["n_test"]) for one in outcomes[-2:]]
        assert sizes == [(10, 5), (20, 5)]
    assert not summary.interrupted
    assert summary.done == len(trials)
    kinds = [(e.kind, e.trial.key) for e in events if e.trial is not None]
    assert sorted(kinds) == sorted((kind, t.key) for kind in ("start", "end") for t in trials)
    with reader(tmp_path / "there") as store:
        ((name, described),) = store.environments().items()
        assert store.environment_ids()[trials[0].key] == name
        assert differences(described, snapshot()) == []


def test_data_goes_out_once_and_to_a_worker_that_comes_later_and_fits(tmp_path, mark, monkeypatch):
    # The workers do not see the folder of the arrays, as on another machine.
    hidden = tmp_path / "hidden.py"
    hidden.write_text(
        "import builtins\n"
        "def see(file, *args, real=open, **kwargs):\n"
        f"    if str(file).startswith({str(tmp_path / 'arrays')!r}):\n"
        "        raise FileNotFoundError(file)\n"
        "    return real(file, *args, **kwargs)\n"
        "builtins.open = see\n"
    )
    sent = []

    def scatter(client, data, *args, original=distributed.Client.scatter, **kwargs):
        sent.append(len(data))
        return original(client, data, *args, **kwargs)

    monkeypatch.setattr(distributed.Client, "scatter", scatter)
    second, gate = save_small(tmp_path / "arrays", 44), tmp_path / "gate"
    trials = [trial(mark, "Noisy"), trial(mark, "elsewhere:Waits", where=str(gate))]
    trials += [trial(second, "elsewhere:Takes", i % 4, i // 4, seconds=0.3) for i in range(8)]
    other = {"PYTHONPATH": copy_with_other_sources(tmp_path / "copy")}
    is_unlike = "it is unlike this machine (sources of boostbench "
    notes = []
    with Cluster(tmp_path / "own", workers=0) as own:
        fitting = [own.start_worker("--preload", str(hidden))]

        def listen(event):
            notes.append(event.detail)
            if event.kind == "end" and event.trial == trials[0]:
                own.start_worker(environment=other)
            elif is_unlike in event.detail:
                fitting.append(own.start_worker("--preload", str(hidden)))
            elif event.kind == "end":
                gate.touch()

        outcomes, _ = run_there(
            tmp_path / "there", trials, own.address, tmp_path / "arrays", listener=listen
        )
        assert {o.status for o in outcomes} == {"ok"}
        # Each data set once from here: the second worker has it from the first.
        files = [tmp_path / "arrays" / f"{name}.npz" for name in (mark, second)]
        assert sent == [path.stat().st_size for path in files]
        # One that does not fit ends no run in which others are at work.
        (unfit,) = {text for text in notes if is_unlike in text}
        assert "): install the same there; until then it gets no trials" in unfit

        for worker in fitting:
            stop(worker)
        with distributed.Client(own.address, set_as_default=False) as client:
            wait_until(lambda: len(client.scheduler_info()["workers"]) == 1)
        with pytest.raises(BoostbenchError) as caught:
            run_there(tmp_path / "none", [trial(mark)], own.address, tmp_path / "arrays")
    with reader(tmp_path / "none") as store:
        assert store.outcomes() == {}
    assert caught.value.exit_code == 2
    text = str(caught.value)
    assert "\n" not in text
    assert "the worker tcp://127.0.0.1:" in text
    assert is_unlike in text


def test_a_command_with_modules_beside_the_experiment(tmp_path, cluster, monkeypatch, capsys):
    (tmp_path / "sent_along.py").write_text(
        "from sklearn.linear_model import Ridge\nfrom sent_beside import ALPHA\n\n\n"
        "class Mine(Ridge):\n    def fit(self, X, y):\n"
        "        self.alpha = ALPHA\n        return super().fit(X, y)\n"
    )
    (tmp_path / "sent_beside.py").write_text("ALPHA = 2.0\n")
    (tmp_path / "mine.yaml").write_text(
        "name: mine\ndatasets: [diabetes]\nfolds: 2\nseeds: 2\n"
        "methods: [{name: mine, estimator: sent_along.Mine}]\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BOOSTBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("boostbench.cli.screen.Screen.report", lambda *_: None)
    with pytest.raises(SystemExit) as ended:
        main(["run", "mine.yaml", "--cluster", cluster.address.removeprefix("tcp://")])
    out, err = capsys.readouterr()
    assert ended.value.code == 0, err
    assert f"4 of 4 trials to run on the cluster {cluster.address}; results in" in err
    assert "distributed" not in err
    assert "trials: 4 ok" in out


def test_an_interrupt_takes_back_what_waits_at_a_worker_and_a_second_ends_what_runs(
    tmp_path, mark, cluster
):
    begun = [tmp_path / f"begun{number}" for number in range(12)]
    long, done, begun_at_stop, timers = begun[5], [], [], []

    def count():
        return sum(path.exists() for path in begun)

    def interrupt_after(seconds):
        timers.append(threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT)))
        timers[-1].start()

    def interrupt_when_the_long_one_runs():
        wait_until(long.exists)
        interrupt_after(0.3)

    def listen(event):
        if event.kind == "end":
            done.append(event.trial.key)
            if len(done) == 4:  # the trials are known to be short: two per thread are submitted
                threading.Thread(target=interrupt_when_the_long_one_runs).start()
        elif event.kind == "stop":
            begun_at_stop.append(count())
            # Until then both of those that waited would have begun.
            interrupt_after(2.5)

    trials = [
        trial(mark, "elsewhere:Takes", i % 4, i // 4, seconds=0.7, where=str(path))
        for i, path in enumerate(begun)
    ]
    trials[5] = trial(mark, "elsewhere:Takes", seconds=600, where=str(long))
    try:
        outcomes, summary = run_there(
            tmp_path / "there", trials, cluster.address, tmp_path / "arrays", listener=listen
        )
    finally:
        for timer in timers:
            timer.cancel()
    assert summary.interrupted
    # One may have begun between the interrupt and the message that takes the others back.
    assert count() <= begun_at_stop[0] + 1
    assert count() < len(begun)
    assert outcomes[5] is None
    assert ended([int(long.read_text())])


def test_trials_end_with_a_client_that_is_killed(tmp_path, cluster):
    process = start(tmp_path, cluster.address, "long", stderr=subprocess.PIPE)
    files = [tmp_path / "at0", tmp_path / "at1"]
    wait_until(
        # A file is there before its number is.
        lambda: all(f.exists() and f.read_text() for f in files),
        "the trials never began",
    )
    process.kill()
    assert process.communicate(timeout=200)[1] == ""
    assert ended([int(f.read_text()) for f in files])


@pytest.mark.parametrize(
    ("target", "text", "sentence"),
    [
        ("nowhere", None, "give the address of a dask scheduler"),
        ("slrum", None, r"did you mean 'slurm'\?"),
        ("slurm", "corse: 1", r"file.yaml:1:1: SLURMCluster has no argument 'corse' .*'cores'"),
        ("slurm", "cores: 1", "file.yaml:1:1: 'jobs' must be"),
        ("slurm", "cores: 1\njobs: many", "file.yaml:2:7: 'jobs' must be"),
        ("slurm", "- 1", "file.yaml:1:1: give jobs and the arguments of SLURMCluster"),
        ("slurm", None, "--cluster-config FILE belongs to --cluster slurm"),
        ("host:8786", "cores: 1", "--cluster-config FILE belongs to --cluster slurm"),
        ("pbs", "a: [", "file.yaml:1:"),
    ],
)
def test_wrong_cluster_options(tmp_path, target, text, sentence):
    path = None
    if text is not None:
        path = tmp_path / "file.yaml"
        path.write_text(text)
    with pytest.raises(ConfigError, match=sentence) as caught:
        cluster_spec(target, path)
    assert len(str(caught.value).splitlines()) == 1


def test_a_batch_system_leaves_the_handling_of_ctrl_c():
    code = (
        "import signal, sys; from boostbench.engine.dask.options import batch_class; "
        "batch_class('slurm'); sys.exit(signal.getsignal(signal.SIGINT).__name__)"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code], stderr=subprocess.PIPE, text=True)
    assert done.stderr == "default_int_handler\n"


@pytest.mark.parametrize(
    ("module", "target"), [("distributed", "host:8786"), ("dask_jobqueue", "slurm")]
)
def test_without_the_extra_a_sentence_says_which(monkeypatch, module, target):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ConfigError, match=r"pip install 'boostbench\[cluster\]'"):
        cluster_spec(target, None)
    # An address needs no batch system.
    if module != "distributed":
        assert cluster_spec("host:8786", None).target == "tcp://host:8786"


def test_a_worker_with_another_version_of_what_own_code_imports_is_not_used(
    tmp_path, mark, cluster, monkeypatch
):
    (tmp_path / "needs_toolz.py").write_text(
        "import toolz\nfrom sklearn.dummy import DummyRegressor\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    version = metadata.version
    monkeypatch.setattr(metadata, "version", lambda name: "0" if name == "toolz" else version(name))
    trials = [trial(mark, "needs_toolz:DummyRegressor")]
    with pytest.raises(BoostbenchError, match="unlike this machine \\(toolz 0 -> "):
        run_there(tmp_path / "there", trials, cluster.address, tmp_path / "arrays")


def test_inside_an_event_loop_a_cluster_is_refused(tmp_path):
    async def cell():
        run_on_cluster([], None, cluster=None, arrays_dir=tmp_path)

    with pytest.raises(ConfigError, match="as in a notebook"):
        asyncio.run(cell())
