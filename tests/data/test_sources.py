"""Every address on every shipped card gives the card's data: real bytes, or files made alike."""

import gzip
import hashlib
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

import ncompress
import numpy as np
import pytest
from helpers.servers import LoopbackServer, zip_of

from boostbench.data.access import DataAccess
from boostbench.data.cards import Card, Source, card_names, load_card
from boostbench.data.download import place_of
from boostbench.data.loading import load_from_card

# No public copy is known: the mirror's first group is sorted by class, UCI's is not.
MIRROR_ONLY = {"isolet_partial"}
OWN_IMAGES = {"cifar10_gist", "labelme12", "pascal07", "scene15_images", "sun25"}
# No copy is at hand, in the mirror or elsewhere; see test_joined_sets.py.
OPENML_ONLY = {"gtsrb", "cifar10_pixels"}
NO_COPY = {"isolet"} | OPENML_ONLY
WITHOUT_DOWNLOAD = {"sklearn", "generated"}
CARDS = [
    name
    for card in card_names()
    for name in (card, *(f"{card}:{key}" for key in load_card(card).variants))
    if not {source.kind for source in load_card(name).sources} <= WITHOUT_DOWNLOAD
    and name not in OWN_IMAGES
]


@pytest.fixture(autouse=True)
def _internet(server: LoopbackServer) -> Iterator[None]:
    with server.as_internet():
        yield


def access_to_all(server: LoopbackServer, folder: Path) -> DataAccess:
    """The public addresses, except OpenML's, whose client runs in a process of its own."""
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
    return {{"uci": "uci.edu"}.get(source.kind, source.kind)} - {"file"}


@pytest.mark.parametrize("name", CARDS)
def test_two_organisations_have_each_set(name: str) -> None:
    found = set().union(*(keepers(source) for source in load_card(name).sources))
    if name in MIRROR_ONLY:
        assert found == set()
    elif name in OPENML_ONLY:
        assert found == {"openml"}
    else:
        assert len(found) >= 2


@cache
def contents_by_sha256(mirror: Path) -> dict[str, bytes]:
    found = {}
    for path in mirror.rglob("*"):
        if path.is_file():
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


def delimited(columns: list[list[str]]) -> bytes:
    return lines(zip(*columns, strict=True), ", ")


def blanks(columns: list[list[str]]) -> bytes:
    return lines(zip(*columns, strict=True), " ")


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


def optdigits(columns: list[list[str]]) -> bytes:
    return arff(columns, {64: "{0,1,2,3,4,5,6,7,8,9}"})


def vowel(columns: list[list[str]]) -> bytes:
    return keel([["0"] * 990] * 3 + columns)


# Files of which the mirror has no copy: made of its other copies, in the form of the originals.
MADE: dict[str, tuple[str, slice, Callable[[list[list[str]]], bytes]]] = {
    "cpu_act.data": ("compactiv", slice(None), delimited),
    "elevators.data": ("elevators", slice(8752), delimited),
    "elevators.test": ("elevators", slice(8752, None), delimited),
    "fried_delve.data": ("friedman", slice(None), blanks),
    "kin8nm.data": ("kin8nm", slice(None), delimited),
    "delta_ail.dat": ("delta_ailerons", slice(None), delimited),
    "ailerons.arff": ("ailerons:full", slice(None), arff),
    "abalone.arff": ("abalone", slice(None), abalone),
    "housing.arff": ("housing", slice(None), arff),
    "optdigits.arff": ("optdigits", slice(None), optdigits),
    "puma32h.dat": ("puma32h", slice(None), keel),
    "vowel.dat": ("vowel", slice(None), vowel),
}


