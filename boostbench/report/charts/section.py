"""Which charts a page has, and in which of its sections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from boostbench.report.charts import Chart, ranks, scatter
from boostbench.report.page import Page, Section
from boostbench.report.summary import Summary

KEY, TITLE = "charts", "At a glance"
_AFTER = ("results", "agreement", "claims", "verdicts", "gaps")


def with_charts(page: Page, summary: Summary) -> tuple[Page, Mapping[str, Sequence[Chart]]]:
    """Return ``page`` with a section for charts, and the charts by the key of their section.

    The section follows the results and the claims, and there is none where nothing can be drawn;
    mean ranks are drawn where methods are compared.
    """
    found = [scatter.published(summary), scatter.against_time(summary)]
    own = [chart for chart in found if chart is not None]
    ranked = mean_ranks(summary)
    charts = {KEY: own, "comparisons": [ranked] if ranked else []}
    if not own:
        return page, charts
    keys = [section.key for section in page.sections]
    place = 1 + max((keys.index(key) for key in _AFTER if key in keys), default=-1)
    sections = [*page.sections[:place], Section(KEY, TITLE), *page.sections[place:]]
    return replace(page, sections=sections), charts


def mean_ranks(summary: Summary) -> Chart | None:
    """Return the critical-difference diagram, ``None`` where methods are not ranked."""
    comparisons = summary.comparisons
    ranking = comparisons.ranking if comparisons else None
    if ranking is None:
        return None
    left_out = f" (without {', '.join(ranking.left_out)})" if ranking.left_out else ""
    caption = (
        f"Mean ranks over {len(ranking.datasets)} data sets{left_out}, 1 the best, of means over "
        "the runs that all methods have. A bar joins methods whose mean ranks are no farther apart "
        f"than Nemenyi's critical difference at 5 %, {ranking.cd:.2f} (Friedman's test: "
        f"p = {ranking.friedman.p:.2g}). It is an overview: pairs are tested by Wilcoxon."
    )
    drawn = ranks.diagram(ranking.methods, ranking.friedman.ranks, ranking.cd)
    return Chart("Ranks", caption, [drawn])
