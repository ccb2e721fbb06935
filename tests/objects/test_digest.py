"""What identifies an object: equal in each process, another after any change that counts."""

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import pytest

# Prints the order of a set; then, as a notebook does, runs the cells of each task in __main__, and
# prints the digest of its method, or why it is refused.
_DRIVER = """
import json, sys
sys.dont_write_bytecode = True
from boostbench.errors import ConfigError
from boostbench.objects.digest import identify
print(json.dumps(list({"alpha", "beta", "gamma", "delta"})))
for cells, method in json.loads(sys.stdin.read()):
    for number, cell in enumerate(cells):
        exec(compile(cell, f"<cell {number}>", "exec"), globals())
    try:
        print(json.dumps(identify(eval(method), "the method 'mine'").digest))
    except ConfigError as error:
        print(json.dumps("refused: " + str(error)))
"""
_CELLS = {
    "imports": """
import dataclasses, enum, functools, threading
import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, RegressorMixin, TransformerMixin
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
import beside
""",
    "constants": """
FACTOR = {"a": 1.5, "b": [1, 2]}
WORDS = {"alpha", "beta", "gamma", "delta"}
HIDDEN = 3
TABLE = pd.DataFrame({"a": [1.0, 2.0], "b": ["x", None]})
UNUSED = 1
""",
    "helper": """
def helper(value, *, power=2):
    if value in {"red", "green", "blue", "white"} or "alpha" in WORDS:
        return FACTOR["a"]
    class Inner:
        def set(self):
            self.one = self.two = self.three = 1
    def nested(x):
        return [each * HIDDEN for each in x] + list(TABLE["a"])
    return np.sin(power), nested, Inner
""",
    "types": """
class Kind(enum.Enum):
    ONE = 1
    TWO = "two"

@dataclasses.dataclass
class Settings:
    depth: int = 3
    names: list = dataclasses.field(default_factory=list)
""",
    "model": """
class Base(BaseEstimator):
    settings = Settings(4)
    kind = Kind.TWO

class Mine(RegressorMixin, Base):
    def __init__(self, shrink=0.1, start=None):
        self.shrink = shrink
        self.start = start
    @property
    def twice(self):
        return 2 * self.shrink
    @staticmethod
    def of(value):
        return helper(value)
    def fit(self, X, y):
        super().get_params()
        self.value_ = y.mean() * helper("red") + beside.shift()
        return self
    def predict(self, X):
        import scipy.stats
        return np.full(len(X), self.value_)
""",
}
_BESIDE = "LOST = 7\n\n\ndef shift():\n    return 1.0\n"


def _changed(part: str, old: str, new: str) -> list[str]:
    assert old in _CELLS[part]
    after = [_CELLS["model"]] if part == "types" else []
    return [*_CELLS.values(), _CELLS[part].replace(old, new), *after]


