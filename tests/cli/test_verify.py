"""``verify``: recorded trials are run again and compared; the results stay as they are."""

import dataclasses
import json
import os
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest
from experiments import DUMMY, RIDGE, write, write_model

from boostbench.experiment import sampling
from boostbench.store.store import Store
from boostbench.store.types import Outcome
from results import TINY, edit

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
    assert "3 trials of results/tiny: 3 equal bit for bit\n" in done.out
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
    assert "7 equal bit for bit, 1 differs" in text
    assert "none differs" not in text


def test_in_another_environment_figures_may_be_off_within_the_tolerance(cli, tiny_run) -> None:
    _rewrite(tiny_run, _shifted(1e-9), count=2, elsewhere=True)
    code, found = _verify(cli)
    assert (code, found["equal"], found["close"], found["differing"]) == (0, 6, 2, 0)
    assert any(text.startswith("numpy 1.0 -> ") for text in found["environments"])
    _rewrite(tiny_run, _shifted(1e-3), count=2, elsewhere=True)
    code, found = _verify(cli)
    assert (code, found["close"], found["differing"]) == (3, 0, 2)


def test_figures_of_only_one_side_are_not_compared_but_the_score(cli, tiny_run: Path) -> None:
    _rewrite(tiny_run, lambda one: dataclasses.replace(one, metrics={"r2": one.metrics["r2"]}))
    code, found = _verify(cli)
    assert (code, found["equal"]) == (0, 8)
    _rewrite(tiny_run, lambda outcome: dataclasses.replace(outcome, metrics={"other": "text"}))
    code, found = _verify(cli)
    assert (code, found["equal"], found["differing"]) == (3, 7, 1)


def test_what_failed_or_is_missing_is_drawn_as_any_other(cli, tiny_run: Path) -> None:
    _rewrite(tiny_run, lambda outcome: Outcome("error", "no luck"), count=3)
    code, found = _verify(cli)
    assert (code, found["sampled"], found["differing"]) == (3, 8, 3)
    assert {one["recorded"] for one in found["differences"]} == {"error"}
    edit(tiny_run, "DELETE FROM outcomes")
    code, found = _verify(cli)
    assert (code, found["differing"]) == (3, 8)
    assert {one["recorded"] for one in found["differences"]} == {"missing"}


def test_timeouts_that_finish_here_are_counted_by_themselves(cli, tiny_run: Path) -> None:
    _rewrite(tiny_run, lambda _: Outcome("timeout", "over the time limit of 9 s"), count=2)
    # The experiment has no limit, so that nothing explains them.
    code, found = _verify(cli)
    assert (code, found["equal"], found["differing"]) == (3, 6, 0)
    assert [one["is_too_fast"] for one in found["timeouts"]] == [True, True]

    def limited(seconds: float) -> tuple[int, dict]:
        record = f"""replace(value, '"time":null', '"time":{seconds}')"""
        edit(tiny_run, f"UPDATE meta SET value = {record} WHERE name = 'experiment'")
        Path("tiny.yaml").write_text(f"{TINY}limits: {{time: {seconds}}}\n")
        return _verify(cli)

    code, found = limited(1000)
    assert (code, [one["is_too_fast"] for one in found["timeouts"]]) == (3, [True, True])
    shown = cli("verify", "tiny", "--sample", "8", "-j1").out
    assert "(over the time limit of 9 s), takes 0" in shown
    # A machine that is a little slower explains it.
    code, found = limited(0.01)
    assert (code, [one["is_too_fast"] for one in found["timeouts"]]) == (0, [False, False])


def test_rows_that_were_removed_from_the_plan_are_found_without_a_run(cli, tiny_run: Path) -> None:
    edit(tiny_run, "DELETE FROM places WHERE position < 2")
    code, found = _verify(cli, "--sample", "1")
    assert (code, found["planned"]) == (3, 8)
    (sentence,) = found["plans"]
    assert sentence.startswith("2 trials planned and not in the recorded plan: diabetes/")


