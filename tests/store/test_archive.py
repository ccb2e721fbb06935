"""Archives: files that are read back as the store they were made from, or refused."""

import csv
import hashlib
import io
import json
import lzma

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from store_parts import LEARNT, OK, PLAN, filled, make_trial

from boostbench.errors import StoreError
from boostbench.store.archive_format import archive_files, read_archive
from boostbench.store.files import is_archive
from boostbench.store.merge_stores import contents_of
from boostbench.store.store import Store
from boostbench.store.types import FINAL_STATUSES, Outcome

SEVERAL = [make_trial(fold, split_seed=part) for part in (0, 7) for fold in (0, 1)]
# Another key, and other parameters on one data set.
OTHERS = [
    make_trial(dataset="other", fingerprint="e" * 64, params={"depth": 2, "C": [1.0, None, "a"]}),
    make_trial(method="own", split="shuffle", test_size=0.25, choose={"C": [1.0]}, curves=True),
    make_trial(method="same key as the first"),
    # What is no part of a key is kept too.
    make_trial(
        method="asked",
        task="classification",
        metrics={"f1": "f1_macro"},
        labels=("no", "yes"),
        keep=("predictions",),
        described="Pipeline(StandardScaler(), Ridge(alpha=2.0))",
    ),
]


def contents(folder, outcomes, plan=PLAN):
    with Store.read(filled(folder, *outcomes, plan=plan)) as store:
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
    ["max_iter", "1", "-2.5", "NaN", "", " ", 'a "b"', "a,b", "a\nb", "a\rb", "null", "µ ≤ 1"]
)
values = numbers | texts | st.booleans() | st.just("x" * 200_000)
names = st.sampled_from(["r2", "mae", "chosen_C", "own metric", "key", "times", "trial"])
seconds = st.integers(0, 10**12)
curves = st.none() | st.fixed_dictionaries(
    {"iteration": st.just([1, 2, 3])},
    optional={"objective": st.lists(numbers, min_size=3, max_size=3), "short": st.just([0.5])},
)
outcome = st.builds(
    Outcome,
    st.sampled_from(FINAL_STATUSES),
    texts.filter(lambda text: "\r" not in text),
    st.dictionaries(names, values, max_size=3),
    st.dictionaries(st.sampled_from(["fit_s", "wall_s"]), seconds.map(lambda n: n / 1e6))
    | st.fixed_dictionaries({"peak_rss_mib": numbers}),
    traceback=st.just(""),
    curve=curves,
    time_curve=st.none()
    | st.fixed_dictionaries({"fit_s": st.lists(seconds.map(lambda n: n / 1e9))}),
)


@settings(max_examples=25)
@given(
    st.lists(st.tuples(st.integers(0, 3), outcome), max_size=5),
    st.sampled_from([PLAN[:4], SEVERAL, [PLAN[0], *OTHERS]]),
)
def test_archives_are_read_back_as_recorded(tmp_path_factory, outcomes, plan):
    folder = tmp_path_factory.mktemp("archive")
    before = contents(folder / "store", outcomes, plan)
    files = archive_files(before)
    after = read_archive(written(folder / "kept", files))
    assert after._replace(outcomes={}) == before._replace(outcomes={})
    assert after.outcomes.keys() == before.outcomes.keys()
    for key, row in before.outcomes.items():
        one = after.outcomes[key]
        assert one.recorded == round(row.recorded, 6)
        same = ("status", "reason", "metrics", "times", "environment_id", "run_id")
        assert [getattr(one, name) for name in same] == [getattr(row, name) for name in same]
        for name in ("curve", "time_curve"):
            text = {n: v for n, v in json.loads(getattr(row, name) or "{}").items() if v}
            assert json.loads(getattr(one, name) or "{}") == text
    with Store.read(folder / "kept") as store:
        assert contents_of(store) == after
        assert store.outcomes().keys() == after.outcomes.keys()
    assert archive_files(before) == archive_files(after) == files


def test_times_are_rounded_and_nothing_else_is(tmp_path):
    third = 1 / 3
    text = {"fit_s": third, "peak_rss_mib": third}
    curve = {"iteration": [1], "objective": [third]}
    outcome = Outcome("ok", "", {"r2": third}, text, curve=curve, time_curve={"fit_s": [third]})
    before = contents(tmp_path / "store", [(0, outcome)])
    (row,) = read_archive(written(tmp_path / "kept", archive_files(before))).outcomes.values()
    assert json.loads(row.metrics) == {"r2": third}
    assert json.loads(row.times) == {"fit_s": 0.333333, "peak_rss_mib": third}
    assert json.loads(row.curve) == curve
    assert json.loads(row.time_curve) == {"fit_s": [0.333333333]}


