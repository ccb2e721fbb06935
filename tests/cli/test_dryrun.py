"""What ``run --dry-run`` says a run will cost, end to end and of made-up forecasts."""

import shutil
import sqlite3
from pathlib import Path

import pytest

from boostbench.experiment.cost import START_S
from boostbench.experiment.dry_run import lines
from boostbench.experiment.forecast import Costs, Forecast, Shapes, cells_of
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
        "about 13 min on 1 worker, longest trial about 2 min; memory: about 210 MiB per worker",
        "by the medians of 8 trials recorded here",
    ]
    part = cli(
        "run", "tiny.yaml", "--dry-run", "--set", "seeds=4", "--only", "method=dummy", "--again"
    )
    assert "8 to run on" in part.out
    shard = cli("run", "tiny.yaml", "--dry-run", "--again", "--shard", "1/4", "--jobs", "1")
    assert "about 3 min" in shard.out
    assert "by the medians of 8 trials in 1 other results folder" in shard.out


def test_failed_and_skipped_trials_are_no_times(cli, tiny_run: Path) -> None:
    _edit(tiny_run, "UPDATE outcomes SET status = 'error'")
    done = cli("run", "tiny.yaml", "--dry-run", "--set", "seeds=4")
    assert _told(done.out) == ["no recorded times yet to estimate from"]
    _edit(tiny_run, "UPDATE outcomes SET status = 'ok' WHERE trial LIKE '%DummyRegressor%'")
    done = cli("run", "tiny.yaml", "--dry-run", "--set", "seeds=4")
    assert "not in this: 4 trials of method Ridge, of which nothing is recorded\n" in done.out
    assert "by the medians of 4 trials recorded here" in done.out


def test_other_results_are_learned_from_only_where_they_can_be_read_and_fit(
    cli, tiny_run: Path, folder: Path
) -> None:
    (folder / "results" / "broken").mkdir()
    (folder / "results" / "broken" / "store.sqlite").write_text("no store")
    asked = ["run", "tiny.yaml", "--dry-run", "--set", "name=other", "--set"]
    done = cli(*asked, "datasets=[friedman1]")
    assert done.code == 0
    assert _told(done.out)[1:] == [
        "by the medians of 8 trials in 1 other results folder; scaled from other data or "
        "parameters: 8 trials"
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


def _costs() -> Costs:
    costs = Costs(Shapes({"d": (1000, 10), "e": (3000, 10)}, None, {}))
    for seconds, peak in [(10.0, 150.0), (10.0, 170.0)]:
        assert costs.add(_trial(), {"wall_s": seconds, "peak_rss_mib": peak})
    return costs


def _forecast(to_run, *, jobs=1, **options) -> Forecast:
    return _costs().forecast(cells_of(to_run), jobs=jobs, **options)


def test_workers_limits_and_skipped_methods_count_as_they_will() -> None:
    eight = [_trial(seed=seed) for seed in range(8)]
    one = _forecast(eight)
    assert one.seconds == pytest.approx(80 + START_S, abs=0.1)
    assert (one.new, one.over_limit, one.unknown, one.longest) == (0, 0, {}, 10.0)
    assert (one.peak_mib, one.growth_mib) == (170.0, 0.0)
    assert _forecast(eight, jobs=2).seconds == pytest.approx(40 + START_S, abs=0.1)
    assert _forecast(eight[:1], jobs=4).seconds == pytest.approx(10 + START_S, abs=0.1)
    assert _forecast(eight, jobs=4, processors=2).seconds == pytest.approx(40 + START_S, abs=0.1)
    limited = _forecast(eight, time_limit=4.0)
    assert limited.seconds == pytest.approx(32 + START_S, abs=0.1)
    assert limited.over_limit == 8
    more = [*eight, *(_trial(method="s", seed=seed) for seed in range(4))]
    assert _forecast(more, skipped="s").seconds == pytest.approx(one.seconds, abs=0.1)
    assert _forecast(more, skipped="s").unknown == {}
    assert _forecast(more).unknown == {"method s": 4}


def test_what_is_unknown_is_left_out_and_named() -> None:
    to_run = [_trial(), _trial("e"), _trial(method="n"), _trial("f"), _trial("f", seed=1)]
    found = _forecast(to_run)
    assert found.unknown == {"method n": 1, "data set f": 2}
    assert found.new == 1
    # Three times the rows: three times the time.
    assert found.seconds == pytest.approx(10 + 30 + START_S, abs=0.1)
    assert _forecast([_trial(method="n")]).seconds is None
    assert _forecast([]).seconds is None


def _made(**changes) -> Forecast:
    return Forecast(**{"seconds": 1500.0, "longest": 40.0, "peak_mib": 310.0, **changes})


def _learned(**counts) -> Costs:
    costs = _costs()
    for name, value in counts.items():
        setattr(costs, name, value)
    return costs


def test_the_words_of_a_forecast() -> None:
    learned = _learned(here=1200, elsewhere=30, folders=2, on_other_processors=3)
    assert lines(_made(new=5), learned, 2) == [
        "about 25 min on 2 workers, longest trial about 40 s; "
        "memory: about 310 MiB per worker, 620 MiB in all",
        "by the medians of 1,200 trials recorded here and 30 trials in 2 other results folders "
        "(3 of them on another processor); scaled from other data or parameters: 5 trials",
    ]
    assert lines(Forecast(unknown={"method a": 3}), learned, 2) == [
        "no recorded times yet to estimate from"
    ]
    assert lines(Forecast(), learned, 2) == []


def test_the_live_view_status_and_the_dry_run_have_one_estimate(
    cli, tiny_run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("boostbench.engine.os_processes.processors", lambda: 2)
    monkeypatch.setattr("boostbench.experiment.run.processors", lambda: 2)
    _edit(tiny_run, "UPDATE outcomes SET times = '{\"wall_s\": 100}'")
    # A neighbour says otherwise: what is recorded here decides, in all three places.
    shutil.copytree(tiny_run, tiny_run.parent / "neighbour")
    _edit(tiny_run.parent / "neighbour", "UPDATE outcomes SET times = '{\"wall_s\": 9000}'")
    _edit(tiny_run, "DELETE FROM outcomes WHERE trial LIKE '%\"seed\":1%'")
    dry = cli("run", "tiny.yaml", "--dry-run", "-j", "1")
    assert _told(dry.out)[0].startswith("about 7 min on 1 worker, longest trial about 2 min")
    # For the workers of the line that resumes it.
    status = cli("status", "tiny")
    assert "--jobs 1" in status.out
    assert "the rest: about 7 min on 1 worker, longest trial about 2 min" in status.out
    forget = "UPDATE meta SET value = json_remove(value, '$.jobs') WHERE name = 'experiment'"
    _edit(tiny_run, forget)
    status = cli("status", "tiny")
    assert "--jobs" not in status.out
    assert "the rest: about 3 min on 2 workers, longest trial about 2 min" in status.out


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
    said = lines(_made(**forecast), _learned(here=1), 2, *limits)[2:]
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
