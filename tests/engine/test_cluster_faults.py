"""Workers and the scheduler are killed, workers end their hosts: nothing is lost or different."""

import dataclasses
import os
import signal
import stat
import sys
import threading
from contextlib import nullcontext

import pytest
from driving import processes_of
from support import ended, exported, reader, run_in_this_process, trial, wait_until
from support_cluster import Cluster, Killer, copy_with_other_sources, run_there, stop

from boostbench.engine.os_processes import descendants
from boostbench.errors import BoostbenchError

distributed = pytest.importorskip("distributed", reason="needs boostbench[cluster]")

# By hand: BOOSTBENCH_STRESS=10 pytest tests/engine/test_cluster_faults.py
STRESS = int(os.environ.get("BOOSTBENCH_STRESS", "1"))


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """A scheduler and its workers, which tests start, kill and replace."""
    with Cluster(tmp_path_factory.mktemp("cluster"), workers=0) as made:
        yield made


def have(cluster, count):
    """Start workers until there are ``count``."""
    for _ in range(count - sum(worker.poll() is None for worker in cluster.workers)):
        cluster.start_worker()


@pytest.mark.long
def test_a_worker_that_is_lost_while_it_warms_up_costs_no_trial(
    tmp_path, mark, shared, monkeypatch
):
    monkeypatch.setattr("boostbench.engine.dask.dispatch.MAX_LOSSES", 1)
    have(shared, 1)
    begun, killed = [], []

    def strike():
        worker = shared.workers[0].pid
        wait_until(lambda: processes_of(worker))
        killed.append(list(begun))
        shared.kill_worker()

    striker = threading.Thread(target=strike, daemon=True)
    striker.start()
    outcomes, _ = run_there(
        tmp_path / "there",
        [trial(mark, fold=fold) for fold in range(2)],
        shared.address,
        tmp_path / "arrays",
        listener=lambda event: begun.append(event.kind) if event.trial else None,
    )
    striker.join()
    assert killed == [[]]
    assert [o.status for o in outcomes] == ["ok"] * 2


