"""What a page says has changed since its results: methods and the program, where known."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from pages import page_of
from report_parts import FromNowhere, ok, trial

import boostbench
from boostbench.data.cards import load_card
from boostbench.methods import get_method
from boostbench.plan.trial import Trial

YACHT = load_card("yacht").fingerprint


class Recorded(FromNowhere):
    """A store of one finished trial per method, with this version recorded (None: today's)."""

    def __init__(self, versions: Mapping[str, str | None], **experiment: Any) -> None:
        self.packages: dict[str, str] = {}
        self._experiment = {"name": "small", **experiment}
        trials = {name: trial("yacht", name, 0) for name in versions}
        self._plan = [
            replace(one, method_version=versions[name] or one.method_version, fingerprint=YACHT)
            for name, one in trials.items()
        ]

    def part(self) -> Sequence[Trial]:
        return self._plan

    def outcomes(self) -> Mapping[str, Any]:
        return {one.key: ok(0.5) for one in self._plan}

    def experiment(self) -> Mapping[str, Any]:
        return self._experiment

    def environments(self) -> Mapping[str, Any]:
        return {"e1": {"packages": self.packages}}


def changed(store: Recorded) -> str:
    return page_of(store).facts().get("Changed since", "")


def test_a_method_of_another_version_is_named() -> None:
    now = get_method("srt").version
    assert changed(Recorded({"srt": "0", "orrt": None})) == (
        f"srt: version {now} now, 0 in these results"
    )


def test_of_methods_that_are_as_they_were_nothing_is_said() -> None:
    assert changed(Recorded({"srt": None, "orrt": None})) == ""


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
    assert changed(Recorded({name: "0"}, methods=[entry])) == ""


def test_a_registered_method_is_found_under_another_name() -> None:
    entry = {"name": "deep", "method": "srt"}
    said = changed(Recorded({"deep": "0"}, methods=[entry]))
    assert said == f"deep: version {get_method('srt').version} now, 0 in these results"


def test_versions_of_the_program_are_compared_where_known() -> None:
    store = Recorded({"srt": None})
    assert changed(store) == ""
    store.packages = {"boostbench": boostbench.__version__}
    assert changed(store) == ""
    store.packages = {"boostbench": "0.0.1"}
    assert f"boostbench: {boostbench.__version__} now, 0.0.1 in these results" in changed(store)
