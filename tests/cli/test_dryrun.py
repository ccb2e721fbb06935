"""What ``run --dry-run`` says a run will cost, end to end and of made-up forecasts."""

import sqlite3
from pathlib import Path

import pytest

from boostbench.cli.dryrun import lines
from boostbench.cli.forecast import Forecast, Learned, Shapes, forecast
from boostbench.plan.cost import START_S, Record, work_of
from boostbench.plan.trial import Trial


def _told(text: str) -> list[str]:
    return text.strip().splitlines()[1:]


def _edit(folder: Path, sql: str, *values: object) -> None:
    with sqlite3.connect(folder / "store.sqlite") as db:
        db.execute(sql, values)
        # As if it had been recorded so.
        db.execute("UPDATE outcomes SET digest = ''")
        db.execute("DELETE FROM meta WHERE name = 'plan_digest'")
    db.close()


def test_the_recorded_median_is_what_the_same_cell_costs(cli, tiny_run: Path) -> None:
    _edit(tiny_run, 'UPDATE outcomes SET times = \'{"wall_s": 100, "peak_rss_mib": 210}\'')
    done = cli("run", "tiny.yaml", "--dry-run", "--set", "seeds=4", "--jobs", "1")
    # Eight more trials, and a moment to begin.
    assert _told(done.out) == [
        "about 13 min (12 to 15 min) on 1 worker, longest trial about 2 min; "
        "memory: about 210 MiB a worker",
        "learned from 8 trials recorded here",
    ]
    part = cli(
        "run", "tiny.yaml", "--dry-run", "--set", "seeds=4", "--only", "method=dummy", "--again"
    )
    assert "8 to run on" in part.out
    shard = cli("run", "tiny.yaml", "--dry-run", "--again", "--shard", "1/4", "--jobs", "1")
    assert "about 3 min" in shard.out
    assert "learned from 8 trials in 1 other results folder" in shard.out


def test_failed_and_skipped_trials_are_no_times(cli, tiny_run: Path) -> None:
    _edit(tiny_run, "UPDATE outcomes SET status = 'error'")
    done = cli("run", "tiny.yaml", "--dry-run", "--set", "seeds=4")
    assert _told(done.out) == ["no recorded times yet to estimate from"]
    _edit(tiny_run, "UPDATE outcomes SET status = 'ok' WHERE trial LIKE '%DummyRegressor%'")
    done = cli("run", "tiny.yaml", "--dry-run", "--set", "seeds=4")
    assert (
        "not in this: 4 trials of method Ridge, of which nothing is recorded that would tell"
        in done.out
    )
    assert "learned from 4 trials recorded here" in done.out


def test_other_results_are_learned_from_only_where_they_can_be_read_and_fit(
    cli, tiny_run: Path, folder: Path
) -> None:
    (folder / "results" / "broken").mkdir()
    (folder / "results" / "broken" / "store.sqlite").write_text("no store")
    asked = ["run", "tiny.yaml", "--dry-run", "--set", "name=other", "--set"]
    done = cli(*asked, "datasets=[friedman1]")
    assert done.code == 0
    assert _told(done.out)[1:] == [
        "learned from 8 trials in 1 other results folder; of data or parameters not recorded "
        "before: 8 trials"
    ]
    assert not (folder / "results" / "other").exists()
    _edit(tiny_run, 'UPDATE environments SET description = \'{"cpu": "another one"}\'')
    done = cli(*asked, "datasets=[friedman1]")
    assert _told(done.out) == ["no recorded times yet to estimate from"]


def test_nothing_to_run_costs_nothing(cli, tiny_run: Path) -> None:
    done = cli("run", "tiny.yaml", "--dry-run")
    assert "8 done, 0 to run" in done.out
    assert _told(done.out) == []


def _trial(dataset="d", method="m", seed=0):
    return Trial(
        dataset=dataset, method=method, estimator=f"no.such:{method}", method_version="1",
        fingerprint=dataset, task="regression", folds=4, fold=0, split_seed=0, seed=seed,
        scale_features="minmax", scale_target="standard",
    )  # fmt: skip


