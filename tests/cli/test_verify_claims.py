"""``verify CONFIG``: the paper's claims on the terminal and as JSON, from results made by hand."""

import json
import re
from collections.abc import Callable, Mapping
from itertools import product
from pathlib import Path

import pandas as pd
import pytest
from trials import make_trial

import boostbench
from boostbench.methods import get_method
from boostbench.papers import get_paper
from boostbench.store.store import Store
from boostbench.store.types import Outcome

NAMES = list(get_paper("srt").datasets)
Fill = Callable[..., Path]
_STORE = {"store.sqlite", "store.sqlite-wal", "store.sqlite-shm", "store.lock"}


@pytest.fixture
def fill(folder: Path) -> Fill:
    """Return a function that writes results of methods with these means on all data sets.

    Each has four folds, of which the second and fourth are better by ``by``.
    """

    def fill(
        name: str,
        means: Mapping[str, float],
        depth: int = 3,
        by: float = 0.0,
        names: list[str] = NAMES,
        folds: int = 4,
        paper: str | None = "srt",
    ) -> Path:
        path = folder / "results" / name
        params = {method: {**get_method(method).params, "depth": depth} for method in means}
        trials = [
            make_trial(data, method, fold=fold, params=params[method])
            for data, method, fold in product(names, means, range(4))
        ]
        experiment = {
            "name": name,
            "paper": paper,
            "folds": 4,
            "seeds": 1,
            "datasets": [{"name": data, "card": data} for data in names],
        }
        with Store.open(path) as store:
            store.set_plan(experiment, trials)
            store.add_environment("e1", {"python": "3.11"})
            for trial in (trial for trial in trials if trial.fold < folds):
                better = (by, -by)[trial.fold % 2] if trial.method == "srt_l2" else 0.0
                r2 = means[trial.method] + better
                store.record(trial, Outcome("ok", metrics={"r2": r2}, times={"fit_s": 1.0}), "e1")
        return path

    return fill


def verdict_on(text: str, claim: str) -> tuple[str, str]:
    """Return the verdict of the group of a claim of the ledger, and its lines."""
    before, _, after = text.partition(f"\n  {claim} ")
    *_, heading = re.findall(r"^\S.*?(?=:)", before, re.MULTILINE)
    return heading, " ".join(re.split(r"\n {0,3}\S", after)[0].split())


def test_each_claim_has_its_figure_and_interval_under_its_verdict(cli, fill) -> None:
    fill("higher", {"srt_l2": 0.65, "orrt": 0.5}, by=0.01)
    done = cli.well("verify", "higher")
    assert done.err == ""
    verdict, text = verdict_on(done.out, "S-RR-1")
    assert verdict == "reproduced"
    # An sd of .01 * sqrt(4/3) over 4 folds of 15 sets, t = 2.014 with 45 degrees of freedom.
    assert "measured lead of srt_l2 over orrt, mean: 30.0 % [29.4, 30.6]" in text
    assert "stated 29%" in text
    assert "S-OL-1" not in done.out
    assert max(map(len, done.out.splitlines()[:-1])) <= 100
    assert done.out.splitlines()[-1].startswith("results/higher: 106 claims of A. Consolo")
    everything = cli("verify", "higher", "--all").out
    assert len(re.findall(r"^  S-", everything, re.MULTILINE)) == 106
    assert "ort_l is not measured" in verdict_on(everything, "S-OL-1")[1]


def test_a_claim_that_is_open_says_what_would_decide(cli, fill) -> None:
    fill("noisy", {"srt_l2": 0.501, "orrt": 0.5}, by=0.02)
    verdict, text = verdict_on(cli("verify", "noisy").out, "S-RR-1")
    assert verdict == "undecided"
    assert "measured: weaker, but the interval reaches" in text


def test_a_claim_in_full_has_its_bands_and_its_other_readings(cli, fill) -> None:
    fill("higher", {"srt_l2": 0.65, "orrt": 0.5, "orrt_trained": 0.7})
    out = " ".join(cli("verify", "higher", "--claim", "S-RR-1").out.split())
    for text in (
        "improving the average testing R² by 29%",
        "reproduced if: 20 <= gain <= 40",
        "weaker if: gain > 0",
        "figures: gain = gain(srt_l2, orrt, over=mean)",
        "the paper's own tables: 29.3 (D=3); 26.6 (D=2); 19.5 points (supports)",
        "as described: ✓ reproduced",
        "on 15 data sets, 60 runs per method",
        "ORRT trained: ✗ not reproduced",
    ):
        assert text in out, text


