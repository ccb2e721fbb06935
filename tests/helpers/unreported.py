"""Runs without their report, which takes most of the time of a small run."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from boostbench.experiment import reporting
from boostbench.report.build import ReportResult
from boostbench.report.document.table import TextTable


@contextmanager
def without_report() -> Iterator[None]:
    """Commands write no report, which nobody looks at; results as always."""
    nothing = ReportResult([], TextTable("", "", [], []))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reporting, "build_report", lambda *_, **__: nothing)
        patch.setattr("boostbench.cli.screen.Screen.report", lambda *_: None)
        yield
