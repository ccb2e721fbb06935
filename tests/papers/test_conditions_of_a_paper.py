"""Conditions of a paper beyond depth: noise, a setting of data, and rounds, of methods."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from parts import boosted, boosting_of

from boostbench.errors import ConfigError
from boostbench.experiment.elsewhere import store_of_table
from boostbench.papers.check import check_paper, literally
from boostbench.papers.claims import read_claims
from boostbench.papers.conditions import Scope
from boostbench.papers.language import ExpressionError, Unknown, Values
from boostbench.papers.paper import read_paper
from boostbench.papers.settings import Condition, in_order, told_apart, value_of
from boostbench.report.document.answer import lacking_settings
from boostbench.report.document.claim_tables import as_json
from boostbench.report.frames.results import ReportData, collect
from boostbench.report.verdicts.ledger import make_ledger
from boostbench.resources import shipped_dir

PAPER = """\
title: Boosting under noise (invented)
authors: A. Author
metric: error
runs: 2
conditions:
  noise: {data: noise}
  rounds: {param: {ours: max_iter}}
columns: {multiboost: ours, adaboost_mh: other}
"""
# Ours is worse after 10 rounds, and better after 100, by more where there is noise.
TABLES = """\
table,dataset,noise,rounds,method,error_mean
1,flowers,0,10,ours,0.10
1,flowers,0,100,ours,0.05
1,flowers,0,,other,0.08
1,flowers,0.2,10,ours,0.30
1,flowers,0.2,100,ours,0.10
1,flowers,0.2,,other,0.25
1,vowel,0,10,ours,0.20
1,vowel,0,100,ours,0.15
1,vowel,0,,other,0.18
1,vowel,0.2,10,ours,0.40
1,vowel,0.2,100,ours,0.20
1,vowel,0.2,,other,0.35
"""
DATASETS = "dataset,noise,cards\nflowers,0,iris\nflowers,0.2,wine\nvowel,0,vowel\nvowel,0.2,usps\n"
HEAD = "id,where,text,noise,rounds,figures,reproduced_if,not_reproduced_if,literally\n"
MEAN = '"lead = lead(multiboost, adaboost_mh, over=mean)"'
CLAIMS = f"""\
right,Table 1,T.,,,{MEAN},"at(lead > 0, rounds=100)",,"at(lead > 0, rounds=100)"
always,Table 1,T.,,,{MEAN},"every(noise, every(rounds, lead > 0))",,"every(rounds, lead > 0)"
once,Table 1,T.,,,{MEAN},"every(noise, some(rounds, lead > 0))",,"some(rounds, lead > 0)"
more,Table 1,T.,,100,{MEAN},"at(lead > 0.1, noise=0.2) and at(lead < 0.1, noise=0)",,
each,Table 1,T.,0.2,100,"lead = lead(multiboost, adaboost_mh)",all(lead > 0),,all(lead > 0)
unseen,Table 1,T.,,1000,{MEAN},lead > 0,,
noisier,Table 1,T.,0.3;0.4,,{MEAN},lead > 0,,
"""
CARDS = {("iris", 0): 0.0, ("wine", 0.2): 0.0, ("vowel", 0): 0.1, ("usps", 0.2): 0.1}
OURS = {(0, 10): 0.1, (0, 100): 0.05, (0.2, 10): 0.3, (0.2, 100): 0.1}
OTHER = {0: 0.08, 0.2: 0.25}


@pytest.fixture
def folder(tmp_path: Path) -> Callable[..., Path]:
    """Write the files of the paper, or others in their place."""

    def write(**texts: str) -> Path:
        known = {"paper": PAPER, "tables": TABLES, "datasets": DATASETS, "claims": HEAD + CLAIMS}
        path = tmp_path / "noisy"
        path.mkdir(exist_ok=True)
        for name, text in {**known, **texts}.items():
            (path / f"{name}.{'yaml' if name == 'paper' else 'csv'}").write_text(text)
        return path

    return write


def results(path: Path, noises=(0, 0.2), rounds=(10, 100)) -> ReportData:
    """Return ten runs of each cell around the printed mean."""
    params = {f"ours_{number}": {"max_iter": number} for number in rounds}
    methods = [{"name": name, "method": "multiboost"} for name in params]
    methods.append({"name": "other", "method": "adaboost_mh"})
    cells = {}
    for (card, noise), more in CARDS.items():
        for label in (*params, "other") if noise in noises else ():
            own = OTHER[noise] if label == "other" else OURS[noise, params[label]["max_iter"]]
            cells[card, label] = [boosted([own + more + by]) for by in [-0.001, 0.001] * 5]
    return collect(boosting_of(cells, params, paper=str(path), methods=methods))


def verdicts(*several: ReportData) -> dict[str, str]:
    ledger = make_ledger(several)
    return {own.claim.id: f"{own.judged.verdict}: {own.judged.why}" for own in ledger.entries}


def test_the_folder_is_right_and_its_tables_contradict_one_sentence(folder) -> None:
    path = folder()
    assert check_paper(path) == []
    paper = read_paper(path)
    tried = {own.claim.id: own.truth.sure for own in literally(paper, read_claims(paper))}
    assert tried == {"right": True, "always": False, "once": True, "each": True}


def test_claims_over_noise_and_rounds_are_judged(folder) -> None:
    assert verdicts(results(folder())) == {
        "right": "reproduced: ",
        "always": "not reproduced: ",
        "once": "reproduced: ",
        "more": "reproduced: ",
        "each": "reproduced: ",
        "unseen": "not judged: no runs at rounds 1000",
        "noisier": "not judged: no runs at noise 0.3 or 0.4",
    }


def test_a_value_that_was_not_run_leaves_what_is_said_of_every_value_open(folder) -> None:
    found = verdicts(results(folder(), noises=[0]))
    assert found["once"] == "undecided: reproduced at noise 0 only"
    assert found["always"] == "not reproduced: at noise 0 only"
    assert found["more"] == "not judged: needs runs at noise 0.2"
    assert found["each"] == "not judged: no runs at noise 0.2"
    few = results(folder(), rounds=[100])
    assert verdicts(few)["right"] == "reproduced: "
    assert verdicts(few)["always"] == "undecided: reproduced at rounds 100 only"
    said = lacking_settings(make_ledger([few]).entries)
    assert said == "For 2 of the undecided, runs at other values of rounds are missing."


def test_results_of_several_settings_are_judged_together(folder) -> None:
    path = folder()
    together = verdicts(results(path, noises=[0]), results(path, noises=[0.2]))
    assert together == verdicts(results(path))


def test_each_cell_is_beside_the_value_printed_in_its_setting(folder) -> None:
    cells = {(cell.dataset, cell.method): cell for cell in results(folder()).only_cells}
    for (card, noise), more in CARDS.items():
        assert cells[card, "other"].published == pytest.approx(OTHER[noise] + more)
        for number in (10, 100):
            own = cells[card, f"ours_{number}"]
            assert own.published == pytest.approx(OURS[noise, number] + more)
            assert own.counts
            # Of two runs the paper's, the interval is wide: it decides nothing, or agrees.
            assert own.mean == pytest.approx(own.published)


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("paper", PAPER.replace("{data: noise}", "{}"), "paper.yaml:6:10: 'conditions.noise': say "
         "where its values come from"),
        ("paper", PAPER.replace("noise:", "dataset:"), "a column 'dataset' means something else"),
        ("paper", PAPER.replace("ours: max_iter", "our: max_iter"), "paper.yaml:7:20: the paper "
         "has no method 'our' (did you mean 'ours'?)"),
        ("paper", PAPER.replace("max_iter", "max_itre"), "paper.yaml:7:26: no method has a "
         "parameter 'max_itre' (did you mean 'max_iter'?)"),
        ("tables", TABLES.replace("rounds", "sweeps"), "tables.csv:1: there is no column 'sweeps'; "
         "leave it out, or add it to the 'conditions' in paper.yaml, which has noise, rounds"),
        ("tables", TABLES.replace("noise", "nois"), "tables.csv:1: there is no column 'nois' (did "
         "you mean 'noise'?)"),
        ("datasets", DATASETS.replace("noise", "level"), "datasets.csv:1: there is no column "
         "'level'; leave it out, or add it to the 'conditions'"),
        ("datasets", DATASETS.replace("0.2,usps", "0,usps"), "datasets.csv:5: 'vowel 0' again"),
        ("claims", HEAD.replace("noise", "level") + CLAIMS, "claims.csv:1: there is no column "
         "'level'; leave it out, or add it to the 'conditions' in paper.yaml, which has noise"),
        ("claims", HEAD + CLAIMS.replace("0.3;0.4", "0.3;high"), "claims.csv:8, noise: 'high' is "
         "no number; the tables print 0, 0.2"),
        ("claims", HEAD + CLAIMS.replace("every(noise", "every(nose"), "claims.csv:3, "
         "reproduced_if, column 7: there is no condition 'nose': did you mean 'noise'?"),
        ("claims", HEAD + CLAIMS.replace("some(rounds, ", "some("), "write some(NAME, lead > 0)"),
        ("claims", HEAD + CLAIMS.replace("at(lead > 0, rounds=100)", "at(rounds=100, lead > 0)"),
         "follows keyword argument; write at(lead > 0, depth=3)"),
        ("claims", HEAD + CLAIMS.replace("lead > 0, rounds=100", "lead > 0, depth=100"),
         "there is no condition 'depth': choose one of noise, rounds"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_condition_is_said_with_the_known_ones(
    folder, file, text, message
) -> None:
    found = check_paper(folder(**{file: text}))
    assert any(message in line for line in found), found


def test_a_paper_without_conditions_has_depth_as_ever(folder) -> None:
    """Its columns are depth and depths, and it says every_depth and at_depth."""
    path = folder(
        paper=PAPER.split("conditions")[0] + "columns: {srt: ours}\n",
        tables="table,dataset,depth,method,error_mean\n1,a,2,ours,0.10\n1,a,3,ours,0.30\n",
        datasets="dataset\na\n",
        claims="id,where,text,depths,figures,reproduced_if,literally\n"
        'A,T.,T.,2;3,v = value(srt),"at_depth(2, all(v < 0.15))","every_depth(all(v < 0.15))"\n',
    )
    paper = read_paper(path)
    (claim,) = read_claims(paper)
    assert (claim.at, paper.printed_values) == ({"depth": [2, 3]}, {"depth": [2, 3]})
    ((_, truth, _),) = literally(paper, [claim])
    assert not truth.maybe
    assert literally(paper, [replace(claim, literally=claim.reproduced_if)])[0].truth.sure


GRID = [(noise, rounds) for noise in (0, 0.2) for rounds in (10, 100)]
OF_GRID = Scope(
    ["a"],
    GRID,
    conditions={"noise": Condition(data="noise"), "rounds": Condition(param="rounds")},
)


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("f > 0", False),
        ("at(f > 0, noise=0)", True),
        ("at(f > 0, noise=0.2)", False),
        ("at(f > 0, noise=0.2, rounds=100)", True),
        ("some(rounds, f > 0)", True),
        ("some(noise, f > 0)", True),
        ("some(noise, every(rounds, f > 0))", True),
        ("every(noise, some(rounds, f > 0))", True),
        ("every(noise, every(rounds, f > 0))", False),
        ("every_noise(some_rounds(f > 0)) and at_noise(0, f > 0)", True),
        ("pairs(f > 0) == 3/4", True),
    ],
)
def test_conditions_quantify_over_any_of_several(text: str, holds: bool) -> None:
    values = Values.exact(np.array([[1.0], [2.0], [-1.0], [3.0]]))
    assert OF_GRID.condition(text, {"f": values}).point == holds


def test_a_value_that_was_not_measured_is_unknown() -> None:
    values = {"f": Values.exact(np.ones((4, 1)))}
    with pytest.raises(Unknown, match=r"needs runs at noise 0\.3"):
        OF_GRID.condition("at(f > 0, noise=0.3)", values)
    with pytest.raises(Unknown, match="needs runs at noise 0, rounds 100"):
        replace(OF_GRID, settings=[(0, 10), (0.2, 100)]).condition(
            "at(f > 0, rounds=100, noise=0)", {"f": Values.exact(np.ones((2, 1)))}
        )
    with pytest.raises(ExpressionError, match="there is no condition 'depth'"):
        OF_GRID.condition("every(depth, f > 0)", values)


def test_values_are_numbers_where_they_can_be_and_have_an_order() -> None:
    cells = ["0.10", "100", "1e2", "high", "", " 3 "]
    assert [value_of(cell) for cell in cells] == [0.1, 100, 100, "high", None, 3]
    assert value_of(True) is None
    assert in_order([("b",), (None,), (10,), (2.5,), ("a",)]) == [
        (2.5,), (10,), ("a",), ("b",), (None,)
    ]  # fmt: skip


DESIGNS = """\
design: {split: shuffle, folds: 20, test_size: 0.1}
designs:
  - {tables: 2, split: kfold, folds: 5}
  - {tables: [2], datasets: iris, partitions: 3}