def _foretold(to_run, *, jobs=1, time_limit=None, skipped=(), processors=None):
    shapes = Shapes({"d": (1000, 10), "e": (3000, 10)}, Path("nowhere"))
    peaks = [(10.0, 150.0), (10.0, 170.0)]
    records = [Record(work_of(_trial(), (1000, 10)), s, m) for s, m in peaks]
    return forecast(
        to_run, Learned(records, here=2), shapes, jobs=jobs, time_limit=time_limit,
        skipped=dict.fromkeys(skipped, "why"), processors=processors,
    )  # fmt: skip


def test_workers_limits_and_skipped_methods_count_as_they_will() -> None:
    eight = [_trial(seed=seed) for seed in range(8)]
    one = _foretold(eight)
    assert one.seconds == pytest.approx(80 + START_S, abs=0.1)
    assert one.low < 80 < one.high
    assert (one.new, one.over_limit, one.unknown) == (0, 0, {})
    assert (one.peak_mib, one.growth_mib) == (170.0, 20.0)
    assert _foretold(eight, jobs=2).seconds == pytest.approx(40 + START_S, abs=0.1)
    assert _foretold(eight, jobs=3).seconds == pytest.approx(30 + START_S, abs=0.1)
    assert _foretold(eight, jobs=4, processors=2).seconds == pytest.approx(40 + START_S, abs=0.1)
    limited = _foretold(eight, time_limit=4)
    assert limited.seconds == pytest.approx(32 + START_S, abs=0.1)
    assert limited.over_limit == 8
    more = _foretold([*eight, *(_trial(method="s", seed=seed) for seed in range(4))], skipped="s")
    assert more.seconds == pytest.approx(one.seconds, abs=0.1)
    assert more.unknown == {}


def test_what_is_unknown_is_left_out_and_named() -> None:
    found = _foretold([_trial(), _trial("e"), _trial(method="n"), _trial("f"), _trial("f", seed=1)])
    assert found.unknown == {"method n": 1, "data set f": 2}
    assert found.new == 1
    assert 20 + START_S < found.seconds < 60 + START_S
    assert _foretold([_trial(method="n")]).seconds is None
    assert _foretold([]).seconds is None


def _forecast(**changes) -> Forecast:
    given = {"seconds": 1500.0, "low": 900.0, "high": 2400.0, "longest": 40.0, "peak_mib": 310.0}
    return Forecast(**{**given, **changes})


def test_the_words_of_a_forecast() -> None:
    learned = Learned(here=1200, elsewhere=30, folders=2, on_other_processors=3)
    assert lines(_forecast(new=5), learned, 2) == [
        "about 25 min (15 to 40 min) on 2 workers, longest trial about 40 s; "
        "memory: about 310 MiB a worker, 620 MiB in all",
        "learned from 1,200 trials recorded here and 30 trials in 2 other results folders "
        "(3 of them on another processor); of data or parameters not recorded before: 5 trials",
    ]
    assert lines(Forecast(unknown={"method a": 3}), Learned(), 2) == [
        "no recorded times yet to estimate from"
    ]
    assert lines(Forecast(), Learned(), 2) == []


_MIB = 2**20


@pytest.mark.parametrize(
    ("forecast", "limits", "told"),
    [
        ({}, (None, 2**30), ""),
        ({}, (None, 600 * _MIB), "this machine's memory of 600 MiB does not hold that: --jobs 1"),
        ({}, (None, _MIB), "does not hold that: not even one worker fits"),
        ({"growth_mib": 50.0}, (64 * _MIB, None), ""),
        ({"growth_mib": 70.0}, (64 * _MIB, None), "grows by about 70 MiB, over the memory limit"),
        ({"over_limit": 1}, (None, None), "1 trial may reach the time limit, counted at that"),
    ],
)
def test_what_does_not_fit_is_said(forecast, limits, told) -> None:
    said = lines(_forecast(**forecast), Learned(here=1), 2, *limits)[2:]
    assert len(said) == bool(told)
    assert all(told in line for line in said)


def test_a_cluster_is_named_and_its_size_not_guessed(cli, tiny_run: Path) -> None:
    pytest.importorskip("distributed", reason="needs boostbench[cluster]")
    done = cli("run", "tiny.yaml", "--dry-run", "--again", "--cluster", "tcp://127.0.0.1:1")
    assert done.code == 0
    first, *told = done.out.splitlines()
    assert first.endswith("8 to run on the cluster tcp://127.0.0.1:1")
    assert " on 1 worker, " in told[0]
    assert told[-1] == "a cluster takes that by the number of its threads"
