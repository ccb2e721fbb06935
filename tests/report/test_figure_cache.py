"""Figures kept between reports: none that would change is taken from there, no other is drawn."""

import os
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path
from typing import Any

import matplotlib.figure
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import font_manager

from boostbench.papers import srt
from boostbench.report.build import build_report
from boostbench.report.figures import cache as caches
from boostbench.report.figures.cache import Drawing, FigureCache
from boostbench.report.metric import Verdict

TWO = {("yacht", "srt"): [0.99, 0.98], ("housing", "srt"): [0.85, 0.86]}


class Reports:
    """Reports with one cache; each is compared with the report of the same store without any."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.folder, self.kept = folder, folder / "cache" / "figures"
        self.drawn = 0
        save = matplotlib.figure.Figure.savefig

        def savefig(figure: Any, *args: Any, **kwargs: Any) -> None:
            self.drawn += 1
            save(figure, *args, **kwargs)

        patch.setattr(matplotlib.figure.Figure, "savefig", savefig)

    def __call__(self, store: Any, name: str = "out", *formats: str) -> int:
        """Write a report, compare it with one drawn without a cache; return how much was drawn."""
        chosen = formats or ("html",)
        build_report(store, self.folder / name, chosen, cache=FigureCache(self.kept))
        counted, self.drawn = self.drawn, 0
        build_report(store, self.folder / "without", chosen)
        self.drawn = 0
        assert _files(self.folder / name) == _files(self.folder / "without")
        shutil.rmtree(self.folder / "without")
        return counted


def _files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("[!.]*")}


@pytest.fixture
def reports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reports:
    return Reports(tmp_path, monkeypatch)


# A panel of the method and of each data set.
ALL = 3


def test_a_figure_that_would_not_change_is_not_drawn_again(reports, make_store, tmp_path) -> None:
    store = make_store(TWO)
    assert reports(store, "out", "html", "figure") == ALL + 2 * 3
    # Another folder, another order of recording, other formats.
    assert reports(make_store(TWO, reverse=True), "elsewhere", "figure") == 0
    # Files deleted or edited are written again: all are compared with those drawn without a cache.
    (tmp_path / "out" / "figure.png").unlink()
    (tmp_path / "out" / "means.svg").write_text("edited")
    (tmp_path / "out" / "table.html").write_text("edited")
    assert reports(store, "out", "html", "figure") == 0
    changed = {**TWO, ("yacht", "srt"): [0.99, 0.97]}
    assert reports(make_store(changed), "out", "html", "figure") == ALL - 1 + 2 * 3


def test_only_what_a_changed_trial_changes_is_drawn_again(reports, make_store) -> None:
    reports(make_store(TWO))
    changed = make_store({**TWO, ("housing", "srt"): [0.85, 0.87]})
    # The panel of yacht's means stays.
    assert reports(changed) == ALL - 1
    assert reports(changed) == 0


def _published(patch: pytest.MonkeyPatch, folder: Path) -> None:
    assert srt.PAPER.tables is not None
    text = srt.PAPER.tables.read_text(encoding="utf-8")
    (line,) = (each for each in text.splitlines() if each.startswith("2,yacht,3,srt,"))
    cells = line.split(",")
    cells[4] = "0.5"
    tables = folder / "tables.csv"
    tables.write_text(text.replace(line, ",".join(cells)), encoding="utf-8")
    patch.setattr(srt, "PAPER", replace(srt.PAPER, tables=tables))


def test_a_changed_published_value_is_drawn(reports, make_store, monkeypatch, tmp_path) -> None:
    store = make_store(TWO)
    reports(store)
    _published(monkeypatch, tmp_path)
    assert reports(store) > 0


def test_whatever_else_a_figure_shows_is_drawn(reports, make_store) -> None:
    reports(make_store(TWO))
    housing = ("housing", "srt")
    for cells, experiment in (
        ({("yachts", "srt"): [0.99, 0.98], housing: [0.85, 0.86]}, {}),
        ({("yacht", "srt@2"): [0.99, 0.98], ("housing", "srt@2"): [0.85, 0.86]}, {}),
        (TWO, {"paper": None}),
        (dict(reversed(TWO.items())), {}),
        ({**TWO, housing: [0.85, None]}, {}),
        ({**TWO, ("housing", "orrt"): [0.85, 0.86]}, {}),
    ):
        assert reports(make_store(cells, **experiment)) > 0


def test_curves_are_drawn_again_where_one_value_has_changed(reports, make) -> None:
    from boosting_parts import ok

    def store(last: float, title: str = "m") -> Any:
        return make({("vowel", title): [ok([0.5, 0.3]), ok([0.6, last])]})

    assert reports(store(0.2)) > 1
    # The panel of times stays, and the legend.
    assert reports(store(0.2 + 1e-15)) == 1
    assert reports(store(0.2, "other")) > 1


@pytest.fixture
def digest_again() -> Iterator[Callable[[], str | None]]:
    """Return a function that returns a drawing's digest as another process would."""

    def again() -> str | None:
        caches._circumstances.cache_clear()
        return Drawing("any", _draw).digest()

    yield again
    caches._circumstances.cache_clear()


