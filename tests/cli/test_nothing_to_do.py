"""A run that finds nothing to do says so from files alone, without importing any estimator."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from experiments import write

from boostbench.boosting import AdaBoostMO
from boostbench.data.dataset import Dataset
from boostbench.experiment import report_record
from boostbench.resources import shipped_dir
from boostbench.store.store import Store
from results import edit

METHODS = "{name: boosted, method: adaboost_mh, params: {max_iter: 2}}", "adaboost_mo"
KEYS = {"splits": "{n: 2, test_size: 0.25}", "defaults": "{max_iter: 3}", "scale_features": "none"}
RUN = "run", "small.yaml", "-j1", "--offline"
CALL = """\
import sys
from boostbench.cli.app import main
for words in (["report", "small"], ["status", "small"], sys.argv[1:]):
    print("COMMAND", words[0])
    try:
        main(words)
    except SystemExit:
        continue
print("MODULES", *sys.modules)
"""

Ran = Callable[..., bool]


@pytest.fixture
def small(cli) -> Path:
    """The results folder of a complete experiment of boostbench's own methods."""
    write("small", *METHODS, data="iris", **KEYS)
    cli.well(*RUN)
    return Path("results/small")


@pytest.fixture
def is_told_by_files(cli, monkeypatch: pytest.MonkeyPatch) -> Ran:
    """Return a function that calls ``run``, and says whether its estimators were not needed."""
    from boostbench.experiment import run

    calls = []

    class Counted(run.Run):
        def run(self) -> object:
            calls.append(self)
            return super().run()

    monkeypatch.setattr(run, "Run", Counted)

    def told(*words: str) -> bool:
        calls.clear()
        cli.well(*(words or RUN))
        return not calls

    return told


def test_scikit_learn_is_not_imported_and_the_command_says_the_same(small: Path, cli) -> None:
    (small / ".boostbench-report.json").unlink()
    cli.well("report", "small")
    by_planning = cli.well(*RUN)
    done = subprocess.run(
        [sys.executable, "-P", "-c", CALL, *RUN], capture_output=True, text=True, check=True
    )
    text, _, modules = done.stdout.rpartition("MODULES")
    assert {"sklearn", "numba"}.isdisjoint(modules.split())
    text = text.partition("COMMAND run\n")[2]
    assert text == by_planning.out
    assert text.splitlines()[-2:] == ["nothing was missing; trials: 4 ok", f"{small}/table.html"]
    assert done.stderr == by_planning.err


def test_remarks_on_data_are_said_again(
    is_told_by_files: Ran, cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Dataset, "remarks_line", property(lambda data: f"{data.name}: a remark"))
    write("small", *METHODS, data="iris", **KEYS)
    assert "iris: a remark\n" in cli.well(*RUN).err
    assert cli.well(*RUN).err == "iris: a remark\n"
    assert is_told_by_files()


def test_what_has_changed_is_planned_again(small: Path, is_told_by_files: Ran, cli) -> None:
    assert is_told_by_files()
    # The same again, from another folder of results.
    assert not is_told_by_files(*RUN, "--set", "results=elsewhere")
    assert not is_told_by_files(*RUN, "--again")
    assert is_told_by_files()
    assert not is_told_by_files(*RUN, "--only", "fold=0")
    text = Path("small.yaml").read_text()
    Path("small.yaml").write_text(text + "title: Another\n")
    assert not is_told_by_files()
    Path("small.yaml").write_text(text.replace("max_iter: 2", "max_iter: 1"))
    assert "trials: 4 ok" in cli.well(*RUN).out
    Path("small.yaml").write_text(text.replace("seeds: 1", "seeds: 2"))
    assert "trials: 8 ok" in cli.well(*RUN).out
    assert is_told_by_files()


def test_lost_outcomes_and_files_are_made_again(small: Path, is_told_by_files: Ran, cli) -> None:
    edit(small, "DELETE FROM outcomes WHERE rowid = (SELECT min(rowid) FROM outcomes)")
    assert not is_told_by_files()
    assert is_told_by_files()
    (small / "table.md").unlink()
    assert not is_told_by_files()
    assert (small / "table.md").is_file()
    # The report makes it again as well, and the run is still one with nothing to do.
    (small / "table.md").unlink()
    cli.well("report", "small")
    assert is_told_by_files()
    (small / "store.sqlite").unlink()
    assert not is_told_by_files()


def test_another_program_plans_again(
    small: Path, is_told_by_files: Ran, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report_record, "_digest_of_boostbench", lambda: "edited")
    assert not is_told_by_files()
    assert is_told_by_files()


def test_a_report_of_another_program_is_not_that_of_the_run(
    small: Path, is_told_by_files: Ran, cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report_record, "_digest_of_boostbench", lambda: "edited")
    cli.well("report", "small")
    assert not is_told_by_files()