def test_fail_is_for_claims_that_are_not_reproduced_and_shown(cli, fill) -> None:
    fill("lower", {"srt_l2": 0.45, "orrt": 0.5})
    assert cli("verify", "lower").code == 0
    assert cli("verify", "lower", "--fail").code == 3
    assert cli("verify", "lower", "--fail", "--claim", "S-RR-1").code == 3
    # Of other claims nothing is measured.
    assert cli("verify", "lower", "--fail", "--claim", "S-OL-1").code == 0
    # One data set is no verdict, whatever it says.
    fill("one", {"srt_l2": 0.45, "orrt": 0.5}, names=["lpga2009"])
    assert cli("verify", "one", "--fail", "--claim", "S-RR-1").code == 0


def test_json_has_figures_counts_and_readings(cli, fill) -> None:
    path = fill("higher", {"srt_l2": 0.65, "orrt": 0.5, "orrt_trained": 0.7}, by=0.01)
    found = json.loads(cli("verify", "higher", "--json").out)
    assert (found["paper"], len(found["claims"])) == ("srt", 106)
    assert [Path(name).resolve() for name in found["results"]] == [path]
    assert sum(found["counts"].values()) == 106
    one = next(claim for claim in found["claims"] if claim["id"] == "S-RR-1")
    assert (one["verdict"], one["runs"], one["depths"]) == ("reproduced", 60, [3])
    assert one["missing"] == []
    figure = one["figures"][0]
    assert (figure["unit"], figure["depth"]) == ("percent", 3)
    assert figure["value"] == pytest.approx(30.0)
    assert figure["high"] - 30.0 == pytest.approx(0.6005, abs=1e-4)
    assert 30.0 - figure["low"] == pytest.approx(0.6005, abs=1e-4)
    assert [reading["reading"] for reading in one["readings"]] == ["ORRT trained"]
    absent = next(claim for claim in found["claims"] if claim["id"] == "S-OL-1")
    assert (absent["verdict"], absent["figures"]) == ("not judged", [])


def test_several_results_are_judged_together(cli, fill) -> None:
    fill("deep", {"srt_l2": 0.65, "orrt": 0.5})
    fill("flat", {"srt_l2": 0.45, "orrt": 0.5}, depth=2)
    alone = json.loads(cli("verify", "deep", "--json", "--claim", "S-CON-2").out)["claims"][0]
    assert (alone["depths"], alone["why"]) == ([3], "reproduced at depth 3 only")
    both = json.loads(cli("verify", "deep", "flat", "--json", "--claim", "S-CON-2").out)
    assert (both["claims"][0]["depths"], both["claims"][0]["verdict"]) == ([2, 3], "not reproduced")


def test_every_screen_says_on_how_many_data_sets_a_claim_is_judged(cli, fill) -> None:
    """S-RR-7 is on a share of 15 data sets, S-RR-1 on their mean, S-RR-13 on one of them."""
    path = fill("some", {"srt_l2": 0.65, "orrt": 0.5}, names=NAMES[:9])
    cli.well("report", "some")
    screens = [
        cli("verify", "some").out,
        cli("verify", "some", "--claim", "S-RR-7").out,
        cli("verify", "some", "--claim", "S-RR-1").out,
        (path / "table.md").read_text(encoding="utf-8"),
        (path / "table.html").read_text(encoding="utf-8"),
    ]
    for text in screens:
        assert "9 of 15 data sets" in text
    judged = json.loads(cli("verify", "some", "--json").out)["claims"]
    found = {claim["id"]: (claim["verdict"], claim["why"]) for claim in judged}
    assert found["S-RR-7"] == ("undecided", "9 of 15 data sets, the others decide")
    assert found["S-RR-1"][0] == "not judged"
    assert "9 of 15 data sets" in found["S-RR-1"][1]
    assert found["S-RR-13"] == ("not judged", "4 runs of at least 20")


