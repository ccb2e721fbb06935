"""``verify``: recorded trials are run again and compared; the results stay as they are."""

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from boostbench.store.store import Store
from boostbench.store.types import Outcome

CURVES = """\
name: curved
datasets: [{card: iris, per_class: 20}]
methods:
  - {name: ada, estimator: sklearn.ensemble.AdaBoostClassifier, params: {n_estimators: 4}}
splits: {n: 1, test_size: 0.25}
seeds: 1
"""


def _rewrite(
    folder: Path, change: Callable[[Outcome], Outcome], *, count: int = 1, elsewhere: bool = False
) -> list[str]:
    """Record other outcomes for the first ``count`` trials and return these trials' names."""
    with Store.open(folder, create=False) as store:
        trials, outcomes = store.part()[:count], store.outcomes()
        here = store.environment_ids()[trials[0].key]
        described = store.environment(here) or {}
        if elsewhere:
            described = {**described, "packages": {**described["packages"], "numpy": "1.0"}}
        store.add_environment("there", described)
        for trial in trials:
            store.record(trial, change(outcomes[trial.key]), "there" if elsewhere else here)
    return [f"{t.dataset}/{t.method}/{t.fold}/{t.seed}" for t in trials]


def _shifted(by: float) -> Callable[[Outcome], Outcome]:
    def change(outcome: Outcome) -> Outcome:
        return dataclasses.replace(
            outcome, metrics={**outcome.metrics, "r2": outcome.metrics["r2"] + by}
        )

    return change


@pytest.fixture
def own(cli, folder: Path) -> Callable[[str, str], Path]:
    """Return a function that runs a model of the user's own, made of the body of its class."""

    def run(module: str, body: str) -> Path:
        path = folder / f"{module}.py"
        path.write_text(
            "from pathlib import Path\nfrom sklearn.linear_model import Ridge\n"
            f"class Mine(Ridge):\n{body}"
        )
        (folder / "own.yaml").write_text(
            f"name: own\ndatasets: [diabetes]\nmethods: [{{name: m, estimator: {module}.Mine}}, "
            "{name: d, estimator: sklearn.dummy.DummyRegressor}]\nfolds: 2\nseeds: 1\n"
        )
        assert cli("run", "own.yaml", "--jobs", "1", "--offline").code == 0
        return path

    return run


def _verify(cli, *arguments: str) -> tuple[int, dict]:
    done = cli("verify", "tiny", "--sample", "8", "--jobs", "1", "--json", *arguments)
    return done.code, json.loads(done.out)


def test_results_are_reproduced_bit_for_bit_and_left_alone(cli, tiny_run: Path) -> None:
    before = {path.name: path.read_bytes() for path in tiny_run.iterdir() if path.suffix == ".csv"}
    done = cli("verify", "tiny", "--sample", "3", "--jobs", "1")
    assert done.code == 0, done.err
    assert done.out.endswith("3 trials of results/tiny: 3 equal bit for bit\n")
    assert before == {
        path.name: path.read_bytes() for path in tiny_run.iterdir() if path.suffix == ".csv"
    }


def test_a_figure_that_differs_in_its_last_bit_is_found(cli, tiny_run: Path) -> None:
    (name,) = _rewrite(tiny_run, _shifted(1e-14))
    code, found = _verify(cli)
    assert code == 3
    assert (found["sampled"], found["equal"], found["close"], found["differing"]) == (8, 7, 0, 1)
    (one,) = found["differences"]
    assert (one["trial"], one["name"]) == (name, "r2")
    assert one["recorded"] == pytest.approx(one["now"] + 1e-14, abs=1e-15)
    text = cli("verify", "tiny", "--sample", "8").out
    assert name in text
    assert "7 equal bit for bit, 1 different" in text


def test_in_another_environment_figures_may_be_off_within_the_tolerance(
    cli, tiny_run: Path
) -> None:
    _rewrite(tiny_run, _shifted(1e-9), count=2, elsewhere=True)
    code, found = _verify(cli)
    assert (code, found["equal"], found["close"], found["differing"]) == (0, 6, 2, 0)
    assert any(text.startswith("numpy 1.0 -> ") for text in found["environments"])
    _rewrite(tiny_run, _shifted(1e-3), count=2, elsewhere=True)
    code, found = _verify(cli)
    assert (code, found["close"], found["differing"]) == (3, 0, 2)


def test_what_only_one_side_has_is_not_compared(cli, tiny_run: Path) -> None:
    _rewrite(tiny_run, lambda outcome: dataclasses.replace(outcome, metrics={"other": "text"}))
    code, found = _verify(cli)
    assert (code, found["equal"]) == (0, 8)
    _rewrite(tiny_run, lambda outcome: Outcome("error", "no luck"), count=8)
    done = cli("verify", "tiny", "--sample", "20")
    assert done.code == 2
    assert "has no trial to run again" in done.err


def test_the_first_iteration_of_a_curve_that_differs_is_named(cli, folder: Path) -> None:
    (folder / "curved.yaml").write_text(CURVES)
    assert cli("run", "curved.yaml", "--jobs", "1", "--offline").code == 0

    def change(outcome: Outcome) -> Outcome:
        errors = list(outcome.curve["test_error"])
        errors[1:3] = [0.9, 0.8]
        return dataclasses.replace(outcome, curve={**outcome.curve, "test_error": errors})

    _rewrite(folder / "results" / "curved", change)
    done = cli("verify", "curved", "--sample", "1", "--json")
    assert done.code == 3
    (one,) = json.loads(done.out)["differences"]
    assert (one["name"], one["iteration"], one["recorded"]) == ("test_error", 2, 0.9)


