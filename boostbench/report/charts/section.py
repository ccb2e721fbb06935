"""Which charts a page has, and in which of its sections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from boostbench.report.charts import Chart, ranks, scatter
from boostbench.report.page import Page, Section

if TYPE_CHECKING:
    from boostbench.report.summary import Summary

KEY, TITLE = "charts", "At a glance"
_AFTER = ("results", "claims", "verdicts", "gaps")


def with_charts(page: Page, summary: Summary) -> tuple[Page, Mapping[str, Sequence[Chart]]]:
    """Return ``page`` with a section for charts, and the charts by the key of their section.

    The section follows the results and the claims; there is none where nothing can be drawn.
    """
    found = [scatter.published(summary), scatter.against_time(summary), mean_ranks(summary)]
    charts = [chart for chart in found if chart is not None]
    if not charts:
        return page, {}
    keys = [section.key for section in page.sections]
    place = 1 + max((keys.index(key) for key in _AFTER if key in keys), default=-1)
    sections = [*page.sections[:place], Section(KEY, TITLE), *page.sections[place:]]
    return replace(page, sections=sections), {KEY: charts}


def mean_ranks(summary: Summary) -> Chart | None:
    """Return the critical-difference diagram, ``None`` of fewer than three methods or data sets.

    Only data sets on which every method has a mean count.
    """
    from boostbench.stats import friedman, nemenyi_cd

    metric = summary.metric
    methods = [
        method.label
        for method in summary.methods
        if any(summary.cell(data.label, method.label).finished for data in summary.datasets)
    ]
    rows = []
    for data in summary.datasets:
        means = [summary.cell(data.label, label).score for label in methods]
        known = [metric.rounded(mean.mean) for mean in means if mean is not None]
        if len(known) == len(methods):
            rows.append(known)
    if len(methods) < 3 or len(rows) < 3:
        return None
    test = friedman(rows)
    cd = nemenyi_cd(len(methods), len(rows))
    caption = (
        f"Mean ranks over {len(rows)} data sets, 1 the best; a bar joins methods whose mean ranks "
        f"differ by less than the critical difference of Nemenyi's test at 5 %, {cd:.2f} "
        f"(Friedman's test: p = {test.p:.2g})."
    )
    return Chart("Ranks", caption, [ranks.diagram(methods, test.ranks, cd)])