def test_missing_runs_are_reported(cli, fill) -> None:
    fill("part", {"srt_l2": 0.65, "orrt": 0.5}, folds=3)
    assert cli("verify", "part", "results/part").out.splitlines()[-1] == (
        "30 runs not finished: the verdicts are provisional"
    )


def test_results_without_claims_are_refused(cli, fill, monkeypatch) -> None:
    fill("higher", {"srt_l2": 0.65, "orrt": 0.5})
    fill("own", {"srt_l2": 0.65, "orrt": 0.5}, paper=None)
    for arguments, sentence in (
        (("own",), "names no `paper`, so there are no claims to judge"),
        (("higher", "--claim", "S-RR-0"), "; `boostbench verify results/higher --all` lists them"),
        (("higher", "own"), "names no `paper`"),
        (("higher", "--sample", "2", "--fail"), "--fail is not for --sample"),
        (("higher", "--sample", "2", "--annotate"), "--annotate is not for --sample"),
        (("higher", "--margins", "--annotate"), "--annotate is not for --margins"),
        (("higher", "--margins", "--claim", "S-F-1"), "--claim is not for --margins"),
        (("nothing_like_it",), "nothing_like_it"),
    ):
        assert sentence in cli.refused("verify", *arguments)
    monkeypatch.setattr("boostbench.report.frames.results.read_claims", lambda _: [])
    assert "no claims to judge: write claims.csv" in cli.refused("verify", "higher")


def test_the_ledger_is_a_table_in_python(fill) -> None:
    path = fill("higher", {"srt_l2": 0.65, "orrt": 0.5, "orrt_trained": 0.7}, by=0.01)
    claims = boostbench.load(path).claims()
    assert claims.index.names == ["id", "reading"]
    assert len(claims.xs("as described", level="reading")) == 106
    row = claims.loc["S-RR-1", "as described"]
    assert (row["verdict"], row["runs"], row["stated"]) == ("reproduced", 60, "29%")
    assert row["measured"].startswith("lead of srt_l2 over orrt, mean: 30.0 % [")
    (figure, *_) = row["figures"]
    assert figure["value"] == pytest.approx(30.0)
    assert claims.loc["S-RR-1", "ORRT trained"]["verdict"] == "not reproduced"
    figures = pd.json_normalize(claims["figures"].explode().dropna().tolist())
    assert {"figure", "unit", "depth", "value", "low", "high"} <= set(figures.columns)
    own = fill("own", {"srt_l2": 0.65, "orrt": 0.5}, paper=None)
    with pytest.raises(boostbench.ConfigError, match="names no `paper`"):
        boostbench.load(own).claims()


def test_the_same_results_give_the_same_bytes_in_any_order(cli, fill) -> None:
    fill("deep", {"srt_l2": 0.65, "orrt": 0.5}, by=0.03)
    first = cli("verify", "deep", "--json").out
    fill("deep2", {"orrt": 0.5, "srt_l2": 0.65}, by=0.03, names=NAMES[::-1])
    assert cli("verify", "deep2", "--json").out.replace("deep2", "deep") == first


@pytest.mark.parametrize("command", [["report"], ["report", "-f", "md"], ["verify"], ["archive"]])
def test_without_the_package_of_their_paper_results_are_not_reported(cli, fill, command) -> None:
    path = fill("own", {"srt_l2": 0.65}, names=NAMES[:2], paper="mine")
    (path / "table.md").write_text("with what the paper printed")
    text = cli.refused(command[0], "own", *command[1:])
    assert "'mine' is not known here: install the package that adds it" in text
    assert (path / "table.md").read_text() == "with what the paper printed"
    assert {file.name for file in path.iterdir()} - {"table.md"} <= _STORE


def test_commands_without_a_paper_need_no_package_of_it(cli, fill) -> None:
    path = fill("own", {"srt_l2": 0.65}, names=NAMES[:2], paper="mine")
    assert len(boostbench.load(path).trials) == 8
    for table in (boostbench.load(path).table, boostbench.load(path).claims):
        with pytest.raises(boostbench.ConfigError, match="'mine' is not known here"):
            table()
    assert cli("status", "own").code == 0
