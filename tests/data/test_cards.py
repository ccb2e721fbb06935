"""Shipped cards are complete, and give the sizes of the paper's Table 1."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from cards import card_of, load_card

from boostbench.data import DataAccess, DataRequest, fingerprint, known_fingerprint, load_dataset
from boostbench.data.binary import generate
from boostbench.data.cards import Card, Catalog
from boostbench.data.loading import load_from_card
from boostbench.errors import DataError

TABLE_1 = {
    "abalone": (4177, 8), "ailerons": (7154, 40), "airfoil": (1503, 5), "auto_mpg": (392, 7),
    "compactiv": (8192, 21), "computer_hardware": (209, 37), "cpu_small": (8192, 12),
    "delta_ailerons": (7129, 5), "elevators": (16599, 18), "friedman": (40768, 10),
    "housing": (506, 13), "kin8nm": (8192, 8), "lpga2009": (146, 11), "puma32h": (8192, 32),
    "yacht": (308, 6),
}  # fmt: skip


@pytest.mark.parametrize("name", Catalog().names)
def test_each_card_is_complete(name: str) -> None:
    card = load_card(name)
    assert card.sources
    assert card.licence
    assert card.citation
    for key in card.variants:
        variant = load_card(f"{name}:{key}")
        assert variant.fingerprint != card.fingerprint


@pytest.mark.parametrize(("name", "size"), TABLE_1.items())
def test_cards_pin_the_sizes_of_table_1(name: str, size: tuple[int, int]) -> None:
    card = load_card(name)
    assert (card.n_samples, card.n_features) == size
    assert len(card.fingerprint) == 64
    assert {source.kind for source in card.sources} - {"file"}, "needs a public place too"


@pytest.mark.parametrize(
    "name", [*TABLE_1, "vowel", "usps", "pendigits", "optdigits", "scene15", "isolet"]
)
def test_mirror_gives_the_pinned_data(name: str, mirror: Path, tmp_path: Path) -> None:
    card = load_card(name)
    request = DataRequest(name="a name of my own", card=name)
    dataset = load_dataset(request, DataAccess(tmp_path, mirror=mirror, offline=True))
    assert dataset.name == "a name of my own"
    assert dataset.source.startswith("mirror ")
    assert dataset.X.shape == (card.n_samples, card.n_features)
    assert dataset.X.dtype == np.float64
    assert dataset.y.dtype == (np.int64 if dataset.classes else np.float64)
    assert dataset.X.flags.c_contiguous
    assert len(dataset.feature_names) == card.n_features
    assert not dataset.classes or set(dataset.y) == set(range(len(dataset.classes)))
    assert fingerprint(dataset.X, dataset.y) == dataset.fingerprint == known_fingerprint(request)


def test_known_rows_of_the_paper_sets(mirror: Path, tmp_path: Path) -> None:
    access = DataAccess(tmp_path, mirror=mirror, offline=True)

    def first(name: str) -> tuple[dict[str, float], float]:
        data = load_dataset(DataRequest(name=name, card=name), access)
        return dict(zip(data.feature_names, data.X[0], strict=True)), data.y[0]

    row, rings = first("abalone")
    assert (row["Sex"], row["Length"], rings) == (0.0, 0.455, 15.0)
    row, erp = first("computer_hardware")
    assert (row["vendor=adviser"], row["vendor=wang"], row["PRP"], erp) == (1.0, 0.0, 198.0, 199.0)
    row, prize = first("lpga2009")
    assert prize == 12.22
    assert 202624.0 not in row.values()


def test_vowel_doubled_is_vowel_with_its_test_rows_once_more(mirror: Path, tmp_path: Path) -> None:
    access = DataAccess(tmp_path, mirror=mirror, offline=True)
    vowel, doubled = (
        load_dataset(DataRequest(name=name, card=name), access)
        for name in ("vowel", "vowel_doubled")
    )
    train = load_card("vowel").train_rows
    rows, wanted = (np.column_stack([data.X, data.y]) for data in (doubled, vowel))
    wanted = np.concatenate([wanted, wanted[train:]])
    assert rows.shape == (1452, 11)
    np.testing.assert_array_equal(rows[np.lexsort(rows.T)], wanted[np.lexsort(wanted.T)])


@pytest.mark.parametrize("name", ["diabetes", "iris"])
def test_bundled_sets_need_nothing(name: str, local: DataAccess) -> None:
    dataset = load_dataset(DataRequest(name=name, card=name), local)
    assert dataset.fingerprint == load_card(name).fingerprint
    assert (len(dataset.classes) > 1) == (dataset.task == "classification")


def test_friedman1_is_the_function_with_unit_noise(local: DataAccess) -> None:
    data = load_dataset(DataRequest(name="f", card="friedman1"), local)
    x = data.X.T
    assert data.X.shape == (40768, 10)
    assert x.min() >= 0
    assert x.max() < 1
    assert np.abs(np.corrcoef(x) - np.eye(10)).max() < 0.02
    clean = 10 * np.sin(np.pi * x[0] * x[1]) + 20 * (x[2] - 0.5) ** 2 + 10 * x[3] + 5 * x[4]
    noise = data.y - clean
    assert abs(noise.mean()) < 0.02
    assert abs(noise.std() - 1) < 0.02
    variant = load_dataset(DataRequest(name="f", card="friedman:generated"), local)
    assert variant.fingerprint == data.fingerprint
    for params in ({"samples": 100}, {"n_samples": 100.5}, {"n_features": 3}, {"seed": -1}):
        with pytest.raises(DataError, match="generator friedman1 with "):
            generate("friedman1", params)


def test_a_target_picks_the_variant_that_has_it(mirror: Path, tmp_path: Path) -> None:
    access = DataAccess(tmp_path, mirror=mirror, offline=True)
    request = DataRequest(name="hw", card="computer_hardware", target="PRP")
    dataset = load_dataset(request, access)
    assert (dataset.target, dataset.X.shape) == ("PRP", (209, 36))
    assert "ERP" not in dataset.feature_names
    assert known_fingerprint(request) == dataset.fingerprint


@pytest.mark.parametrize(
    ("card", "keys", "message"),
    [
        ("abalon", {}, r"did you mean 'abalone'\?"),
        (
            "abalone",
            {"drop": ("Sex",)},
            "drop, categorical, decimal, thousands, na_values, missing",
        ),
        ("abalone", {"group": "Sex"}, "dates, group, time and weights are for openml and file"),
        ("abalone", {"time": "Rings"}, "dates, group, time and weights are for openml and file"),
        ("abalone", {"weights": "Sex"}, "dates, group, time and weights are for openml and file"),
        ("abalone", {"dates": "parts"}, "dates, group, time and weights are for openml and file"),
    ],
)
def test_wrong_requests_of_cards(card: str, keys, message: str, local: DataAccess) -> None:
    request = DataRequest(name="x", card=card, **keys)
    for ask in (known_fingerprint, partial(load_dataset, access=local)):
        with pytest.raises(DataError, match=message):
            ask(request)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name: bad\ntitle: x\n", "1:1: n_samples: Field required"),
        ("name: bad\ntitel: x\n", r"2:1: unknown key 'titel' .* \(did you mean 'title'\?\)"),
        ("name: bad\ntitle: 2019\n", "2:8: title: 2019 is no text: write it in quotes"),
        ("task: regresion\n", r"1:7: task: .* \(did you mean 'regression'\?\)"),
        ("sources: [{kind: url, fils: []}]", "1:23: unknown key 'fils' .*'files'"),
        ("sources:\n- kind: uci\n  id: 7\n", "2:3: sources.0: .* needs files and slug"),
        ("sources: [{kind: url, encoding: base64}]", "1:33: .* 'base64' is not an encoding of"),
        ("sources: [{kind: url, separator: '::'}]", "1:34: .*separator: .* at most 1 character"),
    ],
)
def test_a_wrong_card_is_a_sentence_with_its_place(text: str, message: str, shelf: Path) -> None:
    (shelf / "bad.yaml").write_text(text)
    with pytest.raises(DataError, match=rf"bad\.yaml:{message}") as caught:
        load_card("bad")
    assert ("\n" in str(caught.value), caught.value.exit_code) == (False, 2)


@pytest.mark.parametrize("labels", [["hId", "hid", "hEd"], ["hid", "hId"]])
def test_a_source_with_other_labels_gives_the_codes_of_the_card(labels, tmp_path: Path) -> None:
    rows = "".join(f"{i}.5,{label}\n" for i, label in enumerate(["hId", "hid", "hEd", "hId"]))
    (tmp_path / "v.arff").write_text(
        f"@relation v\n@attribute f numeric\n@attribute c {{hid,hId,hEd}}\n@data\n{rows}"
    )
    file = {"kind": "file", "format": "arff", "classes": labels, "files": [{"name": "v.arff"}]}
    about = {"task": "classification", "target": "c", "columns": ["f", "c"], "n_features": 1}
    card = Card.model_validate(card_of(**about, sources=[file]))
    access = DataAccess(tmp_path / "cache", tmp_path, True)
    if "hEd" in labels:
        assert load_from_card(card, access).y.tolist() == [0, 1, 2, 0]
    else:
        with pytest.raises(DataError, match="the class 'hEd' in column 'c'; hid, hId are expected"):
            load_from_card(card, access)
