"""Which data sets are loaded, fetched or only named, and what remains usable after a failure."""

import dataclasses
from pathlib import Path

import pytest
from plan_parts import make_experiment

from boostbench.config.model import Experiment
from boostbench.data import DataAccess, known_fingerprint, load_arrays
from boostbench.data.loading import NoNetwork
from boostbench.errors import DataError
from boostbench.experiment.datasets import gather

FILES = "{file: a.csv, target: y}, {file: b.csv, target: y}"


def _experiment(folder: Path, data: str) -> Experiment:
    for number, name in enumerate(("a.csv", "b.csv")):
        rows = "".join(f"{i},{i * i + number}\n" for i in range(12))
        (folder / name).write_text(f"u,y\n{rows}")
    return make_experiment(folder, data=data, more="folds: 2\n")


@pytest.fixture
def arrays(tmp_path: Path) -> Path:
    return tmp_path / "arrays"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The names of the data sets of each call for downloads, none of which takes place."""
    calls: list[list[str]] = []

    def record(requests, access) -> None:
        assert access.network is not None
        calls.append([request.name for request in requests])

    monkeypatch.setattr("boostbench.experiment.datasets.prefetch", record)
    return calls


@pytest.fixture
def notes() -> list[str]:
    return []


@pytest.fixture
def access(tmp_path: Path, notes: list[str]) -> DataAccess:
    return DataAccess(cache_dir=tmp_path / "cache", offline=True, notify=notes.append)


def test_saved_data_are_neither_fetched_nor_loaded_again(
    tmp_path: Path, arrays: Path, access: DataAccess, asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    experiment = _experiment(tmp_path, "{name: d, card: diabetes}, friedman1, iris")
    wanted = {"d", "friedman1"}
    first, _ = gather(experiment, [], access, arrays, wanted=wanted.__contains__)
    assert asked == [["d", "friedman1"]]
    loading = "boostbench.experiment.datasets.load_dataset"
    monkeypatch.setattr(loading, lambda *_: pytest.fail("loaded again"))
    seen: list[str] = []
    again, _ = gather(
        experiment,
        [],
        access,
        arrays,
        wanted=wanted.__contains__,
        seen=lambda dataset, _: seen.append(dataset.name),
    )
    assert asked[1:] == [[]]
    assert again == first
    assert seen == ["d", "friedman1"]
    dry, _ = gather(experiment, [], access, arrays, wanted=wanted.__contains__, may_fetch=False)
    assert dry == first
    assert len(asked) == 2


def test_a_saved_file_that_is_damaged_is_loaded_again(
    tmp_path: Path, arrays: Path, access: DataAccess
) -> None:
    experiment = _experiment(tmp_path, "diabetes")
    prints, _ = gather(experiment, [], access, arrays)
    (saved,) = arrays.glob("*.npz")
    saved.write_bytes(b"damaged")
    assert gather(experiment, [], access, arrays, may_fetch=False) == (prints, {})
    assert saved.read_bytes() == b"damaged"
    assert gather(experiment, [], access, arrays) == (prints, {})
    assert load_arrays(prints["diabetes"], arrays).X.shape == (442, 10)


def test_unwanted_data_have_their_planned_fingerprint_or_none(
    tmp_path: Path, arrays: Path, access: DataAccess
) -> None:
    experiment = _experiment(tmp_path, f"{FILES}, diabetes, friedman1")
    found, _ = gather(
        experiment,
        [],
        access,
        arrays,
        wanted=lambda name: name == "friedman1",
        planned={"b": "planned", "diabetes": "older"},
    )
    diabetes = known_fingerprint(experiment.requests()[2])
    assert list(found) == ["b", "diabetes", "friedman1"]
    assert (found["b"], found["diabetes"]) == ("planned", diabetes)
    assert [path.stem for path in arrays.glob("*.npz")] == [found["friedman1"]]


def test_without_a_network_the_others_are_loaded_and_one_sentence_says_so(
    tmp_path: Path, arrays: Path, access: DataAccess, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(requests, access):
        raise NoNetwork({"archive.ics.uci.edu": "no route"}, ["yacht"])

    monkeypatch.setattr("boostbench.experiment.datasets.prefetch", fail)
    found, lacking = gather(_experiment(tmp_path, "yacht, diabetes"), [], access, arrays)
    assert list(found) == ["yacht", "diabetes"]
    assert list(lacking) == ["yacht"]
    assert lacking["yacht"].startswith("no network: ")


def test_a_dry_run_says_what_would_be_fetched_and_saves_nothing(
    tmp_path: Path, arrays: Path, access: DataAccess, notes: list[str], asked
) -> None:
    online = dataclasses.replace(access, offline=False)
    experiment = _experiment(tmp_path, "{openml: 44957}, yacht, diabetes")
    seen: list[str] = []
    found, _ = gather(
        experiment, [], online, arrays, may_fetch=False, seen=lambda d, _: seen.append(d.name)
    )
    assert list(found) == ["openml_44957", "yacht", "diabetes"]
    assert found["openml_44957"] == "not fetched: openml_44957"
    assert found["yacht"] == known_fingerprint(experiment.requests()[1])
    assert [note.split()[0] for note in notes] == ["openml_44957", "yacht"]
    assert all("would be fetched" in note for note in notes)
    assert (seen, asked) == (["diabetes"], [])
    assert not arrays.exists()
    # Offline it would not be fetched, and is unavailable.
    _, lacking = gather(experiment, [], access, arrays, may_fetch=False)
    assert list(lacking) == ["openml_44957", "yacht"]


def test_two_names_of_the_same_numbers_are_refused_whoever_is_first(
    tmp_path: Path, arrays: Path, access: DataAccess
) -> None:
    experiment = _experiment(tmp_path, "friedman1, {name: again, card: friedman1}, diabetes")
    with pytest.raises(DataError, match="'friedman1' and 'again' hold the same numbers"):
        gather(experiment, [], access, arrays, may_fetch=False)
