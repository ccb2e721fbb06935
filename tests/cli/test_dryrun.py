"""What ``run --dry-run`` says a run will cost, end to end and of made-up times."""

from dataclasses import replace
from pathlib import Path

import pytest
from trials import make_trial

from boostbench.experiment.estimate import Costs, Estimate, alike
from results import edit

pytestmark = pytest.mark.usefixtures("undrawn")

NOTHING = "no recorded times yet to estimate from"


def cost_of(cli, *words: str) -> str:
    """Return what a dry run says of its cost."""
    _, *lines = cli("run", "tiny.yaml", "--dry-run", *words).out.splitlines()
    return "\n".join(lines)


def test_the_estimate_is_the_recorded_median_of_the_cell(cli, tiny_run: Path) -> None:
    edit(tiny_run, 'UPDATE outcomes SET times = \'{"wall_s": 100, "peak_rss_mib": 210}\'')
    assert cost_of(cli, "--set", "seeds=4", "--jobs", "1") == (
        "about 13 min on 1 worker, longest trial about 2 min; memory: about 210 MiB per worker"
    )
    part = ("--set", "seeds=4", "--only", "method=dummy", "--again")
    assert "8 to run on" in cli("run", "tiny.yaml", "--dry-run", *part).out
    assert cost_of(cli, "--again", "--shard", "1/4", "--jobs", "1") == NOTHING


def test_failed_and_skipped_trials_are_no_times(cli, tiny_run: Path) -> None:
    edit(tiny_run, "UPDATE outcomes SET status = 'error'")
    assert cost_of(cli, "--set", "seeds=4") == NOTHING
    edit(tiny_run, "UPDATE outcomes SET status = 'ok' WHERE trial LIKE '%DummyRegressor%'")
    assert "not included: 4 trials like which none is recorded" in cost_of(cli, "--set", "seeds=4")


def test_the_archive_is_learned_from_where_the_store_has_nothing(cli, tiny_run: Path) -> None:
    cli.well("archive", "tiny")
    edit(tiny_run, "UPDATE outcomes SET times = '{\"wall_s\": 100}'")
    edit(tiny_run, "DELETE FROM outcomes WHERE trial LIKE '%DummyRegressor%'")
    (line,) = cost_of(cli, "--again", "--jobs", "1").splitlines()
    assert line.startswith("about 7 min on 1 worker, longest trial about 2 min")


def test_medians_add_up_over_workers() -> None:
    costs = Costs()
    for seconds, peak in [(9.0, 150.0), (10.0, 170.0), (50.0, 160.0)]:
        costs.add(make_trial(), {"wall_s": seconds, "peak_rss_mib": peak})
    costs.add(make_trial(), {})
    eight = [make_trial(seed=seed) for seed in range(8)]
    one = costs.estimate(alike(eight), 1)
    assert one == Estimate(seconds=80.0, longest=10.0, peak_mib=170.0)
    assert costs.estimate(alike(eight), 2).seconds == 40
    assert costs.estimate(alike(eight[:1]), 4).seconds == 10
    more = [*eight, *(make_trial(method="s", seed=seed) for seed in range(4))]
    assert costs.estimate(alike(more), 1) == replace(one, unknown=4)
    assert costs.estimate(alike([make_trial(method="n")]), 1) == Estimate(unknown=1)
    assert costs.estimate(alike([]), 1) == Estimate()


def test_status_and_the_dry_run_have_one_estimate(cli, tiny_run: Path, monkeypatch) -> None:
    monkeypatch.setattr("boostbench.experiment.state.processors", lambda: 2)
    edit(tiny_run, "UPDATE outcomes SET times = '{\"wall_s\": 100}'")
    edit(tiny_run, "DELETE FROM outcomes WHERE trial LIKE '%\"seed\":1%'")
    estimate = "about 7 min on 1 worker, longest trial about 2 min"
    assert cost_of(cli, "-j", "1").startswith(estimate)
    # For the workers of the line that resumes it.
    status = cli("status", "tiny").out
    assert "--jobs 1" in status
    assert f"the rest: {estimate}" in status
    edit(tiny_run, "UPDATE meta SET value = json_remove(value, '$.jobs') WHERE name = 'experiment'")
    status = cli("status", "tiny").out
    assert "--jobs" not in status
    assert "the rest: about 3 min on 2 workers, longest trial about 2 min" in status


def test_a_cluster_is_named_and_its_size_not_guessed(cli, tiny_run: Path) -> None:
    pytest.importorskip("distributed", reason="needs boostbench[cluster]")
    words = ("--dry-run", "--again", "--cluster", "tcp://127.0.0.1:1")
    first, text = cli.well("run", "tiny.yaml", *words).out.splitlines()
    assert first.endswith("8 to run on the cluster tcp://127.0.0.1:1")
    assert " on 1 worker, " in text
