"""What ``run --dry-run`` says a run will cost, end to end and of made-up times."""

from dataclasses import replace
from pathlib import Path

import pytest
from helpers.results import edit

from boostbench.experiment.estimate import Costs, Estimate, cells_of
from boostbench.plan.trial import Trial


def _told(text: str) -> list[str]:
    return text.strip().splitlines()[1:]


def test_the_recorded_median_is_what_the_same_cell_costs(cli, tiny_run: Path) -> None:
    edit(tiny_run, 'UPDATE outcomes SET times = \'{"wall_s": 100, "peak_rss_mib": 210}\'')
    done = cli("run", "tiny.yaml", "--dry-run", "--set", "seeds=4", "--jobs", "1")
    assert _told(done.out) == [
        "about 13 min on 1 worker, longest trial about 2 min; memory: about 210 MiB per worker",
        "by the medians of 8 trials recorded here",
    ]
    part = cli(
        "run", "tiny.yaml", "--dry-run", "--set", "seeds=4", "--only", "method=dummy", "--again"
    )
    assert "8 to run on" in part.out
    shard = cli("run", "tiny.yaml", "--dry-run", "--again", "--shard", "1/4", "--jobs", "1")
    assert _told(shard.out) == ["no recorded times yet to estimate from"]


def test_failed_and_skipped_trials_are_no_times(cli, tiny_run: Path) -> None:
    edit(tiny_run, "UPDATE outcomes SET status = 'error'")
    done = cli("run", "tiny.yaml", "--dry-run", "--set", "seeds=4")
    assert _told(done.out) == ["no recorded times yet to estimate from"]
    edit(tiny_run, "UPDATE outcomes SET status = 'ok' WHERE trial LIKE '%DummyRegressor%'")
    done = cli("run", "tiny.yaml", "--dry-run", "--set", "seeds=4")
    assert "not in this: 4 trials like which none is recorded\n" in done.out
    assert "by the medians of 4 trials recorded here" in done.out


def test_the_archive_is_learned_from_where_the_store_has_nothing(cli, tiny_run: Path) -> None:
    assert cli("archive", "tiny").code == 0
    edit(tiny_run, "UPDATE outcomes SET times = '{\"wall_s\": 100}'")
    edit(tiny_run, "DELETE FROM outcomes WHERE trial LIKE '%DummyRegressor%'")
    done = cli("run", "tiny.yaml", "--dry-run", "--again", "--jobs", "1")
    assert _told(done.out)[0].startswith("about 7 min on 1 worker, longest trial about 2 min")
    assert _told(done.out)[1:] == [
        "by the medians of 4 trials recorded here and 4 trials recorded in the archive"
    ]


def _trial(dataset="d", method="m", seed=0):
    return Trial(
        dataset=dataset, method=method, estimator=f"no.such:{method}", method_version="1",
        fingerprint=dataset, task="regression", folds=4, fold=0, split_seed=0, seed=seed,
        scale_features="minmax", scale_target="standard",
    )  # fmt: skip


def _costs(**options) -> Costs:
    costs = Costs(**options)
    for seconds, peak in [(9.0, 150.0), (10.0, 170.0), (50.0, 160.0)]:
        assert costs.add(_trial(), {"wall_s": seconds, "peak_rss_mib": peak})
    assert not costs.add(_trial(), {})
    return costs


def _estimate(to_run, *, jobs=1, **options) -> Estimate:
    return _costs(**options).estimate(cells_of(to_run), jobs)


def test_workers_limits_and_skipped_methods_count_as_they_will() -> None:
    eight = [_trial(seed=seed) for seed in range(8)]
    one = _estimate(eight)
    assert one == Estimate(seconds=80.0, longest=10.0, peak_mib=170.0)
    assert _estimate(eight, jobs=2).seconds == 40
    assert _estimate(eight[:1], jobs=4).seconds == 10
    assert _estimate(eight, jobs=4, processors=2).seconds == 40
    limited = _estimate(eight, time_limit=4.0)
    assert (limited.seconds, limited.over_limit) == (32, 8)
    more = [*eight, *(_trial(method="s", seed=seed) for seed in range(4))]
    assert _estimate(more, skipped=["s"]) == one
    assert _estimate(more) == replace(one, unknown=4)
    assert _estimate([_trial(method="n")]) == Estimate(unknown=1)
    assert _estimate([]) == Estimate()


def _made(**changes) -> Estimate:
    return Estimate(**{"seconds": 1500.0, "longest": 40.0, "peak_mib": 310.0, **changes})


def _learned(here: int = 0, archived: int = 0) -> Costs:
    costs = Costs()
    costs.here, costs.archived = here, archived
    return costs


def test_the_live_view_status_and_the_dry_run_have_one_estimate(
    cli, tiny_run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("boostbench.engine.os_processes.processors", lambda: 2)
    monkeypatch.setattr("boostbench.experiment.run.processors", lambda: 2)
    edit(tiny_run, "UPDATE outcomes SET times = '{\"wall_s\": 100}'")
    edit(tiny_run, "DELETE FROM outcomes WHERE trial LIKE '%\"seed\":1%'")
    dry = cli("run", "tiny.yaml", "--dry-run", "-j", "1")
    assert _told(dry.out)[0].startswith("about 7 min on 1 worker, longest trial about 2 min")
    # For the workers of the line that resumes it.
    status = cli("status", "tiny")
    assert "--jobs 1" in status.out
    assert "the rest: about 7 min on 1 worker, longest trial about 2 min" in status.out
    forget = "UPDATE meta SET value = json_remove(value, '$.jobs') WHERE name = 'experiment'"
    edit(tiny_run, forget)
    status = cli("status", "tiny")
    assert "--jobs" not in status.out
    assert "the rest: about 3 min on 2 workers, longest trial about 2 min" in status.out


_MIB = 2**20


@pytest.mark.parametrize(
    ("made", "limits", "told"),
    [
        ({}, (None, 2**30), ""),
        ({}, (None, 600 * _MIB), "this machine's memory of 600 MiB does not hold that: --jobs 1"),
        ({}, (None, _MIB), "does not hold that: not even one worker fits"),
        ({"growth_mib": 50.0}, (64 * _MIB, None), ""),
        ({"growth_mib": 70.0}, (64 * _MIB, None), "grows by about 70 MiB, over the memory limit"),
        ({"over_limit": 1}, (None, None), "1 trial may reach the time limit, counted at that"),
    ],
)
def test_what_does_not_fit_is_said(made, limits, told) -> None:
    said = _learned(here=1).lines(_made(**made), 2, *limits)[2:]
    assert len(said) == bool(told)
    assert all(told in line for line in said)


def test_a_cluster_is_named_and_its_size_not_guessed(cli, tiny_run: Path) -> None:
    pytest.importorskip("distributed", reason="needs boostbench[cluster]")
    done = cli("run", "tiny.yaml", "--dry-run", "--again", "--cluster", "tcp://127.0.0.1:1")
    assert done.code == 0
    first, *told = done.out.splitlines()
    assert first.endswith("8 to run on the cluster tcp://127.0.0.1:1")
    assert " on 1 worker, " in told[0]
    assert told[-1] == "a cluster takes that divided by the number of its threads"