def test_trials_whose_code_has_changed_are_not_compared(cli, own) -> None:
    with own("verified_model", "    pass\n").open("a") as file:
        file.write("    # edited\n")
    done = cli("verify", "own", "--sample", "4", "-j1")
    assert done.code == 3
    assert "not compared: m: verified_model.py changed since 2 trials of it ran" in done.out
    assert "2 equal bit for bit, 2 not compared" in done.out


def test_a_trial_that_fails_now_differs(cli, folder: Path, own) -> None:
    own(
        "fails_later",
        f"    def fit(self, X, y):\n        assert not Path({str(folder / 'broken')!r}).exists(), "
        "'it is broken'\n        return super().fit(X, y)\n",
    )
    (folder / "broken").touch()
    done = cli("verify", "own", "--sample", "4", "--json", "-j1")
    assert done.code == 3
    one, _ = json.loads(done.out)["differences"]
    assert (one["name"], one["recorded"]) == ("status", "ok")
    assert "it is broken" in one["now"]


def test_the_draw_depends_on_its_seed_only(cli, tiny_run: Path) -> None:
    _rewrite(tiny_run, _shifted(0.5), count=8)
    drawn = [
        {one["trial"] for one in json.loads(cli(
            "verify", "tiny", "--sample", "3", "--seed", seed, "--json", "-j", jobs
        ).out)["differences"]}
        for seed, jobs in (("0", "1"), ("0", "2"), ("1", "1"))
    ]  # fmt: skip
    assert len(drawn[0]) == 3
    assert drawn[0] == drawn[1] != drawn[2]


def test_missing_data_is_no_difference(cli, folder: Path, monkeypatch) -> None:
    (folder / "own.csv").write_text(
        "a,b,y\n" + "".join(f"{i},{i * i % 7},{i % 5}\n" for i in range(40))
    )
    (folder / "own.yaml").write_text(
        "name: own\ndatasets: [diabetes, {name: mine, file: own.csv, target: y}]\n"
        "methods: [{name: d, estimator: sklearn.dummy.DummyRegressor}]\nfolds: 2\nseeds: 1\n"
    )
    assert cli("run", "own.yaml", "--jobs", "1", "--offline").code == 0
    (folder / "own.csv").rename(folder / "gone.csv")
    monkeypatch.setenv("BOOSTBENCH_CACHE", str(folder / "another"))
    done = cli("verify", "own", "--sample", "4", "--json")
    assert (done.code, done.out) == (4, "")
    assert "own.csv" in done.err


def test_what_cannot_run_here_is_skipped_with_the_reason(cli, folder: Path, own) -> None:
    gone = f"Path({str(folder / 'gone')!r}).exists()"
    own(
        "needs_more",
        "    @classmethod\n    def unavailable(cls):\n"
        f"        return 'the tool is gone' if {gone} else None\n",
    )
    (folder / "gone").touch()
    done = cli("verify", "own", "--sample", "4", "--json", "-j1")
    found = json.loads(done.out)
    assert (done.code, found["equal"], found["skipped"]) == (0, 2, {"the tool is gone": 2})


def test_other_bits_without_avx512_are_no_difference(cli, tiny_run: Path, monkeypatch) -> None:
    _rewrite(tiny_run, _shifted(0.1))
    monkeypatch.setattr("boostbench.experiment.sampling._OTHER_SUMS", "no AVX-512")
    for before, now, code, skipped in (
        ("x avx512f", "x avx2", 0, {"no AVX-512": 1}),
        ("x avx2", "x avx2", 3, {}),
        ("x avx512f", "y avx512f", 3, {}),
    ):
        with Store.open(tiny_run, create=False) as store:
            (trial,) = store.part()[:1]
            described = {**store.environment(store.environment_ids()[store.part()[1].key])}
            store.add_environment(before + now, {**described, "instructions": before})
            store.record(trial, store.outcomes()[trial.key], before + now)
        monkeypatch.setattr("boostbench.engine.environment.instructions", lambda now=now: now)
        found_code, found = _verify(cli)
        assert (found_code, found["skipped"], found["differing"]) == (code, skipped, int(code == 3))
    # The same processor with other kernels of OpenBLAS.
    with Store.open(tiny_run, create=False) as store:
        (trial,) = store.part()[:1]
        store.add_environment("other", {**described, "instructions": now, "blas": ["openblas 0 x"]})
        store.record(trial, store.outcomes()[trial.key], "other")
    assert _verify(cli)[0] == 0
    # A method whose sums are its own kernels' has the same bits everywhere.
    with Store.open(tiny_run, create=False) as store:
        (trial,) = store.part()[:1]
        store.record(trial, store.outcomes()[trial.key], "x avx512fx avx2")
    monkeypatch.setattr("boostbench.engine.environment.instructions", lambda: "x avx2")
    assert _verify(cli)[0] == 0
    monkeypatch.setattr("boostbench.experiment.sampling._OWN_SUMS", {trial.estimator})
    assert _verify(cli)[0] == 3
