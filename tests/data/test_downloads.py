"""UCI, KEEL and plain addresses from loopback: what serves, what fails, what the cache holds."""

import gzip
import hashlib
import shutil
import socket
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from cards import card_of
from servers import LoopbackServer
from shelf import files_in, load

from boostbench.data import (
    DataAccess,
    DataRequest,
    Dataset,
    default_access,
    fingerprint,
    load_dataset,
)
from boostbench.data.cards import Card, Source, SourceFile
from boostbench.data.loading import load_from_card
from boostbench.errors import ConfigError, DataError

ROWS = np.array([[1.5, 2.0, 3.0], [4.0, 5.0, 6.25], [7.0, -8.0, 9.0], [1.0, 0.0, 2.0]])
TEXT = "\n".join(",".join(map(str, row)) for row in ROWS.tolist()).encode()
SHA256 = hashlib.sha256(TEXT).hexdigest()
KEEL = (
    b"@relation toy\r\n@attribute A real [1, 7]\r\n@attribute B real [-8, 5]\r\n"
    b"@attribute Out real [2, 9]\r\n@inputs A, B\r\n@outputs Out\r\n@data\r\n"
) + TEXT.replace(b",", b", ").replace(b"\n", b"\r\n")


def toy_card(*sources: Source, **changes: object) -> Card:
    known = fingerprint(ROWS[:, :2], ROWS[:, 2])
    values = {"columns": ("a", "b", "y"), "sources": sources, "fingerprint": known, **changes}
    return Card.model_validate(card_of(**values))


def uci() -> Source:
    return Source(kind="uci", id=7, slug="toy", files=(SourceFile(name="toy.data"),))


def keel() -> Source:
    return Source(kind="keel", dataset="toy")


def url(*addresses: str, sha256: str | None = None) -> Source:
    return Source(kind="url", files=(SourceFile(urls=addresses, sha256=sha256),))


def test_each_place_gives_the_same_data(server: LoopbackServer, tmp_path: Path) -> None:
    server.add_uci(7, "toy", {"toy.names": b"words", "toy.data": TEXT})
    server.add_keel("toy", KEEL)
    plain = server.add("/toy.data", TEXT)
    found = [
        load_from_card(toy_card(source), server.access(tmp_path))
        for source in (uci(), keel(), url(plain, sha256=SHA256))
    ]
    assert {dataset.fingerprint for dataset in found} == {toy_card(uci()).fingerprint}
    assert {dataset.feature_names for dataset in found} == {("a", "b")}
    assert [dataset.source for dataset in found] == ["UCI 7", "KEEL toy", plain]


def test_a_failing_server_is_asked_again_and_the_next_place_serves(server, tmp_path) -> None:
    path = server.add_uci(7, "toy", {"toy.data": TEXT})
    server.replies[path].failures = 2
    assert load_from_card(toy_card(uci()), server.access(tmp_path / "a")).source == "UCI 7"
    assert len(server.requests) == 3

    server.replies[path].failures = 3
    server.add_keel("toy", KEEL)
    text: list[str] = []
    access = server.access(tmp_path / "b", notify=text.append)
    assert load_from_card(toy_card(uci(), keel()), access).source == "KEEL toy"
    assert any("HTTP 500" in message for message in text)


def test_addresses_are_tried_in_turn(server: LoopbackServer, tmp_path: Path) -> None:
    good = server.add("/good", TEXT)
    source = url(server.url + "/missing", server.add("/other", b"1,2,3"), good, sha256=SHA256)
    load_from_card(toy_card(source), server.access(tmp_path))
    assert [path for _, path in server.requests] == ["/missing", *["/other"] * 3, "/good"]


SHORT, OTHER = TEXT.rsplit(b"\n", 1)[0], TEXT.replace(b"6.25", b"6.26")


@pytest.mark.parametrize(
    ("options", "content", "sha256", "message", "n_requests"),
    [
        ({"status": 404}, TEXT, None, "HTTP 404", 1),
        ({"status": 503, "headers": {"Retry-After": "3600"}}, TEXT, None, "HTTP 503", 3),
        ({"cut_at": 30}, TEXT, None, "broke off", 3),
        ({}, TEXT, "0" * 64, "its sha256 is not the one expected", 3),
        ({}, SHORT, None, "gives 3 rows of 2 features, but the card expects 4 of 2", 1),
        ({}, TEXT.replace(b",", b",0,"), None, "has 5 columns, but 3 are expected", 1),
        ({}, OTHER, None, "differs from the data the card expects: its fingerprint is ", 1),
    ],
)
def test_failures_are_one_sentence_and_leave_nothing(
    server, tmp_path, options, content, sha256, message, n_requests
) -> None:
    source = url(server.add("/toy.data", content, **options), sha256=sha256)
    with pytest.raises(DataError) as caught:
        load_from_card(toy_card(source), server.access(tmp_path))
    assert "data set 'toy' cannot be loaded" in str(caught.value)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(server.requests) == n_requests
    assert files_in(tmp_path) == []


@pytest.mark.parametrize("kind", ["uci", "url"])
def test_a_damaged_cache_mends_itself(server: LoopbackServer, tmp_path: Path, kind: str) -> None:
    server.add_uci(7, "toy", {"toy.data": TEXT})
    address = server.add("/toy.data", TEXT)
    card = toy_card(uci() if kind == "uci" else url(address, sha256=SHA256))
    source = load_from_card(card, server.access(tmp_path)).source
    (cached,) = files_in(tmp_path)
    cached.write_bytes(b"PK\x03\x04 not a zip")
    with pytest.raises(DataError):
        load_from_card(card, server.access(tmp_path, offline=True))
    if kind == "uci":
        # Only the data show that it is damaged: the next command fetches it again.
        with pytest.raises(DataError, match="damaged or unsupported zip"):
            load_from_card(card, server.access(tmp_path))
    assert load_from_card(card, server.access(tmp_path)).source == source
    assert len(server.requests) == 2