"""


def test_a_table_or_a_data_set_may_have_a_design_of_its_own(folder) -> None:
    head = PAPER.replace("runs: 2\n", "")
    paper = read_paper(folder(paper=f"{head}{DESIGNS}"))
    designs = [paper.design_of(name, table) for name, table in
               (("vowel", ""), ("vowel", "1"), ("vowel", "2"), ("iris", "2"))]  # fmt: skip
    found = [(own.split.split, own.split.folds, own.partitions) for own in designs]
    assert found == [("shuffle", 20, 1), ("shuffle", 20, 1), ("kfold", 5, 1), ("shuffle", 20, 3)]
    assert [paper.runs_of("vowel", table) for table in ("1", "2")] == [20, 5]
    for wrong, message in (
        ("- {split: kfold, folds: 5}", "name the 'tables' or the 'datasets' that it is for"),
        ("- {tables: 2, split: kfld, folds: 5}", "there is no split 'kfld'"),
        ("- {tables: 2, folds: many}", "designs.0"),
    ):
        with pytest.raises(ConfigError, match=message):
            read_paper(folder(paper=f"{head}designs:\n  {wrong}\n"))


def test_a_claim_is_judged_on_runs_in_the_design_of_its_table(folder) -> None:
    """These runs are random splits: Table 1 has folds, and Table 2 is measured as usual."""
    stated = "design: {split: shuffle, folds: 10, test_size: 0.25}\n"
    folds = "designs: [{tables: 1, split: stratified, folds: 10}]\n"
    other = TABLES.replace("\n1,", "\n2,")
    claims = HEAD + CLAIMS.splitlines(keepends=True)[0]
    claims += claims.splitlines(keepends=True)[1].replace("right,Table 1", "second,Table 2")
    path = folder(
        paper=f"{PAPER}{stated}{folds}",
        tables=TABLES + other.split("\n", 1)[1],
        claims=claims,
    )
    found = verdicts(results(path))
    assert found["second"] == "reproduced: "
    assert found["right"].startswith("not comparable: ")


def table_of_runs(path: Path, **columns: Callable[[str], str]) -> Path:
    """Write the runs of all cells as others would, with some columns changed or left out."""
    rows = []
    for (card, noise), more in CARDS.items():
        cells = [(10, "ours"), (100, "ours"), ("", "other")]
        for rounds, method in cells:
            own = OTHER[noise] if method == "other" else OURS[noise, rounds]
            dataset = "flowers" if card in ("iris", "wine") else "vowel"
            for split, by in enumerate([-0.001, 0.001] * 5, 1):
                row = {"dataset": dataset, "method": method, "noise": noise, "rounds": rounds}
                rows.append({**row, "split": split, "seed": 0, "score": f"{own + more + by:.4f}"})
    changed = [{name: columns.get(name, str)(str(v)) for name, v in row.items()} for row in rows]
    lines = [",".join(row.values()) for row in changed]
    table = path.parent / "runs.csv"
    table.write_text("\n".join([",".join(rows[0]), *lines]) + "\n")
    return table


def test_runs_of_others_have_columns_of_the_conditions(folder) -> None:
    path = folder()
    data = collect(store_of_table(table_of_runs(path), str(path)))
    ours, theirs = verdicts(results(path)), verdicts(data)
    assert {name: text.split(":")[0] for name, text in theirs.items()} == {
        name: text.split(":")[0] for name, text in ours.items()
    }
    cell = next(c for c in data.only_cells if c.dataset == "flowers, noise 0.2")
    assert (cell.method, cell.published) == ("ours, rounds 10", pytest.approx(0.3))


@pytest.mark.parametrize(
    ("column", "change", "message"),
    [
        ("noise", lambda _: "", "runs.csv:1: there is no value of 'noise', by which the paper "
         "noisy tells its means apart; add a column 'noise' with one of 0, 0.2 in every row"),
        ("noise", lambda text: "20" if text == "0.2" else "5", "runs.csv:2, noise: the paper "
         "noisy prints nothing at 5, 20; it prints 0, 0.2"),
    ],
)  # fmt: skip
def test_runs_of_others_in_no_setting_of_the_paper_are_refused(
    folder, column, change, message
) -> None:
    path = folder()
    with pytest.raises(ConfigError, match=message):
        store_of_table(table_of_runs(path, **{column: change}), str(path))


def test_settings_are_told_apart_by_what_differs() -> None:
    names = ["noise", "rounds"]
    assert [told_apart(names, own, [(0, 10), (0.2, 10)]) for own in [(0, 10), (0.2, 10)]] == [
        "noise 0", "noise 0.2"
    ]  # fmt: skip
    assert told_apart(names, (0, 10), [(0, 10)]) == ""
    assert told_apart(names, (0.2, None), [(0, 10), (0.2, None)]) == "noise 0.2"


def test_json_has_the_values_of_conditions_by_their_names(folder) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    ledger = make_ledger([results(folder())])
    found = [as_json(entry) for entry in ledger.entries]
    assert found[0]["conditions"] == {"noise": [0, 0.2], "rounds": [10, 100]}
    assert [tuple(one["conditions"].values()) for one in found[0]["figures"]] == GRID
    schema = json.loads((shipped_dir("configs") / "output-schema.json").read_text("utf-8"))
    of_claims = schema["$defs"]["verify"]["properties"]["claims"]
    jsonschema.Draft202012Validator(of_claims).validate(json.loads(json.dumps(found)))
