"""OpenML through its real client, against a loopback server."""

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from helpers.hosts import closed_address
from helpers.servers import LoopbackServer

from boostbench.data import DataRequest, load_dataset
from boostbench.data.download import Unreachable
from boostbench.data.openml import fetch_openml

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

    # What is damaged is fetched again.
    (cached,) = tmp_path.rglob("data.arff")
    cached.write_bytes(cached.read_bytes().replace(b"200", b"999"))
    np.testing.assert_array_equal(load_dataset(request, server.access(tmp_path)).X, data.X)


def fetched(server: LoopbackServer, folder: Path, dataset_id: int = 5) -> str:
    return fetch_openml(dataset_id, f"{server.url}/api/v1/xml", folder, 1)


@pytest.mark.usefixtures("_client_settings")
@pytest.mark.parametrize(
    ("which", "changes", "message"),
    [
        (0, {"status": 500, "body": b"oops"}, "HTTP 500"),
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
def test_unknown_id_is_one_sentence(server: LoopbackServer, tmp_path: Path) -> None:
    server.add_openml_error(404, 111, "Unknown dataset")
    assert "there is no data set with this id" in fetched(server, tmp_path, 404)


@pytest.mark.usefixtures("_client_settings")
def test_no_server_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(
        Unreachable, match=r"^127\.0\.0\.1:1 does not answer \(connection refused\)$"
    ):
        fetch_openml(5, "http://127.0.0.1:1/api", tmp_path, 1)


@pytest.mark.usefixtures("_client_settings")
def test_data_elsewhere_that_do_not_answer_are_not_the_servers_fault(
    server: LoopbackServer, tmp_path: Path
) -> None:
    path, _ = server.add_openml(5, ARFF, target="y")
    reply, gone = server.replies[path], closed_address()
    reply.body = reply.body.replace(f"<oml:url>{server.url}".encode(), f"<oml:url>{gone}".encode())
    problem = fetched(server, tmp_path)
    assert problem == f"no connection to {gone.removeprefix('http://')} (connection refused)"
