"""A user's own data on the command line: remarks are shown, stored and reported."""

from pathlib import Path

import pytest
from experiments import RIDGE, write

from boostbench.store.store import Store

GAPPY = "width,colour,size,y\n" + "".join(
    f"{i * i % 19},{'red' if i % 3 else 'blue'},{'' if i % 10 == 0 else i % 7},{i * i % 11}\n"
    for i in range(1, 41)
)
KEYS = ", categorical: auto, missing: median"
SAID = (
    "ours: 1 column one-hot encoded (levels: colour 2); 4 missing values in 1 column filled by the "
    "median of the training rows (size 4)"
)
COMMANDS = [("check", "d.yaml"), ("run", "d.yaml", "--jobs", "1")]


def own(keys: str = KEYS, more: str = "") -> None:
    Path("d.csv").write_text(GAPPY)
    data = f"{{name: ours, file: d.csv, target: y{keys}}}{more}"
    write("d", RIDGE, data=data, folds=4)


@pytest.mark.parametrize("command", COMMANDS)
def test_remarks_and_unusable_columns_are_one_line(cli, command: tuple[str, ...]) -> None:
    own(keys="")
    text = cli.refused(*command, code=4)
    assert "text in column 'colour' (40 of 40 values, 'red' in line 2); missing values in" in text
    assert "add to the data set: 'categorical: auto'" in text
    assert not Path("results").exists()
    own()
    assert cli.well(*command).err.splitlines().count(SAID) == 1


def test_remarks_on_data_are_stored_and_reported(cli, folder: Path) -> None:
    own(more=", {name: other, file: other.csv, target: y}")
    (folder / "other.csv").write_text(
        "a,k,y\n" + "".join(f"{i / 7},{i % 3 > 0},{i % 5}\n" for i in range(40))
    )
    cli.well("run", "d.yaml", "--jobs", "1")
    done = SAID.removeprefix("ours: ").split("; ")
    results = folder / "results" / "d"
    text = {"ours": done, "other": ["true/false read as 1/0 in 'k'"]}
    with Store.read(results) as store:
        assert store.experiment()["data_remarks"] == text
    rows = [row.replace("\\", "") for row in (results / "table.md").read_text().splitlines()]
    assert [row for row in rows if row.endswith(f"| {'; '.join(done)} |")] != []
    # If only one data set is loaded again, the remarks on the other stay.
    (folder / "other.csv").write_text("a,y\n" + "".join(f"{i / 7},{i % 5}\n" for i in range(40)))
    cli.well("run", "d.yaml", "--jobs", "1", "--only", "dataset=other")
    with Store.read(results) as store:
        assert store.experiment()["data_remarks"] == {"ours": done}


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ("thousands: '_'", "datasets[0].thousands must be one of ',', '.', ' ', \"'\", not '_'"),
        ("thousands: '.'", "d.yaml:2:12: 'decimal' and 'thousands' are both '.' but must differ"),
        (
            "missing: mean",
            "datasets[0].missing must be one of error, drop, median, keep, not 'mean'",
        ),
        ("na_values: [true]", "datasets[0].na_values must be a list of texts and numbers, not [tr"),
    ],
)
def test_keys_with_wrong_values(cli, keys: str, words: str) -> None:
    own(f", {keys}")
    assert words in cli.refused("check", "d.yaml")
