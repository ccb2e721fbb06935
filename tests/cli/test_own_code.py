"""A user's own estimators: edited code, functions and instances, their output, a debugger."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
import without_figures
from experiments import DUMMY, RIDGE, write, write_model

from boostbench.store.store import Store

FIT = 'from {0}_helper import SHIFT; y = y + SHIFT * y**2; print("rows:", len(y))'
READY = """
def make_model(k=2, random_state=None):
    from sklearn.decomposition import PCA
    from sklearn.ensemble import ExtraTreesRegressor
    from sklearn.pipeline import make_pipeline

    return make_pipeline(PCA(k), ExtraTreesRegressor(5))

def fails():
    [][1]

ready, nothing = make_model(3), lambda: 3
"""


@pytest.fixture
def own(folder: Path, request: pytest.FixtureRequest) -> str:
    """A module of the user's own beside ``own.yaml``, by a name that no other test has."""
    # The tests' process keeps modules that a user's next command would not have.
    name = f"own_{abs(hash(request.node.nodeid))}"
    write("own", write_model(name, FIT.format(name)), DUMMY)
    with (folder / f"{name}.py").open("a") as file:
        file.write(READY)
    (folder / f"{name}_helper.py").write_text("SHIFT = 0.0\n")
    return name


def _edit(name: str, old: str, new: str) -> None:
    path = Path(name)
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))


def _r2() -> dict[tuple[str, int, int], float]:
    with Store.read(Path("results/own")) as store:
        outcomes = store.outcomes()
        return {(t.method, t.fold, t.seed): outcomes[t.key].metrics["r2"] for t in store.plan()}


def test_edited_code_runs_again_and_says_why(cli, folder: Path, own: str, undrawn: None) -> None:
    cli.well("run", "own.yaml", "-j", "1")
    before = _r2()
    assert "nothing was missing" in cli("run", "own.yaml", "-j", "1").out
    path = folder / f"{own}_helper.py"
    changed = path.stat().st_mtime
    _edit(path.name, "0.0", "1.0")
    # As a script does that edits and runs within a second.
    for each in (path, *path.parent.glob(f"__pycache__/{path.stem}.*")):
        os.utime(each, (changed, changed))
    status = cli("status", "own.yaml").out
    assert f"changed since these results: own: {path.name} changed" in status
    dry = cli("run", "own.yaml", "--dry-run")
    assert "2 done, 2 to run" in dry.out
    line = f"own: {path.name} changed since 2 trials of it ran: run again (the old outcomes stay"
    assert line in dry.err
    done = cli("run", "own.yaml", "-j", "1")
    assert line in done.err
    assert "2 of 4 trials to run" in done.err
    after = _r2()
    assert after["own", 0, 0] != before["own", 0, 0]
    assert after["dummy", 0, 0] == before["dummy", 0, 0]
    with Store.read(folder / "results" / "own") as store:
        assert len(store.outcomes()) == 6
    # The old code finds its old outcomes.
    _edit(path.name, "1.0", "0.0")
    assert "nothing was missing" in cli("run", "own.yaml", "-j", "1").out
    assert _r2() == before


@pytest.mark.end_to_end
def test_code_that_changes_during_a_run_is_never_run_under_the_old_name(
    cli, own: str, undrawn: None
) -> None:
    # The first trial changes the source; its worker has the old code, the next worker would not.
    kill = "import os; open(__file__, 'a').write('#'); os.kill(os.getpid(), 9)"
    _edit(f"{own}.py", 'print("rows:", len(y))', kill)
    done = cli("run", "own.yaml", "-j", "1", "--only", "method=own", "--only", "fold=0")
    assert done.code == 1
    assert f"{own}.Own, or a package that it imports, was changed after the run began" in done.err


def test_a_function_and_an_instance_are_estimators(cli, own: str, undrawn: None) -> None:
    write(
        "own",
        f"{{name: made, estimator: '{own}:make_model', params: {{k: 4}}}}",
        f"{{name: ready, estimator: '{own}:ready', params: {{pca__n_components: 4}}}}",
        seeds=2,
    )
    cli.well("check", "own.yaml")
    cli.well("run", "own.yaml", "-j", "2")
    r2 = _r2()
    # Steps that left their seed open get that of the trial.
    assert r2["made", 0, 0] == r2["ready", 0, 0] != r2["made", 0, 1]
    for override, said in (
        ("0.params.q=1", "make_model has no parameter 'q'"),
        ("1.params.pca__n_componets=1", "(did you mean 'pca__n_components'?)"),
        (f"0={{estimator: '{own}:nothing'}}", "nothing gives an object of type int without fit"),
        (f"0={{estimator: '{own}:fails'}}", "list"),
    ):
        assert said in cli.refused("check", "own.yaml", "--set", f"methods.{override}")


@pytest.mark.end_to_end
def test_show_has_a_trials_output_and_a_cells_trials(cli, own: str, undrawn: None) -> None:
    cli.well("run", "own.yaml", "-j", "1")
    assert "it printed:\nrows: 221\n" in cli("show", "diabetes/own/1/0").out
    assert "it printed" not in cli("show", "diabetes/dummy/1/0").out
    cell = cli("show", "diabetes/own", "--in", "own").out
    assert "results/own: 2 of 2 trials done" in cell
    rows = [line.split() for line in cell.splitlines() if line.startswith("  diabetes/")]
    assert [(row[0], row[2], row[-1]) for row in rows] == [
        ("diabetes/own/0/0", "ok", "yes"),
        ("diabetes/own/1/0", "ok", "yes"),
    ]
    assert float(rows[0][3]) == pytest.approx(_r2()["own", 0, 0], rel=1e-4)
    assert cli("show", "diabetes/nobody").code == 2