def test_another_card_plans_again(cli, is_told_by_files: Ran) -> None:
    card = (shipped_dir("datasets") / "iris.yaml").read_text().replace("name: iris", "name: lily")
    path = Path("datasets/lily.yaml")
    path.parent.mkdir()
    path.write_text(card)
    write("small", *METHODS, data="lily", **KEYS)
    cli.well(*RUN)
    assert is_told_by_files()
    path.write_text(card + "notes: other\n")
    assert not is_told_by_files()


@pytest.mark.parametrize(
    ("methods", "keys"),
    [
        ([*METHODS, "{estimator: sklearn.dummy.DummyClassifier}"], {}),
        (["{method: adaboost_mh, choose: {max_iter: [1, 2], by: 'watched_code:score'}}"], {}),
        (METHODS, {"metrics": "[{name: mine, function: 'watched_code:score'}]"}),
        (METHODS, {"keep": "[predictions]"}),
        (METHODS, {"splits": "{splitter: 'watched_code:Halves'}"}),
        (METHODS, {"data": "{name: mine, file: mine.csv, target: y, task: classification}"}),
    ],
    ids=["estimator", "choose", "metric", "keep", "splitter", "file"],
)
def test_own_code_and_own_files_are_always_planned_again(
    methods, keys, is_told_by_files: Ran, cli
) -> None:
    Path("watched_code.py").write_text(
        "import numpy as np\n\n\n"
        "def score(estimator, X, y):\n    return estimator.score(X, y)\n\n\n"
        "class Halves:\n"
        "    def split(self, X, y=None, groups=None):\n"
        "        rows = np.random.default_rng(0).permutation(len(X))\n"
        "        yield rows[::2], rows[1::2]\n"
        "        yield rows[1::2], rows[::2]\n"
    )
    rows = "".join(f"{x},{'ab'[x % 2]}\n" for x in range(40))
    Path("mine.csv").write_text(f"x,y\n{rows}")
    write("small", *methods, **{"data": "iris", **KEYS, **keys})
    cli.well(*RUN)
    assert not is_told_by_files()
    assert not is_told_by_files()


def test_rows_of_files_and_data_that_nothing_pins_are_always_planned_again(
    is_told_by_files: Ran, cli
) -> None:
    Path("rows.txt").write_text("".join(f"{row}\n" for row in range(0, 150, 4)))
    listed = "{name: iris, splits: {test_rows: [rows.txt]}}"
    unpinned = "{name: iris, per_class: 20}"
    for data in (listed, unpinned):
        write("small", *METHODS, data=data, **KEYS)
        cli.well(*RUN, "--again")
        assert not is_told_by_files()


def test_what_went_wrong_is_said_each_time(cli, monkeypatch: pytest.MonkeyPatch) -> None:
    data = "iris, {name: other, openml: 999999, target: y, task: classification}"
    write("small", METHODS[0], data=data, **KEYS)
    first, again = cli(*RUN), cli(*RUN)
    assert first.code == again.code == 4
    monkeypatch.setattr(AdaBoostMO, "fit", lambda *_: 1 / 0)
    write("small", *METHODS, data="iris", **KEYS)
    first, again = cli(*RUN, "--again"), cli(*RUN)
    assert first.code == again.code == 1


def test_a_part_of_the_trials_is_not_all_of_them(is_told_by_files: Ran, cli) -> None:
    write("small", *METHODS, data="iris", **KEYS)
    part = *RUN, "--only", "fold=0"
    assert [is_told_by_files(*part) for _ in range(2)] == [False, False]
    assert [is_told_by_files() for _ in range(2)] == [False, True]
    assert "trials: 2 ok" in cli.well(*part).out
    assert "trials: 2 ok" in cli.well(*part).out
    shard = *RUN, "--shard", "1/2"
    assert [is_told_by_files(*shard) for _ in range(2)] == [False, False]


def test_trials_marked_for_another_run_are_run(small: Path, is_told_by_files: Ran) -> None:
    with Store.open(small) as store:
        store.run_again(trial.key for trial in store.plan()[:1])
    assert not is_told_by_files()


def test_a_mirror_that_is_gone_is_refused(small: Path, cli, monkeypatch) -> None:
    monkeypatch.setenv("BOOSTBENCH_MIRROR", "/nowhere")
    assert "the mirror /nowhere is not a folder" in cli.refused(*RUN)


def test_a_method_that_may_be_unavailable_is_always_asked(
    small: Path, is_told_by_files: Ran, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(AdaBoostMO, "unavailable", staticmethod(lambda: None), raising=False)
    assert not is_told_by_files(*RUN, "--again")
    assert not is_told_by_files()


def test_the_same_command_for_a_file_elsewhere_is_another(
    folder: Path, cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("small", *METHODS, data="iris", **KEYS, results=str(folder / "shared"))
    cli.well(*RUN)
    Path("there").mkdir()
    shutil.copy("small.yaml", "there")
    monkeypatch.chdir("there")
    assert cli.well(*RUN).err == "writing the tables and figures\n"
    assert cli.well(*RUN).err == ""