def test_an_unwritable_cache_is_a_sentence(server: LoopbackServer, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("in the way")
    server.add_uci(7, "toy", {"toy.data": TEXT})
    with pytest.raises(DataError, match="cache folder"):
        load_from_card(toy_card(uci()), server.access(tmp_path / "cache"))


IN_MIRROR = {
    "file": Source(kind="file", files=(SourceFile(name="toy.csv", sha256=SHA256),)),
    "url": url("https://host.invalid/toy.csv", sha256=SHA256),
}


@pytest.mark.parametrize(("kind", "path"), [("file", "toy.csv.gz"), ("url", "a/b c/toy.csv")])
def test_the_mirror_comes_first_and_is_checked(server, tmp_path, kind: str, path: str) -> None:
    source, mirror = IN_MIRROR[kind], tmp_path / "mirror"
    copy = mirror / path
    copy.parent.mkdir(parents=True)
    copy.write_bytes(gzip.compress(TEXT) if copy.suffix == ".gz" else TEXT)
    # Others of the same name, one of them no gzip file.
    for other in (mirror / "A" / "toy.csv", mirror / "z" / "toy.csv.gz"):
        other.parent.mkdir(exist_ok=True)
        other.write_bytes(OTHER)
    server.add_uci(7, "toy", {"toy.data": TEXT})
    card = toy_card(uci(), source)
    access = server.access(tmp_path / "cache", mirror=mirror)
    assert load_from_card(card, access).source.startswith("mirror toy.csv")
    assert server.requests == []

    copy.write_bytes(OTHER)
    text: list[str] = []
    access = server.access(tmp_path / "cache", mirror=mirror, notify=text.append)
    assert load_from_card(card, access).source == "UCI 7"
    assert f"{copy}, " in text[0]
    said = list[str]()
    empty = DataAccess(tmp_path / "empty", mirror=mirror, offline=True, notify=said.append)
    text = "do not have the sha256 that the card expects; put .*, or none of this name$"
    with pytest.raises(DataError, match=text):
        load_from_card(card, empty)
    assert said == []
    shutil.rmtree(mirror)
    mirror.mkdir()
    with pytest.raises(DataError, match=r"not in the cache, nor in .*mirror \(as toy"):
        load_from_card(card, DataAccess(tmp_path / "empty", mirror=mirror, offline=True))
    with pytest.raises(ConfigError, match="is not a folder"):
        DataAccess(tmp_path, mirror=tmp_path / "nowhere")


def test_a_file_without_a_sha256_is_the_only_one_of_its_name(tmp_path: Path) -> None:
    card = toy_card(Source(kind="file", files=(SourceFile(name="toy.csv"),)))

    def load() -> Dataset:
        return load_from_card(card, DataAccess(tmp_path / "cache", mirror=tmp_path))

    with pytest.raises(DataError, match=r"not in the cache, nor in .* \(as toy\.csv\)"):
        load()
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "toy.csv").write_bytes(TEXT)
    assert load().source == "mirror toy.csv"
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    with pytest.raises(DataError, match=r"a/toy\.csv, .*b/toy\.csv have the same name"):
        load()


def test_options_and_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    values = {"CACHE": tmp_path / "c", "MIRROR": tmp_path, "UCI_URL": "http://127.0.0.1:1/u"}
    for key, value in {**values, "KEEL_URL": ""}.items():
        monkeypatch.setenv(f"BOOSTBENCH_{key}", str(value))
    access = default_access()
    assert (access.cache_dir, access.mirror) == (tmp_path / "c", tmp_path)
    assert access.uci_url == "http://127.0.0.1:1/u"
    assert access.keel_url == DataAccess.keel_url
    (tmp_path / "m").mkdir()
    assert default_access(mirror=tmp_path / "m", offline=True).mirror == tmp_path / "m"


def test_offline_never_opens_a_socket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = mock.Mock(side_effect=OSError("no sockets here"))
    monkeypatch.setattr(socket, "socket", opened)
    monkeypatch.setattr(socket, "getaddrinfo", opened)
    access = DataAccess(tmp_path / "cache", offline=True, attempts=1)
    load(tmp_path, "a,y\n1,2\n2,3\n")
    for card in ("friedman1", "diabetes"):
        load_dataset(DataRequest(name="d", card=card), access)
    requests = [DataRequest(name="c", card=c) for c in ("abalone", "compactiv", "delta_ailerons")]
    for request in [*requests, DataRequest(name="o", openml=1)]:
        with pytest.raises(DataError, match=r"may not be fetched|offline"):
            load_dataset(request, access)
    opened.assert_not_called()
    # The guard does see what an online run does.
    with pytest.raises(DataError):
        load_dataset(requests[0], DataAccess(tmp_path / "cache", attempts=1))
    opened.assert_called()


def test_a_card_without_columns_takes_the_target_a_source_names(server, tmp_path) -> None:
    server.add_keel("toy", KEEL)
    card = toy_card(keel(), columns=(), target="target")
    data = load_from_card(card, server.access(tmp_path))
    assert (data.target, data.feature_names) == ("Out", ("A", "B"))
