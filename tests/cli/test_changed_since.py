"""What ``status`` and ``report`` say of results whose file, data, code or limits have changed."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from experiments import write, write_model

from boostbench.methods import get_method
from boostbench.store.store import Store
from boostbench.store.types import Outcome
from results import edit

SINCE = "changed since these results: "
NOW = get_method("srt").version


def notices(cli, name: str) -> list[str]:
    """Return what ``status`` says, which ``report`` says as well."""
    state = json.loads(cli("status", name, "--json").out)
    lines = cli("status", name).out.splitlines()
    assert [text for text in state["notices"] if text in lines] == state["notices"]
    note = cli("report", name, "-f", "md", "--out", "page")
    assert note.err.splitlines()[-len(state["notices"]) or 99 :] == state["notices"]
    page = Path("page/table.md").read_text()
    for text in state["notices"]:
        assert text.removeprefix(SINCE) in page or not text.startswith(SINCE)
    return state["notices"]


@pytest.fixture
def own(cli, request: pytest.FixtureRequest) -> str:
    """Results of a method and data of the user's own; the name of the module."""
    name = f"since_{abs(hash(request.node.nodeid))}"
    Path("ours.csv").write_text("a,y\n" + "".join(f"{i},{i * i % 7}\n" for i in range(20)))
    write("own", write_model(name), data="{name: ours, file: ours.csv, target: y}")
    cli.run_only("own.yaml")
    return name


@pytest.mark.parametrize("name", ["tiny.yaml", "results/tiny"])
def test_changes_of_the_file_are_noted(cli, tiny_run, name) -> None:
    assert notices(cli, name) == []
    text = Path("tiny.yaml").read_text()
    Path("tiny.yaml").write_text(text.replace("folds: 2", "folds: 3").replace("0.1", "0.2"))
    assert notices(cli, name) == [f"{SINCE}tiny.yaml: folds, method Ridge changed"]
    Path("tiny.yaml").write_text(text.replace("name: tiny", "name: another"))
    assert notices(cli, "results/tiny") == []
    Path("tiny.yaml").unlink()
    assert notices(cli, "results/tiny") == []


def test_changes_of_own_code_and_data_are_noted(cli, own) -> None:
    assert notices(cli, "own.yaml") == []
    data, code = Path("ours.csv"), Path(f"{own}.py")
    data.write_text(data.read_text().replace("3,2", "3,5"))
    assert notices(cli, "own.yaml") == [f"{SINCE}own.yaml: data of ours changed"]
    code.write_text(f"# as before\n{code.read_text()}")
    assert notices(cli, "own.yaml") == [
        f"{SINCE}own.yaml: data of ours changed",
        f"{SINCE}own: {own}.py changed",
    ]
    cli.run_only("own.yaml", "--only", "fold=0")
    assert notices(cli, "own.yaml") == []
    # Missing files cannot be compared.
    data.unlink()
    code.unlink()
    assert notices(cli, "own.yaml") == []


def test_a_data_file_that_was_removed_is_not_compared(cli, own) -> None:
    shutil.copy("ours.csv", "other.csv")
    Path("own.yaml").write_text(Path("own.yaml").read_text().replace("ours.csv", "other.csv"))
    Path("ours.csv").write_text("a,y\n1,2\n")
    assert notices(cli, "own.yaml") == [f"{SINCE}own.yaml: data set ours changed"]


def test_a_run_of_other_data_keeps_the_note_on_changed_data(cli, own) -> None:
    more = Path("own.yaml").read_text().replace("y}]", "y}, diabetes]")
    Path("own.yaml").write_text(more)
    cli.run_only("own.yaml", "--only", "dataset=diabetes")
    Path("ours.csv").write_text("a,y\n1,2\n")
    assert notices(cli, "own.yaml") == [f"{SINCE}own.yaml: data of ours changed"]


def test_a_run_of_other_data_plans_these_where_their_entry_is_as_it_was(cli, own) -> None:
    more = Path("own.yaml").read_text().replace("y}]", "y}, diabetes]")
    not_planned = "not planned, as the data were never loaded: ours"
    for text, is_planned in ((more, True), (more.replace("target: y", "target: a"), False)):
        Path("own.yaml").write_text(text)
        cli.run_only("own.yaml", "--only", "dataset=diabetes")
        assert (not_planned in cli("status", "own.yaml").out) is not is_planned


def test_a_method_without_runs_has_not_changed_since(cli, tiny_run: Path) -> None:
    with Store.open(tiny_run) as store:
        later = replace(store.plan()[0], method="srt", method_version="0")
        store.set_plan(store.experiment(), [*store.plan(), later])
    assert notices(cli, "tiny.yaml") == []
    with Store.open(tiny_run) as store:
        store.record(later, Outcome("error", "it failed"))
    assert notices(cli, "tiny.yaml") == [f"{SINCE}srt: version {NOW} now, 0 in these results"]


@pytest.mark.parametrize(
    ("status", "limits", "said"),
    [
        ("timeout", "{time: 90}", True), ("memory", "{memory: 8 GiB}", True),
        ("timeout", "{time: null}", False), ("error", "{time: 90}", False),
    ],
)  # fmt: skip
def test_new_limits_are_noted(cli, tiny_run: Path, status: str, limits: str, said: bool) -> None:
    with Store.open(tiny_run) as store:
        # As it was recorded before there were limits of memory.
        store.set_plan({**store.experiment(), "limits": {"time": None}}, store.plan())
        for trial in store.plan()[:3]:
            store.record(trial, Outcome(status, "over a limit"))
    Path("tiny.yaml").write_text(f"{Path('tiny.yaml').read_text()}limits: {limits}\n")
    command = "boostbench run tiny.yaml --offline --jobs 1 --retry-failed"
    text = f"3 trials ended at a limit, and the limits have changed: {command}"
    assert notices(cli, "tiny.yaml") == [text] * said


def test_a_key_of_splits_that_is_newer_than_the_results_is_no_change(cli, folder: Path) -> None:
    config = write("x", "{estimator: sklearn.linear_model.Ridge}", splits="{n: 2}")
    cli.run_only(config, "-j", "1")
    newer = "'$.splits.splitter', '$.splits.params'"
    statement = f"UPDATE meta SET value = json_remove(value, {newer}) WHERE name = 'experiment'"
    edit(Path("results/x"), statement)
    assert notices(cli, config) == []
    Path(config).write_text(Path(config).read_text().replace("{n: 2}", "{n: 3}"))
    assert notices(cli, config) == [f"{SINCE}x.yaml: splits changed"]
