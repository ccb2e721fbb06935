"""Data sets that are unavailable are skipped, the rest runs, and everything says so."""

import shutil
from pathlib import Path

import pytest
from experiments import write

import boostbench
from boostbench.store.store import Store
from results import statuses

LACKING = (
    "data set '{}' cannot be loaded: it is not in the cache, nor in a folder that --mirror names "
    "(as {}), and may not be fetched"
)
NO_MIRROR = LACKING.format("vowel", "vowel-context.data, vowel.arff, vowel.dat")
NOT_CACHED = LACKING.replace(" (as {})", "").format("gtsrb")


@pytest.fixture
def some(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BOOSTBENCH_CACHE", str(folder / "cache"))
    # vowel has a fingerprint on its card, gtsrb has none: its trials cannot be named.
    bayes = "{name: bayes, estimator: sklearn.naive_bayes.GaussianNB}"
    write("some", bayes, data="vowel, iris, gtsrb")
    return folder


def test_the_rest_runs_and_missing_data_are_reported(cli, some: Path) -> None:
    dry = cli("run", "some.yaml", "--offline", "--dry-run")
    assert dry.code == 4
    assert "2 to run" in dry.out
    assert "without data: vowel, gtsrb\n" in dry.out
    assert not (some / "results").exists()

    done = cli("run", "some.yaml", "--offline", "-j", "1")
    assert done.code == 4
    for err in (dry.err, done.err):
        assert err.splitlines()[:2] == [f"skipped: {NO_MIRROR}", f"skipped: {NOT_CACHED}"]
    assert "trials: 2 ok, 2 pending" in done.out
    assert done.err.splitlines()[-1] == (
        "2 data sets skipped, as the data are unavailable: vowel, gtsrb; get the data as "
        "said above, then run: boostbench run some.yaml --offline --jobs 1"
    )
    assert statuses("results/some") == [("iris", "ok")] * 2

    status = cli("status", "some.yaml").out
    assert f"skipped by the last run, vowel: {NO_MIRROR}" in status
    assert f"skipped by the last run, gtsrb: {NOT_CACHED}" in status
    assert NO_MIRROR in cli("report", "some.yaml", "-f", "md").err
    page = (some / "results" / "some" / "table.md").read_text(encoding="utf-8")
    assert f"No data for vowel: {NO_MIRROR}." in page.replace("\\_", "_")

    # Again: nothing is left that could run, and the run is as incomplete as before.
    again = cli("run", "some.yaml", "--offline", "-j", "1")
    assert again.code == 4
    assert "nothing was missing; trials: 2 ok, 2 pending" in again.out
    # A run of the other data set is complete, and keeps the reasons for these.
    cli.run_only("some.yaml", "--offline", "--only", "dataset=iris")
    assert NO_MIRROR in cli("status", "some.yaml").out


def test_data_that_have_come_are_run(cli, some: Path, mirror: Path, monkeypatch) -> None:
    assert cli("run", "some.yaml", "--offline", "-j", "1").code == 4
    done = cli("run", "some.yaml", "--offline", "--mirror", str(mirror), "-j", "1")
    assert done.code == 4
    assert "1 data set skipped, as the data are unavailable: gtsrb; " in done.err
    assert statuses("results/some") == [("vowel", "ok")] * 2 + [("iris", "ok")] * 2
    status = cli("status", "some.yaml").out
    assert "vowel: data set" not in status
    assert "skipped by the last run, gtsrb:" in status
    # All its trials are done: that the data are gone again matters to nobody.
    for path in Path("cache").glob("arrays/*.npz"):
        path.unlink()
    only = ("--set", "datasets=[vowel, iris]")
    done = cli.run_only("some.yaml", "--offline", *only)
    assert "nothing was missing; trials: 4 ok" in done.out
    assert "skipped" not in done.err
    monkeypatch.setattr(Store, "open", lambda *_: pytest.fail("opened for writing"))
    assert cli.run_only("some.yaml", "--offline", *only).out == done.out


def test_a_complete_run_needs_no_data_at_all(cli, some: Path, mirror: Path, monkeypatch) -> None:
    data = ("--set", "datasets=[vowel]")
    cli.run_only("some.yaml", "--offline", "--mirror", str(mirror), *data)
    shutil.rmtree("cache")
    assert "nothing was missing" in cli.run_only("some.yaml", "--offline", *data).out
    # Another split would need them.
    more = ("--set", "seeds=2")
    done = cli("run", "some.yaml", "--offline", *data, *more)
    assert (done.code, done.err.splitlines()) == (4, [f"error: {NO_MIRROR}"])
    assert statuses("results/some") == [("vowel", "ok")] * 2


def test_where_nothing_has_data_nothing_is_written(cli, some: Path) -> None:
    for more in ([], ["--dry-run"]):
        done = cli("run", "some.yaml", "--offline", "--only", "dataset=vowel,gtsrb", *more)
        assert done.code == 4
        assert done.err.splitlines() == ["2 errors:", NO_MIRROR, NOT_CACHED]
        assert not (some / "results").exists()


def test_a_shard_runs_if_its_plan_is_known(cli, some: Path) -> None:
    text = cli("run", "some.yaml", "--offline", "--shard", "1/2")
    assert text.code == 4
    assert "a shard needs every data set of its experiment" in text.err
    assert not (some / "results").exists()
    data = ("--set", "datasets=[vowel, iris]")
    done = cli("run", "some.yaml", "--offline", "--shard", "2/2", "-j", "1", *data)
    assert done.code == 4
    assert "trials of shard 2/2: 1 ok, 1 pending" in done.out


def test_a_wrong_name_or_unfit_data_still_stop_the_run(cli, some: Path) -> None:
    for override, code, words in (
        ("datasets=[gtsrb, iris, iirs]", 2, "no data set 'iirs' (did you mean 'iris'?)"),
        ("folds=151", 4, "'iris' has 150 rows, fewer than the 151 folds"),
    ):
        done = cli("run", "some.yaml", "--offline", "--set", override)
        assert (done.code, words in done.err) == (code, True)
    assert not (some / "results").exists()


def test_from_python_the_results_are_returned_and_a_note_says_so(some: Path) -> None:
    texts: list[str] = []
    listener = boostbench.Listener()
    listener.note = lambda text, level="info": texts.append(text)  # type: ignore[method-assign]
    results = boostbench.run("some.yaml", offline=True, jobs=1, listener=listener)
    assert results.trials["status"].tolist() == ["pending"] * 2 + ["ok"] * 2
    assert texts[-1].startswith("2 data sets skipped, as the data are unavailable: vowel")
    with pytest.raises(boostbench.DataError, match="gtsrb"):
        boostbench.run("some.yaml", offline=True, only="dataset=gtsrb", listener=listener)


@pytest.mark.parametrize("lacking", [1, 2])
def test_a_merge_keeps_only_data_missing_in_all_runs(cli, tiny_run, lacking: int) -> None:
    stores = [tiny_run.with_name(name) for name in "ab"]
    for number, store in enumerate(stores):
        shutil.copytree(tiny_run, store)
        if number < lacking:
            with Store.open(store) as opened:
                record = {**opened.experiment(), "without_data": {"diabetes": "no server has it"}}
                opened.set_plan(record, opened.plan())
    cli.well("merge", *map(str, stores), "--into", "merged")
    assert ("no server has it" in cli("status", "merged").out) == (lacking == 2)
