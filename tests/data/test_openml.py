"""OpenML through its real client, against a loopback server."""

import io
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from boostbench.data.cards import load_card
from boostbench.data.loading import load_dataset, load_from_card
from boostbench.data.network import Unreachable
from boostbench.data.openml_client import fetch_openml
from boostbench.data.request import DataRequest
from boostbench.errors import DataError
from boostbench.testing.hosts import closed_address
from boostbench.testing.servers import LoopbackServer

ARFF = b"""@relation toy
@attribute id numeric
@attribute a real
@attribute 'the colour' {red, blue, unseen}
@attribute noise numeric
@attribute y real
@data
1,1.5,red,0,10
2,2.5,blue,0,20
3,200,red,1,30
"""


@pytest.fixture
def _client_settings() -> Iterator[None]:
    """Put back what :func:`fetch_openml` sets for the whole process."""
    openml = pytest.importorskip("openml")
    config = openml.config
    saved = (config.server, config._root_cache_directory, config.connection_n_retries)
    skip = os.environ.get("OPENML_SKIP_PARQUET")
    yield
    config.server, config._root_cache_directory, config.connection_n_retries = saved
    os.environ.pop("OPENML_SKIP_PARQUET", None)
    if skip is not None:
        os.environ["OPENML_SKIP_PARQUET"] = skip


def test_through_child_process_then_from_cache(server: LoopbackServer, tmp_path: Path) -> None:
    paths = server.add_openml(5, ARFF, target="y", ignore="noise", row_id="id")
    server.replies[paths[0]].failures = 1
    request = DataRequest("toy", openml=5)
    data = load_dataset(request, server.access(tmp_path))
    assert data.feature_names == ("a", "the colour=blue", "the colour=red")
    np.testing.assert_array_equal(data.X, [[1.5, 0, 1], [2.5, 1, 0], [200, 0, 1]])
    np.testing.assert_array_equal(data.y, [10, 20, 30])
    assert (data.target, data.source) == ("y", "OpenML 5")
    assert [path for _, path in server.requests] == [paths[0], *paths]

    again = load_dataset(request, server.access(tmp_path, offline=True))
    assert again.fingerprint == data.fingerprint
    other = DataRequest("toy", openml=5, target="a", drop=("the colour",))
    assert load_dataset(other, server.access(tmp_path)).feature_names == ("y",)
    assert len(server.requests) == 3
    kept = sorted(path.name for path in tmp_path.rglob("*") if path.is_file())
    assert kept == ["data.arff", "meta.json"]


def test_the_keys_of_a_data_set_apply(server: LoopbackServer, tmp_path: Path) -> None:
    server.add_openml(5, ARFF.replace(b"2,2.5,blue", b"2,-,blue"), target="y", row_id="id")
    request = DataRequest("toy", openml=5, missing="median", na_values=("-", "200", "blue"))
    data = load_dataset(request, server.access(tmp_path))
    assert data.feature_names == ("a", "the colour=red", "noise")
    np.testing.assert_array_equal(data.X, [[1.5, 1, 0], [np.nan, 0, 0], [np.nan, 1, 1]])
    assert data.remarks[1] == (
        "2 missing values in 1 column filled by the median of the training rows (a 2)"
    )
    with pytest.raises(DataError, match=r"OpenML 5:9 has '-' in column 'a'.* na_values: if it mea"):
        load_dataset(DataRequest("toy", openml=5), server.access(tmp_path))


def test_unknown_id_is_one_sentence_and_leaves_nothing(
    server: LoopbackServer, tmp_path: Path
) -> None:
    server.add_openml_error(404, 111, "Unknown dataset")
    with pytest.raises(DataError, match="OpenML 404: there is no data set with this id"):
        load_dataset(DataRequest("x", openml=404), server.access(tmp_path))
    assert list((tmp_path / "openml").iterdir()) == []


def fetched(server: LoopbackServer, folder: Path, dataset_id: int = 5) -> str:
    return fetch_openml(dataset_id, f"{server.url}/api/v1/xml", folder, 2, 0.001)


