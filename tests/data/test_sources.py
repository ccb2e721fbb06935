"""Every address on every shipped card gives the card's data: real bytes, or files made alike."""

import gzip
import hashlib
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from pathlib import Path

import ncompress
import numpy as np
import pytest
from cards import load_card
from servers import LoopbackServer, zip_of

from boostbench.data.access import DataAccess
from boostbench.data.cards import Card, Catalog, Source
from boostbench.data.download import place_of
from boostbench.data.loading import load_from_card
from boostbench.errors import UnavailableDataError

OWN_IMAGES = {
    "cifar10_gist",
    "cifar10_jpeg_gist",
    "cifar10_jpeg_pixels",
    "gtsrb_images",
    "labelme12",
    "pascal07",
    "scene15_images",
    "sun25",
}
# No copy is at hand, in the mirror or elsewhere; see test_joined_sets.py.
OPENML_ONLY = {"gtsrb", "cifar10_pixels"}
WITHOUT_DOWNLOAD = {"sklearn", "generated"}
CARDS = [name for name in Catalog().names if name not in OWN_IMAGES]


def downloaded(name: str) -> list[Card]:
    """Return the card and its variants, but for those that need no download."""
    card = load_card(name)
    cards = [card, *(load_card(f"{name}:{key}") for key in card.variants)]
    return [each for each in cards if not {s.kind for s in each.sources} <= WITHOUT_DOWNLOAD]


@pytest.fixture(autouse=True)
def _internet(server: LoopbackServer) -> Iterator[None]:
    with server.as_internet():
        yield


def access_to_all(server: LoopbackServer, folder: Path) -> DataAccess:
    """The public addresses, and a server in place of OpenML's."""
    return DataAccess(folder, attempts=1, openml_server=f"{server.url}/api/v1/xml")


def alone(card: Card, source: Source) -> Card:
    return card.model_copy(update={"sources": (source,)})


def organisation(place: str) -> str:
    """Who keeps the data: the owner on GitHub, else the last two parts of the host's name."""
    if place.startswith("github.com/"):
        return place.split("/")[1]
    return ".".join(place.split(".")[-2:])


def keepers(source: Source) -> set[str]:
    if source.kind == "url":
        return {organisation(place_of(url)) for file in source.files for url in file.urls}
    return {{"uci": "uci.edu"}.get(source.kind, source.kind)} - {"file", "images"}


@pytest.mark.parametrize("name", CARDS)
def test_two_organisations_have_each_set(name: str) -> None:
    for card in downloaded(name):
        found = set().union(*(keepers(source) for source in card.sources))
        if name in OPENML_ONLY:
            assert found == {"openml"}
        else:
            assert len(found) >= 2


@cache
def contents_by_sha256(mirror: Path) -> dict[str, bytes]:
    """Return the mirror's files, but for its archives of images."""
    found = {}
    for path in mirror.rglob("*"):
        if path.is_file() and path.suffix != ".xz":
            content = path.read_bytes()
            found[hashlib.sha256(content).hexdigest()] = content
            if path.suffix == ".gz":
                content = gzip.decompress(content)
                found[hashlib.sha256(content).hexdigest()] = content
    return found


@cache
def columns_of(name: str, mirror: Path) -> list[list[str]]:
    """The values of the mirror's copy as text, target last, without what the card leaves out."""
    data = load_from_card(load_card(name), DataAccess(Path("unused"), mirror=mirror, offline=True))
    target = [data.classes[code] for code in data.y] if data.classes else map(repr, data.y.tolist())
    return [*([repr(v) for v in column] for column in data.X.T.tolist()), list(target)]


def lines(rows: Iterable[Iterable[str]], separator: str = ",") -> bytes:
    return "".join(separator.join(row) + "\n" for row in rows).encode()


def delimited(columns: list[list[str]], separator: str = ", ") -> bytes:
    return lines(zip(*columns, strict=True), separator)


def arff(columns: list[list[str]], nominal: dict[int, str] | None = None) -> bytes:
    head = "@relation r\r\n" + "".join(
        f"@attribute 'a {j}' {(nominal or {}).get(j, 'real')}\r\n" for j in range(len(columns))
    )
    return head.encode() + b"@data\r\n" + lines(zip(*columns, strict=True))


def keel(columns: list[list[str]]) -> bytes:
    names = [f"a{j}" for j in range(len(columns))]
    head = "@relation r\n" + "".join(f"@attribute {name} real [-1e9, 1e9]\n" for name in names)
    head += f"@inputs {', '.join(names[:-1])}\n@outputs {names[-1]}\n@data\n"
    return head.encode() + lines(zip(*columns, strict=True))


def abalone(columns: list[list[str]]) -> bytes:
    letters = ["MFI"[int(float(code))] for code in columns[0]]
    return arff([letters, *columns[1:]], {0: "{ M, F, I}"})


def vowel(columns: list[list[str]]) -> bytes:
    return keel([["0"] * 990] * 3 + columns)