def test_in_process_a_debugger_stops_at_its_breakpoints(folder: Path, own: str) -> None:
    _edit(f"{own}.py", 'print("rows:", len(y))', "breakpoint()")
    primary, secondary = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-P", without_figures.__file__, "run", "own.yaml", "--in-process"],
        stdin=secondary,
        stdout=secondary,
        stderr=secondary,
        cwd=folder,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "200"},
    )
    os.close(secondary)
    os.write(primary, b"p 'y has', len(y)\nc\nq\n")
    seen = b""
    while True:
        try:
            part = os.read(primary, 65536)
        except OSError:
            break
        if not part:
            break
        seen += part
    os.close(primary)
    text = seen.decode(errors="replace")
    # The first trial continued, the debugger left the second: it stays missing.
    assert process.wait(timeout=200) == 130, text
    assert "('y has', 221)" in text
    assert "1 ok, 3 pending" in text
    assert "resume with: boostbench run own.yaml --in-process" in text


def test_the_reason_of_a_rerun_outlasts_a_run_of_a_part(cli, own: str, undrawn: None) -> None:
    other = f"{{name: other, estimator: '{own}:make_model'}}"
    write("own", f"{{name: own, estimator: {own}.Own}}", other)
    cli.well("run", "own.yaml", "-j", "1")
    _edit(f"{own}_helper.py", "0.0", "1.0")
    part = cli("run", "own.yaml", "-j", "1", "--only", "method=own")
    assert f"own: {own}_helper.py changed since 2 trials of it ran" in part.err
    assert f"other: {own}_helper.py changed" in cli("status", "own.yaml").out
    words = f"other: {own}_helper.py changed since 2 trials of it ran"
    assert words in cli("run", "own.yaml", "-j", "1", "--dry-run").err


AT_THE_IMPORT = """\
import sys
sys.path.insert(0, "../src")
from {0}_apart.tree import Half as make
"""
BY_ITS_NAME = """\
import importlib, sys
sys.path.insert(0, "../src")
make = importlib.import_module("{0}_apart.tree").Half
"""
WHEN_MADE = """\
def make():
    import sys
    sys.path.insert(0, "../src")
    from {0}_apart.tree import Half
    return Half()
"""


@pytest.mark.parametrize(
    "glue", [AT_THE_IMPORT, BY_ITS_NAME, pytest.param(WHEN_MADE, marks=pytest.mark.end_to_end)]
)
def test_code_that_a_factory_takes_from_another_folder_counts(
    cli, folder: Path, own: str, glue: str, monkeypatch, undrawn: None
) -> None:
    package, place = folder / "src" / f"{own}_apart", folder / "experiment"
    package.mkdir(parents=True)
    place.mkdir()
    (package / "__init__.py").write_text("")
    (package / "tree.py").write_text(
        "from sklearn.linear_model import Ridge\nclass Half(Ridge):\n"
        "    def predict(self, X):\n        return super().predict(X) * 0.5\n"
    )
    monkeypatch.chdir(place)
    monkeypatch.setattr(sys, "path", list(sys.path))
    # Python keeps where it was when it was first asked.
    monkeypatch.delitem(sys.path_importer_cache, "../src", raising=False)
    Path(f"{own}_glue.py").write_text(glue.format(own))
    write("own", f"{{name: glued, estimator: '{own}_glue:make'}}", DUMMY, folds=3)
    cli.well("run", "own.yaml", "-j", "1")
    before = _r2()
    assert "nothing was missing" in cli("run", "own.yaml", "-j", "1").out
    assert "changed since" not in cli("status", "own.yaml").out
    _edit(str(package / "tree.py"), "0.5", "0.25")
    assert "changed since these results: glued: tree.py changed" in cli("status", "own.yaml").out
    done = cli.well("run", "own.yaml", "-j", "1")
    assert "tree.py changed since 3 trials of it ran: run again" in done.err
    assert "3 of 6 trials to run" in done.err
    after = _r2()
    assert after["glued", 0, 0] < before["glued", 0, 0]
    assert after["dummy", 0, 0] == before["dummy", 0, 0]
    verified = cli.well("verify", "own.yaml", "--sample", "3", "-j", "1")
    assert "3 equal bit for bit" in verified.out


def test_the_page_begins_with_the_method_of_own_code_not_with_other_estimators(cli) -> None:
    own = write_model("mymodel")
    write("beside", own, DUMMY, RIDGE)
    cli.well("run", "beside.yaml", "-j", "1", "--offline")
    page = Path("results/beside/table.md").read_text()
    assert "## Is own better?" in page
    answer = page.split("**")[1]
    assert answer == "Whether own is better than dummy and Ridge is undecided on diabetes."
    # Without own code, all methods are named in the file, and none is the user's own.
    write("named", DUMMY, RIDGE)
    cli.well("run", "named.yaml", "-j", "1", "--offline")
    assert "better?" not in Path("results/named/table.md").read_text()
