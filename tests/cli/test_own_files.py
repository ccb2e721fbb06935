"""A user's own data on the command line: what was done is said, stored and reported."""

from pathlib import Path

import pytest

from boostbench.store.store import Store

GAPPY = "id,colour,size,y\n" + "".join(
    f"{i},{'red' if i % 3 else 'blue'},{'' if i % 10 == 0 else i % 7},{i * i % 11}\n"
    for i in range(1, 41)
)
KEYS = "categorical: auto, missing: median"
SAID = (
    "ours: 1 column one-hot encoded (levels: colour 2); 4 missing values in 1 column filled by the "
    "median of the training rows (size 4)"
)
REFUSED = (
    "error: d.csv has text in column 'colour' (40 of 40 values, 'red' in line 2); missing values "
    "in column 'size' (4, first in line 11); add to the data set: 'categorical: auto' (0/1 "
    "features, one per level; names are left out), 'decimal:', 'thousands:', 'na_values:' (how "
    "numbers and gaps are written), 'missing: median' (fill by the training rows) or 'missing: "
    "drop' (leave out the rows), 'drop: [colour]' (leave out columns)\n"
)


def own(folder: Path, keys: str = KEYS, text: str = GAPPY, more: str = "") -> None:
    (folder / "d.csv").write_text(text)
    estimator = "naive_bayes.GaussianNB" if "classification" in keys else "linear_model.Ridge"
    entry = f"{{name: ours, file: d.csv, target: y{', ' * bool(keys)}{keys}}}"
    (folder / "d.yaml").write_text(
        f"name: d\ndatasets: [{entry}{more}]\nseeds: 1\n"
        f"methods: [{{estimator: sklearn.{estimator}}}]\n"
    )


COMMANDS = [("check", "d.yaml"), ("run", "d.yaml", "--jobs", "1")]


@pytest.mark.parametrize("command", COMMANDS)
def test_what_was_done_is_said_in_one_line(cli, folder: Path, command: tuple[str, ...]) -> None:
    own(folder)
    done = cli(*command)
    assert done.code == 0
    assert done.err.splitlines().count(SAID) == 1


@pytest.mark.parametrize("command", COMMANDS)
def test_what_cannot_be_used_is_one_sentence(cli, folder: Path, command: tuple[str, ...]) -> None:
    own(folder, keys="")
    done = cli(*command)
    assert (done.code, done.err) == (4, REFUSED)
    assert not (folder / "results").exists()


def test_a_quantity_is_no_class(cli, folder: Path) -> None:
    text = "a,y\n" + "".join(f"{i % 7},{i * i / 7}\n" for i in range(40))
    own(folder, keys="task: classification", text=text)
    for command in COMMANDS:
        done = cli(*command)
        assert done.code == 4
        assert (
            "continuous values in the target column 'y' (40 of 40 values, '0' in line 2)"
            in done.err
        )


def test_what_was_done_is_stored_and_reported(cli, folder: Path) -> None:
    more = ", {name: other, file: other.csv, target: y}"
    own(folder, more=more)
    (folder / "other.csv").write_text(
        "a,k,y\n" + "".join(f"{i / 7},{i % 3 > 0},{i % 5}\n" for i in range(40))
    )
    assert cli("run", "d.yaml", "--jobs", "1").code == 0
    done = SAID.removeprefix("ours: ").split("; ")
    results = folder / "results" / "d"
    told = {"ours": done, "other": ["true/false read as 1/0 in 'k'"]}
    with Store.open(results, create=False, read_only=True) as store:
        assert store.experiment()["data_remarks"] == told
    rows = [row.replace("\\", "") for row in (results / "table.md").read_text().splitlines()]
    assert [row for row in rows if row.endswith(f"| {'; '.join(done)} |")] != []
    # Where only one data set is loaded again, what is known of the other stays.
    (folder / "other.csv").write_text("a,y\n" + "".join(f"{i / 7},{i % 5}\n" for i in range(40)))
    assert cli("run", "d.yaml", "--jobs", "1", "--only", "dataset=other").code == 0
    with Store.open(results, create=False, read_only=True) as store:
        assert store.experiment()["data_remarks"] == {"ours": done}


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ("thousands: '_'", "datasets[0].thousands must be one of ',', '.', ' ', \"'\", not '_'"),
        (
            "thousands: '.'",
            "d.yaml:2:12: 'decimal' and 'thousands' are both '.' but must differ; set 'decimal: "
            '","\' beside \'thousands: "."\' in datasets[0]',
        ),
        (
            "missing: mean",
            "datasets[0].missing must be one of error, drop, median, not 'mean' (did",
        ),
        ("na_values: [true]", "datasets[0].na_values must be a list of texts and numbers, not [tr"),
        ("misssing: drop", "unknown key 'misssing' in datasets[0] (did you mean 'missing'?)"),
    ],
)
def test_keys_with_wrong_values(cli, folder: Path, keys: str, words: str) -> None:
    own(folder, keys=keys)
    done = cli("check", "d.yaml")
    assert done.code == 2
    assert words in done.err


def test_a_card_takes_none_of_these_keys(cli) -> None:
    done = cli("check", "tiny.yaml", "--set", f"datasets=[{{card: diabetes, {KEYS}}}]")
    assert done.code == 2
    assert (
        "drop, categorical, decimal, thousands, na_values and missing are for openml and file"
        in done.err
    )
