"""Data sets that are unavailable are skipped, the rest runs, and everything says so."""

import shutil
from pathlib import Path

import pytest
from helpers.results import statuses

import boostbench
from boostbench.store.store import Store

# isolet_partial has a fingerprint on its card, isolet has none: its trials cannot be named.
CONFIG = """\
name: some
datasets: [isolet_partial, iris, isolet]
methods: [{name: bayes, estimator: sklearn.naive_bayes.GaussianNB}]
folds: 2
seeds: 1
"""
NO_MIRROR = (
    "data set 'isolet_partial' cannot be loaded: it is not in the cache, nor in a folder that "
    "--mirror names (as isolet1.data, isolet5.data), and may not be fetched"
)
NOT_CACHED = (
    "data set 'isolet' cannot be loaded: it is not in the cache, nor in a folder that --mirror "
    "names (as isolet1+2+3+4.data.Z, isolet5.data.Z), and may not be fetched"
)


@pytest.fixture
def some(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BOOSTBENCH_CACHE", str(folder / "cache"))
    (folder / "some.yaml").write_text(CONFIG)
    return folder


def test_the_rest_runs_and_what_is_missing_is_said_everywhere(cli, some: Path) -> None:
    dry = cli("run", "some.yaml", "--offline", "--dry-run")
    assert dry.code == 4
    assert "2 to run" in dry.out
    assert "without data: isolet_partial, isolet\n" in dry.out
    assert not (some / "results").exists()

    done = cli("run", "some.yaml", "--offline", "-j", "1")
    assert done.code == 4
    for err in (dry.err, done.err):
        assert err.splitlines()[:2] == [f"skipped: {NO_MIRROR}", f"skipped: {NOT_CACHED}"]
    assert "trials: 2 ok, 2 pending" in done.out
    assert done.err.splitlines()[-1] == (
        "2 data sets skipped, as the data are unavailable: isolet_partial, isolet; get the data as "
        "said above, then run: boostbench run some.yaml --offline --jobs 1"
    )
    assert statuses("results/some") == [("isolet_partial", "pending")] * 2 + [("iris", "ok")] * 2

    status = cli("status", "some.yaml").out
    assert f"skipped by the last run, isolet_partial: {NO_MIRROR}" in status
    assert f"skipped by the last run, isolet: {NOT_CACHED}" in status
    assert NO_MIRROR in cli("report", "some.yaml", "-f", "md").err
    page = (some / "results" / "some" / "table.md").read_text(encoding="utf-8")
    assert f"No data for isolet_partial: {NO_MIRROR}." in page.replace("\\_", "_")

    # Again: nothing is left that could run, and the run is as incomplete as before.
    again = cli("run", "some.yaml", "--offline", "-j", "1")
    assert again.code == 4
    assert "nothing was missing; trials: 2 ok, 2 pending" in again.out
    # A run of the other data set is complete, and keeps the reasons for these.
    others = cli("run", "some.yaml", "--offline", "--only", "dataset=iris")
    assert others.code == 0
    assert NO_MIRROR in cli("status", "some.yaml").out


def test_data_that_have_come_are_run(cli, some: Path, mirror_of_isolet: Path) -> None:
    assert cli("run", "some.yaml", "--offline", "-j", "1").code == 4
    done = cli("run", "some.yaml", "--offline", "--mirror", str(mirror_of_isolet), "-j", "1")
    assert done.code == 4
    assert "1 data set skipped, as the data are unavailable: isolet; " in done.err
    assert statuses("results/some") == [("isolet_partial", "ok")] * 2 + [("iris", "ok")] * 2
    status = cli("status", "some.yaml").out
    assert "isolet_partial: data set" not in status
    assert "skipped by the last run, isolet:" in status
    # All its trials are done: that the data are gone again matters to nobody.
    cache = Path("cache")
    for path in cache.glob("arrays/*.npz"):
        path.unlink()
    only = ("--set", "datasets=[isolet_partial, iris]")
    done = cli("run", "some.yaml", "--offline", *only)
    assert done.code == 0, done.err
    assert "nothing was missing; trials: 4 ok" in done.out
    assert "skipped" not in done.err


@pytest.fixture
def mirror_of_isolet() -> Path:
    folder = Path(__file__).resolve().parents[3] / "shared" / "data"
    if not (folder / "classification" / "isolet1.data.gz").is_file():
        pytest.skip("no mirror beside the project")
    return folder


def test_where_nothing_has_data_nothing_is_written(cli, some: Path) -> None:
    for more in ([], ["--dry-run"]):
        done = cli("run", "some.yaml", "--offline", "--only", "dataset=isolet*", *more)
        assert done.code == 4
        assert done.err.splitlines() == ["2 errors:", NO_MIRROR, NOT_CACHED]
        assert not (some / "results").exists()


def test_a_shard_goes_on_where_it_can_be_numbered(cli, some: Path) -> None:
    shard = cli("run", "some.yaml", "--offline", "--shard", "1/2")
    assert shard.code == 4
    assert "a shard needs every data set of its experiment" in shard.err
    assert not (some / "results").exists()
    done = cli("run", "some.yaml", "--offline", "--shard", "2/2", "-j", "1",
               "--set", "datasets=[isolet_partial, iris]")  # fmt: skip
    assert done.code == 4
    assert "trials of shard 2/2: 1 ok, 1 pending" in done.out


def test_a_mistake_or_a_misfit_still_stops_everything(cli, some: Path) -> None:
    typo = cli("run", "some.yaml", "--offline", "--set", "datasets=[isolet, iris, iirs]")
    assert typo.code == 2
    assert "no data set 'iirs' (did you mean 'iris'?)" in typo.err
    misfit = cli("run", "some.yaml", "--offline", "--set", "folds=151")
    assert misfit.code == 4
    assert "'iris' has 150 rows, fewer than the 151 folds" in misfit.err
    assert not (some / "results").exists()


def test_from_python_the_results_are_returned_and_a_note_says_so(some: Path) -> None:
    class Notes(boostbench.Listener):
        def __init__(self) -> None:
            self.texts: list[str] = []

        def note(self, text: str, level: str = "info") -> None:
            self.texts.append(text)

    notes = Notes()
    results = boostbench.run("some.yaml", offline=True, jobs=1, listener=notes)
    assert results.trials["status"].tolist() == ["pending"] * 2 + ["ok"] * 2
    assert notes.texts[-1].startswith("2 data sets skipped, as the data are unavailable: isolet_p")
    with pytest.raises(boostbench.DataError, match="isolet"):
        boostbench.run("some.yaml", offline=True, only="dataset=isolet", listener=notes)


@pytest.mark.parametrize("lacking", [1, 2])
def test_a_merge_forgets_what_only_one_run_had_no_data_for(
    cli, folder: Path, tiny_run: Path, lacking: int
) -> None:
    stores = [folder / "results" / name for name in "ab"]
    for number, store in enumerate(stores):
        shutil.copytree(tiny_run, store)
        if number < lacking:
            with Store.open(store, create=False) as opened:
                record = {**opened.experiment(), "without_data": {"diabetes": "no server has it"}}
                opened.set_plan(record, opened.plan())
    assert cli("merge", *map(str, stores), "--into", "merged").code == 0
    assert ("no server has it" in cli("status", "merged").out) == (lacking == 2)
