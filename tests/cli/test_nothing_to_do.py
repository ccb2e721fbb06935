"""A run that finds nothing to do says so and writes nothing, whatever its methods and data are."""

import shutil
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
CODE = """\
import numpy as np


def score(estimator, X, y):
    return estimator.score(X, y)


class Halves:
    def split(self, X, y=None, groups=None):
        rows = np.random.default_rng(0).permutation(len(X))
        yield rows[::2], rows[1::2]
        yield rows[1::2], rows[::2]
"""

Idle = Callable[..., bool]


@pytest.fixture
def small(cli) -> Path:
    """The results folder of a complete experiment of boostbench's own methods."""
    write("small", *METHODS, data="iris", **KEYS)
    cli.well(*RUN)
    return Path("results/small")


def contents() -> dict[Path, tuple[int, bytes]]:
    """Return the files of all results with their contents, and when they were written.

    Those are left out that SQLite needs to read.
    """
    paths = [path for path in Path("results").rglob("*") if path.is_file()]
    paths = [path for path in paths if not path.name.endswith(("-wal", "-shm"))]
    return {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in paths}


@pytest.fixture
def idle(cli) -> Idle:
    """Return a function that calls ``run``, and says whether it found nothing to do."""

    def idle(*words: str) -> bool:
        before = contents()
        said = cli.well(*(words or RUN)).out
        is_idle = contents() == before
        assert ("nothing was missing; trials" in said) or not is_idle
        return is_idle

    return idle


