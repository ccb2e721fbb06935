"""What ``run --dry-run`` says a run will cost, end to end and of made-up times."""

from dataclasses import replace
from pathlib import Path

import pytest
from helpers.results import edit
from helpers.trials import make_trial

from boostbench.experiment.estimate import Costs, Estimate

NOTHING = ["no recorded times yet to estimate from"]


def _told(text: str) -> list[str]:
    return text.strip().splitlines()[1:]


def test_the_recorded_median_is_what_the_same_cell_costs(cli, tiny_run: Path) -> None:
    edit(tiny_run, 'UPDATE outcomes SET times = \'{"wall_s": 100, "peak_rss_mib": 210}\'')
    done = cli("run", "tiny.yaml", "--dry-run", "--set", "seeds=4", "--jobs", "1")
    assert _told(done.out) == [
        "about 13 min on 1 worker, longest trial about 2 min; memory: about 210 MiB per worker"
    ]
    part = cli(
        "run", "tiny.yaml", "--dry-run", "--set", "seeds=4", "--only", "method=dummy", "--again"
    )
    assert "8 to run on" in part.out
    shard = cli("run", "tiny.yaml", "--dry-run", "--again", "--shard", "1/4", "--jobs", "1")
    assert _told(shard.out) == NOTHING


def test_failed_and_skipped_trials_are_no_times(cli, tiny_run: Path) -> None:
    edit(tiny_run, "UPDATE outcomes SET status = 'error'")
    done = cli("run", "tiny.yaml", "--dry-run", "--set", "seeds=4")
    assert _told(done.out) == NOTHING
    edit(tiny_run, "UPDATE outcomes SET status = 'ok' WHERE trial LIKE '%DummyRegressor%'")
    done = cli("run", "tiny.yaml", "--dry-run", "--set", "seeds=4")
    assert "not in this: 4 trials like which none is recorded\n" in done.out


def test_the_archive_is_learned_from_where_the_store_has_nothing(cli, tiny_run: Path) -> None:
    assert cli("archive", "tiny").code == 0
    edit(tiny_run, "UPDATE outcomes SET times = '{\"wall_s\": 100}'")
    edit(tiny_run, "DELETE FROM outcomes WHERE trial LIKE '%DummyRegressor%'")
    done = cli("run", "tiny.yaml", "--dry-run", "--again", "--jobs", "1")
    (told,) = _told(done.out)
    assert told.startswith("about 7 min on 1 worker, longest trial about 2 min")


def test_medians_add_up_over_workers() -> None:
    costs = Costs()
    for seconds, peak in [(9.0, 150.0), (10.0, 170.0), (50.0, 160.0)]:
        costs.add(make_trial(), {"wall_s": seconds, "peak_rss_mib": peak})
    costs.add(make_trial(), {})
    eight = [make_trial(seed=seed) for seed in range(8)]
    one = costs.estimate(eight, 1)
    assert one == Estimate(seconds=80.0, longest=10.0, peak_mib=170.0)
    assert costs.estimate(eight, 2).seconds == 40
    assert costs.estimate(eight[:1], 4).seconds == 10
    more = [*eight, *(make_trial(method="s", seed=seed) for seed in range(4))]
    assert costs.estimate(more, 1) == replace(one, unknown=4)
    assert costs.estimate([make_trial(method="n")], 1) == Estimate(unknown=1)
    assert costs.estimate([], 1) == Estimate()


def test_the_live_view_status_and_the_dry_run_have_one_estimate(
    cli, tiny_run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("boostbench.experiment.state.processors", lambda: 2)
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


def test_a_cluster_is_named_and_its_size_not_guessed(cli, tiny_run: Path) -> None:
    pytest.importorskip("distributed", reason="needs boostbench[cluster]")
    done = cli("run", "tiny.yaml", "--dry-run", "--again", "--cluster", "tcp://127.0.0.1:1")
    assert done.code == 0
    first, told = done.out.splitlines()
    assert first.endswith("8 to run on the cluster tcp://127.0.0.1:1")
    assert " on 1 worker, " in told
