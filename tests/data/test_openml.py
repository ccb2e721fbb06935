"""OpenML through its real client, against a loopback server."""

import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hosts import closed_address
from servers import LoopbackServer
from shelf import files_in

from boostbench.data import DataAccess, DataRequest, load_dataset
from boostbench.errors import DataError

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


def test_through_the_client_then_from_cache(server, tmp_path: Path, caplog) -> None:
    paths = server.add_openml(5, ARFF, target="y", ignore="noise", row_id="id")
    server.replies[paths[0]].failures = 1
    request = DataRequest(name="toy", openml=5)
    data = load_dataset(request, server.access(tmp_path))
    assert data.feature_names == ("a", "the colour=blue", "the colour=red")
    np.testing.assert_array_equal(data.X, [[1.5, 0, 1], [2.5, 1, 0], [200, 0, 1]])
    np.testing.assert_array_equal(data.y, [10, 20, 30])
    assert (data.target, data.source) == ("y", "OpenML 5")
    assert [path for _, path in server.requests] == [paths[0], *paths]
    assert caplog.text == ""

    again = load_dataset(request, server.access(tmp_path, offline=True))
    assert again.fingerprint == data.fingerprint
    other = DataRequest(name="toy", openml=5, target="a", drop=("the colour",))
    assert load_dataset(other, server.access(tmp_path)).feature_names == ("y",)
    assert len(server.requests) == 3
    assert sorted(path.name for path in files_in(tmp_path)) == ["data.arff", "meta.json"]

    # Damaged files are fetched again.
    (cached,) = tmp_path.rglob("data.arff")
    cached.write_bytes(cached.read_bytes().replace(b"200", b"999"))
    np.testing.assert_array_equal(load_dataset(request, server.access(tmp_path)).X, data.X)


def problem(access: DataAccess) -> str:
    with pytest.raises(DataError) as caught:
        load_dataset(DataRequest(name="toy", openml=5), access)
    assert files_in(access.cache_dir) == []
    return str(caught.value)


@pytest.mark.parametrize(
    ("which", "changes", "message"),
    [
        (0, {"status": 500, "body": b"oops"}, "Status code: 500"),
        (1, {"cut_at": 20}, "broke off"),
        (1, {"body": ARFF + b"4,1,red,0,1\n"}, "its md5 is not the one expected"),
    ],
)
def test_failures(server, tmp_path: Path, which: int, changes, message: str) -> None:
    path = server.add_openml(5, ARFF, target="y")[which]
    for key, value in changes.items():
        setattr(server.replies[path], key, value)
    assert message in problem(server.access(tmp_path, attempts=1))


@pytest.mark.parametrize(
    ("changes", "message"),
    [({"status": 404}, ""), ({"body": ARFF + b"4,1,red,0,1\n"}, "its md5 is not the one expected")],
)
def test_parquet_stands_in_for_a_file_that_is_gone_and_not_for_one_that_was_changed(
    server, tmp_path, changes, message
) -> None:
    pytest.importorskip("pyarrow")
    buffer = io.BytesIO()
    pd.DataFrame({"a": [1.5, 2.5], "y": [10.0, 20.0]}).to_parquet(buffer)
    paths = server.add_openml(5, ARFF, target="y", parquet=buffer.getvalue())
    for key, value in changes.items():
        setattr(server.replies[paths[1]], key, value)
    access = server.access(tmp_path, attempts=1)
    # The second time from what the first has found out.
    for _ in range(2):
        if message:
            assert message in problem(access)
        else:
            assert load_dataset(DataRequest(name="toy", openml=5), access).X.tolist() == [
                [1.5],
                [2.5],
            ]


def test_unknown_id_is_one_sentence(server: LoopbackServer, tmp_path: Path) -> None:
    server.add_openml_error(5, 111, "Unknown dataset")
    assert "there is no data set with this id" in problem(server.access(tmp_path, attempts=1))


def test_data_elsewhere_that_do_not_answer_are_not_the_servers_fault(server, tmp_path) -> None:
    path, _ = server.add_openml(5, ARFF, target="y")
    reply, gone = server.replies[path], closed_address()
    reply.body = reply.body.replace(f"<oml:url>{server.url}".encode(), f"<oml:url>{gone}".encode())
    said = problem(server.access(tmp_path, attempts=1))
    assert said == f"{gone.removeprefix('http://')} does not answer (no connection)"
