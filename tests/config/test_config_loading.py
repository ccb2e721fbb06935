"""Experiments are found, read, overridden; the shipped ones are right and their schema current."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from boostbench.config import messages, schema
from boostbench.config.loading import config_names, find_config, load_experiment
from boostbench.config.model import Experiment, parse_memory
from boostbench.errors import ConfigError
from boostbench.resources import shipped_dir

MINIMAL = "name: x\ndatasets: [diabetes]\nmethods: [srt]\n"


@pytest.fixture
def load(tmp_path: Path) -> Callable[..., Experiment]:
    """Return a function that loads an experiment of this text."""

    def load(text: str = MINIMAL, *overrides: str) -> Experiment:
        path = tmp_path / "x.yaml"
        path.write_text(text)
        return load_experiment(path, overrides)

    return load


def test_defaults_are_the_papers_protocol(load) -> None:
    experiment = load()
    assert experiment.folds == 4
    assert experiment.seed_list == list(range(20))
    assert experiment.n_trials == 80
    assert experiment.results_dir == Path("results/x")
    assert (experiment.scale_features, experiment.scale_target) == ("minmax", "standard")


def test_shorthand_and_mapping_mean_the_same(load) -> None:
    long = (
        "name: x\ndatasets: [{name: diabetes, card: diabetes}]\n"
        "methods: [{name: srt, method: srt, params: {}}]\n"
    )
    assert load(long).model_dump() == load().model_dump()


def test_names_are_made_up_where_none_is_given(load) -> None:
    experiment = load(
        "name: x\ndatasets: [{openml: 44957}, {file: sub/my data.csv, target: y}, "
        "'computer_hardware:prp']\n"
        "methods: [{estimator: 'sklearn.linear_model:Ridge'}, {method: srt}]\n"
    )
    names = ["openml_44957", "my_data", "computer_hardware_prp"]
    assert [d.name for d in experiment.datasets] == names
    assert [m.name for m in experiment.methods] == ["Ridge", "srt"]


def test_data_files_lie_beside_the_experiment_and_a_card_brings_its_task(load, tmp_path) -> None:
    own, card = load(MINIMAL.replace("diabetes", "{file: a.csv, target: y}, iris")).requests()
    assert own.file is not None
    assert Path(own.file) == tmp_path.resolve() / "a.csv"
    assert (own.task, card.task) == ("regression", "classification")


@pytest.mark.parametrize(
    ("override", "read", "value"),
    [
        ("seeds=3", lambda e: e.seed_list, [0, 1, 2]),
        ("limits.memory=1 GiB", lambda e: e.limits.of_a_trial["memory_bytes"], 2**30),
        ("defaults.depth=2", lambda e: e.defaults, {"depth": 2}),
        ("methods=[orrt, srt]", lambda e: [m.name for m in e.methods], ["orrt", "srt"]),
        ("datasets.0=yacht", lambda e: [d.card for d in e.datasets], ["yacht"]),
        ("results=a=b", lambda e: e.results_dir, Path("a=b")),
    ],
)
def test_set_gives_another_value(load, override: str, read, value: object) -> None:
    assert read(load(MINIMAL, override)) == value


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("seeds", "--set seeds: give KEY=VALUE, such as --set seeds=3"),
        ("folds=one", "--set folds: folds must be a whole number of at least 2, not 'one'"),
        ("limits.tiem=1", "--set limits.tiem: unknown key 'tiem' in limits (did you mean 'time'?)"),
        ("sede.n=3", "--set sede.n: unknown key 'sede' (did you mean 'seeds'?)"),
        ("datasets.7=yacht", "--set datasets.7: there is no datasets[7] in the file"),
        ("methods=[srtt]", "--set methods: no method 'srtt' (did you mean 'srt'?)"),
        ("seeds=[1", "--set seeds:1:3: not valid YAML"),
    ],
)
def test_set_is_checked_like_the_file(load, override: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(MINIMAL, override)
    assert str(caught.value).startswith(message)


def test_a_config_that_cannot_be_read(tmp_path: Path) -> None:
    binary = tmp_path / "b.yaml"
    binary.write_bytes(b"name: x\n\xff\xfe")
    for name, message in (
        ("quickstrat", r"no config 'quickstrat' \(did you mean 'quickstart'\?\)"),
        ("no/such.yaml", "no file no/such.yaml"),
        (tmp_path, "is a folder"),
        (binary, r"b\.yaml:2:1: .* not UTF-8"),
    ):
        with pytest.raises(ConfigError, match=message):
            load_experiment(name)


@pytest.mark.parametrize(
    ("text", "size"), [("4 GiB", 4 * 2**30), ("512MB", 512 * 2**20), ("1.5g", 3 * 2**29)]
)
def test_memory_sizes(text: str, size: int) -> None:
    assert parse_memory(text) == size


@pytest.mark.parametrize("text", ["4 G iB", "1 MiB"])
def test_wrong_memory_sizes_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"GiB|MiB"):
        parse_memory(text)


@pytest.mark.parametrize("name", config_names())
def test_shipped_config_loads_and_names_its_schema(name: str) -> None:
    assert load_experiment(name).name == name
    first = find_config(name).read_text(encoding="utf-8").splitlines()[0]
    assert first == "# yaml-language-server: $schema=./schema.json"


@pytest.mark.parametrize(("name", "depth"), [("d2", 2), ("d3", 3)])
def test_the_papers_protocol(name: str, depth: int) -> None:
    experiment = load_experiment(name)
    assert len(experiment.datasets) == 15
    assert (experiment.folds, experiment.seed_list) == (4, list(range(20)))
    assert experiment.defaults == {"depth": depth}


def test_each_key_has_its_words_and_its_line_in_the_schema() -> None:
    found = schema.experiment_schema()
    for part in (found, *found["$defs"].values()):
        assert "\n" not in part["description"]
        assert all(value["description"][0].isupper() for value in part["properties"].values())
    assert "splits.n" in messages.ALLOWED
    assert set(found["properties"]) <= set(messages.ALLOWED)


def test_shipped_schema_is_current() -> None:
    shipped = (shipped_dir("configs") / "schema.json").read_text(encoding="utf-8")
    assert json.loads(shipped) == schema.experiment_schema(), (
        "write it again: boostbench check --schema > configs/schema.json"
    )


def test_a_folder_of_the_same_name_does_not_hide_a_shipped_config(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "smoke").mkdir()
    monkeypatch.chdir(tmp_path)
    assert find_config("smoke").name == "smoke.yaml"