@pytest.mark.parametrize("name", [name for name in CARDS if name not in MIRROR_ONLY | NO_COPY])
def test_every_plain_address_gives_the_data(
    name: str, mirror: Path, server: LoopbackServer, tmp_path: Path
) -> None:
    card = load_card(name)
    real = contents_by_sha256(mirror)
    copies = {path.name.removeprefix("usps-"): path for path in mirror.rglob("*")}
    for number, source in enumerate(s for s in card.sources if s.kind == "url"):
        files = []
        for file in source.files:
            last = file.urls[0].rsplit("/", 1)[-1]
            if file.sha256 in real:
                files.append((file, real[str(file.sha256)]))
            elif last in MADE:
                origin, rows, write = MADE[last]
                content = write([column[rows] for column in columns_of(origin, mirror)])
                files.append((file.model_copy(update={"sha256": None}), content))
            else:
                # The same content in a gzip file of another maker, or an address without a sha256.
                assert "mnist" in file.urls[0] or "hastie" in file.urls[0], file.urls
                content = copies[last].read_bytes()
                files.append((file.model_copy(update={"sha256": None}), content))
        for address in range(max(len(file.urls) for file, _ in files)):
            server.replies.clear()
            for file, content in files:
                server.add_address(file.urls[min(address, len(file.urls) - 1)], content)
            served = source.model_copy(update={"files": tuple(file for file, _ in files)})
            cache = tmp_path / f"{number}-{address}"
            data = load_from_card(alone(card, served), access_to_all(server, cache))
            assert data.fingerprint == card.fingerprint
            assert {f"/{f.urls[min(address, len(f.urls) - 1)].partition('://')[2]}"
                    for f, _ in files} <= {path for _, path in server.requests}  # fmt: skip


UCI = {"abalone": ["abalone.data"], "vowel_doubled": ["vowel-context.data", "vowel-context.data"]}


@pytest.mark.parametrize("name", UCI)
def test_uci_under_each_spelling_and_from_its_copies(
    name: str, mirror: Path, server: LoopbackServer, tmp_path: Path
) -> None:
    card = load_card(name)
    source = next(source for source in card.sources if source.kind == "uci")
    found = {path.name.removesuffix(".gz"): path for path in mirror.rglob("*") if path.is_file()}
    members = {
        member: gzip.decompress(found[member].read_bytes())
        if found[member].suffix == ".gz"
        else found[member].read_bytes()
        for member in UCI[name]
    }
    assert [file.name for file in source.files] == UCI[name]
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


def test_whole_isolet(server: LoopbackServer, tmp_path: Path) -> None:
    card = load_card("isolet")
    generator = np.random.default_rng(0)
    n, p, first = 7797, 617, 260
    values = generator.integers(-10_000, 10_001, (n, p))
    letters = generator.permutation(np.arange(n) % 26 + 1)
    words = np.array([f"{value / 10_000:.4f}" for value in range(-10_000, 10_001)])
    rows = [
        f"{', '.join(row)}, {letter}."
        for row, letter in zip(words[values + 10_000], letters, strict=True)
    ]
    parts = {"isolet1+2+3+4.data.Z": rows[:6238], "isolet5.data.Z": rows[6238:]}
    members = {
        f"isolet/{name}": ncompress.compress("\n".join([*part, ""]).encode())
        for name, part in parts.items()
    }
    server.add_address("https://archive.ics.uci.edu/static/public/54/isolet.zip", zip_of(members))
    whole = load_from_card(card, access_to_all(server, tmp_path / "uci"))
    assert whole.source == "UCI 54"
    np.testing.assert_array_equal(whole.X, values / 10_000)
    assert [int(whole.classes[code]) for code in whole.y] == letters.tolist()

    # OpenML's letters are text: the same codes must come of them.
    head = "@relation isolet\n" + "".join(f"@attribute f{j} numeric\n" for j in range(1, p + 1))
    head += f"@attribute class {{{','.join(map(str, range(1, 27)))}}}\n@data\n"
    body = "\n".join(row.removesuffix(".") for row in rows[:first])
    server.add_openml(300, f"{head}{body}\n".encode(), target="class")
    source = next(source for source in card.sources if source.kind == "openml")
    small = alone(card, source).model_copy(update={"n_samples": first})
    part = load_from_card(small, access_to_all(server, tmp_path / "openml"))
    np.testing.assert_array_equal(part.X, whole.X[:first])
    np.testing.assert_array_equal(part.y, whole.y[:first])
