"""Archives: compressed tables that are read back as the store they were made from, or refused."""

import csv
import gzip
import hashlib
import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from store_parts import LEARNT, OK, PLAN, make_trial

from boostbench.errors import StoreError
from boostbench.plan.trial import canonical_json
from boostbench.store.archive import archive_files, read_archive
from boostbench.store.files import is_archive
from boostbench.store.merge import contents_of
from boostbench.store.store import Store
from boostbench.store.types import FINAL_STATUSES, Outcome

TABLES = ("trials.csv", "times.csv", "curves.csv", "curve_times.csv")
SEVERAL = [make_trial(fold, split_seed=part) for part in (0, 7) for fold in (0, 1)]


def contents(folder, outcomes, plan=PLAN):
    with Store.open(folder, create=True) as store:
        store.set_plan({"name": "d3", "seeds": 3}, plan)
        store.begin_run("env", {"cpu": "fast"}, command=["boostbench", "run", "d3"])
        for i, outcome in outcomes:
            store.record(plan[i], outcome, "env")
        return contents_of(store)


def written(folder, files):
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder


@pytest.fixture
def archived(tmp_path):
    outcomes = [(0, OK), (1, Outcome("error", "ValueError: no")), (2, LEARNT)]
    files = archive_files(contents(tmp_path / "store", outcomes))
    return written(tmp_path / "kept", files)


numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
# Texts that look like numbers, are empty, or have what separates cells and lines.
texts = st.sampled_from(
    ["max_iter", "1", "-2.5", "", 'a "b"', "a,b", "a\nb", "a\rb", "null", "µ ≤ 1", "x" * 200_000]
)
values = numbers | texts | st.booleans()
# Names that are also those of columns before them.
names = st.sampled_from(["r2", "mae", "chosen_C", "own metric", "seed", "status", "key"])
curves = st.none() | st.fixed_dictionaries(
    {"iteration": st.just([1, 2, 3])},
    optional={
        "objective": st.lists(numbers, min_size=3, max_size=3),
        "short": st.just([0.5]),
        "fold": st.just([1.0, 2.0]),
    },
)
reasons = texts.filter(lambda text: "\r" not in text)
outcome = st.builds(
    Outcome,
    st.sampled_from(FINAL_STATUSES),
    reasons,
    st.dictionaries(names, values, max_size=3),
    st.dictionaries(st.sampled_from(["fit_s", "wall_s"]), numbers, max_size=2),
    traceback=st.just(""),
    curve=curves,
    time_curve=st.none() | st.fixed_dictionaries({"fit_s": st.just([0.5, 1.0, 1e-300])}),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), outcome), max_size=5), st.booleans())
def test_what_is_read_back_is_what_was_recorded(tmp_path_factory, outcomes, several):
    folder = tmp_path_factory.mktemp("archive")
    before = contents(folder / "store", outcomes, SEVERAL if several else PLAN[:4])
    files = archive_files(before)
    assert read_archive(written(folder / "kept", files)) == before
    with Store.open(folder / "kept", create=False, read_only=True) as store:
        assert contents_of(store) == before
    assert archive_files(before) == files


def test_tracebacks_what_was_printed_and_other_plans_are_left_out(tmp_path):
    failed = Outcome(
        "error",
        "ValueError:\rno",
        {"r2": None, "n_test": 77},
        traceback="in /home/me/x.py",
        output="hello",
        curve={"iteration": [1], "objective": [0.5], "extra": []},
    )
    before = contents(tmp_path / "store", [(0, failed), (3, OK)])
    plan = before.plan[:2]
    after = read_archive(written(tmp_path / "kept", archive_files(before._replace(plan=plan))))
    assert list(after.outcomes) == [PLAN[0].key]
    (row,) = after.outcomes.values()
    assert (row.status, row.reason, row.traceback, row.output) == (
        "error",
        "ValueError: no",
        "",
        "",
    )
    assert json.loads(row.metrics) == {"n_test": 77}
    assert json.loads(row.curve) == {"iteration": [1], "objective": [0.5]}


def test_any_program_can_read_the_tables(archived):
    rows = list(
        csv.DictReader(
            io.StringIO(gzip.decompress((archived / "trials.csv.gz").read_bytes()).decode())
        )
    )
    assert len(rows) == len(PLAN)
    assert (rows[0]["dataset"], rows[0]["status"], float(rows[0]["r2"])) == (
        "yacht",
        "ok",
        0.1 + 0.2,
    )
    assert rows[3]["status"] == "pending"
    curve = gzip.decompress((archived / "curves.csv.gz").read_bytes()).decode().splitlines()
    assert len(curve) == 3