def test_a_receipt_that_does_not_fit_is_told(cli, tiny_run: Path) -> None:
    cli.well("archive", "tiny")
    kept = tiny_run / "archive"
    assert _verify(cli, "--sample", "1", of=str(kept))[0] == 0
    (kept / "experiment.yaml").write_text((kept / "experiment.yaml").read_text() + "\n")
    code, found = _verify(cli, "--sample", "1", of=str(kept))
    assert (code, found["receipt"]) == (3, ["experiment.yaml"])
    (kept / "receipt.json").unlink()
    assert _verify(cli, "--sample", "1", of=str(kept))[0] == 0


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
    assert (code, found["equal"], found["not_run"]) == (0, 2, {"the tool is gone": 2})

    (folder / "gone").unlink()
    with (folder / "verified.py").open("a") as file:
        file.write("    # edited\n")
    done = cli("verify", "own", "--sample", "4", "-j1")
    assert done.code == 3
    assert "another one: own: verified.py changed since 2 trials of it ran" in done.out
    assert "2 equal bit for bit, 2 not run" in done.out


def test_anybody_can_draw_the_same_trials(cli, tiny_run: Path) -> None:
    _rewrite(tiny_run, _shifted(0.5), count=8)
    with Store.read(tiny_run) as store:
        plan = store.part()

    def drawn(nonce: str, jobs: str) -> list[str]:
        words = ("--sample", "3", "--nonce", nonce, "--json", "-j", jobs)
        found = json.loads(cli("verify", "tiny", *words).out)
        own = [one["trial"] for one in found["differences"] if one["name"] == "r2"]
        texts = {t.name: f"{found['digest']} {nonce} {t.key}".encode() for t in plan}
        digests = {name: sha256(text).hexdigest() for name, text in texts.items()}
        assert own == sorted(digests, key=digests.__getitem__)[:3]
        return own

    assert drawn("a", "1") == drawn("a", "2")
    assert len({tuple(drawn(nonce, "1")) for nonce in "bcdef"}) > 1
    fresh = [_verify(cli)[1]["nonce"] for _ in range(2)]
    assert len(set(fresh)) == 2


def test_the_sentence_says_what_a_draw_shows_and_no_more(cli, tiny_run: Path) -> None:
    out = cli.well("verify", "tiny", "--sample", "6", "--nonce", "dice: 4 2", "-j1").out
    assert (
        "6 of 8 planned trials, drawn with the nonce dice: 4 2, were run again; none differs. Had "
        "39 % or more other outcomes than this code gives, such a draw would have met one with "
        "95 %. This does not show that nothing was run and left out before, nor that the times are "
        "right.\n"
    ) in out
    assert "Had" not in cli.well("verify", "tiny", "--sample", "9", "-j1").out
    for words in (["--nonce", "a"], ["--minutes", "1"], ["--trust"], ["--any-processor"]):
        text = cli.refused("verify", "tiny", *words)
        assert words[0] in text
        assert "the trials of --sample: give --sample N too" in text
    assert "--all is not for --sample" in cli.refused("verify", "tiny", "--sample", "1", "--all")


def test_a_sample_keeps_to_its_minutes(cli, tiny_run: Path) -> None:
    edit(tiny_run, """UPDATE outcomes SET times = replace(times, '"wall_s":', '"wall_s":9')""")
    for minutes, sampled in (("0.1", 1), ("3.1", 2), ("99", 8)):
        code, found = _verify(cli, "--minutes", minutes)
        assert (code, found["sampled"], found["equal"]) == (0, sampled, sampled)


def test_missing_data_is_no_difference(cli, folder: Path, monkeypatch) -> None:
    (folder / "own.csv").write_text(
        "a,b,y\n" + "".join(f"{i},{i * i % 7},{i % 5}\n" for i in range(40))
    )
    file = write("own", DUMMY, data="diabetes, {name: mine, file: own.csv, target: y}")
    cli.well("run", file, "--jobs", "1", "--offline")
    (folder / "own.csv").rename(folder / "gone.csv")
    monkeypatch.setenv("BOOSTBENCH_CACHE", str(folder / "another"))
    assert "own.csv" in cli.refused("verify", "own", "--sample", "4", "--json")


