"""``verify``: recorded trials are run again and compared; the results stay as they are."""

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from experiments import DUMMY, write, write_model

from boostbench.store.store import Store
from boostbench.store.types import Outcome

pytestmark = pytest.mark.usefixtures("undrawn")


def _rewrite(
    folder: Path, change: Callable[[Outcome], Outcome], *, count: int = 1, elsewhere: bool = False
) -> list[str]:
    """Record other outcomes for the first ``count`` trials and return these trials' names."""
    with Store.open(folder) as store:
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


def _verify(cli, *arguments: str, of: str = "tiny") -> tuple[int, dict]:
    done = cli("verify", of, "--sample", "8", "--jobs", "1", "--json", *arguments)
    return done.code, json.loads(done.out)


def test_results_are_reproduced_bit_for_bit_and_unchanged(cli, tiny_run: Path) -> None:
    before = {path.name: path.read_bytes() for path in tiny_run.glob("*.csv")}
    done = cli.well("verify", "tiny", "--sample", "3", "--jobs", "1")
    assert done.out.endswith("3 trials of results/tiny: 3 equal bit for bit\n")
    assert before == {path.name: path.read_bytes() for path in tiny_run.glob("*.csv")}


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


def test_in_another_environment_figures_may_be_off_within_the_tolerance(cli, tiny_run) -> None:
    _rewrite(tiny_run, _shifted(1e-9), count=2, elsewhere=True)
    code, found = _verify(cli)
    assert (code, found["equal"], found["close"], found["differing"]) == (0, 6, 2, 0)
    assert any(text.startswith("numpy 1.0 -> ") for text in found["environments"])
    _rewrite(tiny_run, _shifted(1e-3), count=2, elsewhere=True)
    code, found = _verify(cli)
    assert (code, found["close"], found["differing"]) == (3, 0, 2)


def test_figures_of_only_one_side_are_not_compared(cli, tiny_run: Path) -> None:
    _rewrite(tiny_run, lambda outcome: dataclasses.replace(outcome, metrics={"other": "text"}))
    code, found = _verify(cli)
    assert (code, found["equal"]) == (0, 8)
    _rewrite(tiny_run, lambda outcome: Outcome("error", "no luck"), count=8)
    assert "has no trial to run again" in cli.refused("verify", "tiny", "--sample", "20")


def test_the_first_iteration_of_a_curve_that_differs_is_named(cli, folder: Path) -> None:
    write(
        "curved",
        "{estimator: sklearn.ensemble.AdaBoostClassifier, params: {n_estimators: 4}}",
        data="{card: iris, per_class: 20}",
        splits="{n: 1, test_size: 0.25}",
    )
    cli.well("run", "curved.yaml", "--jobs", "1", "--offline")

    def differences(end: int) -> list[dict]:
        """Return the differences from a curve with two other values, and cut at ``end``."""

        def change(outcome: Outcome) -> Outcome:
            errors = list(outcome.curve["test_error"])
            errors[1:3] = [0.9, 0.8]
            return dataclasses.replace(outcome, curve={"test_error": errors[:end]})

        _rewrite(folder / "results" / "curved", change)
        code, found = _verify(cli, of="curved")
        assert code == 3
        return found["differences"]

    (one,) = differences(end=4)
    assert (one["name"], one["iteration"], one["recorded"]) == ("test_error", 2, 0.9)
    length, _ = differences(end=3)
    assert (length["name"], length["recorded"], length["now"]) == ("length of test_error", 3, 4)


def test_trials_that_change_fail_or_cannot_run_are_reported(cli, folder: Path) -> None:
    model = write_model("verified", "assert not __import__('os').path.exists('broken'), 'broken'")
    with (folder / "verified.py").open("a") as file:
        file.write(
            "    @classmethod\n    def unavailable(cls):\n        import os\n"
            "        return 'the tool is gone' if os.path.exists('gone') else None\n"
        )
    cli.well("run", write("own", model, DUMMY), "--jobs", "1", "--offline")

    (folder / "broken").touch()
    code, found = _verify(cli, of="own")
    assert code == 3
    one, _ = found["differences"]
    assert (one["name"], one["recorded"]) == ("status", "ok")
    assert "broken" in one["now"]

    (folder / "gone").touch()
    code, found = _verify(cli, of="own")
    assert (code, found["equal"], found["skipped"]) == (0, 2, {"the tool is gone": 2})

    (folder / "gone").unlink()
    with (folder / "verified.py").open("a") as file:
        file.write("    # edited\n")
    done = cli("verify", "own", "--sample", "4", "-j1")
    assert done.code == 3
    assert "not compared: own: verified.py changed since 2 trials of it ran" in done.out
    assert "2 equal bit for bit, 2 not compared" in done.out


def test_the_draw_depends_on_its_seed_only(cli, tiny_run: Path) -> None:
    _rewrite(tiny_run, _shifted(0.5), count=8)
    drawn = []
    for seed, jobs in (("0", "1"), ("0", "2"), ("1", "1")):
        words = ("--sample", "3", "--seed", seed, "--json", "-j", jobs)
        found = json.loads(cli("verify", "tiny", *words).out)
        drawn.append({one["trial"] for one in found["differences"]})
    assert len(drawn[0]) == 3
    assert drawn[0] == drawn[1] != drawn[2]


def test_missing_data_is_no_difference(cli, folder: Path, monkeypatch) -> None:
    (folder / "own.csv").write_text(
        "a,b,y\n" + "".join(f"{i},{i * i % 7},{i % 5}\n" for i in range(40))
    )
    file = write("own", DUMMY, data="diabetes, {name: mine, file: own.csv, target: y}")
    cli.well("run", file, "--jobs", "1", "--offline")
    (folder / "own.csv").rename(folder / "gone.csv")
    monkeypatch.setenv("BOOSTBENCH_CACHE", str(folder / "another"))
    assert "own.csv" in cli.refused("verify", "own", "--sample", "4", "--json")


def test_other_bits_without_avx512_are_no_difference(cli, tiny_run: Path, monkeypatch) -> None:
    _rewrite(tiny_run, _shifted(0.1))
    monkeypatch.setattr("boostbench.experiment.sampling._OTHER_SUMS", "no AVX-512")
    with Store.open(tiny_run) as store:
        trial, other = store.part()[:2]
        described = store.environment(store.environment_ids()[other.key])

    def verified(before: str, now: str, **more: object) -> tuple[int, dict]:
        """Verify with a trial that was recorded on one processor, now on another."""
        with Store.open(tiny_run) as store:
            there = f"{before} {now} {more}"
            store.add_environment(there, {**described, "instructions": before, **more})
            store.record(trial, store.outcomes()[trial.key], there)
        monkeypatch.setattr("boostbench.engine.environment.instructions", lambda: now)
        return _verify(cli)

    for before, now, code, skipped in (
        ("x avx512f", "x avx2", 0, {"no AVX-512": 1}),
        ("x avx2", "x avx2", 3, {}),
        ("x avx512f", "y avx512f", 3, {}),
    ):
        found_code, found = verified(before, now)
        assert (found_code, found["skipped"], found["differing"]) == (code, skipped, int(code == 3))
    # The same processor with other kernels of OpenBLAS.
    assert verified("y avx512f", "y avx512f", blas=["openblas 0 x"])[0] == 0
    # A method whose sums are its own kernels' has the same bits everywhere.
    monkeypatch.setattr("boostbench.experiment.sampling._OWN_SUMS", {trial.estimator})
    assert verified("x avx512f", "x avx2")[0] == 3