@pytest.mark.usefixtures("_client_settings")
@pytest.mark.parametrize(
    ("which", "changes", "message"),
    [
        (0, {"status": 404, "body": b"<html>"}, "HTTP 404"),
        (0, {"status": 500, "body": b"oops"}, "HTTP 500"),
        (0, {"body": b"<html>hello</html>"}, "not as expected"),
        (0, {"body": b"hello"}, "the server's answer is not OpenML's XML"),
        (0, {"cut_at": 10}, "broke off"),
        (1, {"status": 404, "body": b""}, "HTTP 404"),
        (1, {"status": 500, "body": b""}, "HTTP 500"),
        (1, {"cut_at": 20}, "broke off"),
        (1, {"body": ARFF + b"4,1,red,0,1\n"}, "does not have the MD5"),
    ],
)
def test_failures_of_the_client(
    server: LoopbackServer, tmp_path: Path, which: int, changes: dict[str, object], message: str
) -> None:
    path = server.add_openml(5, ARFF, target="y")[which]
    for key, value in changes.items():
        setattr(server.replies[path], key, value)
    assert message in fetched(server, tmp_path)
    assert not (tmp_path / "kept").exists()


@pytest.mark.usefixtures("_client_settings")
def test_no_server_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(
        Unreachable, match=r"^127\.0\.0\.1:1 does not answer \(connection refused\)$"
    ):
        fetch_openml(5, "http://127.0.0.1:1/api", tmp_path, 1, 0.0)


@pytest.mark.usefixtures("_client_settings")
def test_data_elsewhere_that_do_not_answer_are_not_the_servers_fault(
    server: LoopbackServer, tmp_path: Path
) -> None:
    path, _ = server.add_openml(5, ARFF, target="y")
    reply, gone = server.replies[path], closed_address()
    reply.body = reply.body.replace(f"<oml:url>{server.url}".encode(), f"<oml:url>{gone}".encode())
    problem = fetched(server, tmp_path)
    assert problem == f"no connection to {gone.removeprefix('http://')} (connection refused)"


@pytest.mark.usefixtures("_client_settings")
def test_passing_failures_pass(server: LoopbackServer, tmp_path: Path) -> None:
    path = server.add_openml(5, ARFF, target="y")[1]
    server.replies[path].failures = 1
    assert fetched(server, tmp_path) == ""
    assert (tmp_path / "kept" / "data.arff").read_bytes() == ARFF


def test_parquet_serves_where_arff_does_not(server: LoopbackServer, tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [1, 2, 3], "c": pd.Categorical(["u", "v", "u"]), "y": [1.5, 2, 3]})
    buffer = io.BytesIO()
    frame.to_parquet(buffer)
    paths = server.add_openml(6, b"gone", target="y", parquet=buffer.getvalue())
    server.replies[paths[1]].status = 404
    data = load_dataset(DataRequest("x", openml=6), server.access(tmp_path, attempts=1))
    assert data.feature_names == ("a", "c=u", "c=v")
    assert data.y.tolist() == [1.5, 2, 3]


def test_content_that_cannot_be_used(server: LoopbackServer, tmp_path: Path) -> None:
    server.add_openml(8, b"@relation x\n@attribute a real\n@data\n1\noops\n")
    with pytest.raises(DataError, match="OpenML 8:5 has 'oops' in column 'a'"):
        load_dataset(DataRequest("x", openml=8, target="a"), server.access(tmp_path))


def test_a_damaged_cache_is_fetched_again(server: LoopbackServer, tmp_path: Path) -> None:
    server.add_openml(5, ARFF, target="y")
    request = DataRequest("toy", openml=5, drop=("the colour",))
    load_dataset(request, server.access(tmp_path))
    (cached,) = tmp_path.rglob("data.arff")
    cached.write_bytes(cached.read_bytes().replace(b"200", b"999"))
    assert load_dataset(request, server.access(tmp_path)).X[2, 1] == 200


def test_a_shipped_card_from_openml(server: LoopbackServer, tmp_path: Path, mirror: Path) -> None:
    arff = (mirror / "formats" / "autompg.arff").read_bytes()
    server.add_openml(196, arff, target="class")
    card = load_card("auto_mpg")
    openml = tuple(source for source in card.sources if source.kind == "openml")
    data = load_from_card(card.model_copy(update={"sources": openml}), server.access(tmp_path))
    assert (data.source, data.fingerprint) == ("OpenML 196", card.fingerprint)
