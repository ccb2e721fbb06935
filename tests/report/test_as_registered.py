"""Which methods of an experiment are the registered ones, with none of their parameters changed."""

from pathlib import Path
from typing import Any

import pytest
from parts import Memory, of_file

from boostbench.papers.planned import PlannedMethod
from boostbench.report.frames.results import collect

START = "name: t\npaper: srt\ndatasets: [diabetes]\nfolds: 2\nseeds: 1\n"


def planned(folder: Path, text: str) -> Memory:
    """Return the store of an experiment of which nothing has run."""
    file = folder / "t.yaml"
    file.write_text(START + text)
    return of_file(str(file), None)


def methods_of(folder: Path, text: str) -> dict[str, PlannedMethod]:
    return {method.label: method for method in collect(planned(folder, text)).methods}


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("methods: [srt]", {}),
        ("methods: [{name: srt, params: {max_iter: 0}}]", {"max_iter": 0}),
        # 10 is its own value.
        ("methods: [{name: srt, params: {max_iter: 10}}]", {}),
        ("methods: [srt]\ndefaults: {max_iter: 0}", {"max_iter": 0}),
        # What the method presets is stronger than defaults.
        ("methods: [srt_best5]\ndefaults: {max_iter: 0}", {}),
        ("methods: [{name: ort_l_grid, params: {l1s: [0.001, 0.005, 0.01]}}]", {}),
        ("methods: [{name: srt_l2, choose: {regularization: [l2, null]}}]",
         {"regularization": ["l2", None]}),
    ],
)  # fmt: skip
def test_changed_parameters(tmp_path: Path, text: str, changed: dict[str, Any]) -> None:
    (method,) = methods_of(tmp_path, text).values()
    assert dict(method.changed) == changed


def test_a_label_is_not_a_registered_name(tmp_path: Path) -> None:
    text = """methods:
- {name: renamed, method: srt}
- {name: srt, estimator: "boostbench.trees:SoftRegressionTree"}
"""
    found = methods_of(tmp_path, text)
    assert {label: m.registered for label, m in found.items()} == {"renamed": "srt", "srt": ""}