def test_killed_workers_change_nothing(tmp_path, mark, shared):
    count = 12 if STRESS == 1 else 24 * STRESS
    trials = [trial(mark, "elsewhere:Takes", i % 4, i // 4, seconds=0.25) for i in range(count)]
    run_in_this_process(tmp_path, trials)
    have(shared, 2 if STRESS == 1 else 3)
    note, said, orphans = [], [], []

    def listen(event):
        if event.kind == "worker" and event.detail:
            said.append(event.detail)
        if event.kind == "end":
            note.append(event.trial.key)
            # Killed while another one works.
            if STRESS == 1 and len(note) == 4:
                busy = max(shared.workers, key=lambda w: len(descendants(w.pid)))
                orphans.extend(descendants(busy.pid))
                shared.kill_worker(shared.workers.index(busy))

    killer = Killer(shared, 2.0)
    with killer if STRESS > 1 else nullcontext():
        outcomes, summary = run_there(
            tmp_path / "there", trials, shared.address, tmp_path / "arrays", listener=listen
        )
    assert ended(orphans)
    assert {o.status for o in outcomes} == {"ok"}
    assert len(note) == len(set(note)) == summary.done == len(trials)
    assert any("was lost: its trials run again" in text for text in said)
    assert killer.kills >= 5 if STRESS > 1 else len(orphans) >= 2
    assert exported(tmp_path / "there") == exported(tmp_path / "results")


def test_short_trials_go_together_and_one_that_ends_several_workers_stays_pending(
    tmp_path, mark, monkeypatch
):
    monkeypatch.setattr("boostbench.engine.dask.dispatch.MAX_LOSSES", 2)
    monkeypatch.setattr("boostbench.engine.dask.dispatch._BATCH_S", 60.0)
    sent = []

    def submit(client, function, *args, original=distributed.Client.submit, **kwargs):
        if function.__name__ == "run_trials":
            sent.append(len(args[1]))
        return original(client, function, *args, **kwargs)

    monkeypatch.setattr(distributed.Client, "submit", submit)
    trials = [trial(mark, "elsewhere:Takes", i % 4, i // 4, seconds=0.3) for i in range(6)]
    # It is taken for a short one, too, until it has ended a worker.
    ends_workers = trial(mark, "elsewhere:EndsWorkers", 3, 9)
    trials.insert(1, dataclasses.replace(ends_workers, method=trials[0].method))
    said, ended_trials = [], []
    with Cluster(tmp_path / "cluster", workers=1) as own:

        def listen(event):
            said.append(event.detail)
            if event.kind == "end":
                ended_trials.append(event.trial.key)
            if "was lost" in event.detail:
                own.start_worker()

        outcomes, summary = run_there(
            tmp_path / "there", trials, own.address, tmp_path / "arrays", listener=listen
        )
        lost = sum(worker.poll() is not None for worker in own.workers)
    with reader(tmp_path / "there") as store:
        assert [t.key for t in store.missing()] == [trials[1].key]
    assert outcomes.pop(1) is None
    assert {o.status for o in outcomes} == {"ok"}
    assert summary.counts == {"ok": 6}
    assert not summary.interrupted
    assert len(ended_trials) == len(set(ended_trials)) == 6
    # How long the first takes is unknown, and what was lost with a worker goes alone.
    assert sent[:2] == [1, 6]
    assert set(sent[2:]) == {1}
    # Dask may have sent it to a third worker before it was cancelled, and a worker that is dead
    # before it reports the trial is not counted.
    assert lost >= 2
    assert (
        "2 workers were lost while they ran elsewhere:takes on small, fold 3, seed 9: "
        "it stays pending, and the next run tries it again"
    ) in said


def test_the_loss_of_the_only_usable_worker_ends_the_run_with_a_sentence(
    tmp_path, mark, monkeypatch
):
    monkeypatch.setattr("boostbench.engine.dask.dispatch._RESTART_S", 1.0)
    other = {"PYTHONPATH": copy_with_other_sources(tmp_path / "copy")}
    # The second ends no earlier than its worker.
    trials = [trial(mark, "Noisy"), trial(mark, "elsewhere:Waits", where=str(tmp_path / "never"))]
    done, said = [], []
    with Cluster(tmp_path / "cluster", workers=1) as own:

        def listen(event):
            said.append(event.detail)
            if event.kind == "end":
                done.append(event.trial.key)
                if len(done) == 1:
                    own.start_worker(environment=other)
            elif "cannot be used" in event.detail:
                stop(own.workers[0])

        with pytest.raises(BoostbenchError, match=r"cannot be used: it is unlike this machine"):
            run_there(tmp_path / "there", trials, own.address, tmp_path / "arrays", listener=listen)
    assert any("was lost: its trials run again" in text for text in said)
    with reader(tmp_path / "there") as store:
        assert [*store.outcomes()] == done


def test_a_scheduler_that_is_lost(tmp_path, mark):
    trials = [trial(mark, "elsewhere:Takes", i % 4, i // 4, seconds=0.3) for i in range(6)]
    kept_here = {}
    with Cluster(tmp_path / "cluster", workers=1) as own:

        def listen(event):
            if event.kind == "end":
                kept_here[event.trial.key] = event.outcome
                if len(kept_here) == 2:
                    own.kill_scheduler()

        with pytest.raises(BoostbenchError, match=r"dask scheduler tcp://.* is gone; recorded"):
            run_there(
                tmp_path / "results", trials, own.address, tmp_path / "arrays", listener=listen
            )
        assert ended([pid for worker in own.workers for pid in descendants(worker.pid)])
    with reader(tmp_path / "results") as store:
        kept = store.outcomes()
    assert kept == kept_here
    # Another run resumes from there, here as well as elsewhere.
    outcomes, summary = run_in_this_process(tmp_path, trials)
    assert summary.done == len(trials) - len(kept) > 0
    assert {o.status for o in outcomes} == {"ok"}


@pytest.mark.long
def test_jobs_of_a_batch_system(tmp_path, mark, monkeypatch):
    """sbatch and scancel are scripts that run the job here; a job that ends is submitted again."""
    commands, jobs = tmp_path / "bin", tmp_path / "jobs"
    commands.mkdir(), jobs.mkdir()
    scripts = {
        "sbatch": f"""cp "$1" {tmp_path}/$$.sh
            setsid bash {tmp_path}/$$.sh > {tmp_path}/$$.log 2>&1 < /dev/null &
            echo $! > {jobs}/$$
            echo Submitted batch job $$""",
        "scancel": f"kill -KILL -- -$(cat {jobs}/$1)",
    }
    for name, text in scripts.items():
        (commands / name).write_text(f"#!/bin/bash\n{text}\n")
        (commands / name).chmod(stat.S_IRWXU)
    monkeypatch.setenv("PATH", f"{commands}:{os.environ['PATH']}")
    config = tmp_path / "slurm.yaml"
    config.write_text(
        f"jobs: 1\ncores: 1\nprocesses: 1\nmemory: 1GB\npython: {sys.executable}\n"
        f"local_directory: {tmp_path}/scratch\nlog_directory: {tmp_path}\n"
        "scheduler_options: {dashboard_address: ':0', host: 127.0.0.1}\n"
        "worker_extra_args: [--no-dashboard]\n"
    )
    pids = []

    def listen(event):
        if event.kind == "end" and not pids:
            (path,) = jobs.iterdir()
            pids.append(int(path.read_text()))
            os.killpg(pids[0], signal.SIGKILL)

    trials = [trial(mark, "elsewhere:Takes", fold) for fold in range(4)]
    with distributed.dask.config.set({"distributed.deploy.lost-worker-timeout": "1s"}):
        outcomes, _ = run_there(
            tmp_path / "there", trials, "slurm", tmp_path / "arrays", config=config, listener=listen
        )
    assert {o.status for o in outcomes} == {"ok"}
    every = [int(path.read_text()) for path in jobs.iterdir()]
    assert len(every) == 2
    assert ended(every)
    (commands / "sbatch").write_text("#!/bin/sh\necho sbatch: error: no such account >&2; exit 1\n")
    with pytest.raises(BoostbenchError, match=r"cannot be submitted: .*no such account") as caught:
        run_there(tmp_path / "more", trials, "slurm", tmp_path / "arrays", config=config)
    assert len(str(caught.value).splitlines()) == 1
    (commands / "sbatch").unlink()
    with pytest.raises(BoostbenchError, match=r"cannot be submitted: .*'sbatch'$"):
        run_there(tmp_path / "more", trials, "slurm", tmp_path / "arrays", config=config)