@pytest.mark.parametrize("package", ["matplotlib", "numpy", "pillow", "fonttools", "kiwisolver"])
def test_with_another_version_of_a_package_all_is_drawn_again(
    digest_again, monkeypatch, package: str
) -> None:
    before, version = digest_again(), metadata.version
    assert digest_again() == before
    monkeypatch.setattr(metadata, "version", lambda n: "0.0" if n == package else version(n))
    assert digest_again() != before


def test_with_a_package_of_the_same_version_elsewhere_all_is_drawn_again(
    digest_again, monkeypatch, tmp_path
) -> None:
    before = digest_again()
    (tmp_path / "kiwisolver.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    assert digest_again() != before


@pytest.mark.parametrize("version", ["3.11.0.dev7", "3.10.0+g1234567"])
def test_with_packages_whose_version_does_not_name_their_code_all_is_drawn_each_time(
    digest_again, monkeypatch, tmp_path, version: str
) -> None:
    monkeypatch.setattr(metadata, "version", lambda name: version)
    assert digest_again() is None
    for content in (b"one", b"two"):
        drawing = Drawing("any", lambda _, made=content: {"svg": made})
        assert FigureCache(tmp_path).files(drawing) == {"svg": content}


def test_with_another_version_of_the_program_all_is_drawn_again(digest_again, monkeypatch) -> None:
    before = digest_again()
    monkeypatch.setattr("boostbench.__version__", "99.0")
    assert digest_again() != before


def test_with_another_font_file_all_is_drawn_again(
    reports, make_store, monkeypatch, tmp_path
) -> None:
    font, find = tmp_path / "font.ttf", font_manager.findfont
    store, serif = make_store(TWO), find("DejaVu Serif")
    shutil.copyfile(find("DejaVu Sans"), font)

    def found(wanted: font_manager.FontProperties, *_: Any, **__: Any) -> str:
        return str(font) if wanted.get_weight() == "bold" else find(wanted)

    with monkeypatch.context() as patch:
        patch.setattr(font_manager, "findfont", found)
        assert [reports(store), reports(store)] == [ALL, 0]
        os.utime(font, (1, 1))
        assert [reports(store), reports(store)] == [ALL, 0]
        shutil.copyfile(serif, font)
        os.utime(font, (1, 1))
        assert [reports(store), reports(store)] == [ALL, 0]
    font.unlink()
    assert [reports(store), reports(store)] == [ALL, 0]


def test_with_other_code_that_draws_all_is_drawn_again(digest_again, monkeypatch, tmp_path) -> None:
    before, copied = digest_again(), tmp_path / "figures"
    shutil.copytree(Path(caches.__file__).parent, copied)
    monkeypatch.setattr(caches, "__file__", str(copied / "cache.py"))
    assert digest_again() == before
    with (copied / "drawing.py").open("a") as file:
        file.write("# edited\n")
    assert digest_again() != before


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content[:-1],
        lambda content: content[:20],
        lambda content: b"",
        lambda content: content[:-1] + bytes([content[-1] ^ 1]),
        lambda content: content[:40] + bytes([content[40] ^ 1]) + content[41:],
        lambda content: bytes([content[0] ^ 1]) + content[1:],
    ],
)
def test_damaged_drawings_are_drawn_again(tmp_path, damage: Callable[[bytes], bytes]) -> None:
    drawn = []

    def draw(text: str) -> dict[str, bytes]:
        drawn.append(text)
        return {"svg": text.encode(), "pdf": b"", "png": b"\n\0"}

    drawing = Drawing("any", draw)
    expected = FigureCache(tmp_path).files(drawing)
    (path,) = tmp_path.iterdir()
    path.write_bytes(damage(path.read_bytes()))
    assert FigureCache(tmp_path).files(drawing) == expected
    assert FigureCache(tmp_path).files(drawing) == expected
    assert len(drawn) == 2


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_an_interrupted_writing_keeps_nothing_of_the_drawing(tmp_path, monkeypatch, error) -> None:
    drawing = Drawing("any", lambda text: {"svg": text.encode()})
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", _raising(error))
        if error is KeyboardInterrupt:
            with pytest.raises(KeyboardInterrupt):
                FigureCache(tmp_path).files(drawing)
        else:
            assert FigureCache(tmp_path).files(drawing) == {"svg": b"any"}
    assert list(tmp_path.iterdir()) == []
    # A process that was killed leaves its unfinished file, which is never read.
    (tmp_path / ".unfinished").write_bytes(b"par")
    assert FigureCache(tmp_path).files(drawing) == {"svg": b"any"}