def test_the_command_says_the_same_and_opens_nothing_for_writing(
    small: Path, cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    (small / ".boostbench-report.json").unlink()
    first = cli.well(*RUN)
    monkeypatch.setattr(Store, "open", lambda *_: pytest.fail("opened for writing"))
    before = contents()
    second = cli.well(*RUN)
    assert contents() == before
    assert second.out == first.out
    assert first.err == "writing the tables and figures\n"
    assert second.err == ""
    assert second.out.splitlines()[-2:] == [
        "nothing was missing; trials: 4 ok",
        f"{small}/table.html",
    ]


@pytest.mark.parametrize(
    ("methods", "keys"),
    [
        (METHODS, {}),
        ([*METHODS, "{estimator: sklearn.dummy.DummyClassifier}"], {}),
        (["{method: adaboost_mh, choose: {max_iter: [1, 2], by: 'watched_code:score'}}"], {}),
        (METHODS, {"metrics": "[{name: mine, function: 'watched_code:score'}]"}),
        (METHODS, {"keep": "[predictions]"}),
        (METHODS, {"splits": "{splitter: 'watched_code:Halves'}"}),
        (METHODS, {"data": "{name: mine, file: mine.csv, target: y, task: classification}"}),
        (METHODS, {"data": "{name: iris, splits: {test_rows: [rows.txt]}}"}),
        (METHODS, {"data": "{name: iris, per_class: 20}"}),
        (METHODS, {"seeds": "[1, 2]"}),
    ],
    ids=["own", "estimator", "choose", "metric", "keep", "splitter", "file", "rows", "part", "two"],
)
def test_all_experiments_are_alike(methods, keys, idle: Idle, cli) -> None:
    Path("watched_code.py").write_text(CODE)
    rows = "".join(f"{x},{'ab'[x % 2]}\n" for x in range(40))
    Path("mine.csv").write_text(f"x,y\n{rows}")
    Path("rows.txt").write_text("".join(f"{row}\n" for row in range(0, 150, 4)))
    write("small", *methods, **{"data": "iris", **KEYS, **keys})
    cli.well(*RUN)
    assert idle()


@pytest.mark.parametrize(
    "words",
    [
        ("run", "small.yaml", "--offline"),
        ("run", "small.yaml", "-j2"),
        ("run", "./small.yaml", "-j1", "--offline"),
        ("run", "{here}/small.yaml", "--mirror", "."),
        (*RUN, "--in-process"),
        (*RUN, "--retry-failed"),
        (*RUN, "--only", "fold=0"),
        (*RUN, "--strict"),
    ],
)
def test_how_a_run_is_called_makes_no_difference(words, small: Path, idle: Idle) -> None:
    assert idle(*(word.format(here=Path.cwd()) for word in words))
    assert idle()


def test_remarks_on_data_are_said_again(idle: Idle, cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Dataset, "remarks_line", property(lambda data: f"{data.name}: a remark"))
    write("small", *METHODS, data="iris", **KEYS)
    assert "iris: a remark\n" in cli.well(*RUN).err
    assert cli.well(*RUN).err == "iris: a remark\n"
    assert idle()


def test_what_has_changed_is_recorded(small: Path, idle: Idle, cli) -> None:
    # The same again, in another folder of results.
    assert not idle(*RUN, "--set", "results=results/elsewhere")
    assert not idle(*RUN, "--again")
    assert idle()
    text = Path("small.yaml").read_text()
    Path("small.yaml").write_text(text + "title: Another\n")
    assert not idle()
    assert "Another" in (small / "table.md").read_text()
    assert idle()
    Path("small.yaml").write_text(text.replace("max_iter: 2", "max_iter: 1"))
    assert "trials: 4 ok" in cli.well(*RUN).out
    Path("small.yaml").write_text(text.replace("seeds: 1", "seeds: 2"))
    assert "trials: 8 ok" in cli.well(*RUN).out
    assert idle()
    # Fewer trials are another plan.
    Path("small.yaml").write_text(text)
    assert not idle()
    assert idle()


def test_edited_code_and_data_are_run_again(idle: Idle, cli) -> None:
    Path("edited_code.py").write_text(
        "from sklearn.dummy import DummyClassifier\n\n\nclass Own(DummyClassifier):\n    pass\n"
    )
    Path("mine.csv").write_text("x,y\n" + "".join(f"{x},{'ab'[x % 2]}\n" for x in range(40)))
    own = "{name: own, estimator: edited_code.Own}"
    write("small", own, data="{name: mine, file: mine.csv, target: y, task: classification}")
    cli.run_only(*RUN[1:])
    for name in ("edited_code.py", "mine.csv"):
        assert "nothing was missing" in cli.run_only(*RUN[1:]).out
        path = Path(name)
        path.write_text(path.read_text().replace("pass", "more = 1").replace("3,b", "3.5,b"))
        assert "changed since 2 trials of it ran" in cli.run_only(*RUN[1:]).err


def test_lost_outcomes_and_files_are_made_again(small: Path, idle: Idle, cli) -> None:
    edit(small, "DELETE FROM outcomes WHERE rowid = (SELECT min(rowid) FROM outcomes)")
    assert not idle()
    assert idle()
    (small / "table.md").unlink()
    assert not idle()
    assert (small / "table.md").is_file()
    # The report makes it again as well, and the run is still one with nothing to do.
    (small / "table.md").unlink()
    cli.well("report", "small")
    assert idle()
    (small / "store.sqlite").unlink()
    assert not idle()


def test_another_program_makes_the_report_again(
    small: Path, idle: Idle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report_record, "_digest_of_boostbench", lambda: "edited")
    assert not idle()
    assert idle()


def test_another_card_makes_the_report_again(cli, idle: Idle) -> None:
    card = (shipped_dir("datasets") / "iris.yaml").read_text().replace("name: iris", "name: lily")
    path = Path("datasets/lily.yaml")
    path.parent.mkdir()
    path.write_text(card)
    write("small", *METHODS, data="lily", **KEYS)
    cli.well(*RUN)
    assert idle()
    path.write_text(card + "notes: other\n")
    assert not idle()


def test_what_went_wrong_is_said_each_time(cli, monkeypatch: pytest.MonkeyPatch) -> None:
    data = "iris, {name: other, openml: 999999, target: y, task: classification}"
    write("small", METHODS[0], data=data, **KEYS)
    first, again = cli(*RUN), cli(*RUN)
    assert first.code == again.code == 4
    monkeypatch.setattr(AdaBoostMO, "fit", lambda *_: 1 / 0)
    write("small", *METHODS, data="iris", **KEYS)
    first, again = cli(*RUN, "--again"), cli(*RUN)
    assert first.code == again.code == 1
    assert "2 trials failed" in again.err


def test_a_part_of_the_trials_is_not_all_of_them(idle: Idle, cli) -> None:
    write("small", *METHODS, data="iris", **KEYS)
    part = *RUN, "--only", "fold=0"
    assert [idle(*part) for _ in range(2)] == [False, True]
    assert [idle() for _ in range(2)] == [False, True]
    assert "trials: 2 ok" in cli.well(*part).out
    shard = *RUN, "--shard", "1/2"
    assert [idle(*shard) for _ in range(2)] == [False, True]


def test_trials_marked_for_another_run_are_run(small: Path, idle: Idle) -> None:
    with Store.open(small) as store:
        store.run_again(trial.key for trial in store.plan()[:1])
    assert not idle()


def test_a_mirror_that_is_gone_is_refused(small: Path, cli, monkeypatch) -> None:
    monkeypatch.setenv("BOOSTBENCH_MIRROR", "/nowhere")
    assert "the mirror /nowhere is not a folder" in cli.refused(*RUN)


def test_a_method_that_is_unavailable_now_is_named(
    small: Path, cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    why = staticmethod(lambda: "its licence has ended")
    monkeypatch.setattr(AdaBoostMO, "unavailable", why, raising=False)
    assert "adaboost_mo will be skipped: its licence has ended" in cli.well(*RUN).err


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