DIGITS = {64: "{0,1,2,3,4,5,6,7,8,9}"}
# Files of which the mirror has no copy: made of its other copies, in the form of the originals.
MADE: dict[str, tuple[str, slice, Callable[[list[list[str]]], bytes]]] = {
    "cpu_act.data": ("compactiv", slice(None), delimited),
    "elevators.data": ("elevators", slice(8752), delimited),
    "elevators.test": ("elevators", slice(8752, None), delimited),
    "fried_delve.data": ("friedman", slice(None), partial(delimited, separator=" ")),
    "kin8nm.data": ("kin8nm", slice(None), delimited),
    "delta_ail.dat": ("delta_ailerons", slice(None), delimited),
    "ailerons.arff": ("ailerons:full", slice(None), arff),
    "abalone.arff": ("abalone", slice(None), abalone),
    "housing.arff": ("housing", slice(None), arff),
    "optdigits.arff": ("optdigits", slice(None), partial(arff, nominal=DIGITS)),
    "puma32h.dat": ("puma32h", slice(None), keel),
    "vowel.dat": ("vowel", slice(None), vowel),
}


def served(source: Source, server: LoopbackServer, mirror: Path) -> Source:
    """Serve the files of a source; return the source, with the checksums of what is served."""
    real = contents_by_sha256(mirror)
    copies = {path.name.removeprefix("usps-"): path for path in mirror.rglob("*")}
    files = []
    for file in source.files:
        last = file.urls[0].rsplit("/", 1)[-1]
        if file.sha256 in real:
            content = real[str(file.sha256)]
        elif last in MADE:
            origin, rows, write = MADE[last]
            content = write([column[rows] for column in columns_of(origin, mirror)])
        else:
            # The same content in a gzip file of another maker, or an address without a sha256.
            assert "mnist" in file.urls[0] or "hastie" in file.urls[0], file.urls
            content = copies[last].read_bytes()
        sha256 = file.sha256 if file.sha256 in real else None
        files.append(file.model_copy(update={"sha256": sha256}))
        # All addresses are asked: the last gives what any of them would.
        server.add_address(file.urls[-1], content)
    return source.model_copy(update={"files": tuple(files)})


@pytest.mark.parametrize(
    "name",
    [
        # 70,000 images, which take as long as all other sets together.
        pytest.param(name, marks=pytest.mark.long) if name == "mnist" else name
        for name in CARDS
        if name not in OPENML_ONLY
    ],
)
def test_every_plain_address_gives_the_data(name: str, mirror: Path, server, tmp_path) -> None:
    sources = [(card, s) for card in downloaded(name) for s in card.sources if s.kind == "url"]
    for number, (card, source) in enumerate(sources):
        server.replies.clear()
        server.requests.clear()
        access = access_to_all(server, tmp_path / str(number))
        data = load_from_card(alone(card, served(source, server, mirror)), access)
        assert data.fingerprint == card.fingerprint
        addresses = {f"/{url.partition('://')[2]}" for file in source.files for url in file.urls}
        assert addresses <= {path for _, path in server.requests}


@pytest.mark.parametrize("name", ["abalone", "vowel_doubled"])
def test_uci_under_each_spelling_and_from_its_copies(name, mirror, server, tmp_path) -> None:
    card = load_card(name)
    source = next(source for source in card.sources if source.kind == "uci")
    found = {path.name: path for path in mirror.rglob("*") if path.is_file()}
    members = {
        file.name: found[file.name].read_bytes()
        if file.name in found
        else gzip.decompress(found[f"{file.name}.gz"].read_bytes())
        for file in source.files
    }
    quoted = source.slug.replace("+", "%2B")
    spellings = [
        f"https://archive.ics.uci.edu/static/public/{source.id}/{source.slug}.zip",
        f"https://archive.ics.uci.edu/static/public/{source.id}/{quoted}.zip",
        f"https://cdn.uci-ics-mlr-prod.aws.uci.edu/{source.id}/{quoted}.zip",
    ]
    for number, address in enumerate(spellings):
        server.replies.clear()
        server.requests.clear()
        server.add_address(address, zip_of(members))
        access = access_to_all(server, tmp_path / str(number))
        data = load_from_card(alone(card, source), access)
        assert data.fingerprint == card.fingerprint
        asked = dict.fromkeys(f"/{url.partition('://')[2]}" for url in spellings[: number + 1])
        assert [path for _, path in server.requests] == list(asked)


ISOLET_ZIP = "https://archive.ics.uci.edu/static/public/54/isolet.zip"
Rows = list[tuple[str, str]]


