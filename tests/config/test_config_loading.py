"""Experiments are found, read, overridden; the shipped ones are right and their schema current."""

import json
from pathlib import Path

import pytest

from boostbench.config import messages, schema
from boostbench.config.loading import config_names, find_config, load_experiment
from boostbench.config.model import parse_memory
from boostbench.errors import ConfigError
from boostbench.resources import shipped_dir

MINIMAL = "name: x\ndatasets: [diabetes]\nmethods: [srt]\n"


@pytest.fixture
def minimal(tmp_path: Path) -> Path:
    path = tmp_path / "x.yaml"
    path.write_text(MINIMAL)
    return path


def test_defaults_are_the_papers_protocol(minimal: Path) -> None:
    experiment = load_experiment(minimal)
    assert experiment.folds == 4
    assert experiment.seed_list == list(range(20))
    assert experiment.n_trials == 80
    assert experiment.results_dir == Path("results/x")
    assert (experiment.scale_features, experiment.scale_target) == ("minmax", "standard")


def test_shorthand_and_mapping_mean_the_same(tmp_path: Path, minimal: Path) -> None:
    long = tmp_path / "long.yaml"
    long.write_text(
        "name: x\ndatasets: [{name: diabetes, card: diabetes}]\n"
        "methods: [{name: srt, method: srt, params: {}}]\n"
    )
    assert load_experiment(long).model_dump() == load_experiment(minimal).model_dump()


def test_names_are_made_up_where_none_is_given(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(
        "name: x\ndatasets: [{openml: 44957}, {file: sub/my data.csv, target: y}, "
        "'computer_hardware:prp']\n"
        "methods: [{estimator: 'sklearn.linear_model:Ridge'}, {method: srt}]\n"
    )
    experiment = load_experiment(path)
    assert [d.name for d in experiment.datasets] == [
        "openml_44957", "my_data", "computer_hardware_prp",
    ]  # fmt: skip
    assert [m.name for m in experiment.methods] == ["Ridge", "srt"]


def test_data_files_lie_beside_the_experiment(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text("name: x\ndatasets: [{file: a.csv, target: y}]\nmethods: [srt]\n")
    (request,) = load_experiment(path).requests()
    assert request.file is not None
    assert Path(request.file) == tmp_path.resolve() / "a.csv"
    assert request.task == "regression"


def test_a_card_brings_its_task(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text("name: x\ndatasets: [iris]\nmethods: [srt]\n")
    assert load_experiment(path).requests()[0].task == "classification"


@pytest.mark.parametrize(
    ("override", "read", "value"),
    [
        ("seeds=3", lambda e: e.seed_list, [0, 1, 2]),
        ("limits.memory=1 GiB", lambda e: e.limits.memory_bytes, 2**30),
        ("defaults.depth=2", lambda e: e.defaults, {"depth": 2}),
        ("methods=[orrt, srt]", lambda e: [m.name for m in e.methods], ["orrt", "srt"]),
        ("datasets.0=yacht", lambda e: [d.card for d in e.datasets], ["yacht"]),
        ("results=a=b", lambda e: e.results_dir, Path("a=b")),
    ],
)
def test_set_gives_another_value(minimal: Path, override: str, read, value: object) -> None:
    assert read(load_experiment(minimal, [override])) == value


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("seeds", "--set seeds: give KEY=VALUE, such as --set seeds=3"),
        (
            "folds=one",
            "--set folds: folds must be a whole number of at least 2, not 'one'",
        ),
        ("limits.tiem=1", "--set limits.tiem: unknown key 'tiem' in limits (did you mean 'time'?)"),
        ("sede.n=3", "--set sede.n: unknown key 'sede' (did you mean 'seeds'?)"),
        ("datasets.7=yacht", "--set datasets.7: there is no datasets[7] in the file"),
        ("methods=[srtt]", "--set methods: no method 'srtt' (did you mean 'srt'?)"),
        ("seeds=[1", "--set seeds:1:3: not valid YAML"),
    ],
)
def test_set_is_checked_like_the_file(minimal: Path, override: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_experiment(minimal, [override])
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("quickstrat", "no config 'quickstrat' (did you mean 'quickstart'?)"),
        ("no/such.yaml", "no file no/such.yaml"),
    ],
)
def test_a_config_that_is_not_there(name: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_experiment(name)
    assert str(caught.value).startswith(message)


def test_a_folder_and_binary_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is a folder"):
        load_experiment(tmp_path)
    (tmp_path / "b.yaml").write_bytes(b"name: x\n\xff\xfe")
    with pytest.raises(ConfigError, match=r"b\.yaml:2:1: the file is not UTF-8 text"):
        load_experiment(tmp_path / "b.yaml")


@pytest.mark.parametrize(
    ("text", "size"), [("4 GiB", 4 * 2**30), ("512MB", 512 * 2**20), ("1.5g", 3 * 2**29)]
)
def test_memory_sizes(text: str, size: int) -> None:
    assert parse_memory(text) == size


@pytest.mark.parametrize(
    "text",
    [
        "4 G iB",
        "1 MiB",
    ],
)
def test_memory_sizes_that_are_none(text: str) -> None:
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
        "write it anew: boostbench check --schema > configs/schema.json"
    )


def test_a_folder_of_the_same_name_does_not_hide_a_shipped_config(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "smoke").mkdir()
    monkeypatch.chdir(tmp_path)
    assert find_config("smoke").name == "smoke.yaml"
    (tmp_path / "other").mkdir()
    with pytest.raises(ConfigError, match="other is a folder"):
        find_config("other")