@pytest.mark.parametrize("name", ["trials.csv.gz", "times.csv.gz", "curves.csv.gz"])
@pytest.mark.parametrize("harm", ["missing", "truncated", "no gzip", "edited"])
def test_a_damaged_table_is_refused(archived, name, harm):
    path = archived / name
    content = path.read_bytes()
    if harm == "missing":
        path.unlink()
    elif harm == "truncated":
        path.write_bytes(content[: len(content) // 2])
    elif harm == "no gzip":
        path.write_bytes(b"dataset,method\n")
    else:
        text = gzip.decompress(content).replace(b"yacht", b"yachs", 1)
        path.write_bytes(gzip.compress(text))
    with pytest.raises(StoreError, match=r"kept") as caught:
        Store.open(archived, create=False, read_only=True)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "harm",
    [
        lambda record: record.update(format=99),
        lambda record: record.pop("methods"),
        lambda record: record["methods"][0].update(params={"depth": 4}),
        lambda record: record["methods"][0].update(unknown=1),
        lambda record: record.update(outcomes="0" * 64),
        lambda record: record["runs"].clear(),
        lambda record: record["experiment"].update(seeds=4),
        lambda record: record["environments"][0].__setitem__(1, '{"cpu":"slow"}'),
        lambda record: record["columns"]["trials"].update(r2="text"),
    ],
)
def test_a_changed_record_is_refused(archived, harm):
    record = json.loads((archived / "archive.json").read_text())
    harm(record)
    (archived / "archive.json").write_text(json.dumps(record))
    with pytest.raises(StoreError, match=r"archive\.json"):
        read_archive(archived)


def _edited(archived, harm):
    """Edit the record, and the digests in it to match."""
    path = archived / "archive.json"
    record = json.loads(path.read_text())
    harm(record)
    tables = {name: gzip.decompress((archived / f"{name}.gz").read_bytes()) for name in TABLES}
    record["sha256"] = {name: hashlib.sha256(text).hexdigest() for name, text in tables.items()}
    rest = {name: value for name, value in record.items() if name != "record"}
    record["record"] = hashlib.sha256(canonical_json(rest).encode()).hexdigest()
    path.write_text(json.dumps(record))


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (lambda record: record.update(format=2), "has format 2, and this version .* format 1"),
        (lambda record: record["methods"][0].update(folds=7), "has another key than it was"),
        (lambda record: record.update(outcomes="0" * 64), "the outcomes are not as they were"),
        (lambda record: record["columns"]["trials"].update(r2="text"), "the outcomes are not as"),
        (lambda record: record["runs"][0].__setitem__(0, "b"), "the outcomes are not as they were"),
        (lambda record: record["environments"].clear(), "is damaged"),
    ],
)
def test_a_record_with_new_digests_must_still_agree_with_keys_and_outcomes(archived, harm, words):
    before = read_archive(archived)
    _edited(archived, lambda record: None)
    assert read_archive(archived) == before
    _edited(archived, harm)
    with pytest.raises(StoreError, match=words):
        read_archive(archived)


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("trials", "r2", "0.3"),
        ("trials", "status", "skipped"),
        ("trials", "reason", "other"),
        ("times", "fit_s", "0.25"),
        ("times", "recorded", "1.5"),
        ("times", "environment", ""),
        ("times", "run", ""),
    ],
)
def test_an_edited_outcome_with_new_digests_is_refused(archived, table, column, value):
    path = archived / f"{table}.csv.gz"
    header, first, *rest = csv.reader(gzip.decompress(path.read_bytes()).decode().splitlines())
    first[header.index(column)] = value
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows([header, first, *rest])
    path.write_bytes(gzip.compress(text.getvalue().encode()))
    _edited(archived, lambda record: None)
    with pytest.raises(StoreError, match="the outcomes are not as they were recorded"):
        read_archive(archived)


def test_what_would_not_be_read_back_is_not_archived(tmp_path):
    whole = contents(tmp_path / "store", [(0, OK)])
    assert "curves.csv.gz" not in archive_files(whole)
    with pytest.raises(StoreError, match="cannot be kept in an archive"):
        archive_files(whole._replace(environments=[]))


@pytest.mark.parametrize("text", ["", "[]", "{", '{"format": 1}', "\x00"])
def test_a_record_that_is_none_is_refused(archived, text):
    (archived / "archive.json").write_text(text)
    with pytest.raises(StoreError, match=r"archive\.json"):
        read_archive(archived)


def test_a_store_comes_before_an_archive(archived, tmp_path):
    contents(archived, [(5, OK)])
    assert is_archive(archived)
    with Store.open(archived, create=False, read_only=True) as store:
        assert list(store.outcomes()) == [PLAN[5].key]
    # An archive is never written to as a store.
    with pytest.raises(StoreError, match="holds no results yet"):
        Store.open(tmp_path / "kept" / "none", create=False)