def serve_isolet(server: LoopbackServer, kind: str, train: Rows, test: Rows) -> None:
    """Serve rows, each the text of its values and its letter's number, as one of the two places."""
    if kind == "uci":
        members = {}
        for name, part in {"1+2+3+4": train, "5": test}.items():
            text = "".join(f"{values}, {letter}.\n" for values, letter in part)
            members[f"isolet/isolet{name}.data.Z"] = ncompress.compress(text.encode())
        server.add_address(ISOLET_ZIP, zip_of(members))
        return
    # OpenML's letters are text: the same codes must come of them.
    head = "@relation isolet\n" + "".join(f"@attribute f{j} numeric\n" for j in range(1, 618))
    head += f"@attribute class {{{','.join(map(str, range(1, 27)))}}}\n@data\n"
    text = "".join(f"{values}, {letter}\n" for values, letter in train + test)
    server.add_openml(300, (head + text).encode(), target="class")


def isolet_of(kind: str, **changes: object) -> Card:
    """Return the card with only its source of this kind."""
    card = load_card("isolet").model_copy(update=changes)
    return alone(card, next(source for source in card.sources if source.kind == kind))


# Of few rows: their number, and that of the training part.
N, N_TRAIN = 104, 78


def few_rows() -> tuple[Rows, Rows]:
    """Return rows like those of isolet: three of each letter to train, and one to test."""
    generator = np.random.default_rng(0)
    values = generator.integers(-10_000, 10_001, (N, 617)) / 10_000
    parts = generator.permutation(N_TRAIN), generator.permutation(N - N_TRAIN)
    letters = (np.concatenate(parts) % 26 + 1).tolist()
    texts = [", ".join(map("{:.4f}".format, row)) for row in values.tolist()]
    rows = [(text, str(letter)) for text, letter in zip(texts, letters, strict=True)]
    return rows[:N_TRAIN], rows[N_TRAIN:]


def of_few_rows(kind: str, fingerprint: str = "") -> Card:
    return isolet_of(kind, n_samples=N, train_rows=N_TRAIN, fingerprint=fingerprint)


def in_another_order(rows: Rows) -> Rows:
    generator = np.random.default_rng(1)
    return [rows[i] for i in generator.permutation(len(rows))]


@pytest.mark.parametrize("kind", ["uci", "openml"])
def test_isolet_is_the_same_in_each_order_of_the_rows_of_its_parts(
    kind: str, server: LoopbackServer, tmp_path: Path
) -> None:
    train, test = few_rows()
    serve_isolet(server, kind, train, test)
    found = load_from_card(of_few_rows(kind), access_to_all(server, tmp_path / "as it is"))
    numbers = [[float(value) for value in text.split(",")] for text, _ in train + test]
    letters = [int(letter) for _, letter in train + test]
    order = [
        row
        for part in (range(N_TRAIN), range(N_TRAIN, N))
        for row in sorted(part, key=lambda i: (letters[i], numbers[i]))
    ]
    np.testing.assert_array_equal(found.X, np.array(numbers)[order])
    # The codes of the letters are the same at both places.
    assert [int(found.classes[code]) for code in found.y] == [letters[i] for i in order]
    serve_isolet(server, kind, in_another_order(train), in_another_order(test))
    card = of_few_rows(kind, found.fingerprint)
    again = load_from_card(card, access_to_all(server, tmp_path / "shuffled"))
    assert again.fingerprint == found.fingerprint


def test_isolet_with_a_row_in_the_other_part_is_refused(
    server: LoopbackServer, tmp_path: Path
) -> None:
    train, test = few_rows()
    serve_isolet(server, "uci", train, test)
    whole = load_from_card(of_few_rows("uci"), access_to_all(server, tmp_path / "whole"))
    # Two rows of one letter change places, so that every part has its number of each letter.
    at = next(i for i, (_, letter) in enumerate(test) if letter == train[0][1])
    train[0], test[at] = test[at], train[0]
    serve_isolet(server, "uci", train, test)
    said = "differs from the data the card expects: its fingerprint is"
    with pytest.raises(UnavailableDataError, match=said):
        load_from_card(
            of_few_rows("uci", whole.fingerprint), access_to_all(server, tmp_path / "exchanged")
        )


@pytest.mark.long
@pytest.mark.parametrize("kind", ["uci", "openml"])
def test_the_whole_of_isolet_is_the_same_in_another_order(
    kind: str, mirror: Path, server: LoopbackServer, tmp_path: Path
) -> None:
    parts: list[Rows] = []
    for file in isolet_of("file").sources[0].files:
        packed = next(path for path in mirror.rglob(f"{file.name}*") if path.is_file())
        text = gzip.decompress(packed.read_bytes()).decode()
        rows = [line.rstrip(". ").rsplit(", ", 1) for line in text.splitlines()]
        parts.append([(values, letter) for values, letter in rows])
    assert [len(part) for part in parts] == [6238, 1559]
    serve_isolet(server, kind, *map(in_another_order, parts))
    card = isolet_of(kind)
    found = load_from_card(card, access_to_all(server, tmp_path))
    assert found.fingerprint == card.fingerprint
    counts = [np.bincount(part).tolist() for part in np.split(found.y, [card.train_rows])]
    assert counts == [list(part) for part in card.class_counts]
