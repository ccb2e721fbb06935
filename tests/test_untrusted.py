"""Nothing that is read from a file is evaluated, and a user's module harms no run when imported."""

import ast
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import boostbench
from boostbench.config.loading import load_experiment
from boostbench.data.arrays import load_arrays
from boostbench.errors import ConfigError, DataError

SOURCES = sorted(Path(boostbench.__file__).parent.rglob("*.py"))
PICKLING = {"pickle", "cPickle", "marshal", "shelve", "dill", "cloudpickle", "joblib"}
# Estimators from Python are pickled; only `run`, `check` and a trusted `verify` load them.
OF_OBJECTS = Path(boostbench.__file__).parent / "objects" / "pickling.py"

# They count processors, and call functions in threads.
UNPICKLES_NOTHING = {"cpu_count", "effective_n_jobs", "Parallel", "delayed"}


def _imports(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            others = {alias.name for alias in node.names} - UNPICKLES_NOTHING
            yield "" if node.module == "joblib" and not others else node.module.partition(".")[0]


def _calls(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func), {k.arg: ast.unparse(k.value) for k in node.keywords}


def test_no_source_unpickles_or_evaluates():
    assert len(SOURCES) > 100
    for path in SOURCES:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        if path != OF_OBJECTS:
            assert not PICKLING & set(_imports(tree)), path
        for name, options in _calls(tree):
            short = name.rpartition(".")[2]
            assert name not in ("eval", "exec", "yaml.load", "yaml.unsafe_load", "os.system"), path
            assert short not in ("read_pickle", "to_pickle", "literal_eval"), path
            assert options.get("shell", "False") == "False", path
            if short == "Parallel" and path.name != "images.py":
                # Processes would exchange pickles; those for features get them from their parent.
                assert options.get("require") == "'sharedmem'", path
            if name in ("np.load", "numpy.load"):
                assert options.get("allow_pickle") == "False", path


class _Harm:
    def __reduce__(self):
        return (os.system, ("touch harmed",))


def test_a_pickle_in_the_cache_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    y = np.array([_Harm(), 1.0], dtype=object)
    np.savez(tmp_path / "f.npz", X=np.zeros((2, 1)), y=y, meta=np.array("{}"))
    with pytest.raises(DataError, match="cannot be read"):
        load_arrays("f", tmp_path)
    (tmp_path / "g.npz").write_bytes(pickle.dumps(_Harm()))
    with pytest.raises(DataError, match="cannot be read"):
        load_arrays("g", tmp_path)
    assert not (tmp_path / "harmed").exists()


@pytest.mark.parametrize(
    "value",
    [
        "!!python/object/apply:os.system ['touch harmed']",
        "!<tag:yaml.org,2002:python/object/apply:os.system> ['touch harmed']",
    ],
)
@pytest.mark.parametrize("place", ["value", "override"])
def test_a_tag_in_an_experiment_is_refused_and_not_obeyed(tmp_path, monkeypatch, value, place):
    monkeypatch.chdir(tmp_path)
    text = "name: x\ndatasets: [diabetes]\nmethods: [srt]\n"
    Path("x.yaml").write_text(text + (f"seeds: {value}\n" if place == "value" else ""))
    with pytest.raises(ConfigError, match="a tag is not allowed") as caught:
        load_experiment("x.yaml", [f"seeds={value}"] if place == "override" else [])
    assert "\n" not in str(caught.value)
    assert not Path("harmed").exists()


MODULE = """\
import os, signal, sys, warnings
import numpy as np

{harm}

class Own:
    def fit(self, X, y):
        return self
    def predict(self, X):
        return np.zeros(len(X))
    def get_params(self, deep=True):
        return {{}}
"""
HARMS = {
    "raise SystemExit(0)": "cannot be imported: SystemExit",
    "raise KeyError('a')": "cannot be imported: 'a'",
    "raise ValueError": "cannot be imported: ValueError",
    "import not_there_at_all": "No module named 'not_there_at_all'",
    "def": "cannot be imported: ",
    "import os; os.chdir('/')": "",
    "os.environ.clear()": "",
    "signal.signal(signal.SIGINT, signal.SIG_IGN)": "",
    "warnings.simplefilter('error')": "",
    "np.seterr(all='raise'); np.random.seed(3)": "",
    "sys.stdout = sys.stderr = None": "",
}
LOOK = """\
import json, os, signal, sys, warnings
from boostbench.estimators import import_estimator
from boostbench.errors import ConfigError
import numpy as np, sklearn
sys.path.insert(0, os.getcwd())
def state():
    return [os.getcwd(), dict(os.environ), len(warnings.filters), np.geterr(), repr(sys.stdout),
            str(signal.getsignal(signal.SIGINT))]
out = sys.stdout
for name in sys.argv[1:]:
    before = state()
    try:
        said = import_estimator(name).__name__
    except ConfigError as error:
        said = str(error)
    print(json.dumps([said, state() == before]), file=out)
"""


def test_importing_an_estimator_never_ends_or_changes_the_run(tmp_path):
    for number, harm in enumerate(HARMS):
        (tmp_path / f"own{number}.py").write_text(MODULE.format(harm=harm))
    names = [f"own{number}:Own" for number in range(len(HARMS))]
    done = subprocess.run(
        [sys.executable, "-P", "-c", LOOK, *names],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    text = [json.loads(line) for line in done.stdout.splitlines()]
    for (harm, words), (said, same) in zip(HARMS.items(), text, strict=True):
        assert words in said if words else said == "Own", harm
        assert same, harm