_BASE = list(_CELLS.values())
_METHODS = [
    "Mine()",
    "Mine(0.3, np.arange(4))",
    "Mine",
    "make_pipeline(FunctionTransformer(lambda X: 2 * X), StandardScaler(), Ridge(alpha=2.0))",
    "lambda: Ridge(alpha=helper('x')[0])",
    "functools.partial(Mine, shrink=2.0)",
]
_PARAMETERS = [
    "Mine(0.2)",
    "Mine(shrink=0.2)",
    "Mine(0.2).fit(np.zeros((3, 1)), np.arange(3.0))",
    "Mine(0.3)",
    "Mine(0.2, np.array([1.0, 2.0]))",
    "Mine(0.2, np.array([1.0, 2.5]))",
    "Mine(0.2, np.array([1, 2]))",
    "make_pipeline(StandardScaler(), Ridge(alpha=2.0))",
    "make_pipeline(StandardScaler().fit(np.eye(2)), Ridge(alpha=2.0))",
    "make_pipeline(StandardScaler(), Ridge(alpha=3.0))",
    # What was learnt is kept in a clone of these.
    "FrozenEstimator(Ridge().fit(np.eye(2), [1, 2]))",
    "FrozenEstimator(Ridge().fit(np.eye(2), [1, 3]))",
    # The third is one of the others again.
    "(lambda a, b: Mine(0.2, [a, b, a]))(np.arange(2), np.arange(3))",
    "(lambda a, b: Mine(0.2, [a, b, b]))(np.arange(2), np.arange(3))",
]
_REFUSED = [
    (
        "LOCK = threading.Lock()\ndef f(): return LOCK and Ridge()",
        "f",
        "at f > LOCK: an object of type lock",
    ),
    (
        "@functools.lru_cache\ndef cached(): return 1\ndef g(): return cached() and Ridge()",
        "g",
        "at g > cached: 'cached', an object of type _lru_cache_wrapper, is known by its name",
    ),
    (
        "def h():\n    import beside\n    return beside and Ridge()",
        "h",
        "at h: it imports beside while it runs, which is not installed: import it at the top",
    ),
    ("", "Mine(start=(x for x in 'ab'))", "at Mine > start: an object of type generator"),
    (
        "",
        "Mine(start=functools.partial(print, threading.Lock()))",
        "at Mine > start: an object of type lock",
    ),
]
_NEST = """
def nested(depth):
    made = []
    for _ in range(depth): made = [made]
    return made
"""
_SAME = {
    "the same cells again": [*_BASE, *_BASE],
    "a comment and empty lines": _changed("helper", "\ndef helper", "\n# a word\n\n\ndef helper"),
    "a constant that nothing reaches": _changed("constants", "UNUSED = 1", "UNUSED = 2"),
    "an annotation": _changed("helper", "power=2", "power: int = 2"),
    "a copy, of which Python takes notes": [*_BASE, "import copy; copy.copy(Mine())"],
    "the order of a set": _changed("constants", '"alpha", "beta"', '"beta", "alpha"'),
}
_OTHER = {
    "a helper": _changed("helper", "np.sin", "np.cos"),
    "the default of a helper": _changed("helper", "power=2", "power=3"),
    "a constant in another cell": _changed("constants", "1.5", "1.25"),
    "a constant of a function in a function": _changed("constants", "HIDDEN = 3", "HIDDEN = 4"),
    "a set": _changed("constants", '"delta"', '"epsilon"'),
    "a frame": _changed("constants", "[1.0, 2.0]", "[1.0, 2.5]"),
    "the index of a frame": _changed("constants", "None]})", "None]}, index=[5, 6])"),
    "a missing text of a frame": _changed("constants", '"x", None', '"x", "y"'),
    "a method": _changed("model", "2 * self.shrink", "3 * self.shrink"),
    "an attribute of a base class": _changed("model", "Settings(4)", "Settings(5)"),
    "a member of an enumeration": _changed("types", '"two"', '"zwei"'),
    # A module of one's own that is named as such is sent whole. These stay changed: the last.
    "a function of a module beside": [*_BASE, "beside.shift = lambda: 2.0"],
    "any value of a module beside": [*_BASE, "beside.LOST = 8"],
}
_TASKS = {
    "methods": [(_BASE, method) for method in _METHODS],
    "parameters": [(_BASE, method) for method in _PARAMETERS],
    "refused": [([*_BASE, cell], method) for cell, method, _ in _REFUSED],
    "nested": [([*_BASE, _NEST], f"Mine(start=nested({depth}))") for depth in (20, 5000)],
    "changes": [(cells, "Mine()") for cells in [_BASE, *_SAME.values(), *_OTHER.values()]],
}
_SEEDS = ["0", "5", "random"]


@dataclass
class Printed:
    """What one process prints: the order of a set, and the digests for each of ``_TASKS``."""

    order: list[str]
    digests: dict[str, list[str]]


@pytest.fixture(scope="module")
def printed(tmp_path_factory) -> list[Printed]:
    """What processes with other hash seeds print, one for each of ``_SEEDS``."""
    folder = tmp_path_factory.mktemp("digests")
    (folder / "beside.py").write_text(_BESIDE)
    return [_printed(folder, seed) for seed in _SEEDS]


def _printed(folder: Path, seed: str) -> Printed:
    done = subprocess.run(
        [sys.executable, "-c", _DRIVER],
        cwd=folder,
        env={**os.environ, "PYTHONHASHSEED": seed},
        input=json.dumps([task for tasks in _TASKS.values() for task in tasks]),
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert done.returncode == 0, done.stderr
    order, *digests = (json.loads(line) for line in done.stdout.splitlines())
    left = iter(digests)
    return Printed(order, {name: list(islice(left, len(tasks))) for name, tasks in _TASKS.items()})


def test_processes_with_other_hash_seeds_agree(printed):
    """What the tests below say of the first process holds for each."""
    assert printed[0].order != printed[1].order
    assert printed[0].digests == printed[1].digests == printed[2].digests
    found = printed[0].digests["methods"]
    assert len(set(found)) == len(_METHODS)
    assert not [each for each in found if each.startswith("refused")]


def test_a_change_counts_wherever_it_is_and_nothing_else_does(printed):
    reference, *digests = printed[0].digests["changes"]
    found = dict(zip([*_SAME, *_OTHER], digests, strict=True))
    assert [name for name in _SAME if found[name] != reference] == []
    assert [name for name in _OTHER if found[name] == reference] == []
    assert len(set(found.values())) == 1 + len(_OTHER)


def test_parameters_count_and_what_was_learnt_does_not(printed):
    found = printed[0].digests["parameters"]
    assert found[0] == found[1] == found[2]
    assert found[7] == found[8]
    distinct = [found[i] for i in (0, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13)]
    assert len(set(distinct)) == len(distinct)


def test_what_cannot_be_identified_is_refused_in_a_sentence(printed):
    found = printed[0].digests["refused"]
    for text, (_, _, words) in zip(found, _REFUSED, strict=True):
        assert text.startswith("refused: the method 'mine' cannot be identified, ")
        assert words in text
        assert "\n" not in text


def test_what_is_nested_too_deeply_is_refused_in_a_sentence(printed):
    fine, deep = printed[0].digests["nested"]
    assert re.fullmatch(r"[0-9a-f]{16}", fine)
    assert deep == (
        "refused: the method 'mine' cannot be identified: objects in it are nested too deeply"
    )