def _raising(error: Any) -> Callable[..., None]:
    def fail(*_: Any) -> None:
        raise error

    return fail


def test_a_cache_that_cannot_be_written_to_only_draws_each_time(
    reports, make_store, tmp_path
) -> None:
    (tmp_path / "cache").write_text("a file in the way")
    store = make_store(TWO)
    assert reports(store) == ALL
    assert reports(store) == ALL


def test_the_cache_stays_small_and_keeps_what_was_used_last(tmp_path, monkeypatch) -> None:
    drawn = []

    def draw(number: int) -> dict[str, bytes]:
        drawn.append(number)
        return {"png": bytes(100_000)}

    monkeypatch.setattr(caches, "MOST_BYTES", 1_050_000)
    for number in range(10):
        kept = FigureCache(tmp_path)
        kept.files(Drawing(number, draw))
        day = time.time() - 86_400 * (20 - number)
        os.utime(max(tmp_path.iterdir(), key=lambda path: path.stat().st_mtime), (day, day))
        kept.prune()
    # The least recent is used again, and one more exceeds the limit.
    FigureCache(tmp_path).files(Drawing(0, draw))
    assert drawn == list(range(10))
    kept = FigureCache(tmp_path)
    kept.files(Drawing(10, draw))
    kept.prune()
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 1_050_000 // 2
    drawn.clear()
    for number in (0, 10, 9, 1):
        FigureCache(tmp_path).files(Drawing(number, draw))
    assert drawn == [1]


# -- digests ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Left:
    a: Any
    b: Any = None


@dataclass(frozen=True)
class Right:
    a: Any
    b: Any = None


def _draw(values: Any) -> dict[str, bytes]:
    return {}


def _other(values: Any) -> dict[str, bytes]:
    return {}


DIFFERENT = [
    None, True, 1, 1.0, "1", "", [], {}, [None], [[]], [[], []], ["a", "b"], ["ab"], ["a", "b", ""],
    [1.0, 2.0], [1.0, 2.0000000000000004], [1, 2], [[1.0], [2.0]], [[1.0, 2.0]], {"a": 1}, {"a": 2},
    {"b": 1}, {"a": 1, "b": 2}, {"b": 2, "a": 1}, [["a", 1]], Left(1), Right(1), Left(1, 1),
    Left("1"), Left([1.0]), Verdict.ABOVE, Verdict.BELOW, "above", float("nan"), float("inf"), 0.0,
    -0.0, "\ud800", ("x",), ("x", "x"),
]  # fmt: skip


def test_different_values_have_different_digests() -> None:
    found = [Drawing(value, _draw).digest() for value in DIFFERENT]
    assert len(set(found)) == len(DIFFERENT)
    assert Drawing(1, _draw).digest() != Drawing(1, _other).digest()


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(PLAIN, PLAIN)
def test_digests_are_equal_where_values_are(one: Any, other: Any) -> None:
    # repr separates 1, 1.0 and True, and 0.0 and -0.0, which compare equal.
    same = repr(one) == repr(other)
    assert (Drawing(one, _draw).digest() == Drawing(other, _draw).digest()) is same
    assert Drawing(one, _draw).digest() == Drawing(one, _draw).digest()


@pytest.mark.parametrize("value", [np.arange(3), {1, 2}, b"bytes", object(), Left, lambda: 1])
def test_values_whose_content_is_hidden_are_refused(value: Any) -> None:
    with pytest.raises(TypeError, match="no plain value"):
        Drawing([value], _draw).digest()
