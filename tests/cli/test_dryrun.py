"""What ``run --dry-run`` says a run will cost, end to end and of made-up forecasts."""

import re
import sqlite3
from pathlib import Path

import pytest

from boostbench.cli.dryrun import lines
from boostbench.cli.forecast import Forecast, Learned


def _told(text: str) -> list[str]:
    return text.strip().splitlines()[1:]


def _edit(folder: Path, sql: str, *values: object) -> None:
    with sqlite3.connect(folder / "store.sqlite") as db:
        db.execute(sql, values)
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
    assert (
        re.search(
            r"learned from 8 trials in 1 other results folder; of data or parameters not recorded "
            r"before: 16 trials$",
            done.out.strip(),
        )
        or "16 trials" not in done.out
    )
    assert "learned from 8 trials in 1 other results folder" in done.out
    assert not (folder / "results" / "other").exists()
    _edit(tiny_run, 'UPDATE environments SET description = \'{"cpu": "another one"}\'')
    done = cli(*asked, "datasets=[friedman1]")
    assert _told(done.out) == ["no recorded times yet to estimate from"]


def test_nothing_to_run_costs_nothing(cli, tiny_run: Path) -> None:
    done = cli("run", "tiny.yaml", "--dry-run")
    assert "8 done, 0 to run" in done.out
    assert _told(done.out) == []


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
