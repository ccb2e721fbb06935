"""What a page says has changed since its results: methods and the program, where known."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from pages import page_of
from report_parts import Memory, ok, trial

import boostbench
from boostbench.data.cards import load_card
from boostbench.methods import get_method

YACHT = load_card("yacht").fingerprint


def recorded(versions: Mapping[str, str | None], package: str = "", **experiment: Any) -> Memory:
    """Return a store of one finished trial per method, of this version (None: today's)."""
    trials = {name: trial("yacht", name, 0) for name in versions}
    plan = [
        replace(one, method_version=versions[name] or one.method_version, fingerprint=YACHT)
        for name, one in trials.items()
    ]
    packages = {"boostbench": package} if package else {}
    return Memory(
        plan,
        {one.key: ok(0.5) for one in plan},
        {"name": "small", **experiment},
        {"e1": {"packages": packages}},
    )


def changed(store: Memory) -> str:
    found = re.search(r"^Changed since: (.*)\.$", page_of(store).text, re.MULTILINE)
    return found[1] if found else ""


def test_a_method_of_another_version_is_named() -> None:
    now = get_method("srt").version
    assert changed(recorded({"srt": "0", "orrt": None})) == (
        f"srt: version {now} now, 0 in these results"
    )
    assert changed(recorded({"srt": None, "orrt": None})) == ""


@pytest.mark.parametrize(
    ("name", "entry"),
    [
        ("gone", {"name": "gone", "method": "gone"}),
        ("gone", {"name": "gone"}),
        # An estimator of the user's that only has the name of a registered method.
        ("srt", {"name": "srt", "estimator": "own:Tree"}),
    ],
)
def test_of_methods_that_are_not_registered_nothing_is_said(name: str, entry: Any) -> None:
    assert changed(recorded({name: "0"}, methods=[entry])) == ""


def test_a_registered_method_is_found_under_another_name() -> None:
    entry = {"name": "deep", "method": "srt"}
    said = changed(recorded({"deep": "0"}, methods=[entry]))
    assert said == f"deep: version {get_method('srt').version} now, 0 in these results"


def test_versions_of_the_program_are_compared_where_known() -> None:
    now = boostbench.__version__
    assert changed(recorded({"srt": None}, now)) == ""
    assert f"boostbench: {now} now, 0.0.1 in these results" in changed(
        recorded({"srt": None}, "0.0.1")
    )
