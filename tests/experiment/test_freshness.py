"""Changes since results were recorded: of methods and of boostbench, where known."""

from collections.abc import Mapping
from typing import Any

import pytest
from parts import Memory, ok, trial

from boostbench.experiment.freshness import changed_since_runs
from boostbench.methods import get_method

NOW = get_method("srt").version
RELEASE = "boostbench: version 0.2.0 now"


def recorded(versions: Mapping[str, str | None], package: str = "", **experiment: Any) -> Memory:
    """Return a store of one finished trial per method, of this version (None: today's)."""
    plan = [
        trial("yacht", name, **({"method_version": version} if version else {}))
        for name, version in versions.items()
    ]
    packages = {"boostbench": package} if package else {}
    return Memory(
        plan,
        {one.key: ok(0.5) for one in plan},
        {"name": "small", **experiment},
        {"e1": {"packages": packages}},
    )


def changed(store: Memory) -> str:
    return "; ".join(changed_since_runs(store))


@pytest.mark.parametrize(
    ("name", "entries", "said"),
    [
        ("srt", [], f"srt: version {NOW} now, 0 in these results"),
        # A registered method under another name.
        (
            "deep",
            [{"name": "deep", "method": "srt"}],
            f"deep: version {NOW} now, 0 in these results",
        ),
        ("gone", [{"name": "gone", "method": "gone"}], ""),
        ("gone", [{"name": "gone"}], ""),
        # An estimator of the user's that only has the name of a registered method.
        ("srt", [{"name": "srt", "estimator": "own:Tree"}], ""),
    ],
)
def test_a_registered_method_of_another_version_is_named(name: str, entries: Any, said) -> None:
    assert changed(recorded({name: "0", "orrt": None}, methods=entries)) == said


@pytest.mark.parametrize(
    ("now", "then", "said"),
    [
        ("0.2.0", "0.2.0", ""),
        ("0.2.0", "0.1.0", f"{RELEASE}, 0.1.0 in these results"),
        # Commits since a release are that release, and a candidate is one of its own.
        ("0.2.0.post1.dev3+g1a2b3c4", "0.2.0", ""),
        ("0.2.0.post1.dev3+g1a2b3c4", "0.2.0.post1.dev2+g5d6e7f8", ""),
        ("0.2.0.post1.dev3+g1a2b3c4", "0.1.0", f"{RELEASE}, 0.1.0 in these results"),
        ("0.2.0", "0.2.0rc1", f"{RELEASE}, 0.2.0rc1 in these results"),
        # Of a version without a release, and of results without a version, nothing is known.
        ("0.0.post1.dev1390+g1a2b3c4", "0.1.0", ""),
        ("0.0", "0.1.0", ""),
        ("0.2.0", "0.0.post1.dev1390+g1a2b3c4", ""),
        ("0.2.0", "", ""),
    ],
)
def test_releases_of_the_program_are_compared_where_known(
    now: str, then: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("boostbench.release.installed", lambda: now)
    assert changed(recorded({"srt": None}, then)) == said