def test_tracebacks_output_and_other_plans_are_left_out(tmp_path):
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
    (row,) = after.outcomes.values()
    assert row.key == PLAN[0].key
    assert (row.status, row.reason, row.traceback, row.output) == (
        "error",
        "ValueError: no",
        "",
        "",
    )
    assert json.loads(row.metrics) == {"n_test": 77}
    assert json.loads(row.curve) == {"iteration": [1], "objective": [0.5]}


def test_any_program_can_read_the_trials(archived):
    rows = list(csv.DictReader((archived / "trials.csv").open(newline="")))
    assert [list(row.values()) for row in rows[:2]] == [
        ["yacht", "srt", "0", "0", "ok", "", "", "77", "0.30000000000000004"],
        ["yacht", "srt", "0", "1", "error", "ValueError: no", "", "", ""],
    ]
    assert list(rows[0]) == [
        "dataset",
        "method",
        "fold",
        "seed",
        "status",
        "reason",
        "error",
        "n_test",
        "r2",
    ]
    assert [row["status"] for row in rows] == ["ok", "error", "ok"] + ["pending"] * (len(PLAN) - 3)
    with lzma.open(archived / "curves.csv.xz", "rt") as file:
        curves = list(csv.DictReader(file))
    assert json.loads(curves[2]["test_error"]) == [0.5, 0.25]
    record = json.loads((archived / "record.json").read_text())
    for name, digest in record["sha256"].items():
        assert hashlib.sha256((archived / name).read_bytes()).hexdigest() == digest


@pytest.mark.parametrize("name", ["trials.csv", "curves.csv.xz"])
@pytest.mark.parametrize("harm", ["missing", "truncated", "not compressed", "edited"])
def test_a_damaged_table_is_refused(archived, name, harm):
    path = archived / name
    content = path.read_bytes()
    if harm == "missing":
        path.unlink()
    elif harm == "truncated":
        path.write_bytes(content[: len(content) // 2])
    elif harm == "not compressed":
        path.write_bytes(b"dataset,method\n")
    else:
        path.write_bytes(content.replace(content[40:41], bytes([content[40] ^ 1]), 1))
    with pytest.raises(StoreError, match=rf"{archived} is damaged .*{name}") as caught:
        Store.read(archived)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "harm",
    [
        lambda record: record.pop("methods"),
        lambda record: record["methods"]["srt"]["yacht"].update(folds=7),
        lambda record: record.update(contents="0" * 64),
        lambda record: record["runs"].clear(),
        lambda record: record["environments"][0].__setitem__(1, '{"cpu":"slow"}'),
    ],
)
def test_a_changed_record_is_refused(archived, harm):
    record = json.loads((archived / "record.json").read_text())
    harm(record)
    (archived / "record.json").write_text(json.dumps(record))
    with pytest.raises(StoreError, match=f"{archived} is damaged"):
        read_archive(archived)


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("trials.csv", "r2", "0.3"),
        ("trials.csv", "status", "skipped"),
        ("times.csv.xz", "fit_s", "0.25"),
        ("times.csv.xz", "environment_id", ""),
    ],
)
def test_an_edited_outcome_with_a_new_digest_is_refused(archived, table, column, value):
    path = archived / table
    unpack, pack = (lzma.decompress, lzma.compress) if path.suffix == ".xz" else (bytes, bytes)
    header, first, *rest = csv.reader(unpack(path.read_bytes()).decode().splitlines())
    first[header.index(column)] = value
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows([header, first, *rest])
    path.write_bytes(pack(text.getvalue().encode()))
    record = json.loads((archived / "record.json").read_text())
    record["sha256"][table] = hashlib.sha256(path.read_bytes()).hexdigest()
    (archived / "record.json").write_text(json.dumps(record))
    with pytest.raises(StoreError, match="the files have other contents than the recorded results"):
        read_archive(archived)


def test_outcomes_that_change_when_read_back_are_not_archived(tmp_path):
    whole = contents(tmp_path / "store", [(0, OK)])
    assert "curves.csv.xz" not in archive_files(whole)
    taken = contents(tmp_path / "taken", [(0, Outcome("ok", metrics={"seed": 1}))])
    with pytest.raises(StoreError, match="cannot be kept in an archive"):
        archive_files(taken)


@pytest.mark.parametrize("text", ["", '{"format": 2}', '{"format": 99}'])
def test_a_malformed_record_is_refused(archived, text):
    (archived / "record.json").write_text(text)
    with pytest.raises(StoreError, match=r"is damaged|has format 99, and this version .* 2"):
        read_archive(archived)


def test_a_store_comes_before_an_archive(archived):
    contents(archived, [(5, OK)])
    assert is_archive(archived)
    with Store.read(archived) as store:
        assert list(store.outcomes()) == [PLAN[5].key]