def test_a_difference_from_another_processor_is_a_difference(cli, tiny_run, monkeypatch) -> None:
    _rewrite(tiny_run, _shifted(0.1))
    with Store.open(tiny_run) as store:
        trial, other = store.part()[:2]
        described = store.environment(store.environment_ids()[other.key])
    words = "differs (another processor)"

    def verified(*options: str, **more: object) -> tuple[int, dict]:
        """Verify with a trial that was recorded in another environment."""
        with Store.open(tiny_run) as store:
            store.add_environment(str(more), {**described, **more})
            store.record(trial, store.outcomes()[trial.key], str(more))
        return _verify(cli, *options)

    settings = {"settings": {"OPENBLAS_CORETYPE": "Haswell"}}
    for more, elsewhere in (({}, 0), ({"cpu": "x"}, 1), (settings, 1)):
        code, found = verified(**more)
        assert (code, found["differing"], found["elsewhere"]) == (3, 1, elsewhere)
    assert words in cli("verify", "tiny", "--sample", "8", "-j1").out
    # Whoever verifies may let it pass; what the results say of themselves never does.
    assert verified("--any-processor", cpu="x")[0] == 0
    assert verified("--any-processor", **settings)[0] == 0
    assert verified("--any-processor", cpu="x", python="2.7")[0] == 3
    assert verified("--any-processor")[0] == 3
    # A method whose sums have the same order everywhere has the same bits.
    monkeypatch.setattr("boostbench.experiment.sampling._SAME_BITS", {trial.estimator})
    assert verified("--any-processor", cpu="x")[0] == 3
    text = cli("verify", "tiny", "--sample", "8", "-j1").out
    assert "both processors are known to give the same bits of Ridge" in text


def test_kernels_of_the_recorded_processor_are_tried(cli, tiny_run: Path, monkeypatch) -> None:
    asked = []
    ran = sampling._run

    def run(*arguments, **options):
        asked.append(os.environ.get("OPENBLAS_CORETYPE"))
        return ran(*arguments, **options)

    here = ["openblas 0.3 SkylakeX"]
    monkeypatch.setattr("boostbench.engine.environment._linear_algebra", lambda: here)
    monkeypatch.setattr(sampling, "_run", run)
    monkeypatch.delenv("OPENBLAS_CORETYPE", raising=False)
    _rewrite(tiny_run, _shifted(0.1))
    with Store.open(tiny_run) as store:
        trial, other = store.part()[:2]
        described = store.environment(store.environment_ids()[other.key])
        store.add_environment("haswell", {**described, "blas": ["openblas 0.3 Haswell"]})
        store.record(trial, store.outcomes()[trial.key], "haswell")
    code, found = _verify(cli)
    assert (code, found["elsewhere"], asked) == (3, 1, [None, None, "Haswell"])


def test_a_training_that_its_clock_stopped_is_run_to_its_rounds(cli, folder: Path) -> None:
    method = "{name: mh, method: adaboost_mh, params: {max_iter: 9, time_limit: 100}}"
    write("timed", method, data="{card: iris, per_class: 20}", splits="{n: 1, test_size: 0.25}")
    cli.well("run", "timed.yaml", "--jobs", "1", "--offline")
    shorter = "methods=[{name: mh, method: adaboost_mh, params: {max_iter: 4}}]"
    words = ("--set", "name=short", "--set", shorter)
    cli.well("run", "timed.yaml", "-j1", "--offline", *words)
    with Store.read(Path("results/short")) as store:
        (short,) = store.outcomes().values()
    stopped = dataclasses.replace(short, metrics={**short.metrics, "stop_reason": "time"})
    _rewrite(Path("results/timed"), lambda _: stopped)
    code, found = _verify(cli, of="timed")
    assert (code, found["differences"]) == (0, [])
    more = dataclasses.replace(stopped, metrics={**stopped.metrics, "n_iter": 12})
    _rewrite(Path("results/timed"), lambda _: more)
    code, found = _verify(cli, of="timed")
    (n_iter,) = (one for one in found["differences"] if one["name"] == "n_iter")
    assert (code, n_iter["recorded"], n_iter["now"]) == (3, 12, 9)
    wrong = {**stopped.metrics, "error": 0.0123}
    _rewrite(Path("results/timed"), lambda _: dataclasses.replace(stopped, metrics=wrong))
    code, found = _verify(cli, of="timed")
    assert (code, [one["name"] for one in found["differences"]]) == (3, ["error"])


def test_equal_predictions_of_two_methods_or_archives_are_named(cli, folder: Path) -> None:
    same = "{name: same, estimator: sklearn.dummy.DummyRegressor, params: {strategy: mean}}"
    write("kept", DUMMY, same, RIDGE, keep="[predictions]")
    cli.well("run", "kept.yaml", "--jobs", "1", "--offline")
    cli.well("run", "kept.yaml", "--jobs", "1", "--offline", "--set", "name=again")
    out = cli.well("verify", "kept", "--sample", "1", "-j1").out
    assert "equal predictions, byte for byte: dummy and same: equal in 2 runs\n" in out
    assert "and Ridge" not in out
    out = cli.well("verify", "kept", "again", "--sample", "1", "-j1").out
    assert "Ridge of results/kept and Ridge of results/again: equal in 2 runs" in out
