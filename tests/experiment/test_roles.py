"""Which methods of an experiment play a paper's roles, from its file to its verdicts."""

from pathlib import Path

import pytest
from experiments import experiment

import boostbench
from boostbench.config.loading import load_experiment
from boostbench.errors import ConfigError
from boostbench.experiment.roles import check_roles_of, own_estimators
from boostbench.experiment.verifying import judge_claims
from boostbench.papers import get_paper
from boostbench.papers.check import check_paper
from boostbench.papers.roles import methods_in_paper, roles_at
from boostbench.plan.check import check_experiment
from boostbench.user_code import forget

RIDGE, TREE = "sklearn.linear_model.Ridge", "boostbench.trees:SoftRegressionTree"
MINE = """\
from sklearn.linear_model import Ridge


class Mine(Ridge):
    {said}

    def __init__(self, strength=0.5, power=2, units=(3, 4), random_state=None):
        super().__init__(alpha=strength**power)
        self.strength, self.power, self.units = strength, power, units


class Steps(Mine):
    def __init__(self, max_iter=7, n_steps=50, random_state=None):
        super().__init__()
        self.max_iter, self.n_steps = max_iter, n_steps
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cheap: None) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BOOSTBENCH_CACHE", str(tmp_path / "cache"))
    return tmp_path


def write(roles: str, *methods: str, more: str = "", said: str = "") -> Path:
    """Write a paper with roles, and an experiment of methods beside it; return its path."""
    Path("p").mkdir(exist_ok=True)
    Path("p/paper.yaml").write_text(f"title: T\nauthors: A\nroles: {{{roles}}}\n{more}")
    Path("mine.py").write_text(MINE.format(said=said or "pass"))
    forget("mine:Mine")
    Path("e.yaml").write_text(experiment("e", *methods, paper="./p"))
    return Path("e.yaml")


def played(roles: str, *methods: str, **more: str) -> dict[str, str]:
    """Return the method of each role, by label, of an experiment that is right."""
    found = load_experiment(write(roles, *methods, **more))
    resolved, paper = check_experiment(found), get_paper("./p")
    check_roles_of(found, resolved)
    recorded = {**found.model_dump(mode="json"), "own_estimators": own_estimators(found, paper)}
    methods_then = methods_in_paper(resolved, recorded, paper)
    return {role: method.label for role, method in roles_at(paper, methods_then, None).items()}


def remarks(roles: str, *methods: str, **more: str) -> list[str]:
    found = load_experiment(write(roles, *methods, **more))
    return check_roles_of(found, check_experiment(found))


FOREST = "printed_names: {random_forest: RF}\n"


@pytest.mark.parametrize(
    ("params", "own"),
    [("", True), (", params: {n_estimators: 500}", True), (", params: {n_estimators: 3}", False),
     (", choose: {n_estimators: [3, 4]}", False)],
)  # fmt: skip
@pytest.mark.parametrize("roles", ["", f"line: {{estimator: {RIDGE}}}"])
def test_a_changed_registered_method_is_not_the_registered_one(roles, params, own) -> None:
    found = played(
        roles, f"{{name: random_forest{params}}}", f"{{estimator: {RIDGE}}}", more=FOREST
    )
    assert ("random_forest" in found) is own
    text = "\n".join(remarks(roles, f"{{name: random_forest{params}}}", more=FOREST))
    assert ("'random_forest'" in text) is not own


def test_a_role_of_a_registered_method_has_only_the_changes_that_it_names() -> None:
    role = "big: {method: srt, max_iter: 30, mu: any}"
    methods = {
        "{name: a, method: srt, params: {max_iter: 30}}": "a",
        "{name: a, method: srt, params: {max_iter: 30, mu: 3}}": "a",
        "{name: a, method: srt, params: {max_iter: 30, clip: false}}": None,
        "{name: a, method: srt}": None,
    }
    assert {text: played(role, text).get("big") for text in methods} == methods
    text = "{name: a, method: srt, params: {max_iter: 30, clip: false}}"
    assert remarks(role, text) == [
        "no method plays the role 'big' of the paper: srt is run with clip = False"
    ]
    # A paper's name for another estimator is not that of the registered method.
    assert played(f"srt: {{estimator: {RIDGE}}}", "srt") == {}
    assert played(f"a: {{estimator: '{TREE}'}}", "srt") == {}


@pytest.mark.parametrize(
    ("wanted", "params", "fits"),
    [
        ("strength: 0.5", "", True), ("strength: 0.5", "power: 3", True),
        ("strength: 0.4", "", False), ("strength: [0.4, 0.5]", "", True),
        ("strength: null", "strength: 0.5", True), ("strength: null", "strength: 0.4", False),
        ("strength: [null, 0.4]", "strength: 0.4", True), ("power: true", "power: 1", False),
        ("units: [[3, 4]]", "", True), ("units: null", "units: [3, 4]", True),
        ("units: [3, 4]", "", True), ("units: [4, 3]", "", False), ("units: any", "", True),
    ],
)  # fmt: skip
def test_a_parameter_at_its_default_is_one_left_out(wanted, params, fits) -> None:
    method = f"{{name: m, estimator: mine:Mine, params: {{{params}}}}}"
    # Both ways to write an import path are one.
    assert (played(f"a: {{estimator: mine.Mine, {wanted}}}", method) == {"a": "m"}) is fits


@pytest.mark.parametrize(
    ("chosen", "choose", "fits"),
    [
        ("[alpha]", "alpha: [1, 2]", True), ("[alpha]", "", False), ("true", "alpha: [1, 2]", True),
        ("[alpha, solver]", "alpha: [1, 2]", False), ("false", "", True),
        ("[alpha]", "alpha: [1, 2], solver: [svd, lsqr]", False), ("false", "alpha: [1]", False),
    ],
)  # fmt: skip
def test_a_method_that_chooses_can_be_named(chosen, choose, fits) -> None:
    method = f"{{name: m, estimator: {RIDGE}, choose: {{{choose}}}}}"
    assert (played(f"a: {{estimator: {RIDGE}, chosen: {chosen}}}", method) == {"a": "m"}) is fits


def test_a_registered_method_that_chooses_can_be_named() -> None:
    method = "{name: m, method: ort_l, choose: {l1: [0.1, 0.2]}}"
    for chosen in ("[l1]", "true"):
        assert played(f"grid: {{method: ort_l, chosen: {chosen}}}", method) == {"grid": "m"}
    assert played("grid: {method: ort_l}", method) == {}


TWO = f"{{name: m, estimator: {RIDGE}}}", f"{{name: n, estimator: {RIDGE}, params: {{alpha: 3}}}}"


def test_two_methods_in_a_role_are_an_error_that_names_them() -> None:
    assert played(f"a: {{estimator: {RIDGE}, alpha: 3}}", *TWO) == {"a": "n"}
    for roles in (f"a: {{estimator: {RIDGE}}}", f"a: {{estimator: {RIDGE}, alpha: [null, 3]}}"):
        with pytest.raises(ConfigError, match=r"e.yaml:6:8: the methods 'm' and 'n' fit .* 'a'"):
            played(roles, *TWO)
    pair = "{name: random_forest}", "{name: other, method: random_forest}"
    with pytest.raises(ConfigError, match="'random_forest' and 'other' fit one role"):
        played("", *pair, more=FOREST)


def test_a_method_in_two_roles_is_an_error_unless_one_is_part_of_the_other() -> None:
    roles = f"a: {{estimator: {RIDGE}}}, b: {{estimator: {RIDGE}, alpha: 3}}"
    with pytest.raises(ConfigError, match="the method 'n' fits the roles 'a' and 'b' of the paper"):
        played(roles, TWO[1])
    assert played(roles.replace("}, b", ", parts: [b]}, b"), TWO[1]) == {"a": "n", "b": "n"}
    # The order of the parts decides, not that of the methods.
    parts = f"a: {{estimator: {RIDGE}, parts: [b, c]}}, b: {{estimator: {RIDGE}, alpha: 3}}, "
    parts += f"c: {{estimator: {RIDGE}, alpha: null}}"
    assert played(parts, *TWO) == {"a": "n", "b": "n", "c": "m"}
    with pytest.raises(ConfigError, match="'m' and 'o' fit one role 'a'"):
        played(parts, *TWO, f"{{name: o, estimator: {RIDGE}, params: {{alpha: 1}}}}")


def test_roles_that_one_method_could_play_are_errors_of_the_paper() -> None:
    ridge = f"{{estimator: {RIDGE}"
    for roles, overlap in {
        f"a: {ridge}}}, b: {ridge}, alpha: 3}}": True,
        f"a: {ridge}, alpha: [1, 2]}}, b: {ridge}, alpha: 3}}": False,
        f"a: {ridge}, alpha: [1, 3]}}, b: {ridge}, alpha: 3}}": True,
        f"a: {ridge}, chosen: true}}, b: {ridge}, chosen: false}}": False,
        f"a: {ridge}, chosen: [alpha]}}, b: {ridge}, chosen: [solver]}}": False,
        f"a: {ridge}, chosen: [alpha]}}, b: {ridge}, alpha: 3}}": False,
        f"a: {ridge}, chosen: [alpha]}}, b: {ridge}, solver: svd}}": True,
        f"a: {ridge}, parts: [b]}}, b: {ridge}, alpha: 3}}": False,
        f"a: {ridge}}}, b: {{estimator: mine:Mine}}": False,
        "a: {method: srt}, b: {method: srt, max_iter: 30}": False,
        "a: {method: srt, max_iter: any}, b: {method: srt, max_iter: 30}": True,
        "a: {method: srt, max_iter: 30}, srt: {clip: any}": False,
    }.items():
        write(roles)
        found = [text for text in check_paper(Path("p")) if "one method could play" in text]
        assert bool(found) is overlap, roles
    found = check_paper(_part("b: {estimator: mine:Mine, parts: [c, bb]}, c: {method: srt}"))
    assert any("there is no role 'bb' (did you mean 'b'?)" in text for text in found)


def _part(roles: str) -> Path:
    write(roles)
    return Path("p")


def test_roles_that_nothing_plays_are_told() -> None:
    roles = f"a: {{estimator: {RIDGE}, alpha: 7}}, b: {{method: srt, mu: 2}}, c: {{method: ort_l}}"
    assert remarks(roles, TWO[0], "ort_l") == ["no method plays the roles 'a' and 'b' of the paper"]
    assert remarks(roles.partition(", b")[0].replace("7", "null"), TWO[0]) == []


def test_a_depth_tells_methods_apart_only_where_the_tables_have_depths() -> None:
    methods = [f"{{name: d{n}, estimator: '{TREE}', params: {{depth: {n}}}}}" for n in (2, 3)]
    role, flat = f"a: {{estimator: '{TREE}'}}", "1,diabetes,B,,0.5\n"
    write(role)
    table = Path("p/tables.csv")
    table.write_text(f"table,dataset,method,depth,r2_mean\n1,diabetes,A,2,0.5\n{flat}")
    assert played(role, *methods, more="columns: {a: A}\n") == {"a": "d2"}
    with pytest.raises(ConfigError, match="'d2' and 'd3' fit one role 'a'"):
        played(role, *methods, more="columns: {a: B}\n")
    table.write_text(f"table,dataset,method,depth,r2_mean\n{flat}")
    with pytest.raises(ConfigError, match="'d2' and 'd3' fit one role 'a'"):
        played(role, *methods, more="columns: {b: B}\n")


@pytest.mark.parametrize(
    ("said", "method", "fits", "is_known"),
    [
        # The parameter of a class that does not name it is unknown, whatever it is called.
        ("", "mine:Steps, params: {max_iter: 3, n_steps: 9}", True, False),
        ("rounds_parameter = 'n_steps'", "mine:Steps, params: {max_iter: 3}", True, True),
        ("rounds_parameter = 'n_steps'", "mine:Steps, params: {n_steps: 9}", False, True),
        ("", "sklearn.linear_model.SGDRegressor, params: {max_iter: 9}", True, False),
        ("", "sklearn.ensemble.GradientBoostingRegressor, params: {n_estimators: 9}", False, True),
        ("", "sklearn.ensemble.GradientBoostingRegressor, params: {n_estimators: 50}", True, True),
        ("", "sklearn.ensemble.HistGradientBoostingRegressor", True, True),
        ("", "sklearn.ensemble.HistGradientBoostingRegressor, params: {max_iter: 9}", False, True),
        ("", "sklearn.ensemble.RandomForestRegressor, params: {n_estimators: 9}", True, False),
    ],
)
def test_rounds_are_those_of_the_class(said, method, fits, is_known) -> None:
    path = method.partition(",")[0]
    roles, own = f"a: {{estimator: '{path}'}}", f"{{name: m, estimator: {method}}}"
    own = own.replace(path, f"'{path}'")
    assert (played(roles, own, more="rounds: 50\n", said=said) == {"a": "m"}) is fits
    texts = remarks(roles, own, more="rounds: 50\n", said=said)
    assert any("not checked for the paper's 50 rounds: m" in text for text in texts) is not is_known
    assert any("'m' is trained for 9 of 50 rounds" in text for text in texts) is not fits


def test_verdicts_follow_the_roles_of_the_run_without_its_code() -> None:
    path = write(
        "a: {estimator: mine:Mine, strength: 0.5}, b: {estimator: mine:Mine, strength: 9}",
        "{name: m, estimator: mine:Mine}",
        "{name: n, estimator: mine:Mine, params: {strength: 9}}",
    )
    row = 'A,x,Better.,"d = lead(a, b)",all(d > 0)\n'
    Path("p/claims.csv").write_text(f"id,where,text,figures,reproduced_if\n{row}")
    Path("p/tables.csv").write_text("table,dataset,method,r2_mean\n1,diabetes,a,0.5\n")
    results = boostbench.run(path, in_process=True, listener=boostbench.Listener())
    Path("mine.py").unlink()
    (entry,) = judge_claims([results.folder]).entries()
    assert entry.judged.runs == 2
    assert "no method plays" not in (results.folder / "table.md").read_text(encoding="utf-8")
    # The paper is changed, and its roles with it.
    paper = Path("p/paper.yaml")
    text = paper.read_text()
    paper.write_text(text.replace("strength: 9", "strength: 8"))
    (entry,) = judge_claims([results.folder]).entries()
    assert entry.judged.why == "b is not measured"
    paper.write_text(text.replace(", strength: 9", ""))
    with pytest.raises(ConfigError, match="the methods 'm' and 'n' fit one role 'b'"):
        judge_claims([results.folder])
